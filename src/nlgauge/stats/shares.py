"""Shares of separate samples put together: limits of a weighted sum, such as a mean or a difference, from theirs.

Each share has Clopper and Pearson's exact limits; the sum's are recovered from them by variance estimates (MOVER: Zou,
Huang and Zhang 2009, of which Newcombe's interval of a difference is a case). Unlike those of a bootstrap they have a
width where all of a sample, or none, is counted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from nlgauge.errors import InputError
from nlgauge.stats.discrimination.limits import limits

Limits = tuple[float, float]


def share_limits(counted: int, n: int, level: float = 0.95) -> Limits:
    """Exact limits of a share."""
    if not 0 <= counted <= n or n < 1:
        raise InputError(f"{counted} of {n} is no share")
    return limits(counted, n, tail=(1 - level) / 2)


def sum_limits(shares: Sequence[float], each: Sequence[Limits], weights: Sequence[float]) -> Limits:
    """Limits of the weighted sum of independent shares, from the limits of each."""
    below = above = total = 0.0
    for share, (low, high), weight in zip(shares, each, weights, strict=True):
        ends = sorted((weight * low, weight * high))
        total += weight * share
        below += (weight * share - ends[0]) ** 2
        above += (ends[1] - weight * share) ** 2
    return total - math.sqrt(below), total + math.sqrt(above)
