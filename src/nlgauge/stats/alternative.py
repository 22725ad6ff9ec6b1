"""A machine beside people: may it stand for one of them, and does it follow the others as well as they do?

`alternative_annotator` is the test of Calderon, Reichart and Dror (2025), "The alternative annotator test for
LLM-as-a-judge", ACL. Each person in turn is left out. On every unit that the person and at least one other judged, the
machine and the person are held against the others' answers: W_f = 1 where the machine is at least as near to them as
the person, W_h = 1 where the person is at least as near as the machine. The null hypothesis is that the machine is
worse by ε or more, mean(W_f) ≤ mean(W_h) − ε, tested by Student's one-sample t of W_h − W_f below ε; ε is what the
machine's lower cost is worth. The false discovery rate over people is held by Benjamini and Yekutieli's method. The
machine passes where it wins against half of the people or more (the winning rate). Nearness is minus the root mean
squared difference on scales, and the share of equal answers on categories.

`leave_one_out` is the ceiling that people set: how well each correlates with the mean of the others, beside the
machine's correlation with the very same means.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats.multiple import benjamini_yekutieli

Nearness = Literal["distance", "equal"]
LEAST_UNITS = 30  # of a person: the authors' own limit for the t-test
LEAST_PEOPLE = 3
LEAST_POINTS = 5  # from which a correlation enters the ceiling


@dataclass(frozen=True)
class LeftOut:
    """The machine against one person."""

    judge: str
    n: int
    machine: float  # share of units on which the machine is at least as near to the others
    person: float  # share on which the person is
    p: float  # adjusted
    won: bool


@dataclass(frozen=True)
class AlternativeTest(Jsonable):
    """The test against everybody."""

    KEYS = "winning_rate, advantage, epsilon, passed, n, skipped, level, method, people"

    winning_rate: float
    advantage: float  # mean share of units on which the machine is at least as near as the person left out
    epsilon: float
    people: tuple[LeftOut, ...]
    skipped: int  # people with too few units
    level: float = 0.05
    method: str = "alternative annotator test (Calderon, Reichart and Dror 2025), Benjamini-Yekutieli"

    @property
    def passed(self) -> bool:
        """Whether the machine wins against half of the people or more."""
        return self.winning_rate >= 0.5

    @property
    def n(self) -> int:
        """People tested."""
        return len(self.people)

    def __str__(self) -> str:
        verdict = "passes" if self.passed else "does not pass"
        return (
            f"the machine {verdict} the alternative annotator test (ε = {self.epsilon:g}): it wins against "
            f"{sum(person.won for person in self.people)} of {self.n} people (winning rate {self.winning_rate:.2f}), "
            f"and is as near to the others as the person left out in {100 * self.advantage:.1f} % of the cases"
        )


def alternative_annotator(
    people: Array,
    machine: Array,
    *,
    judges: Sequence[str] | None = None,
    nearness: Nearness = "distance",
    epsilon: float = 0.2,
    level: float = 0.05,
    least: int = LEAST_UNITS,
) -> AlternativeTest:
    """The test on a table of units × people and the machine's answer to each unit; NaN is no answer.

    The authors advise ε = 0.2 for experts, 0.15 for skilled people and 0.1 for crowd workers.
    """
    table, own = _checked(people, machine)
    if table.shape[1] < LEAST_PEOPLE:
        raise InputError(f"the alternative annotator test needs {LEAST_PEOPLE} people or more, not {table.shape[1]}")
    names = [str(k + 1) for k in range(table.shape[1])] if judges is None else list(judges)
    found: list[tuple[str, int, float, float, float]] = []
    for place, name in enumerate(names):
        shown = np.isfinite(table[:, place]) & np.isfinite(own)
        shown &= np.isfinite(np.delete(table, place, axis=1)).any(axis=1)
        if shown.sum() < least:
            continue
        others = np.delete(table[shown], place, axis=1)
        near_f, near_h = (_near(side[shown], others, nearness) for side in (own, table[:, place]))
        machine_wins, person_wins = _at_least(near_f, near_h), _at_least(near_h, near_f)
        p = _below(person_wins - machine_wins, epsilon)
        found.append((name, int(shown.sum()), float(machine_wins.mean()), float(person_wins.mean()), p))
    if not found:
        raise InputError(
            f"the alternative annotator test needs people with {least} units or more that others judged too"
        )
    adjusted = benjamini_yekutieli([row[4] for row in found])
    rows = tuple(
        LeftOut(name, n, f, h, float(p), bool(p <= level))
        for (name, n, f, h, _), p in zip(found, adjusted, strict=True)
    )
    rate, advantage = (sum(values) / len(rows) for values in ([row.won for row in rows], [row.machine for row in rows]))
    return AlternativeTest(rate, advantage, epsilon, rows, len(names) - len(rows), level)


@dataclass(frozen=True)
class Ceiling(Jsonable):
    """How well people follow each other, and the machine the same others."""

    KEYS = "..., estimate"

    people: float  # mean correlation of a person with the mean of the others
    machine: float  # mean correlation of the machine with the same means, on the same units
    low: float  # limits of the difference, machine less people
    high: float
    n: int  # people who enter
    statistic: str
    level: float = 0.95
    method: str = "leave one out; Student's t over people"

    @property
    def estimate(self) -> float:
        """The machine's less the people's."""
        return self.machine - self.people

    def __str__(self) -> str:
        limits = "" if math.isnan(self.low) else f" ({100 * self.level:g} % limits {self.low:+.2f} to {self.high:+.2f})"
        return (
            f"a person correlates with the mean of the others by {self.people:.2f} on average ({self.statistic}, "
            f"{self.n} people left out in turn), the machine with the same means by {self.machine:.2f}: "
            f"{self.estimate:+.2f}{limits}"
        ).replace("-", "−")


def leave_one_out(people: Array, machine: Array, *, statistic: str = "spearman", level: float = 0.95) -> Ceiling:
    """The ceiling from a table of units × people and the machine's answers; people whose answers or whose others are
    constant, or who share fewer than five units with others, do not enter."""
    from nlgauge.stats.correlation import correlate
    from nlgauge.stats.mixed.results import t_quantile

    table, own = _checked(people, machine)
    pairs = []
    for place in range(table.shape[1]):
        others = np.delete(table, place, axis=1)
        shown = np.isfinite(table[:, place]) & np.isfinite(own) & np.isfinite(others).any(axis=1)
        if shown.sum() < LEAST_POINTS:
            continue
        means = np.nanmean(others[shown], axis=1)
        sides = table[shown, place], own[shown]
        if any(np.ptp(side) == 0 for side in (*sides, means)):
            continue
        pairs.append([correlate(side, means, statistic=statistic).estimate for side in sides])
    if not pairs:
        raise InputError("no person shares enough units with others to be held against them")
    found = np.array(pairs)
    gap = found[:, 1] - found[:, 0]
    low = high = math.nan
    if len(gap) > 1:
        half = t_quantile((1 + level) / 2, len(gap) - 1.0) * float(gap.std(ddof=1)) / math.sqrt(len(gap))
        low, high = float(gap.mean()) - half, float(gap.mean()) + half
    means = found.mean(axis=0)
    return Ceiling(float(means[0]), float(means[1]), low, high, len(gap), statistic, level=level)


def _checked(people: Array, machine: Array) -> tuple[Array, Array]:
    table, own = np.asarray(people, dtype=np.float64), np.asarray(machine, dtype=np.float64)
    if table.ndim != 2 or own.shape != (table.shape[0],):
        raise InputError(
            f"expected a table of units × people and one answer of the machine for each unit; got {table.shape} and "
            f"{own.shape}"
        )
    return table, own


def _near(own: Array, others: Array, nearness: Nearness) -> Array:
    """How near answers are to those of others on the same units."""
    there = np.isfinite(others)
    if nearness == "equal":
        return np.asarray(((others == own[:, None]) & there).sum(axis=1) / there.sum(axis=1))
    gaps = np.where(there, others - own[:, None], 0.0)
    return np.asarray(-np.sqrt((gaps**2).sum(axis=1) / there.sum(axis=1)))


def _at_least(one: Array, other: Array) -> Array:
    """Where one is as near as the other; rounding makes no difference."""
    return (one >= other - 1e-12).astype(np.float64)


def _below(values: Array, bound: float) -> float:
    """One-sided p of Student's one-sample t-test that the mean lies below a bound."""
    from scipy.special import stdtr

    n, spread = len(values), float(values.std(ddof=1))
    gap = float(values.mean()) - bound
    if spread == 0:
        return 0.0 if gap < 0 else 1.0
    return float(stdtr(n - 1, gap / (spread / math.sqrt(n))))
