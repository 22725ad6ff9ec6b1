"""Intraclass correlations: the six of Shrout and Fleiss (1979), with F tests and limits.

ICC(1,1) and ICC(1,k) take the judges of an item as drawn anew for each item (`one_way`); ICC(2,·) take the same judges
for all items as a sample of judges (absolute agreement, ICC(A,·) of McGraw and Wong 1996); ICC(3,·) take these very
judges (consistency, ICC(C,·)). ·,1 is the reliability of one judge, ·,k that of the mean of all k. Limits of forms 1
and 3 are exact under normality (F); those of form 2 use Satterthwaite's approximation. Equal to pingouin's
`intraclass_corr`. Forms 2 and 3 leave out items without a rating by every judge (its `nan_policy="omit"`), and a note
says how many; form 1 takes every item with two ratings.

ICC(1,1) and ICC(1,k): the judges of an item are drawn anew for each, so items may have different numbers of ratings.

The variances are those of the one-way analysis of variance, with k0 = (N - Σ kᵢ² / N) / (n - 1) ratings an item on the
average (Donner 1986; R: `ICC::ICCest`). The test is F's, exact whatever the numbers; so are the limits where all are
equal. Where they are not, the variance of the items' means stands in for the mean square between items (Thomas and
Hultquist 1978), with the harmonic mean of the numbers of ratings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.agreement.intervals import ANALYTIC, Coefficient, Limits, limited, with_limits
from nlgauge.stats.agreement.ratings import Ratings, UndefinedAgreement, require_pairs, shown


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
    rows = _one_way_rows(table - known.mean(), sizes)
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
    degrees = (float(n - 1), float(sizes.sum() - n))
    result = with_limits(result, _test(float(squares.between), float(squares.within), degrees))

    def analytic() -> dict[str, Any]:
        return _one_way_limits(rows, squares, sizes, mean, limits.level)

    return limited(result, limits, analytic, lambda: (rows, lambda sums: _squares(sums).correlation(mean)))


def _one_way_rows(centred: Array, sizes: NDArray[np.int64]) -> Array:
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


def _one_way_limits(
    rows: Array, squares: _Squares, sizes: NDArray[np.int64], mean: bool, level: float
) -> dict[str, Any]:
    within = float(squares.within)
    if within == 0:
        return {"method": "none", "notes": ("the judges agree perfectly or not at all: F gives no limits",)}
    harmonic = len(sizes) / float(np.sum(1 / sizes))
    ratio = harmonic * float(np.var(rows[:, 3] / rows[:, 1], ddof=1)) / within
    first, second = len(sizes) - 1, int(sizes.sum()) - len(sizes)
    outside = 0.5 + level / 2
    bounds = (ratio / _f(outside, first, second), ratio * _f(outside, second, first))
    low, high = ((bound - 1) / (bound + harmonic - 1) for bound in bounds)
    if mean:  # Spearman and Brown, from one judge to the average number
        low, high = (_stepped_up(limit, float(squares.size)) for limit in (low, high))
    equal = sizes.min() == sizes.max()
    method = "F, exact under normality" if equal else "F of the items' means, Thomas and Hultquist"
    return {"low": low, "high": high, "method": method}


Form = Literal["1,1", "1,k", "2,1", "2,k", "3,1", "3,k"]
Squares = tuple[Array, Array, Array]
FORMS: tuple[Form, ...] = ("1,1", "2,1", "3,1", "1,k", "2,k", "3,k")


def intraclass(values: Any, *, limits: Limits = ANALYTIC) -> dict[Form, Coefficient]:
    """All six intraclass correlations of a table of items × judges.

    Args:
        values: ratings, one row an item and one column a judge; NaN or None where a judge gave none
        limits: how the confidence interval is found, see `Limits`

    >>> from nlgauge.stats.agreement import intraclass
    >>> ratings = [[1, 1, 1], [2, 2, 3], [3, 3, 3], [1, 2, 1], [2, 2, 2]]
    >>> {form: round(found.estimate, 3) for form, found in intraclass(ratings).items()}
    {'1,1': 0.815, '2,1': 0.814, '3,1': 0.795, '1,k': 0.93, '2,k': 0.929, '3,k': 0.921}
    """
    return {form: icc(values, form, limits=limits) for form in FORMS}


def icc(values: Any, form: Form = "2,1", *, limits: Limits = ANALYTIC) -> Coefficient:
    """One intraclass correlation of a table of items × judges.

    Args:
        values: ratings, one row an item and one column a judge; NaN or None where a judge gave none
        form: 1,1 and 1,k: each item has other judges; 2,1 and 2,k: judges drawn from many; 3,1 and 3,k: these judges
            only; with k for the mean of the judges
        limits: how the confidence interval is found, see `Limits`

    >>> from nlgauge.stats.agreement import icc
    >>> ratings = [[1, 1, 1], [2, 2, 3], [3, 3, 3], [1, 2, 1], [2, 2, 2]]
    >>> round(icc(ratings, "2,1").estimate, 3)
    0.814
    """
    if form not in FORMS:
        raise InputError(f"the form of the intraclass correlation must be one of {', '.join(FORMS)}; got {form!r}")
    given = require_pairs(Ratings.of(values)).rated()
    if form[0] == "1":
        return one_way(given, mean=form.endswith("k"), limits=limits)
    table = given.values()
    complete = table[~np.isnan(table).any(axis=1)]
    n, k = complete.shape
    if n < 2:
        raise InputError(
            f"ICC({form}) tells the judges apart, so it needs two items that all {k} of them rated; there "
            f"{'is' if n == 1 else 'are'} {n or 'none'}: where every item has other judges, use ICC(1,1) (icc1), or "
            "Krippendorff's alpha"
        )
    rows = _rows(complete)
    totals = rows.sum(axis=0)
    squares = _mean_squares(totals, k)
    name = f"ICC({form})"
    if not np.any(complete != complete[0, 0]):
        raise UndefinedAgreement(
            name, f"every rating is {shown(float(complete[0, 0]))}, so there is no variance to share out"
        )
    if form == "2,k" and float(_variance_of_means(squares, n)) <= 0:
        raise UndefinedAgreement(
            name,
            "the items' means differ less than chance would have them differ, so that the "
            "variance it divides by is estimated as 0 or less",
        )
    estimate = float(_estimate(squares, form, n, k))
    if not math.isfinite(estimate):
        raise UndefinedAgreement(name, "the items do not differ, so there is no variance to share out")
    dropped = given.items - n
    notes: tuple[str, ...] = (f"items without a rating by every judge left out ({dropped:,})",) if dropped else ()
    if form.endswith("1") and estimate < -1 / (k - 1) - 1e-12:
        notes += (f"below the least possible value {-1 / (k - 1):.4g}: a variance is estimated as negative",)
    result = Coefficient(estimate, level=limits.level, name=name, n=n, judges=k, notes=notes)
    result = with_limits(result, _test(float(squares[0]), float(squares[2]), _degrees(n, k)))

    def score(sums: Array) -> Array:
        return _estimate(_mean_squares(sums, k), form, sums[..., 0], k)

    return limited(result, limits, lambda: _limits(squares, form, n, k, limits.level), lambda: (rows, score))


def _rows(table: Array) -> Array:
    """What adds up over items: 1, each judge's rating, the square of the item's sum, the sum of its squares."""
    centred = table - table.mean()
    return np.column_stack([np.ones(len(table)), centred, centred.sum(axis=1) ** 2, np.sum(centred**2, axis=1)])


def _mean_squares(totals: Array, k: int) -> Squares:
    """Mean squares between items, between judges, and of the rest."""
    n = totals[..., 0]
    judges, items, squares = totals[..., 1 : k + 1], totals[..., k + 1], totals[..., k + 2]
    mean = judges.sum(axis=-1) ** 2 / (n * k)
    between = np.maximum(items / k - mean, 0)
    within = np.maximum(squares - items / k, 0)
    raters = np.maximum(np.sum(judges**2, axis=-1) / n - mean, 0)
    rest = np.where(within - raters > 1e-12 * squares, within - raters, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return between / (n - 1), raters / (k - 1), rest / ((n - 1) * (k - 1))


def _variance_of_means(squares: Squares, n: Any) -> Array:
    """What ICC(2,k) divides by; unlike a variance, its estimate can be negative."""
    between, raters, rest = squares
    return np.asarray(between + (raters - rest) / n)


def _estimate(squares: Squares, form: Form, n: Any, k: int) -> Array:
    between, raters, error = squares
    bias = k * (raters - error) / n if form[0] == "2" else 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        if form == "2,k":
            below = _variance_of_means(squares, n)
            return np.asarray((between - error) / np.where(below > 0, below, math.nan))
        if form.endswith("k"):
            return np.asarray((between - error) / between)
        return np.asarray((between - error) / (between + (k - 1) * error + bias))


def _degrees(n: int, k: int) -> tuple[float, float]:
    return float(n - 1), float((n - 1) * (k - 1))


def _test(between: float, within: float, degrees: tuple[float, float]) -> dict[str, Any]:
    """F and p of the hypothesis that the items do not differ."""
    from scipy.special import fdtrc

    if within == 0:
        return {"df": degrees, "p": 0.0, "statistic": math.inf} if between > 0 else {}
    return {"df": degrees, "p": float(fdtrc(*degrees, between / within)), "statistic": between / within}


def _limits(squares: Squares, form: Form, n: int, k: int, level: float) -> dict[str, Any]:
    between, raters, rest = map(float, squares)
    outside = 0.5 + level / 2
    if form[0] == "2":
        low, high = _absolute_limits(between, raters, rest, n, k, outside)
        method = "F, Satterthwaite's approximation"
    else:
        low, high = _consistency_limits(between, rest, n, k, outside)
        method = "F, exact under normality"
    if not (math.isfinite(low) and math.isfinite(high)):
        return {"method": "none", "notes": ("the judges agree perfectly or not at all: F gives no limits",)}
    if form.endswith("k"):
        low, high = (_stepped_up(limit, k) for limit in (low, high))
    return {"low": low, "high": high, "method": method}


def _consistency_limits(between: float, error: float, n: int, k: int, outside: float) -> tuple[float, float]:
    if error == 0:
        return math.nan, math.nan
    first, second = _degrees(n, k)
    lower = between / error / _f(outside, first, second)
    upper = between / error * _f(outside, second, first)
    return (lower - 1) / (lower + k - 1), (upper - 1) / (upper + k - 1)


def _absolute_limits(between: float, raters: float, rest: float, n: int, k: int, outside: float) -> tuple[float, float]:
    """Fleiss and Shrout (1978): degrees of freedom for the sum of the judges' and the remaining variance."""
    if rest == 0:
        return math.nan, math.nan
    single = (between - rest) / (between + (k - 1) * rest + k * (raters - rest) / n)
    ratio, part = raters / rest, n * (1 + (k - 1) * single) - k * single
    df = (k - 1) * (n - 1) * (k * single * ratio + part) ** 2
    df /= (n - 1) * k**2 * single**2 * ratio**2 + part**2
    noise = k * raters + (k * n - k - n) * rest
    upper, lower = _f(outside, n - 1, df), _f(outside, df, n - 1)
    return (
        n * (between - upper * rest) / (upper * noise + n * between),
        n * (lower * between - rest) / (noise + n * lower * between),
    )


def _stepped_up(single: float, k: float) -> float:
    """Spearman and Brown: from one judge to the mean of k."""
    below = 1 + (k - 1) * single
    return k * single / below if below > 0 else -math.inf


def _f(probability: float, first: float, second: float) -> float:
    from scipy.special import fdtri

    return float(fdtri(first, second, probability))
