"""Judges who rank alike: Kendall's W and the mean of the correlations of all pairs of judges.

Kendall's W (Kendall and Babington Smith 1939) is corrected for ties; its test is the chi-square approximation.
Pearson's r, Spearman's rho (mean ranks for ties) and Kendall's tau-b of two judges use the items both rated and equal
scipy's.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.agreement.intervals import ANALYTIC, Coefficient, Limits, left_out, resampled, with_limits
from nlgauge.stats.agreement.ratings import Codes, Ratings, UndefinedAgreement, require_pairs

Kind = Literal["pearson", "spearman", "kendall"]
NAMES = {"pearson": "Pearson", "spearman": "Spearman", "kendall": "Kendall tau-b"}
FEW_CELLS = 2500  # up to so many cells, two judges are correlated through their table of counts
EDGE = 1e-12  # a correlation this near to 1 is 1 up to rounding
ENOUGH = 3  # items two judges must share to be correlated


def pairwise_correlation(values: Any, kind: Kind = "spearman", *, limits: Limits = ANALYTIC) -> Coefficient:
    """The mean, over pairs of judges, of their correlation on the items both rated.

    Pairs with fewer than three common items, or where a judge gave all of them one value, have no correlation: they are
    left out and counted in a note. Limits come from the jackknife over items on Fisher's z scale.

    Args:
        values: ratings, one row an item and one column a judge; NaN or None where a judge gave none
        kind: pearson, spearman or kendall (tau-b)
        limits: how the confidence interval is found, see `Limits`

    >>> from nlgauge.stats.agreement import pairwise_correlation
    >>> ratings = [[1, 1, 1], [2, 2, 3], [3, 3, 3], [1, 2, 1], [2, 2, 2]]
    >>> round(pairwise_correlation(ratings, "spearman").estimate, 3)
    0.816
    """
    if kind not in NAMES:
        raise InputError(f"the correlation must be one of {', '.join(NAMES)}; got {kind!r}")
    ratings = require_pairs(Ratings.of(values)).rated()
    name = f"mean pairwise {NAMES[kind]}"
    numbers = _positions(ratings)
    columns = np.ascontiguousarray(ratings.codes.T)
    pairs = [
        pair
        for pair in combinations(range(ratings.judges), 2)
        if math.isfinite(_pair(columns[pair[0]], columns[pair[1]], numbers, kind))
    ]
    possible = math.comb(ratings.judges, 2)
    if not pairs:
        raise UndefinedAgreement(name, f"no two judges share {ENOUGH} items on which both gave different values")

    def statistic(items: Any) -> float:
        found = [_pair(columns[a], columns[b], numbers, kind, items) for a, b in pairs]
        defined = [value for value in found if math.isfinite(value)]
        return sum(defined) / len(defined) if defined else math.nan

    used = sorted({judge for pair in pairs for judge in pair})
    shared = int(np.count_nonzero((ratings.codes[:, used] >= 0).sum(axis=1) >= 2))
    notes: tuple[str, ...] = ()
    if len(pairs) < possible:
        notes = (f"{possible - len(pairs):,} of {possible:,} pairs of judges have no defined correlation",)
    result = Coefficient(statistic(None), level=limits.level, name=name, n=shared, judges=ratings.judges, notes=notes)
    return with_limits(result, _limits(statistic, ratings.items, limits, _z, math.tanh))


def kendall_w(values: Any, *, limits: Limits = ANALYTIC) -> Coefficient:
    """Kendall's coefficient of concordance W, from 0 to 1, on the items that every judge rated.

    Args:
        values: ratings, one row an item and one column a judge; NaN or None where a judge gave none
        limits: how the confidence interval is found, see `Limits`

    >>> from nlgauge.stats.agreement import kendall_w
    >>> ratings = [[1, 1, 1], [2, 2, 3], [3, 3, 3], [1, 2, 1], [2, 2, 2]]
    >>> round(kendall_w(ratings).estimate, 3)
    0.878
    """
    given = require_pairs(Ratings.of(values)).rated()
    _positions(given)
    ratings = given.take(items=(given.codes >= 0).all(axis=1))
    n, m = ratings.items, ratings.judges
    if n < 2:
        raise InputError(f"Kendall's W needs two items that all {m} judges rated; there are {n}")
    estimate = _concordance(ratings.codes)
    if not math.isfinite(estimate):
        raise UndefinedAgreement("Kendall's W", "every judge gave all items one value")
    from scipy.special import chdtrc

    statistic = m * (n - 1) * estimate
    dropped = given.items - n
    result = Coefficient(
        estimate,
        level=limits.level,
        name="Kendall's W",
        n=n,
        judges=m,
        statistic=statistic,
        df=(n - 1.0,),
        p=float(chdtrc(n - 1, statistic)),
        notes=(f"items without a rating by every judge left out ({dropped:,})",) if dropped else (),
    )

    # W is a mean rank correlation moved to the range from 0 to 1; on that correlation's z scale it is nearly normal.
    def forward(value: float) -> float:
        return _z(float(m * value - 1) / (m - 1))

    def back(value: float) -> float:
        return max(0.0, float(1 + (m - 1) * math.tanh(value)) / m)

    def concordance(items: Any) -> float:
        return _concordance(ratings.codes[items])

    return with_limits(result, _limits(concordance, n, limits, forward, back))


def _limits(statistic: Any, items: int, limits: Limits, forward: Any, back: Any) -> dict[str, Any]:
    if limits.method == "none":
        return {}
    if limits.method == "bootstrap":
        return resampled(statistic, items, limits)
    return left_out(statistic, items, limits, forward=forward, back=back)


def _z(correlation: float) -> float:
    """Fisher's z; NaN at -1 and 1 (W = 0 of two judges is a correlation of -1), where it is not defined."""
    return math.atanh(correlation) if abs(correlation) < 1 - EDGE else math.nan


