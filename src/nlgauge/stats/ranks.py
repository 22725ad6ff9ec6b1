"""Wilcoxon's two tests, exact where they can be, ties or not.

The signed-rank test is the sign-flip test of the signed mid-ranks (differences of 0 are left out, as Wilcoxon did); the
rank-sum test counts all ways to give out the mid-ranks. Beyond `EXACT` values the rank-sum uses the normal
approximation with corrections for ties and continuity. Without ties both equal scipy's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.permutation import Alternative, sign_flip_test

EXACT = 60  # values of both samples together


@dataclass(frozen=True)
class RankTest:
    """The statistic (sum of positive ranks; U of the first sample), its p-value and how that was found."""

    statistic: float
    p: float
    method: str
    n: int


def signed_rank(differences: Array, alternative: Alternative = "two-sided") -> RankTest:
    """Wilcoxon's signed-rank test of matched differences; all of them 0 gives p = 1."""
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or not np.all(np.isfinite(values)):
        raise InputError("a signed-rank test needs a flat list of finite differences")
    values = values[values != 0]
    if not len(values):
        return RankTest(0.0, 1.0, "signed-rank, no differences", 0)
    signed = np.sign(values) * midranks(np.abs(values))
    found = sign_flip_test(signed, alternative=alternative)
    how = "exact" if found.exact else f"{found.trials:,} random signs"
    return RankTest(float(signed[signed > 0].sum()), found.p, f"signed-rank, {how}", len(values))


def rank_sum(first: Array, second: Array, alternative: Alternative = "two-sided") -> RankTest:
    """Wilcoxon's rank-sum test (Mann and Whitney's U) of two samples."""
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if not len(a) or not len(b) or not (np.all(np.isfinite(a)) and np.all(np.isfinite(b))):
        raise InputError("a rank-sum test needs two lists of finite values, at least one each")
    ranks = midranks(np.concatenate([a, b]))
    u = float(ranks[: len(a)].sum()) - len(a) * (len(a) + 1) / 2
    total = len(a) + len(b)
    if total <= EXACT:
        below, above = _tails(np.rint(2 * ranks).astype(np.int64), len(a))
        how = "exact"
    else:
        below, above = _normal_tails(ranks, len(a), len(b), u)
        how = "normal approximation"
    p = {"less": below, "greater": above, "two-sided": min(1.0, 2 * min(below, above))}
    if alternative not in p:
        raise InputError(f"the alternative must be two-sided, greater or less; got {alternative!r}")
    return RankTest(u, p[alternative], f"rank-sum, {how}", total)


def midranks(values: Array) -> Array:
    """Ranks from 1, the mean rank for ties."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((last - (count - 1) / 2)[place], dtype=np.float64)


def _tails(doubled: NDArray[np.int64], size: int) -> tuple[float, float]:
    """P(sum ≤ observed) and P(sum ≥ observed) over all subsets of this size, by counting."""
    observed = int(doubled[:size].sum())
    table = np.zeros((size + 1, int(doubled.sum()) + 1))
    table[0, 0] = 1.0
    for rank in doubled:
        table[1:, rank:] += table[:-1, : table.shape[1] - rank].copy()
    ways = table[size]
    return float(ways[: observed + 1].sum() / ways.sum()), float(ways[observed:].sum() / ways.sum())


def _normal_tails(ranks: Array, m: int, n: int, u: float) -> tuple[float, float]:
    from scipy.special import ndtr

    total = m + n
    _, count = np.unique(ranks, return_counts=True)
    ties = float((count.astype(float) ** 3 - count).sum())
    variance = m * n / 12 * (total + 1 - ties / (total * (total - 1)))
    if variance <= 0:
        return 1.0, 1.0
    centred, spread = u - m * n / 2, math.sqrt(variance)
    return float(ndtr((centred + 0.5) / spread)), float(ndtr(-(centred - 0.5) / spread))
