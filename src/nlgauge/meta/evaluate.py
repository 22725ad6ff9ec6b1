"""Metrics against people: the correlations, their intervals, and which metrics differ.

System-level correlation of corpus scores: a system's score is the metric's own score of all its outputs.

Corpus BLEU is not the mean of sentence BLEU, so the statistics of the outputs are summed and scored, in the data and
in every bootstrap draw: `score(W @ rows)` with W how often each item stands in the draw. Means of segment scores are
the same with rows (score, 1).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack, get_args

import numpy as np

from nlgauge import receipt
from nlgauge.arrays import Array
from nlgauge.errors import InputError, option
from nlgauge.meta.measures import Joined, Measure, Stored, mean_rows, mean_score, metric_notes, settled, wanted
from nlgauge.meta.measures import measure as measured
from nlgauge.meta.observations import Observations, observe
from nlgauge.meta.pairs import SCORES, correlate_pairs, rated_apart
from nlgauge.meta.results import (
    MetaCorrelation,
    MetaEvaluation,
    MetricTest,
    Points,
    against_notes,
    floor_notes,
)
from nlgauge.meta.settings import Settings, SettingsOptions, listed
from nlgauge.meta.significance import cluster
from nlgauge.meta.table import Grid, arrange, human_scores, standardised
from nlgauge.metrics.base import Metric
from nlgauge.stats.correlation.bootstrap import Draws, bootstrap_values, with_interval
from nlgauge.stats.correlation.levels import Correlation, correlate
from nlgauge.stats.correlation.statistic import STATISTICS
from nlgauge.wording.numbers import listing

FEW = 10  # systems below which a correlation over systems deserves a word
MOST_DRAWN = 2e8  # outputs x metrics x criteria x draws whose pairs are counted: about a minute or two
PREFERENCE = "preference"  # the criterion's name where judgements are pairs


def meta_evaluate(
    data: Any,
    metrics: str | Metric | Stored | Sequence[str | Metric | Stored] = (),
    human: str | Sequence[str] = (),
    *,
    settings: Settings | None = None,
    references: Joined = "metric",
    jobs: int = 1,
    **options: Unpack[SettingsOptions],
) -> MetaEvaluation:
    """Correlate metrics with human judgements.

    Args:
        data: a file, rows, an evaluation set or `Observations`
        metrics: a spec, or several; "@BLEU" for scores that the rows carry
        human: a criterion, or several; all by default
        settings: how to correlate, in place of options
        references: several references: all at once as the metric takes them (metric), or each by itself, and the mean
            or the best score of them
        jobs: threads for the kernels
        options: fields of `Settings`: level, statistics (or statistic, by the names of the command line), average, …

    >>> rows = [{"item": i, "system": "s", "hypothesis": "a", "ratings": {"q": i}, "metrics": {"m": i * i}}
    ...         for i in range(5)]
    >>> round(meta_evaluate(rows, ["@m"], draws=0)["@m", "q"].value, 3)
    0.959
    """
    chosen = (settings or Settings()).changed(options)
    specs = listed(metrics, "metrics", "chrf", (str, Metric, Stored))
    criteria = listed(human, "criteria", "fluency")
    if references not in get_args(Joined):
        raise InputError(f"references must be one of {', '.join(get_args(Joined))}; got {references!r}")
    observed = data if isinstance(data, Observations) else observe(data)
    if chosen.standardise == "judges":
        observed = standardised(observed, criteria)
    observed, criteria = rated_apart(observed, criteria, chosen)
    asked = wanted(specs, observed, chosen.level)
    measures = measured(observed, asked, joined=references, jobs=jobs)
    found = evaluate(observed, measures, criteria, chosen)
    return replace(found, notes=(*found.notes, *metric_notes(observed, asked)))


def evaluate(
    data: Observations, measures: Sequence[Measure], human: Sequence[str], settings: Settings
) -> MetaEvaluation:
    """The table of measures by criteria."""
    if settings.digits:
        measures = [replace(measure, values=settled(measure.values, settings.digits)) for measure in measures]
    if data.pairs:
        if human and settings.margin is None:
            raise InputError(
                f"judgements are pairs here (better, worse), so there is no criterion to name with {option('human')}"
            )
        return _on_pairs(data, measures, human, settings)
    criteria = list(dict.fromkeys(human)) or data.criteria
    if not criteria:
        raise InputError(
            f"{data.origin} holds no ratings; expected rows with ratings, or pairs ({option('pairs', 'FILE')}) that "
            "say which output is better"
        )
    by_system = settings.level == "system" or settings.average == "system" or settings.over != "items"
    grid = arrange(data, by_system=by_system)
    _refuse_two_systems(grid, settings)
    settings, few = _drawable(grid, settings)
    undrawn = _too_long(len(data) * len(measures) * len(criteria), settings)
    if len(undrawn) == len(settings.statistics):
        settings = replace(settings, draws=0)
    notes, said = [*data.notes], list[str]()
    cells: list[MetaCorrelation] = []
    tests: list[MetricTest] = []
    points: dict[tuple[str, str], Points] = {}
    for criterion in criteria:
        judged = human_scores(data, criterion, settings.judgements)
        notes += missing_notes(judged, criterion)
        for statistic in settings.statistics:
            chosen = replace(settings, draws=0) if statistic in undrawn else settings
            row = [_cell(grid, judged, measure, criterion, statistic, chosen) for measure in measures]
            marked, compared, remarks = _compared(grid, judged, measures, row, chosen)
            cells += marked
            tests += compared
            said += remarks
        points |= {(measure.name, criterion): points_of(grid, judged, measure, settings) for measure in measures}
    notes += [*few, *undrawn.values(), *_measure_notes(measures, cells), *said]
    if settings.draws and settings.level == "system" and settings.over == "items" and len(grid.systems) < FEW:
        notes.append(
            f"the intervals say how the correlations over these {len(grid.systems)} systems vary with the items; for "
            f"other systems so few say little ({option('over', 'both')} resamples them too)"
        )
    notes += [*floor_notes(cells), *against_notes(cells)]
    receipts = _receipts(measures, tests, settings, _judged(data, criteria))
    return MetaEvaluation(tuple(cells), tuple(tests), tuple(dict.fromkeys(notes)), receipts, settings.facts(), points)


def _judged(data: Observations, criteria: Sequence[str]) -> dict[str, object]:
    """What people said, for a receipt."""
    return {"human": ",".join(criteria) or PREFERENCE, "ratings": data.judgement_digest(criteria)}


def _receipts(
    measures: Sequence[Measure],
    tests: Sequence[MetricTest],
    settings: Settings,
    judged: Mapping[str, object],
) -> dict[str, str]:
    """The measures' receipts, with how they were correlated with what people said."""
    facts = {**judged, "statistic": ",".join(settings.statistics), "level": settings.level}
    facts["average"] = settings.average
    if settings.level == "system":
        soft = settings.score == "corpus" and "spa" in settings.statistics
        facts["score"] = "corpus,spa:mean" if soft else settings.score
    if settings.digits:
        facts["digits"] = settings.digits
    if settings.standardise != "none":
        facts["standardise"] = settings.standardise
    if settings.judgements != "mean":
        facts["judged"] = settings.judgements
    if settings.margin is not None:
        facts["margin"] = f"{settings.margin:g}"
    facts["draws"] = settings.draws
    if settings.draws:
        facts |= {"over": settings.over, "confidence": settings.confidence}
    facts["test"] = ",".join(dict.fromkeys(test.brief for test in tests)) or "none"
    if tests:
        family = max(Counter((test.criterion, test.statistic) for test in tests).values())
        facts["adjust"] = f"holm:{family}"
    facts["seed"] = settings.seed
    return {measure.name: receipt.extend(measure.receipt, facts) for measure in measures}


