"""The report of Belz and Reiter (2006): systems scored and ranked by people and by metrics, all correlated.

Three tables: scores with ranks (their Table 2), Pearson's correlation of every column with every other and, in
brackets, the mean correlation of single judges or runs of the row's column with the mean of the column's (their Table
3), and pairwise tests by approximate randomisation. A system that people wrote is shown without a rank and takes no
part in the correlations: the paper's figures follow from its scores only without the corpus texts.

The runs of a metric are its scores on the rows of each `fold` of a cross-validation, where all rows have
that key; else its scores against each reference alone; a stored score has one run, itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from nlgauge import stats
from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.meta.measures import Measure, mean_rows, mean_score, score_texts
from nlgauge.meta.observations import Observations
from nlgauge.meta.results import FEWEST
from nlgauge.meta.settings import Settings
from nlgauge.meta.table import Grid, arrange, human_scores, judge_scores, judges_named
from nlgauge.metrics.base import Metric
from nlgauge.stats.correlation.judges import SingleJudge, single_judge
from nlgauge.wording.numbers import ALPHA

LEAST = 3  # systems a judge must have rated: a correlation of two points is always 1 or -1
TRIALS = 10_000


@dataclass(frozen=True)
class Column:
    """One way to score the systems: a criterion or a metric. `singles` are (judges or runs, systems)."""

    name: str
    human: bool
    direction: str
    places: int
    values: tuple[float, ...]  # one per system
    ranks: tuple[int, ...]  # 0 for the system that people wrote
    singles: tuple[tuple[float, ...], ...]

    def rows(self, systems: Sequence[str]) -> list[dict[str, Any]]:
        """One row per system."""
        return [
            {
                "system": system,
                "by": self.name,
                "kind": "human" if self.human else "metric",
                "direction": self.direction,
                "value": value,
                "rank": rank or None,
            }
            for system, value, rank in zip(systems, self.values, self.ranks, strict=True)
        ]


@dataclass(frozen=True)
class PairTest(Jsonable):
    """Two systems under one column; `delta` is first minus second, p adjusted by Holm's method in the column."""

    by: str
    first: str
    second: str
    delta: float
    p: float
    p_adjusted: float


@dataclass(frozen=True)
class BelzReiter(Jsonable):
    """The three tables."""

    KEYS = "systems, reference_system, scores, matrix = correlations, tests, trials, notes"

    systems: tuple[str, ...]
    reference_system: str | None
    columns: tuple[Column, ...]
    matrix: dict[tuple[str, str], SingleJudge]
    tests: tuple[PairTest, ...]
    trials: int
    notes: tuple[str, ...] = ()
    folds: int = 0  # of the rows, where the runs of metrics are folds

    @property
    def scores(self) -> list[dict[str, Any]]:
        """Each system under each column."""
        return [row for column in self.columns for row in column.rows(self.systems)]

    @property
    def correlations(self) -> list[dict[str, Any]]:
        """The matrix in rows."""
        return [
            {"row": row, "column": column, "pearson": cell.of_means, "single": cell.estimate, "singles": cell.judges}
            for (row, column), cell in self.matrix.items()
        ]

    def sentence(self) -> str:
        """Which differences are not significant, and whether one metric predicts people better than a person does."""
        open_ = [test for test in self.tests if not test.p_adjusted <= ALPHA]
        sure = len(self.tests) - len(open_)
        count = f"{sure} of {len(self.tests)} pairwise differences between systems are significant"
        if not self.tests:
            return "Differences between systems were not tested."
        parts = [f"{count} (approximate randomisation, {self.trials:,} trials, Holm within each column, α = {ALPHA})"]
        if open_ and len(open_) <= 6:
            parts.append("not significant: " + ", ".join(f"{test.first}/{test.second} on {test.by}" for test in open_))
        ranked = len(self.systems) - (self.reference_system is not None)
        judged = [column for column in self.columns if column.human and len(column.singles) > 1]
        for people in judged if ranked >= FEWEST else ():
            person = self.matrix[people.name, people.name].estimate
            better = [
                column.name
                for column in self.columns
                if not column.human and self._sign(column) * self.matrix[column.name, people.name].estimate > person
            ]
            if better:
                parts.append(
                    f"a single run of {', '.join(better)} predicts the mean of {people.name} better than a single "
                    f"judge does ({person:.3f})"
                )
        return "; ".join(parts) + "."

    def _sign(self, column: Column) -> float:
        return 1.0 if column.direction == "higher" else -1.0


