"""The greedy search for edits that raise a metric.

At every step all single edits of an output are scored together with those of many other outputs; the one with the
greatest gain is taken, of those after which no guard stands higher than for the output as it was given (by more than
the tolerance). The search of an output ends with the last edit allowed, or where no edit gains.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nlgauge import api, receipt
from nlgauge.arrays import Array
from nlgauge.engine.local import Plan, batches, compute_rows, distinct_items
from nlgauge.errors import InputError, counted, option
from nlgauge.kernels import backend
from nlgauge.lexicons.wordnet import wordnet
from nlgauge.meta.adversarial.edits import DEFAULT, Edit, chosen, sampled, single_edits
from nlgauge.meta.adversarial.results import Attacks, KindFigures, Path, Reached, Step
from nlgauge.meta.probes.figures import FEWEST, bootstrap, mean_of, share
from nlgauge.metrics.base import Metric
from nlgauge.metrics.sets import SetMetric
from nlgauge.options import DEFAULT_SEED
from nlgauge.stats.limits import check_level
from nlgauge.stats.results import Estimate
from nlgauge.types import Column, EvaluationSet

EDITS, CANDIDATES, ITEMS = 5, 200, 50
TOGETHER = 256  # outputs whose candidates are scored in one call
DECIMALS = 10  # scores that differ by less are the same: rounding errors are no gain
TRIALS = 1000


@dataclass(frozen=True)
class Limits:
    """How far a search may go: edits an output, edits tried at each step, and by how much a guard may rise."""

    edits: int = EDITS
    candidates: int = CANDIDATES
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        for name in ("edits", "candidates"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise InputError(f"{name} must be a whole number from 1 up; got {value!r}")
        if not (math.isfinite(self.tolerance) and self.tolerance >= 0):
            raise InputError(
                f"the tolerance is by how much a guard may rise, a number from 0 up; got {self.tolerance!r}"
            )


def attack(
    data: Any,
    metric: str | Metric,
    guards: str | Metric | Sequence[str | Metric] = (),
    *,
    kinds: str | Sequence[str] | None = None,
    systems: str | Sequence[str] | None = None,
    items: int = ITEMS,
    edits: int = EDITS,
    candidates: int = CANDIDATES,
    tolerance: float = 0.0,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Attacks:
    """Edit outputs so that a metric rises and its guards do not, and say how far that goes.

    Args:
        data: an evaluation set or what `nlgauge.load` reads
        metric: the metric that is to rise
        guards: metrics that must not rise with it
        kinds: kinds of edits (`edits.DEFAULT`)
        systems: those whose outputs are edited, all by default
        items: of how many items at most, evenly spaced over the data
        edits: edits an output at most
        candidates: edits tried at each step
        tolerance: by how much a guard may rise
        level: confidence level of the intervals
        seed: seed of all draws
        jobs: threads for the kernels
        progress: called with the number of texts scored

    >>> rows = [{"item": i, "system": "s", "hypothesis": f"the {i} cat sat",
    ...          "references": [f"the {i} cats sat"]} for i in "ab"]
    >>> attack(rows, "chrf", edits=1).direction
    'higher'
    """
    limits = Limits(edits, candidates, tolerance)
    check_level(level, "confidence level")
    if not isinstance(items, int) or items < 1:
        raise InputError(f"the number of items must be a whole number from 1 up; got {items!r}")
    target, others = _metrics(metric, guards)
    given = data if isinstance(data, EvaluationSet) else api.load(data)
    names = [systems] if isinstance(systems, str) else list(systems or given.systems)
    given.require(dict.fromkeys(need for metric in (target, *others) for need in metric.needs), names)
    outputs, notes = _outputs(given, names, items)
    wanted, remarks = _kinds(kinds, outputs, given.origin)
    search = _Search(given, target, others, wanted, limits, seed=seed, jobs=jobs, progress=progress)
    paths: list[Path] = []
    firsts: list[Mapping[str, float]] = []
    for start in range(0, len(outputs), TOGETHER):
        for improved in search.run(outputs[start : start + TOGETHER]):
            paths.append(improved.path)
            firsts.append(improved.first)
    scored = [place for place, path in enumerate(paths) if math.isfinite(path.score)]
    notes += [*remarks, *_unscored(target, len(paths), len(scored)), *_notes(others, paths, search.sampled)]
    return _summary(
        [paths[place] for place in scored],
        [firsts[place] for place in scored],
        search,
        level=level,
        facts=_facts(given, search, items=items, systems=names, level=level),
        notes=notes,
    )


def _metrics(metric: str | Metric, guards: str | Metric | Sequence[str | Metric]) -> tuple[Metric, list[Metric]]:
    """The metric and its guards, of which each scores single outputs and none is the metric itself."""
    asked = [guards] if isinstance(guards, str | Metric) else list(guards)
    for spec in (metric, *asked):
        if isinstance(spec, str) and spec.startswith(("@", "stored(")):
            raise InputError(
                f"{spec} is a score stored in the data, which says nothing about edited outputs; name a metric that "
                "can be computed, such as chrf"
            )
    (target,) = api.metrics([metric])
    others = list(api.metrics(asked)) if asked else []
    for named in (target, *others):
        if isinstance(named, SetMetric):
            raise InputError(
                f"{named} describes a system's outputs as a set; a search needs a metric that scores each output, such "
                "as chrf"
            )
    if target in others:
        raise InputError(
            f"{target} cannot guard itself: it would have to rise and not to rise; name another metric with "
            f"{option('guard')}"
        )
    return target, others


def _outputs(data: EvaluationSet, systems: Sequence[str], items: int) -> tuple[list[Column], list[str]]:
    """The outputs to edit, each as a column of one row: those of some items, by all systems asked for."""
    columns = [data.column(system) for system in dict.fromkeys(systems)]
    known = {item for column in columns for item in column.items}
    kept = [item for item in data.items if item in known]
    notes = []
    if len(kept) > items:
        notes.append(f"the outputs of {items:,} of {len(kept):,} items were edited, evenly spaced over the data")
        kept = [kept[len(kept) * number // items] for number in range(items)]
    places = {(column.system, item): place for column in columns for place, item in enumerate(column.items)}
    found = [
        column.only(places[column.system, item])
        for item in kept
        for column in columns
        if (column.system, item) in places
    ]
    return found, notes


def _kinds(
    asked: str | Sequence[str] | None, outputs: Sequence[Column], origin: str
) -> tuple[tuple[str, ...], list[str]]:
    """The kinds of edits; insertions need references, and are left out by themselves where there are none."""
    named = [asked] if isinstance(asked, str) else asked
    kinds = chosen(DEFAULT if named is None else named)
    if "insert" not in kinds or any(output.references[0] for output in outputs):
        return kinds, []
    if named is not None and "all" not in named:
        raise InputError(
            f"{origin} has no references, from which the edits of the kind insert take their words; give references, "
            "or leave insert out"
        )
    return tuple(kind for kind in kinds if kind != "insert"), ["no references, so no words of them were inserted"]


class _Scorer:
    """Metrics, fitted on the whole data where they need that, that score any texts in one call."""

    def __init__(
        self,
        metrics: Sequence[Metric],
        data: EvaluationSet,
        jobs: int,
        progress: Callable[[int], None] | None,
    ) -> None:
        self.metrics, self.jobs, self.progress = metrics, jobs, progress
        self.plan = Plan.of(metrics)
        if self.plan.needs_prepare:
            columns = [data.column(system) for system in data.systems]
            self.plan = self.plan.prepared(
                lambda: distinct_items(columns, jobs),
                lambda: (batch for column in columns for batch in batches(column, jobs)),
            )

    def __call__(self, outputs: Sequence[Column], texts: Sequence[str], owners: Sequence[int]) -> Array:
        """(metrics, texts): the quality of each text as its owner's output, of which more is better; NaN for none."""
        if not texts or not self.metrics:
            return np.zeros((len(self.metrics), len(texts)))
        parts = batches(_joined(outputs, texts, owners), self.jobs)
        rows = compute_rows(parts, self.plan, jobs=self.jobs, progress=self.progress)
        found = np.array([sign(metric) * metric.score(rows[metric.rows_key()]) for metric in self.metrics])
        return np.where(np.isfinite(found), np.round(found, DECIMALS), np.nan)


