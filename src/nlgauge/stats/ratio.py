"""A ratio of two sums with limits that allow for groups: edits per word, errors per text.

Everything of one group (an input, all of whose judgements hang together) is one draw. The standard error is that of the
linearised ratio (Cochran 1977, section 6.3) over groups, with Student's t; where the numerator is 0 throughout, the
upper limit is that of a Poisson count of 0.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.limits import check_level
from nlgauge.stats.results import Estimate


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
        return Estimate(
            estimate=0.0,
            low=0.0,
            high=min(most, -math.log((1 - level) / 2) / float(size)),
            level=level,
            method="Poisson count of 0",
            n=n,
            name=name,
        )
    if n < 2:
        return Estimate(estimate, level=level, method="no limits: one group", n=n, name=name)
    from scipy import stats

    residuals = rows[:, 0] - estimate * rows[:, 1]
    error = math.sqrt(n * float(residuals @ residuals) / (n - 1)) / float(size)
    half = float(stats.t.ppf((1 + level) / 2, n - 1)) * error
    return Estimate(
        estimate=estimate,
        low=max(0.0, estimate - half),
        high=min(most, estimate + half),
        level=level,
        method=method,
        n=n,
        name=name,
    )
