"""How long conversations were, by system, and whether longer ones were rated otherwise.

Lengths come about in the conversation, as the ratings do: they are described and correlated with the ratings, within
systems, but no mean is corrected by them, because a correction would take away part of what a system does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge.jsonable import Jsonable
from nlgauge.stats.correlation import correlate
from nlgauge.stats.correlation.bootstrap import fisher_interval
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.chat.file import ChatStudy
from nlgauge.study.protocols.chat.protocol import COUNTS, counts_of
from nlgauge.study.protocols.ratings.analysis.results import RatingResult
from nlgauge.study.protocols.ratings.analysis.rows import Criterion

FEWEST = 5  # conversations for limits of a correlation
TINY = 1e-9  # a range that is none
MEASURES = ("replies", "judge_words", "system_words", "failures", "seconds")


@dataclass(frozen=True)
class Lengths(Jsonable):
    """One system's conversations: the mean of each measure."""

    KEYS = "system, n, *means"

    system: str
    n: int
    means: Mapping[str, float]


@dataclass(frozen=True)
class Going(Jsonable):
    """How a measure goes together with a criterion, within systems: Pearson's correlation of what is left of both."""

    criterion: str
    measure: str
    n: int
    estimate: float  # NaN where there is none
    low: float
    high: float


@dataclass(frozen=True)
class Covariates(Jsonable):
    """Everything about the conversations as such."""

    KEYS = "conversations"

    lengths: tuple[Lengths, ...]
    goings: tuple[Going, ...]

    @property
    def conversations(self) -> dict[str, Any]:
        """Lengths of each system's, and how they go with ratings."""
        return {"systems": self.lengths, "with_ratings": self.goings}


def covariates(frozen: Frozen, study: ChatStudy, result: RatingResult, counted: Sequence[Judgement]) -> Covariates:
    """Of the conversations that count."""
    panels = {rating.panel for rating in result.ratings}
    rows = [judgement for judgement in counted if judgement.panel in panels and not judgement.answer.get("broken")]
    systems = [study.authors[frozen.text[row.texts[0]].subject] or frozen.text[row.texts[0]].subject for row in rows]
    counts = [counts_of(row, study) | {"seconds": row.seconds} for row in rows]
    values = {name: np.array([row[name] for row in counts], dtype=np.float64) for name in MEASURES}
    who = np.array(systems, dtype=object)
    lengths = tuple(
        Lengths(name, int((who == name).sum()), {key: float(v[who == name].mean()) for key, v in values.items()})
        for name in dict.fromkeys(systems)
    )
    asked = dict.fromkeys(rating.criterion for rating in result.ratings)
    goings = [
        _going(criterion, name, rows, values[name], who) for criterion in asked for name in (*COUNTS[:3], "seconds")
    ]
    return Covariates(lengths, tuple(goings))


def _going(criterion: Criterion, name: str, rows: Sequence[Judgement], values: Any, who: Any) -> Going:
    ratings = np.array([criterion.score(row.answer["ratings"][criterion.id]) for row in rows])
    left, right = _within(ratings, who), _within(values, who)
    if len(rows) < FEWEST or min(np.ptp(left), np.ptp(right)) < TINY:
        return Going(criterion.label, name, len(rows), math.nan, math.nan, math.nan)
    found = fisher_interval(correlate(left, right, statistic="pearson"))
    return Going(criterion.label, name, len(rows), found.estimate, found.low, found.high)


def _within(values: Any, who: Any) -> Any:
    """Less each system's own mean: a system that is better and shorter must not look like an effect of length."""
    left = np.array(values, dtype=np.float64)
    for name in set(who.tolist()):
        left[who == name] -= left[who == name].mean()
    return left
