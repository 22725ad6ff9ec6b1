"""Intervals that hold for all differences of a family at once, beside those that hold for one difference each.

Max-t (Westfall and Young 1993): of every draw of a bootstrap the largest deviation of any difference, in standard
errors; its quantile takes the place of the normal one. Draws are shared, so that differences which rise and fall
together are not paid for twice. Where draws are not shared, Bonferroni's quantile of Student's t.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nlgauge.arrays import Array

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
