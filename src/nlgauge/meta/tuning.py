"""Fit the numeric fields of a metric to human judgements, and say what that gains on items it was not fitted to.

The items are dealt into folds by their text. For each fold the fields are searched on the others, and the metric is
correlated with people on the fold, tuned and by default; the gain is the mean over folds. Its interval is a bootstrap
that draws the items of each fold anew and keeps the values found, widened as Nadeau and Bengio (2003) do: the fits of
the folds share most of their items, so that their gains vary more than a bootstrap of each fold tells (by half, with
five folds). The spec that is told in the end is fitted to all data.

`bags` of a grid search fit as Nema and Khapra (2018) do: the best values of each of so many bootstrap samples of the
items are averaged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge import receipt
from nlgauge.arrays import Array
from nlgauge.engine.remarks import folded
from nlgauge.errors import InputError, counted, option
from nlgauge.meta.evaluate import missing_notes
from nlgauge.meta.measures import measure, score_texts
from nlgauge.meta.observations import Observation, Observations, observe
from nlgauge.meta.search import (
    Free,
    Judge,
    Range,
    Values,
    averaged,
    coordinate,
    free_fields,
    grid,
    lattice,
    with_values,
)
from nlgauge.meta.settings import listed
from nlgauge.meta.table import human_scores, standardised
from nlgauge.meta.tuned import TunedField, Tuning
from nlgauge.metrics.base import Metric
from nlgauge.metrics.spec import parse
from nlgauge.options import DEFAULT_SEED
from nlgauge.stats.correlation.bootstrap import Draws
from nlgauge.stats.correlation.statistic import STATISTICS, Statistic, statistic
from nlgauge.stats.limits import check_interval_draws, check_level
from nlgauge.types import UNNAMED

Places = NDArray[np.intp]
Search = Literal["coordinate", "grid"]
Progress = Callable[[str, int], None]

LEAST_ITEMS = 10  # in a fold, below which a correlation over it says nothing
KEPT = 1 << 25  # numbers of scores remembered: 256 MB


@dataclass(frozen=True)
class Plan:
    """How to fit, and how to find what is gained."""

    correlation: str
    search: Search
    steps: int
    bags: int
    folds: int
    draws: int
    confidence: float
    seed: int

    def checked(self) -> Plan:
        """With the correlation under its own name; refuses options that mean nothing."""
        chosen = statistic(self.correlation)
        if not chosen.coefficient:
            *known, last = (name for name, value in STATISTICS.items() if value.coefficient)
            raise InputError(f"a metric is tuned for {', '.join(known)} or {last}; got {self.correlation!r}")
        if self.search not in ("coordinate", "grid"):
            raise InputError(f"the search is coordinate or grid; got {self.search!r}")
        if self.bags and self.search != "grid":
            raise InputError(f"{option('bags')} goes with {option('search', 'grid')}")
        for what, least in (("steps", 2), ("bags", 0), ("folds", 2), ("draws", 0), ("seed", 0)):
            value = getattr(self, what)
            if not isinstance(value, int) or value < least:
                raise InputError(f"{what} must be a whole number from {least} up; got {value!r}")
        check_level(self.confidence)
        if self.draws:
            check_interval_draws(self.draws)
        return replace(self, correlation=chosen.name)

    @property
    def statistic(self) -> Statistic:
        """The correlation that is to be as high as possible."""
        return STATISTICS[self.correlation]

    @property
    def told(self) -> str:
        """The search in words."""
        return f"{self.search} search" + (f", mean of {counted(self.bags, 'bag')}" if self.bags else "")

    def facts(self) -> dict[str, object]:
        """For a receipt."""
        bags = f":{self.bags}" if self.bags else ""
        return {
            "search": f"{self.search}:{self.steps}{bags}",
            "folds": self.folds,
            "draws": self.draws,
            "confidence": self.confidence,
            "seed": self.seed,
        }


def tune(
    metric: str | Metric,
    data: Any,
    human: str,
    *,
    fields: Mapping[str, Range | None] | Sequence[str] = (),
    correlation: str = "pearson",
    search: Search = "coordinate",
    steps: int = 11,
    bags: int = 0,
    folds: int = 5,
    draws: int = 1000,
    confidence: float = 0.95,
    standardise: Literal["none", "judges"] = "none",
    seed: int = DEFAULT_SEED,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Tuning:
    """Fit the numeric fields of a metric to the ratings of one criterion.

    Args:
        metric: the spec whose fields are fitted
        data: a file, rows, an evaluation set or `Observations`
        human: the criterion
        fields: the names of the fields to fit, or ranges by name ({"alpha": (0.5, 0.95)}); without any, all that take
            fractions, within the limits the metric gives them
        correlation: the statistic that is made as large as it can be
        search: one field after the other (coordinate), or all combinations (grid)
        steps: values tried of each field
        bags: bootstrap samples whose best values are averaged, for the grid
        folds: parts of the items that are held out in turn
        draws: bootstrap draws of the gain's interval
        confidence: confidence level of that interval
        standardise: ratings as given (none), or each judge's as z-scores (judges)
        seed: seed of all draws
        jobs: threads for the kernels
        progress: called with the work done

    >>> rows = [{"item": i, "system": "s", "hypothesis": "a b c d e f g"[: 1 + 2 * (i % 7)],
    ...          "references": [f"a b c d e f g {i}"], "ratings": {"q": i % 7}} for i in range(60)]
    >>> tune("chrf", rows, "q", draws=0).fields[0].name
    'beta'
    """
    chosen = parse(metric) if isinstance(metric, str) else metric
    if not chosen.additive:
        raise InputError(f"{chosen} describes a set of outputs; only metrics of single outputs can be tuned")
    if not isinstance(human, str):
        raise InputError(f"a metric is tuned for one criterion, given by its name; got {human!r}")
    named = fields if isinstance(fields, Mapping) else dict.fromkeys(listed(fields, "fields", "beta"))
    free = free_fields(chosen, named)
    plan = Plan(correlation, search, steps, bags, folds, draws, confidence=confidence, seed=seed).checked()
    observed = data if isinstance(data, Observations) else observe(data)
    observed = standardised(observed, [human]) if standardise == "judges" else observed
    sample = Sample.of(observed, human, plan)
    scorer = Scorer(sample.data, chosen, free, jobs, progress)
    everything = np.arange(len(sample.people))
    *by_fold, overall = _fitted(sample, scorer, plan, [*sample.training(folds), everything])
    best = with_values(chosen, free, overall)
    if best is None:
        raise InputError(f"the values found do not go together in {chosen.name}; narrow the ranges searched")
    found = tuple(
        TunedField(field.name, field.default, value, field.low, field.high, own)
        for field, value, own in zip(free, overall, zip(*by_fold, strict=True), strict=True)
    )
    facts = {
        "human": human,
        "ratings": sample.data.judgement_digest([human]),
        **({"standardise": standardise} if standardise != "none" else {}),
        "statistic": plan.correlation,
        "tuned": ",".join(f"{field.name}:{field.low:g}:{field.high:g}" for field in free),
    }
    return Tuning(
        metric=str(chosen),
        spec=str(best),
        criterion=human,
        statistic=plan.correlation,
        n=len(sample.people),
        items=len(np.unique(sample.item)),
        fields=found,
        **_held_out(sample, scorer, plan, by_fold),
        all_default=scorer.strength(None, everything, plan, sample.people),
        all_tuned=scorer.strength(overall, everything, plan, sample.people),
        folds=folds,
        draws=draws,
        confidence=confidence,
        search=plan.told,
        candidates=scorer.tried,
        seed=seed,
        notes=(*sample.notes, *_notes(chosen, found)),
        receipt=receipt.extend(measure(sample.data, [best], jobs=jobs)[0].receipt, facts | plan.facts()),
    )


def _notes(metric: Metric, found: Sequence[TunedField]) -> list[str]:
    limits = {spec.name: spec.metadata for spec in fields(metric)}
    notes = []
    for field in found:
        if field.at_edge and field.value in (limits[field.name]["low"], limits[field.name]["high"]):
            notes.append(f"{field.name} is at its own limit, {field.value:g}: {metric.name} takes nothing beyond")
        elif field.at_edge:
            notes.append(
                f"{field.name} is at the end of the range searched ({field.low:g} to {field.high:g}); give a wider "
                f"one: {option('fields')}"
            )
    if metric.direction == "lower":
        notes.append(f"less of {metric.name} is better: its correlations have their signs turned")
    return notes


@dataclass(frozen=True, eq=False)
class Sample:
    """Rated outputs, which item each is about by its text, and in which fold that item stands."""

    data: Observations
    people: Array
    item: Places
    fold: Places
    notes: tuple[str, ...]

    @classmethod
    def of(cls, data: Observations, criterion: str, plan: Plan) -> Sample:
        """What the data hold; refuses too few items and constant ratings."""
        if data.pairs:
            raise InputError("judgements are pairs here (better, worse); tuning needs ratings of single outputs")
        people = human_scores(data, criterion)
        notes = [*data.notes, *missing_notes(people, criterion)]
        known = np.flatnonzero(np.isfinite(people))
        kept = replace(data, rows=tuple(data.rows[place] for place in known))
        item = numbered(kept.rows)
        items, needed = int(item.max()) + 1, plan.folds * LEAST_ITEMS
        if items < needed:
            raise InputError(
                f"{data.origin} has ratings of {criterion} for {counted(items, 'item')} of different texts; "
                f"{plan.folds} folds need at least {needed} (fewer folds: {option('folds')})"
            )
        deal = np.random.default_rng(plan.seed).permutation(items) % plan.folds
        if len(kept.systems) == 1 and kept.systems != [UNNAMED]:
            notes.append("all outputs are of one system: the fit follows how its outputs differ, not systems")
        return cls(kept, people[known], item, deal[item], tuple(notes))

    def training(self, folds: int) -> list[Places]:
        """For each fold the outputs of the others."""
        return [np.flatnonzero(self.fold != fold) for fold in range(folds)]

    def draws(self, places: Places, count: int, seed: int) -> tuple[Draws, Places]:
        """Bootstrap draws of the items that some outputs are about, and each output's place among these."""
        numbers = np.unique(self.item[places], return_inverse=True)[1]
        return Draws.make((1, int(numbers.max()) + 1), "items", count, seed), numbers


