"""TER, the translation edit rate (Snover et al. 2006), as sacreBLEU 2.6 computes it after tercom 7.25.

Edits are insertions, deletions, substitutions of words and shifts of runs of words; TER = 100 · edits /
reference length, the fewest edits over the references by their mean length. The shift search is greedy, in
a beam of 25, over runs of at most 10 words moved by at most 50, and gives up after 1,000 tries. An empty
reference scores 100 unless the hypothesis is empty too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, Direction, Metric, option


@dataclass(frozen=True)
class Ter(Metric):
    """Translation edit rate: edits and shifts per hundred reference words; can pass 100."""

    lower: bool = option(True, "ignore case")
    norm: bool = option(False, "tercom's normalisation: XML entities, punctuation split off")
    nopunct: bool = option(False, "remove punctuation")
    asian: bool = option(
        False, "with norm, split CJK text into characters; with nopunct, remove CJK punctuation"
    )

    name: ClassVar[str] = "ter"
    direction: ClassVar[Direction] = "lower"
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    cite: ClassVar[str] = (
        "Snover, Dorr, Schwartz, Micciulla and Makhoul (2006), A study of translation edit rate with targeted human "
        "annotation. AMTA."
    )
    reference: ClassVar[str] = "sacreBLEU 2.6"

    @property
    def places(self) -> int:
        return 2  # edits per hundred words, although the scale has no end

    @property
    def columns(self) -> tuple[str, ...]:
        """What sacreBLEU sums over a corpus."""
        return ("edits", "reference_length")

    @property
    def tokenizer(self) -> str:
        """The name of tercom's tokeniser with these options."""
        options = [name for name in ("norm", "nopunct", "asian") if getattr(self, name)]
        return "tercom:" + "+".join(options) if options else "tercom"

    def rows(self, batch: Batch) -> Array:
        """The fewest edits and the mean reference length."""
        if self.norm:
            batch = self._normalised_twice(batch)
        return active().ter_rows(batch.tokens(self.tokenizer, lower=self.lower), batch.jobs)

    def _normalised_twice(self, batch: Batch) -> Batch:
        """The batch with references that have been through the tokeniser once already.

        sacreBLEU sends references through it twice and hypotheses once. Only normalisation can split further the
        second time (`,.5` becomes `, .5`, then `, . 5`), so that even a copy of the reference may have edits.
        """
        tokenize = active().tokenize
        once = [
            [" ".join(tokenize(text, self.tokenizer, self.lower, "none")) for text in texts]
            for texts in batch.references
        ]
        return Batch(batch.hypotheses, once, jobs=batch.jobs)

    def score(self, totals: Array) -> Array:
        """100 · edits / length; without reference words 100, or 0 where nothing was written either."""
        edits, length = totals[..., 0], totals[..., 1]
        empty = np.where(edits > 0, 1.0, 0.0)
        return 100.0 * np.divide(edits, length, out=empty, where=length > 0)