def sign(metric: Metric) -> float:
    """1, or -1 for metrics of which less is better."""
    return 1.0 if metric.direction == "higher" else -1.0


def _joined(outputs: Sequence[Column], texts: Sequence[str], owners: Sequence[int]) -> Column:
    """Texts as one column, each with what judges its owner."""
    mine = [outputs[owner] for owner in owners]

    def listed(name: str, nothing: Any) -> list[Any] | None:
        """What some systems may have and others not, as post-edits of their outputs."""
        found = [values[0] if (values := getattr(column, name)) else nothing for column in mine]
        return None if all(getattr(column, name) is None for column in outputs) else found

    return Column(
        system="edited",
        items=[column.items[0] for column in mine],
        hypotheses=list(texts),
        references=[column.references[0] for column in mine],
        sources=listed("sources", None),
        post_edits=listed("post_edits", ()),
        reference_weights=listed("reference_weights", ()),
    )


@dataclass
class _State:
    """One output on its way: quality of the metric now, of the guards at the start."""

    path: Path
    quality: float
    guarded: Array
    first: dict[str, float] = field(default_factory=dict)


class _Search:
    def __init__(
        self,
        data: EvaluationSet,
        metric: Metric,
        guards: Sequence[Metric],
        kinds: Sequence[str],
        limits: Limits,
        *,
        seed: int,
        jobs: int,
        progress: Callable[[int], None] | None,
    ) -> None:
        self.metric, self.guards, self.kinds, self.limits, self.seed = metric, guards, kinds, limits, seed
        self.score = _Scorer([metric], data, jobs, progress)
        self.guard = _Scorer(guards, data, jobs, progress)
        self.sampled = 0  # steps at which not all edits were tried

    def run(self, outputs: Sequence[Column]) -> list[_State]:
        """The paths of these outputs, and the best first edit of each kind."""
        texts, places = [output.hypotheses[0] for output in outputs], range(len(outputs))
        qualities = self.score(outputs, texts, places)[0]
        guarded = self.guard(outputs, texts, places)
        states = []
        for place, output in enumerate(outputs):
            score, told = sign(self.metric) * float(qualities[place]), self._told(guarded[:, place])
            path = Path(output.items[0], output.system, texts[place], score, told, tuple(output.references[0]))
            states.append(_State(path, float(qualities[place]), guarded[:, place]))
        going = [place for place in places if math.isfinite(qualities[place])]
        for step in range(self.limits.edits):
            going = self._step(step, outputs, states, going)
        return states

    def _told(self, qualities: Array) -> dict[str, float]:
        return {str(guard): sign(guard) * float(value) for guard, value in zip(self.guards, qualities, strict=True)}

    def _step(self, step: int, outputs: Sequence[Column], states: Sequence[_State], going: Sequence[int]) -> list[int]:
        """One edit more for each output that can still be raised; these go on."""
        tried = {place: self._tried(outputs[place], states[place], step) for place in going}
        owners = [place for place in going for _ in tried[place]]
        found = [edit for place in going for edit in tried[place]]
        quality = self.score(outputs, [edit.text for edit in found], owners)[0]
        now = np.array([states[owner].quality for owner in owners])
        rising = np.flatnonzero(quality > now)  # the guards need not see the others
        guarded = self.guard(outputs, [found[i].text for i in rising], [owners[i] for i in rising])
        best: dict[int, tuple[float, int, Array]] = {}
        for column, candidate in enumerate(rising.tolist()):
            state, values = states[owners[candidate]], guarded[:, column]
            if not (np.round(values - state.guarded, DECIMALS) <= self.limits.tolerance).all():
                continue  # NaN is refused as well
            gain = round(float(quality[candidate]) - state.quality, DECIMALS)
            if step == 0:
                kind = found[candidate].kind
                state.first[kind] = max(gain, state.first.get(kind, 0.0))
            if gain > best.get(owners[candidate], (0.0,))[0]:
                best[owners[candidate]] = (gain, candidate, values)
        for place, (gain, candidate, values) in best.items():
            state, edit = states[place], found[candidate]
            state.quality = float(quality[candidate])
            taken = Step(**vars(edit), score=sign(self.metric) * state.quality, guards=self._told(values), gain=gain)
            state.path = replace(state.path, steps=(*state.path.steps, taken))
        return sorted(best)

    def _tried(self, output: Column, state: _State, step: int) -> list[Edit]:
        """The edits to try, drawn by the seed, the output and the step, whatever the other outputs are."""
        text = state.path.final.text
        drawn = random.Random(f"{self.seed}|{output.items[0]}|{output.system}|{step}|{text}")
        found = single_edits(text, output.references[0], self.kinds)
        kept = sampled(found, self.limits.candidates, drawn)
        self.sampled += len(kept) < len(found)
        return kept


