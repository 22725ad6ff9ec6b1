"""Statistics that count pairs of outputs: does the metric order them as people do?

* WMT's Kendall-like tau of scores (of pairs: see `darr`).
* Pairwise accuracy with ties (Deutsch, Foster and Freitag 2023; `acc23` in mt-metrics-eval): a pair is right
  when both sides prefer the same output or both call a tie. `tau-23` is 2 * acc23 - 1.
* acc*eq: the same after tie calibration: metric differences up to a threshold count as ties, and the threshold
  is the one that serves the metric best. The optimum is exact: the accuracy changes only where a threshold
  passes the difference of some pair, so the differences are sorted once and all thresholds tried.
* Pearson's r of the differences of all pairs within groups, each pair in both directions (`pearson-pdp`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.correlation.coefficients import (
    KendallCounts,
    chunks,
    complete,
    kendall_counts,
    moments,
    pearson_of_sums,
    vector,
)
from nlgauge.stats.correlation.darr import DARR_MARGIN, PairCounts, check_threshold, told_apart
from nlgauge.stats.correlation.inversions import Inversions

MAX_PAIRS = 20_000_000  # pairs listed one by one: about 600 MB while they are sorted
CHUNK = 1 << 22
LISTED = 256  # members of a group up to which all their pairs are listed in every draw


def kendall_like_from_scores(human: Any, metric: Any, threshold: float = DARR_MARGIN) -> PairCounts:
    """The same from scores of one item, or of outputs that may all be compared: `threshold` is the margin.

    Args:
        human: people's scores of outputs that may all be compared
        metric: the metric's scores of the same outputs
        threshold: the difference of people's scores up to which a pair is not counted

    >>> kendall_like_from_scores([90, 60, 20], [0.8, 0.9, 0.1])
    PairCounts(concordant=2, discordant=1)
    """
    check_threshold(threshold)
    table = PairTable(*(side[None, :] for side in complete(human, metric)))
    counted = told_apart(table.human, threshold)
    concordant = int((np.sign(table.human) == np.sign(table.metric))[counted].sum())
    return PairCounts(concordant, int(counted.sum()) - concordant)


def agreement(human: Any, metric: Any) -> tuple[int, int]:
    """Pairs ordered (or tied) alike by both sides, and all pairs; in O(n log n).

    Args:
        human: people's scores
        metric: the metric's scores of the same outputs

    >>> agreement([1, 2, 3], [0.1, 0.3, 0.2])
    (2, 3)
    """
    first, second = complete(human, metric)
    if len(first) < 2:
        return 0, 0
    counts = kendall_counts(first, second)
    return round(float((counts.concordant + counts.both)[0])), round(float(counts.total[0]))


def accuracy_23(human: Any, metric: Any, epsilon: float = 0.0) -> float:
    """Pairwise accuracy with ties; metric differences up to `epsilon` count as ties. NaN below two points.

    Args:
        human: people's scores
        metric: the metric's scores of the same outputs
        epsilon: the difference of the metric's scores up to which two outputs are tied

    >>> accuracy_23([1, 1, 2], [0.1, 0.2, 0.5]), accuracy_23([1, 1, 2], [0.1, 0.2, 0.5], epsilon=0.1)
    (0.6666666666666666, 1.0)
    """
    check_threshold(epsilon)
    if epsilon == 0:
        agree, pairs = agreement(human, metric)
        return agree / pairs if pairs else math.nan
    first, second = complete(human, metric)
    if len(first) < 2:
        return math.nan
    return PairTable(first[None, :], second[None, :]).accuracy(epsilon)


def tau_23(human: Any, metric: Any, epsilon: float = 0.0) -> float:
    """Deutsch, Foster and Freitag's tau: pairs right minus pairs wrong, over all pairs.

    Args:
        human: people's scores
        metric: the metric's scores of the same outputs
        epsilon: the difference of the metric's scores up to which two outputs are tied

    >>> tau_23([1, 1, 2, 3], [0.1, 0.2, 0.5, 0.5])
    0.33333333333333326
    """
    return 2 * accuracy_23(human, metric, epsilon) - 1


@dataclass(frozen=True)
class Calibrated:
    """The best accuracy over all tie thresholds, and the smallest threshold that reaches it."""

    accuracy: float
    epsilon: float


def accuracy_eq(human: Any, metric: Any) -> Calibrated:
    """acc*eq: pairwise accuracy with ties at the best threshold.

    Vectors are one group of points; (groups, members) arrays compare within groups only and average the
    groups' accuracies, with one threshold for all of them.

    Args:
        human: people's scores, flat or (groups, members)
        metric: the metric's scores of the same outputs

    >>> accuracy_eq([1, 1, 2, 3], [0.25, 0.5, 1.0, 2.0])
    Calibrated(accuracy=0.9999999999999999, epsilon=0.25)
    """
    first, second = np.asarray(human, dtype=np.float64), np.asarray(metric, dtype=np.float64)
    if first.ndim == 1:
        first, second = vector(human)[None, :], vector(metric)[None, :]
    if first.shape != second.shape or first.ndim != 2:
        raise InputError(f"tie calibration needs two arrays of one shape; got {first.shape} and {second.shape}")
    return PairTable(first, second).calibrated()


class PairTable:
    """All pairs of points within groups, with the differences on both sides.

    `human` and `metric` are (groups, members) arrays; a pair with a missing value is left out. Weights say how
    often groups and members stand in a bootstrap draw; a point is never paired with its own copy, which would
    be a tie on both sides and count as agreement.
    """

    def __init__(self, human: Array, metric: Array) -> None:
        groups, members = human.shape
        pairs = groups * members * (members - 1) // 2
        if pairs > MAX_PAIRS:
            raise InputError(
                f"groups of {members:,} outputs make too many pairs to list ({pairs:,}; at most {MAX_PAIRS:,}): "
                "compare outputs within items (average='item')"
            )
        self.groups = groups
        self.present = ~np.isnan(human + metric)
        left, right = np.triu_indices(members, 1)
        group, pair = np.nonzero(self.present[:, left] & self.present[:, right])
        self.group, self.left, self.right = group, left[pair], right[pair]
        self.human = human[group, self.left] - human[group, self.right]
        self.metric = metric[group, self.left] - metric[group, self.right]

    @property
    def right_order(self) -> NDArray[np.bool_]:
        """Which pairs both sides order, or tie, alike."""
        return np.asarray(np.sign(self.human) == np.sign(self.metric))

    def factors(self, group_weights: Array | None, member_weights: Array | None) -> Array:
        """Weight of one pair of each group in the mean over groups, (draws, groups); zero without pairs."""
        draws = next((len(w) for w in (group_weights, member_weights) if w is not None), 1)
        if group_weights is None:
            group_weights = np.ones((draws, self.groups))
        counts = np.ones((1, self.present.shape[1])) if member_weights is None else member_weights
        mask = self.present.astype(np.float64).T
        size = ((counts @ mask) ** 2 - (counts**2) @ mask) / 2  # pairs of different members in the draw
        weight = np.where(size > 0, group_weights, 0.0)
        total = weight.sum(axis=1, keepdims=True)
        return np.asarray(weight / np.where(size > 0, size, 1.0) / np.where(total > 0, total, 1.0))

    def shares(self, factors: Array, member_weights: Array | None, which: NDArray[np.intp]) -> Array:
        """Weight of some pairs in the mean over groups of the groups' accuracies, (draws, pairs)."""
        pairs = factors[:, self.group[which]]
        if member_weights is not None:
            pairs *= member_weights[:, self.left[which]]
            pairs *= member_weights[:, self.right[which]]
        return pairs

    def accuracy(self, epsilon: float = 0.0) -> float:
        """Pairwise accuracy with ties under a fixed threshold, averaged over groups."""
        return float(np.nanmean(self.by_group(epsilon))) if len(self.group) else math.nan

    def by_group(self, epsilon: float) -> Array:
        """Accuracy of each group under a fixed threshold; NaN for a group without pairs."""
        tied = np.abs(self.metric) <= epsilon
        right = np.where(tied, self.human == 0, np.sign(self.human) == np.sign(self.metric))
        size = np.bincount(self.group, minlength=self.groups)
        total = np.bincount(self.group, right, minlength=self.groups)
        return np.where(size > 0, total / np.maximum(size, 1), np.nan)

    def calibrated(self) -> Calibrated:
        """The best accuracy over all thresholds, and the smallest threshold that reaches it."""
        if not len(self.group):
            return Calibrated(math.nan, math.nan)
        moving, change, settled = self._sweep()
        factors = self.factors(None, None)
        shares = self.shares(factors, None, moving)[0]
        start = shares @ (change < 0) + self.shares(factors, None, settled).sum()
        size = np.abs(self.metric[moving])
        # A threshold turns all pairs of one size into ties, so it lies after the last of them.
        last = np.flatnonzero(np.r_[size[1:] != size[:-1], True][: len(size)])
        accuracies = start + np.r_[0.0, np.cumsum(shares * change)[last]]
        # Sums in different orders differ in their last bits: equal accuracies are those equal up to these.
        place = int(np.argmax(accuracies >= accuracies.max() - 1e-12))
        return Calibrated(float(accuracies[place]), float(np.r_[0.0, size[last]][place]))

    def calibrated_draws(self, group_weights: Array | None, member_weights: Array | None) -> Array:
        """The best accuracy of each bootstrap draw, calibrated anew in each."""
        draws = next((len(w) for w in (group_weights, member_weights) if w is not None), 1)
        result = np.full(draws, np.nan)
        moving, change, settled = self._sweep()
        for part in chunks(draws, len(self.group), CHUNK):
            groups = None if group_weights is None else group_weights[part]
            members = None if member_weights is None else member_weights[part]
            factors = self.factors(groups, members)
            shares = self.shares(factors, members, moving)
            at_zero = shares @ (change < 0).astype(np.float64)
            at_zero += self.shares(factors, members, settled).sum(axis=1)
            shares *= change
            np.cumsum(shares, axis=1, out=shares)
            result[part] = np.where(factors.any(axis=1), at_zero + shares.max(axis=1, initial=0.0), np.nan)
        return result

    def _sweep(self) -> tuple[NDArray[np.intp], Array, NDArray[np.intp]]:
        """Pairs whose verdict a threshold can change, as it passes them; the change; pairs tied on both sides.

        When the threshold reaches a pair it becomes a tie: a gain where people tie, a loss where the order was
        right. Among pairs of one size losses come first, so that no value between two thresholds is higher
        than both.
        """
        tie, right = self.human == 0, self.right_order
        change = tie.astype(np.float64) - right
        moving = np.flatnonzero(change)
        moving = moving[np.lexsort((change[moving], np.abs(self.metric[moving])))]
        return moving, change[moving], np.flatnonzero(tie & right)


