"""What is correlated with people: metrics computed here, and scores that the rows carry.

`-m` takes the grammar of metrics, and for scores stored in the rows' `metrics` object `stored(name=BLEU)`, short
`@BLEU`; `@*` is all of them. A stored score is higher-is-better unless its name is that of a registered metric that
is not (TER, WER), or `stored(name=…,direction=lower)` says so.
"""

from __future__ import annotations

import hashlib
import math
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from nlgauge import receipt
from nlgauge.arrays import Array
from nlgauge.digest import Tally
from nlgauge.engine.grouping import look_up
from nlgauge.engine.local import system_rows
from nlgauge.engine.remarks import copy_notes, model_remarks
from nlgauge.engine.scripts import text_remarks
from nlgauge.engine.sets import SetTexts, split
from nlgauge.errors import InputError, SpecError, as_called, option, suggest
from nlgauge.kernels import backend
from nlgauge.meta.observations import Observation, Observations
from nlgauge.meta.table import LARGEST
from nlgauge.metrics import registry
from nlgauge.metrics.base import Direction, Metric
from nlgauge.metrics.sets import SetMetric
from nlgauge.metrics.spec import parse
from nlgauge.types import Column, check_source

Joined = Literal["metric", "mean", "max"]
ALL = "@*"
DEFAULT = {"segment": ("sentbleu", "chrf", "ter"), "system": ("bleu", "chrf", "ter")}
_STORED = re.compile(
    r"""stored\(\s*(?:name\s*=\s*)?(?P<name>"[^"]+"|[^,()="]+?)\s*(?:,\s*direction\s*=\s*(?P<direction>\w+)\s*)?\)"""
)


@dataclass(frozen=True)
class Stored:
    """A score that the rows carry under a name."""

    name: str
    direction: Direction = "higher"

    def __str__(self) -> str:
        if self.direction == known_direction(self.name):
            return f"@{self.name}"
        return self.full()

    def full(self) -> str:
        """The spec with both fields written out."""
        return f'stored(name="{self.name}",direction={self.direction})'


Wanted = Metric | Stored


@dataclass(frozen=True)
class Measure:
    """A metric's scores of all observations: NaN where there is none.

    `rows` are its statistics, which `score` turns into the score of any set of observations: of one system, of a
    draw. A stored score is a mean: rows (value, 1).
    """

    name: str
    direction: Direction
    values: Array
    rows: Array
    score: Callable[[Array], Array]
    places: int
    receipt: str

    @property
    def sign(self) -> float:
        """1, or -1 for metrics of which less is better."""
        return 1.0 if self.direction == "higher" else -1.0


def settled(values: Array, digits: int = 12) -> Array:
    """Values to so many significant digits: what is equal in mathematics must not differ in its last bits, because rank
    correlations would take the difference for an order."""
    known = np.isfinite(values) & (values != 0)
    places = np.zeros(values.shape)
    places[known] = digits - 1 - np.floor(np.log10(np.abs(values[known])))
    known &= np.abs(places) <= 290  # numbers so small or large that the power of ten leaves the floats stay as they are
    scale = 10.0 ** np.where(known, places, 0.0)
    return np.where(known, np.round(values * scale) / scale, values)


def known_direction(name: str) -> Direction:
    """The direction of a registered metric of this name, whatever its case; else higher."""
    names = {known.lower(): known for known in registry.names()}
    found = names.get(name.lower())
    return registry.load(found).direction if found else "higher"


def parse_measure(spec: str) -> Wanted:
    """The metric or stored score that a spec names."""
    text = spec.strip()
    if text.startswith("@") and len(text) > 1:
        return Stored(text[1:], known_direction(text[1:]))
    if text.startswith("stored"):
        match = _STORED.fullmatch(text)
        if match is None:
            raise SpecError(
                f"cannot read {spec!r}; expected stored(name=BLEU) or stored(name=PPL,direction=lower), short @BLEU"
            )
        name = match["name"].strip('"').strip()
        direction = match["direction"] or known_direction(name)
        if direction not in ("higher", "lower"):
            raise SpecError(f"the direction of a stored score is higher or lower; got {direction!r}")
        return Stored(name, "lower" if direction == "lower" else "higher")
    return parse(text)


