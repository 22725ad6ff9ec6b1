"""What `metric.corpus` and `metric.segments` give: numbers as any others, which also know how they were made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypedDict

import numpy as np

from nlgauge.jsonable import Jsonable
from nlgauge.receipt import receipts
from nlgauge.types import UNNAMED, EvaluationSet

if TYPE_CHECKING:
    from nlgauge.metrics.base import Metric


class Beside(TypedDict, total=False):
    """What a metric may be given beside hypotheses and references, an entry for each segment; and threads."""

    sources: Sequence[Any] | None
    reference_weights: Sequence[Sequence[float]] | None
    jobs: int


@dataclass(frozen=True)
class Made:
    """A metric and the lists it scored."""

    metric: Metric
    hypotheses: Sequence[str]
    references: Sequence[Sequence[str]]
    given: Mapping[str, Any]  # sources, reference_weights

    @cached_property
    def receipt(self) -> str:
        """That of `nlgauge.score` on the same lists."""
        lists = {name: self.given.get(name) for name in ("sources", "reference_weights")}
        data = EvaluationSet.of({UNNAMED: self.hypotheses}, self.references, **lists)
        return receipts([self.metric], data.summary, data.digests, [len(self.hypotheses)], {})[str(self.metric)]


class CorpusScore(Jsonable, float):
    """A corpus score: a float with `metric`, `n` and `receipt`.

    >>> from nlgauge.metrics.bleu import Bleu
    >>> score = Bleu().corpus(["the cat sat on the mat"], [["the cat sat on a mat"]])
    >>> round(score, 1), score.n, score.receipt.split("|")[2:4]
    (53.7, 1, ['n=1', 'systems=1'])
    """

    KEYS = "metric, value, n, receipt"

    made: Made

    def __new__(cls, value: float, made: Made) -> Self:
        score = super().__new__(cls, value)
        score.made = made
        return score

    def __getnewargs__(self) -> tuple[float, Made]:  # type: ignore[override]  # what `__new__` takes
        return float(self), self.made

    @property
    def metric(self) -> str:
        """The spec."""
        return str(self.made.metric)

    @property
    def n(self) -> int:
        """How many segments there are."""
        return len(self.made.hypotheses)

    @property
    def receipt(self) -> str:
        """The line that says how the number was made."""
        return self.made.receipt

    @property
    def value(self) -> float:
        """The plain number."""
        return float(self)


class SegmentScores(Jsonable, np.ndarray[Any, np.dtype[np.float64]]):
    """Scores of segments: an array with `metric` and `receipt`; what is computed from it is a plain array."""

    KEYS = "metric, values, n = size, receipt"

    made: Made | None = None

    @classmethod
    def of(cls, values: np.ndarray[Any, np.dtype[np.float64]], made: Made) -> Self:
        """These scores."""
        scores = np.asarray(values, dtype=np.float64).view(cls)
        scores.made = made
        return scores

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if return_scalar else np.asarray(array)

    def __getitem__(self, key: Any) -> Any:
        return np.asarray(self)[key]

    @property
    def metric(self) -> str:
        """The spec."""
        return str(self._known.metric)

    @property
    def receipt(self) -> str:
        """The line that says how the numbers were made."""
        return self._known.receipt

    @property
    def _known(self) -> Made:
        if self.made is None:
            raise AttributeError("a part or copy of segment scores has no receipt; ask the scores it was taken from")
        return self.made

    @property
    def values(self) -> list[float]:
        """The plain numbers."""
        return list(map(float, self))
