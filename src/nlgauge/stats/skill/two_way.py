"""Limits of strengths that hold for other judges and other items: sandwiches over both, added up.

Cameron, Gelbach and Miller (2011): the covariance clustered by judge, plus that by item, less that by judge and item
together. Where the difference is not positive definite (few clusters) nothing is taken off, which errs to the wide
side. Limits and tests use Student's t with one degree of freedom less than the smaller number of clusters; a side with
a single cluster says nothing about others of its kind and is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nlgauge.stats.skill.games import Array, Ints

Sandwich = Callable[[Ints], Array]
FLAT = 1e-9  # an eigenvalue below this share of the largest is none


@dataclass(frozen=True)
class Clustered:
    """A covariance of strengths that sum to 0, the degrees of freedom of its tests, and how it was found."""

    covariance: Array
    df: float
    method: str

    def error(self, i: int, j: int | None = None) -> float:
        """The standard error of a strength, or of a difference of two."""
        c = self.covariance
        found = c[i, i] if j is None else c[i, i] + c[j, j] - 2 * c[i, j]
        return math.sqrt(max(float(found), 0.0))

    def quantile(self, level: float) -> float:
        """How many standard errors limits of this level are away."""
        from scipy.special import ndtri, stdtrit

        tail = (1 + level) / 2
        return float(ndtri(tail) if math.isinf(self.df) else stdtrit(self.df, tail))


def two_way(sandwich: Sandwich, information: Array, players: int, judge: Ints, item: Ints) -> Clustered:
    """The covariance of the first `players` parameters; by the information where there is one judge and one item."""
    counts = {name: len(np.unique(code)) for name, code in (("judge", judge), ("item", item))}
    usable = {name: number for name, number in counts.items() if number > 1}
    if not usable:
        cut = np.asarray(information[:players, :players])
        return Clustered(cut, math.inf, "limits from the information: one judge, one item")
    found = [
        sandwich(code)[:players, :players]
        for name, code in (("judge", judge), ("item", item))
        if name in usable
    ]
    words = " and ".join(f"{number:,} {name}s" for name, number in usable.items())
    covariance = np.asarray(sum(found))
    if len(found) == 2:
        both = sandwich(judge * (int(item.max()) + 1) + item)[:players, :players]
        narrower = covariance - both
        if _definite(narrower):
            covariance = narrower
        else:
            words += ", not corrected for what both share"
    method = f"limits from the sandwich over {words}, Student's t"
    return Clustered(covariance, float(min(usable.values()) - 1), method)


def _definite(covariance: Array) -> bool:
    """Whether every difference of strengths has a positive variance; the sum of all has none."""
    values = np.linalg.eigvalsh((covariance + covariance.T) / 2)
    return bool(
        np.count_nonzero(values > FLAT * values[-1]) >= len(values) - 1 and values[0] > -FLAT * values[-1]
    )
