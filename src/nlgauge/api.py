"""What one types in Python: `load`, `score`, `compare`. The commands are thin skins over these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.local import Plan, check_needs, compute_rows, corpus_of
from nlgauge.errors import InputError, suggest
from nlgauge.io import load as load
from nlgauge.kernels import backend
from nlgauge.metrics import receipt
from nlgauge.metrics.base import Metric
from nlgauge.metrics.spec import parse
from nlgauge.results import Comparison, Comparisons, Score, Scores
from nlgauge.stats.multiple import holm
from nlgauge.stats.resample import Resampler
from nlgauge.types import Column, EvaluationSet

Array = NDArray[np.float64]
Progress = Callable[[str, int], None]  # what is being done, segments done since the last call
Test = Literal["ar", "bootstrap"]

DEFAULT_METRICS = ("bleu", "chrf", "ter")
DEFAULT_SEED = 12345  # sacreBLEU's, so that its draws and ours are the same
DEFAULT_TRIALS = {"ar": 10_000, "bootstrap": 1_000}


def metrics(specs: Sequence[str | Metric]) -> tuple[Metric, ...]:
    """The metrics that specs name; a misspelt one is refused."""
    if isinstance(specs, str | Metric):
        specs = [specs]
    if not specs:
        raise InputError("no metric given; name at least one, for example bleu")
    return tuple(spec if isinstance(spec, Metric) else parse(spec) for spec in specs)


def score(
    data: EvaluationSet,
    specs: Sequence[str | Metric] = DEFAULT_METRICS,
    *,
    ci: bool = False,
    trials: int = DEFAULT_TRIALS["bootstrap"],
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
    segments: Path | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Scores:
    """Every metric for every system, with a bootstrap interval where `ci` asks for one.

    `segments` names a file that gets one row per segment with its scores.
    """
    check_level(level)
    plan = Plan.of(metrics(specs))
    columns = [data.column(system) for system in data.systems]
    for column in columns:
        check_needs(column, plan.metrics)
    plan = plan.prepared(lambda: corpus_of(data, jobs))
    results: list[Score] = []
    rows_of: list[dict[str, Array]] = []
    for column in columns:
        rows = compute_rows(column, plan, jobs=jobs, progress=_for(progress, column.system))
        rows_of.append(rows)
        limits = intervals(rows, plan.metrics, trials=trials, level=level, seed=seed) if ci else {}
        for metric in plan.metrics:
            value = float(metric.score(rows[metric.rows_key()].sum(axis=0)))
            low, high = limits.get(metric, (None, None))
            results.append(Score(column.system, str(metric), value, len(column.items), low, high, level))
    facts: dict[str, object] = base_facts(data)
    if ci:
        facts |= {"ci": f"bootstrap:{trials}", "level": level, "seed": seed}
    if segments is not None:
        from nlgauge.engine.segments import write_segments

        write_segments(segments, columns, rows_of, plan.metrics)
    return Scores(
        tuple(results),
        {str(metric): receipt.write(metric, facts) for metric in plan.metrics},
        {str(metric): metric.direction for metric in plan.metrics},
        tuple(notes(data)),
        {str(metric): metric.bounds for metric in plan.metrics},
    )
