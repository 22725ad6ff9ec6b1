"""Shares and ratios: small exact tests, and limits where answers come in groups.

Small exact tests from logarithms of binomial coefficients: they need no scipy.stats, whose import takes a second.

A share of answers that come in clusters (several of one item), with exact limits at the effective sample size.

Korn and Graubard (1998), "Confidence intervals for proportions with small expected number of positive counts estimated
from survey data", Survey Methodology 24(2): Clopper and Pearson's limits with n replaced by n / design effect, shrunk
by the squared ratio of Student quantiles because the design effect is estimated. An effect below 1 is taken as 1.

A ratio of two sums with limits that allow for groups: edits per word, errors per text.

Everything of one group (an input, all of whose judgements hang together) is one draw. The standard error is that of the
linearised ratio (Cochran 1977, section 6.3) over groups, with Student's t; where the numerator is 0 throughout, the
upper limit is that of a Poisson count of 0.

Shares of separate samples put together: limits of a weighted sum, such as a mean or a difference, from theirs.

Each share has Clopper and Pearson's exact limits; the sum's are recovered from them by variance estimates (MOVER: Zou,
Huang and Zhang 2009, of which Newcombe's interval of a difference is a case). Unlike those of a bootstrap they have a
width where all of a sample, or none, is counted.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import cache

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.discrimination.limits import limits
from nlgauge.stats.limits import check_level
from nlgauge.stats.results import Estimate

_SLACK = 1 + 1e-7  # tables as likely as the observed one up to rounding count with it, as in R and scipy


def _log_choose(n: float, k: Array) -> Array:
    from scipy.special import gammaln

    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


@cache
def fisher(first: int, of_first: int, second: int, of_second: int) -> float:
    """Fisher's exact test, two-sided, of `first` out of `of_first` against `second` out of `of_second`."""
    if not (0 <= first <= of_first and 0 <= second <= of_second):
        raise InputError(f"{first} of {of_first} and {second} of {of_second} cannot be counts of a table")
    both = first + second
    x = np.arange(max(0, both - of_second), min(both, of_first) + 1, dtype=np.float64)

    weights = _log_choose(of_first, x) + _log_choose(of_second, both - x)
    chances = np.exp(weights - weights.max())
    seen = chances[first - int(x[0])]
    return float(min(1.0, chances[chances <= seen * _SLACK].sum() / chances.sum()))


def sign_test(more: int, fewer: int) -> float:
    """Exact two-sided test that either of two outcomes is as likely (McNemar's test of paired answers)."""
    from scipy.special import bdtr

    if more < 0 or fewer < 0:
        raise InputError("counts must not be negative")
    total = more + fewer
    return 1.0 if total == 0 else float(min(1.0, 2 * bdtr(min(more, fewer), total, 0.5)))


def binomial_test(count: int, n: int, p: float) -> float:
    """Exact two-sided test of a share: what is no likelier than the observed count, as in R's binom.test."""
    if not 0 <= count <= n or not 0 < p < 1:
        raise InputError(f"{count} of {n} with chance {p} is no binomial count; expected 0 ≤ count ≤ n and 0 < p < 1")
    x = np.arange(n + 1, dtype=np.float64)
    chances = np.exp(_log_choose(n, x) + x * np.log(p) + (n - x) * np.log1p(-p))
    return float(min(1.0, chances[chances <= chances[count] * _SLACK].sum()))


Limits = tuple[float, float]


def share_limits(counted: int, n: int, level: float = 0.95) -> Limits:
    """Exact limits of a share."""
    if not 0 <= counted <= n or n < 1:
        raise InputError(f"{counted} of {n} is no share")
    return limits(counted, n, tail=(1 - level) / 2)


def sum_limits(shares: Sequence[float], each: Sequence[Limits], weights: Sequence[float]) -> Limits:
    """Limits of the weighted sum of independent shares, from the limits of each."""
    below = above = total = 0.0
    for share, (low, high), weight in zip(shares, each, weights, strict=True):
        ends = sorted((weight * low, weight * high))
        total += weight * share
        below += (weight * share - ends[0]) ** 2
        above += (ends[1] - weight * share) ** 2
    return total - math.sqrt(below), total + math.sqrt(above)