# Forms of these statistics, which `statistic.py` puts together. Rows of two-dimensional arrays are groups, columns
# their members; `groups` and `members` say how often these stand in each draw.


class Pooled(NamedTuple):
    """A statistic of all groups together: how many of them have a pair, what a metric that knows nothing reaches, and
    up to which difference of the metric pairs are tied, where ties were calibrated."""

    value: float
    groups: int
    floor: float = 0.0
    threshold: float = math.nan


def weighted_accuracy(x: Array, y: Array, counts: Array) -> Array:
    """acc23 of each draw; a point is not paired with its own copies."""
    data = Inversions(x, y)
    result = np.empty(len(counts))
    for part in chunks(len(counts), 4 * len(x), CHUNK):
        some = counts[part]
        pairs = KendallCounts.of(data, some)
        copies = (some * (some - 1)).sum(axis=1) / 2
        total = np.where(pairs.total > copies, pairs.total - copies, np.nan)
        result[part] = (pairs.concordant + pairs.both - copies) / total
    return result


def batch_accuracy(x: Array, y: Array) -> Array:
    """acc23 of each row of complete arrays; one row may stand for all."""
    x, y = np.broadcast_arrays(x, y)
    if x.shape[-1] <= LISTED:
        return _right_share(x, y)
    once = np.ones((1, x.shape[-1]))
    return np.array([weighted_accuracy(*sides, once)[0] for sides in zip(x, y, strict=True)])