def _refuse_two_systems(grid: Grid, settings: Settings) -> None:
    forced = any(STATISTICS[name].coefficient for name in settings.statistics)
    if settings.level == "system" and len(grid.systems) == 2 and forced:
        raise InputError(
            "a correlation over 2 systems is 1 or -1 whatever the scores; give at least 3 systems, use "
            f"{option('level', 'segment')}, or compare the two systems with `nlgauge compare`"
        )


def _drawable(grid: Grid, settings: Settings) -> tuple[Settings, list[str]]:
    """Without draws where there is nothing to draw from: one item, or one system."""
    rows, items = grid.place.shape
    lacking = "item" if items < 2 and settings.over != "systems" else ""
    lacking = "system" if rows < 2 and settings.over != "items" else lacking
    if not settings.draws or not lacking:
        return settings, []
    return replace(settings, draws=0), [f"no intervals: the data hold one {lacking} only, so none can be resampled"]


def _too_long(values: int, settings: Settings) -> dict[str, str]:
    """Statistics that count the pairs of so many pooled outputs anew in every draw: why they get no interval."""
    if settings.level != "segment" or settings.average != "none" or values * settings.draws <= MOST_DRAWN:
        return {}
    found = {
        name: f"no intervals of {name}: {settings.draws:,} draws of all these pooled outputs would take too long; use "
        f"fewer draws ({option('draws')}), or {option('average', 'item')}"
        for name in settings.statistics
        if STATISTICS[name].pairwise and not STATISTICS[name].linear
    }
    if found and settings.test == "bootstrap":
        raise InputError(f"{next(iter(found.values()))} ({option('test', 'bootstrap')} needs these draws)")
    return found


