"""The metrics that the field uses for a task, as far as they are installed, need no model and find what they need."""

from __future__ import annotations

from collections.abc import Sequence

from nlgauge.engine.local import batches
from nlgauge.errors import NlgaugeError
from nlgauge.metrics.base import Metric
from nlgauge.metrics.spec import parse
from nlgauge.metrics.survey import Entry, preset, task_named
from nlgauge.types import EvaluationSet
from nlgauge.wording.numbers import listing


def for_task(task: str, data: EvaluationSet) -> tuple[list[Metric], list[str]]:
    """The metrics for a task that can be computed on these data, and notes on those that cannot.

    A metric whose dictionary is missing or whose source the data lack is left out, with the reason; it is not an
    error, since nobody asked for it by name.
    """
    specs, absent = preset(task_named(task))
    kept: list[Metric] = []
    notes: list[str] = []
    for spec in specs:
        metric = parse(spec)
        try:
            _check(metric, data)
        except NlgaugeError as error:
            notes.append(f"{spec} left out: {error}")
            continue
        kept.append(metric)
    return kept, [*notes, *_absent(absent)]


def _check(metric: Metric, data: EvaluationSet) -> None:
    """Raise what scoring would raise on the first segment."""
    data.require(metric.needs)
    if not getattr(metric, "additive", True):
        return
    first = next(batches(data.column(data.systems[0]).only(0), 1))
    fitted = metric.prepare([first]) if metric.needs_prepare else metric
    fitted.rows(first)


def _absent(entries: Sequence[Entry]) -> list[str]:
    models = [entry.title for entry in entries if entry.model]
    missing = [entry.title for entry in entries if not entry.model]
    told = []
    if missing:
        told.append(f"used for this task, but not installed: {listing(missing)}")
    if models:
        told.append(f"used for this task, but not run, since they need a model: {listing(models)}")
    return told
