"""The whole of a meta-evaluation: the table, and on request the report of Belz and Reiter, the references as a system,
and how stable the ranking is as references are added."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError, option, suggest
from nlgauge.jsonable import Jsonable
from nlgauge.meta.belz_reiter import BelzReiter, belz_reiter
from nlgauge.meta.evaluate import evaluate
from nlgauge.meta.measures import (
    Joined,
    Measure,
    Stored,
    Wanted,
    mean_rows,
    mean_score,
    measure,
    metric_notes,
    wanted,
)
from nlgauge.meta.observations import Observation, Observations, only
from nlgauge.meta.pairs import rated_apart
from nlgauge.meta.references import (
    CurvePoint,
    Rated,
    against_system,
    rate_references,
    reference_curve,
    warnings,
)
from nlgauge.meta.results import MetaEvaluation
from nlgauge.meta.settings import Settings
from nlgauge.meta.table import arrange, human_scores, standardised
from nlgauge.metrics.base import Metric
from nlgauge.receipt import extend
from nlgauge.stats.correlation.bands import Band, score_bands
from nlgauge.stats.results import Estimate
from nlgauge.wording.numbers import listing, percent


@dataclass(frozen=True)
class ScoreBands(Jsonable):
    """One metric against one criterion, from the band of the worst outputs to that of the best."""

    metric: str
    criterion: str
    rho: float  # of the ordinary metric that explains the differences best
    bands: tuple[Band, ...]

    def sentence(self) -> str:
        """Where the metric differs from an ordinary one, as far as intervals tell; empty where they do not."""
        told = [
            f"{'over' if band.beyond.estimate > 0 else 'under'}scores band {band.number} by "
            f"{abs(band.beyond.estimate):.1f} percentile points"
            for band in self.bands
            if _clear(band.beyond)
        ]
        if not told:
            return ""
        return (
            f"Beyond what its correlation with {self.criterion} explains, {self.metric} {listing(told)} "
            f"({percent(self.bands[0].beyond.level)} intervals, each for itself)."
        )


def _clear(estimate: Estimate) -> bool:
    return estimate.low > 0 or estimate.high < 0


def check_bands(bands: int, data: Observations, settings: Settings) -> None:
    """Refuse what has no bands, before anything is scored."""
    if not bands:
        return
    if data.pairs:
        raise InputError("bands need scores by people; the judgements given are pairs")
    if settings.level == "system":
        raise InputError(
            f"bands are bands of outputs, not of systems: leave out {option('level', 'system')} (and the report of "
            f"Belz and Reiter), or leave out {option('bands')}"
        )


def bands_of(table: MetaEvaluation, data: Observations, settings: Settings, bands: int) -> tuple[ScoreBands, ...]:
    """The bands of every metric and criterion of a table, of the outputs that it correlates."""
    items: Sequence[str] = [row.item for row in data.rows]
    signs = {cell.metric: 1.0 if cell.direction == "higher" else -1.0 for cell in table.correlations}
    found = []
    for (metric, criterion), points in table.points.items():
        rows, rho = score_bands(
            np.asarray(points.human, dtype=np.float64),
            np.asarray(points.metric, dtype=np.float64),
            items,
            sign=signs[metric],
            bands=bands,
            draws=settings.draws,
            confidence=settings.confidence,
            seed=settings.seed,
        )
        found.append(ScoreBands(metric, criterion, rho, tuple(rows)))
    return tuple(found)


@dataclass(frozen=True)
class MetaReport(Jsonable):
    """What `nlgauge meta` prints; the parts that were not asked for are empty."""

    KEYS = (
        "*table, belz_reiter if any, references = rated if any, reference_curve = curve if any, bands if any, "
        "warnings if any"
    )

    table: MetaEvaluation
    belz_reiter: BelzReiter | None = None
    rated: tuple[Rated, ...] = ()
    curve: tuple[CurvePoint, ...] = ()
    bands: tuple[ScoreBands, ...] = ()
    warnings: tuple[str, ...] = ()
    origin: str = "the data"
    settings: Settings = field(default_factory=Settings)


def make_report(
    data: Observations,
    settings: Settings,
    *,
    metrics: Sequence[str | Metric | Stored] = (),
    human: Sequence[str] = (),
    joined: Joined = "metric",
    full: bool = False,
    rated: bool = False,
    reference_system: str | None = None,
    curve: bool = False,
    bands: int = 0,
    jobs: int = 1,
) -> MetaReport:
    """The table of metrics by criteria and, where asked for, what belongs to a report.

    `full` is the report of Belz and Reiter, at system level; where items have several references it also rates them and
    says how stable the ranking is. `reference_system` names the system that people wrote; `bands` is the number of
    bands of quality in which over- and underscoring are told, 0 for none.
    """
    if settings.standardise == "judges":
        data = standardised(data, human)
    data, human = rated_apart(data, human, settings)
    if full:
        if settings.statistics not in (Settings.statistics, ("pearson",)):
            raise InputError(f"the report of Belz and Reiter is about Pearson's r; leave out {option('statistic')}")
        settings = replace(settings, level="system", average="none", statistics=("pearson",))
        if data.pairs:
            raise InputError("the report of Belz and Reiter needs ratings; the judgements given are pairs")
    check_bands(bands, data, settings)
    chosen = wanted(metrics, data, settings.level)
    machines = _without(data, reference_system)
    table = evaluate(machines, measure(machines, chosen, joined=joined, jobs=jobs), human, settings)
    table = replace(table, notes=(*table.notes, *metric_notes(machines, chosen)))
    real = [metric for metric in chosen if isinstance(metric, Metric)]
    report, found = None, list[Rated]()
    trials = settings.trials_for(len(machines.systems))
    own: list[Measure] = []
    if full:
        report, own = _full(data, chosen, table, settings, joined, reference_system, jobs=jobs)
    if reference_system is not None and not data.pairs:
        found += _beside(data, table.criteria, own, reference_system, trials, settings.seed)
    usable = bool(real) and _several(machines)
    if rated or (full and usable):
        more, notes = rate_references(machines, real, trials=trials, seed=settings.seed, jobs=jobs)
        found += more
        table = replace(table, notes=(*table.notes, *notes))
    points: list[CurvePoint] = []
    if curve or (full and usable):
        if not usable:
            raise InputError(
                "how rankings change with references needs metrics, texts, and items with several references"
            )
        people = _system_means(machines, table.criteria)
        points = reference_curve(machines, real, human=people, seed=settings.seed, jobs=jobs)
    parts = [f"belz-reiter:{report.trials}"] if report else []
    parts += [f"folds:{report.folds}"] if report and report.folds else []
    parts += [f"references:{trials}"] if found else []
    parts += ["references-curve"] if points else []
    banded = bands_of(table, machines, settings, bands) if bands else ()
    parts += [f"bands:{bands}"] if banded else []
    facts = {"report": "+".join(parts)} if parts else {}
    if reference_system is not None:
        facts["reference-system"] = f"{reference_system}:{_digest_of_system(data, reference_system)}"
    table = replace(table, receipts={name: extend(line, facts) for name, line in table.receipts.items()})
    return MetaReport(
        table=table,
        belz_reiter=report,
        rated=tuple(found),
        curve=tuple(points),
        bands=banded,
        warnings=tuple(warnings(found)),
        origin=data.origin,
        settings=settings,
    )


def _digest_of_system(data: Observations, system: str) -> str:
    """Twelve hexadecimal digits that identify a system's texts, ratings and stored scores."""
    rows = [row for row in data.rows if row.system == system]
    told = ([row.item, row.text, row.references, dict(row.ratings), row.extra.get("metrics")] for row in rows)
    return sha256("\n".join(map(repr, told)).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _several(data: Observations) -> bool:
    """Whether there are texts for all rows, references for all, and several for some."""
    whole = all(row.text is not None and row.references for row in data.rows)
    return whole and any(len(set(row.references)) > 1 for row in data.rows)


def _without(data: Observations, system: str | None) -> Observations:
    if system is None:
        return data
    if system not in data.systems:
        raise InputError(f"{data.origin} has no system {system!r}: {suggest(system, data.systems)}")
    return only(data, [place for place, row in enumerate(data.rows) if row.system != system])


def _full(
    data: Observations,
    chosen: Sequence[Wanted],
    table: MetaEvaluation,
    settings: Settings,
    joined: Joined,
    name: str | None,
    *,
    jobs: int,
) -> tuple[BelzReiter, list[Measure]]:
    """With the reference system's own texts taken out of the references they are scored against."""
    notes = []
    if name is not None:
        rows = tuple(_without_own(row) if row.system == name else row for row in data.rows)
        data = replace(data, rows=rows)
        bare = sum(row.system == name and not row.references for row in rows)
        if bare and any(isinstance(metric, Metric) for metric in chosen):
            notes.append(f"{name} has no reference but its own text for {bare:,} items, and no metric score there")
        if any(isinstance(metric, Stored) for metric in chosen):
            notes.append(f"stored scores of {name} may come from a comparison with its own texts")
    measures = [_patched(data, metric, joined, jobs) for metric in chosen]
    metrics = [metric if isinstance(metric, Metric) else None for metric in chosen]
    found = belz_reiter(data, measures, metrics, table.criteria, settings, reference_system=name, jobs=jobs)
    return replace(found, notes=(*found.notes, *notes)), measures


def _without_own(row: Observation) -> Observation:
    kept = tuple(text for text in row.references if _plain(text) != _plain(row.text))
    return replace(row, references=kept)


def _plain(text: str | None) -> str:
    """A text without case, blanks and punctuation: references are often tokenised copies of the texts judged."""
    return re.sub(r"[\W_]+", "", text or "").lower()


def _patched(data: Observations, wanted: Wanted, joined: Joined, jobs: int) -> Measure:
    """A measure of all rows that have what it needs; the others are NaN."""
    if isinstance(wanted, Stored):
        return measure(data, [wanted])[0]
    fit = [place for place, row in enumerate(data.rows) if row.references or "references" not in wanted.needs]
    found = measure(replace(data, rows=tuple(data.rows[place] for place in fit)), [wanted], joined=joined, jobs=jobs)[0]
    values = np.full(len(data), np.nan)
    rows = np.zeros((len(data), found.rows.shape[1]))
    values[fit], rows[fit] = found.values, found.rows
    return replace(found, values=values, rows=rows)


def _beside(
    data: Observations,
    criteria: Sequence[str],
    measures: Sequence[Measure],
    name: str,
    trials: int,
    seed: int,
) -> list[Rated]:
    """Does any system score above the texts that people wrote, by people or by a metric?"""
    columns: list[tuple[tuple[str, str, bool], Array, Callable[[Array], Array]]]
    columns = [
        ((criterion, "higher", True), mean_rows(human_scores(data, criterion)), mean_score) for criterion in criteria
    ]
    columns += [((measure.name, measure.direction, False), measure.rows, measure.score) for measure in measures]
    grid = arrange(data, by_system=True)
    found = []
    for column, rows, score in columns:
        by_system = dict(zip(grid.systems, grid.by_item(rows), strict=True))
        if by_system[name].any():
            found += against_system(by_system, name, score, column, trials, seed)
    return found


def _system_means(data: Observations, criteria: Sequence[str]) -> Array | None:
    """What people think of each system: the mean over criteria of the systems' standardised means."""
    if not criteria or data.pairs:
        return None
    grid = arrange(data, by_system=True)
    columns = []
    for criterion in criteria:
        means = grid.means(human_scores(data, criterion))
        columns.append((means - np.nanmean(means)) / (np.nanstd(means) or 1.0))
    mean: Array = np.mean(columns, axis=0)
    return mean