def wanted(specs: Sequence[str | Metric | Stored], data: Observations, level: str) -> list[Wanted]:
    """The measures asked for, each once; without any, what the data allow."""
    found: list[Wanted] = []
    for spec in specs or _default(data, level):
        if spec == ALL:
            names = stored_names(data)
            if not names:
                raise InputError(f"{data.origin} holds no stored scores (a `metrics` object in its rows)")
            found += [Stored(name, known_direction(name)) for name in names]
        else:
            found.append(parse_measure(spec) if isinstance(spec, str) else _known(spec))
    return list(dict.fromkeys(found))


def _known(given: object) -> Wanted:
    if not isinstance(given, Metric | Stored):
        raise InputError(f"expected a metric or its spec, such as chrf or @BLEU; got {given!r}")
    return given


def _default(data: Observations, level: str) -> list[str]:
    stored = [ALL] if stored_names(data) else []
    texts = all(row.text is not None and row.references for row in data.rows)
    if not texts and not stored:
        bare = list(dict.fromkeys(row.system for row in data.rows if row.text is None))
        left_out = " ".join(option("without", shlex.quote(system)) for system in bare)
        leave = f"leave out what has no text ({left_out}), " if bare and set(bare) != set(data.systems) else ""
        raise InputError(
            f"{data.origin} has rows without text or references, and no stored scores: {leave}name metrics that need "
            f"neither with {as_called('-m', 'metrics=…')}, or give the references with {option('references', 'FILE')}"
        )
    return [*(DEFAULT[level] if texts else ()), *stored]


def stored_names(data: Observations) -> list[str]:
    """The names of the scores that rows carry, in the order of their first appearance."""
    found: dict[str, None] = {}
    for row in data.rows:
        scores = row.extra.get("metrics")
        if isinstance(scores, dict):
            found |= dict.fromkeys(scores)
    return list(found)


def measure(data: Observations, chosen: Sequence[Wanted], *, joined: Joined = "metric", jobs: int = 1) -> list[Measure]:
    """The scores of all observations; `joined` says how several references are used.

    "metric" leaves it to the metric; "mean" and "max" score each reference by itself and take the mean or the best.
    """
    metrics = [metric for metric in chosen if isinstance(metric, Metric)]
    rows = score_texts(data.rows, metrics, data.origin, joined=joined, jobs=jobs) if metrics else {}
    facts = {
        "n": _range([len(rows) for rows in _by_system(data).values()]),
        "systems": len(data.systems),
        "refs": _range([len(row.references) for row in data.rows]),
        **digests(data),
    }
    sourced = digests(data, sources=True) if any(metric.reads_sources for metric in metrics) else {}
    found = []
    for asked in chosen:
        if isinstance(asked, Stored):
            found.append(_stored(data, asked, facts))
            continue
        computed, score = rows[asked]
        note: dict[str, str] = {} if joined == "metric" else {"references": joined}
        if asked.reads_sources:
            note |= sourced
        if isinstance(asked, SetMetric):
            note["set"] = "mean"
        line = receipt.write(asked, {**facts, "backend": backend(), **note})
        values = score(computed)
        found.append(Measure(str(asked), asked.direction, values, computed, score, asked.places, receipt=line))
    return found


def metric_notes(data: Observations, chosen: Sequence[Wanted]) -> list[str]:
    """What `nlgauge score` remarks of these metrics on these texts: systems whose texts are the references, tokenisers
    that were not made for them, rows that a trained metric learnt from, texts that a model cut."""
    metrics = [metric for metric in chosen if isinstance(metric, Metric)]
    if not metrics:
        return []
    columns = _text_columns(data.rows)[0]
    copies = copy_notes(columns) if any("references" in metric.needs for metric in metrics) else []
    return [*copies, *text_remarks(metrics, columns), *model_remarks(metrics)]


def digests(data: Observations, *, sources: bool = False) -> dict[str, str]:
    """The digests that `nlgauge score` gives the same texts; a text that is missing counts as empty."""
    tally = Tally(sources=sources)
    for column in _text_columns(data.rows)[0]:
        tally.add(column)
    return tally.digests(sources=sources)


