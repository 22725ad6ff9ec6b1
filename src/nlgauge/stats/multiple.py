"""p-values adjusted for the number of tests made."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError


def trials_for(comparisons: int, least: int) -> int:
    """Trials of a test by resampling that leave p-values room to be significant after Holm's correction.

    The smallest p is 1 / (trials + 1), and Holm's first factor is the number of comparisons: 40 trials for each bring
    the product to 0.025.
    """
    return max(least, 40 * comparisons)


def holm(p_values: Sequence[float] | Array) -> Array:
    """Holm's step-down method (1979): bounds the chance of even one false finding in the whole family.

    The i-th smallest of m p-values is multiplied by m - i + 1; none may fall below a smaller one's or
    exceed 1.
    """
    p, order = _sorted(p_values)
    steps = len(p) - np.arange(len(p))
    return _restored(np.minimum(np.maximum.accumulate(steps * p), 1.0), order)


def benjamini_hochberg(p_values: Sequence[float] | Array) -> Array:
    """Benjamini and Hochberg's step-up method (1995): bounds the expected share of false findings.

    The i-th smallest of m p-values is multiplied by m / i; none may exceed a larger one's.
    """
    p, order = _sorted(p_values)
    steps = len(p) / np.arange(1, len(p) + 1)
    return _restored(np.minimum(np.minimum.accumulate((steps * p)[::-1])[::-1], 1.0), order)


def benjamini_yekutieli(p_values: Sequence[float] | Array) -> Array:
    """Benjamini and Yekutieli's step-up method (2001): the same bound whatever the dependence of the tests.

    Benjamini and Hochberg's p-values, each multiplied by 1 + 1/2 + … + 1/m.
    """
    found = benjamini_hochberg(p_values)
    return np.minimum(found * float(np.sum(1.0 / np.arange(1, len(found) + 1))), 1.0)


def _sorted(p_values: Sequence[float] | Array) -> tuple[Array, NDArray[np.intp]]:
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1:
        raise InputError(f"p-values must be a flat list; got an array of {p.ndim} dimensions")
    if not np.all((p >= 0) & (p <= 1)):
        bad = p[~((p >= 0) & (p <= 1))][0]
        raise InputError(f"a p-value must lie between 0 and 1; got {bad}")
    order = np.argsort(p, kind="stable")
    return p[order], order


def _restored(adjusted: Array, order: NDArray[np.intp]) -> Array:
    result = np.empty_like(adjusted)
    result[order] = adjusted
    return result
