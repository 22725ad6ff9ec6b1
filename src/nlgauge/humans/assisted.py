"""Human means helped by a metric (control variates), and HUSE."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge import api, receipt, stats
from nlgauge.arrays import Array
from nlgauge.engine.grouping import item_labels
from nlgauge.engine.local import system_rows
from nlgauge.engine.pairing import rankings
from nlgauge.engine.remarks import family_facts, label_fact
from nlgauge.errors import InputError
from nlgauge.humans.ratings import (
    as_set,
    by_judge,
    judgements,
    kept_labels,
    receipt_facts,
    rehearsal_remark,
    system_pairs,
    textless_remark,
)
from nlgauge.metrics.base import Metric
from nlgauge.options import DEFAULT_SEED
from nlgauge.results import Comparison, Comparisons, Result
from nlgauge.stats.control_variates import (
    ControlVariates,
    Target,
    control_variates,
    control_variates_difference,
)
from nlgauge.stats.huse import Huse
from nlgauge.stats.huse import huse as joint_discrimination
from nlgauge.stats.multiple import BONFERRONI
from nlgauge.types import EvaluationSet
from nlgauge.wording.tables import plain_table


@dataclass(frozen=True)
class HumanEstimates(Result):
    """Human means of systems, helped by a metric."""

    KEYS = "criterion, control, estimates = rows, notes, receipt"

    ROWS = "estimates"

    criterion: str
    control: str
    estimates: Mapping[str, ControlVariates]
    receipt: str
    places: int
    notes: tuple[str, ...] = ()

    def __getitem__(self, system: str) -> ControlVariates:
        if system not in self.estimates:
            raise KeyError(f"no estimate for {system!r}; there are {', '.join(self.estimates)}")
        return self.estimates[system]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The estimates with their systems."""
        return [{"system": name, **found.to_dict()} for name, found in self.estimates.items()]

    def __str__(self) -> str:
        headers = ("system", "plain mean", "interval", "with metric", "interval", "judged", "worth", "r")
        rows = [
            (
                name,
                f"{found.plain:.{self.places}f}",
                f"{found.plain_low:.{self.places}f} to {found.plain_high:.{self.places}f}",
                f"{found.estimate:.{self.places}f}",
                f"{found.low:.{self.places}f} to {found.high:.{self.places}f}",
                f"{found.n:,} of {found.total:,}",
                f"{found.n * found.efficiency:.0f}",
                "n/a" if math.isnan(found.correlation) else f"{found.correlation:+.2f}",
            )
            for name, found in self.estimates.items()
        ]
        target = "all items there might be"
        first = next(iter(self.estimates.values()))
        if first.target == "set":
            target = f"the {first.total:,} items of the set"
        footer = [
            "",
            f"Mean {self.criterion} over {target}, from the judged items alone and with {self.control} on all items as "
            f"control variate ({100 * first.level:g}% t intervals). worth: judged items that would be needed for the "
            "same precision without the metric; r: correlation of metric and mean judgement.",
        ]
        remarks: dict[str, list[str]] = {}
        for name, found in self.estimates.items():
            for text in found.notes:
                remarks.setdefault(text, []).append(name)
        footer += [f"note: {', '.join(names)}: {text}" for text, names in remarks.items()]
        footer += [f"note: {text}" for text in self.notes]
        return "\n".join([plain_table(headers, rows, right=range(1, len(headers))), *footer, "", self.receipt])


def estimate(
    data: EvaluationSet | Any,
    criterion: str,
    metric: str | Metric | Sequence[str | Metric],
    *,
    target: Target = "population",
    strata: str | None = None,
    level: float = 0.95,
    jobs: int = 1,
) -> HumanEstimates:
    """Each system's mean rating from the items that were judged and a metric on all its items (control variates).

    The judged items must be a random choice. The metric's segment scores serve, so choose one made for segments
    (chrf, rouge, sentbleu).

    Args:
        data: an evaluation set or what `nlgauge.load` reads
        criterion: what was rated
        metric: a spec, or several
        target: the mean over all items there might be (population), or over those of the set
        strata: a key of the rows by which to post-stratify
        level: confidence level
        jobs: threads for the kernels

    >>> rows = [{"item": i, "system": "s", "hypothesis": "a b c d e f g h"[:i + 1], "references": ["a b c d e f g h"],
    ...          "ratings": {"q": i} if i % 2 else {}}
    ...         for i in range(12)]
    >>> estimate(rows, "q", "chrf")["s"].total
    12
    """
    data = as_set(data)
    rated = judgements(data, criterion, texts=True)
    chosen = api.metrics(metric)
    labels = item_labels(data, strata) if strata is not None else None
    controls = _controls(data, list(rated.values), chosen, jobs)
    found = {}
    for system, values in rated.values.items():
        known = _known(controls[system])
        found[system] = control_variates(
            values[known],
            controls[system][known],
            strata=None if labels is None else kept_labels(labels, rated.items, known),
            target=target,
            level=level,
            name=f"mean {criterion} of {system}",
        )
    sizes = [result.n for result in found.values()]
    names = "+".join(str(metric) for metric in chosen)
    facts = {
        **receipt_facts(data, rated, sizes),
        **_control_facts(data, chosen),
        "target": target,
        **label_fact("strata", strata, labels),
        "level": level,
    }
    notes = tuple(textless_remark(data, criterion, count=False))
    return HumanEstimates(criterion, names, found, receipt.write(criterion, facts), rated.places, notes)


