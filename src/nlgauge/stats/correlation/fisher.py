"""Approximate intervals by Fisher's z, the inverse hyperbolic tangent of a correlation.

Its standard error is 1/sqrt(n - 3) for Pearson (exact only in the limit, and for normal scores),
sqrt((1 + r^2/2)/(n - 3)) for Spearman (Bonett and Wright 2000) and sqrt(0.437/(n - 4)) for Kendall (Fieller, Hartley
and Pearson 1957). All suppose n independent points: outputs that share items or systems are not.
"""

from __future__ import annotations

import dataclasses
import math

from nlgauge.errors import InputError
from nlgauge.stats.correlation.levels import Correlation

ROUNDING = 1e-12  # a correlation this near to 1 is 1


def fisher_interval(result: Correlation, confidence: float = 0.95) -> Correlation:
    """The result with approximate limits; refuses what has no such formula."""
    from scipy import stats

    errors = {
        "pearson": lambda r, n: math.sqrt(1 / (n - 3)),
        "spearman": lambda r, n: math.sqrt((1 + r * r / 2) / (n - 3)),
        "kendall-b": lambda r, n: math.sqrt(0.437 / (n - 4)),
    }
    if result.statistic not in errors or result.average != "none":
        raise InputError(
            "Fisher's interval is for one Pearson, Spearman or Kendall tau-b correlation; "
            "use the bootstrap for averages and pairwise accuracies"
        )
    if not result.defined:
        return result
    if result.n < 5:
        raise InputError(f"Fisher's interval needs at least 5 points; got {result.n}")
    if abs(result.estimate) >= 1 - ROUNDING:
        note = f"no interval: Fisher's z is not defined at a correlation of {result.estimate:.0f}"
        return dataclasses.replace(result, confidence=confidence, notes=(*result.notes, note))
    z = math.atanh(result.estimate)
    width = float(stats.norm.ppf((1 + confidence) / 2)) * errors[result.statistic](result.estimate, result.n)
    low, high = math.tanh(z - width), math.tanh(z + width)
    return dataclasses.replace(
        result,
        low=low,
        high=high,
        confidence=confidence,
        method="Fisher's z, approximate: supposes independent outputs",
    )
