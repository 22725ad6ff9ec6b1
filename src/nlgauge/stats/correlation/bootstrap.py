"""Bootstrap of a correlation over items, systems, or both (Deutsch, Dror and Roth 2021).

A draw says how often each item and each system stands in it. Coefficients are computed from these counts, so
no draw is gathered or sorted: Pearson from weighted sums (one matrix product for all draws), Spearman from
weighted ranks, Kendall from weighted inversions, the pairwise accuracies from weighted pairs. Several metrics
share the draws, so that their differences are paired.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.options import DEFAULT_SEED
from nlgauge.stats.correlation.coefficients import moments, pearson_of_sums, whole_scale
from nlgauge.stats.correlation.levels import (
    Average,
    Correlation,
    Level,
    arrange,
    check_request,
    correlate,
    group_values,
    scores_pair,
    system_means,
    without_dust,
)
from nlgauge.stats.correlation.pairs import ratio
from nlgauge.stats.correlation.soft import pairwise_p_values
from nlgauge.stats.correlation.statistic import STATISTICS, Statistic
from nlgauge.stats.correlation.statistic import statistic as statistic_called
from nlgauge.stats.limits import check_level, one_sided

Counts = NDArray[np.uint16]  # a draw of n points holds one of them far less than 65,536 times
Over = Literal["items", "systems", "both"]

CHUNK = 1 << 21  # numbers in a working array: 16 MB
SOFT_DRAWS = 200  # permutations for the p-values of soft pairwise accuracy, in each draw of items
ROUNDING = 1e-12  # a correlation this near to 1 is 1
FEW_SYSTEMS, FEW_ITEMS = 31, 30  # below these a percentile bootstrap was found to cover too rarely


@dataclasses.dataclass(frozen=True)
class Draws:
    """How often each system and each item stands in each draw; None where they are not resampled."""

    systems: Counts | None
    items: Counts | None
    count: int

    @classmethod
    def make(cls, shape: tuple[int, int], over: Over, count: int, seed: int) -> Draws:
        """`count` draws over the rows, the columns or both of a (systems, items) array."""
        if over not in ("items", "systems", "both"):
            raise InputError(f"a bootstrap runs over items, systems or both; got {over!r}")
        if count < 1:
            raise InputError(f"a bootstrap needs at least 1 draw; got {count}")
        if seed < 0:
            raise InputError(f"the seed must be a whole number from 0 up; got {seed}")
        systems, items = shape
        generator = np.random.default_rng(seed)
        if over in ("items", "both") and items < 2:
            raise InputError(f"a bootstrap over items needs at least 2 items; got {items}: resample systems instead")
        if over in ("systems", "both") and systems < 2:
            raise InputError(
                f"a bootstrap over systems needs at least 2 systems; got {systems}: resample items instead"
            )
        return cls(
            None if over == "items" else _counts(generator, systems, count),
            None if over == "systems" else _counts(generator, items, count),
            count,
        )

    def part(self, chosen: slice) -> Draws:
        """Some of the draws."""
        return Draws(
            None if self.systems is None else self.systems[chosen],
            None if self.items is None else self.items[chosen],
            len(range(*chosen.indices(self.count))),
        )

    def of(self, side: Literal["systems", "items"], size: int) -> Array:
        """Counts of one side as numbers to multiply with; ones where it is not resampled."""
        counts = self.systems if side == "systems" else self.items
        return np.ones((self.count, size)) if counts is None else counts.astype(np.float64)

    def chunks(self, width: int) -> Iterator[tuple[slice, Draws]]:
        """A few draws at a time, so that `width` numbers a draw stay within the working memory."""
        step = max(1, CHUNK // max(width, 1))
        for start in range(0, self.count, step):
            part = slice(start, start + step)
            yield part, self.part(part)


def correlate_with_interval(
    human: Any,
    metric: Any,
    *,
    statistic: str | Statistic = "pearson",
    level: Level = "segment",
    average: Average = "none",
    over: Over = "items",
    draws: int = 1000,
    seed: int = DEFAULT_SEED,
    confidence: float = 0.95,
    threshold: float = 0.0,
    interval: Literal["bootstrap", "fisher"] = "bootstrap",
) -> Correlation:
    """`correlate` with an interval: percentile bootstrap over items, systems or both, or Fisher's approximation.

    `interval="fisher"` needs one correlation over independent outputs (or systems) and resamples nothing.

    Args:
        human: people's scores, a (systems, items) array, NaN where missing; one flat list is outputs, or at
            system level systems
        metric: the metric's scores of the same outputs
        statistic: its name or alias, such as `pearson`, `kendall` or `acc-eq`
        level: `segment` (over outputs) or `system` (over the systems' means)
        average: at segment level: pool all outputs (`none`), or average over `item`s or `system`s
        over: what is drawn again: `items`, `systems` or `both`
        draws: bootstrap draws
        seed: of the random draws
        confidence: the level of the interval
        threshold: the difference of people's scores up to which `kendall-like` counts no pair
        interval: `bootstrap`, or `fisher` for one coefficient of independent outputs

    >>> found = correlate_with_interval(range(40), [k % 7 + k for k in range(40)], interval="fisher")
    >>> round(found.low, 3), round(found.high, 3)
    (0.974, 0.993)
    """
    check_level(confidence, "confidence level")
    result = correlate(human, metric, statistic=statistic, level=level, average=average, threshold=threshold, seed=seed)
    if interval == "fisher":
        return fisher_interval(result, confidence)
    if interval != "bootstrap":
        raise InputError(f"unknown interval {interval!r}: choose bootstrap or fisher")
    people, scores = scores_pair(human, metric, level)
    made = Draws.make(people.shape, over, draws, seed)
    values = bootstrap_values(
        people, scores, made, statistic=statistic, level=level, average=average, threshold=threshold, seed=seed
    )
    result = with_interval(result, values, over, confidence, _sizes(people, scores))
    if statistic_called(statistic).whole and over != "systems":
        note = f"in each draw the p-values come from {SOFT_DRAWS} permutations"
        result = dataclasses.replace(result, notes=(*result.notes, note))
    return result


def with_interval(
    result: Correlation, values: Array, over: Over, confidence: float, sizes: tuple[int, int]
) -> Correlation:
    """The result with percentile limits from the draws' values, and what must be said of them.

    Where items are drawn at system level, a draw's means are noisier than the data's and its correlation is lower on
    average. The draws are therefore moved by as much as their median is off; they keep their spread.
    """
    defined = values[~np.isnan(values)]
    notes = list(result.notes)
    if not result.defined or not len(defined):
        return result
    if len(defined) < len(values):
        notes.append(f"{len(values) - len(defined):,} of {len(values):,} draws had no defined value")
    systems, items = sizes
    if over == "systems" and systems < FEW_SYSTEMS:
        notes.append(f"a percentile bootstrap over only {systems} systems is somewhat too narrow")
    if over == "items" and items < FEW_ITEMS:
        notes.append(f"a percentile bootstrap over only {items} items is somewhat too narrow")
    tail = (1 - confidence) / 2
    low, middle, high = np.quantile(defined, [tail, 0.5, 1 - tail])
    if high - low <= ROUNDING:
        notes.append(
            f"no interval: the bootstrap draws give {low:.4g} again and again, which says nothing about its spread"
        )
        return dataclasses.replace(result, confidence=confidence, notes=tuple(notes))
    unit = {"items": "items", "systems": "systems", "both": "systems and items"}[over]
    kind = "percentile bootstrap"
    if result.level == "system" and over != "systems":
        least = 0.0 if STATISTICS[result.statistic].share else -1.0
        low, high = np.clip(np.array([low, high]) + result.estimate - middle, least, 1.0)
        kind = "centred percentile bootstrap"
    notes += one_sided(result.estimate, float(low), float(high))
    method, ends = f"{kind} over {unit}, {len(values):,} draws", (float(low), float(high))
    told = tuple(notes)
    return dataclasses.replace(result, low=ends[0], high=ends[1], confidence=confidence, method=method, notes=told)


def bootstrap_values(
    human: Array,
    metric: Array,
    draws: Draws,
    *,
    statistic: str | Statistic,
    level: Level,
    average: Average,
    threshold: float = 0.0,
    seed: int = DEFAULT_SEED,
) -> Array:
    """The statistic of each draw; NaN where a draw leaves it undefined."""
    chosen = statistic_called(statistic, threshold)
    check_request(chosen, level, average)
    missing = np.isnan(human) | np.isnan(metric)
    human, metric = np.where(missing, np.nan, human), np.where(missing, np.nan, metric)
    if chosen.whole:
        return _soft(human, metric, draws, seed)
    if chosen.linear:
        human, metric = whole_scale(human), whole_scale(metric)
    if level == "system":
        return _system_level(chosen, human, metric, draws)
    if average == "none":
        return _pooled_pearson(human, metric, draws) if chosen.linear else _pooled(chosen, human, metric, draws)
    first, second = arrange(human, metric, level, average)
    systems = None if draws.systems is None else draws.of("systems", len(human))
    items = None if draws.items is None else draws.of("items", human.shape[1])
    groups, members = (items, systems) if average == "item" else (systems, items)
    if groups is None:
        groups = np.ones((draws.count, len(first)))
    return _grouped(chosen, first, second, groups, members)


def _pooled(statistic: Statistic, human: Array, metric: Array, draws: Draws) -> Array:
    """All outputs in one pool: output (s, i) stands as often as s times as often as i."""
    present = ~np.isnan(human)
    x, y = human[present], metric[present]
    if len(x) < 2:
        return np.full(draws.count, np.nan)
    rows, columns = np.nonzero(present)
    result = np.empty(draws.count)
    for part, some in draws.chunks(len(x)):
        counts = some.of("systems", len(human))[:, rows] * some.of("items", human.shape[1])[:, columns]
        result[part] = statistic.weighted(x, y, counts)
    return result


def _pooled_pearson(human: Array, metric: Array, draws: Draws) -> Array:
    features = moments(human, metric)
    if features is None:
        return np.full(draws.count, np.nan)
    result = np.empty(draws.count)
    systems, items = human.shape
    for part, some in draws.chunks(6 * items):
        if draws.systems is None:
            sums = some.of("items", items) @ features.sum(axis=0)
        elif draws.items is None:
            sums = some.of("systems", systems) @ features.sum(axis=1)
        else:
            by_item = some.of("systems", systems) @ features.reshape(systems, -1)
            sums = np.einsum("di,dik->dk", some.of("items", items), by_item.reshape(-1, items, 6))
        result[part] = pearson_of_sums(sums)
    return result


def _grouped(
    statistic: Statistic, human: Array, metric: Array, group_counts: Array, member_counts: Array | None
) -> Array:
    """Statistics averaged over groups: rows are groups, columns their members."""
    if statistic.joint:
        return statistic.joint.draws(human, metric, group_counts, member_counts)
    if member_counts is None:
        fixed = group_values(statistic, human, metric)
        defined = ~np.isnan(fixed)
        return ratio(group_counts[:, defined] @ fixed[defined], group_counts[:, defined].sum(axis=1))
    total, weight = np.zeros(len(group_counts)), np.zeros(len(group_counts))
    for row in range(len(human)):
        present = ~np.isnan(human[row])
        if present.sum() < 2:
            continue
        values = statistic.weighted(human[row, present], metric[row, present], member_counts[:, present])
        defined = ~np.isnan(values)
        total += np.where(defined, values, 0.0) * group_counts[:, row]
        weight += defined * group_counts[:, row]
    return ratio(total, weight)


def _system_level(statistic: Statistic, human: Array, metric: Array, draws: Draws) -> Array:
    if draws.items is None:
        first, second = system_means(human), system_means(metric)
        present = ~np.isnan(first)
        x, y = first[present], second[present]
        if len(x) < 2:
            return np.full(draws.count, np.nan)
        return statistic.weighted(x, y, draws.of("systems", len(human))[:, present])
    present = (~np.isnan(human)).astype(np.float64)
    sides = np.concatenate([present, np.nan_to_num(human), np.nan_to_num(metric)]).T
    sums = np.concatenate([some.of("items", len(sides)) @ sides for _, some in draws.chunks(len(sides))])
    size, x, y = np.split(sums, 3, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        x, y = without_dust(x / size), without_dust(y / size)
    if statistic.coefficient and draws.systems is None and not np.isnan(x).any():
        return statistic.batch(x, y)
    result = np.full(draws.count, np.nan)
    systems = draws.of("systems", len(human))
    for draw in range(draws.count):
        here = ~np.isnan(x[draw])
        if here.sum() >= 2:
            result[draw] = statistic.weighted(x[draw, here], y[draw, here], systems[draw : draw + 1, here])[0]
    return result


def _soft(human: Array, metric: Array, draws: Draws, seed: int) -> Array:
    """Soft pairwise accuracy; resampled items need new p-values in every draw."""
    upper = np.triu_indices(len(human), 1)
    systems = draws.of("systems", len(human))
    weights = systems[:, upper[0]] * systems[:, upper[1]]
    result = np.empty(draws.count)
    distance = None
    for draw in range(draws.count):
        if draws.items is not None:
            drawn = np.repeat(np.arange(human.shape[1]), draws.items[draw].astype(np.int64))
            distance = _distance(human[:, drawn], metric[:, drawn], SOFT_DRAWS, seed + 1 + draw)[upper]
        elif distance is None:
            distance = _distance(human, metric, 1000, seed)[upper]
        known = ~np.isnan(distance)
        weight = weights[draw, known]
        result[draw] = 1 - (weight @ distance[known]) / weight.sum() if weight.sum() else np.nan
    return result


def _distance(human: Array, metric: Array, draws: int, seed: int) -> Array:
    return np.abs(pairwise_p_values(human, draws=draws, seed=seed) - pairwise_p_values(metric, draws=draws, seed=seed))


def _counts(generator: np.random.Generator, size: int, count: int) -> Counts:
    result = np.empty((count, size), dtype=np.uint16)
    step = max(1, CHUNK // size)
    for start in range(0, count, step):
        rows = min(step, count - start)
        chosen = generator.integers(size, size=(rows, size)) + size * np.arange(rows)[:, None]
        result[start : start + rows] = np.bincount(chosen.ravel(), minlength=rows * size).reshape(rows, size)
    return result


def _sizes(human: Array, metric: Array) -> tuple[int, int]:
    """Systems and items that have at least one output with both scores."""
    present = ~(np.isnan(human) | np.isnan(metric))
    return int(present.any(axis=1).sum()), int(present.any(axis=0).sum())


def fisher_interval(result: Correlation, confidence: float = 0.95) -> Correlation:
    """The result with approximate limits by Fisher's z, the inverse hyperbolic tangent; refuses what has none.

    Its standard error is 1/sqrt(n - 3) for Pearson (exact only in the limit, and for normal scores),
    sqrt((1 + r^2/2)/(n - 3)) for Spearman (Bonett and Wright 2000) and sqrt(0.437/(n - 4)) for Kendall (Fieller,
    Hartley and Pearson 1957). All suppose n independent points: outputs that share items or systems are not.
    """
    from scipy import stats

    z_error = STATISTICS[result.statistic].z_error
    if z_error is None or result.average != "none":
        raise InputError(
            "Fisher's interval is for one Pearson, Spearman or Kendall tau-b correlation; use the bootstrap for "
            "averages and other statistics"
        )
    if not result.defined:
        return result
    if result.n < 5:
        raise InputError(f"Fisher's interval needs at least 5 points; got {result.n}")
    if abs(result.estimate) >= 1 - ROUNDING:
        note = f"no interval: Fisher's z is not defined at a correlation of {result.estimate:.0f}"
        return dataclasses.replace(result, confidence=confidence, notes=(*result.notes, note))
    z = math.atanh(result.estimate)
    width = float(stats.norm.ppf((1 + confidence) / 2)) * z_error(result.estimate, result.n)
    low, high = math.tanh(z - width), math.tanh(z + width)
    method = "Fisher's z, approximate: supposes independent outputs"
    return dataclasses.replace(result, low=low, high=high, confidence=confidence, method=method)
