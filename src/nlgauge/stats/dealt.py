"""Units that were dealt to conditions at random: do the conditions differ? By permutation of who got which.

The units are those that were dealt (judges, each with one wording of the questions), however many answers each gave.
Under the null hypothesis a unit's numbers do not depend on its condition, so every way of dealing the conditions again,
with as many units in each and within its stratum (panel), was as likely as the one that happened (Fisher 1935; Pitman
1937). All ways are looked at where there are few (`MOST`), else `DRAWS` of them at random beside the observed one.

The interval of a shift is the set of shifts that the same test does not reject (Garthwaite 1996): with fewer than four
units on each side no shift can be rejected at 0.05, and the interval is unbounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from nlgauge.arrays import Array, Ints
from nlgauge.stats.mixed.results import t_quantile

MOST = 20_000  # ways of dealing that are all looked at
DRAWS = 9_999  # else so many of them
ROUNDS = 500  # of sweeping effects out, at most
ENOUGH = 4  # answers to an item from which its effect costs less than it saves (items vary less than answers do)
POWER, ALPHA = 0.8, 0.05
_SLACK = 1e-9


@dataclass(frozen=True)
class Dealings:
    """Ways of dealing the conditions to the units: a row each, the observed one first."""

    codes: Ints
    exact: bool

    @property
    def ways(self) -> int:
        """How many, the observed one included."""
        return len(self.codes)


@dataclass(frozen=True)
class Shift:
    """By how much units of one condition are above those of another, each unit counting once."""

    estimate: float
    low: float
    high: float
    p: float
    detectable: float  # found with power 0.8 at 0.05 by units that vary as these; infinite: too few units
    units: int
    level: float = 0.95


def dealings(codes: Sequence[int], strata: Sequence[Hashable], *, seed: int) -> Dealings:
    """Every way, or a sample of them, to deal the conditions `codes` again within each stratum."""
    observed = np.asarray(codes, dtype=np.int64)
    places = [[place for place, name in enumerate(strata) if name == stratum] for stratum in dict.fromkeys(strata)]
    ways = math.prod(_ways(observed[own]) for own in places)
    if ways <= MOST:
        parts = [list(_arrangements(observed[own].tolist())) for own in places]
        rows = np.empty((ways, len(observed)), dtype=np.int64)
        for row, chosen in enumerate(product(*parts)):
            for own, arranged in zip(places, chosen, strict=True):
                rows[row, own] = arranged
        first = int(np.flatnonzero((rows == observed).all(axis=1))[0])
        rows[[0, first]] = rows[[first, 0]]
        return Dealings(rows, exact=True)
    rows = np.tile(observed, (DRAWS + 1, 1))
    random = np.random.default_rng(seed)
    for own in places:
        rows[1:, own] = random.permuted(rows[1:, own], axis=1)
    return Dealings(rows, exact=False)


def _ways(codes: Ints) -> int:
    counts = np.bincount(codes)
    return math.factorial(len(codes)) // math.prod(math.factorial(int(count)) for count in counts)


def _arrangements(codes: Sequence[int]) -> list[list[int]]:
    """Every order of some codes, each once."""
    found = [[-1] * len(codes)]
    for code in sorted(set(codes)):
        grown = []
        for before in found:
            free = [place for place, given in enumerate(before) if given < 0]
            for chosen in combinations(free, codes.count(code)):
                after = list(before)
                for place in chosen:
                    after[place] = code
                grown.append(after)
        found = grown
    return found


def differ(values: Array, dealt: Dealings, strata: Sequence[Hashable]) -> float:
    """p that the conditions differ in any column of `values` (units × figures): the spread of their means."""
    centred = values.copy()
    for stratum in set(strata):
        own = [place for place, name in enumerate(strata) if name == stratum]
        centred[own] -= centred[own].mean(axis=0)
    spread = np.zeros(len(dealt.codes))
    for code in np.unique(dealt.codes[0]):
        member = (dealt.codes == code).astype(np.float64)
        spread += ((member @ centred) ** 2).sum(axis=1) / member[0].sum()
    return _share(spread, spread[0], centred)


def shift(values: Sequence[float], second: Sequence[bool], strata: Sequence[Hashable], *, seed: int) -> Shift | None:
    """The difference of the means of two conditions, the second less the first, within strata.

    None where no stratum has units of both: nothing is known then, which is no difference of zero.
    """
    numbers, codes = np.asarray(values, dtype=np.float64), np.asarray(second, dtype=np.int64)
    if len(set(zip(strata, second, strict=True))) == len(set(strata)):
        return None
    dealt = dealings(codes.tolist(), strata, seed=seed)
    weights = _contrasts(dealt.codes, strata)
    found = weights @ numbers
    moved = weights @ codes  # by how much a dealing's difference moves with the shift
    estimate, p = float(found[0]), _share(np.abs(found), abs(float(found[0])), numbers)
    if float((np.abs(moved) >= 1 - _SLACK).mean()) > ALPHA:  # whatever the shift
        return Shift(estimate, -math.inf, math.inf, p, math.inf, len(numbers))
    step = float(np.ptp(numbers)) or 1.0

    def kept(delta: float) -> bool:
        return _share(np.abs(found - delta * moved), abs(estimate - delta), numbers) > ALPHA

    low = estimate - _edge(lambda far: kept(estimate - far), step)
    high = estimate + _edge(lambda far: kept(estimate + far), step)
    return Shift(estimate, low, high, p, _detectable(numbers, codes, strata, weights[0]), len(numbers))


def _contrasts(codes: Ints, strata: Sequence[Hashable]) -> Array:
    """Of each dealing, by what each unit enters the difference: strata weigh by how much they know."""
    weights = np.zeros(codes.shape)
    for stratum in set(strata):
        own = [place for place, name in enumerate(strata) if name == stratum]
        many = int(codes[0, own].sum())
        few = len(own) - many
        if many and few:
            informed = many * few / len(own)
            weights[:, own] = informed * np.where(codes[:, own] == 1, 1 / many, -1 / few)
    weights /= weights[0][codes[0] == 1].sum()
    return weights


def _share(figures: Array, observed: float, values: Array) -> float:
    """How many are at least as far out as the observed one, which is among them."""
    slack = _SLACK * (1.0 + float(np.abs(values).max(initial=0.0)) ** 2)
    return float((figures >= observed - slack).mean())


def _edge(kept: Callable[[float], bool], step: float) -> float:
    """The largest distance from the estimate that the test does not reject."""
    far = step
    while kept(far) and far < 1e6 * step:
        far *= 2
    near = 0.0
    for _ in range(40):
        middle = (near + far) / 2
        near, far = (middle, far) if kept(middle) else (near, middle)
    return far


def _detectable(numbers: Array, codes: Ints, strata: Sequence[Hashable], weights: Array) -> float:
    """By Student's t, whose power that of the permutation is close to."""
    cells = list(zip(strata, codes.tolist(), strict=True))
    within = numbers.copy()
    for cell in set(cells):
        own = [place for place, other in enumerate(cells) if other == cell]
        within[own] -= within[own].mean()
    df = len(numbers) - len(set(cells))
    if df < 1:
        return math.inf
    return smallest(math.sqrt(float((within**2).sum()) / df), float((weights**2).sum()), df)