def batch_kendall_like(x: Array, y: Array, margin: float) -> Array:
    """WMT's tau of each row of a metric's scores `x` with one row of people's, `y`."""
    left, right = np.triu_indices(len(y), 1)
    counted = told_apart(y[left] - y[right], margin)
    return 2 * _right_share(x, np.broadcast_to(y, x.shape), counted) - 1


def _right_share(x: Array, y: Array, counted: NDArray[np.bool_] | None = None) -> Array:
    """The share of pairs of each row that both sides order, or tie, alike."""
    left, right = (side if counted is None else side[counted] for side in np.triu_indices(x.shape[-1], 1))
    share = np.full(len(x), np.nan)
    for part in chunks(len(x) if len(left) else 0, len(left), CHUNK):
        a, b = x[part], y[part]
        alike = np.sign(a[:, left] - a[:, right]) == np.sign(b[:, left] - b[:, right])
        share[part] = alike.mean(axis=1)
    return share


def accuracy_shares(human: Array, complete: NDArray[np.bool_]) -> Array:
    """What each pair (groups, pairs) adds to acc23 when it is ordered rightly."""
    size = complete.sum(axis=1, keepdims=True)
    return np.asarray(complete / np.maximum(size, 1) / max(int((size > 0).sum()), 1))


def kendall_like_shares(human: Array, complete: NDArray[np.bool_], margin: float) -> Array:
    """What each pair adds to WMT's tau when it is ordered rightly; `human` are people's differences."""
    counted = complete & told_apart(human, margin)
    return np.asarray(2.0 * counted / max(int(counted.sum()), 1))


