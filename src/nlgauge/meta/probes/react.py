"""How metrics react to perturbations of good texts.

The good texts are references or the outputs of a system. With `on="references"` one reference of each item is
taken out and perturbed, and the item's other references judge it; which one rotates over the items, so that no
annotator is always the one perturbed. An item with one reference only is judged by that reference: its clean
text then has the best score there is. With `on=SYSTEM` the system's outputs are judged by all references.

Scores are those of single segments: a corpus score of 60 texts of which 10 could not be perturbed would mix the two.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge import receipt
from nlgauge.arrays import Array
from nlgauge.engine.local import system_rows
from nlgauge.errors import InputError, option
from nlgauge.kernels import backend
from nlgauge.meta.probes import figures
from nlgauge.meta.probes.agnostic import Given, find_names
from nlgauge.meta.probes.perturbations import (
    PERTURBATIONS,
    NotApplied,
    Perturbation,
    Perturbed,
    check_severities,
    linear,
)
from nlgauge.meta.probes.results import Coverage, FalseAlarm, Monotonicity, Probes, Reaction
from nlgauge.metrics.base import Metric
from nlgauge.options import DEFAULT_SEED
from nlgauge.stats.limits import check_level
from nlgauge.stats.results import Estimate
from nlgauge.types import Column, EvaluationSet

REFERENCES = "references"
SEVERITIES = (0.1, 0.25, 0.5, 1.0)
TEXTS = 500  # texts probed unless more are asked for
TRIALS = 1000
SURFACE = frozenset({"case", "punctuation"})  # harmless, but some metrics are made to mind them
DECIMALS = 10  # scores that differ by less are the same: rounding errors are no reaction


@dataclass(frozen=True)
class _Grade:
    """One perturbation at one severity: which texts it was applied to, at what dose."""

    perturbation: Perturbation
    severity: float
    texts: list[str]
    where: NDArray[np.intp]
    doses: Array  # one per text of the probe; NaN where not applied


def probe(
    data: EvaluationSet,
    metrics: Sequence[Metric],
    perturbations: Sequence[Perturbation] = tuple(PERTURBATIONS.values()),
    *,
    on: str = REFERENCES,
    severities: Sequence[float] = SEVERITIES,
    texts: int = TEXTS,
    level: float = 0.95,
    trials: int = TRIALS,
    seed: int = DEFAULT_SEED,
    jobs: int = 1,
    progress: Callable[[str, int], None] | None = None,
) -> Probes:
    """Perturb good texts and measure how each metric reacts."""
    steps = check_severities(severities)
    check_level(level, "confidence level")
    column, notes = good_texts(data, metrics, on=on, texts=texts)
    grades, coverage = _grades(column, perturbations, steps, seed)
    scores = _scores(column, grades, metrics, jobs, progress)
    tables = {str(metric): _Losses(metric, grades, scores[str(metric)], coverage) for metric in dict.fromkeys(metrics)}
    limits = _limits(tables, level=level, trials=trials, seed=seed) if grades else {}
    known = {
        "n": len(column),
        **data.digests(sources=False),
        "backend": backend(),
        "probes": "+".join(entry.perturbation for entry in coverage if entry.applied),
        "on": on,
        "severities": "+".join(f"{value:g}" for value in steps),
        "ci": f"bootstrap:{trials}",
        "level": level,
        "seed": seed,
    }
    unscored = [
        f"{name}: {table.unscored:,} versions have no score and are left out"
        for name, table in tables.items()
        if table.unscored
    ]
    return Probes(
        coverage=tuple(coverage),
        reactions=tuple(row for table in tables.values() for row in table.reactions(limits, level)),
        monotonicity=tuple(row for table in tables.values() for row in table.monotonicity(limits, level)),
        false_alarms=tuple(row for table in tables.values() if (row := table.false_alarm(limits)) is not None),
        metrics={str(metric): metric.direction for metric in metrics},
        severities=steps,
        on=on,
        texts=len(column),
        seed=seed,
        level=level,
        notes=(*notes, *unscored),
        receipts={
            str(metric): receipt.write(metric, known | data.digests(sources=metric.reads_sources)) for metric in metrics
        },
    )


def good_texts(data: EvaluationSet, metrics: Sequence[Metric], *, on: str, texts: int) -> tuple[Column, list[str]]:
    """The texts to perturb with what judges them, and what the reader must know about the choice."""
    if texts < 1:
        raise InputError(f"the number of texts must be at least 1; got {texts}")
    if on == REFERENCES and REFERENCES not in data.systems:
        column, notes = _reference_column(data, metrics)
    else:
        data.require(dict.fromkeys(need for metric in metrics for need in metric.needs), [on])
        column, notes = data.column(on), []
    blank = [place for place, text in enumerate(column.hypotheses) if not text.strip()]
    if blank:
        notes.append(f"{len(blank):,} empty texts left out")
    kept = sorted(set(range(len(column))) - set(blank))
    if not kept:
        raise InputError(f"{data.origin}: all texts of {on!r} are empty, so there is nothing to perturb")
    if len(kept) > texts:
        notes.append(f"{texts:,} of {len(kept):,} texts were probed, evenly spaced over the data ({option('texts')})")
        kept = [kept[len(kept) * number // texts] for number in range(texts)]
    return _part(column, column.system, kept, [column.hypotheses[place] for place in kept]), notes


def _part(column: Column, system: str, places: Sequence[int], texts: list[str]) -> Column:
    """Texts in the place of some of a column, with what judges those."""

    def picked(held: Sequence[Any] | None) -> list[Any] | None:
        return None if held is None else [held[place] for place in places]

    return Column(
        system,
        [column.items[place] for place in places],
        texts,
        [column.references[place] for place in places],
        picked(column.sources),
        picked(column.post_edits),
        reference_weights=picked(column.reference_weights),
    )


def _reference_column(data: EvaluationSet, metrics: Sequence[Metric]) -> tuple[Column, list[str]]:
    """One reference of each item as the text, the others as its references."""
    for metric in metrics:
        if {"reference_weights", "post_edits"} & set(metric.needs):
            raise InputError(
                f"{metric} cannot judge references by each other, because it needs {' and '.join(metric.needs)}; "
                f"name a system whose outputs are good: {option('on', 'SYSTEM')}"
            )
    table = {segment.item: segment for system in data.systems for segment in data.segments(system)}
    rows = [table[item] for item in data.items if item in table and table[item].references]
    if not rows:
        raise InputError(
            f"{data.origin} has no references to perturb; give some, or name a system whose outputs are good: "
            f"{option('on', 'SYSTEM')}"
        )
    notes = []
    if len(rows) < len(table):
        notes.append(f"{len(table) - len(rows):,} items without a reference left out")
    first = {(row.references, linear(row.source)): place for place, row in reversed(list(enumerate(rows)))}
    if len(first) < len(rows):
        notes.append(f"{len(rows) - len(first):,} items with the references and source of another left out")
        rows = [rows[place] for place in sorted(first.values())]
    single = sum(len(row.references) == 1 for row in rows)
    if single:
        notes.append(
            f"{single:,} of {len(rows):,} texts are judged by themselves, because their item has one reference: their "
            "clean score is the best there is, so that any change can only lower it"
        )
    texts, judges = [], []
    for place, row in enumerate(rows):
        out = place % len(row.references)
        texts.append(row.references[out])
        judges.append(row.references[:out] + row.references[out + 1 :] or row.references)
    sources = [row.source for row in rows]
    known = sources if any(source is not None for source in sources) else None
    return Column(REFERENCES, [row.item for row in rows], texts, judges, known), notes


def _grades(
    column: Column, perturbations: Sequence[Perturbation], severities: Sequence[float], seed: int
) -> tuple[list[_Grade], list[Coverage]]:
    names = find_names(column.hypotheses)
    given = [
        Given(text, linear(column.sources[place]) if column.sources else "", names)
        for place, text in enumerate(column.hypotheses)
    ]
    grades, coverage = [], []
    for perturbation in perturbations:
        outcomes = [
            perturbation.grades(text, severities, seed=seed, key=item)
            for text, item in zip(given, column.items, strict=True)
        ]
        reasons: Counter[str] = Counter()
        applied = 0
        for row in outcomes:
            refused = [outcome.reason for outcome in row if isinstance(outcome, NotApplied)]
            applied += len(refused) < len(row)
            reasons.update(set(refused))
        about, why = (perturbation.name, perturbation.meaning, perturbation.language), tuple(reasons.most_common())
        coverage.append(Coverage(*about, len(given), applied, why))
        for step, severity in enumerate(severities):
            done = [(place, row[step]) for place, row in enumerate(outcomes)]
            made = [(place, outcome) for place, outcome in done if isinstance(outcome, Perturbed)]
            doses = np.full(len(given), np.nan)
            for place, outcome in made:
                doses[place] = outcome.dose
            where = np.array([place for place, _ in made], dtype=np.intp)
            grades.append(_Grade(perturbation, severity, [outcome.text for _, outcome in made], where, doses))
    return [grade for grade in grades if grade.texts], coverage


def _scores(
    column: Column,
    grades: Sequence[_Grade],
    metrics: Sequence[Metric],
    jobs: int,
    progress: Callable[[str, int], None] | None,
) -> dict[str, Array]:
    """metric -> (1 + grades, texts): quality scores, the clean texts first; NaN where not applied."""
    columns = [replace(column, system="0")]
    for number, grade in enumerate(grades, 1):
        columns.append(_part(column, str(number), grade.where.tolist(), grade.texts))
    rows = system_rows(columns, metrics, jobs=jobs, progress=progress)
    found = {}
    for metric in metrics:
        table = np.full((1 + len(grades), len(column)), np.nan)
        table[0] = metric.score(rows["0"][metric.rows_key()])
        for number, grade in enumerate(grades, 1):
            table[number, grade.where] = metric.score(rows[str(number)][metric.rows_key()])
        found[str(metric)] = np.where(np.isfinite(table), np.round(table, DECIMALS), np.nan)
    return found


class _Losses:
    """One metric's losses: (grades, texts), NaN where a perturbation was not applied or a score is missing."""

    def __init__(self, metric: Metric, grades: Sequence[_Grade], scores: Array, coverage: Sequence[Coverage]) -> None:
        self.metric = str(metric)
        self.grades = grades
        self.coverage = coverage
        self.scores = scores
        sign = 1.0 if metric.direction == "higher" else -1.0
        self.quality = sign * scores
        self.losses = np.round(self.quality[0] - self.quality[1:], DECIMALS)
        intended = sum(len(grade.texts) for grade in grades)
        self.unscored = intended - int(np.isfinite(self.losses).sum())

    # -- rows for the bootstrap --------------------------------------------------------------------------------

    def rows(self) -> dict[tuple[str, object], tuple[Array, Callable[[Array], Array]]]:
        """Everything whose limits are bootstrapped, by a key of its own."""
        found: dict[tuple[str, object], tuple[Array, Callable[[Array], Array]]] = {}
        for number, values in enumerate(self.losses):
            known = np.isfinite(values)
            filled = np.where(known, values, 0.0)
            columns = np.stack([filled, filled**2, known.astype(float)], axis=1)
            found["loss", number] = (columns, figures.mean_of)
            found["effect", number] = (columns, figures.effect_of)
        for name, (_, taus) in self.steadiness.items():
            found["tau", name] = (_marked(np.nan_to_num(taus), self.steadiness[name][0]), figures.mean_of)
        for key, without in (("wording", SURFACE), ("ratio", frozenset[str]())):
            pair = self.compared(without)
            if pair is None:
                continue
            *sides, prefers = pair
            known = np.isfinite(prefers)
            both = [np.where(known, side, 0.0) for side in sides]
            found[key, ""] = (np.stack([*both, known.astype(float)], axis=1), figures.ratio_of)
            if key == "ratio":
                found["prefers", ""] = (_marked(np.where(known, prefers, 0.0), known), figures.mean_of)
        return found

    @property
    def steadiness(self) -> dict[str, tuple[NDArray[np.bool_], Array]]:
        """perturbation -> which texts have a score at every severity, and their Kendall's tau (NaN: never moves)."""
        found = {}
        for entry in self.coverage:
            doses, losses, whole = self._ladder(entry.perturbation)
            if whole.any():
                taus = np.full(len(whole), np.nan)
                taus[whole] = figures.kendall_rows(doses[whole], losses[whole])
                found[entry.perturbation] = (whole, taus)
        return found

    def _ladder(self, perturbation: str) -> tuple[Array, Array, NDArray[np.bool_]]:
        """(texts, 1 + severities) doses and losses from the clean text up, and which texts have all of them."""
        mine = [place for place, grade in enumerate(self.grades) if grade.perturbation.name == perturbation]
        nothing = np.zeros((self.scores.shape[1], 1))
        doses = np.hstack([nothing, *(self.grades[place].doses[:, None] for place in mine)])
        losses = np.hstack([nothing, *(self.losses[place][:, None] for place in mine)])
        whole = np.isfinite(losses).all(axis=1) if mine else np.zeros(len(losses), dtype=bool)
        return doses, losses, whole

    def compared(self, without: frozenset[str] = frozenset()) -> tuple[Array, Array, Array] | None:
        """For each text: mean loss under harmless and under meaning-changing perturbations, and preferences between
        the two at equal severities; None where one kind was not run. Perturbations can be left out by name."""
        kinds: dict[str, list[int]] = {"preserved": [], "changed": []}
        for place, grade in enumerate(self.grades):
            if grade.perturbation.meaning in kinds and grade.perturbation.name not in without:
                kinds[grade.perturbation.meaning].append(place)
        harmless, harmful = kinds["preserved"], kinds["changed"]
        pairs = [(a, b) for a in harmless for b in harmful if self.grades[a].severity == self.grades[b].severity]
        if not pairs:
            return None
        won = np.zeros(self.losses.shape[1])
        met = np.zeros(self.losses.shape[1])
        for a, b in pairs:
            known = np.isfinite(self.losses[a]) & np.isfinite(self.losses[b])
            difference = np.where(known, self.losses[b] - self.losses[a], 0.0)
            won += np.where(known, (np.sign(difference) + 1) / 2, 0.0)
            met += known
        if not met.any():
            return None
        prefers = np.divide(won, met, out=np.full(len(won), np.nan), where=met > 0)
        return _means(self.losses[harmless]), _means(self.losses[harmful]), prefers

    # -- results ------------------------------------------------------------------------------------------------

    def reactions(self, limits: Mapping[object, Estimate], level: float) -> list[Reaction]:
        """The reaction to each grade."""
        found = []
        for number, grade in enumerate(self.grades):
            losses = self.losses[number]
            known = np.isfinite(losses)
            n = int(known.sum())
            found.append(
                Reaction(
                    metric=self.metric,
                    perturbation=grade.perturbation.name,
                    meaning=grade.perturbation.meaning,
                    severity=grade.severity,
                    n=n,
                    clean=float(self.scores[0, known].mean()) if n else float("nan"),
                    perturbed=float(self.scores[number + 1, known].mean()) if n else float("nan"),
                    loss=limits[self.metric, "loss", number],
                    effect=limits[self.metric, "effect", number],
                    auc=figures.auc(self.quality[0, known], self.quality[number + 1, known], level=level),
                    worse=figures.share(int((losses[known] > 0).sum()), n, level=level),
                    better=float((losses[known] < 0).mean()) if n else float("nan"),
                )
            )
        return found

    def monotonicity(self, limits: Mapping[object, Estimate], level: float) -> list[Monotonicity]:
        """Kendall's tau and the share of monotone texts, for each perturbation."""
        found = []
        meanings = {entry.perturbation: entry.meaning for entry in self.coverage}
        for name, (whole, taus) in self.steadiness.items():
            doses, losses, _ = self._ladder(name)
            monotone = int(figures.monotone_rows(doses[whole], losses[whole]).sum())
            n = int(whole.sum())
            found.append(
                Monotonicity(
                    metric=self.metric,
                    perturbation=name,
                    meaning=meanings[name],
                    n=n,
                    tau=limits[self.metric, "tau", name],
                    monotone=figures.share(monotone, n, level=level),
                    unmoved=int(np.isnan(taus[whole]).sum()),
                )
            )
        return found

    def false_alarm(self, limits: Mapping[object, Estimate]) -> FalseAlarm | None:
        """Harmless against meaning-changing perturbations, where both were applied."""
        if (self.metric, "ratio", "") not in limits:
            return None
        prefers = limits[self.metric, "prefers", ""]
        wording = limits.get((self.metric, "wording", ""), Estimate(math.nan, level=prefers.level, n=0))
        run = {grade.perturbation.name for grade in self.grades}
        if not run & SURFACE:
            wording = Estimate(math.nan, level=prefers.level, n=0)  # it would only repeat the ratio
        return FalseAlarm(self.metric, prefers.n, limits[self.metric, "ratio", ""], prefers, wording)


def _marked(values: Array, known: NDArray[np.bool_]) -> Array:
    return np.stack([np.where(known, values, 0.0), known.astype(float)], axis=1)


def _means(values: Array) -> Array:
    """The means of columns over what is known; NaN where nothing is."""
    known = np.isfinite(values)
    count = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.asarray(np.divide(total, count, out=np.full(values.shape[1], np.nan), where=count > 0))


def _limits(tables: Mapping[str, _Losses], *, level: float, trials: int, seed: int) -> dict[object, Estimate]:
    """The estimates of all metrics with limits from one set of draws."""
    rows: dict[object, Array] = {}
    scores: dict[object, Callable[[Array], Array]] = {}
    for name, table in tables.items():
        for (kind, which), (values, score) in table.rows().items():
            rows[name, kind, which] = values
            scores[name, kind, which] = score
    return figures.bootstrap(rows, scores, trials=trials, level=level, seed=seed)