def _sides(grid: Grid, judged: Array, measure: Measure, statistic: str) -> tuple[Array, Array]:
    """Both sides as (rows, items); statistics that count right pairs see scores of which more is better."""
    values = measure.values * (measure.sign if STATISTICS[statistic].oriented else 1.0)
    times = judged.shape[1] if judged.ndim == 2 else 1
    return grid.spread(judged), np.tile(grid.spread(values), (times, 1))


def _cell(
    grid: Grid, judged: Array, measure: Measure, criterion: str, statistic: str, settings: Settings
) -> tuple[MetaCorrelation, Array]:
    """One correlation, and its value in every bootstrap draw."""
    if settings.level == "system" and not STATISTICS[statistic].whole:
        found, drawn = correlate_corpus(grid, judged, measure, statistic, settings)
    else:
        found, drawn = _correlated(*_sides(grid, judged, measure, statistic), statistic, settings)
    cell = MetaCorrelation(
        metric=measure.name,
        criterion=criterion,
        level=settings.level,
        statistic=statistic,
        value=found.estimate,
        low=found.low,
        high=found.high,
        n=found.n,
        direction=measure.direction,
        average=settings.average,
        groups=found.groups,
        notes=found.notes,
        floor=found.floor,
        threshold=found.threshold,
    )
    return cell, drawn


def _correlated(human: Array, metric: Array, statistic: str, settings: Settings) -> tuple[Correlation, Array]:
    asked: dict[str, Any] = {"statistic": statistic, "level": settings.level, "average": settings.average}
    found = correlate(human, metric, **asked, seed=settings.seed)
    if not settings.draws:
        return found, np.empty(0)
    made = Draws.make(human.shape, settings.over, settings.draws, settings.seed)
    drawn = bootstrap_values(human, metric, made, **asked, seed=settings.seed)
    both = ~(np.isnan(human) | np.isnan(metric))
    sizes = (int(both.any(axis=1).sum()), int(both.any(axis=0).sum()))
    return with_interval(found, drawn, settings.over, settings.confidence, sizes), drawn