def numbered(rows: Sequence[Observation]) -> Places:
    """The number of each output's item; items with the same references, or the same source, are one."""
    found: dict[tuple[str, ...], int] = {}
    return np.array([found.setdefault(_about(row), len(found)) for row in rows], dtype=np.intp)


def _about(row: Observation) -> tuple[str, ...]:
    """What an output is about, whatever its item is called."""
    texts = row.references or (row.item if row.source is None else repr(row.source),)
    return tuple(sorted(map(folded, texts)))


class Scorer:
    """The segment scores of a metric with any values of its free fields; the last ones are remembered."""

    def __init__(
        self, data: Observations, metric: Metric, free: Sequence[Free], jobs: int, progress: Progress | None
    ) -> None:
        self.data, self.metric, self.free, self.jobs, self.progress = data, metric, free, jobs, progress
        self.sign = 1.0 if metric.direction == "higher" else -1.0
        self._rows: dict[str, Array] = {}
        self._scores: dict[Values | None, Array] = {}
        self._seen: set[Values | None] = set()

    @property
    def tried(self) -> int:
        """How many settings were scored."""
        return len(self._seen - {None})

    def scores(self, candidates: Sequence[Values | None]) -> list[Array]:
        """Of each candidate, of which more is better; None is the metric as it was given."""
        new = [values for values in dict.fromkeys(candidates) if values not in self._scores]
        if (len(self._scores) + len(new)) * len(self.data) > KEPT:
            self._scores = {key: self._scores[key] for key in candidates if key in self._scores}
        self._scores.update(zip(new, self._computed(new), strict=True))
        self._seen.update(new)
        return [self._scores[values] for values in candidates]

    def _computed(self, candidates: Sequence[Values | None]) -> list[Array]:
        """Scores of candidates; rows are made once for all that share them (fields that only `score` reads)."""
        metrics = [
            self.metric if values is None else with_values(self.metric, self.free, values) for values in candidates
        ]
        keys = {metric.rows_key(): metric for metric in metrics if metric is not None}
        lacking = {key: metric for key, metric in keys.items() if key not in self._rows}
        if lacking:
            made = score_texts(self.data.rows, list(lacking.values()), self.data.origin, jobs=self.jobs)
            kept = {key: self._rows[key] for key in keys if key in self._rows}
            self._rows = kept | {key: made[metric][0] for key, metric in lacking.items()}
        if self.progress:
            self.progress("settings", len(candidates))
        refused = np.full(len(self.data), np.nan)
        return [
            refused if metric is None else self.sign * metric.score(self._rows[metric.rows_key()]) for metric in metrics
        ]

    def strength(self, values: Values | None, places: Places, plan: Plan, people: Array) -> float:
        """The correlation with people over some outputs."""
        scores = self.scores([values])[0][places]
        return float(plan.statistic.weighted(people[places], scores, np.ones((1, len(places))))[0])


