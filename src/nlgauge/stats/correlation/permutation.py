"""Permutation tests of Deutsch, Dror and Roth (2021): do two metrics correlate differently with people?

Both metrics are standardised; then a coin decides whether they swap their scores, and the difference of the two
correlations is computed anew. Under the null hypothesis the swaps make no difference. There is a coin for each output
(PERM-BOTH), for each item with all its outputs (PERM-INPUT), or for each system (PERM-SYS). Outputs of one item share
what a metric gets wrong about it (the reference, the topic), so that coins of their own make the test too liberal.

With s = +1 (keep) or -1 (swap), the mixed metric is (x + y)/2 + s (x - y)/2: every sum that a Pearson
correlation needs is a constant plus a half of the difference of two products of the same signs, one for each
metric. One matrix product, signs by features of all metrics, therefore serves all draws and all pairs of metrics.
Whether a pair of outputs is ordered rightly is a polynomial in its two signs; in the difference of two metrics
only its linear part is left, so the pairwise accuracies within groups need one matrix product too. tau-b also
needs the number of ties, which is quadratic. What has no such form is computed draw by draw.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.correlation.levels import Average, Level, group_values, system_means, without_dust
from nlgauge.stats.correlation.statistic import Shares, Statistic
from nlgauge.stats.correlation.statistic import statistic as statistic_called

Single = NDArray[np.float32]
Pair = tuple[int, int]
Swap = Literal["outputs", "items", "systems"]

CHUNK = 1 << 22  # numbers in a working array: 32 MB
SLACK = 1e-12  # a difference that equals the observed one up to rounding counts as equal
SHORT = 64  # members of a group up to which all their pairs are listed


@dataclass(frozen=True)
class Cells:
    """Complete outputs arranged as (groups, members): human scores and standardised metric scores."""

    human: Array  # (groups, members), NaN where missing
    metrics: Array  # (metrics, groups, members), zero where missing
    level: Level
    units: NDArray[np.intp]  # (groups, members): which coin swaps the output

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which members have all scores."""
        return ~np.isnan(self.human)

    @property
    def whole_groups(self) -> bool:
        """Whether each group has one coin, and no group shares it with another."""
        first = self.units[:, 0]
        return bool((self.units == first[:, None]).all()) and len(np.unique(first)) == len(first)

    def signs(self, draws: int, seed: int, width: int) -> Iterator[tuple[slice, Array]]:
        """The coins of all outputs (draws, groups x members), a few draws at a time."""
        number = int(self.units.max()) + 1
        for part, coins in random_signs(draws, number, seed, max(width, self.units.size)):
            yield part, coins if number == self.units.size else coins[:, self.units.ravel()]

    @classmethod
    def of(cls, human: Array, metrics: Array, level: Level, average: Average, swap: Swap = "outputs") -> Cells:
        """Keep the outputs that people and every metric scored; standardise each metric over them."""
        missing = np.isnan(human) | np.isnan(metrics).any(axis=0)
        if (~missing).sum() < 2:
            raise InputError("fewer than two outputs have scores from people and from every metric compared")
        kept = metrics[:, ~missing]
        spread = kept.std(axis=1)
        if (spread == 0).any() or (kept == kept[:, :1]).all(axis=1).any():
            raise InputError("a metric that gives every output the same score has no correlation to compare")
        centred = (metrics - kept.mean(axis=1)[:, None, None]) / spread[:, None, None]
        standard = np.where(missing, 0.0, centred)
        people = np.where(missing, np.nan, human)
        units = _units(human.shape, swap)
        if level == "system" or average == "system":
            return cls(people, standard, level, units)
        if average == "item":
            turned = units.T if swap != "outputs" else _units((human.shape[1], human.shape[0]), swap)
            return cls(people.T, np.ascontiguousarray(standard.transpose(0, 2, 1)), level, turned)
        # Pooled outputs need no group: missing ones are dropped.
        flat = (~missing).ravel()
        kept_units = np.unique(units.ravel()[flat], return_inverse=True)[1].reshape(1, -1)
        pooled = standard.reshape(len(metrics), 1, -1)[:, :, flat]
        return cls(people.reshape(1, -1)[:, flat], pooled, level, kept_units)


