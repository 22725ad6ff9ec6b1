"""Success corrected for guessing, and how sure judges were where they were right.

Formula scoring (Thurstone 1919): a right answer counts 1, a wrong one to a choice of k options -1/(k - 1), so that
guessing counts 0 on average. Limits are of a bootstrap that draws judges with all their answers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge.arrays import Array
from nlgauge.jsonable import Jsonable
from nlgauge.study.protocols.task.analysis.rows import CONFIDENCE, WHOLE, Answers, Row

DRAWS = 2_000
LEVEL = 0.95


@dataclass(frozen=True)
class Ratio(Jsonable):
    """A sum over another, with limits: the mean score, or right answers per minute."""

    system: str
    estimate: float
    low: float
    high: float
    level: float
    method: str
    n: int


@dataclass(frozen=True)
class Corrected(Jsonable):
    """Mean formula scores of a panel."""

    KEYS = "panel, method, systems"

    panel: str
    systems: tuple[Ratio, ...]

    @property
    def method(self) -> str:
        """How guessing is corrected for."""
        return "formula scoring"


def corrected(answers: Answers, panel: str, *, seed: int) -> Corrected:
    """Mean formula scores by system, from best to worst."""
    rows = answers.of(panel)
    scores = [formula(row) for row in rows]
    found = ratios(scores, [1.0] * len(rows), [row.system for row in rows], [row.judge for row in rows], seed=seed)
    return Corrected(panel, tuple(sorted(found, key=lambda one: -one.estimate)))


def formula(row: Row) -> float:
    """The score of an answer; of k options a wrong choice counts -1/(k - 1).

    >>> formula(Row("", "", "", "", "", "", False, 0.25))
    -0.3333333333333333
    """
    return 1.0 if row.right else -row.chance / (1 - row.chance)


def ratios(
    above: Sequence[float], below: Sequence[float], systems: Sequence[str], judges: Sequence[str], *, seed: int
) -> list[Ratio]:
    """Sums of `above` over sums of `below` by system, judges drawn with all they answered."""
    who = {name: place for place, name in enumerate(dict.fromkeys(judges))}
    which = {name: place for place, name in enumerate(dict.fromkeys(systems))}
    totals = np.zeros((2, len(who), len(which)))
    for up, down, system, judge in zip(above, below, systems, judges, strict=True):
        totals[0, who[judge], which[system]] += up
        totals[1, who[judge], which[system]] += down
    drawn = np.random.default_rng(seed).multinomial(len(who), [1 / len(who)] * len(who), size=DRAWS)
    with np.errstate(invalid="ignore", divide="ignore"):
        spread: Array = (drawn @ totals[0]) / (drawn @ totals[1])
        whole: Array = totals[0].sum(axis=0) / totals[1].sum(axis=0)
    tails = [100 * (1 - LEVEL) / 2, 100 * (1 + LEVEL) / 2]
    method = f"bootstrap over judges, {DRAWS:,} draws"
    counts, found = Counter(systems), []
    for name, place in which.items():
        finite = spread[np.isfinite(spread[:, place]), place]
        low, high = np.percentile(finite, tails).tolist() if len(who) > 1 and len(finite) else (math.nan, math.nan)
        found.append(Ratio(name, float(whole[place]), low, high, LEVEL, method, n=counts[name]))
    return found


def sureness(answers: Answers) -> Mapping[str, Any]:
    """How sure judges were of texts with every answer right, and of the others; nothing where they were not asked."""
    given = [judgement.answer for judgement in answers.rated.counted if CONFIDENCE in judgement.answer]
    means = {}
    for name, whole in (("right", True), ("wrong", False)):
        sure = [float(answer[CONFIDENCE]) for answer in given if (answer[WHOLE] == 1) is whole]
        means[name] = float(np.mean(sure)) if sure else None
    return {**means, "n": len(given)} if given else {}
