"""Correlation of a metric with people over (systems, items) scores, at the level one asks about.

* `level="segment", average="none"`: all outputs pooled into two long vectors;
* `average="item"`: systems are correlated within each item, and the items' coefficients averaged (`group by
  item`, `story level`, `summary level`); `average="system"` the other way round;
* `level="system"`: one mean score per system, then one coefficient over the systems.

Averaging, missing values and constant groups are treated as in mt-metrics-eval's `AverageCorrelation`: an
output counts only where both scores are present, and a group whose coefficient is undefined is left out of the
mean. Unlike there, the number of groups left out is part of the result, and nothing left at all is NaN, not 0.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.options import DEFAULT_SEED
from nlgauge.results import Result
from nlgauge.stats.correlation.coefficients import whole_scale
from nlgauge.stats.correlation.soft import pairwise_p_values, soft_pairwise_accuracy
from nlgauge.stats.correlation.statistic import STATISTICS, Statistic
from nlgauge.stats.correlation.statistic import statistic as statistic_called
from nlgauge.stats.results import of_level

Level = Literal["segment", "system"]
Average = Literal["none", "item", "system"]


@dataclass(frozen=True)
class Correlation(Result):
    """One coefficient: `n` outputs (or systems) that have both scores, in `groups` groups that were used.

    `constant` and `small` are the groups left out because one side is constant (in `flat` of them the human scores),
    because fewer than two outputs have both scores, or (`undefined`) because the statistic has no value there all the
    same. `low` and `high` are NaN unless an interval was asked for.
    `threshold` is the metric difference that still counts as a tie, where ties were calibrated. `floor` is the value
    of a metric that knows nothing: 0 for correlations; for shares of right pairs it depends on how often people tie.
    """

    estimate: float
    n: int
    statistic: str
    level: Level = "segment"
    average: Average = "none"
    groups: int = 1
    constant: int = 0
    flat: int = 0
    small: int = 0
    low: float = math.nan
    high: float = math.nan
    confidence: float = 0.95
    method: str = ""
    threshold: float = math.nan
    notes: tuple[str, ...] = ()
    floor: float = 0.0
    undefined: int = 0

    KEYS = "..., undefined if any"

    @property
    def defined(self) -> bool:
        """Whether there is a number at all."""
        return not math.isnan(self.estimate)

    def __str__(self) -> str:
        name = STATISTICS[self.statistic].words
        where = {"none": "pooled", "item": "averaged over items", "system": "averaged over systems"}
        place = "system level" if self.level == "system" else f"segment level, {where[self.average]}"
        number = f"{self.estimate:.3f}" if self.defined else "undefined"
        text = f"{name} = {number} ({place}, n = {self.n:,}"
        if self.average != "none" and self.level == "segment":
            text += f" in {self.groups:,} groups"
        if not math.isnan(self.low):
            text += f"; {of_level(self.confidence)} interval {self.low:.3f} to {self.high:.3f}, {self.method}"
        return "; note: ".join((text + ")", *self.notes))


def correlate(
    human: Any,
    metric: Any,
    *,
    statistic: str | Statistic = "pearson",
    level: Level = "segment",
    average: Average = "none",
    threshold: float = 0.0,
    draws: int = 1000,
    seed: int = DEFAULT_SEED,
) -> Correlation:
    """How well a metric's scores follow people's: (systems, items) arrays, NaN where missing.

    At system level a flat array is one score per system; at segment level one per output. `kendall-like`
    counts pairs whose human scores differ by more than `threshold`; `draws` and `seed` serve `spa` only.

    Args:
        human: people's scores, a (systems, items) array, NaN where missing; one flat list is outputs, or at
            system level systems
        metric: the metric's scores of the same outputs
        statistic: its name or alias, such as `pearson`, `kendall` or `acc-eq`
        level: `segment` (over outputs) or `system` (over the systems' means)
        average: at segment level: pool all outputs (`none`), or average over `item`s or `system`s
        threshold: the difference of people's scores up to which `kendall-like` counts no pair
        draws: permutations behind the p-values of `spa`
        seed: of the random draws

    >>> print(correlate([[1, 2, 3], [3, 1, 5]], [[0.2, 0.3, 0.5], [0.4, 0.1, 0.6]], statistic="kendall"))
    Kendall's τ-b = 0.931 (segment level, pooled, n = 6)
    """
    chosen = statistic_called(statistic, threshold)
    people, scores = scores_pair(human, metric, level)
    check_request(chosen, level, average)
    if chosen.whole:
        return _soft(people, scores, draws, seed)
    if chosen.linear:
        people, scores = whole_scale(people), whole_scale(scores)
    result = _grouped(chosen, *arrange(people, scores, level, average))
    result = dataclasses.replace(result, level=level, average=average)
    return dataclasses.replace(result, notes=(*result.notes, *notes_on(result)))


def arrange(human: Array, metric: Array, level: Level, average: Average) -> tuple[Array, Array]:
    """(groups, members) arrays in which a member has both scores or neither."""
    missing = np.isnan(human) | np.isnan(metric)
    human, metric = np.where(missing, np.nan, human), np.where(missing, np.nan, metric)
    if level == "system":
        return system_means(human)[None, :], system_means(metric)[None, :]
    if average == "item":
        return human.T, metric.T
    if average == "system":
        return human, metric
    return human.reshape(1, -1), metric.reshape(1, -1)


def system_means(scores: Array) -> Array:
    """Mean of the scores present for each system; NaN where there is none."""
    present = ~np.isnan(scores)
    count = present.sum(axis=1)
    means = np.where(present, scores, 0.0).sum(axis=1) / np.maximum(count, 1)
    return np.where(count > 0, without_dust(means), np.nan)


def without_dust(means: Array) -> Array:
    """Means rounded to about twelve digits.

    Two systems with the same ratings in another order have means that differ in the last bit, and rank
    correlations would take that for a difference.
    """
    largest = float(np.nanmax(np.abs(means), initial=0.0))
    if largest == 0.0:
        return means
    step = 2.0 ** (math.frexp(largest)[1] - 40)
    return np.asarray(np.round(means / step) * step)


def scores_pair(human: Any, metric: Any, level: Level) -> tuple[Array, Array]:
    """Both sides as (systems, items) arrays of one shape; refuses what is not."""
    first, second = scores_array(human, level, "human"), scores_array(metric, level, "metric")
    if first.shape != second.shape:
        raise InputError(
            f"human and metric scores must cover the same systems and items; got {first.shape} and {second.shape}"
        )
    return first, second


def scores_array(scores: Any, level: Level, whose: str) -> Array:
    """One side as a (systems, items) array."""
    try:
        array = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{whose} scores must be numbers, or NaN where missing: {error}") from None
    if array.ndim == 1:
        array = array[:, None] if level == "system" else array[None, :]
    if array.ndim != 2:
        raise InputError(f"{whose} scores must be a (systems, items) array; got one of {array.ndim} dimensions")
    if np.isinf(array).any():
        raise InputError(f"{whose} scores hold an infinite value: give a finite number, or NaN where missing")
    return array


def check_request(statistic: Statistic, level: str, average: str) -> None:
    """Refuse unknown levels and combinations that mean nothing."""
    if level not in ("segment", "system"):
        raise InputError(f"unknown level {level!r}: choose segment or system")
    if average not in ("none", "item", "system"):
        raise InputError(f"unknown averaging {average!r}: choose none, item or system")
    if level == "system" and average != "none":
        raise InputError(
            f"at system level there is one score per system and nothing to average over {average}s: "
            "leave average at 'none', or ask for level 'segment'"
        )
    if statistic.whole and level != "system":
        raise InputError(f"{statistic.words} compares systems: ask for level 'system'")


def _grouped(statistic: Statistic, human: Array, metric: Array) -> Correlation:
    sizes = (~np.isnan(human)).sum(axis=1)
    n = int(sizes.sum())
    if statistic.joint:
        value, used, floor, threshold = statistic.joint.value(human, metric)
        small = len(sizes) - used
        return Correlation(value, n, statistic.name, groups=used, small=small, floor=floor, threshold=threshold)
    values = group_values(statistic, human, metric)
    defined = ~np.isnan(values)
    used, small = int(defined.sum()), int((sizes < 2).sum())
    people, scores = (side[(sizes >= 2) & ~defined] for side in (human, np.where(np.isnan(human), np.nan, metric)))
    flat = _flat(people)
    constant = int((flat | _flat(scores)).sum())
    return Correlation(
        float(values[defined].mean()) if used else math.nan,
        n,
        statistic.name,
        groups=used,
        constant=constant,
        flat=int(flat.sum()),
        small=small,
        floor=statistic.floor(human, metric) if statistic.floor else 0.0,
        undefined=len(sizes) - small - used - constant,
    )


def _flat(scores: Array) -> NDArray[np.bool_]:
    """Whether all the scores of a row are equal up to rounding; each row has at least one."""
    if not len(scores):
        return np.zeros(0, dtype=np.bool_)
    high, low = np.nanmax(scores, axis=1), np.nanmin(scores, axis=1)
    return np.asarray(high - low <= 1e-12 * np.maximum(np.abs(high), np.abs(low)))


def group_values(statistic: Statistic, human: Array, metric: Array) -> Array:
    """The statistic of each row of (groups, members) arrays; NaN where undefined."""
    present = ~np.isnan(human)
    if present.all() and human.shape[1] >= 2:
        return statistic.batch(human, metric)
    sizes = present.sum(axis=1)
    values = np.full(len(human), np.nan)
    if statistic.oriented:  # counts of pairs are exact by any route: all groups of one size at once
        for size in np.unique(sizes[sizes >= 2]).tolist():
            rows = sizes == size
            x, y = (side[rows][present[rows]].reshape(-1, size) for side in (human, metric))
            values[rows] = statistic.batch(x, y)
        return values
    for row in np.flatnonzero(sizes >= 2):
        members = present[row]
        values[row] = statistic.weighted(human[row, members], metric[row, members], np.ones((1, sizes[row])))[0]
    return values


def _soft(human: Array, metric: Array, draws: int, seed: int) -> Correlation:
    missing = np.isnan(human) | np.isnan(metric)
    people = np.where(missing, np.nan, human)
    value = soft_pairwise_accuracy(people, np.where(missing, np.nan, metric), draws=draws, seed=seed)
    # A metric that finds no difference anywhere gives every pair of systems p = .5.
    sure = np.abs(pairwise_p_values(people, draws=draws, seed=seed) - 0.5)
    floor = 1 - float(np.nanmean(sure)) if (~np.isnan(sure)).any() else math.nan
    return Correlation(value, int((~missing).any(axis=1).sum()), "spa", level="system", floor=floor)


def notes_on(result: Correlation) -> tuple[str, ...]:
    """What a reader must know about groups left out."""
    notes, words = [], STATISTICS[result.statistic].words
    if not result.defined and result.undefined:
        notes.append(f"undefined: {words} has no value for these scores")
    elif not result.defined:
        notes.append("undefined: one side is constant, or fewer than two scores stand on both sides")
    elif result.constant or result.small or result.undefined:
        total = f"{result.groups + result.constant + result.small + result.undefined:,}"
        what = {"item": "items", "system": "systems"}.get(result.average, "groups")
        for left_out, why in (
            (result.flat, "all ratings equal"),
            (result.constant - result.flat, "all scores of the metric equal"),
            (result.small, "fewer than two outputs to compare"),
            (result.undefined, f"{words} has no value for their scores"),
        ):
            if left_out:
                notes.append(f"{left_out:,} of {total} {what} left out: {why}")
    return tuple(notes)
