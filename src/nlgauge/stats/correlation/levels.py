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
from nlgauge.errors import InputError, suggest
from nlgauge.jsonable import Jsonable
from nlgauge.stats.correlation.coefficients import BATCH, WEIGHTED, pearson_of_sums, whole_scale
from nlgauge.stats.correlation.pairs import (
    PairTable,
    agreement,
    pairwise_p_values,
    soft_pairwise_accuracy,
    told_apart,
)

Level = Literal["segment", "system"]
Average = Literal["none", "item", "system"]

SHORT = 64  # members of a group up to which all their pairs are listed

STATISTICS: dict[str, str] = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's ρ",
    "kendall-b": "Kendall's τ-b",
    "kendall-c": "Stuart's τ-c",
    "pearson-pdp": "Pearson's r of pairwise differences",
    "kendall-like": "WMT's Kendall-like τ",
    "acc23": "pairwise accuracy",
    "tau23": "τ23",
    "acc-eq": "pairwise accuracy with tie calibration (acc*eq)",
    "spa": "soft pairwise accuracy",
}
ALIASES = {
    "kendall": "kendall-b",
    "tau": "kendall-b",
    "darr": "kendall-like",
    "pdp": "pearson-pdp",
    "accuracy": "acc23",
    "pairwise-accuracy": "acc23",
    "tau-23": "tau23",
    "acc*eq": "acc-eq",
    "acceq": "acc-eq",
    "soft-pairwise-accuracy": "spa",
    "r": "pearson",
    "rho": "spearman",
}


