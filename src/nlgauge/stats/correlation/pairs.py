"""Statistics that count pairs of outputs: does the metric order them as people do?

* WMT's Kendall-like tau (DARR): (concordant - discordant) / all pairs people told apart; a tie of the metric
  is discordant, because a metric is asked for a preference. People tell two outputs of an item apart where their
  ratings differ by more than a margin: 25 points of direct assessment, 0 to 100, at WMT18 and WMT19 (Ma et al. 2019).
* Pairwise accuracy with ties (Deutsch, Foster and Freitag 2023; `acc23` in mt-metrics-eval): a pair is right
  when both sides prefer the same output or both call a tie. `tau-23` is 2 * acc23 - 1.
* acc*eq: the same after tie calibration: metric differences up to a threshold count as ties, and the threshold
  is the one that serves the metric best. The optimum is exact: the accuracy changes only where a threshold
  passes the difference of some pair, so the differences are sorted once and all thresholds tried.
* Soft pairwise accuracy (Thompson et al. 2024; `PairwiseConfidenceError` in mt-metrics-eval) compares how sure
  people and metric are that one system beats another: 1 - mean |p of people - p of metric|.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.correlation.coefficients import complete, kendall_counts, vector

MAX_PAIRS = 20_000_000  # pairs listed one by one: about 600 MB while they are sorted
CHUNK = 1 << 22
DARR_MARGIN = 25.0


@dataclass(frozen=True)
class PairCounts:
    """Pairs told apart by people, and how many of them the metric orders alike or otherwise."""

    concordant: int
    discordant: int

    @property
    def pairs(self) -> int:
        """All pairs counted."""
        return self.concordant + self.discordant

    @property
    def tau(self) -> float:
        """(concordant - discordant) / pairs; NaN without pairs."""
        return (self.concordant - self.discordant) / self.pairs if self.pairs else math.nan


def kendall_like(better: Any, worse: Any) -> PairCounts:
    """WMT's Kendall-like tau of pairs given as the metric's scores of the better and of the worse output."""
    first, second = complete(better, worse)
    concordant = int((first > second).sum())
    return PairCounts(concordant, len(first) - concordant)


def told_apart(differences: Array, margin: float) -> NDArray[np.bool_]:
    """Which pairs people tell apart: those whose ratings differ by more than the margin, not by rounding alone."""
    return np.asarray(np.abs(differences) > margin * (1 + 1e-12))


def darr_pairs(ratings: Any, items: Sequence[Hashable], margin: float = DARR_MARGIN) -> NDArray[np.int64]:
    """(n, 2): places of the better and the worse of each two outputs of an item that people tell apart.

    Outputs of different items are never paired; an output without a rating (NaN, None) is in no pair.

    >>> darr_pairs([90, 60, 65, 10], ["a", "a", "a", "b"]).tolist()
    [[0, 1]]
    """
    _check_threshold(margin)
    scores = vector(ratings)
    if len(scores) != len(items):
        raise InputError(f"every rating needs its item; got {len(scores):,} ratings and {len(items):,} items")
    places: dict[Hashable, list[int]] = {}
    for place, item in enumerate(items):
        if not math.isnan(scores[place]):
            places.setdefault(item, []).append(place)
    found = [np.zeros((0, 2), dtype=np.int64)]
    for own in map(np.array, places.values()):
        first, second = (own[side] for side in np.triu_indices(len(own), 1))
        gaps = scores[first] - scores[second]
        ordered = np.where((gaps > 0)[:, None], np.stack([first, second], 1), np.stack([second, first], 1))
        found.append(ordered[told_apart(gaps, margin)])
    return np.concatenate(found)


def kendall_like_from_scores(human: Any, metric: Any, threshold: float = DARR_MARGIN) -> PairCounts:
    """The same from scores of one item, or of outputs that may all be compared: `threshold` is the margin."""
    _check_threshold(threshold)
    table = PairTable(*(side[None, :] for side in complete(human, metric)))
    counted = told_apart(table.human, threshold)
    concordant = int((np.sign(table.human) == np.sign(table.metric))[counted].sum())
    return PairCounts(concordant, int(counted.sum()) - concordant)


def agreement(human: Any, metric: Any) -> tuple[int, int]:
    """Pairs ordered (or tied) alike by both sides, and all pairs; in O(n log n)."""
    first, second = complete(human, metric)
    if len(first) < 2:
        return 0, 0
    counts = kendall_counts(first, second)
    return round(float((counts.concordant + counts.both)[0])), round(float(counts.total[0]))


def accuracy_23(human: Any, metric: Any, epsilon: float = 0.0) -> float:
    """Pairwise accuracy with ties; metric differences up to `epsilon` count as ties. NaN below two points."""
    _check_threshold(epsilon)
    if epsilon == 0:
        agree, pairs = agreement(human, metric)
        return agree / pairs if pairs else math.nan
    first, second = complete(human, metric)
    if len(first) < 2:
        return math.nan
    return PairTable(first[None, :], second[None, :]).accuracy(epsilon)


def tau_23(human: Any, metric: Any, epsilon: float = 0.0) -> float:
    """Deutsch, Foster and Freitag's tau: pairs right minus pairs wrong, over all pairs."""
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
        for start in range(0, draws, step := max(1, CHUNK // max(len(self.group), 1))):
            part = slice(start, start + step)
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


def soft_pairwise_accuracy(
    human: Any, metric: Any, *, draws: int = 1000, seed: int = 12345, exact: bool | None = None
) -> float:
    """Soft pairwise accuracy of (systems, items) scores; NaN where no two systems share an item.

    p-values by paired permutation of items with the draws of mt-metrics-eval for the same seed (its own is 4);
    `exact` enumerates all sign patterns, by default where there are no more of them than draws.
    """
    first, second = np.asarray(human, dtype=np.float64), np.asarray(metric, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 2:
        raise InputError(
            f"soft pairwise accuracy needs (systems, items) scores of one shape; got {first.shape}, {second.shape}"
        )
    missing = np.isnan(first) | np.isnan(second)
    distance = np.abs(
        _confidence(np.where(missing, np.nan, first), draws, seed, exact)
        - _confidence(np.where(missing, np.nan, second), draws, seed, exact)
    )
    distance = distance[~np.isnan(distance)]
    return float(1 - distance.mean()) if len(distance) else math.nan


def pairwise_p_values(scores: Any, *, draws: int = 1000, seed: int = 12345, exact: bool | None = None) -> Array:
    """One-sided p-values that system i is better than system j, as a matrix: the upper triangle is filled."""
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim != 2:
        raise InputError(f"expected (systems, items) scores; got an array of {array.ndim} dimensions")
    result = np.full((len(array), len(array)), np.nan)
    result[np.triu_indices(len(array), 1)] = _confidence(array, draws, seed, exact)
    return result


def _confidence(scores: Array, draws: int, seed: int, exact: bool | None) -> Array:
    """Share of random swaps that favour the first system at least as much as the data, for each pair."""
    systems, items = scores.shape
    left, right = np.triu_indices(systems, 1)
    if exact is None:
        exact = items < 31 and 1 << items <= draws
    signs = _all_signs(items) if exact else _random_signs(draws, items, seed)
    result = np.empty(len(left))
    step = max(1, CHUNK // max(items, len(signs)))
    for start in range(0, len(left), step):
        part = slice(start, start + step)
        difference = scores[left[part]] - scores[right[part]]
        present = ~np.isnan(difference)
        difference = np.where(present, difference, 0.0)
        observed = difference.sum(axis=1)
        # A swap that changes nothing gives the same sum in another order: equal up to rounding.
        slack = 1e-12 * np.abs(difference).sum(axis=1)
        as_large = (signs @ difference.T >= observed - slack).mean(axis=0)
        result[part] = np.where(present.any(axis=1), as_large, np.nan)
    return result


def _random_signs(draws: int, items: int, seed: int) -> Array:
    if draws < 1:
        raise InputError(f"a permutation test needs at least 1 draw; got {draws}")
    coins = np.rint(np.random.default_rng(seed).random(size=(draws, items), dtype=np.float32))
    return 2.0 * coins.astype(np.float64) - 1.0


def _all_signs(items: int) -> Array:
    patterns = np.arange(1 << items)[:, None] >> np.arange(items)[None, :]
    return np.asarray(2.0 * (patterns & 1) - 1.0, dtype=np.float64)


def _check_threshold(threshold: float) -> None:
    if not threshold >= 0:
        raise InputError(f"a tie threshold must be 0 or more; got {threshold}")
