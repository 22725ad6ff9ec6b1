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
    of: str = option("output", "whose length; references count with their mean", choices=("output", "reference"))

    name = "length"
    bounds = (0.0, float("inf"))
    needs: ClassVar[tuple[str, ...]] = ("outputs",)
    cite = "No paper: a count."
    reference = "this definition"
    places: ClassVar[int] = 2
    columns: ClassVar[tuple[str, ...]] = ("length", "count")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.of == "reference":
            object.__setattr__(self, "needs", ("references",))

    def remarks(self) -> list[str]:
        return [f"{self} is a baseline, no measure of quality: longer is not better"]

    def rows(self, batch: Batch) -> Array:
        split = tokenizers.tokenizer(self.tok) if self.unit == "words" else str
        if self.of == "output":
            lengths: list[float] = [len(split(text)) for text in batch.hypotheses]
        else:
            lengths = [sum(len(split(text)) for text in texts) / len(texts) for texts in batch.references]
        return np.array([(length, 1) for length in lengths], dtype=np.float64).reshape(-1, 2)

    def score(self, totals: Array) -> Array:
        mean: Array = totals[..., 0] / np.maximum(totals[..., 1], 1)
        return mean
