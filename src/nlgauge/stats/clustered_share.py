"""A share of answers that come in clusters (several of one item), with exact limits at the effective sample size.

Korn and Graubard (1998), "Confidence intervals for proportions with small expected number of positive counts estimated
from survey data", Survey Methodology 24(2): Clopper and Pearson's limits with n replaced by n / design effect, shrunk
by the squared ratio of Student quantiles because the design effect is estimated. An effect below 1 is taken as 1.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np

from nlgauge.errors import InputError
from nlgauge.stats.results import Estimate


def share(
    hits: Sequence[float],
    clusters: Sequence[Hashable],
    *,
    weights: Sequence[float] | None = None,
    level: float = 0.95,
    name: str = "",
) -> Estimate:
    """The weighted share of hits (0 to 1 each) with limits that hold for other clusters."""
    values = np.asarray(hits, dtype=np.float64)
    if not len(values) or len(values) != len(clusters):
        raise InputError(f"{len(values)} answers with {len(clusters)} clusters; give a cluster for each answer")
    weight = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    total = float(weight.sum())
    estimate = float((weight * values).sum() / total)
    codes = {one: place for place, one in enumerate(dict.fromkeys(clusters))}
    sums = np.zeros(len(codes))
    np.add.at(sums, [codes[cluster] for cluster in clusters], weight * (values - estimate))
    low, high = _limits(estimate, sums, total, len(values), level)
    method = f"exact limits at the effective number of answers (Korn and Graubard), {len(codes):,} clusters"
    return Estimate(estimate=estimate, low=low, high=high, level=level, method=method, n=len(values), name=name)


def _limits(
    estimate: float,
    sums: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    total: float,
    n: int,
    level: float,
) -> tuple[float, float]:
    from scipy.special import betainccinv, betaincinv, stdtrit

    tail, groups, effective = (1 - level) / 2, len(sums), float(n)
    if groups < 2:
        return math.nan, math.nan
    if 0 < estimate < 1:
        variance = groups / (groups - 1) * float((sums**2).sum()) / total**2
        if variance > 0:
            effective = min(effective, estimate * (1 - estimate) / variance)
        if groups < n:
            effective *= min(1.0, float(stdtrit(n - 1, 1 - tail) / stdtrit(groups - 1, 1 - tail)) ** 2)
    else:
        effective = float(groups)  # nothing tells how alike the answers of a cluster are: each counts once
    x = estimate * effective
    low = 0.0 if x <= 0 else float(betaincinv(x, effective - x + 1, tail))
    high = 1.0 if estimate >= 1 else float(betainccinv(x + 1, effective - x, tail))
    return low, high