def share(
    hits: Sequence[float],
    clusters: Sequence[Hashable],
    *,
    weights: Sequence[float] | None = None,
    level: float = 0.95,
    name: str = "",
) -> Estimate:
    """The weighted share of hits (0 to 1 each) with limits that hold for other clusters."""
    values = np.asarray(hits, dtype=np.float64)
    if not len(values) or len(values) != len(clusters):
        raise InputError(f"{len(values)} answers with {len(clusters)} clusters; give a cluster for each answer")
    weight = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    total = float(weight.sum())
    estimate = float((weight * values).sum() / total)
    codes = {one: place for place, one in enumerate(dict.fromkeys(clusters))}
    sums = np.zeros(len(codes))
    np.add.at(sums, [codes[cluster] for cluster in clusters], weight * (values - estimate))
    low, high = _limits(estimate, sums, total, len(values), level)
    method = f"exact limits at the effective number of answers (Korn and Graubard), {len(codes):,} clusters"
    return Estimate(estimate=estimate, low=low, high=high, level=level, method=method, n=len(values), name=name)


def _limits(estimate: float, sums: Array, total: float, n: int, level: float) -> tuple[float, float]:
    from scipy.special import betainccinv, betaincinv, stdtrit

    tail, groups, effective = (1 - level) / 2, len(sums), float(n)
    if groups < 2:
        return math.nan, math.nan
    if 0 < estimate < 1:
        variance = groups / (groups - 1) * float((sums**2).sum()) / total**2
        if variance > 0:
            effective = min(effective, estimate * (1 - estimate) / variance)
        if groups < n:
            effective *= min(1.0, float(stdtrit(n - 1, 1 - tail) / stdtrit(groups - 1, 1 - tail)) ** 2)
    else:
        effective = float(groups)  # nothing tells how alike the answers of a cluster are: each counts once
    x = estimate * effective
    low = 0.0 if x <= 0 else float(betaincinv(x, effective - x + 1, tail))
    high = 1.0 if estimate >= 1 else float(betainccinv(x + 1, effective - x, tail))
    return low, high


def ratio(
    numerators: Sequence[float] | Array,
    denominators: Sequence[float] | Array,
    groups: Sequence[Hashable],
    *,
    level: float = 0.95,
    most: float = math.inf,
    name: str = "",
) -> Estimate:
    """Sum of numerators over sum of denominators, neither of which may be negative; `most` is 1 for a share.

    >>> found = ratio([1, 0, 2, 1], [10, 10, 10, 10], ["a", "a", "b", "c"])
    >>> round(found.estimate, 3), found.n
    (0.1, 3)
    """
    check_level(level)
    x, y = np.asarray(numerators, dtype=np.float64), np.asarray(denominators, dtype=np.float64)
    if not len(x) == len(y) == len(groups):
        raise InputError("a ratio needs as many numerators, denominators and groups")
    if not len(x) or y.sum() <= 0 or x.min() < 0 or y.min() < 0:
        raise InputError("a ratio needs numbers that are not negative, and a denominator above 0")
    place = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    rows = np.zeros((len(place), 2))
    np.add.at(rows, [place[group] for group in groups], np.column_stack([x, y]))
    total, size = rows[:, 0].sum(), rows[:, 1].sum()
    estimate, n = float(total / size), len(rows)
    method = f"linearised ratio over {n:,} groups, Student's t"
    if total == 0:
        high = min(most, -math.log((1 - level) / 2) / float(size))
        return Estimate(0.0, 0.0, high, level, "Poisson count of 0", n, name=name)
    if n < 2:
        return Estimate(estimate, level=level, method="no limits: one group", n=n, name=name)
    from scipy import stats

    residuals = rows[:, 0] - estimate * rows[:, 1]
    error = math.sqrt(n * float(residuals @ residuals) / (n - 1)) / float(size)
    half = float(stats.t.ppf((1 + level) / 2, n - 1)) * error
    low, high = max(0.0, estimate - half), min(most, estimate + half)
    return Estimate(estimate, low, high, level, method, n, name=name)
