"""PERM-BOTH (Deutsch, Dror and Roth 2021): do two metrics correlate differently with people?

Both metrics are standardised; then, output by output, a coin decides whether they swap their scores, and the
difference of the two correlations is computed anew. Under the null hypothesis the swaps make no difference.

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

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError
from nlgauge.stats.correlation.coefficients import BATCH
from nlgauge.stats.correlation.levels import Average, Level
from nlgauge.stats.correlation.pairs import PairTable

Array = NDArray[np.float64]
Pair = tuple[int, int]

CHUNK = 1 << 22  # numbers in a working array: 32 MB
SHORT = 64  # members of a group up to which all their pairs are listed
SLACK = 1e-12  # a difference that equals the observed one up to rounding counts as equal
LINEAR = ("acc23", "tau23", "kendall-like")


@dataclass(frozen=True)
class Cells:
    """Complete outputs arranged as (groups, members): human scores and standardised metric scores."""

    human: Array  # (groups, members), NaN where missing
    metrics: Array  # (metrics, groups, members), zero where missing
    level: Level

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which members have all scores."""
        return ~np.isnan(self.human)

    @classmethod
    def of(cls, human: Array, metrics: Array, level: Level, average: Average) -> Cells:
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
        if level == "system" or average == "system":
            return cls(people, standard, level)
        if average == "item":
            return cls(people.T, np.ascontiguousarray(standard.transpose(0, 2, 1)), level)
        # Pooled outputs need no group: missing ones are dropped.
        flat = (~missing).ravel()
        return cls(people.reshape(1, -1)[:, flat], standard.reshape(len(metrics), 1, -1)[:, :, flat], level)


