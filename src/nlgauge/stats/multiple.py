"""Families of tests: p-values adjusted for the number of tests made, and simultaneous intervals.

Intervals that hold for all differences of a family at once, beside those that hold for one difference each.

Max-t (Westfall and Young 1993): of every draw of a bootstrap the largest deviation of any difference, in standard
errors; its quantile takes the place of the normal one. Draws are shared, so that differences which rise and fall
together are not paid for twice. Where draws are not shared, Bonferroni's quantile of Student's t.
"""

from __future__ import annotations

import math
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

    Args:
        p_values: of the family

    >>> from nlgauge.stats import holm
    >>> [round(float(p), 4) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    p, order = _sorted(p_values)
    steps = len(p) - np.arange(len(p))
    return _restored(np.minimum(np.maximum.accumulate(steps * p), 1.0), order)


def benjamini_hochberg(p_values: Sequence[float] | Array) -> Array:
    """Benjamini and Hochberg's step-up method (1995): bounds the expected share of false findings.

    The i-th smallest of m p-values is multiplied by m / i; none may exceed a larger one's.

    Args:
        p_values: of the family

    >>> from nlgauge.stats import benjamini_hochberg
    >>> [round(float(p), 4) for p in benjamini_hochberg([0.01, 0.04, 0.03])]
    [0.03, 0.04, 0.04]
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


Limits = tuple[float, float]
MAX_T, BONFERRONI = "bootstrap max-t", "Bonferroni"


def standard_error(drawn: Array, units: int) -> float:
    """The standard error that a bootstrap over so many units gives; draws vary by (units - 1) / units too little."""
    defined = drawn[np.isfinite(drawn)]
    if len(defined) < 2 or units < 2:
        return math.nan
    return float(defined.std(ddof=1)) * math.sqrt(units / (units - 1))


def max_t(estimates: Sequence[float], drawn: Array, units: int, level: float) -> list[Limits]:
    """Limits of all estimates; `drawn` is (draws, estimates), from one set of draws of the units."""
    spread = np.nanstd(drawn, axis=0, ddof=1)
    deviations = np.abs(drawn - np.nanmean(drawn, axis=0)) / np.where(spread > 0, spread, np.inf)
    largest = np.max(np.nan_to_num(deviations, nan=0.0), axis=1)
    reach = float(np.quantile(largest, level, method="higher"))
    errors = [standard_error(column, units) for column in drawn.T]
    return [(value - reach * error, value + reach * error) for value, error in zip(estimates, errors, strict=True)]


def bonferroni(value: float, error: float, units: int, *, comparisons: int, level: float) -> Limits:
    """Limits of one of so many estimates."""
    from scipy.special import stdtrit

    reach = float(stdtrit(units - 1, 1 - (1 - level) / (2 * comparisons))) * error if units > 1 else math.nan
    return value - reach, value + reach