def smallest(deviation: float, share: float, df: float) -> float:
    """The difference found with power 0.8 at 0.05, where its variance is `share` times that of one unit.

    >>> round(smallest(1.0, 2 / 10, 18), 2)  # ten units on each side, in standard deviations
    1.33
    """
    return (t_quantile(1 - ALPHA / 2, df) + t_quantile(POWER, df)) * deviation * math.sqrt(share)


def swept(values: Sequence[float], judges: Ints, systems: Ints, items: Ints) -> tuple[Array, Array]:
    """Each judge's level, and what each judge sees in each system beyond it (judges × systems; NaN: not judged).

    A judge's mean of each system comes first: by least squares with effects of items, so that nobody is called strict
    for hard items, where items were judged `ENOUGH` times and hang together; else as it is, for items were dealt at
    random. These means, each counting once, are then parted into levels of judges, levels of systems, and the rest.
    """
    numbers = np.asarray(values, dtype=np.float64)
    width = int(systems.max()) + 1
    cells, places = np.unique(judges * width + systems, return_inverse=True)
    factors = [places, items] if _adjustable(places, items) else [places]
    means = _additive(numbers, factors)[0]
    means += float(numbers.mean()) - float(means[places].mean())
    judge, system = cells // width, cells % width
    middle = float(means.mean())
    levels, tops = _additive(means - middle, [judge, system])
    profile = np.full((int(judges.max()) + 1, width), np.nan)
    profile[judge, system] = means - middle - levels[judge] - tops[system]
    return middle + levels - float(levels.mean()), profile


def _additive(values: Array, factors: Sequence[Ints]) -> list[Array]:
    """Least squares of the effects of some factors, swept out of each other in turn."""
    sizes = [np.maximum(np.bincount(codes), 1) for codes in factors]
    effects, rest = [np.zeros(len(size)) for size in sizes], values
    for _ in range(ROUNDS):
        largest = 0.0
        for place, (codes, size) in enumerate(zip(factors, sizes, strict=True)):
            change = np.bincount(codes, weights=rest, minlength=len(size)) / size
            effects[place] += change
            rest = rest - change[codes]
            largest = max(largest, float(np.abs(change).max()))
        if largest < 1e-10:
            break
    return effects


def _adjustable(cells: Ints, items: Ints) -> bool:
    """Whether effects of items can be told from those of judges, and are worth what they cost."""
    return len(items) >= ENOUGH * len(np.unique(items)) and _shared(cells, items)


def _shared(cells: Ints, items: Ints) -> bool:
    """Whether all hang together by items that they have in common."""
    group = {int(cell): int(cell) for cell in np.unique(cells)}

    def root(cell: int) -> int:
        while group[cell] != cell:
            cell = group[cell]
        return cell

    first: dict[int, int] = {}
    for cell, item in set(zip(cells.tolist(), items.tolist(), strict=True)):
        group[root(cell)] = root(first.setdefault(item, cell))
    return len({root(cell) for cell in group}) == 1