def _units(shape: tuple[int, ...], swap: Swap) -> NDArray[np.intp]:
    """Which coin swaps each output of (systems, items)."""
    systems, items = shape
    if swap == "outputs":
        return np.arange(systems * items, dtype=np.intp).reshape(shape)
    column = np.arange(systems)[:, None] if swap == "systems" else np.arange(items)[None, :]
    return np.broadcast_to(column.astype(np.intp), shape)


def permuted_differences(
    cells: Cells,
    pairs: Sequence[Pair],
    *,
    statistic: str | Statistic,
    draws: int,
    seed: int,
    threshold: float = 0.0,
) -> Array:
    """Difference of the two correlations in every draw, (draws, pairs of metrics)."""
    if draws < 1:
        raise InputError(f"a permutation test needs at least 1 draw; got {draws}")
    if seed < 0:
        raise InputError(f"the seed must be a whole number from 0 up; got {seed}")
    chosen = statistic_called(statistic, threshold)
    if chosen.whole:
        raise InputError(f"swapping is not defined for {chosen.words} here: use the bootstrap")
    if cells.level == "system":
        return _system_level(cells, pairs, chosen, draws, seed)
    if chosen.averaged and cells.whole_groups and len(cells.human) > 1:
        return _swapped_groups(cells, pairs, chosen, draws, seed)
    if chosen.linear:
        return _pearson(cells, pairs, draws, seed, within=chosen.joint is not None)
    if chosen.shares and cells.human.shape[1] <= SHORT:
        return (_linear if chosen.oriented else _kendall_b)(cells, pairs, chosen.shares, draws, seed)
    if chosen.coefficient:
        return _draw_by_draw(cells, pairs, chosen, draws, seed)
    if chosen.joint and chosen.joint.by_group:
        return _swapped_groups(cells, pairs, chosen, draws, seed)
    raise InputError(
        f"a permutation test of {chosen.name} compares outputs within groups of at most {SHORT}: average over items or "
        "systems, or use the bootstrap"
    )


def permutation_p(observed: float, draws: Array, *, sided: str = "two") -> float:
    """(count + 1) / (draws + 1), where a draw counts that is at least as extreme as what was observed.

    One-sided is for the metric that is ahead. A draw without a defined value counts as extreme.
    """
    undefined = np.isnan(draws)
    ahead = draws * (1.0 if observed >= 0 else -1.0)
    size = ahead if sided == "one" else np.abs(draws)
    with np.errstate(invalid="ignore"):
        count = int((undefined | (size >= abs(observed) - SLACK)).sum())
    return (count + 1) / (len(draws) + 1)