def _positions(ratings: Ratings) -> Array:
    """The categories as numbers, or their places in the order that was declared."""
    if not ratings.ordered:
        raise InputError("a correlation needs numbers, or labels whose order was declared; the ratings are labels")
    return np.arange(1.0, len(ratings.categories) + 1) if ratings.numbers is None else ratings.numbers


def _pair(first: Codes, second: Codes, numbers: Array, kind: Kind, items: Any = None) -> float:
    """The correlation of two judges on the items (all of them, or a selection) that both rated; NaN if undefined."""
    if items is not None:
        first, second = first[items], second[items]
    both = (first >= 0) & (second >= 0)
    if not both.all():
        first, second = first[both], second[both]
    if len(first) < ENOUGH:
        return math.nan
    size = len(numbers)
    if kind == "pearson":
        return pearson(numbers[first], numbers[second])
    if size * size <= FEW_CELLS:
        table = np.bincount(first * size + second, minlength=size * size).reshape(size, size)
        return _table_spearman(table) if kind == "spearman" else _table_tau(table)
    if kind == "spearman":
        return pearson(_ranks(first), _ranks(second))
    from scipy.stats import kendalltau

    return float(kendalltau(first, second, method="asymptotic").statistic)


def pearson(first: Array, second: Array) -> float:
    """Pearson's r; NaN where a side does not vary."""
    if not (_varies(first) and _varies(second)):
        return math.nan
    a, b = first - first.mean(), second - second.mean()
    # Squares of huge or tiny values would leave the range of floats.
    a, b = a / np.abs(a).max(), b / np.abs(b).max()
    return max(-1.0, min(1.0, float(a @ b) / math.sqrt(float(a @ a) * float(b @ b))))


def spearman(first: Array, second: Array) -> float:
    """Spearman's rho, mean ranks for ties; NaN where a side does not vary."""
    return pearson(_ranks(_places(first)), _ranks(_places(second)))


def _places(values: Array) -> Codes:
    return np.asarray(np.unique(values, return_inverse=True)[1], dtype=np.int64)


def _varies(values: Array) -> bool:
    return bool(np.any(values != values[0]))


def _ranks(codes: Codes) -> Array:
    """Mean ranks; the codes are in the order of the values."""
    tally = np.bincount(codes)
    return np.asarray((np.cumsum(tally) - (tally - 1) / 2)[codes])


def _table_spearman(table: NDArray[np.int64]) -> float:
    n = float(table.sum())
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    a, b = (np.cumsum(margin) - margin / 2 - n / 2 for margin in (rows, columns))
    spread = float(rows @ a**2) * float(columns @ b**2)
    return max(-1.0, min(1.0, float(a @ table @ b) / math.sqrt(spread))) if spread > 0 else math.nan


def _table_tau(table: NDArray[np.int64]) -> float:
    counts = table.astype(np.float64)
    n = counts.sum()
    below = counts[::-1].cumsum(axis=0)[::-1]  # this row and later ones
    later = np.zeros_like(counts)
    later[:-1] = below[1:]
    after = later[:, ::-1].cumsum(axis=1)[:, ::-1]
    before = later.cumsum(axis=1)
    concordant = float(np.sum(counts[:, :-1] * after[:, 1:]))
    discordant = float(np.sum(counts[:, 1:] * before[:, :-1]))
    pairs = n * (n - 1) / 2
    tied = [float(np.sum(margin * (margin - 1)) / 2) for margin in (counts.sum(axis=1), counts.sum(axis=0))]
    spread = (pairs - tied[0]) * (pairs - tied[1])
    return (concordant - discordant) / math.sqrt(spread) if spread > 0 else math.nan


def _concordance(codes: Codes) -> float:
    n, m = codes.shape
    sums, ties = np.zeros(n), 0.0
    for judge in range(m):
        tally = np.bincount(codes[:, judge])
        sums += (np.cumsum(tally) - (tally - 1) / 2)[codes[:, judge]]
        ties += float(np.sum(tally.astype(np.float64) ** 3 - tally))
    below = m * m * (float(n) ** 3 - n) - m * ties
    return 12 * float(np.sum((sums - sums.mean()) ** 2)) / below if below > 0 else math.nan