def _fitted(sample: Sample, scorer: Scorer, plan: Plan, parts: Sequence[Places]) -> list[Values]:
    """The best values for each part of the outputs."""
    if plan.search == "coordinate":
        single = [_judge(sample, scorer, plan, [places], [np.ones((1, len(places)))]) for places in parts]
        return [coordinate(scorer.free, plan.steps, judge) for judge in single]
    weights = []
    for places in parts:
        drawn, numbers = sample.draws(places, max(plan.bags, 1), plan.seed)
        weights.append(drawn.of("items", 0)[:, numbers] if plan.bags else np.ones((1, len(places))))
    best = grid(lattice(scorer.free, plan.steps), _judge(sample, scorer, plan, parts, weights))
    if not plan.bags:
        return best
    return [averaged(scorer.free, best[begin : begin + plan.bags]) for begin in range(0, len(best), plan.bags)]


def _judge(sample: Sample, scorer: Scorer, plan: Plan, parts: Sequence[Places], weights: Sequence[Array]) -> Judge:
    """How well candidates correlate with people in each part, the outputs of which stand so often in each sample."""
    correlation = plan.statistic.weighted

    def judged(candidates: Sequence[Values]) -> Array:
        found = np.full((len(candidates), sum(map(len, weights))), np.nan)
        for place, scores in enumerate(scorer.scores(candidates)):
            if np.isfinite(scores).all():
                drawn = zip(parts, weights, strict=True)
                found[place] = np.concatenate(
                    [correlation(sample.people[own], scores[own], counts) for own, counts in drawn]
                )
        return found

    return judged


