"""Coefficients of correlation between two vectors: Pearson, Spearman, Kendall's tau-b and tau-c.

Each equals the function of the same name in scipy.stats (`pearsonr`, `spearmanr`, `kendalltau` with variant b
or c) where that one is defined; a pair with a missing value (NaN) is left out, and a vector that is constant
or shorter than two gives NaN. Every coefficient has three forms: `pearson(x, y)` for one pair of vectors,
`weighted_pearson(x, y, weights)` for one pair of vectors whose points are drawn several times or not at all
(the bootstrap: no draw is sorted again), and `batch_pearson(x, y)` for many pairs of complete vectors at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.correlation.inversions import Inversions

Integers = NDArray[np.int64]

CHUNK = 1 << 20  # numbers in a working array: 8 MB
EVERYDAY = 1e30  # largest values between this and its inverse can be squared as they are
FLAT = 1e-12  # share of the sum of squares below which a resampled variance is rounding error


def pearson(x: Any, y: Any) -> float:
    """Pearson's product-moment correlation.

    Args:
        x: one score for each output; None or NaN where it is missing
        y: the other side's scores of the same outputs

    >>> round(pearson([1, 2, 3, 4], [1, 3, 2, 5]), 3)
    0.832
    """
    return _single(weighted_pearson, x, y)


def spearman(x: Any, y: Any) -> float:
    """Spearman's rank correlation: Pearson's of the ranks, ties sharing their mean rank.

    Args:
        x: one score for each output; None or NaN where it is missing
        y: the other side's scores of the same outputs

    >>> round(spearman([1, 2, 3, 4], [1, 3, 2, 9]), 3)
    0.8
    """
    return _single(weighted_spearman, x, y)


def kendall_b(x: Any, y: Any) -> float:
    """Kendall's tau-b: concordant minus discordant pairs, with a correction for ties on either side.

    Args:
        x: one score for each output; None or NaN where it is missing
        y: the other side's scores of the same outputs

    >>> round(kendall_b([1, 2, 3, 4], [1, 3, 2, 2]), 3)
    0.183
    """
    return _single(weighted_kendall_b, x, y)


def kendall_c(x: Any, y: Any) -> float:
    """Stuart's tau-c: for scales with different numbers of distinct values.

    Args:
        x: one score for each output; None or NaN where it is missing
        y: the other side's scores of the same outputs

    >>> round(kendall_c([1, 2, 2, 1], [1, 3, 2, 2]), 3)
    0.75
    """
    return _single(weighted_kendall_c, x, y)


def kendall_counts(x: Any, y: Any) -> KendallCounts:
    """How many pairs of points agree, disagree or tie, in O(n log n)."""
    first, second = complete(x, y)
    return KendallCounts.of(Inversions(first, second), np.ones((1, len(first))))


class KendallCounts:
    """Pairs of points, one number per draw: all, discordant, tied in x, tied in y, tied in both."""

    def __init__(self, total: Array, discordant: Array, x_ties: Array, y_ties: Array, both: Array) -> None:
        self.total, self.discordant = total, discordant
        self.x_ties, self.y_ties, self.both = x_ties, y_ties, both

    @classmethod
    def of(cls, data: Inversions, weights: Array) -> KendallCounts:
        """The counts when point i stands weights[draw, i] times."""
        size = weights.sum(axis=1)
        return cls(
            size * (size - 1) / 2,
            data.discordant(weights),
            _pairs_within(data.x_classes(weights)),
            _pairs_within(data.y_classes(weights)),
            _pairs_within(data.joint_classes(weights)),
        )

    @property
    def concordant(self) -> Array:
        """Pairs in the same order on both sides."""
        return self.total - self.x_ties - self.y_ties + self.both - self.discordant

    def tau_b(self) -> Array:
        """Kendall's tau-b; NaN where one side is constant."""
        free = (self.total - self.x_ties) * (self.total - self.y_ties)
        return _bounded((self.concordant - self.discordant) / np.sqrt(np.where(free > 0, free, np.nan)))

    def tau_c(self, distinct: Array, size: Array) -> Array:
        """Stuart's tau-c, given the smaller number of distinct values and of points; NaN for a constant side."""
        classes = np.where(distinct > 1, distinct, np.nan)
        return np.asarray(2 * (self.concordant - self.discordant) * classes / (size**2 * (classes - 1)))


def weighted_pearson(x: Array, y: Array, weights: Array) -> Array:
    """Pearson's correlation of each draw: point i stands weights[draw, i] times."""
    if len(x) < 2 or _constant(x) or _constant(y):
        return np.full(len(weights), np.nan)
    x, y = unit_scale(x), unit_scale(y)
    a, b = x - x.mean(), y - y.mean()
    moments = np.stack([np.ones_like(a), a, b, a * a, b * b, a * b], axis=1)
    return pearson_of_sums(weights @ moments)


