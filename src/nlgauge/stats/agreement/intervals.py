"""Limits of the coefficients: by linearisation, by leaving groups of items out, or by the bootstrap over items.

Items are the sample in all three: judges are taken as given, so that a limit says how far the coefficient could be off
with these judges and other items. Linearised standard errors (Gwet 2008, 2014; those of irrCAC) go with Student's t.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.options import DEFAULT_SEED
from nlgauge.stats.limits import check_level, one_sided
from nlgauge.stats.resample import bootstrap
from nlgauge.stats.results import Estimate
from nlgauge.stats.sampled import Score

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


FEWEST = 100  # draws of a bootstrap: fewer leave its limits to luck
GROUPS = 100  # groups of items the jackknife leaves out in turn; with fewer items, each is a group
LEAST = -1.0  # of a coefficient whose chance agreement comes from the ratings: two judges, two values, always opposed
FEW = 30  # items below which a note warns of every interval

HELD = (
    "those of 20 simulated items held the true value in 90 to 96 % of samples (nominally 95 %), in 86 % where one "
    "category was four times as frequent as the other"
)


@dataclass(frozen=True)
class Limits:
    """How confidence limits are found.

    Args:
        method: analytic (the coefficient's own formula, or the jackknife where it has none), jackknife, bootstrap, none
        level: the confidence level
        trials: draws of the bootstrap
        seed: of the bootstrap's draws, and of the jackknife's groups of items
    """

    method: Method = "analytic"
    level: float = 0.95
    trials: int = 1000
    seed: int = DEFAULT_SEED

    def __post_init__(self) -> None:
        if self.method not in ("analytic", "jackknife", "bootstrap", "none"):
            raise InputError(f"the interval must be analytic, jackknife, bootstrap or none; got {self.method!r}")
        for name in ("trials", "seed"):
            if not isinstance(getattr(self, name), int | np.integer):
                raise InputError(f"{name} must be a whole number, not {getattr(self, name)!r}")
        check_level(self.level)
        if not 1 <= self.trials <= 1_000_000:
            raise InputError(f"the number of trials must lie between 1 and 1,000,000; got {self.trials}")
        if self.method == "bootstrap" and self.trials < FEWEST:
            raise InputError(f"a bootstrap interval needs at least {FEWEST} draws; got {self.trials}")
        if not 0 <= self.seed < 2**63:
            raise InputError(f"the seed must be a whole number from 0 to 2^63 - 1; got {self.seed}")


ANALYTIC = Limits()


def quantile_t(probability: float, df: float) -> float:
    """Of Student's distribution."""
    from scipy.special import stdtrit

    return float(stdtrit(df, probability))


def p_from_t(statistic: float, df: float) -> float:
    """Two-sided."""
    from scipy.special import stdtr

    return float(2 * stdtr(df, -abs(statistic)))


def linearised(
    estimate: float,
    influence: Array,
    limits: Limits,
    *,
    unanimous: float = math.nan,
    expected: float = math.nan,
) -> dict[str, Any]:
    """Standard error, t limits and test from each item's influence (their mean is the estimate).

    Where no item has any disagreement the standard error is 0 and the formula would claim certainty. Then the lower
    limit rests on `unanimous`, the number of items without disagreement: the exact binomial limit for their share is
    a lower limit for the observed agreement, and chance agreement is held at `expected`.
    """
    n = len(influence)
    if n < 2:
        return {"method": "none", "notes": ("one item gives no interval",)}
    error = float(np.sqrt(np.sum((influence - estimate) ** 2) / (n * (n - 1))))
    if error <= 1e-12:
        if estimate < 1 - 1e-12 or math.isnan(unanimous):
            note = "all items show the same agreement, so the data say nothing about its spread"
            return {"method": "none", "notes": (note,), "error": 0.0}
        share = (1 - limits.level) ** (1 / unanimous)
        low = (share - expected) / (1 - expected) if not math.isnan(expected) else share
        return {
            "low": low,
            "high": 1.0,
            "method": "exact limit for the share of unanimous items",
            "notes": ("no disagreement was seen; the lower limit is one-sided",),
            "error": 0.0,
        }
    reach = quantile_t(0.5 + limits.level / 2, n - 1) * error
    return {
        "low": estimate - reach,
        "high": estimate + reach,
        "method": "linearised variance over items, t",
        "error": error,
        "statistic": estimate / error,
        "df": (n - 1.0,),
        "p": p_from_t(estimate / error, n - 1),
    }


def drawn(rows: Array, score: Score, limits: Limits) -> dict[str, Any]:
    """Percentile limits from draws of whole items, for a score of sums over items."""
    if len(rows) < 2:
        return {"method": "none", "notes": ("one item gives no interval",)}
    found = bootstrap(rows, score, trials=limits.trials, seed=limits.seed, level=limits.level)
    return {
        "low": found.low,
        "high": found.high,
        "method": f"percentile bootstrap over items, {limits.trials:,} draws",
        "notes": found.notes,
    }


def resampled(statistic: Callable[[Any], float], items: int, limits: Limits) -> dict[str, Any]:
    """Percentile limits for any statistic of a selection of items (positions, with repeats)."""
    if items < 2:
        return {"method": "none", "notes": ("one item gives no interval",)}
    generator = np.random.default_rng(limits.seed)
    values = np.array([statistic(generator.integers(items, size=items)) for _ in range(limits.trials)])
    defined = np.sort(values[np.isfinite(values)])
    if not len(defined):
        return {"method": "none", "notes": ("no draw of items gives a defined value",)}
    outside = int(len(defined) * (1 - limits.level) / 2 + 1e-9)
    lost = len(values) - len(defined)
    return {
        "low": float(defined[outside]),
        "high": float(defined[-1 - outside]),
        "method": f"percentile bootstrap over items, {limits.trials:,} draws",
        "notes": (f"{lost:,} draws have no defined value and are left out",) if lost else (),
    }


def left_out(
    statistic: Callable[[Any], float],
    items: int,
    limits: Limits,
    *,
    forward: Callable[[float], float] = lambda value: value,
    back: Callable[[float], float] = lambda value: value,
) -> dict[str, Any]:
    """Jackknife limits: the statistic without each item (or each of 100 groups), on the scale of `forward`.

    Groups are drawn at random by the seed: any rule by position could fall in with the order of a file (five systems in
    turn, say) and put like with like, which widens the limits.
    """
    groups = min(items, GROUPS)
    if items < 3:
        return {"method": "none", "notes": ("fewer than three items give no interval",)}
    place = np.arange(items)
    member = place % groups
    if groups < items:
        np.random.default_rng(limits.seed).shuffle(member)
    whole = forward(statistic(place))
    parts = np.array([forward(statistic(place[member != group])) for group in range(groups)])
    if not (math.isfinite(whole) and np.all(np.isfinite(parts))):
        note = "at an end of its range, or undefined, with or without some items: the jackknife gives no interval"
        return {"method": "none", "notes": (note,)}
    error = float(np.sqrt((groups - 1) / groups * np.sum((parts - parts.mean()) ** 2)))
    reach = quantile_t(0.5 + limits.level / 2, groups - 1) * error
    return {
        "low": back(whole - reach),
        "high": back(whole + reach),
        "method": "jackknife over items" if groups == items else f"jackknife over {groups} groups of items",
    }


def with_limits(coefficient: Coefficient, found: dict[str, Any], least: float = -math.inf) -> Coefficient:
    """The coefficient with the limits found, cut at `least` and 1 (what it can be), and the remarks on them."""
    from dataclasses import replace

    found = _without_empty_limits(found)
    if "low" in found:  # an estimate beyond its range stays within its limits
        found["low"] = max(found["low"], min(least, coefficient.estimate))
        found["high"] = min(found["high"], max(1.0, coefficient.estimate))
    notes = (*coefficient.notes, *found.pop("notes", ()))
    if "low" in found:
        notes = tuple(dict.fromkeys((*notes, *one_sided(coefficient.estimate, found["low"], found["high"]))))
    if coefficient.n < FEW and found.get("method", "none") != "none":
        notes = (*notes, f"with fewer than {FEW} items the limits are rough: {HELD}")
    return replace(coefficient, **found, notes=notes)


def limited(
    coefficient: Coefficient,
    limits: Limits,
    analytic: Callable[[], dict[str, Any]],
    resampling: Callable[[], tuple[Array, Score]],
    least: float = -math.inf,
) -> Coefficient:
    """With the limits asked for; `resampling` gives rows that add up over items, and the score of their sums."""
    if limits.method == "none":
        return coefficient
    if limits.method == "analytic":
        return with_limits(coefficient, analytic(), least)
    rows, score = resampling()
    if limits.method == "bootstrap":
        return with_limits(coefficient, drawn(rows, score, limits), least)
    found = left_out(lambda kept: float(score(rows[kept].sum(axis=0))), len(rows), limits)
    return with_limits(coefficient, found, least)


def _without_empty_limits(found: dict[str, Any]) -> dict[str, Any]:
    """Limits that coincide claim a certainty no sample gives, and infinite ones say nothing: a note instead."""
    if "low" not in found:
        return found
    low, high = found["low"], found["high"]
    if math.isfinite(low) and math.isfinite(high) and high - low > 1e-12 * max(1.0, abs(low)):
        return found
    why = "coincide" if math.isfinite(low) and math.isfinite(high) else "are not finite"
    note = f"no interval: its limits {why} ({found['method']})"
    kept = {key: value for key, value in found.items() if key not in ("low", "high")}
    return kept | {"method": "none", "notes": (*found.get("notes", ()), note)}
