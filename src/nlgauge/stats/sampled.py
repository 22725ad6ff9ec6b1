"""A system under one score: its rows, their sum, its score; and what scores without parts of the rows say of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.results import Jackknife

Score = Callable[[Array], Array]
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Sample:
    """One system under one score: its rows, their sum and its score."""

    name: str
    rows: Array
    score: Score
    total: Array
    value: float


def samples_of(rows: Mapping[K, Array], scores: Mapping[K, Score]) -> dict[K, Sample]:
    samples = {key: sample_of(named(key), value, scores[key]) for key, value in rows.items()}
    lengths = {len(sample.rows): sample.name for sample in samples.values()}
    if len(lengths) > 1:
        (n, name), (other, second) = list(lengths.items())[:2]
        raise InputError(
            f"{name} has {n} segments but {second} has {other}: all must have the same segments, in one order"
        )
    return samples


def named(key: object) -> str:
    """A system, or a system under a metric, as a message names it."""
    return f"{key[0]} ({key[1]})" if isinstance(key, tuple) and len(key) == 2 else str(key)


def sample_of(name: str, rows: Array, score: Score) -> Sample:
    values = np.ascontiguousarray(rows, dtype=np.float64)
    if values.ndim != 2:
        raise InputError(f"the rows of {name} must have two dimensions, (segments, statistics); got {values.ndim}")
    if not np.all(np.isfinite(values)):
        segment = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
        raise InputError(
            f"the statistics of {name} are not finite at segment {segment}: leave the segment out or mend it"
        )
    total = values.sum(axis=0)
    return Sample(name, values, score, total, defined(float(score(total)), name))


def scored(sample: Sample, totals: Array) -> Array:
    scores = np.asarray(sample.score(totals), dtype=np.float64)
    if scores.shape != totals.shape[:-1]:
        raise InputError(
            f"the score function of {sample.name} must give one number per row of totals: expected shape "
            f"{totals.shape[:-1]}, got {scores.shape}"
        )
    return scores


def without_each(sample: Sample) -> Array:
    """The scores without each unit in turn."""
    return scored(sample, sample.total - sample.rows)


def defined(value: float, name: str) -> float:
    """The score itself; refused where it is none."""
    if not math.isfinite(value):
        raise InputError(f"the score of {name} is undefined ({value}), so neither interval nor test can be given")
    return value


def jackknifed(
    value: float,
    left_out: Array,
    quantile: float,
    *,
    level: float,
    method: str,
    n: int,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Jackknife:
    """What the scores without each group of segments say of a score; the interval is cut at `bounds`."""
    groups = len(left_out)
    error = math.sqrt((groups - 1) / groups * float(np.sum((left_out - left_out.mean()) ** 2)))
    reach = quantile * error
    return Jackknife(
        estimate=value,
        low=max(value - reach, bounds[0]),
        high=min(value + reach, bounds[1]),
        level=level,
        method=method,
        n=n,
        bias=float((groups - 1) * (left_out.mean() - value)),
        standard_error=error,
    )