def belz_reiter(
    data: Observations,
    measures: Sequence[Measure],
    metrics: Sequence[Metric | None],
    criteria: Sequence[str],
    settings: Settings,
    *,
    reference_system: str | None = None,
    jobs: int = 1,
) -> BelzReiter:
    """The report; `metrics` are the metrics behind the measures, None for stored scores."""
    grid = arrange(data, by_system=True)
    ranked = [place for place, name in enumerate(grid.systems) if name != reference_system]
    if len(ranked) < 3:
        raise InputError(f"a report on how systems are ranked needs at least three systems; got {len(ranked)}")
    folds = len({str(row.extra.get("fold")) for row in data.rows}) if _in_folds(data) else 0
    notes = [f"the runs of the metrics are the {folds:,} folds (`fold`) of the rows"] if folds else []
    columns: list[Column] = []
    tables: dict[str, tuple[Array, Callable[[Array], Array]]] = {}
    for criterion in criteria:
        values = human_scores(data, criterion)
        tables[criterion] = (grid.by_item(mean_rows(values)), mean_score)
        singles, said = _judges(data, grid, criterion)
        notes += said
        columns.append(_column(criterion, tables[criterion], singles, ranked, human=True))
    for measure, metric in zip(measures, metrics, strict=True):
        known = np.where(np.isnan(measure.values)[:, None], 0.0, measure.rows)
        table = tables[measure.name] = (grid.by_item(known), measure.score)
        singles = _folds(data, grid, table) if folds else _runs(data, grid, metric, jobs)
        direction, places = measure.direction, measure.places
        columns.append(_column(measure.name, table, singles, ranked, direction=direction, places=places))
    order = sorted(range(len(grid.systems)), key=lambda place: -_sortable(columns[0].values[place]))
    columns = [_reordered(column, order) for column in columns]
    systems = tuple(grid.systems[place] for place in order)
    kept = [place for place, name in enumerate(systems) if name != reference_system]
    trials = settings.trials_for(len(kept) * (len(kept) - 1) // 2, TRIALS)
    tests: tuple[PairTest, ...] = ()
    if len(grid.items) > 1:
        tests = _tests(grid, tables, [systems[place] for place in kept], trials, settings.seed)
    else:
        notes.append("the data hold one item only, so differences between systems cannot be tested")
    return BelzReiter(
        systems=systems,
        reference_system=reference_system,
        columns=tuple(columns),
        matrix=_matrix(columns, kept),
        tests=tests,
        trials=trials,
        notes=tuple(dict.fromkeys(notes)),
        folds=folds,
    )


def _column(
    name: str,
    table: tuple[Array, Callable[[Array], Array]],
    singles: Array,
    ranked: Sequence[int],
    *,
    human: bool = False,
    direction: str = "higher",
    places: int = 3,
) -> Column:
    rows, score = table
    present = rows.any(axis=(1, 2))
    values = np.where(present, score(rows.sum(axis=1)), np.nan)
    sign = 1.0 if direction == "higher" else -1.0
    ranks = [
        1 + sum(sign * values[other] > sign * values[place] for other in ranked) if place in ranked else 0
        for place in range(len(values))
    ]
    # A metric without runs is its own run; of people whose single judges are unknown there is none.
    single = singles if len(singles) or human else values[None, :]
    frozen = tuple(tuple(row) for row in single.tolist())
    return Column(name, human, direction, places, tuple(values.tolist()), tuple(map(int, ranks)), singles=frozen)


def _reordered(column: Column, order: Sequence[int]) -> Column:
    return replace(
        column,
        values=tuple(column.values[place] for place in order),
        ranks=tuple(column.ranks[place] for place in order),
        singles=tuple(tuple(row[place] for place in order) for row in column.singles),
    )


def _judges(data: Observations, grid: Grid, criterion: str) -> tuple[Array, list[str]]:
    """Each judge's mean score of each system, and what must be said about judges left out."""
    found, dropped = [], 0
    judges = {name: values for name, values in judge_scores(data, criterion).items() if not np.isnan(values).all()}
    if len(judges) == 1:
        return np.empty((0, 0)), [
            f"{criterion} has one rating an output, so nothing is known of single judges: its brackets are empty"
        ]
    if not judges_named(data, criterion):
        return np.empty((0, 0)), [
            f"nobody says who gave which rating of {criterion}, so its brackets are empty: single judges are known "
            "where every row has a `raters` list"
        ]
    for values in judges.values():
        means = grid.means(values)
        if np.isfinite(means).sum() >= LEAST:
            found.append(means)
        else:
            dropped += 1
    said = f"{dropped:,} of {len(judges):,} judges of {criterion} rated fewer than {LEAST} systems and are left out of "
    return np.array(found) if found else np.empty((0, 0)), [said + "the brackets"] if dropped else []


def _in_folds(data: Observations) -> bool:
    """Whether every row says of which fold it is, and there are several."""
    named = [row.extra.get("fold") for row in data.rows]
    return None not in named and len(set(map(str, named))) > 1


def _folds(data: Observations, grid: Grid, table: tuple[Array, Callable[[Array], Array]]) -> Array:
    """A metric's scores on the rows of each fold."""
    rows, score = table
    runs = []
    for fold in dict.fromkeys(str(row.extra["fold"]) for row in data.rows):
        inside = np.append([str(row.extra["fold"]) == fold for row in data.rows], False)  # -1: no output
        within = np.where(inside[grid.place][:, :, None], rows, 0.0)
        runs.append(np.where(within.any(axis=(1, 2)), score(within.sum(axis=1)), np.nan))
    return np.array(runs)


def _runs(data: Observations, grid: Grid, metric: Metric | None, jobs: int) -> Array:
    """A metric's scores against each reference alone: item by item the first, the second, …, then from the start."""
    most = max((len(row.references) for row in data.rows), default=0)
    if metric is None or most < 2 or any(row.text is None or not row.references for row in data.rows):
        return np.empty((0, 0))
    runs = []
    for number in range(most):
        rows = [replace(row, references=(row.references[number % len(row.references)],)) for row in data.rows]
        computed, score = score_texts(rows, [metric], data.origin, jobs=jobs)[metric]
        runs.append(score(grid.by_item(computed).sum(axis=1)))
    return np.array(runs)


def _matrix(columns: Sequence[Column], kept: Sequence[int]) -> dict[tuple[str, str], SingleJudge]:
    """Rows' single judges against columns' means; the means are those of the table, not of the single ones."""
    found = {}
    for row in columns:
        for column in columns:
            mean = np.array(column.values)[list(kept)]
            means = single_judge(np.array(row.values)[list(kept)], mean)
            cell = replace(means, estimate=math.nan, judges=0)
            if row.singles:
                cell = single_judge(np.array(row.singles)[:, list(kept)], mean)
            found[row.name, column.name] = replace(cell, of_means=means.estimate)
    return found


def _tests(
    grid: Grid,
    tables: dict[str, tuple[Array, Callable[[Array], Array]]],
    systems: Sequence[str],
    trials: int,
    seed: int,
) -> tuple[PairTest, ...]:
    place = {name: number for number, name in enumerate(grid.systems)}
    found: list[PairTest] = []
    for name, (table, score) in tables.items():
        rows = {system: table[place[system]] for system in systems if table[place[system]].any()}
        pairs = [(a, b) for a, b in combinations(rows, 2) if not np.array_equal(rows[a], rows[b])]
        if not pairs:
            continue
        tested = stats.paired_tests(rows, dict.fromkeys(rows, score), pairs, trials=trials, seed=seed)
        adjusted = stats.holm([tested[pair].p for pair in pairs])
        for pair, p in zip(pairs, adjusted, strict=True):
            found.append(PairTest(name, *pair, tested[pair].delta, tested[pair].p, float(p)))
    return tuple(found)


def _sortable(value: float) -> float:
    return value if math.isfinite(value) else -math.inf