def _unscored(metric: Metric, n: int, scored: int) -> list[str]:
    if not scored:
        raise InputError(f"{metric} scores none of the outputs by itself, so there is nothing to raise")
    return [f"{counted(n - scored, 'output')} without a score of {metric} left out"] if scored < n else []


def _notes(guards: Sequence[Metric], paths: Sequence[Path], drawn: int) -> Iterator[str]:
    if not guards:
        yield (
            "no guard was given, so an edit that gains may make the output better; name metrics that must not rise "
            f"with {option('guard')}"
        )
    for guard in map(str, guards):
        if unknown := sum(not math.isfinite(path.guards[guard]) for path in paths):
            yield f"{counted(unknown, 'output')} without a score of {guard} could not be guarded, and stay as they are"
    if drawn:
        yield (
            f"at {counted(drawn, 'step')} of the search there were more edits than are tried "
            f"({option('candidates')}), and so many were drawn"
        )


def _facts(
    data: EvaluationSet, search: _Search, *, items: int, systems: Sequence[str], level: float
) -> dict[str, object]:
    """What a receipt says."""
    metrics, limits = (search.metric, *search.guards), search.limits
    read = receipt.read_by(metrics)
    if "wordnet" in search.kinds:
        read["lexicon"] = "+".join(filter(None, [read.get("lexicon"), wordnet().fact]))
    facts: dict[str, object] = {"metric": search.metric.full(), **read}
    facts |= data.digests(sources=any(metric.reads_sources for metric in metrics))
    facts |= {"backend": backend(), "attack": "+".join(search.kinds)}
    if search.guards:
        guards = "+".join(guard.full() for guard in search.guards)
        facts |= {"guards": guards, "tolerance": f"{limits.tolerance:g}"}
    facts |= {"edits": limits.edits, "candidates": limits.candidates, "items": items}
    if set(systems) != set(data.systems):
        facts["on"] = ",".join(dict.fromkeys(systems))
    return facts | {"ci": f"bootstrap:{TRIALS}", "level": level, "seed": search.seed}