def compare_with_metric(
    data: EvaluationSet | Any,
    criterion: str,
    metric: str | Metric | Sequence[str | Metric],
    *,
    baseline: str | None = None,
    target: Target = "population",
    strata: str | None = None,
    level: float = 0.95,
    jobs: int = 1,
) -> Comparisons:
    """Differences between mean ratings with the difference of metric scores as control variate; t-tests, Holm.

    `delta` is estimated directly, so it need not be the difference of the two estimates beside it.

    Args:
        data: an evaluation set or what `nlgauge.load` reads
        criterion: what was rated
        metric: a spec, or several
        baseline: the system that the others are compared with; all pairs without one
        target: the mean over all items there might be (population), or over those of the set
        strata: a key of the rows by which to post-stratify
        level: confidence level
        jobs: threads for the kernels

    >>> rows = [{"item": i, "system": s, "hypothesis": "a b c d e f g h"[:i + k], "references": ["a b c d e f g h"],
    ...          "ratings": {"q": i * k % 5} if i % 2 else {}}
    ...         for i in range(12) for k, s in enumerate("ab", 1)]
    >>> found = compare_with_metric(rows, "q", "chrf", baseline="a")
    >>> round(found["b"].delta, 2)
    -0.38
    """
    data = as_set(data)
    rated = judgements(data, criterion, texts=True)
    chosen = api.metrics(metric)
    labels = item_labels(data, strata) if strata is not None else None
    pairs = system_pairs(rated, baseline)
    controls = _controls(data, list(rated.values), chosen, jobs)
    name = f"{criterion} with {'+'.join(str(metric) for metric in chosen)}"
    options: dict[str, Any] = {"target": target, "level": level}
    rows, found = [], []
    notes = [*rehearsal_remark(data), *textless_remark(data, criterion, count=False)]
    for system, other in pairs:
        known = _known(controls[system]) & _known(controls[other])
        options["strata"] = None if labels is None else kept_labels(labels, rated.items, known)
        sides = [(rated.values[side][known], controls[side][known]) for side in (system, other)]
        (a, x), (b, y) = sides
        difference = control_variates_difference(a, b, x, y, **options)
        if math.isnan(difference.p):
            raise InputError(
                f"{criterion}: {system} and {other} differ by the same amount on every judged item, so there is "
                "nothing to test"
            )
        at_once = {**options, "level": 1 - (1 - level) / len(pairs)}
        wide = control_variates_difference(a, b, x, y, **at_once)
        found.append((difference, *(control_variates(*side, **options) for side in sides), wide))
    adjusted = stats.holm([difference.p for difference, *_ in found]).tolist()
    for (system, other), (difference, first, second, wide), p_adjusted in zip(pairs, found, adjusted, strict=True):
        rows.append(
            Comparison(
                metric=name,
                system=system,
                baseline=other,
                value=first.estimate,
                baseline_value=second.estimate,
                delta=difference.estimate,
                low=difference.low,
                high=difference.high,
                p=difference.p,
                p_adjusted=p_adjusted,
                test="control",
                trials=0,
                n=difference.n,
                direction="higher",
                level=level,
                simultaneous_low=wide.low,
                simultaneous_high=wide.high,
                simultaneous_method=BONFERRONI,
            )
        )
        remarks = list(difference.notes)
        if difference.n < difference.total:
            worth = difference.n * difference.efficiency
            remarks.insert(0, f"{difference.n:,} judged items do the work of {worth:.0f}")
        notes.append(f"{name}, {system} against {other}: {'; '.join(remarks)}")
    facts = {
        **receipt_facts(data, rated, [row.n for row in rows]),
        **_control_facts(data, chosen),
        "target": target,
        **label_fact("strata", strata, labels),
        **family_facts(baseline, len(pairs)),
        "level": level,
    }
    return Comparisons(
        comparisons=tuple(rows),
        receipts={name: receipt.write(criterion, facts)},
        notes=tuple(notes),
        seed=None,
        family=len(pairs),
        places={name: rated.places},
        rankings=rankings(rows),
    )