def _held_out(sample: Sample, scorer: Scorer, plan: Plan, by_fold: Sequence[Values]) -> dict[str, float]:
    """The correlations on the folds that were held out, and the gain with its interval."""
    sides, gains = np.zeros(2), np.zeros(plan.draws)
    for fold, values in enumerate(by_fold):
        places = np.flatnonzero(sample.fold == fold)
        people = sample.people[places]
        scores = [found[places] for found in scorer.scores([values, None])]
        sides += [scorer.strength(some, places, plan, sample.people) for some in (values, None)]
        if plan.draws:
            made, numbers = sample.draws(places, plan.draws, plan.seed + 1 + fold)
            for part, some in made.chunks(len(places)):
                counts = some.of("items", 0)[:, numbers]
                drawn = [plan.statistic.weighted(people, side, counts) for side in scores]
                gains[part] += (drawn[0] - drawn[1]) / plan.folds
    tuned, default = (float(side) / plan.folds for side in sides)
    low, high = _limits(gains, tuned - default, plan)
    return {"default": default, "tuned": tuned, "gain": tuned - default, "low": low, "high": high}


def _limits(drawn: Array, gain: float, plan: Plan) -> tuple[float, float]:
    """The interval of the gain: percentiles of the draws about their median, wider for training sets that overlap."""
    known = drawn[np.isfinite(drawn)]
    if not len(known):
        return math.nan, math.nan
    tail = (1 - plan.confidence) / 2
    low, middle, high = np.quantile(known, [tail, 0.5, 1 - tail])
    wider = math.sqrt(1 + plan.folds / (plan.folds - 1))
    return gain + wider * float(low - middle), gain + wider * float(high - middle)
