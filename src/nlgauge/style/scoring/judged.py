"""Outputs judged by classifiers and metrics: rows of statistics by system, intervals, and paired tests of systems.

The score over all directions is the mean of the directions' scores, as in the paper. For intervals and tests its rows
are those of the directions side by side, so that one resampling serves them all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlgauge import stats
from nlgauge.api import DEFAULT_TRIALS
from nlgauge.api import metrics as metrics_of
from nlgauge.engine.local import system_rows
from nlgauge.engine.pairing import comparisons, pair_remarks, rankings, system_pairs
from nlgauge.errors import InputError, option
from nlgauge.io import load
from nlgauge.learned.compliancy import REVERSED, TARGET, Compliancy, StyleAH, StyleHH, StyleMain, classifiers
from nlgauge.metrics.base import Array, Metric
from nlgauge.metrics.sets import SetMetric
from nlgauge.results import Comparison, Comparisons
from nlgauge.stats.multiple import trials_for
from nlgauge.stats.shares import share_limits, sum_limits
from nlgauge.style.scoring.posing import GOLD, Posed
from nlgauge.style.scoring.table import AVERAGE, MEASURES, Row, Table, Value
from nlgauge.types import Column, EvaluationSet

Score = Callable[[Array], Array]
Progress = Callable[[str, int], None]
TRIALS = DEFAULT_TRIALS["ar"]
SEGMENT = {"bleu": "sentbleu"}  # metrics whose score of one headline is nearly always 0, and what stands in for them


@dataclass(frozen=True)
class Settings:
    """How intervals and tests are made."""

    level: float = 0.95
    draws: int = 1000
    trials: int | None = None
    seed: int = 12345


@dataclass(frozen=True)
class Sample:
    """One system's outputs: their items, directions, and rows by measure."""

    items: tuple[str, ...]
    where: NDArray[np.intp]  # the place of the direction of each
    rows: Mapping[str, Array]

    def only(self, items: Sequence[str]) -> Sample:
        """Its outputs for some items, in their order."""
        places = {item: place for place, item in enumerate(self.items)}
        kept = np.array([places[item] for item in items], dtype=np.intp)
        return Sample(tuple(items), self.where[kept], {name: rows[kept] for name, rows in self.rows.items()})


@dataclass(frozen=True)
class Judged:
    """All systems by all measures, and the gold headlines by those of the classifiers."""

    data: EvaluationSet
    directions: tuple[str, ...]
    measures: Mapping[str, Metric]  # hh, ah, main, compliancy, then the others by their specs
    single: Mapping[str, Metric]  # measure -> the metric whose score of one output is meant
    samples: Mapping[str, Sample]
    gold: Sample | None
    success: str

    @property
    def systems(self) -> tuple[str, ...]:
        """In the order of the outputs."""
        return tuple(self.samples)

    def segments(self, system: str, measure: str) -> Array:
        """The scores of single outputs."""
        metric = self.single.get(measure, self.measures[measure])
        return metric.score(self.samples[system].rows[str(metric) if measure in self.single else measure])