@dataclass(frozen=True)
class Correlation(Jsonable):
    """One coefficient: `n` outputs (or systems) that have both scores, in `groups` groups that were used.

    `constant` and `small` are the groups left out because one side is constant (in `flat` of them the human scores),
    or because fewer than two outputs have both scores. `low` and `high` are NaN unless an interval was asked for.
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

    @property
    def defined(self) -> bool:
        """Whether there is a number at all."""
        return not math.isnan(self.estimate)

    def __str__(self) -> str:
        name = STATISTICS.get(self.statistic, self.statistic)
        where = {"none": "pooled", "item": "averaged over items", "system": "averaged over systems"}
        place = "system level" if self.level == "system" else f"segment level, {where[self.average]}"
        number = f"{self.estimate:.3f}" if self.defined else "undefined"
        text = f"{name} = {number} ({place}, n = {self.n:,}"
        if self.average != "none" and self.level == "segment":
            text += f" in {self.groups:,} groups"
        if not math.isnan(self.low):
            text += f"; {100 * self.confidence:.6g} % interval {self.low:.3f} to {self.high:.3f}, {self.method}"
        return "; note: ".join((text + ")", *self.notes))


def statistic_name(name: str) -> str:
    """The canonical name of a statistic; refuses an unknown one."""
    plain = name.strip().lower().replace("_", "-").replace(" ", "-")
    plain = ALIASES.get(plain, plain)
    if plain not in STATISTICS:
        raise InputError(f"unknown statistic {name!r}: {suggest(plain, (*STATISTICS, *ALIASES))}")
    return plain


def correlate(
    human: Any,
    metric: Any,
    *,
    statistic: str = "pearson",
    level: Level = "segment",
    average: Average = "none",
    threshold: float = 0.0,
    draws: int = 1000,
    seed: int = 12345,
) -> Correlation:
    """How well a metric's scores follow people's: (systems, items) arrays, NaN where missing.

    At system level a flat array is one score per system; at segment level one per output. `kendall-like`
    counts pairs whose human scores differ by more than `threshold`; `draws` and `seed` serve `spa` only.
    """
    name = statistic_name(statistic)
    people, scores = scores_pair(human, metric, level)
    check_request(name, level, average)
    if name == "spa":
        return _soft(people, scores, draws, seed)
    if name.startswith("pearson"):
        people, scores = whole_scale(people), whole_scale(scores)
    groups = arrange(people, scores, level, average)
    value = _grouped(name, groups, threshold)
    value = dataclasses.replace(value, level=level, average=average)
    return dataclasses.replace(value, notes=(*value.notes, *notes_on(value)))


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


def check_request(name: str, level: str, average: str) -> None:
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
    if name == "spa" and level != "system":
        raise InputError("soft pairwise accuracy compares systems: ask for level 'system'")


def _grouped(name: str, groups: tuple[Array, Array], threshold: float) -> Correlation:
    human, metric = groups
    present = ~np.isnan(human)
    sizes = present.sum(axis=1)
    small = int((sizes < 2).sum())
    n = int(sizes.sum())
    if name == "kendall-like":
        value, used, floor = _kendall_like_of_groups(human, metric, threshold)
        return Correlation(value, n, name, groups=used, small=len(sizes) - used, floor=floor)
    if name == "acc-eq":
        best = PairTable(human, metric).calibrated()
        return Correlation(
            best.accuracy,
            n,
            name,
            groups=len(sizes) - small,
            small=small,
            threshold=best.epsilon,
            floor=accuracy_floor(name, human, metric),
        )
    if name == "pearson-pdp":
        value = pdp_of_groups(human, metric)
        return Correlation(value, n, name, groups=len(sizes) - small, small=small)
    values = group_values(name, human, metric)
    defined = ~np.isnan(values)
    used = int(defined.sum())
    return Correlation(
        float(values[defined].mean()) if used else math.nan,
        n,
        name,
        groups=used,
        constant=len(sizes) - small - used,
        flat=int(_flat(human[(sizes >= 2) & ~defined]).sum()),
        small=small,
        floor=accuracy_floor(name, human, metric) if name in ("acc23", "tau23") else 0.0,
    )


def accuracy_floor(name: str, human: Array, metric: Array) -> float:
    """The pairwise accuracy (tau23: 2 of it - 1) to be expected of a metric that knows nothing, mean over groups.

    With a share t of the pairs tied by people and m by the metric, a random order gets m t + (1 - m)(1 - t) / 2 right.
    Tie calibration may choose m, so that the best of calling all pairs tied, t, and none, (1 - t) / 2, is the floor.
    """
    used = (~np.isnan(human)).sum(axis=1) >= 2
    if not used.any():
        return math.nan
    ties = _tied_share(human[used])
    if name == "acc-eq":
        return float(max(ties.mean(), (1 - ties.mean()) / 2))
    mine = _tied_share(metric[used])
    floor = float((mine * ties + (1 - mine) * (1 - ties) / 2).mean())
    return floor if name == "acc23" else 2 * floor - 1


def _tied_share(scores: Array) -> Array:
    """The share of pairs of each row that are equal."""
    found = np.empty(len(scores))
    for row, values in enumerate(scores):
        counts = np.unique(values[~np.isnan(values)], return_counts=True)[1]
        n = counts.sum()
        found[row] = (counts * (counts - 1)).sum() / (n * (n - 1))
    return found


def _flat(scores: Array) -> NDArray[np.bool_]:
    """Whether all the scores of a row are equal; each row has at least one."""
    if not len(scores):
        return np.zeros(0, dtype=np.bool_)
    return np.asarray(np.nanmax(scores, axis=1) == np.nanmin(scores, axis=1))


def group_values(name: str, human: Array, metric: Array) -> Array:
    """The coefficient of each row of (groups, members) arrays; NaN where undefined."""
    present = ~np.isnan(human)
    if name in BATCH and present.all() and human.shape[1] >= 2:
        return BATCH[name](human, metric)
    if name in ("acc23", "tau23") and human.shape[1] <= SHORT:
        accuracy = PairTable(human, metric).by_group(0.0)
        return accuracy if name == "acc23" else 2 * accuracy - 1
    values = np.full(len(human), np.nan)
    for row, members in enumerate(present):
        if members.sum() < 2:
            continue
        x, y = human[row, members], metric[row, members]
        if name in ("acc23", "tau23"):
            agree, pairs = agreement(x, y)
            values[row] = agree / pairs if name == "acc23" else 2 * agree / pairs - 1
        else:
            values[row] = WEIGHTED[name](x, y, np.ones((1, len(x))))[0]
    return values


def _kendall_like_of_groups(human: Array, metric: Array, threshold: float) -> tuple[float, int, float]:
    """Kendall-like tau over the pairs of all groups together, the groups that had a pair to count, and the floor.

    The metric's ties count as wrong, so a random order gets minus their share among the pairs that people told apart.
    """
    table = PairTable(human, metric)
    counted = told_apart(table.human, threshold)
    right = (np.sign(table.human) == np.sign(table.metric))[counted]
    used = len(np.unique(table.group[counted]))
    if not len(right):
        return math.nan, used, math.nan
    return float(2 * right.mean() - 1), used, 0.0 - float((table.metric[counted] == 0).mean())


def pdp_of_groups(human: Array, metric: Array) -> float:
    """Pearson correlation of the differences of all pairs within groups, each pair in both directions.

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
    return float(pearson_of_sums(np.array(sums, dtype=np.float64)))


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
    notes = []
    if not result.defined:
        notes.append("undefined: one side is constant, or fewer than two scores stand on both sides")
    elif result.constant or result.small:
        total = f"{result.groups + result.constant + result.small:,}"
        what = {"item": "items", "system": "systems"}.get(result.average, "groups")
        for left_out, why in (
            (result.flat, "all ratings equal"),
            (result.constant - result.flat, "all scores of the metric equal"),
            (result.small, "fewer than two outputs to compare"),
        ):
            if left_out:
                notes.append(f"{left_out:,} of {total} {what} left out: {why}")
    return tuple(notes)
