"""Limits of strengths that hold for other judges and other items.

`crossed` takes the variance from what each judge said of each item (a sandwich) and multiplies it by what the linear
mixed model of scores finds that judges and items who favour systems add to it (`scores`), with that model's degrees of
freedom.

`two_way` needs no such model: Cameron, Gelbach and Miller (2011): the variance clustered by judge, plus that by item,
less that by judge and item together. With a few dozen judges and items this estimate is noisy and can fall below what
answers that know nothing of each other would have, so that each variance is the largest of it and its three parts,
which errs to the wide side. Limits and tests use Student's t with one degree of freedom less than the smaller number
of clusters; a side with a single cluster says nothing about others of its kind and is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nlgauge.arrays import Array, Ints
from nlgauge.stats.mixed.results import t_quantile
from nlgauge.stats.skill.scores import Scores

Sandwich = Callable[[Ints], Array]


@dataclass(frozen=True)
class Clustered:
    """Covariances of strengths that sum to 0, the degrees of freedom of tests, and how they were found.

    A variance is the largest that one of them gives, widened as `scores` say, whose degrees of freedom then count.
    """

    covariances: tuple[Array, ...]
    least: float  # degrees of freedom
    method: str
    scores: Scores | None = None

    def error(self, i: int, j: int | None = None) -> float:
        """The standard error of a strength, or of a difference of two."""
        found = max(float(c[i, i] if j is None else c[i, i] + c[j, j] - 2 * c[i, j]) for c in self.covariances)
        wide = 1.0 if self.scores is None else self.scores.widening(self._contrast(i, j))
        return math.sqrt(max(wide * found, 0.0))

    def df(self, i: int, j: int | None = None) -> float:
        """The degrees of freedom of the same."""
        return self.least if self.scores is None else self.scores.df(self._contrast(i, j))

    def margin(self, level: float, i: int, j: int | None = None) -> float:
        """How far limits of this level are away."""
        return t_quantile((1 + level) / 2, self.df(i, j)) * self.error(i, j)

    def _contrast(self, i: int, j: int | None) -> Array:
        size = len(self.covariances[0])
        found = np.eye(size)[i]
        return np.asarray(found - (1 / size if j is None else np.eye(size)[j]))


def crossed(sandwich: Sandwich, scores: Scores, players: int, judge: Ints, item: Ints) -> Clustered:
    """The limits of the first `players` parameters, by the linear mixed model of scores."""
    both = sandwich(judge * (int(item.max()) + 1) + item)[:players, :players]
    counts = {name: len(np.unique(code)) for name, code in (("judges", judge), ("items", item))}
    words = " and ".join(f"{number:,} {name}" for name, number in counts.items() if number > 1)
    method = f"limits from a sandwich widened by the mixed model of scores over {words}, Satterthwaite's t"
    return Clustered((both,), math.nan, method, scores)


def two_way(sandwich: Sandwich, information: Array, players: int, judge: Ints, item: Ints) -> Clustered:
    """The limits of the first `players` parameters; by the information where there is one judge and one item."""
    codes = {name: code for name, code in (("judge", judge), ("item", item)) if len(np.unique(code)) > 1}
    if not codes:
        cut = np.asarray(information[:players, :players])
        return Clustered((cut,), math.inf, "limits from the information: one judge, one item")
    counts = {name: len(np.unique(code)) for name, code in codes.items()}
    found = [sandwich(code)[:players, :players] for code in codes.values()]
    if len(found) == 2:
        both = sandwich(judge * (int(item.max()) + 1) + item)[:players, :players]
        found += [both, found[0] + found[1] - both]
    words = " and ".join(f"{number:,} {name}s" for name, number in counts.items())
    method = f"limits from the sandwich over {words}, Student's t"
    return Clustered(tuple(found), float(min(counts.values()) - 1), method)
