"""What the coefficients return, and how their limits are named."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from nlgauge.stats.results import Estimate

Method = Literal["analytic", "jackknife", "bootstrap", "none"]


@dataclass(frozen=True)
class Coefficient(Estimate):
    """A coefficient of agreement with its interval; `n` counts the items it rests on.

    `observed` and `expected` are the agreement seen and the agreement due to chance (disagreements for
    Krippendorff's alpha), `error` the standard error, `statistic` and `p` the test that the coefficient is 0 with
    degrees of freedom `df`; NaN where a coefficient has none.
    """

    judges: int = 0
    observed: float = math.nan
    expected: float = math.nan
    error: float = math.nan
    statistic: float = math.nan
    df: tuple[float, ...] = ()
    p: float = math.nan