def _compared(
    grid: Grid,
    judged: Array,
    measures: Sequence[Measure],
    row: Sequence[tuple[MetaCorrelation, Array]],
    settings: Settings,
) -> tuple[list[MetaCorrelation], list[MetricTest], list[str]]:
    """The cells with their groups, the tests behind these, and what must be said."""
    cells = [cell for cell, _ in row]
    if settings.test == "none" or len(measures) < 2:
        return cells, [], []
    statistic = cells[0].statistic
    corpus = settings.level == "system" and settings.score == "corpus"
    scores: dict[str, Array] = {}
    drawn: dict[str, Array] = {}
    people: Array = np.empty(0)
    for measure, (_, values) in zip(measures, row, strict=True):
        turn = 1.0 if STATISTICS[statistic].oriented else measure.sign
        if corpus:
            points = points_of(grid, judged, measure, settings)
            people, score = np.array(points.human)[:, None], np.array(points.metric)[:, None]
            scores[measure.name] = measure.sign * score
        else:
            people, score = _sides(grid, judged, measure, statistic)
            scores[measure.name] = turn * score
        drawn[measure.name] = turn * values
    groups, tests, notes = cluster(people, scores, drawn, cells, settings)
    return [cell.in_group(groups.get(cell.metric)) for cell in cells], tests, notes


def _on_pairs(
    data: Observations, measures: Sequence[Measure], human: Sequence[str], settings: Settings
) -> MetaEvaluation:
    """Pairs (better, worse): WMT's Kendall-like tau, or the share of pairs ordered as people did."""
    asked = settings.statistics if settings.statistics != Settings.statistics else ("kendall-like",)
    unfit = [name for name in asked if name not in SCORES]
    if unfit:
        raise InputError(
            f"pairs of a better and a worse output allow darr and accuracy, not {unfit[0]}, which needs scores"
        )
    if settings.level == "system" or settings.average != "none":
        raise InputError(
            f"pairs are compared one by one: leave out {option('level', 'system')} and {option('average')}"
        )
    cells, tests = correlate_pairs(data, measures, asked, settings, next(iter(human), PREFERENCE))
    receipts = _receipts(measures, tests, replace(settings, statistics=tuple(asked)), _judged(data, human))
    notes = dict.fromkeys([*data.notes, *_measure_notes(measures, cells), *against_notes(cells)])
    facts = settings.facts() | {"pairs": len(data.pairs)}
    return MetaEvaluation(tuple(cells), tuple(tests), tuple(notes), receipts, facts)


def missing_notes(judged: Array, criterion: str) -> list[str]:
    """How many outputs have no rating; refuses ratings that are missing altogether, or constant."""
    one = judged if judged.ndim == 1 else np.where(np.isnan(judged).all(axis=1), np.nan, 0.0)
    missing = int(np.isnan(one).sum())
    if missing == len(one):
        raise InputError(f"nobody rated {criterion!r} in the rows that were kept")
    known = judged[~np.isnan(judged)]
    if (known == known[0]).all():
        raise InputError(
            f"all ratings of {criterion!r} are {known[0]:g}: constant ratings correlate with nothing; "
            "choose another criterion or other rows"
        )
    return [f"{missing:,} of {len(one):,} outputs have no rating of {criterion} and were left out"] if missing else []


def _measure_notes(measures: Sequence[Measure], cells: Sequence[MetaCorrelation]) -> list[str]:
    notes = []
    for measure in measures:
        missing = int(np.isnan(measure.values).sum())
        known = measure.values[~np.isnan(measure.values)]
        if missing:
            notes.append(
                f"{missing:,} of {len(measure.values):,} outputs have no score {measure.name} and were left out"
            )
        if len(known) and (known == known[0]).all():
            notes.append(f"{measure.name} is {known[0]:g} for every output: a constant has no correlation")
    said: dict[str, list[MetaCorrelation]] = {}
    for cell in cells:
        for text in cell.notes:
            said.setdefault(text, []).append(cell)
    for text, where in said.items():
        notes.append(text if len(where) == len(cells) else f"{_places(where, cells)}: {text}")
    return notes


