"""Williams' test (1959) of two dependent correlations that share one variable, here the human scores.

The t statistic is that of Steiger (1980) with n - 3 degrees of freedom, as Graham and Baldwin (2014) propose for
metrics and mt-metrics-eval computes. It supposes Pearson correlations of independent, roughly normal points; for
rank correlations, averages over groups, and outputs that share items it is an approximation, and is called so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from nlgauge.errors import InputError
from nlgauge.stats.correlation.levels import Average, Level, correlate, scores_pair
from nlgauge.stats.correlation.statistic import Statistic
from nlgauge.stats.correlation.statistic import statistic as statistic_called

Sided = Literal["one", "two"]

ROUNDING = 1e-12  # correlations closer than this are equal


@dataclass(frozen=True)
class Williams:
    """The test's p-value (one-sided: for the better of the two), its t, and the three correlations."""

    p: float
    t: float
    n: int
    first: float
    second: float
    between: float
    sided: Sided
    notes: tuple[str, ...] = ()


def williams(first: float, second: float, between: float, n: int, *, sided: Sided = "two") -> tuple[float, float]:
    """t and p from the correlations of two metrics with people and with each other over n points.

    Correlations equal up to rounding give t = 0 and p = 1; two metrics that are exact opposites have neither
    (NaN), because the variance of their difference vanishes.

    Args:
        first: the correlation of one metric with people
        second: that of the other
        between: that of the two metrics with each other
        n: points that the correlations rest on
        sided: `two`, or `one` for the metric that is ahead

    >>> t, p = williams(0.6, 0.4, 0.7, 50)
    >>> round(t, 3), round(p, 3)
    (2.203, 0.033)
    """
    from scipy import stats

    if n < 4:
        raise InputError(f"Williams' test needs at least 4 points; got {n}")
    if sided not in ("one", "two"):
        raise InputError(f"a test is one- or two-sided; got {sided!r}")
    if any(math.isnan(r) for r in (first, second, between)):
        return math.nan, math.nan
    if abs(first - second) < ROUNDING:
        return 0.0, 1.0 if sided == "two" else 0.5
    determinant = max(1 - first**2 - second**2 - between**2 + 2 * first * second * between, 0.0)
    mean = (first + second) / 2
    variance = 2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - between) ** 3
    if variance <= 0:
        return math.nan, math.nan
    t = (first - second) * math.sqrt((n - 1) * (1 + between) / variance)
    p = float(stats.t.sf(abs(t), n - 3))
    return t, p if sided == "one" else min(2 * p, 1.0)


def williams_test(
    human: Any,
    first: Any,
    second: Any,
    *,
    statistic: str | Statistic = "pearson",
    level: Level = "segment",
    average: Average = "none",
    sided: Sided = "two",
    missing: Literal["drop", "mt-metrics-eval"] = "drop",
) -> Williams:
    """Do two metrics correlate differently with people? Arrays as in `correlate`.

    Outputs lacking any of the three scores are dropped, and n counts the rest (systems at system level).
    `missing="mt-metrics-eval"` follows that tool, which correlates the metrics with each other on all outputs and
    counts all of them as n, judged or not: its p-values are too small where judgements are missing.

    Args:
        human: people's scores, a (systems, items) array, NaN where missing; one flat list is outputs, or at
            system level systems
        first: one metric's scores of the same outputs
        second: the other's
        statistic: the correlation; the test supposes `pearson`
        level: `segment` (over outputs) or `system` (over the systems' means)
        average: at segment level: pool all outputs (`none`), or average over `item`s or `system`s
        sided: `two`, or `one` for the metric that is ahead
        missing: `drop` outputs that lack a score, or do as `mt-metrics-eval` does

    >>> found = williams_test([1, 2, 3, 4, 5], [1, 2, 4, 3, 5], [2, 1, 5, 4, 3])
    >>> found.n, round(found.p, 3)
    (5, 0.293)
    """
    people, one = scores_pair(human, first, level)
    _, two = scores_pair(human, second, level)
    chosen = statistic_called(statistic)
    if missing == "drop":
        gone = np.isnan(people) | np.isnan(one) | np.isnan(two)
        people, one, two = (np.where(gone, np.nan, side) for side in (people, one, two))
    r1 = correlate(people, one, statistic=chosen, level=level, average=average)
    r2 = correlate(people, two, statistic=chosen, level=level, average=average)
    between = correlate(one, two, statistic=chosen, level=level, average=average).estimate
    if missing == "drop":
        n = int((~np.isnan(people)).any(axis=1).sum()) if level == "system" else r1.n
    else:
        n = people.size if level == "segment" else len(people)
    notes = []
    if chosen.name != "pearson" or average != "none":
        notes.append("Williams' test supposes one Pearson correlation; here it is an approximation")
    if level == "segment" and (~np.isnan(people)).sum(axis=0).max() > 1:
        notes.append(
            "Williams' test supposes independent outputs; several outputs of one item are not, so that it finds "
            "differences too often"
        )
    t, p = williams(r1.estimate, r2.estimate, between, n, sided=sided)
    return Williams(
        p=p, t=t, n=n, first=r1.estimate, second=r2.estimate, between=between, sided=sided, notes=tuple(notes)
    )
