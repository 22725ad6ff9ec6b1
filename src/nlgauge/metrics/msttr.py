"""Mean segmental type-token ratio (Johnson 1944), as in GEM-metrics: the type-token ratio of windows of equal length.

The outputs are joined in the order of the data and cut into windows of, say, 100 words; a last piece that is shorter
is left out. Unlike the plain ratio, the mean over windows does not fall as a set grows. It depends a little on the
order of the items, which is the same for all systems.

Leaving an output out would shift every window after it and change the score by chance. Intervals therefore keep the
windows and leave out those that end in the output. Tests swap outputs and cut anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.arrays import Bools, Ints
from nlgauge.kernels.pool import Pool
from nlgauge.metrics.base import Array, option
from nlgauge.metrics.sets import SetMetric, SetScorer
from nlgauge.stats.sets import Codes


@dataclass(frozen=True)
class Msttr(SetMetric):
    """The mean type-token ratio of windows of equal length, cut from all outputs joined; does not fall with size.

    Windows run on from one output to the next, so that single outputs have no score.

    >>> Msttr(window=2).corpus(["a b", "b", "b c"])
    0.75
    """

    window: int = option(100, "words in a window", low=2, high=1_000_000)

    name: ClassVar[str] = "msttr"
    cite: ClassVar[str] = (
        "Johnson (1944), Studies in language behavior: a program of research. Psychological Monographs."
    )
    reference: ClassVar[str] = "GEM-metrics (msttr-100; it lower-cases)"
    at: ClassVar[str | None] = "window"
    per_segment = ""
    undefined = "the outputs together are shorter than one window; choose a smaller one, such as msttr@20"

    def scorer(self, texts: Pool, known: Pool | None = None) -> SetScorer:
        return _MsttrScorer(texts, self.window)


class _MsttrScorer(SetScorer):
    def __init__(self, texts: Pool, window: int) -> None:
        super().__init__(len(texts))
        self._texts, self._window = texts, window
        self._homes = np.repeat(np.arange(len(texts)), texts.lengths)

    def scores(self, chosen: Bools) -> Array:
        values = [_ratios(self._texts.words[row[self._homes]], self._window) for row in chosen]
        return np.array([ratios.mean() if len(ratios) else np.nan for ratios in values])

    def left_out(self, codes: Codes, groups: int) -> Array:
        """Without the windows that end in each group's texts; the cuts stay where they are."""
        ratios = _ratios(self._texts.words, self._window)
        ends = self._homes[self._window - 1 :: self._window]
        sums = np.bincount(codes[ends], weights=ratios, minlength=groups)
        numbers = np.bincount(codes[ends], minlength=groups)
        with np.errstate(invalid="ignore", divide="ignore"):
            left: Array = (ratios.sum() - sums) / (len(ratios) - numbers)
        return left


def _ratios(words: Ints, window: int) -> Array:
    """The type-token ratio of each full window."""
    number = len(words) // window
    rows = np.sort(words[: number * window].reshape(number, window), axis=1)
    found: Array = (1 + np.count_nonzero(np.diff(rows, axis=1), axis=1)) / window
    return found