def random_signs(draws: int, size: int, seed: int, width: int) -> Iterator[tuple[slice, Array]]:
    """Coins as +1 and -1, a few draws at a time; `width` numbers a draw are kept by the caller."""
    generator = np.random.default_rng(seed)
    step = max(1, CHUNK // max(width, size))
    for start in range(0, draws, step):
        count = min(step, draws - start)
        coins = np.unpackbits(np.frombuffer(generator.bytes(-(-count * size // 8)), np.uint8), count=count * size)
        yield slice(start, start + count), (2.0 * coins.astype(np.float64) - 1.0).reshape(count, size)


def _pearson(cells: Cells, pairs: Sequence[Pair], draws: int, seed: int, *, within: bool) -> Array:
    """Pearson within groups, averaged over them; `within` pools the groups' centred sums instead (PDP)."""
    present = cells.present
    metrics, groups, _ = cells.metrics.shape
    n = present.sum(axis=1).astype(np.float64)
    people = np.where(present, cells.human, 0.0)
    people = np.where(present, people - (people.sum(axis=1) / np.maximum(n, 1))[:, None], 0.0)
    spread = np.einsum("gm,gm->g", people, people)
    first = np.argmax(present, axis=1)
    reference = cells.human[np.arange(groups), first]
    constant = (~present | (cells.human == reference[:, None])).all(axis=1) | (n < 2)
    used = np.flatnonzero(n >= 2) if within else np.flatnonzero(~constant)
    if not len(used):
        return np.full((draws, len(pairs)), np.nan)
    features = np.concatenate([cells.metrics * people, cells.metrics, cells.metrics**2])[:, used]
    totals = features.sum(axis=2)[:, :, None]  # (3 metrics, groups, 1)
    product = np.ascontiguousarray(features.transpose(1, 0, 2))  # (groups, 3 metrics, members)
    sizes = _Sizes(n[used][:, None], spread[used][:, None], within)
    result = np.empty((draws, len(pairs)))
    for part, sums in _sums(cells, product, used, draws, seed):
        for number, (a, b) in enumerate(pairs):
            middle = (totals[a::metrics] + totals[b::metrics]) / 2
            half = (sums[a::metrics] - sums[b::metrics]) / 2
            result[part, number] = sizes.correlation(middle + half) - sizes.correlation(middle - half)
    return result


def _sums(cells: Cells, product: Array, used: NDArray[np.intp], draws: int, seed: int) -> Iterator[tuple[slice, Array]]:
    """Signed sums of the features (groups, features, members), as (features, groups, draws)."""
    groups, members = cells.human.shape
    if groups == 1:
        # The product is all there is: its result is small, so every pair of metrics is served once.
        units = int(cells.units.max()) + 1
        whole = np.zeros((units, product.shape[1]))
        np.add.at(whole, cells.units[0], product[0].T)
        parts = [signs @ whole for _, signs in random_signs(draws, units, seed, units)]
        yield slice(0, draws), np.ascontiguousarray(np.concatenate(parts).T)[:, None, :]
        return
    for part, signs in cells.signs(draws, seed, product.shape[0] * product.shape[1]):
        by_group = signs.reshape(-1, groups, members)[:, used].transpose(1, 2, 0)
        yield part, np.ascontiguousarray((product @ by_group).transpose(1, 0, 2))


@dataclass(frozen=True)
class _Sizes:
    """Members of each group and the spread of its human scores, (groups, 1)."""

    n: Array
    spread: Array
    within: bool

    def correlation(self, sums: Array) -> Array:
        """Mean correlation over groups from sums (3, groups, draws): with people, plain, squared."""
        with_people, plain, squares = sums
        variance = squares - plain * plain / self.n
        if self.within:
            top = (self.n * with_people).sum(axis=0)
            bottom = (self.n * variance).sum(axis=0) * (self.n * self.spread).sum()
            return np.asarray(top / np.sqrt(np.where(bottom > 0, bottom, np.nan)))
        variance[variance <= SLACK * squares] = np.nan
        return _mean(with_people / np.sqrt(variance * self.spread))


def _mean(values: Array) -> Array:
    """Mean over the groups where the value is defined."""
    defined = ~np.isnan(values)
    if defined.all():
        return np.asarray(values.mean(axis=0))
    count = defined.sum(axis=0)
    return np.where(count > 0, np.where(defined, values, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan)


def _listed(cells: Cells) -> tuple[Array, NDArray[np.bool_], NDArray[np.intp], NDArray[np.intp]]:
    """Signs of human differences of all pairs within groups (groups, pairs), and which pairs are complete."""
    left, right = np.triu_indices(cells.human.shape[1], 1)
    difference = cells.human[:, left] - cells.human[:, right]
    complete = ~np.isnan(difference)
    return np.where(complete, difference, 0.0), complete, left, right


def _incidence(members: NDArray[np.intp], size: int) -> Array:
    """(pairs, members): 1 where the member belongs to the pair."""
    return np.asarray(members[:, None] == np.arange(size)[None, :], dtype=np.float64)


def _mixtures(
    cells: Cells, pair: Pair, left: NDArray[np.intp], right: NDArray[np.intp]
) -> Iterator[tuple[int, int, Array]]:
    """For the four ways to keep or swap the two outputs of a pair: the mixed metric's order of them."""
    kept = {1: cells.metrics[pair[0]], -1: cells.metrics[pair[1]]}
    for left_sign in (1, -1):
        for right_sign in (1, -1):
            yield left_sign, right_sign, np.sign(kept[left_sign][:, left] - kept[right_sign][:, right])


def _linear(cells: Cells, pairs: Sequence[Pair], shares: Shares, draws: int, seed: int) -> Array:
    """A sum over pairs ordered rightly: in the difference of two mixed metrics, linear terms count twice."""
    human, complete, left, right = _listed(cells)
    order = np.sign(human)
    scale = 2.0 * shares(human, complete)
    shape = cells.human.shape
    weights = np.zeros((shape[0] * shape[1], len(pairs)))
    is_left, is_right = _incidence(left, shape[1]), _incidence(right, shape[1])
    for number, pair in enumerate(pairs):
        on_left, on_right = np.zeros(human.shape), np.zeros(human.shape)
        for one, two, mixed in _mixtures(cells, pair, left, right):
            agrees = mixed == order
            on_left += agrees if one > 0 else -1.0 * agrees
            on_right += agrees if two > 0 else -1.0 * agrees
        weights[:, number] = ((scale * on_left) @ is_left + (scale * on_right) @ is_right).ravel() / 4
    result = np.empty((draws, len(pairs)))
    for part, signs in cells.signs(draws, seed, len(weights)):
        result[part] = signs @ weights
    return result


def _kendall_b(cells: Cells, pairs: Sequence[Pair], shares: Shares, draws: int, seed: int) -> Array:
    """tau-b within groups: both the score and the number of ties are quadratic in the signs.

    Where no mixture of two metrics ties, the number of ties is zero and what is left is linear.
    """
    human, complete, left, right = _listed(cells)
    ties = np.array(
        [any((complete & (mixed == 0)).any() for _, _, mixed in _mixtures(cells, pair, left, right)) for pair in pairs]
    )
    if not ties.all():
        result = np.empty((draws, len(pairs)))
        plain = [pair for pair, tied in zip(pairs, ties, strict=True) if not tied]
        result[:, ~ties] = _linear(cells, plain, shares, draws, seed)
        if ties.any():
            mixed = [pair for pair, tied in zip(pairs, ties, strict=True) if tied]
            result[:, ties] = _kendall_b(cells, mixed, shares, draws, seed)
        return result
    order = np.sign(human)
    groups, members = cells.human.shape
    untied = np.abs(order).sum(axis=1)  # pairs that people tell apart
    size = complete.sum(axis=1)
    used = np.flatnonzero(untied > 0)
    step = max(1, 8 * CHUNK // (members * members * max(len(used), 1)))
    result = np.empty((draws, len(pairs)))
    # As bytes the coins of all draws fit at once, and a group is visited once for all of them.
    coins = np.concatenate([signs.astype(np.int8) for _, signs in cells.signs(draws, seed, groups * members)]).reshape(
        -1, groups, members
    )
    for start in range(0, len(pairs), step):
        some = pairs[start : start + step]
        terms = [_polynomial(cells, pair, order, complete, left, right) for pair in some]
        # Quarters of small whole numbers: exact in 32 bits.
        linear, square, constant = (np.stack([term[k] for term in terms], axis=-1).astype(np.float32) for k in range(3))
        means = _MeanTau(draws, len(some))
        for group in used:
            here = coins[:, group]
            both = (here[:, left] * here[:, right]).astype(np.float32)
            odd = here.astype(np.float32) @ linear[group].reshape(members, -1)
            even = constant[group].reshape(1, -1) + both @ square[group].reshape(len(left), -1)
            means.add(even, odd, float(size[group]), float(untied[group]))
        result[:, start : start + len(some)] = means.difference()
    return result


class _MeanTau:
    """Sums over groups of the two mixed metrics' tau-b, where they are defined."""

    def __init__(self, draws: int, pairs: int) -> None:
        self.totals = np.zeros((2, draws, pairs))
        self.counts = np.zeros((2, draws, pairs))

    def add(self, even: Single, odd: Single, size: float, untied: float) -> None:
        """One group: score and ties side by side; the metrics differ in the sign of the odd terms."""
        for side, values in enumerate((even + odd, even - odd)):
            score, ties = np.split(values, 2, axis=1)
            free = (size - ties) * untied
            defined = free > 0.5
            self.totals[side] += np.where(defined, score / np.sqrt(np.where(defined, free, 1.0), dtype=np.float64), 0.0)
            self.counts[side] += defined

    def difference(self) -> Array:
        """Mean of the first minus mean of the second; NaN where one has no group."""
        means = self.totals / np.where(self.counts > 0, self.counts, np.nan)
        return np.asarray(means[0] - means[1])


def _polynomial(
    cells: Cells,
    pair: Pair,
    order: Array,
    complete: NDArray[np.bool_],
    left: NDArray[np.intp],
    right: NDArray[np.intp],
) -> tuple[Array, Array, Array]:
    """Score and ties of the mixed metric as polynomials in the signs: (groups, coefficients, 2)."""
    groups, members = cells.human.shape
    is_left, is_right = _incidence(left, members), _incidence(right, members)
    linear = np.zeros((groups, members, 2))
    square = np.zeros((groups, len(left), 2))
    constant = np.zeros((groups, 1, 2))
    for one, two, mixed in _mixtures(cells, pair, left, right):
        for kind, values in enumerate((mixed * order / 4, ((mixed == 0) & complete) / 4)):
            square[:, :, kind] += one * two * values
            constant[:, 0, kind] += values.sum(axis=1)
            linear[:, :, kind] += one * (values @ is_left) + two * (values @ is_right)
    return linear, square, constant


def _swapped_groups(cells: Cells, pairs: Sequence[Pair], statistic: Statistic, draws: int, seed: int) -> Array:
    """Whole groups are swapped, so that each group's value is computed once; acc*eq keeps each metric's threshold.

    Scores of two metrics have no common threshold of ties, so single outputs cannot be swapped without calibrating
    anew in every draw; the results of a group (an item) can, and are exchangeable under the null hypothesis.
    """
    if len(cells.human) < 2:
        raise InputError(
            "a permutation test with tie calibration swaps whole groups: average over items or systems, or use the "
            "bootstrap"
        )
    of_groups = statistic.joint.by_group if statistic.joint else None
    of_groups = of_groups or partial(group_values, statistic)
    values = np.array([of_groups(cells.human, np.where(cells.present, scores, np.nan)) for scores in cells.metrics])
    defined = ~np.isnan(values)
    sums, counts = np.where(defined, values, 0.0), defined.astype(np.float64)
    a, b = np.array(pairs).T
    result = np.empty((draws, len(pairs)))
    for part, signs in random_signs(draws, values.shape[1], seed, values.shape[1]):
        sides = []
        for turn in (1.0, -1.0):
            total, count = (
                (side[a] + side[b]).sum(axis=1) / 2 + turn * signs @ (side[a] - side[b]).T / 2
                for side in (sums, counts)
            )
            sides.append(np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0.5))
        result[part] = sides[0] - sides[1]
    return result


def _system_level(cells: Cells, pairs: Sequence[Pair], statistic: Statistic, draws: int, seed: int) -> Array:
    """Each system's mean is taken anew in every draw, and the systems correlated."""
    present = cells.present
    n = present.sum(axis=1).astype(np.float64)
    used = np.flatnonzero(n > 0)
    people = system_means(cells.human)[used]
    means = np.ascontiguousarray((cells.metrics / np.maximum(n, 1)[:, None])[:, used].transpose(1, 2, 0))
    totals = means.sum(axis=1)  # (systems, metrics)
    systems, items = cells.human.shape
    result = np.empty((draws, len(pairs)))
    for part, signs in cells.signs(draws, seed, systems * items):
        by_system = np.ascontiguousarray(signs.reshape(-1, systems, items)[:, used].transpose(1, 0, 2))
        sums = (by_system @ means).transpose(1, 2, 0)  # (draws, metrics, systems)
        for number, (a, b) in enumerate(pairs):
            middle, half = (totals[:, a] + totals[:, b]) / 2, (sums[:, a] - sums[:, b]) / 2
            first, second = (
                statistic.batch(without_dust(means_of_draw), people) for means_of_draw in (middle + half, middle - half)
            )
            result[part, number] = first - second
    return result


def _draw_by_draw(cells: Cells, pairs: Sequence[Pair], statistic: Statistic, draws: int, seed: int) -> Array:
    """Any coefficient: the mixed metrics themselves, group by group."""
    present = cells.present
    groups = [np.flatnonzero(row) for row in present]
    shape = cells.human.shape
    result = np.empty((draws, len(pairs)))
    for part, signs in cells.signs(draws, seed, cells.human.size):
        keep = signs.reshape(-1, *shape) > 0
        for number, (a, b) in enumerate(pairs):
            sides = []
            for one, two in ((a, b), (b, a)):
                mixed = np.where(keep, cells.metrics[one], cells.metrics[two])
                if present.all():
                    sides.append(_mean(statistic.batch(mixed, cells.human[None]).T))
                    continue
                each = [statistic.batch(mixed[:, g, own], cells.human[g, own]) for g, own in enumerate(groups)]
                sides.append(_mean(np.stack(each)))
            result[part, number] = sides[0] - sides[1]
    return result
