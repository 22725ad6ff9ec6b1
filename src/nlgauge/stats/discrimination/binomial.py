"""Exact binomial tails and critical counts, for one number of judges or an array of them.

Tails are regularised incomplete beta functions, which keep their relative accuracy far out and at a million
judges; critical counts are found by bisection, because the tails are monotone in the count.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array

Counts = NDArray[np.int64]

# A tail that equals the risk up to rounding is within it: tails of 2-AFC are powers of a half, as risks can be.
_SLACK = 1 + 1e-12


def at_least(count: Any, n: Any, p: float) -> Array:
    """P(X ≥ count) for X binomial."""
    from scipy.special import betainc

    c, size = np.asarray(count, dtype=np.float64), np.asarray(n, dtype=np.float64)
    inner = np.clip(c, 1, np.maximum(size, 1))
    tail = betainc(inner, size - inner + 1, p)
    return np.asarray(np.where(c <= 0, 1.0, np.where(c > size, 0.0, tail)))


def at_most(count: Any, n: Any, p: float) -> Array:
    """P(X ≤ count) for X binomial."""
    from scipy.special import betaincc

    x, size = np.asarray(count, dtype=np.float64), np.asarray(n, dtype=np.float64)
    inner = np.clip(x, 0, np.maximum(size - 1, 0))
    tail = betaincc(inner + 1, np.maximum(size - inner, 1), p)
    return np.asarray(np.where(x < 0, 0.0, np.where(x >= size, 1.0, tail)))


def within(tail: Any, risk: float) -> Any:
    """Whether a tail is no larger than a risk."""
    return tail <= risk * _SLACK


def lowest_rejecting(n: Any, risk: float, p: float) -> Counts:
    """The smallest c with P(X ≥ c) ≤ risk; n + 1 where even n correct answers would not do."""
    size = np.asarray(n, dtype=np.int64)
    centre = size * p + _normal_quantile(risk) * np.sqrt(size * p * (1 - p))
    return _smallest(size, centre, lambda count: within(at_least(count, size, p), risk))


def highest_accepting(n: Any, risk: float, p: float) -> Counts:
    """The largest x with P(X ≤ x) ≤ risk; −1 where even 0 correct answers would not do."""
    size = np.asarray(n, dtype=np.int64)
    centre = size * (1 - p) + _normal_quantile(risk) * np.sqrt(size * p * (1 - p))
    wrong = _smallest(size, centre, lambda count: within(at_most(size - count, size, p), risk))
    return np.asarray(size - wrong, dtype=np.int64)


def _smallest(size: Counts, centre: Array, holds: Callable[[Counts], Any]) -> Counts:
    """The smallest count in 0 … n + 1 that holds, where 0 does not and n + 1 does; `centre` is a guess."""
    start = np.floor(centre).astype(np.int64)
    low, high = np.clip(start - 4, 0, size), np.clip(start + 5, 1, size + 1)
    low = np.where(holds(low), 0, low)
    high = np.where(holds(high), high, size + 1)
    while np.any(high - low > 1):
        middle = (low + high) // 2
        good = holds(middle)
        high = np.where(good, middle, high)
        low = np.where(good, low, middle)
    return np.asarray(high, dtype=np.int64)


def deciding(goal: str, n: int, risk: float, p: float) -> int | None:
    """The count that decides: least correct answers for a difference, most for similarity; None where none does."""
    found = int((lowest_rejecting if goal == "difference" else highest_accepting)(n, risk, p))
    return found if 0 <= found <= n else None


def reached(goal: str, count: int, n: int, p: float) -> float:
    """The chance of so many correct answers or more (difference), or of no more (similarity)."""
    return float(at_least(count, n, p) if goal == "difference" else at_most(count, n, p))


def turn(outside: int, inside: int, holds: Callable[[int], bool]) -> int:
    """By halving: of the numbers from one that holds towards one that does not, the last that holds."""
    while abs(inside - outside) > 1:
        middle = (inside + outside) // 2
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside


def log_likelihood(correct: float, n: float, p: float) -> float:
    """Of p, without the binomial coefficient; 0 · log 0 is 0."""
    from scipy.special import xlog1py, xlogy

    return float(xlogy(correct, p) + xlog1py(n - correct, -p))


def _normal_quantile(risk: float) -> float:
    from scipy.special import ndtri

    return -float(ndtri(risk)) if 0 < risk < 1 else math.copysign(40.0, 0.5 - risk)
