"""Time: log seconds by the linear mixed model with judges and items, and right answers per minute.

Times are skewed, so their logarithms are modelled; what is told are geometric means and ratios of them. The time is the
whole time that a text was on screen, questions included, as the server saw it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge.jsonable import Jsonable
from nlgauge.study.protocols.ratings.analysis.models import Models, SystemMean, fit
from nlgauge.study.protocols.ratings.analysis.rows import Column, Criterion
from nlgauge.study.protocols.task.analysis.rows import Answers
from nlgauge.study.protocols.task.analysis.success import Ratio, ratios

LOG = Criterion(
    id="time",
    name="time",
    low=0.0,
    high=math.log(3600.0),
    points=0,
    reverse=False,
    question="log seconds for a text",
    ends=(-math.inf, math.inf),
)


@dataclass(frozen=True)
class Pace(Jsonable):
    """The times of a panel."""

    KEYS = "panel, systems, pairs, log_seconds = models, right_per_minute = efficiency"

    panel: str
    models: Models  # of log seconds
    efficiency: tuple[Ratio, ...]  # right answers per minute

    @property
    def fastest(self) -> list[SystemMean]:
        """The systems, the fastest first."""
        return sorted(self.models.means, key=lambda one: one.mean)

    @property
    def systems(self) -> list[dict[str, Any]]:
        """Geometric means in seconds."""
        return [
            {
                "system": mean.system,
                "n": mean.n,
                "seconds": math.exp(mean.mean),
                "low": math.exp(mean.low),
                "high": math.exp(mean.high),
            }
            for mean in self.fastest
        ]

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """Differences as ratios."""
        return [
            {
                "pair": pair.name,
                "ratio": math.exp(pair.estimate),
                "low": math.exp(pair.low),
                "high": math.exp(pair.high),
                "p": pair.p,
                "p_adjusted": pair.p_adjusted,
            }
            for pair in self.models.pairs
        ]


def pace(answers: Answers, panel: str, *, seed: int) -> Pace:
    """The times of a panel's texts, and how many right answers each minute gave."""
    own, seconds = answers.rated.of(panel), answers.seconds(panel)
    places = [answers.rated.subject[judgement.texts[0]] for judgement in own]
    systems, judges = tuple(system for _, system in places), tuple(judgement.judge for judgement in own)
    column = Column(
        criterion=LOG,
        panel=panel,
        values=np.log(seconds),
        systems=systems,
        items=tuple(item for item, _ in places),
        judges=judges,
    )
    right: dict[str, float] = {}
    for row in answers.of(panel):
        right[row.judgement] = right.get(row.judgement, 0.0) + row.right
    found = ratios([right[judgement.id] for judgement in own], (seconds / 60).tolist(), systems, judges, seed=seed)
    return Pace(panel, fit(column), tuple(sorted(found, key=lambda one: -one.estimate)))
