"""What a mixed model returns: effects with limits and tests, variance components, and pairs of systems."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.results import Result
from nlgauge.stats.multiple import holm
from nlgauge.stats.results import Estimate
from nlgauge.wording.numbers import p_words

Adjust = Literal["holm", "tukey", "none"]
ADJUSTMENTS: dict[str, str] = {
    "holm": "Holm's method",
    "tukey": "Tukey and Kramer's method",
    "none": "no adjustment",
}
SATTERTHWAITE = "Satterthwaite's degrees of freedom"
UNFINISHED = "the model did not converge: its figures are not the best fit, and are not to be reported"


def at_zero(name: str) -> str:
    """That a variance component is estimated as 0."""
    return f"the variance of {name} is estimated as 0"


@dataclass(frozen=True)
class Effect(Estimate):
    """An estimate with its standard error, degrees of freedom (infinite: normal), test of 0 and p-values.

    `p_adjusted` is NaN where there is no family of tests.
    """

    error: float = math.nan
    df: float = math.inf
    statistic: float = math.nan
    p: float = math.nan
    p_adjusted: float = math.nan

    def __str__(self) -> str:
        if not math.isfinite(self.statistic):
            return super().__str__()
        letter = "z" if math.isinf(self.df) else f"t({self.df:.1f})"
        family = "" if math.isnan(self.p_adjusted) else f", adjusted {p_words(self.p_adjusted)}"
        return f"{super().__str__()}; {letter} = {self.statistic:.2f}, {p_words(self.p)}{family}"


@dataclass(frozen=True)
class Component(Jsonable):
    """A variance component: of the judges, items, their slopes, or (linear model) of the residual.

    `estimate` is the variance; `low` and `high` are its Wald limits on the logarithmic scale, NaN where it is
    estimated as 0. `share` is its share of the total variance.
    """

    KEYS = "..., deviation"

    name: str
    estimate: float
    low: float
    high: float
    level: float
    levels: int
    share: float

    @property
    def deviation(self) -> float:
        """The standard deviation."""
        return math.sqrt(self.estimate)

    def __str__(self) -> str:
        return f"{self.name}: standard deviation {self.deviation:.4g}, {100 * self.share:.0f} % of the variance"


@dataclass(frozen=True)
class Mode:
    """The predicted effect of one level (a judge's lenience, an item's ease) with its conditional error."""

    name: str
    value: float
    error: float


@dataclass(frozen=True)
class Joint(Result):
    """A test that several effects are 0, or that two models fit alike."""

    statistic: float
    df: tuple[float, ...]
    p: float
    method: str

    def __str__(self) -> str:
        letter = "F" if len(self.df) == 2 else "χ²"
        degrees = ", ".join(f"{df:.4g}" for df in self.df)
        return f"{letter}({degrees}) = {self.statistic:.2f}, {p_words(self.p)} ({self.method})"


def effect(
    name: str,
    vector: Array,
    beta: Array,
    covariance: Array,
    df: float,
    *,
    level: float,
    n: int,
    tested: bool = True,
    degrees: str = SATTERTHWAITE,
) -> Effect:
    """A linear combination of the fixed effects with Wald's limits."""
    value = float(vector @ beta)
    error = math.sqrt(max(float(vector @ covariance @ vector), 0.0))
    quantile = t_quantile(0.5 + level / 2, df)
    statistic = value / error if error > 0 else math.nan
    method = "Wald, normal" if math.isinf(df) else f"Wald, {degrees}"
    low, high = value - quantile * error, value + quantile * error
    test = (statistic, t_p(statistic, df)) if tested else (math.nan, math.nan)
    return Effect(value, low, high, level, method, n, name=name, error=error, df=df, statistic=test[0], p=test[1])


def variance_component(
    name: str, variance: float, error: float, total: float, *, level: float, levels: int
) -> Component:
    """A component whose logarithm has this standard error, among a total; limits only where it is above 0."""
    low = high = math.nan
    if variance > 0:
        margin = t_quantile(0.5 + level / 2, math.inf) * error
        low, high = (variance * math.exp(min(sign * margin, 700.0)) for sign in (-1, 1))
    return Component(name, variance, low, high, level, levels, share=variance / total)


def adjusted(effects: Sequence[Effect], adjust: Adjust, groups: int) -> tuple[Effect, ...]:
    """The effects (differences of all pairs of `groups` systems) with p-values for the family.

    Tukey and Kramer's also widens the limits, so that all hold together.
    """
    if adjust not in ADJUSTMENTS:
        raise InputError(f"the adjustment must be one of {', '.join(ADJUSTMENTS)}; got {adjust!r}")
    if adjust == "none":
        return tuple(effects)
    defined = [k for k, effect in enumerate(effects) if math.isfinite(effect.p)]
    values = np.full(len(effects), math.nan)
    if adjust == "holm":
        values[defined] = holm([effects[k].p for k in defined])
        return tuple(
            dataclasses.replace(effect, p_adjusted=float(p)) for effect, p in zip(effects, values, strict=True)
        )
    from scipy.stats import studentized_range

    out = []
    for row in effects:
        root = math.sqrt(2.0)
        p = float(studentized_range.sf(abs(row.statistic) * root, groups, row.df)) if math.isfinite(row.p) else math.nan
        critical = float(studentized_range.ppf(row.level, groups, row.df)) / root
        out.append(
            dataclasses.replace(
                row,
                p_adjusted=min(1.0, max(p, row.p)),  # the quadrature may fall a hair below for two systems
                low=row.estimate - critical * row.error,
                high=row.estimate + critical * row.error,
                method=f"{row.method}; simultaneous by {ADJUSTMENTS['tukey']}",
            )
        )
    return tuple(out)


def t_quantile(probability: float, df: float) -> float:
    """Of Student's distribution, or the normal for infinite degrees of freedom."""
    from scipy.special import ndtri, stdtrit

    return float(ndtri(probability)) if math.isinf(df) else float(stdtrit(df, probability))


def t_p(statistic: float, df: float) -> float:
    """Two-sided."""
    from scipy.special import ndtr, stdtr

    if math.isnan(statistic):
        return math.nan
    return float(2 * (ndtr(-abs(statistic)) if math.isinf(df) else stdtr(df, -abs(statistic))))