def judge(
    posed: Posed,
    model: str,
    metrics: Sequence[str | Metric] = (),
    *,
    success: str | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Judged:
    """Ask the classifiers of a folder, and other metrics, about all outputs."""
    if success is None:
        success = REVERSED if len(classifiers(model).labels) == 2 else TARGET
    own: dict[str, Metric] = {
        "hh": StyleHH(model=model),
        "ah": StyleAH(model=model),
        "main": StyleMain(model=model, success=success),
        "compliancy": Compliancy(model=model, success=success),
    }
    others = {str(metric): metric for metric in (metrics_of(metrics) if metrics else ())}
    for metric in others.values():
        if isinstance(metric, SetMetric):
            raise InputError(
                f"{metric} is a score of a whole set, which has no place in this table; write the rows "
                f"({option('rows')}) and give them to nlgauge score"
            )
    single = {name: metrics_of(SEGMENT[metric.name])[0] for name, metric in others.items() if metric.name in SEGMENT}
    data = load(list(posed.rows))
    data.require(dict.fromkeys(need for metric in others.values() for need in metric.needs))
    where = {row["item"]: posed.directions.index(row["direction"]) for row in posed.rows}
    asked = {**own, **others, **{str(metric): metric for metric in single.values()}}
    samples = _samples([data.column(name) for name in data.systems], asked, where, jobs, progress)
    gold = None
    if posed.gold:
        golden = load(list(posed.gold))
        gold = _samples([golden.column(GOLD)], own, where, jobs, progress)[GOLD]
    return Judged(
        data=data,
        directions=posed.directions,
        measures={**own, **others},
        single=single,
        samples=samples,
        gold=gold,
        success=success,
    )


def _samples(
    columns: Sequence[Column],
    asked: Mapping[str, Metric],
    where: Mapping[str, int],
    jobs: int,
    progress: Progress | None,
) -> dict[str, Sample]:
    rows = system_rows(columns, list(asked.values()), jobs=jobs, progress=progress)
    return {
        column.system: Sample(
            tuple(column.items),
            np.array([where[item] for item in column.items], dtype=np.intp),
            {name: rows[column.system][metric.rows_key()] for name, metric in asked.items()},
        )
        for column in columns
    }


def beside(sample: Sample, measure: str, directions: int) -> Array:
    """(n, directions · (1 + k)): the rows of a measure in the columns of their direction, each after a one."""
    rows = np.column_stack([np.ones(len(sample.items)), sample.rows[measure]])
    found = np.zeros((len(rows), directions, rows.shape[1]))
    found[np.arange(len(rows)), sample.where] = rows
    return found.reshape(len(rows), -1)


def by_direction(metric: Metric, directions: int) -> Score:
    """From totals of such rows the scores of all directions (…, directions); NaN where nothing was drawn."""

    def score(totals: Array) -> Array:
        parts = np.asarray(totals).reshape(*np.shape(totals)[:-1], directions, -1)
        found = np.asarray(metric.score(parts[..., 1:]), dtype=np.float64)
        return np.where(parts[..., 0] > 0, found, np.nan)

    return score


def mean_of(metric: Metric, directions: int) -> Score:
    """The mean over directions."""
    each = by_direction(metric, directions)
    return lambda totals: np.asarray(each(totals).mean(axis=-1))


def table_of(judged: Judged, settings: Settings) -> Table:
    """Every system in every direction and on average, with intervals; beside it gold."""
    rows = [
        row
        for system, sample in judged.samples.items()
        for row in _rows(system, sample, judged.measures, judged.directions, settings)
    ]
    gold: list[Row] = []
    if judged.gold is not None:
        own = {name: judged.measures[name] for name in judged.gold.rows}
        gold = _rows(GOLD, judged.gold, own, judged.directions, settings)
    return Table(
        tuple(judged.measures),
        judged.directions,
        tuple(rows),
        tuple(gold),
        places={name: metric.places for name, metric in judged.measures.items() if metric.places < 4},
        lower=frozenset(name for name, metric in judged.measures.items() if metric.direction == "lower"),
    )


def _rows(
    system: str,
    sample: Sample,
    measures: Mapping[str, Metric],
    directions: Sequence[str],
    settings: Settings,
) -> list[Row]:
    """What classifiers decide are shares, whose limits are exact; other scores have those of a bootstrap."""
    many = len(directions)
    others = {name: metric for name, metric in measures.items() if name not in MEASURES}
    shares = {name: by_place(sample, name, many) for name in measures if name in MEASURES}
    found = []
    for place, direction in enumerate(directions):
        chosen = sample.where == place
        rows = {name: sample.rows[name][chosen] for name in others}
        scores: dict[str, Score] = {name: metric.score for name, metric in others.items()}
        own = {name: Value(*limited(passed[place : place + 1], (1.0,), settings)) for name, passed in shares.items()}
        found.append(Row(system, direction, own | _values(rows, scores, settings), int(chosen.sum())))
    rows = {name: beside(sample, name, many) for name in others}
    scores = {name: mean_of(metric, many) for name, metric in others.items()}
    own = {name: Value(*limited(passed, (1 / many,) * many, settings)) for name, passed in shares.items()}
    return [*found, Row(system, AVERAGE, own | _values(rows, scores, settings), len(sample.items))]


def by_place(sample: Sample, measure: str, directions: int) -> list[tuple[int, int]]:
    """In each direction, how many outputs pass, of how many."""
    passed = sample.rows[measure][:, 0]
    chosen = [sample.where == place for place in range(directions)]
    return [(int(passed[own].sum()), int(own.sum())) for own in chosen]


def limited(
    passed: Sequence[tuple[int, int]], weights: Sequence[float], settings: Settings
) -> tuple[float, float, float]:
    """A weighted sum of shares, such as their mean or difference, with its limits."""
    shares = [count / n for count, n in passed]
    each = [share_limits(count, n, settings.level) for count, n in passed]
    low, high = each[0] if tuple(weights) == (1.0,) else sum_limits(shares, each, weights)
    return sum(weight * share for weight, share in zip(weights, shares, strict=True)), low, high


def _values(rows: Mapping[str, Array], scores: Mapping[str, Score], settings: Settings) -> dict[str, Value]:
    if not rows:
        return {}
    if len(next(iter(rows.values()))) < 2:  # nothing to draw from
        return {name: Value(float(scores[name](own.sum(axis=0)))) for name, own in rows.items()}
    found = stats.intervals(rows, scores, trials=settings.draws, seed=settings.seed, level=settings.level)
    return {name: Value(interval.estimate, interval.low, interval.high) for name, interval in found.items()}


def tests_of(judged: Judged, settings: Settings) -> Comparisons | None:
    """Every two systems on the items that all have: the average by every measure, compliancy in each direction too.

    None where there is one system, or nothing to pair. p-values are corrected by Holm's method over the pairs.
    """
    pairs = system_pairs(judged.systems, None) if len(judged.systems) > 1 else []
    samples = common(judged)
    if not pairs or len(next(iter(samples.values())).items) < 2:
        return None
    trials = settings.trials or trials_for(len(pairs), TRIALS)
    many, rows, scores = len(judged.directions), {}, {}
    asked = [(name, AVERAGE) for name in judged.measures]
    asked += [("compliancy", direction) for direction in judged.directions]
    for measure, direction in asked:
        metric = judged.measures[measure]
        for system, sample in samples.items():
            key = (system, (measure, direction))
            rows[key] = beside(sample, measure, many)
            scores[key] = mean_of(metric, many) if direction == AVERAGE else _one(metric, judged, direction)
    tested = stats.paired_tests(
        rows,
        scores,
        [((system, what), (other, what)) for what in asked for system, other in pairs],
        trials=trials,
        seed=settings.seed,
        level=settings.level,
        interval_trials=settings.draws,
        family=lambda pair: pair[0][1],
    )
    found: list[Comparison] = []
    notes: list[str] = []
    for what in asked:
        outcomes = [tested[(system, what), (other, what)] for system, other in pairs]
        name, direction = f"{what[0]}, {what[1]}", judged.measures[what[0]].direction
        found += comparisons(name, pairs, outcomes, test="ar", direction=direction)
        notes += pair_remarks(name, pairs, outcomes)
    return Comparisons(
        tuple(found),
        receipts={},
        notes=tuple(notes),
        seed=settings.seed,
        family=len(pairs),
        places={f"{name}, {what}": judged.measures[name].places for name, what in asked},
        rankings=rankings(found),
    )


def _one(metric: Metric, judged: Judged, direction: str) -> Score:
    each, place = by_direction(metric, len(judged.directions)), judged.directions.index(direction)
    return lambda totals: np.asarray(each(totals)[..., place])


def common(judged: Judged) -> dict[str, Sample]:
    """The systems on the items that all have, in one order."""
    first = next(iter(judged.samples.values()))
    shared = set(first.items).intersection(*(sample.items for sample in judged.samples.values()))
    items = [item for item in first.items if item in shared]
    return {system: sample.only(items) for system, sample in judged.samples.items()}
