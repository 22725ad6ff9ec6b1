"""Scoring data larger than memory: batches are read, counted and forgotten; only each system's sums are kept."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nlgauge.arrays import Array
from nlgauge.digest import Tally
from nlgauge.engine.local import Plan, batches, compute_rows, distinct_items, segment_rows
from nlgauge.errors import NeedsWholeSet, option
from nlgauge.io import stream, write_rows
from nlgauge.metrics.base import Metric
from nlgauge.metrics.sets import SetMetric
from nlgauge.types import Column

Progress = Callable[[str, int], None]
LARGE = 256 * 2**20  # bytes; compressed files count four times


def should_stream(paths: Sequence[str | Path]) -> bool:
    """Whether files are large enough to be read in batches unasked."""
    size = 0
    for path in paths:
        if os.path.isfile(path):
            size += os.path.getsize(path) * (4 if str(path).endswith((".gz", ".zst", ".parquet")) else 1)
    return size > LARGE


@dataclass
class Totals:
    """What streaming leaves: sums by system and rows key, segments by system, and the tally of the data."""

    sums: dict[str, dict[str, Array]] = field(default_factory=dict)
    segments: dict[str, int] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)

    def add(self, column: Column, rows: Mapping[str, Array]) -> None:
        """Count one system's part of a batch."""
        self.tally.add(column)
        mine = self.sums.setdefault(column.system, {})
        for key, part in rows.items():
            mine[key] = mine.get(key, 0) + part.sum(axis=0)
        self.segments[column.system] = self.segments.get(column.system, 0) + len(column)


def score_stream(
    source: Mapping[str, Any],
    metrics: Sequence[Metric],
    *,
    segments: Path | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Totals:
    """Sums for every system of `source`, the keyword arguments of `nlgauge.io.stream`.

    A metric that is fitted on the corpus costs a first pass over the file.
    """
    for metric in metrics:
        if isinstance(metric, SetMetric):
            raise NeedsWholeSet(
                f"{metric} compares a system's outputs with each other, so it needs the whole set in memory; leave "
                f"{option('stream')} out, or the metric"
            )
    plan = Plan.of(metrics)
    totals = Totals(tally=Tally(sources=any(metric.reads_sources for metric in metrics)))

    def columns() -> Iterator[Column]:
        for batch in stream(**source):
            for metric in plan.metrics:
                batch.require(metric.needs)
            totals.tally.missing += batch.missing
            yield from batch.columns()

    if plan.needs_prepare:
        plan = plan.prepared(
            lambda: distinct_items(columns(), jobs),
            lambda: (batch for column in columns() for batch in batches(column, jobs)),
        )
        totals.tally.missing = 0

    def scored() -> Iterator[dict[str, Any]]:
        for column in columns():
            rows = compute_rows(batches(column, jobs), plan, jobs=jobs)
            totals.add(column, rows)
            if progress:
                progress(column.system, len(column))
            if segments is not None:
                yield from segment_rows(column, rows, plan.metrics)

    if segments is not None:
        write_rows(scored(), segments)
    else:
        deque(scored(), maxlen=0)
    return totals
