"""Judgements that say which of two outputs is better: WMT's Kendall-like tau and pairwise accuracy.

Such judgements are given, or made of ratings (`rated_apart`), as WMT18 and WMT19 made them of direct assessments.

A tie of the metric counts as wrong, because people told the two apart. Intervals resample items with all their pairs,
and two metrics are compared by swapping them at random, item by item.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from nlgauge import stats
from nlgauge.arrays import Array
from nlgauge.errors import InputError, option
from nlgauge.meta.measures import Measure
from nlgauge.meta.observations import Observations
from nlgauge.meta.results import MetaCorrelation, MetricTest
from nlgauge.meta.settings import Settings
from nlgauge.meta.significance import groups_of
from nlgauge.meta.table import human_scores
from nlgauge.stats.correlation.darr import darr_pairs, kendall_like


def _tau(totals: Array) -> Array:
    tau: Array = 2 * _accuracy(totals) - 1
    return tau


def _accuracy(totals: Array) -> Array:
    right, pairs = totals[..., 0], totals[..., 1]
    share: Array = np.divide(right, pairs, out=np.full(pairs.shape, np.nan), where=pairs > 0)
    return share


SCORES = {"kendall-like": _tau, "acc23": _accuracy}


def rated_apart(data: Observations, human: Sequence[str], settings: Settings) -> tuple[Observations, tuple[str, ...]]:
    """With pairs of each item's outputs whose ratings differ by more than the margin, and the criterion rated."""
    if settings.margin is None:
        return data, tuple(human)
    if data.pairs:
        raise InputError(f"judgements are pairs here already (better, worse); {option('margin')} makes them of ratings")
    if settings.judgements == "each":
        raise InputError(f"{option('margin')} compares outputs by the mean or median of their ratings, not by each")
    criteria = tuple(dict.fromkeys(human)) or tuple(data.criteria)
    if len(criteria) != 1:
        known = ", ".join(criteria) or "none"
        raise InputError(f"{option('margin')} makes pairs of one criterion: name it with {option('human')} ({known})")
    ratings = human_scores(data, criteria[0], settings.judgements)
    found = darr_pairs(ratings, [row.item for row in data.rows], settings.margin)
    if not len(found):
        raise InputError(
            f"no item of {data.origin} has two outputs whose ratings of {criteria[0]} differ by more than "
            f"{settings.margin:g}; give a smaller {option('margin')}"
        )
    return replace(data, pairs=tuple(map(tuple, found.tolist()))), criteria


def correlate_pairs(
    data: Observations, measures: Sequence[Measure], statistics: Sequence[str], settings: Settings, criterion: str
) -> tuple[list[MetaCorrelation], list[MetricTest]]:
    """The share of pairs that each metric orders as people did, on the scale of each statistic."""
    better, worse = np.array(data.pairs).T
    items = list(dict.fromkeys(data.rows[place].item for place in better))
    number = {item: place for place, item in enumerate(items)}
    owner = np.array([number[data.rows[place].item] for place in better])
    rows = {measure.name: _rows(measure, better, worse, owner, len(items)) for measure in measures}
    cells: list[MetaCorrelation] = []
    tests: list[MetricTest] = []
    for statistic in statistics:
        score = SCORES[statistic]
        limits = _limits(rows, statistic, settings)
        some: list[MetaCorrelation] = []
        for measure in measures:
            counts = kendall_like(measure.sign * measure.values[better], measure.sign * measure.values[worse])
            if not counts.pairs:
                raise InputError(f"no pair has {measure.name} scores on both sides")
            value = float(score(np.array([counts.concordant, counts.pairs], dtype=np.float64)))
            low, high = limits.get(measure.name, (np.nan, np.nan))
            tied = float((measure.values[better] == measure.values[worse]).sum()) / counts.pairs
            some.append(
                MetaCorrelation(
                    metric=measure.name,
                    criterion=criterion,
                    level="segment",
                    statistic=statistic,
                    value=value,
                    low=low,
                    high=high,
                    n=counts.pairs,
                    direction=measure.direction,
                    notes=_ties(measure, better, worse),
                    floor=(1 - tied) / 2 if statistic == "acc23" else 0.0 - tied,
                )
            )
        compared = _tests(rows, some, settings) if settings.test != "none" and len(measures) > 1 else []
        tests += compared
        groups = groups_of(some, compared) if compared else {}
        cells += [cell.in_group(groups.get(cell.metric)) for cell in some]
    return cells, tests


def _rows(measure: Measure, better: Array, worse: Array, owner: Array, items: int) -> Array:
    """Pairs in the right order and all pairs, item by item."""
    first, second = measure.sign * measure.values[better], measure.sign * measure.values[worse]
    known = ~(np.isnan(first) | np.isnan(second))
    right = np.bincount(owner, (known & (first > second)).astype(np.float64), items)
    return np.stack([right, np.bincount(owner, known.astype(np.float64), items)], axis=-1)


def _limits(rows: dict[str, Array], statistic: str, settings: Settings) -> dict[str, tuple[float, float]]:
    if not settings.draws:
        return {}
    scores, draws = dict.fromkeys(rows, SCORES[statistic]), settings.draws
    found = stats.intervals(rows, scores, trials=draws, seed=settings.seed, level=settings.confidence)
    return {name: (interval.low, interval.high) for name, interval in found.items()}


def _ties(measure: Measure, better: Array, worse: Array) -> tuple[str, ...]:
    equal = int((measure.values[better] == measure.values[worse]).sum())
    return (f"{measure.name} ties {equal:,} pairs, which count as wrong",) if equal else ()


def _tests(rows: dict[str, Array], cells: Sequence[MetaCorrelation], settings: Settings) -> list[MetricTest]:
    order = sorted(cells, key=lambda cell: -cell.strength)
    pairs = [(a, b) for a, b in combinations(order, 2) if not np.array_equal(rows[a.metric], rows[b.metric])]
    if not pairs:
        return []
    score, trials = SCORES[cells[0].statistic], settings.trials_for(len(pairs))
    named = [(a.metric, b.metric) for a, b in pairs]
    tested = stats.paired_tests(rows, dict.fromkeys(rows, score), named, trials=trials, seed=settings.seed)
    adjusted = stats.holm([tested[pair].p for pair in named])
    return [
        MetricTest(
            criterion=a.criterion,
            statistic=a.statistic,
            better=a.metric,
            worse=b.metric,
            difference=a.value - b.value,
            p=tested[a.metric, b.metric].p,
            p_adjusted=float(p),
            method=f"approximate randomisation over items, {trials:,} trials",
            trials=trials,
        )
        for (a, b), p in zip(pairs, adjusted, strict=True)
    ]