def _by_system(data: Observations) -> dict[str, list[Observation]]:
    found: dict[str, list[Observation]] = {}
    for row in data.rows:
        found.setdefault(row.system, []).append(row)
    return found


def _range(counts: Sequence[int]) -> str:
    return f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)}-{max(counts)}"


def mean_score(totals: Array) -> Array:
    """The mean from summed rows (value, 1); NaN of nothing."""
    count = totals[..., 1]
    mean: Array = np.divide(totals[..., 0], count, out=np.full(count.shape, np.nan), where=count > 0)
    return mean


def _stored(data: Observations, stored: Stored, facts: Mapping[str, object]) -> Measure:
    values = np.full(len(data), np.nan)
    for place, row in enumerate(data.rows):
        scores = row.extra.get("metrics")
        value = scores.get(stored.name) if isinstance(scores, dict) else None
        value = look_up(row, stored.name) if value is None else value
        values[place] = _number(value)
    if not np.isfinite(values).any():
        names = stored_names(data)
        hint = suggest(stored.name, names) if names else "its rows carry no `metrics` object"
        if stored.name in names:
            hint = "no row holds a number for it (values are null or words)"
        raise InputError(f"{data.origin} holds no stored score {stored.name!r}: {hint}")
    values[~np.isfinite(values)] = np.nan
    if np.nanmax(np.abs(values)) > LARGEST:
        raise InputError(
            f"a stored score {stored.name!r} of {data.origin} is {np.nanmax(np.abs(values)):g}, too large; "
            f"scores must lie within ±{LARGEST:g}"
        )
    # The digest of the texts says nothing about scores made elsewhere.
    known = {key: value for key, value in facts.items() if key in ("n", "systems")}
    digest = hashlib.sha256(values.astype("<f8").tobytes()).hexdigest()[:12]
    line = receipt.write_stored(stored.full(), {**known, "scores": digest})
    return Measure(str(stored), stored.direction, values, mean_rows(values), mean_score, 4, receipt=line)


def _number(value: object) -> float:
    """A score, also where a table holds it as text; NaN for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return math.nan
    try:
        return float(value)
    except ValueError:
        return math.nan


def mean_rows(values: Array) -> Array:
    """Rows (value, 1) of a mean; (0, 0) where the value is missing."""
    known = np.isfinite(values)
    return np.stack([np.where(known, values, 0.0), known.astype(np.float64)], axis=-1)


def score_texts(
    rows: Sequence[Observation],
    metrics: Sequence[Metric],
    origin: str,
    *,
    joined: Joined = "metric",
    jobs: int = 1,
    corpus: Sequence[Observation] | None = None,
) -> dict[Metric, tuple[Array, Callable[[Array], Array]]]:
    """Each metric's rows for texts, with the function from summed rows to a score.

    A metric that is fitted sees each item's references once, as in `nlgauge score`: those of `corpus`, or of `rows`.
    """
    for row in rows:
        _require(row, metrics, origin)
    fitted_on = None if corpus is None else _text_columns(corpus)[0]
    if joined == "metric":
        return _scored(rows, metrics, fitted_on, jobs)
    return {metric: (mean_rows(_by_reference(rows, metric, joined, jobs)), mean_score) for metric in metrics}


def _scored(
    rows: Sequence[Observation], metrics: Sequence[Metric], corpus: Sequence[Column] | None, jobs: int
) -> dict[Metric, tuple[Array, Callable[[Array], Array]]]:
    columns, places = _text_columns(rows)
    summed, of_sets = split(metrics)
    computed = system_rows(columns, summed, jobs=jobs, corpus=corpus) if summed else {}
    found = _segment_scores(columns, places, of_sets, len(rows))
    for metric in summed:
        parts = [computed[column.system][metric.rows_key()] for column in columns]
        table = np.empty((len(rows), parts[0].shape[1]))
        for where, part in zip(places, parts, strict=True):
            table[where] = part
        found[metric] = (table, metric.score)
    return found


def _segment_scores(
    columns: Sequence[Column], places: Sequence[Sequence[int]], metrics: Sequence[SetMetric], size: int
) -> dict[Metric, tuple[Array, Callable[[Array], Array]]]:
    """Set metrics by their scores of single outputs, where they have such; a system's score is their mean."""
    texts = SetTexts(columns, metrics)
    found: dict[Metric, tuple[Array, Callable[[Array], Array]]] = {}
    for metric in metrics:
        if not metric.per_segment:
            raise InputError(
                f"{metric} describes a system's outputs as a set and has no scores of single outputs, so there is "
                "nothing to correlate with ratings of these"
            )
        values = np.full(size, np.nan)
        for column, where in zip(columns, places, strict=True):
            values[where] = texts.scorer(metric, column.system).segments()
        found[metric] = (mean_rows(values), mean_score)
    return found


