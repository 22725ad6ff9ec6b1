"""ICC(1,1) and ICC(1,k): the judges of an item are drawn anew for each, so items may have different numbers of ratings.

The variances are those of the one-way analysis of variance, with k0 = (N - Σ kᵢ² / N) / (n - 1) ratings an item on the
average (Donner 1986; R: `ICC::ICCest`). The test is F's, exact whatever the numbers; so are the limits where all are
equal. Where they are not, the variance of the items' means stands in for the mean square between items (Thomas and
Hultquist 1978), with the harmonic mean of the numbers of ratings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.agreement.intervals import Limits, drawn, left_out, with_limits
from nlgauge.stats.agreement.ratings import Ratings, UndefinedAgreement, shown
from nlgauge.stats.agreement.results import Coefficient


@dataclass(frozen=True)
class _Squares:
    """Mean squares between and within items, and the average number of ratings."""

    between: Array
    within: Array
    size: Array

    def correlation(self, mean: bool) -> Array:
        """ICC(1,1), or with `mean` that of the mean of `size` ratings."""
        with np.errstate(divide="ignore", invalid="ignore"):
            below = self.between if mean else self.between + (self.size - 1) * self.within
            return np.asarray((self.between - self.within) / below)


def one_way(given: Ratings, *, mean: bool, limits: Limits) -> Coefficient:
    """ICC(1,1), or with `mean` ICC(1,k), from all items with two ratings or more."""
    name = "ICC(1,k)" if mean else "ICC(1,1)"
    table = given.values()
    counts = np.count_nonzero(~np.isnan(table), axis=1)
    table, sizes = table[counts > 1], counts[counts > 1]
    n = len(table)
    if n < 2:
        raise InputError(f"{name} needs two items with two ratings each; there {'is one' if n == 1 else 'is none'}")
    known = table[~np.isnan(table)]
    if not np.any(known != known[0]):
        raise UndefinedAgreement(
            name, f"every rating is {shown(float(known[0]))}, so there is no variance to share out"
        )
    rows = _rows(table - known.mean(), sizes)
    squares = _squares(rows.sum(axis=0))
    estimate = float(squares.correlation(mean))
    if not math.isfinite(estimate):
        raise UndefinedAgreement(name, "the items do not differ, so there is no variance to share out")
    size = float(squares.size)
    result = Coefficient(
        estimate,
        level=limits.level,
        name=name,
        n=n,
        judges=given.judges,
        notes=tuple(_notes(estimate, sizes, size, mean)),
    )
    result = with_limits(result, _test(squares, sizes))
    if limits.method == "none":
        return result
    if limits.method == "analytic":
        return with_limits(result, _limits(rows, squares, sizes, mean, limits.level))

    def score(sums: Array) -> Array:
        return _squares(sums).correlation(mean)

    if limits.method == "bootstrap":
        return with_limits(result, drawn(rows, score, limits))
    return with_limits(result, left_out(lambda kept: float(score(rows[kept].sum(axis=0))), n, limits))


def _rows(centred: Array, sizes: NDArray[np.int64]) -> Array:
    """What adds up over items: 1, ratings, their square, the sum, its square over the ratings, the sum of squares."""
    sums = np.nansum(centred, axis=1)
    columns = [np.ones(len(sizes)), sizes, sizes**2, sums, sums**2 / sizes, np.nansum(centred**2, axis=1)]
    return np.column_stack(columns).astype(np.float64)


def _squares(totals: Array) -> _Squares:
    n, ratings, squared, total, items, squares = np.moveaxis(totals, -1, 0)
    between = np.maximum(items - total**2 / ratings, 0)
    within = np.where(squares - items > 1e-12 * squares, squares - items, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = (ratings - squared / ratings) / (n - 1)
        return _Squares(between / (n - 1), within / (ratings - n), size)


def _notes(estimate: float, sizes: NDArray[np.int64], size: float, mean: bool) -> list[str]:
    low, high = int(sizes.min()), int(sizes.max())
    notes = []
    if low < high:
        means = f"; k is {size:.2f}" if mean else ""
        notes.append(f"the items have {low} to {high} ratings, {sizes.mean():.1f} on the average{means}")
    if not mean and estimate < -1 / (size - 1) - 1e-12:
        notes.append(f"below the least possible value {-1 / (size - 1):.4g}: a variance is estimated as negative")
    return notes


def _test(squares: _Squares, sizes: NDArray[np.int64]) -> dict[str, Any]:
    """F and p of the hypothesis that the items do not differ."""
    from scipy.special import fdtrc

    between, within = float(squares.between), float(squares.within)
    degrees = (float(len(sizes) - 1), float(sizes.sum() - len(sizes)))
    if within == 0:
        return {"df": degrees, "p": 0.0, "statistic": math.inf} if between > 0 else {}
    return {"df": degrees, "p": float(fdtrc(*degrees, between / within)), "statistic": between / within}


def _limits(rows: Array, squares: _Squares, sizes: NDArray[np.int64], mean: bool, level: float) -> dict[str, Any]:
    from scipy.special import fdtri

    within = float(squares.within)
    if within == 0:
        return {"method": "none", "notes": ("the judges agree perfectly or not at all: F gives no limits",)}
    harmonic = len(sizes) / float(np.sum(1 / sizes))
    ratio = harmonic * float(np.var(rows[:, 3] / rows[:, 1], ddof=1)) / within
    first, second = len(sizes) - 1, int(sizes.sum()) - len(sizes)
    outside = 0.5 + level / 2
    bounds = (ratio / float(fdtri(first, second, outside)), ratio * float(fdtri(second, first, outside)))
    low, high = ((bound - 1) / (bound + harmonic - 1) for bound in bounds)
    if mean:  # Spearman and Brown, from one judge to the average number
        size = float(squares.size)
        low, high = (size * one / below if (below := 1 + (size - 1) * one) > 0 else -math.inf for one in (low, high))
    equal = sizes.min() == sizes.max()
    return {
        "low": low,
        "high": high,
        "method": "F, exact under normality" if equal else "F of the items' means, Thomas and Hultquist",
    }
