"""The power of the next study from this one's variance components, by formula.

Two systems' means, rated by J judges on I items with r ratings of each item and system, differ with variance

    2 (σ²_residual / (I r) + σ²_judge:system / J + σ²_item:system / I)

where both systems are rated by the same judges on the same items: lenience and ease cancel. `same_judges=False` or
`same_items=False` add the judges' or items' own variance (2 σ² / J, 2 σ² / I). The test is Student's, and its power is
the noncentral t's. Degrees of freedom are Satterthwaite's, of the mean squares that a study estimates the variance by:
those of judges and of items, each with the noise in it, less the noise that is then counted twice. The components are
taken as known: a small pilot knows them badly, so that limits of the components give limits of the plan.

`Pilot` plans for a study laid out as one that was run, whatever its layout (systems that share no items, or some;
judges of one system only; gaps): what its own model gives as the variance of a difference is split by component, and
the parts shrink as judges, items and ratings become more. Complete designs have the formula's figures.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge.errors import InputError
from nlgauge.results import Result
from nlgauge.stats.discrimination.binomial import turn
from nlgauge.stats.mixed.linear import LinearMixed
from nlgauge.stats.mixed.results import t_quantile

MOST = 100_000


@dataclass(frozen=True)
class Variances:
    """Variance components of one rating; slopes are 0 where the study did not estimate them."""

    residual: float
    judge: float = 0.0
    item: float = 0.0
    judge_system: float = 0.0
    item_system: float = 0.0

    @classmethod
    def of(cls, fit: LinearMixed, *, judge: str = "judge", item: str = "item") -> Variances:
        """From a fitted model."""
        found = {component.name: component.estimate for component in fit.components}
        return cls(
            found["residual"],
            found.get(judge, 0.0),
            found.get(item, 0.0),
            found.get(f"{judge}:system", 0.0),
            found.get(f"{item}:system", 0.0),
        )


@dataclass(frozen=True)
class Plan(Result):
    """A study and its power for a difference of `effect` between two systems."""

    KEYS = "..., total"

    judges: int
    items: int
    ratings_per_item: int  # of each system
    effect: float
    alpha: float
    estimate: float  # power
    error: float  # standard error of the difference
    df: float
    method: str = "noncentral t, variance components taken as known"
    coverage: float = 1.0  # share of the items that a system has outputs of: 1/2 where two systems share none

    @property
    def items_per_system(self) -> int:
        """Outputs of one system, on average."""
        return round(self.items * self.coverage)

    @property
    def total(self) -> int:
        """Ratings of the two systems together."""
        return 2 * self.items_per_system * self.ratings_per_item

    def __str__(self) -> str:
        return (
            f"{self.judges} judges and {self.items:,} items, {self.ratings_per_item} ratings of each item and system, "
            f"find a difference of {self.effect:g} with power {self.estimate:.2f} (two-sided test at {self.alpha:g}; "
            f"standard error {self.error:.3g}; {self.method})"
        )


def study_power(
    variances: Variances,
    effect: float,
    *,
    judges: int,
    items: int,
    ratings_per_item: int | None = None,
    same_judges: bool = True,
    same_items: bool = True,
    alpha: float = 0.05,
) -> Plan:
    """The power of a study; `ratings_per_item` (of each system) is every judge unless given."""
    _check(variances, effect, alpha)
    each = judges if ratings_per_item is None else ratings_per_item
    _check_design(judges, items, each)
    sources = [
        (variances.judge_system / judges + (0 if same_judges else variances.judge / judges), judges - 1.0),
        (variances.item_system / items + (0 if same_items else variances.item / items), items - 1.0),
    ]
    noise = (2 * variances.residual / (items * each), items * each - 1.0)
    power, error, df = _power(noise, [(2 * part, free) for part, free in sources], effect, alpha)
    return Plan(judges, items, each, effect, alpha, power, error=error, df=df)


def detectable(variances: Variances, *, judges: int, items: int, power: float = 0.8, **design: Any) -> float:
    """The smallest difference of two systems that a study finds with the power, by halving; NaN where none is found."""
    if not 0 < power < 1:
        raise InputError(f"the power wanted must lie between 0 and 1; got {power}")

    def at(effect: float) -> Plan:
        return study_power(variances, effect, judges=judges, items=items, **design)

    low, high = 0.0, at(1.0).error
    while at(high).estimate < power:
        if high > MOST * low and low:
            return math.nan
        low, high = low or high, 2 * high
    low = 0.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if at(middle).estimate >= power else (middle, high)
    return high


def _power(
    noise: tuple[float, float], sources: Sequence[tuple[float, float]], effect: float, alpha: float
) -> tuple[float, float, float]:
    """Power, standard error and degrees of freedom of a difference whose variance is the noise's and the sources'."""
    from scipy.special import nctdtr

    rest, free = noise
    present = [(part, own) for part, own in sources if part > 0]
    variance = rest + sum(part for part, _ in present)
    squares = [((part + rest) ** 2, own) for part, own in present]
    if len(present) != 1:
        squares.append((rest**2, free if not present else math.prod(own for _, own in present)))
    df = variance**2 / sum(square / own for square, own in squares)
    error = math.sqrt(variance)
    critical = t_quantile(1 - alpha / 2, df)
    shift = abs(effect) / error
    far = min(shift, 30.0)  # beyond this the noncentral t runs out of digits, and the power is 1
    other = float(nctdtr(df, far, -critical))  # undefined where it is too small to count
    power = 1.0 - float(nctdtr(df, far, critical)) + (0.0 if math.isnan(other) else other)
    return min(1.0, power), error, df


@dataclass(frozen=True)
class Pilot:
    """A study that was run: the variance of a difference between two systems (mean of all pairs) by its source, and
    the design that it had."""

    residual: float
    by_judges: float  # lenience that does not cancel, and favouring
    by_items: float  # ease that does not cancel, and item × system
    judges: int
    items: int
    ratings: float  # of an output, on average
    systems: int
    coverage: float  # share of the items that a system has outputs of
    apart: tuple[int, int] = (1, 1)  # sets of judges, and of items, that have no system in common

    @classmethod
    def of(
        cls,
        fit: LinearMixed,
        systems: Sequence[Hashable],
        judges: Sequence[Hashable],
        items: Sequence[Hashable],
    ) -> Pilot:
        """From a fitted model and the labels of its ratings; its groups are "judge" and "item"."""
        unit = np.eye(len(fit.beta))
        size = len(fit.systems)
        pairs = [fit.parts(unit[a] - unit[b]) for a in range(size) for b in range(a + 1, size)]
        mean = {name: sum(pair[name] for pair in pairs) / len(pairs) for name in pairs[0]}
        outputs, texts = len(set(zip(items, systems, strict=True))), len(set(items))
        return cls(
            residual=mean["residual"],
            by_judges=sum(value for name, value in mean.items() if name.partition(":")[0] == "judge"),
            by_items=sum(value for name, value in mean.items() if name.partition(":")[0] == "item"),
            judges=len(set(judges)),
            items=texts,
            ratings=len(systems) / outputs,
            systems=size,
            coverage=outputs / (texts * size),
            apart=(_sets(judges, systems), _sets(items, systems)),
        )

    @property
    def rounded(self) -> int:
        """Ratings of an output as a plan tells them."""
        return min(max(1, round(self.ratings)), self.judges)

    def power(
        self,
        effect: float,
        *,
        judges: int | None = None,
        items: int | None = None,
        ratings_per_item: int | None = None,
        alpha: float = 0.05,
    ) -> Plan:
        """The power of a study laid out alike; numbers that are not given are those of the study that was run."""
        people = self.judges if judges is None else judges
        texts = self.items if items is None else items
        each = self.rounded if ratings_per_item is None else ratings_per_item
        _check_test(effect, alpha)
        _check_design(people, texts, each)
        density = self.ratings if each == self.rounded else each  # gaps stay where nothing else is asked for
        noise = self.residual * self.items * self.ratings / (texts * density)
        sources = [
            (self.by_judges * self.judges / people, max(1.0, people - self.apart[0])),
            (self.by_items * self.items / texts, max(1.0, texts - self.apart[1])),
        ]
        split = [place for place, sets in enumerate(self.apart) if sets > 1]
        if split:  # systems are compared between members, whose mean square has the noise in it: no degrees of its own
            place = min(split, key=lambda one: sources[one][1])
            sources[place] = (sources[place][0] + noise, sources[place][1])
            noise = 0.0
        power, error, df = _power((noise, texts * each - 1.0), sources, effect, alpha)
        return Plan(people, texts, each, effect, alpha, power, error=error, df=df, coverage=self.coverage)


def _sets(members: Sequence[Hashable], systems: Sequence[Hashable]) -> int:
    """How many sets the members fall into where those with a system in common are one set."""
    sets: list[set[Hashable]] = []
    of: dict[Hashable, set[Hashable]] = {}
    for member, system in zip(members, systems, strict=True):
        of.setdefault(member, set()).add(system)
    for group in of.values():
        touched = [other for other in sets if other & group]
        sets = [*(other for other in sets if not other & group), group.union(*touched)]
    return len(sets)


def items_for(variances: Variances, effect: float, *, judges: int, power: float = 0.8, **design: Any) -> Plan:
    """The smallest number of items that reaches the power with so many judges."""
    if not 0 < power < 1:
        raise InputError(f"the power wanted must lie between 0 and 1; got {power}")

    def at(items: int) -> Plan:
        return study_power(variances, effect, judges=judges, items=items, **design)

    if at(MOST).estimate < power:
        best = at(MOST)
        raise InputError(
            f"no number of items reaches a power of {power:g} with {judges} judges (at most {best.estimate:.2f}): "
            "judges differ in what they think of the systems, so that more judges are needed"
        )
    low, high = 1, 2
    while at(high).estimate < power:
        low, high = high, min(2 * high, MOST)
    return at(turn(low, high, lambda count: at(count).estimate >= power))


def plans(
    variances: Variances, effect: float, judges: Sequence[int], *, power: float = 0.8, **design: Any
) -> tuple[Plan, ...]:
    """For each number of judges the smallest number of items; numbers of judges that cannot reach it are left out."""
    out = []
    for judge in judges:
        with suppress(InputError):
            out.append(items_for(variances, effect, judges=judge, power=power, **design))
    if not out:
        raise InputError(f"none of these numbers of judges reaches a power of {power:g}; plan for more judges")
    return tuple(out)


def _check_design(judges: int, items: int, each: int) -> None:
    if judges < 2 or items < 2 or not 1 <= each <= judges:
        raise InputError(
            f"a study needs at least two judges and items and from 1 to {judges} ratings an item; got {judges} judges, "
            f"{items} items and {each} ratings"
        )


def _check_test(effect: float, alpha: float) -> None:
    if not effect or not math.isfinite(effect):
        raise InputError(f"the difference to be found must be a number other than 0; got {effect}")
    if not 0 < alpha < 1:
        raise InputError(f"alpha must lie between 0 and 1; got {alpha}")


def _check(variances: Variances, effect: float, alpha: float) -> None:
    _check_test(effect, alpha)
    values = dataclasses.astuple(variances)
    if min(values) < 0 or variances.residual <= 0:
        raise InputError("variances must not be negative, and the residual's must be above 0")
