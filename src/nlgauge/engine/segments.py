"""Scores of single segments: the rows that `--segments` writes, and the columns that reports plot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nlgauge.arrays import Array
from nlgauge.engine.local import system_rows
from nlgauge.metrics.base import Metric
from nlgauge.metrics.spec import parse
from nlgauge.types import Column, EvaluationSet


def segment_rows(
    column: Column,
    rows: Mapping[str, Array],
    metrics: Sequence[Metric],
    known: Mapping[str, Array] | None = None,
) -> Iterator[dict[str, Any]]:
    """Item, system and each metric's score of the segment; `known` holds scores that no rows stand behind."""
    found = known or {}
    scores = {
        str(metric): (found[str(metric)] if str(metric) in found else metric.score(rows[metric.rows_key()])).tolist()
        for metric in metrics
    }
    for number, item in enumerate(column.items):
        yield {
            "item": item,
            "system": column.system,
            **{name: values[number] for name, values in scores.items()},
        }


def segment_scores(data: EvaluationSet, specs: Sequence[str], *, jobs: int = 1) -> dict[str, dict[str, list[float]]]:
    """metric -> system -> the scores of its segments, in the order of its column."""
    metrics = [parse(spec) for spec in specs]
    columns = [data.column(system) for system in data.systems]
    rows = system_rows(columns, metrics, jobs=jobs)
    return {
        str(metric): {system: metric.score(mine[metric.rows_key()]).tolist() for system, mine in rows.items()}
        for metric in metrics
    }
