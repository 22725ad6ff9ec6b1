"""The ranking that magnitudes imply: of two texts on a screen the one with the larger number wins, equal numbers are a
tie. Bradley and Terry's model with Davidson's ties gives strengths with limits, TrueSkill (Herbrich, Minka and Graepel
2006), by which Novikova, Dušek and Rieser (2018) rank systems, stands beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats.correlation import correlate
from nlgauge.stats.skill import Games, Ratings, TrueSkill, rate_bradley_terry, rate_sequential

SAME = 1e-12  # logarithms nearer than this are of the same number


@dataclass(frozen=True)
class Screen:
    """What one judge gave for several outputs of one input, larger is better."""

    item: str
    judge: str
    values: list[tuple[str, float]]  # system, value


@dataclass(frozen=True)
class Implied(Jsonable):
    """The ranking of systems that the numbers imply, or why there is none."""

    KEYS = (
        "where, model = ratings.model, interval = ratings.interval, systems = ratings.ratings, "
        "trueskill = trueskill.ratings or null, tau_with_magnitudes = tau"
    )

    where: str
    ratings: Ratings | None
    trueskill: Ratings | None
    tau: float  # Kendall's, of the strengths and the means of magnitudes
    reason: str = ""


@dataclass(frozen=True)
class Rankings(Jsonable):
    """Of every criterion of every panel."""

    KEYS = "implied_rankings"

    rankings: tuple[Implied, ...]

    @property
    def implied_rankings(self) -> list[Implied]:
        """Those that ratings can be held against."""
        return [ranking for ranking in self.rankings if ranking.ratings is not None]


def implied(screens: Sequence[Screen], means: Mapping[str, float], *, where: str, seed: int) -> Implied:
    """Rank systems by the pairs of every screen; `means` are those of the magnitudes."""
    met = [
        (one, other, "tie" if abs(high - low) < SAME else "a" if high > low else "b", screen.item, screen.judge)
        for screen in screens
        for (one, high), (other, low) in combinations(screen.values, 2)
    ]
    try:
        a, b, outcome, items, judges = ([game[column] for game in met] for column in range(5))
        games = Games.of(a, b, outcome, item=items, judge=judges)
        ratings = rate_bradley_terry(games)
    except InputError as error:
        return Implied(where=where, ratings=None, trueskill=None, tau=math.nan, reason=str(error))
    skill = rate_sequential(games, TrueSkill(), "trueskill", shuffle=True, seed=seed, allow_parts=True)
    strength = {rating.player: rating.rating for rating in ratings.ratings}
    both = [name for name in means if name in strength]
    tau = math.nan
    if len(both) > 1:
        tau = correlate([means[name] for name in both], [strength[name] for name in both], statistic="kendall").estimate
    return Implied(where, ratings, skill, tau)