def permuted_differences(
    cells: Cells,
    pairs: Sequence[Pair],
    *,
    statistic: str,
    draws: int,
    seed: int,
    threshold: float = 0.0,
) -> Array:
    """Difference of the two correlations in every draw, (draws, pairs of metrics)."""
    if draws < 1:
        raise InputError(f"a permutation test needs at least 1 draw; got {draws}")
    if seed < 0:
        raise InputError(f"the seed must be a whole number from 0 up; got {seed}")
    if statistic == "spa":
        raise InputError("PERM-BOTH is not defined for soft pairwise accuracy here: use the bootstrap")
    if cells.level == "system":
        return _system_level(cells, pairs, statistic, draws, seed)
    if statistic == "acc-eq":
        return _swapped_groups(cells, pairs, draws, seed)
    if statistic in ("pearson", "pearson-pdp"):
        return _pearson(cells, pairs, draws, seed, within=statistic == "pearson-pdp")
    short = cells.human.shape[1] <= SHORT
    if statistic in LINEAR and short:
        return _linear(cells, pairs, statistic, draws, seed, threshold)
    if statistic == "kendall-b" and short:
        return _kendall_b(cells, pairs, draws, seed)
    if statistic in BATCH:
        return _draw_by_draw(cells, pairs, statistic, draws, seed)
    raise InputError(
        f"PERM-BOTH for {statistic} compares outputs within groups of at most {SHORT}: average over items or "
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


def _signs(draws: int, size: int, seed: int, width: int) -> Iterator[tuple[slice, Array]]:
    """Coins as +1 and -1, a few draws at a time; `width` numbers a draw are kept by the caller."""
    generator = np.random.default_rng(seed)
    step = max(1, CHUNK // max(width, size))
    for start in range(0, draws, step):
        count = min(step, draws - start)
        coins = np.unpackbits(
            np.frombuffer(generator.bytes(-(-count * size // 8)), np.uint8), count=count * size
        )
        yield slice(start, start + count), (2.0 * coins - 1.0).reshape(count, size)


def _pearson(cells: Cells, pairs: Sequence[Pair], draws: int, seed: int, *, within: bool) -> Array:
    """Pearson within groups, averaged over them; `within` pools the groups' centred sums instead (PDP)."""
    present = cells.present
    metrics, groups, members = cells.metrics.shape
    n = present.sum(axis=1).astype(np.float64)
    people = np.where(present, cells.human, 0.0)
    people = np.where(present, people - (people.sum(axis=1) / np.maximum(n, 1))[:, None], 0.0)
    spread = np.einsum("gm,gm->g", people, people)
    first = np.argmax(present, axis=1)
    reference = cells.human[np.arange(groups), first]
    constant = (~present | (cells.human == reference[:, None])).all(axis=1) | (n < 2)
    features = np.concatenate([cells.metrics * people, cells.metrics, cells.metrics**2])  # (3 metrics, g, m)
    used = np.flatnonzero(~constant) if not within else np.flatnonzero(n >= 2)
    if not len(used):
        return np.full((draws, len(pairs)), np.nan)
    product = np.ascontiguousarray(features[:, used].transpose(1, 2, 0))  # (g, m, 3 metrics)
    totals = product.sum(axis=1)  # (g, 3 metrics)
    n, spread = n[used], spread[used]
    a, b = np.array(pairs).T
    result = np.empty((draws, len(pairs)))
    for part, signs in _signs(draws, groups * members, seed, 3 * metrics * len(used)):
        if groups == 1:
            sums = (signs @ product[0])[None]
        else:
            by_group = np.ascontiguousarray(signs.reshape(-1, groups, members)[:, used].transpose(1, 0, 2))
            sums = by_group @ product  # (g, draws, 3 metrics)
        step = max(1, CHUNK // (sums.shape[0] * sums.shape[1]))
        for start in range(0, len(pairs), step):
            some = slice(start, start + step)
            result[part, some] = _mixed_pearson(sums, totals, n, spread, (a[some], b[some]), within)
    return result


def _mixed_pearson(
    sums: Array,
    totals: Array,
    n: Array,
    spread: Array,
    pairs: tuple[NDArray[np.intp], NDArray[np.intp]],
    within: bool,
) -> Array:
    """Difference of the correlations of the two mixed metrics, from sums (groups, draws, 3 metrics)."""
    metrics = sums.shape[2] // 3
    a, b = pairs
    n, spread = n[:, None, None], spread[:, None, None]
    half, middle = [], []
    for kind in range(3):  # with people, plain, squared
        one, two = kind * metrics + a, kind * metrics + b
        half.append((sums[:, :, one] - sums[:, :, two]) / 2)
        middle.append(((totals[:, one] + totals[:, two]) / 2)[:, None, :])
    sides = []
    for sign in (1.0, -1.0):
        cov, mean, square = (middle[kind] + sign * half[kind] for kind in range(3))
        variance = square - mean * mean / n
        if within:
            top, bottom = (n * cov).sum(axis=0), (n * variance).sum(axis=0) * (n * spread).sum(axis=0)
            sides.append(top / np.sqrt(np.where(bottom > 0, bottom, np.nan)))
            continue
        variance = np.where(variance > SLACK * square, variance, np.nan)
        r = cov / np.sqrt(variance * spread)
        sides.append(_mean(r))
    return sides[0] - sides[1]


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


def _mixtures(
    cells: Cells, pair: Pair, left: NDArray[np.intp], right: NDArray[np.intp]
) -> Iterator[tuple[int, int, Array]]:
    """For the four ways to keep or swap the two outputs of a pair: the mixed metric's order of them."""
    kept = {1: cells.metrics[pair[0]], -1: cells.metrics[pair[1]]}
    for one in (1, -1):
        for two in (1, -1):
            yield one, two, np.sign(kept[one][:, left] - kept[two][:, right])


def _linear(
    cells: Cells, pairs: Sequence[Pair], statistic: str, draws: int, seed: int, threshold: float
) -> Array:
    """acc23, tau23 and Kendall-like: the share of pairs ordered rightly, within groups."""
    human, complete, left, right = _listed(cells)
    order = np.sign(human)
    counted = complete
    if statistic == "kendall-like":
        counted = complete & (np.abs(human) >= threshold) & (human != 0)
        share = counted / max(int(counted.sum()), 1)
    else:
        size = counted.sum(axis=1, keepdims=True)
        share = counted / np.maximum(size, 1) / max(int((size > 0).sum()), 1)
    # In the difference of the two metrics every linear coefficient counts twice; in taus, right - wrong, again.
    scale = (2.0 if statistic == "acc23" else 4.0) * share
    shape = cells.human.shape
    weights = np.zeros((shape[0] * shape[1], len(pairs)))
    rows = np.arange(shape[0])[:, None] * shape[1]
    for number, pair in enumerate(pairs):
        on_left, on_right = np.zeros(human.shape), np.zeros(human.shape)
        for one, two, mixed in _mixtures(cells, pair, left, right):
            agrees = (mixed == order) / 4
            on_left += one * agrees
            on_right += two * agrees
        column = np.bincount((rows + left).ravel(), (scale * on_left).ravel(), minlength=len(weights))
        column += np.bincount((rows + right).ravel(), (scale * on_right).ravel(), minlength=len(weights))
        weights[:, number] = column
    result = np.empty((draws, len(pairs)))
    for part, signs in _signs(draws, len(weights), seed, len(weights)):
        result[part] = signs @ weights
    return result


def _kendall_b(cells: Cells, pairs: Sequence[Pair], draws: int, seed: int) -> Array:
    """tau-b within groups: both the score and the number of ties are quadratic in the signs."""
    human, complete, left, right = _listed(cells)
    order = np.sign(human)
    groups, members = cells.human.shape
    untied = np.abs(order).sum(axis=1)  # pairs that people tell apart
    size = complete.sum(axis=1)
    used = np.flatnonzero(untied > 0)
    metric_pairs = max(1, CHUNK // (8 * members * members * max(len(used), 1)))
    result = np.empty((draws, len(pairs)))
    for start in range(0, len(pairs), metric_pairs):
        some = pairs[start : start + metric_pairs]
        polynomials = [_polynomial(cells, pair, order, complete, left, right) for pair in some]
        linear, square, constant = (
            np.stack([polynomial[k] for polynomial in polynomials], axis=-1) for k in range(3)
        )
        # Each is (groups, members or pairs or 1, [score, ties], metric pairs).
        for part, signs in _signs(draws, groups * members, seed, len(left) * 8 + 4 * len(some) * groups):
            coins = signs.reshape(-1, groups, members)
            totals = np.zeros((2, signs.shape[0], len(some)))
            counts = np.zeros((2, signs.shape[0], len(some)))
            for group in used:
                here = coins[:, group]
                plain = here @ linear[group].reshape(members, -1)
                even = constant[group].reshape(1, -1) + (here[:, left] * here[:, right]) @ square[
                    group
                ].reshape(len(left), -1)
                for side, sign in enumerate((1.0, -1.0)):
                    score, ties = np.split(even + sign * plain, 2, axis=1)
                    free = (size[group] - ties) * untied[group]
                    tau = score / np.sqrt(np.where(free > 0.5, free, np.nan))
                    defined = ~np.isnan(tau)
                    totals[side] += np.where(defined, tau, 0.0)
                    counts[side] += defined
            with np.errstate(invalid="ignore", divide="ignore"):
                means = totals / np.where(counts > 0, counts, np.nan)
            result[part, start : start + len(some)] = means[0] - means[1]
    return result


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
    linear = np.zeros((groups, members, 2))
    square = np.zeros((groups, len(left), 2))
    constant = np.zeros((groups, 1, 2))
    rows = np.arange(groups)[:, None] * members
    for one, two, mixed in _mixtures(cells, pair, left, right):
        values = np.stack([mixed * order, ((mixed == 0) & complete).astype(np.float64)], axis=-1) / 4
        square += one * two * values
        constant[:, 0] += values.sum(axis=1)
        for kind in range(2):
            flat = linear[:, :, kind].reshape(-1)
            flat = flat + one * np.bincount(
                (rows + left).ravel(), values[..., kind].ravel(), minlength=flat.size
            )
            flat += two * np.bincount((rows + right).ravel(), values[..., kind].ravel(), minlength=flat.size)
            linear[:, :, kind] = flat.reshape(groups, members)
    return linear, square, constant


def _swapped_groups(cells: Cells, pairs: Sequence[Pair], draws: int, seed: int) -> Array:
    """acc*eq: each metric keeps its own calibrated threshold, and whole groups are swapped.

    Scores of two metrics have no common threshold, so single outputs cannot be swapped without calibrating
    anew in every draw; the results of a group (an item) can, and are exchangeable under the null hypothesis.
    """
    if len(cells.human) < 2:
        raise InputError(
            "PERM-BOTH with tie calibration swaps whole groups: average over items or systems, or use the bootstrap"
        )
    accuracies = []
    for scores in cells.metrics:
        table = PairTable(cells.human, np.where(cells.present, scores, np.nan))
        accuracies.append(table.by_group(table.calibrated().epsilon))
    by_group = np.array(accuracies)
    by_group = by_group[:, ~np.isnan(by_group).any(axis=0)]
    a, b = np.array(pairs).T
    difference = ((by_group[a] - by_group[b]) / by_group.shape[1]).T
    result = np.empty((draws, len(pairs)))
    for part, signs in _signs(draws, by_group.shape[1], seed, by_group.shape[1]):
        result[part] = signs @ difference
    return result


def _system_level(cells: Cells, pairs: Sequence[Pair], statistic: str, draws: int, seed: int) -> Array:
    """Outputs are swapped one by one; each system's mean is taken anew, and the systems correlated."""
    present = cells.present
    n = present.sum(axis=1).astype(np.float64)
    used = np.flatnonzero(n > 0)
    people = np.where(present, cells.human, 0.0).sum(axis=1)[used] / n[used]
    means = np.ascontiguousarray((cells.metrics / np.maximum(n, 1)[:, None])[:, used].transpose(1, 2, 0))
    totals = means.sum(axis=1)  # (systems, metrics)
    systems, items = cells.human.shape
    result = np.empty((draws, len(pairs)))
    for part, signs in _signs(draws, systems * items, seed, systems * items):
        by_system = np.ascontiguousarray(signs.reshape(-1, systems, items)[:, used].transpose(1, 0, 2))
        sums = (by_system @ means).transpose(1, 2, 0)  # (draws, metrics, systems)
        for number, (a, b) in enumerate(pairs):
            middle, half = (totals[:, a] + totals[:, b]) / 2, (sums[:, a] - sums[:, b]) / 2
            result[part, number] = _over_systems(statistic, middle + half, people) - _over_systems(
                statistic, middle - half, people
            )
    return result


def _over_systems(statistic: str, means: Array, people: Array) -> Array:
    if statistic == "pearson-pdp":
        statistic = "pearson"
    if statistic in BATCH:
        return BATCH[statistic](means, people)
    if statistic == "acc-eq":
        return np.array([PairTable(people[None], row[None]).calibrated().accuracy for row in means])
    left, right = np.triu_indices(len(people), 1)
    order = np.sign(people[left] - people[right])
    right_order = np.sign(means[:, left] - means[:, right]) == order
    counted = order != 0 if statistic == "kendall-like" else np.ones(len(order), dtype=bool)
    share = right_order[:, counted].mean(axis=1)
    return np.asarray(share if statistic == "acc23" else 2 * share - 1)


def _draw_by_draw(cells: Cells, pairs: Sequence[Pair], statistic: str, draws: int, seed: int) -> Array:
    """Any coefficient: the mixed metrics themselves, group by group."""
    present = cells.present
    groups = [np.flatnonzero(row) for row in present]
    shape = cells.human.shape
    result = np.empty((draws, len(pairs)))
    for part, signs in _signs(draws, cells.human.size, seed, cells.human.size):
        keep = signs.reshape(-1, *shape) > 0
        for number, (a, b) in enumerate(pairs):
            sides = []
            for one, two in ((a, b), (b, a)):
                mixed = np.where(keep, cells.metrics[one], cells.metrics[two])
                if present.all():
                    values = BATCH[statistic](mixed, cells.human[None]).T
                else:
                    values = np.stack(
                        [
                            BATCH[statistic](mixed[:, g, members], cells.human[g, members])
                            for g, members in enumerate(groups)
                        ]
                    )
                sides.append(_mean(values))
            result[part, number] = sides[0] - sides[1]
    return result