def pearson_of_sums(sums: Array) -> Array:
    """Pearson's correlation from sums (..., 6) over points: 1, x, y, xx, yy, xy; x and y roughly centred."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        var_x, var_y = xx - x * x / n, yy - y * y / n
        var_x = np.where(var_x > FLAT * xx, var_x, np.nan)
        var_y = np.where(var_y > FLAT * yy, var_y, np.nan)
        return _bounded((xy - x * y / n) / np.sqrt(var_x * var_y))


def moments(human: Array, metric: Array) -> Array | None:
    """1, x, y, xx, yy, xy of each point (groups, members), zero where missing; None where one side is constant."""
    present = ~np.isnan(human)
    if present.sum() < 2:
        return None
    x, y = human[present], metric[present]
    if (x == x[0]).all() or (y == y[0]).all():
        return None
    a = np.where(present, human - x.mean(), 0.0)
    b = np.where(present, metric - y.mean(), 0.0)
    return np.stack([present.astype(np.float64), a, b, a * a, b * b, a * b], axis=-1)


def weighted_spearman(x: Array, y: Array, weights: Array) -> Array:
    """Spearman's correlation of each draw, the mean ranks being those within the draw."""
    if len(x) < 2 or _constant(x) or _constant(y):
        return np.full(len(weights), np.nan)
    result = np.empty(len(weights))
    x_order, y_order = _Ranking(x), _Ranking(y)
    for part in chunks(len(weights), 4 * len(x)):
        drawn = weights[part]
        n = drawn.sum(axis=1, keepdims=True)
        middle = (n + 1) / 2
        a, b = x_order.ranks(drawn) - middle, y_order.ranks(drawn) - middle
        with np.errstate(invalid="ignore", divide="ignore"):
            top = np.einsum("dn,dn,dn->d", drawn, a, b)
            bottom = np.einsum("dn,dn,dn->d", drawn, a, a) * np.einsum("dn,dn,dn->d", drawn, b, b)
            result[part] = _bounded(top / np.sqrt(np.where(bottom > 0, bottom, np.nan)))
    return result


def weighted_kendall_b(x: Array, y: Array, weights: Array) -> Array:
    """Kendall's tau-b of each draw."""
    data = Inversions(x, y)
    parts = [KendallCounts.of(data, weights[part]).tau_b() for part in chunks(len(weights), len(x))]
    return np.concatenate(parts)


def weighted_kendall_c(x: Array, y: Array, weights: Array) -> Array:
    """Stuart's tau-c of each draw: only the values that were drawn count as classes."""
    data = Inversions(x, y)
    parts = []
    for part in chunks(len(weights), len(x)):
        drawn = weights[part]
        known = [(classes > 0).sum(axis=1) for classes in (data.x_classes(drawn), data.y_classes(drawn))]
        distinct = np.minimum(*known).astype(np.float64)
        parts.append(KendallCounts.of(data, drawn).tau_c(distinct, drawn.sum(axis=1)))
    return np.concatenate(parts)


def batch_pearson(x: Array, y: Array) -> Array:
    """Pearson's correlation along the last axis of complete arrays; leading axes broadcast."""
    if x.shape[-1] < 2:
        return np.full(np.broadcast_shapes(x.shape[:-1], y.shape[:-1]), np.nan)
    x, y = unit_scale(x), unit_scale(y)
    a, b = x - x.mean(axis=-1, keepdims=True), y - y.mean(axis=-1, keepdims=True)
    a2, b2 = np.einsum("...n,...n->...", a, a), np.einsum("...n,...n->...", b, b)
    flat_x = (x == x[..., :1]).all(axis=-1)
    flat_y = (y == y[..., :1]).all(axis=-1)
    free = np.where(flat_x, np.nan, a2) * np.where(flat_y, np.nan, b2)
    with np.errstate(invalid="ignore", divide="ignore"):
        return _bounded(np.einsum("...n,...n->...", a, b) / np.sqrt(free))


def batch_spearman(x: Array, y: Array) -> Array:
    """Spearman's correlation along the last axis of complete arrays."""
    return batch_pearson(mean_ranks(x), mean_ranks(y))


def batch_kendall_b(x: Array, y: Array) -> Array:
    """Kendall's tau-b along the last axis of complete arrays."""
    return _by_row(weighted_kendall_b, _pairs_kendall_b, x, y)


def batch_kendall_c(x: Array, y: Array) -> Array:
    """Stuart's tau-c along the last axis of complete arrays."""
    return _by_row(weighted_kendall_c, None, x, y)


def complete(x: Any, y: Any) -> tuple[Array, Array]:
    """The pairs both of whose values are present; refuses unequal lengths and infinite values."""
    first, second = vector(x), vector(y)
    if len(first) != len(second):
        raise InputError(f"two vectors to correlate must be equally long; got {len(first)} and {len(second)} values")
    present = ~(np.isnan(first) | np.isnan(second))
    return first[present], second[present]