def _summary(
    paths: Sequence[Path],
    firsts: Sequence[Mapping[str, float]],
    search: _Search,
    *,
    level: float,
    facts: Mapping[str, object],
    notes: Sequence[str],
) -> Attacks:
    """The figures over all outputs; intervals draw items, whose outputs stay together."""
    counts = range(search.limits.edits + 1)
    after = np.array([[sum(step.gain for step in path.steps[:count]) for count in counts] for path in paths])
    columns = {count: after[:, count] for count in range(after.shape[1])}
    kinds: dict[Any, Array] = {kind: np.array([first.get(kind, 0.0) for first in firsts]) for kind in search.kinds}
    raised = (after[:, -1] > 0).astype(float)
    estimates = _estimates([path.item for path in paths], columns | kinds | {"raised": raised}, level, search.seed)
    total = float(after[:, -1].sum())
    steps = [step for path in paths for step in path.steps]
    taken = Counter(step.kind for step in steps)
    gained = {kind: sum(step.gain for step in steps if step.kind == kind) for kind in search.kinds}
    return Attacks(
        metric=str(search.metric),
        direction=search.metric.direction,
        guards={str(guard): guard.direction for guard in search.guards},
        places={str(metric): metric.places for metric in (search.metric, *search.guards)},
        kinds=tuple(
            KindFigures(
                kind,
                taken[kind],
                gained[kind] / taken[kind] if taken[kind] else math.nan,
                gained[kind] / total if total else math.nan,
                estimates[kind],
            )
            for kind in search.kinds
        ),
        curve=tuple(_reached(paths, count, estimates[count]) for count in columns),
        raised=estimates["raised"],
        gain=estimates[search.limits.edits],
        paths=tuple(paths),
        settings={**vars(search.limits), "level": level, "seed": search.seed},
        notes=tuple(notes),
        receipts={str(search.metric): receipt.line(facts)},
    )


def _reached(paths: Sequence[Path], count: int, gain: Estimate) -> Reached:
    ends = [path.steps[min(count, len(path.steps)) - 1] if count and path.steps else path for path in paths]
    names = paths[0].guards
    return Reached(
        edits=count,
        edited=sum(len(path.steps) >= count for path in paths) if count else len(paths),
        score=math.fsum(end.score for end in ends) / len(ends),
        gain=gain,
        guards={name: math.fsum(end.guards[name] for end in ends) / len(ends) for name in names},
    )


def _estimates(items: Sequence[str], columns: Mapping[Any, Array], level: float, seed: int) -> dict[Any, Estimate]:
    """Means over outputs with percentile limits, items drawn with all their outputs; none for few items, or where all
    outputs have the same value.

    A share of none or of all outputs, of which every draw is the same, gets the exact limits of as many items.
    """
    numbers = {item: number for number, item in enumerate(dict.fromkeys(items))}
    codes = np.array([numbers[item] for item in items])
    sizes = np.bincount(codes).astype(float)
    rows = {key: np.stack([np.bincount(codes, values), sizes], axis=1) for key, values in columns.items()}
    trials = TRIALS if len(numbers) >= FEWEST else 0
    found = bootstrap(rows, dict.fromkeys(rows, mean_of), trials=trials, level=level, seed=seed)
    for key, values in columns.items():
        if np.ptp(values) == 0:  # every draw is the same, which says nothing of other outputs
            found[key] = replace(found[key], low=math.nan, high=math.nan)
    raised = found["raised"]
    if raised.estimate in (0.0, 1.0) or len(numbers) == len(items):
        exact = share(round(raised.estimate * len(numbers)), len(numbers), level=level)
        found["raised"] = replace(exact, n=len(items))
    return found