def _text_columns(rows: Sequence[Observation]) -> tuple[list[Column], list[list[int]]]:
    """A column for each system, and the places of its rows; an item whose rows have different references is several."""
    variants: dict[str, dict[tuple[str, ...], int]] = {}
    places: dict[str, list[int]] = {}
    names = []
    for place, row in enumerate(rows):
        known = variants.setdefault(row.item, {})
        number = known.setdefault(row.references, len(known))
        names.append(f"{row.item} ({number + 1})" if number else row.item)
        places.setdefault(row.system, []).append(place)
    columns = []
    for system, where in places.items():
        own = [rows[place] for place in where]
        columns.append(
            Column(
                system=system,
                items=[names[place] for place in where],
                hypotheses=[row.text or "" for row in own],
                references=[row.references for row in own],
                sources=[row.source for row in own] if any(row.source is not None for row in own) else None,
                post_edits=[row.post_edits for row in own],
                reference_weights=[row.reference_weights for row in own],
            )
        )
    return columns, list(places.values())


def _by_reference(rows: Sequence[Observation], metric: Metric, joined: Joined, jobs: int) -> Array:
    """Each reference by itself, then the mean or the best; a metric that is fitted sees all of an item's together."""
    if "reference_weights" in metric.needs or isinstance(metric, SetMetric):
        raise InputError(f"{metric} weighs all references of an item together; they cannot be taken one by one")
    single = [(place, text) for place, row in enumerate(rows) for text in row.references]
    alone = [replace(rows[place], references=(text,)) for place, text in single]
    computed, score = _scored(alone, [metric], _text_columns(rows)[0], jobs)[metric]
    scores = score(computed)
    owner = np.array([place for place, _ in single])
    if joined == "mean":
        mean: Array = np.bincount(owner, scores, len(rows)) / np.bincount(owner, minlength=len(rows))
        return mean
    best = np.full(len(rows), -np.inf if metric.direction == "higher" else np.inf)
    (np.maximum if metric.direction == "higher" else np.minimum).at(best, owner, scores)
    return best


def _needs(metric: Metric, what: str) -> bool:
    """Whether a metric needs something; the text of an output they all do."""
    return what == "text" or any(need in (what, f"{what} text") for need in metric.needs)


def _require(row: Observation, metrics: Sequence[Metric], origin: str) -> None:
    needs = {need for metric in metrics for need in metric.needs}
    lacks = "text" if row.text is None else ""
    if "references" in needs and not row.references:
        lacks = lacks or "references"
    if needs & {"source", "source text"} and row.source is None:
        lacks = lacks or "source"
    if "source text" in needs and row.source is not None:
        check_source(row.source, f"item {row.item!r} in {origin}")
    if "reference_weights" in needs and len(row.reference_weights) != len(row.references):
        lacks = lacks or "reference_weights"
    if "post_edits" in needs and not row.post_edits:
        lacks = lacks or "post_edits"
    if lacks:
        system = shlex.quote(row.system)
        stored = as_called("use stored scores (-m @NAME)", 'use stored scores (metrics="@NAME")')
        remedy = {
            "text": f"leave the system out ({option('without', system)}), say that people wrote its texts "
            f"({option('reference_system', system)}), or {stored}",
            "references": f"give them with {option('references', 'FILE')}, or {stored}",
            "source": "choose metrics that need none",
            "reference_weights": "give the weights beside the references, or choose metrics that need none",
            "post_edits": "give them in every row, or choose metrics that need none",
        }[lacks]
        raise InputError(
            f"item {row.item!r} of system {row.system!r} in {origin} has no {lacks}, which "
            f"{', '.join(str(metric) for metric in metrics if _needs(metric, lacks))} would need; {remedy}"
        )