def _places(where: Sequence[MetaCorrelation], cells: Sequence[MetaCorrelation]) -> str:
    """Which cells of the table: whole columns by their criterion, whole rows by their metric, else a few by both."""
    for axis in ("criterion", "metric"):
        names = list(dict.fromkeys(getattr(cell, axis) for cell in where))
        if len(where) == sum(getattr(cell, axis) in names for cell in cells):
            return listing(names)
    more = f" and {len(where) - 1} more cells" if len(where) > 1 else ""
    return f"{where[0].metric} with {where[0].criterion}{more}"


def points_of(grid: Grid, judged: Array, measure: Measure, settings: Settings) -> Points:
    """The points of a scatter plot: systems at system level, else outputs."""
    people = judged if judged.ndim == 1 else _row_means(judged)
    if settings.level == "system":
        human, metric = [], []
        for places in grid.columns():
            kept = places[~np.isnan(people[places]) & ~np.isnan(measure.values[places])]
            known = len(kept) > 0
            human.append(float(people[kept].mean()) if known else math.nan)
            total = measure.rows[kept].sum(axis=0) if settings.score == "corpus" else None
            score = float(measure.score(total)) if total is not None and known else math.nan
            metric.append(score if total is not None or not known else float(measure.values[kept].mean()))
        return Points(human, metric, list(grid.systems))
    return Points(people.tolist(), measure.values.tolist())


def _row_means(judged: Array) -> Array:
    count = (~np.isnan(judged)).sum(axis=1)
    mean: Array = np.divide(np.nansum(judged, axis=1), count, out=np.full(len(count), np.nan), where=count > 0)
    return mean


def correlate_corpus(
    grid: Grid, judged: Array, measure: Measure, statistic: str, settings: Settings
) -> tuple[Correlation, Array]:
    """The correlation over systems, with an interval where draws are asked for, and its value in every draw."""
    mean = settings.score == "mean"
    statistics = mean_rows(measure.values) if mean else measure.rows
    score = mean_score if mean else measure.score
    sign = measure.sign if STATISTICS[statistic].oriented else 1.0
    human, values = grid.spread(judged), grid.spread(measure.values)
    both = ~(np.isnan(human) | np.isnan(values))
    human = np.where(both, human, 0.0)
    rows = np.zeros((*grid.place.shape, statistics.shape[1]))
    rows[both] = statistics[grid.place[both]]

    def sides(weights: Array) -> tuple[Array, Array]:
        """Human means and corpus scores (draws, systems) when item i stands weights[draw, i] times."""
        size = weights @ both.T.astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = (weights @ human.T) / size
        totals = np.einsum("di,sik->dsk", weights, rows, optimize=True)
        scores = sign * score(totals)
        return settled(np.where(size > 0, means, np.nan)), settled(np.where(size > 0, scores, np.nan))

    people, scores = sides(np.ones((1, len(grid.items))))
    found = correlate(people[0], scores[0], statistic=statistic, level="system")
    if not settings.draws:
        return found, np.empty(0)
    made = Draws.make(grid.place.shape, settings.over, settings.draws, settings.seed)
    drawn = _values(sides(made.of("items", len(grid.items))), made, statistic)
    sizes = (int(both.any(axis=1).sum()), int(both.any(axis=0).sum()))
    return with_interval(found, drawn, settings.over, settings.confidence, sizes), drawn


def _values(sides: tuple[Array, Array], made: Draws, statistic: str) -> Array:
    people, scores = sides
    if made.systems is None and STATISTICS[statistic].coefficient and not np.isnan(people).any():
        return STATISTICS[statistic].batch(people, scores)
    times = made.of("systems", people.shape[1]).astype(np.int64)
    found = np.full(made.count, np.nan)
    for draw in range(made.count):
        chosen = np.repeat(np.arange(people.shape[1]), times[draw])
        sides = people[draw, chosen], scores[draw, chosen]
        found[draw] = correlate(*sides, statistic=statistic, level="system").estimate
    return found