def kendall_b_shares(human: Array, complete: NDArray[np.bool_]) -> Array:
    """What each pair adds to tau-b, of a metric without ties, when it is ordered rightly."""
    size, untied = complete.sum(axis=1, keepdims=True), (human != 0).sum(axis=1, keepdims=True)
    free = np.where(untied > 0, size * untied, 1)
    return np.asarray(2.0 * (complete & (untied > 0)) / np.sqrt(free) / max(int((untied > 0).sum()), 1))


def accuracy_floor(human: Array, metric: Array) -> float:
    """The pairwise accuracy to be expected of a metric that knows nothing, mean over groups.

    With a share t of the pairs tied by people and m by the metric, a random order gets m t + (1 - m)(1 - t) / 2 right.
    """
    used = (~np.isnan(human)).sum(axis=1) >= 2
    if not used.any():
        return math.nan
    ties, mine = _tied_share(human[used]), _tied_share(metric[used])
    return float((mine * ties + (1 - mine) * (1 - ties) / 2).mean())


def _tied_share(scores: Array) -> Array:
    """The share of pairs of each row that are equal."""
    shares = np.empty(len(scores))
    for row, values in enumerate(scores):
        counts = np.unique(values[~np.isnan(values)], return_counts=True)[1]
        n = counts.sum()
        shares[row] = (counts * (counts - 1)).sum() / (n * (n - 1))
    return shares


