"""From bootstrap draws to the two limits of an interval: percentile, or bias-corrected and accelerated (BCa).

BCa (Efron 1987; Efron and Tibshirani 1993, chapter 14) reads the limits off the same draws at levels moved by two
numbers: z0, from the share of draws below the estimate, and a, from the skewness of the leave-one-out values. With
z0 = a = 0 the levels are those of the percentile interval. Levels equal `scipy.stats.bootstrap`'s for the same draws
(a draw equal to the estimate counts half); the limits too, by linear interpolation between draws.

What is left out is the unit that was drawn: a segment, or a whole cluster. The percentile limits are order statistics
at sacreBLEU's positions, not interpolated, so that they can be compared with its output digit by digit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError

Kind = Literal["percentile", "bca"]
KINDS: dict[str, str] = {"percentile": "percentile bootstrap", "bca": "BCa bootstrap"}

LEAST_DRAWS = 100  # below this the limits of a 95 % interval are the outermost draws or close to them

_NORMAL = NormalDist()


@dataclass(frozen=True)
class BcaLevels:
    """Where the BCa limits lie among the draws, and why: the correction for bias and the acceleration."""

    low: float
    high: float
    bias_correction: float
    acceleration: float


def check_level(level: object, name: str = "level") -> None:
    """Refuse a level of confidence outside (0, 1); `name` is what it is called."""
    if not isinstance(level, int | float | np.floating) or not 0 < level < 1:
        raise InputError(f"the {name} must lie between 0 and 1, for instance 0.95; got {level}")


def check_draws(trials: int, level: float, seed: int) -> None:
    """Refuse what no resampling can be done with, before anything is computed."""
    if not isinstance(trials, int) or isinstance(trials, bool) or not isinstance(level, int | float):
        raise InputError(f"trials must be a whole number and level a number such as 0.95; got {trials!r} and {level!r}")
    if not 1 <= trials <= 10_000_000:
        raise InputError(f"the number of trials must lie between 1 and 10,000,000; got {trials}")
    if not 0 < level < 1:
        raise InputError(f"the confidence level must lie between 0 and 1, such as 0.95; got {level}")
    if not (isinstance(seed, int) and 0 <= seed < 2**63):
        raise InputError(f"the seed must be a whole number from 0 to 2^63 - 1; got {seed}")


def check_interval_draws(draws: int) -> None:
    """Refuse draws too few for limits in the tails."""
    if draws < LEAST_DRAWS:
        raise InputError(f"an interval needs at least {LEAST_DRAWS} draws; got {draws}")


def check_kind(kind: str) -> None:
    """Refuse an interval that is not one of `KINDS`."""
    if kind not in KINDS:
        raise InputError(f"the interval must be {' or '.join(KINDS)}; got {kind!r}")


def percentile_limits(drawn: Array, level: float, name: str = "the system") -> tuple[float, float]:
    """The bounds at sacreBLEU's positions: for 95 %, trials // 40 from either end of the sorted draws."""
    ordered = np.sort(_defined(drawn, name))
    # The small addition undoes the rounding of 1 - level: (1 - 0.9) / 2 * 1000 must give 50, not 49.
    outside = int(len(ordered) * (1 - level) / 2 + 1e-9)
    return float(ordered[outside]), float(ordered[len(ordered) - 1 - outside])


def one_sided(estimate: float, low: float, high: float) -> tuple[str, ...]:
    """A note where an interval leaves its own estimate out, as percentiles of biased draws can."""
    slack = 1e-9 * max(abs(estimate), abs(low), abs(high))
    if not low - slack > estimate and not high + slack < estimate:
        return ()
    return ("the interval leaves its own estimate out, because the bootstrap draws are biased; do not report it",)


def bca_limits(
    drawn: Array, estimate: float, left_out: Array, level: float, name: str = "the system"
) -> tuple[float, float, tuple[str, ...]]:
    """The BCa bounds and what the reader must know about them."""
    values = _defined(drawn, name)
    levels = bca_levels(values, estimate, left_out, level, name)
    low, high = np.quantile(values, [levels.low, levels.high])
    notes = []
    if min(levels.low, 1 - levels.high) * len(values) < 1 and float(np.ptp(values)) > 0:
        notes.append("a BCa limit lies beyond the outermost draw: use more draws, or the percentile interval")
    return float(low), float(high), tuple(notes)


def bca_levels(drawn: Array, estimate: float, left_out: Array, level: float, name: str = "the system") -> BcaLevels:
    """The levels at which the limits are read off the draws.

    `left_out` holds the score without each unit in turn. Where all of its values are equal, there is no skewness to
    correct and a = 0.
    """
    if not np.all(np.isfinite(left_out)):
        raise InputError(
            f"the score of {name} is undefined without one of the units drawn, so no BCa interval can be given; "
            "use the percentile interval"
        )
    # Rounding must not decide on which side of the estimate a draw lies.
    near = 1e-11 * max(abs(estimate), float(np.ptp(drawn)))
    below = np.count_nonzero(drawn < estimate - near)
    equal = np.count_nonzero(np.abs(drawn - estimate) <= near)
    share = (below + equal / 2) / len(drawn)
    if not 0 < share < 1:
        raise InputError(
            f"every draw of {name} lies on one side of the estimate, so no BCa interval can be given; use the "
            "percentile interval"
        )
    shift = _NORMAL.inv_cdf(share)
    acceleration = skewness(left_out) / 6
    low, high = (
        _moved_level(shift, acceleration, _NORMAL.inv_cdf(tail)) for tail in ((1 - level) / 2, (1 + level) / 2)
    )
    return BcaLevels(low, high, shift, acceleration)


def skewness(left_out: Array) -> float:
    """The skewness of the estimate that the jackknife gives: six times the acceleration."""
    deviations = left_out.mean() - left_out
    scale = float(np.abs(deviations).max(initial=0.0))
    if scale <= 1e-13 * float(np.abs(left_out).max(initial=0.0)):
        return 0.0
    deviations = deviations / scale  # cubes of small numbers would underflow
    return float(np.sum(deviations**3) / np.sum(deviations**2) ** 1.5)


def _moved_level(shift: float, acceleration: float, quantile: float) -> float:
    sum_ = shift + quantile
    stretch = 1 - acceleration * sum_
    if stretch <= 0:  # so skewed that the formula has passed its pole: the outermost draw
        return 1.0 if sum_ > 0 else 0.0
    return _NORMAL.cdf(shift + sum_ / stretch)


def _defined(drawn: Array, name: str) -> Array:
    values = drawn[np.isfinite(drawn)]
    if len(values) == 0:
        raise InputError(f"the score of {name} is undefined in every draw, so no interval can be given")
    return values


def normal_quantile(level: float) -> float:
    """z such that a normal interval estimate ± z · error has this level."""
    check_level(level)
    value = _NORMAL.inv_cdf(0.5 + level / 2)
    return value if math.isfinite(value) else math.inf
