"""Scoring in this process: rows of systems, and scores of segments; threads, where asked for, work inside the compiled
kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import CHUNK, Metric
from nlgauge.metrics.sets import SetMetric
from nlgauge.metrics.spec import parse
from nlgauge.types import Column, EvaluationSet

Progress = Callable[[int], None]
SMALLEST = 512  # segments worth a thread of their own
KEPT = 8 * CHUNK  # segments whose tokens may stay in memory between fitting and counting: some 20 MB


@dataclass(frozen=True)
class Plan:
    """The metrics asked for, and the fewest metrics whose rows serve them all.

    Specs that differ only in what `score` reads (`rouge@2.p` and `rouge@2.f1`) share their rows.
    """

    metrics: tuple[Metric, ...]
    sources: dict[str, Metric] = field(default_factory=dict)  # rows key -> the metric that computes them

    @classmethod
    def of(cls, metrics: Sequence[Metric]) -> Plan:
        """The plan for these metrics; a metric asked for twice counts once.

        Longer n-grams come first: their matches stay with the tokens and serve whoever asks for shorter ones.
        """
        distinct = tuple(dict.fromkeys(metrics))
        for metric in distinct:
            if isinstance(metric, SetMetric):
                raise InputError(metric.refusal("has no statistics that add up over segments"))
        longest_first = sorted(distinct, key=lambda metric: -getattr(metric, "order", 0))
        sources: dict[str, Metric] = {}
        for metric in longest_first:
            sources.setdefault(metric.rows_key(), metric)
        return cls(distinct, sources)

    def prepared(self, corpus: Callable[[], Iterable[Batch]], outputs: Callable[[], Iterable[Batch]]) -> Plan:
        """With the metrics that need a pass over the whole corpus fitted on it: its items, or all its `outputs`."""
        fitted = {
            key: metric.prepare(outputs() if metric.learns_outputs else corpus()) if metric.needs_prepare else metric
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
    """One system's segments, cut so that memory does not grow with the corpus.

    With several threads each works on a batch of its own: while one reads the texts, which takes the interpreter's
    lock, the others count. A single batch is split inside the kernels instead.
    """
    n = len(column.hypotheses)
    size = CHUNK if jobs == 1 else min(CHUNK, max(SMALLEST, -(-n // (4 * jobs))))
    inner = jobs if n <= size else 1
    for start in range(0, n, size):
        yield Batch(**column.part(slice(start, start + size)), jobs=inner)


def compute_rows(
    parts: Iterable[Batch], plan: Plan, *, jobs: int = 1, progress: Progress | None = None
) -> dict[str, Array]:
    """The rows of all batches of one system: for each rows key an (n, k) array."""
    found: dict[str, list[Array]] = {key: [] for key in plan.sources}
    for rows in _in_order(plan.rows, parts, jobs):
        for key, part in rows.items():
            found[key].append(part)
        if progress:
            progress(len(part))
    return {
        key: np.concatenate(rows) if rows else np.zeros((0, len(plan.sources[key].columns)))
        for key, rows in found.items()
    }


def _in_order(
    work: Callable[[Batch], dict[str, Array]], parts: Iterable[Batch], jobs: int
) -> Iterator[dict[str, Array]]:
    """The results of `work`, in the order of the batches, from one or several threads."""
    if jobs == 1:
        yield from map(work, parts)
        return
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(work, parts)


def distinct_items(columns: Iterable[Column], jobs: int, seen: Iterable[str] = ()) -> Iterator[Batch]:
    """Each item's references once, however many rows it has: the corpus a metric is fitted on."""
    known = set(seen)
    for column in columns:
        fresh = []
        for row, item in enumerate(column.items):
            if item not in known:
                known.add(item)
                fresh.append(row)
        if fresh:
            references = [column.references[row] for row in fresh]
            yield from batches(Column(column.system, [], [""] * len(fresh), references), jobs)


def system_rows(
    columns: Sequence[Column],
    metrics: Sequence[Metric],
    *,
    jobs: int = 1,
    progress: Callable[[str, int], None] | None = None,
    corpus: Sequence[Column] | None = None,
) -> dict[str, dict[str, Array]]:
    """The rows of every system: system -> rows key -> (n, k).

    A metric that is fitted is fitted on each item of `corpus` once; without one, on the items of `columns`. It first
    sees the first system's batches, which are kept, tokens and all, where they are few.
    """
    plan = Plan.of(metrics)
    kept: list[Batch] = []
    if plan.needs_prepare:
        whole = columns if corpus is None else corpus
        first = columns[0] if corpus is None and columns else None
        if first is not None and len(first) <= KEPT and len(set(first.items)) == len(first):
            kept = list(batches(first, jobs))
        rest, seen = (whole[1:], whole[0].items) if kept else (whole, [])
        plan = plan.prepared(
            lambda: chain(kept, distinct_items(rest, jobs, seen)),
            lambda: (batch for column in whole for batch in batches(column, jobs)),
        )
    rows = {}
    for number, column in enumerate(columns):
        parts = kept if kept and number == 0 else batches(column, jobs)
        told = None if progress is None else partial(progress, column.system)
        rows[column.system] = compute_rows(parts, plan, jobs=jobs, progress=told)
    return rows


def segment_rows(
    column: Column,
    rows: Mapping[str, Array],
    metrics: Sequence[Metric],
    known: Mapping[str, Array] | None = None,
) -> Iterator[dict[str, Any]]:
    """Item, system and each metric's score of the segment; `known` holds scores that no rows stand behind."""
    ready = known or {}
    scores = {
        str(metric): (ready[str(metric)] if str(metric) in ready else metric.score(rows[metric.rows_key()])).tolist()
        for metric in metrics
    }
    for number, item in enumerate(column.items):
        mine = {name: values[number] for name, values in scores.items()}
        yield {"item": item, "system": column.system, **mine}


def segment_scores(data: EvaluationSet, specs: Sequence[str], *, jobs: int = 1) -> dict[str, dict[str, list[float]]]:
    """metric -> system -> the scores of its segments, in the order of its column."""
    metrics = [parse(spec) for spec in specs]
    columns = [data.column(system) for system in data.systems]
    rows = system_rows(columns, metrics, jobs=jobs)
    return {
        str(metric): {system: metric.score(mine[metric.rows_key()]).tolist() for system, mine in rows.items()}
        for metric in metrics
    }