def huse(
    data: EvaluationSet | Any,
    criterion: str,
    system: str,
    *,
    reference: str,
    log_probability: str,
    k: int = 15,
    trials: int = 200,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
) -> Huse:
    """HUSE of a system against the texts of another one, `reference`, which people wrote.

    Args:
        data: an evaluation set or what `nlgauge.load` reads
        criterion: what was rated: how natural a text is
        system: the system
        reference: the system whose texts people wrote
        log_probability: the key of the rows (such as x_logprob, or a member of `metrics`) that holds each text's
            log-probability per token under the model
        k: nearest neighbours of the classifier
        trials: draws of the bootstrap
        level: confidence level
        seed: seed of all draws

    >>> rows = [{"item": i, "system": s, "hypothesis": "x", "ratings": {"natural": (i * 7) % 5 + k},
    ...          "x_logprob": -2 - k * (i % 4)}
    ...         for i in range(30) for k, s in enumerate(["model", "people"])]
    >>> found = huse(rows, "natural", "model", reference="people", log_probability="x_logprob", k=5, trials=20)
    >>> round(found.estimate, 2)
    0.33
    """
    data = as_set(data)
    human: list[float] = []
    model: list[float] = []
    generated: list[bool] = []
    items: list[str] = []
    for name in (system, reference):
        for segment in (some for some in data.judged() if some.system == name):
            ratings = (
                [value for _, value in by_judge(segment, criterion, data.origin)]
                if (criterion in segment.ratings)
                else []
            )
            known = [value for value in ratings if math.isfinite(value)]
            if not known:
                continue
            stored = segment.extra.get("metrics")
            inside = stored.get(log_probability) if isinstance(stored, dict) else None
            value = segment.extra.get(log_probability, inside)
            if not isinstance(value, int | float):
                raise InputError(
                    f"{data.origin}: item {segment.item!r} of {name!r} has no number {log_probability!r}; HUSE needs "
                    "the log-probability per token of every rated text"
                )
            human.append(sum(known) / len(known))
            model.append(float(value))
            generated.append(name == system)
            items.append(segment.item)
    if len(set(generated)) < 2:
        raise InputError(f"{data.origin}: {criterion!r} was not rated for both {system!r} and {reference!r}")
    paired = len(set(items)) > 1 and len(items) == 2 * len(set(items))
    return joint_discrimination(
        human, model, generated, items=items if paired else None, k=k, trials=trials, level=level, seed=seed
    )


def _control_facts(data: EvaluationSet, chosen: Sequence[Metric]) -> dict[str, str]:
    """The metrics that helped, what they read, and the digests of the data with sources where they read these."""
    sources = any(metric.reads_sources for metric in chosen)
    return {
        **data.digests(sources=sources),
        "control": "+".join(metric.full() for metric in chosen),
        **receipt.read_by(chosen),
    }


def _known(controls: Array) -> NDArray[np.bool_]:
    """Items for which every metric has a score."""
    return np.asarray(np.isfinite(controls).all(axis=1))


def _controls(data: EvaluationSet, systems: Iterable[str], chosen: Sequence[Metric], jobs: int) -> dict[str, Array]:
    """system -> (items, metrics): segment scores in the order of the set's items, NaN where an output is missing."""
    names = list(systems)
    data.require(dict.fromkeys(need for metric in chosen for need in metric.needs), names)
    columns = [data.column(system) for system in names]
    rows = system_rows(columns, chosen, jobs=jobs, corpus=[data.column(system) for system in data.systems])
    places = {item: place for place, item in enumerate(data.items)}
    controls = {}
    for column in columns:
        table = np.full((len(data.items), len(chosen)), np.nan)
        where = [places[item] for item in column.items]
        for number, metric in enumerate(chosen):
            scores = np.asarray(metric.score(rows[column.system][metric.rows_key()]), dtype=np.float64)
            if not np.all(np.isfinite(scores)):
                item = column.items[int(np.flatnonzero(~np.isfinite(scores))[0])]
                raise InputError(
                    f"{metric} is undefined for item {item!r} of {column.system!r}, so it cannot serve as control "
                    "variate; choose another metric"
                )
            table[where, number] = scores
        controls[column.system] = table
    return controls
