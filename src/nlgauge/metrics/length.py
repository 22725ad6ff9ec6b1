"""How long outputs are: a baseline, not a measure of quality."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, Metric, option
from nlgauge.text import tokenizers


@dataclass(frozen=True)
class Length(Metric):
    """The mean length of the outputs, in words or characters: a baseline that any metric should beat.

    A metric that follows people no better than the length of the outputs does may measure little else.

    >>> Length().corpus(["one two", "three"])
    1.5
    """

    unit: str = option("words", "what is counted", choices=("words", "characters"))
    tok: str = option("13a", "tokeniser of the words", check=tokenizers.check)

    name = "length"
    bounds = (0.0, float("inf"))
    needs: ClassVar[tuple[str, ...]] = ("outputs",)
    cite = "No paper: a count."
    reference = "this definition"
    places: ClassVar[int] = 2
    columns: ClassVar[tuple[str, ...]] = ("length", "count")

    def remarks(self) -> list[str]:
        return [f"{self} is a baseline, no measure of quality: longer is not better"]

    def rows(self, batch: Batch) -> Array:
        split = tokenizers.tokenizer(self.tok) if self.unit == "words" else str
        lengths = [len(split(text)) for text in batch.hypotheses]
        return np.array([(length, 1) for length in lengths], dtype=np.float64).reshape(-1, 2)

    def score(self, totals: Array) -> Array:
        mean: Array = totals[..., 0] / np.maximum(totals[..., 1], 1)
        return mean
