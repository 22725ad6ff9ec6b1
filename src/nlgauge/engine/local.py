"""Scoring in this process; threads, where asked for, work inside the compiled kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import CHUNK, Metric
from nlgauge.types import Column

Array = NDArray[np.float64]
Progress = Callable[[int], None]


@dataclass(frozen=True)
class Plan:
    """The metrics asked for, and the fewest metrics whose rows serve them all.

    Specs that differ only in what `score` reads (`rouge@2.p` and `rouge@2.f1`) share their rows.
    """

    metrics: tuple[Metric, ...]
    sources: dict[str, Metric] = field(default_factory=dict)  # rows key -> the metric that computes them

    @classmethod
    def of(cls, metrics: Sequence[Metric]) -> Plan:
        """The plan for these metrics; a metric asked for twice counts once."""
        distinct = tuple(dict.fromkeys(metrics))
        return cls(distinct, {metric.rows_key(): metric for metric in reversed(distinct)})

    def prepared(self, corpus: Callable[[], Iterable[Batch]]) -> Plan:
        """With the metrics that need a pass over the whole corpus fitted on it."""
        fitted = {
            key: metric.prepare(corpus()) if metric.needs_prepare else metric
            for key, metric in self.sources.items()
        }
        return Plan(self.metrics, fitted)

    @property
    def needs_prepare(self) -> bool:
        """Whether any metric needs to see the whole corpus first."""
        return any(metric.needs_prepare for metric in self.sources.values())

    def rows(self, batch: Batch) -> dict[str, Array]:
        """The rows of one batch for every source; tokenisers are shared through the batch."""
        return {key: metric.rows(batch) for key, metric in self.sources.items()}


def batches(column: Column, jobs: int) -> Iterator[Batch]:
    """One system's segments, cut so that memory does not grow with the corpus."""
    for start in range(0, len(column.hypotheses), CHUNK):
        part = slice(start, start + CHUNK)
        yield Batch(
            column.hypotheses[part],
            column.references[part],
            sources=column.sources[part] if column.sources is not None else None,
            jobs=jobs,
        )


def compute_rows(
    column: Column, plan: Plan, *, jobs: int = 1, progress: Progress | None = None
) -> dict[str, Array]:
    """All rows of one system: for each rows key an (n, k) array."""
    parts: dict[str, list[Array]] = {key: [] for key in plan.sources}
    for batch in batches(column, jobs):
        for key, rows in plan.rows(batch).items():
            parts[key].append(rows)
        if progress:
            progress(len(batch))
    return {
        key: np.concatenate(rows) if rows else np.zeros((0, len(plan.sources[key].columns)))
        for key, rows in parts.items()
    }


def distinct_items(columns: Iterable[Column], jobs: int) -> Iterator[Batch]:
    """Each item's references once, whatever the number of systems: the corpus a metric is fitted on."""
    seen: set[str] = set()
    for column in columns:
        fresh = [row for row, item in enumerate(column.items) if item not in seen]
        seen.update(column.items)
        if fresh:
            references = [column.references[row] for row in fresh]
            yield from batches(Column(column.system, [], [""] * len(fresh), references), jobs)