def vector(values: Any) -> Array:
    """Numbers as one flat array of float64; None and NaN mean missing."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"scores to correlate must be numbers, or None where missing: {error}") from None
    if array.ndim != 1:
        raise InputError(f"expected one flat list of scores; got an array of {array.ndim} dimensions")
    if np.isinf(array).any():
        raise InputError("a score to correlate is infinite: give a finite number, or NaN where it is missing")
    return array


def unit_scale(x: Array) -> Array:
    """The values over a power of two, so that the largest lies in [0.5, 1): squares of very large or very small ones
    would leave the range of floats, and a power of two changes no digit."""
    return _over_power(x, np.abs(x).max(axis=-1, keepdims=True, initial=0.0))


def whole_scale(x: Array) -> Array:
    """As `unit_scale`, one power for the whole array, in which NaN means missing."""
    return _over_power(x, np.fmax.reduce(np.abs(x), axis=None, initial=0.0, keepdims=True))


def _over_power(x: Array, largest: Array) -> Array:
    if ((largest < EVERYDAY) & ((largest > 1 / EVERYDAY) | (largest == 0))).all():
        return x
    return np.ldexp(x, -np.frexp(largest)[1])


def mean_ranks(x: Array) -> Array:
    """Ranks along the last axis from 1 up; ties share the mean of their ranks."""
    order = np.argsort(x, axis=-1, kind="stable")
    ordered = np.take_along_axis(x, order, axis=-1)
    starts = np.ones(x.shape, dtype=bool)
    starts[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    place = np.arange(x.shape[-1])
    first = np.maximum.accumulate(np.where(starts, place, 0), axis=-1)
    ends = np.ones(x.shape, dtype=bool)
    ends[..., :-1] = starts[..., 1:]
    last = np.minimum.accumulate(np.where(ends, place, x.shape[-1])[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(x.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1.0, axis=-1)
    return ranks


class _Ranking:
    """Sorts a vector once, then ranks it under any weights."""

    def __init__(self, x: Array) -> None:
        self.order = np.argsort(x, kind="stable")
        ordered = x[self.order]
        new = np.r_[True, ordered[1:] != ordered[:-1]]
        self.starts = np.flatnonzero(new)
        self.place = np.empty(len(x), dtype=np.int64)
        self.place[self.order] = np.cumsum(new) - 1  # the class of each point

    def ranks(self, weights: Array) -> Array:
        size = np.add.reduceat(weights[:, self.order], self.starts, axis=1)
        middle = np.cumsum(size, axis=1) - (size - 1) / 2
        return middle[:, self.place]


def _single(form: Callable[[Array, Array, Array], Array], x: Any, y: Any) -> float:
    first, second = complete(x, y)
    if len(first) < 2:
        return float("nan")
    return float(form(first, second, np.ones((1, len(first))))[0])


def _by_row(
    long: Callable[[Array, Array, Array], Array],
    short: Callable[[Array, Array], Array] | None,
    x: Array,
    y: Array,
) -> Array:
    """Kendall's tau of many rows: from all pairs where rows are short, by counting inversions where long."""
    shape = np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    n = x.shape[-1]
    if n < 2:
        return np.full(shape, np.nan)
    flat_x = np.broadcast_to(x, (*shape, n)).reshape(-1, n)
    flat_y = np.broadcast_to(y, (*shape, n)).reshape(-1, n)
    if short is not None and n <= 64:
        step = max(1, CHUNK // (n * n))
        parts = [short(flat_x[k : k + step], flat_y[k : k + step]) for k in range(0, len(flat_x), step)]
        return np.concatenate(parts).reshape(shape) if parts else np.empty(shape)
    one = np.ones((1, n))
    return np.array([long(a, b, one)[0] for a, b in zip(flat_x, flat_y, strict=True)]).reshape(shape)


def _pairs_kendall_b(x: Array, y: Array) -> Array:
    left, right = np.triu_indices(x.shape[-1], 1)
    a = np.sign(x[:, left] - x[:, right])
    b = np.sign(y[:, left] - y[:, right])
    free = np.einsum("rp,rp->r", a, a) * np.einsum("rp,rp->r", b, b)
    return _bounded(np.einsum("rp,rp->r", a, b) / np.sqrt(np.where(free > 0, free, np.nan)))


def _pairs_within(classes: Array) -> Array:
    """Pairs whose points lie in the same class, given the sizes of the classes (draws, classes)."""
    return np.asarray((classes * (classes - 1)).sum(axis=1) / 2)


def chunks(rows: int, width: int, most: int = CHUNK) -> Iterator[slice]:
    """A few rows at a time, so that `width` numbers a row stay within so many."""
    step = max(1, most // max(width, 1))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))


def _constant(x: Array) -> bool:
    return bool((x == x[0]).all())


def _bounded(r: Array) -> Array:
    """Rounding may carry a perfect correlation past 1."""
    return np.clip(r, -1.0, 1.0)