def pooled_accuracy_eq(human: Array, metric: Array) -> Pooled:
    """acc*eq with one threshold for all groups.

    Tie calibration may choose the metric's share of ties, so that the best of calling all pairs tied, t, and none,
    (1 - t) / 2, is what a metric that knows nothing reaches.
    """
    best = PairTable(human, metric).calibrated()
    used = (~np.isnan(human)).sum(axis=1) >= 2
    tied = float(_tied_share(human[used]).mean()) if used.any() else math.nan
    return Pooled(best.accuracy, int(used.sum()), max(tied, (1 - tied) / 2), best.epsilon)


def drawn_accuracy_eq(human: Array, metric: Array, groups: Array, members: Array | None) -> Array:
    """acc*eq of each draw."""
    return PairTable(human, metric).calibrated_draws(groups, members)


def accuracy_eq_of_groups(human: Array, metric: Array) -> Array:
    """The accuracy of each group under the metric's one threshold."""
    table = PairTable(human, metric)
    return table.by_group(table.calibrated().epsilon)


def pooled_kendall_like(human: Array, metric: Array, margin: float) -> Pooled:
    """WMT's tau over the pairs of all groups together.

    The metric's ties count as wrong, so a random order gets minus their share among the pairs that people told apart.
    """
    table = PairTable(human, metric)
    counted = told_apart(table.human, margin)
    right, used = table.right_order[counted], len(np.unique(table.group[counted]))
    if not len(right):
        return Pooled(math.nan, used, math.nan)
    return Pooled(float(2 * right.mean() - 1), used, 0.0 - float((table.metric[counted] == 0).mean()))


def drawn_kendall_like(human: Array, metric: Array, groups: Array, members: Array | None, margin: float) -> Array:
    """WMT's tau of each draw."""
    table = PairTable(human, metric)
    counted = told_apart(table.human, margin)
    sign = np.where(table.right_order, 1.0, -1.0)[counted]
    group, left, right = table.group[counted], table.left[counted], table.right[counted]
    result = np.empty(len(groups))
    for part in chunks(len(result), len(sign), CHUNK):
        weight = groups[part][:, group]
        if members is not None:
            weight = weight * members[part][:, left] * members[part][:, right]
        result[part] = ratio(weight @ sign, weight.sum(axis=1))
    return result


def pooled_differences(human: Array, metric: Array) -> Pooled:
    """Pearson's correlation of the differences of all pairs within groups, each pair in both directions.

    With both directions the means are zero; the sum over pairs of a group of n is n times its centred sum.
    """
    present = ~np.isnan(human)
    size = present.sum(axis=1, keepdims=True)
    x, y = (
        np.where(present, side - np.nansum(side, axis=1, keepdims=True) / np.maximum(size, 1), 0.0)
        for side in (human, metric)
    )
    weight = np.broadcast_to(size, x.shape)
    sums = [np.ones(()), np.zeros(()), np.zeros(())]
    sums += [(weight * a * b).sum() for a, b in ((x, x), (y, y), (x, y))]
    return Pooled(float(pearson_of_sums(np.array(sums, dtype=np.float64))), int((size >= 2).sum()))


def drawn_differences(human: Array, metric: Array, groups: Array, members: Array | None) -> Array:
    """The same of each draw."""
    features = moments(human, metric)
    if features is None:
        return np.full(len(groups), np.nan)
    totals = np.zeros((len(groups), 3))
    for row in range(len(human)):
        counts = np.ones((1, human.shape[1])) if members is None else members
        n, x, y, xx, yy, xy = (counts @ features[row]).T
        centred = np.stack([n * xx - x * x, n * yy - y * y, n * xy - x * y], axis=1)
        totals += groups[:, row, None] * centred
    free = totals[:, 0] * totals[:, 1]
    return np.asarray(np.clip(totals[:, 2] / np.sqrt(np.where(free > 0, free, np.nan)), -1, 1))


def ratio(top: Array, bottom: Array) -> Array:
    """NaN where the bottom is not positive."""
    return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1.0), np.nan)
