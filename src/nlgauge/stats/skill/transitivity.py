"""Circular triads (Kendall and Babington Smith 1940): a preferred to b, b to c, and c to a.

Whoever tosses a coin is circular in one triad of four; a judge with one scale in mind never is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from nlgauge.arrays import Array
from nlgauge.jsonable import Jsonable
from nlgauge.stats.discrimination.binomial import at_most

CHANCE = 0.25


@dataclass(frozen=True)
class Triads(Jsonable):
    """How many of the triads that were judged in full, without ties, are circular."""

    KEYS = "..., p"

    circular: int
    complete: int

    @property
    def p(self) -> float:
        """The chance that coins give as few; triads are taken as independent."""
        return float(at_most(self.circular, self.complete, CHANCE)) if self.complete else float("nan")

    def __add__(self, other: Triads) -> Triads:
        return Triads(self.circular + other.circular, self.complete + other.complete)

    def __str__(self) -> str:
        if not self.complete:
            return "no triad was judged in full"
        return f"{self.circular:,} of {self.complete:,} triads are circular (coins: 25 %)"


def triads(preferred: Iterable[tuple[str, str]]) -> Triads:
    """The triads of one judge and item: pairs (better, worse), each pair once; a pair told both ways is none."""
    wins = set(preferred)
    clear = {pair for pair in wins if pair[::-1] not in wins}
    names = sorted({name for pair in clear for name in pair})
    found = Triads(0, 0)
    for three in combinations(names, 3):
        won = [sum((player, other) in clear for other in three) for player in three]
        if sum(won) == 3:
            found += Triads(int(won == [1, 1, 1]), 1)
    return found


def majority_triads(points: Array) -> Triads:
    """The triads of systems by who won more than half of the points against whom (NaN where two never met)."""
    n = len(points)
    names = [str(k) for k in range(n)]
    return triads((names[i], names[j]) for i in range(n) for j in range(n) if np.nan_to_num(points[i, j], nan=0) > 0.5)
