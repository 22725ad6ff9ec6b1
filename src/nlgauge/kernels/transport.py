"""The earth mover's distance: the least work that turns one distribution of weights into another, exactly.

The kernel `transport` solves it; here weights may be any numbers from 0 up, and both sides are scaled to add up to 1.
"""

from __future__ import annotations

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.kernels import active


def emd(a: Array, b: Array, cost: Array) -> tuple[float, Array]:
    """The distance between weights `a` (n) and `b` (m) under `cost` (n, m), and the flow (n, m) that attains it.

    >>> emd(np.array([1.0, 1.0]), np.array([2.0]), np.array([[0.0], [3.0]]))[0]
    1.5
    """
    mine, theirs, costs = _checked(a), _checked(b), np.asarray(cost, dtype=np.float64)
    if costs.shape != (len(mine), len(theirs)) or not np.isfinite(costs).all():
        raise InputError(
            f"costs must be finite numbers in {len(mine)} rows and {len(theirs)} columns; got {costs.shape}"
        )
    return active().transport(costs, mine, theirs)


def _checked(weights: Array) -> Array:
    found = np.asarray(weights, dtype=np.float64)
    total = found.sum() if found.ndim == 1 else 0.0
    if found.ndim != 1 or not np.isfinite(total) or (found < 0).any() or total <= 0:
        raise InputError("weights to be moved must be numbers from 0 up, not all of them 0")
    scaled: Array = found / total
    return scaled
