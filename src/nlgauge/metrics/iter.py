"""ITER, an edit rate after TER with stem matches and costs that can be tuned (Panja and Naskar 2018, "ITER: improving
translation edit rate through optimizable edit costs").

Three things differ from TER. Words that share their stem go together, at a cost of their own between a match and a
substitution. Insertions, deletions, substitutions, stem matches and shifts each have a cost, meant to be fitted to
human judgements of one's own language and task. And the sum is divided by more than the reference's length, so that
a long hypothesis is not punished without bound. The score of a corpus is the mean of its segments', as in the WMT
2018 metrics task; with several references the lowest counts.

The authors published no program, and the costs they fitted belong to their language pairs. The defaults here are
plain: 1 for each edit and shift, half of that for a stem match, and the longer text's length as the divisor. With
`stem=none` and `norm=reference` the numerator is TER's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.errors import suggest
from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, Direction, Metric, option
from nlgauge.text import tokenizers


def _stemmer(value: str) -> str | None:
    from nlgauge.text.stemmers import STEMMERS

    return None if value in STEMMERS else f"a stemmer ({suggest(value, STEMMERS)})"


@dataclass(frozen=True)
class Iter(Metric):
    """Edit rate with stem matches and costs of one's own; 0 is best, and with the default costs 1 is worst.

    >>> Iter().corpus(["he runs fast"], [["he running fast"]]) * 3
    0.5
    """

    tok: str = option("tercom", "tokeniser", check=tokenizers.check)
    lower: bool = option(True, "lower-case the texts first")
    stem: str = option("porter", "stemmer; none lets only equal words match", check=_stemmer)
    stem_cost: float = option(0.5, "cost of another word with the same stem", low=0.0)
    substitution: float = option(1.0, "cost of another word", low=0.0)
    insertion: float = option(1.0, "cost of a word that only the hypothesis has", low=0.0)
    deletion: float = option(1.0, "cost of a word that only the reference has", low=0.0)
    shift: float = option(1.0, "cost of moving a run of words", low=0.0)
    norm: str = option(
        "longest",
        "divide by the length of the longest text, of the reference, or of the alignment",
        choices=("longest", "reference", "alignment"),
    )

    name: ClassVar[str] = "iter"
    direction: ClassVar[Direction] = "lower"
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    cite: ClassVar[str] = (
        "Panja and Naskar (2018), ITER: improving translation edit rate through optimizable edit costs. WMT."
    )
    reference: ClassVar[str] = "this definition; the authors published no program"

    @property
    def columns(self) -> tuple[str, ...]:
        """The sum of segment scores and their number."""
        return ("score", "segments")

    def rows(self, batch: Batch) -> Array:
        """The lowest rate over the references, and 1."""
        return active().iter_rows(
            batch.tokens(self.tok, lower=self.lower),
            batch.tokens(self.tok, lower=self.lower, stem=self.stem),
            self.stem_cost,
            self.substitution,
            self.insertion,
            self.deletion,
            self.shift,
            self.norm,
            batch.jobs,
        )

    def score(self, totals: Array) -> Array:
        """The mean over segments."""
        count = totals[..., 1]
        return np.divide(totals[..., 0], count, out=np.zeros(np.shape(count)), where=count > 0)
