"""A mean of people's verdicts from few of them and a machine's on many (Angelopoulos et al. 2023).

    estimate = mean(y) + λ (mean of the machine's others − mean of the machine's where people judged too)

With λ = 1 the machine's mean is corrected by what it got wrong (prediction-powered inference); λ tuned to the least
variance is PPI++ and never much worse than people alone:

    λ = cov(y, f) / ((1 + n/N) var(f))        variance = var(y − λ f) / n + λ² var(f of the others) / N

Verdicts of one item are taken together where items are named. Limits use Student's t. Control
variates (`control_variates`) fit the slope by least squares and count the judged items among all; the two agree as n
and N grow. The items that people judged must be a random sample of all.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats.limits import check_level
from nlgauge.stats.results import of_level, rounded

LEAST = 5  # judged items below which no variance is worth anything


@dataclass(frozen=True)
class PredictionPowered(Jsonable):
    """A mean of people helped by a machine; `plain` is that of people alone, `machine` that of the machine alone."""

    estimate: float
    low: float
    high: float
    level: float
    weight: float  # λ
    n: int  # items that people judged
    total: int  # items that the machine alone judged
    standard_error: float
    plain: float
    plain_low: float
    plain_high: float
    machine: float
    efficiency: float  # variance of people alone over that of the estimate
    name: str = "the mean"

    def __str__(self) -> str:
        estimate, low, high, plain = rounded((self.estimate, self.low, self.high, self.plain), self.high - self.low)
        return (
            f"{self.name} {estimate} ({of_level(self.level)} interval {low} to {high}; {self.n:,} items judged by "
            f"people, {self.total:,} more by the machine; people alone {plain}; {self.n:,} items do the work of "
            f"{self.n * self.efficiency:.0f})"
        )


def prediction_powered(
    judged: Sequence[float] | Array,
    machine: Sequence[float] | Array,
    others: Sequence[float] | Array,
    *,
    items: Sequence[Hashable] | None = None,
    other_items: Sequence[Hashable] | None = None,
    tuned: bool = True,
    level: float = 0.95,
    name: str = "the mean",
) -> PredictionPowered:
    """The mean of people's verdicts: `judged` by people, `machine` on the same, and the machine's on `others`."""
    check_level(level)
    y, f = _numbers(judged, "people's verdicts"), _numbers(machine, "the machine's verdicts on the same")
    g = _numbers(others, "the machine's other verdicts")
    if len(y) != len(f):
        raise InputError(f"people and the machine must have judged the same: got {len(y):,} and {len(f):,} verdicts")
    y, f = (_by_item(values, items) for values in (y, f))
    g = _by_item(g, other_items)
    n, total = len(y), len(g)
    if n < LEAST or total < LEAST:
        raise InputError(
            f"at least {LEAST} items judged by people, and as many others, are needed; got {n} and {total}"
        )
    weight = _weight(y, f, g) if tuned else 1.0
    variance = float(np.var(y - weight * f, ddof=1) / n + weight**2 * np.var(g, ddof=1) / total)
    plain_variance = float(np.var(y, ddof=1) / n)
    reach = float(t.ppf((1 + level) / 2, n - 1))
    plain, estimate = float(y.mean()), float(y.mean() + weight * (g.mean() - f.mean()))
    error, plain_error = math.sqrt(variance), math.sqrt(plain_variance)
    return PredictionPowered(
        estimate=estimate,
        low=estimate - reach * error,
        high=estimate + reach * error,
        level=level,
        weight=weight,
        n=n,
        total=total,
        standard_error=error,
        plain=plain,
        plain_low=plain - reach * plain_error,
        plain_high=plain + reach * plain_error,
        machine=float(np.concatenate([f, g]).mean()),
        efficiency=plain_variance / variance if variance else 1.0,
        name=name,
    )


def _weight(y: Array, f: Array, g: Array) -> float:
    """λ of least variance, from 0 (the machine does not help) to 1."""
    spread = float(np.var(np.concatenate([f, g]), ddof=1))
    if not spread:
        return 0.0
    covariance = float(np.cov(y, f, ddof=1)[0, 1])
    return min(1.0, max(0.0, covariance / ((1 + len(y) / len(g)) * spread)))


def _numbers(values: Sequence[float] | Array, what: str) -> Array:
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 1 or not np.isfinite(found).all():
        raise InputError(f"{what} must be a list of finite numbers")
    return found


def _by_item(values: Array, items: Sequence[Hashable] | None) -> Array:
    """One number for each item, the mean of its verdicts."""
    if items is None:
        return values
    if len(items) != len(values):
        raise InputError(f"each verdict needs its item: got {len(values):,} verdicts and {len(items):,} items")
    places: dict[Hashable, list[int]] = {}
    for place, item in enumerate(items):
        places.setdefault(item, []).append(place)
    return np.array([values[some].mean() for some in places.values()])
