"""PER, the position-independent error rate (Tillmann, Vogel, Ney, Zubiaga and Sawaf 1997, "Accelerated DP based search
for statistical translation").

Both texts are taken as bags of words. Words that find no partner are errors: paired off as substitutions, and what is
left over as insertions or deletions, by which of the texts is longer. So

    PER = (max(hypothesis length, reference length) − words in common) / reference length

which never exceeds WER. With several references the one with the lowest rate counts. (Moses's PerScorer sums words in
common and lengths over the corpus before it takes the maximum, and prints 1 − PER; with one segment it is the same.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.edit import position_independent_errors
from nlgauge.metrics.base import Array, Direction, Metric, option
from nlgauge.metrics.explanation import Explanation, Figure, ordinal_reference
from nlgauge.metrics.matching import compared, covered, ngrams, segment_words
from nlgauge.text import tokenizers


@dataclass(frozen=True)
class Per(Metric):
    """Errors per reference word when the order of words does not count; 0 is best.

    >>> Per().corpus(["the cat the mat"], [["on the mat the cat sat"]])
    0.3333333333333333
    """

    tok: str = option("none", "tokeniser", check=tokenizers.check)
    lower: bool = option(False, "lower-case the texts first")

    name: ClassVar[str] = "per"
    direction: ClassVar[Direction] = "lower"
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    cite: ClassVar[str] = (
        "Tillmann, Vogel, Ney, Zubiaga and Sawaf (1997), Accelerated DP based search for statistical translation. "
        "Eurospeech."
    )
    reference: ClassVar[str] = "the paper's definition; Moses's PerScorer prints 1 − PER"
    columns: ClassVar[tuple[str, ...]] = ("errors", "reference_length")

    def rows(self, batch: Batch) -> Array:
        """Errors against the reference with the lowest rate, and its length."""
        return active().per_rows(batch.tokens(self.tok, lower=self.lower), batch.jobs)

    def explained(self, batch: Batch) -> Explanation:
        """Which words find a partner, whatever their place."""
        words, references = segment_words(batch, self.tok, lower=self.lower)
        rates = [position_independent_errors(words, r) / max(len(r), 1) for r in references]
        best = rates.index(min(rates))
        reference = references[best]
        part = compared(f"words, {ordinal_reference(best, len(references))}", ngrams(words, 1), ngrams(reference, 1))
        longest = max(part.hypothesis, part.reference)
        errors = longest - part.matched
        figures = [
            Figure("errors", errors, f"{longest} words of the longer text less {part.matched} in common"),
            Figure("reference length", part.reference, "words"),
        ]
        row = [errors, part.reference]
        return Explanation.of(
            self, batch, row, figures=figures, parts=[covered(words, [part]), part], counted=(best + 1,)
        )

    def score(self, totals: Array) -> Array:
        """Errors per reference word; where there is none, the errors themselves."""
        rate: Array = totals[..., 0] / np.maximum(totals[..., 1], 1)
        return rate
