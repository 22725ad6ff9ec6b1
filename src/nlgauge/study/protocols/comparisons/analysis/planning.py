"""The next study: how many answers tell two systems apart, from this one's standard errors.

The error of a difference shrinks with the square root of the number of answers as long as judges and items are added
in the same proportions. Planning for the difference that was seen repeats its luck, so that a difference fixed
beforehand, six preferences in ten, stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from nlgauge.jsonable import Jsonable
from nlgauge.study.protocols.comparisons.analysis.rows import Column
from nlgauge.study.protocols.comparisons.analysis.strengths import Models

POWER, ALPHA = 0.8, 0.05
SIX_IN_TEN = math.log(0.6 / 0.4)
MOST = 100_000  # answers beyond which a number means nothing


@dataclass(frozen=True)
class NextStudy(Jsonable):
    """Answers of a study like this that find a difference with power 0.8, two-sided at 0.05 without correction."""

    KEYS = (
        "power, answers, judges, least_difference = least, answers_for_six_in_ten = six_in_ten, "
        "answers_for_neighbours = neighbours"
    )

    answers: int  # of this study, by so many judges
    judges: int
    least: float  # the difference that this study finds so
    six_in_ten: int  # answers that find it for the pair with the widest limits
    neighbours: Mapping[str, int | None]  # pairs not told apart: answers at the difference seen; None: beyond MOST
    power: float = POWER


def next_study(column: Column, models: Models) -> NextStudy | None:
    """None where there is nothing to plan from: no limits that hold for other judges."""
    if not models.pairs or models.clustered is None or math.isinf(models.clustered.least):
        return None
    from scipy.special import ndtri

    factor = float(ndtri(1 - ALPHA / 2) + ndtri(POWER))
    widest = max(effect.error for effect in models.pairs)
    order = [system_strength.system for system_strength in models.means]
    near = {f"{a} - {b}" for a, b in pairwise(order)}

    def needed(gap: float, error: float) -> int | None:
        number = len(column) * (factor * error / gap) ** 2 if gap else math.inf
        return math.ceil(number) if number <= MOST else None

    open_ = {
        effect.name: needed(effect.estimate, effect.error)
        for effect in models.pairs
        if effect.name in near and effect.p_adjusted >= ALPHA
    }
    enough = needed(SIX_IN_TEN, widest)
    if enough is None:
        return None
    return NextStudy(len(column), len(column.judges), factor * widest, enough, open_)
