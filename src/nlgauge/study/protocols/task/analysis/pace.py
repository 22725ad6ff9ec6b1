"""Time: log seconds by the linear mixed model with judges and items, and right answers per minute.

Times are skewed, so their logarithms are modelled; what is told are geometric means and ratios of them. The time is the
whole time that a text was on screen, questions included, as the server saw it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge.jsonable import Jsonable, rows
from nlgauge.study.protocols.ratings.analysis.models import Models, SystemMean, fit
from nlgauge.study.protocols.ratings.analysis.rows import Column, Criterion
from nlgauge.study.protocols.task.analysis.rows import Answers
from nlgauge.study.protocols.task.analysis.success import Ratio, ratios

ENDS = (-math.inf, math.inf)
LOG = Criterion("time", "time", 0.0, math.log(3600.0), 0, reverse=False, question="log seconds for a text", ends=ENDS)


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
        found = ((mean.system, mean.n, *map(math.exp, (mean.mean, mean.low, mean.high))) for mean in self.fastest)
        return rows(found, "system n seconds low high")

    @property
    def pairs(self) -> list[dict[str, Any]]:
        """Differences as ratios."""
        found = (
            (pair.name, *map(math.exp, (pair.estimate, pair.low, pair.high)), pair.p, pair.p_adjusted)
            for pair in self.models.pairs
        )
        return rows(found, "pair ratio low high p p_adjusted")


def pace(answers: Answers, panel: str, *, seed: int) -> Pace:
    """The times of a panel's texts, and how many right answers each minute gave."""
    own, seconds = answers.rated.of(panel), answers.seconds(panel)
    places = [answers.rated.subject[judgement.texts[0]] for judgement in own]
    items, systems = tuple(item for item, _ in places), tuple(system for _, system in places)
    judges = tuple(judgement.judge for judgement in own)
    column = Column(LOG, panel, np.log(seconds), systems, items, judges)
    right: dict[str, float] = defaultdict(float)
    for row in answers.of(panel):
        right[row.judgement] += row.right
    found = ratios([right[judgement.id] for judgement in own], (seconds / 60).tolist(), systems, judges, seed=seed)
    return Pace(panel, fit(column), tuple(sorted(found, key=lambda one: -one.estimate)))
