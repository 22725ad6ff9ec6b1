"""Why a segment scores what it scores: `explain(data, spec, item, system)`, the Python side of `nlgauge explain`."""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nlgauge import api
from nlgauge.engine.local import batches, distinct_items
from nlgauge.errors import InputError, first_of, option
from nlgauge.kernels import use
from nlgauge.metrics.base import Metric
from nlgauge.metrics.explanation import Explanation
from nlgauge.types import Column, EvaluationSet

SHOWN = 5  # names a refusal gives: a set may have a million items


def explain(data: EvaluationSet | Any, spec: str | Metric, item: object, system: str | None = None) -> Explanation:
    """What matched in one system's output for one item.

    A metric that is fitted on a corpus is fitted on the references of all items, as `score` does it, so that the score
    is the one `score --segments` writes.

    Args:
        data: an evaluation set or what `nlgauge.load` reads
        spec: one metric
        item: the name of the item
        system: the system; may be left out where there is only one

    >>> explain(EvaluationSet.of({"a": ["a cat sat"]}, ["the cat sat"]), "wer", "1").row
    (('hits', 2.0), ('substitutions', 1.0), ('deletions', 0.0), ('insertions', 0.0))
    """
    data = data if isinstance(data, EvaluationSet) else api.load(data)
    (metric,) = api.metrics([spec] if isinstance(spec, str | Metric) else spec)
    name = _system(data, system)
    row = _row(data, data.column(name), item)
    data.require(metric.needs, [name])
    if not getattr(metric, "additive", True):
        return _of_set(metric, data, row)
    metric.refuse_long(next(batches(row, 1)))
    with use("python"):  # whose tables of counts can be read; the numbers are those of the compiled kernels
        if metric.needs_prepare:
            columns = [data.column(other) for other in data.systems]
            whole = (batch for column in columns for batch in batches(column, 1))
            metric = metric.prepare(whole if metric.learns_outputs else distinct_items(columns, 1))
        told = metric.explained(next(batches(row, 1)))
    return replace(told, item=row.items[0], system=name, data=data.origin)


def _of_set(metric: Metric, data: EvaluationSet, column: Column) -> Explanation:
    """For a metric that describes a set: what it says of this output among the others of the system."""
    whole = data.column(column.system)
    what = getattr(metric, "per_segment", "")
    score, note = (
        math.nan,
        f"{metric} describes all outputs of a system together and has no scores of segments",
    )
    if what:
        scores = metric.segments(whole.hypotheses, whole.references)
        score = float(scores[whole.items.index(column.items[0])])
        note = f"{metric} describes all outputs of a system together; of one output it gives {what}"
    return Explanation(
        str(metric),
        score,
        (),
        column.hypotheses[0],
        tuple(column.references[0]),
        notes=(note,),
        direction=metric.direction,
        places=metric.places,
        detailed=False,
        source=column.sources[0] if column.sources else None,
        item=column.items[0],
        system=column.system,
        data=data.origin,
    )


def _system(data: EvaluationSet, system: str | None) -> str:
    if system is None and len(data.systems) == 1:
        return data.systems[0]
    if system is None:
        raise InputError(
            f"{data.origin} has {len(data.systems)} systems; say which ({option('system')}): {near('', data.systems)}"
        )
    if system not in data.systems:
        raise InputError(f"{data.origin} has no system {system!r}; {near(system, data.systems)}")
    return system


def _row(data: EvaluationSet, column: Column, item: object) -> Column:
    """The column with one item only."""
    wanted = str(item)
    if wanted not in column.items:
        if wanted in data.items:
            raise InputError(f"system {column.system!r} has no output for item {wanted!r} of {data.origin}")
        raise InputError(f"{data.origin} has no item {wanted!r}; {near(wanted, column.items)}")
    return column.only(column.items.index(wanted))


def near(word: str, known: Sequence[str]) -> str:
    """A half sentence: the nearest names, or the first ones."""
    close = difflib.get_close_matches(word, known, n=3, cutoff=0.5) if word else []
    folded = [name for name in known if word and name.lower() == word.lower() and name not in close]
    if folded or close:
        return f"did you mean {' or '.join(folded + close)}?"
    return f"it has {first_of(known, SHOWN)}"
