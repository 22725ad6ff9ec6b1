"""p_c, p_d and d′ of a discrimination test, with limits (R's sensR: discrim and rescale).

The limits of p_d and d′ are those of p_c carried through the protocol: all three say the same thing on three
scales. What lies below guessing is set to guessing, as people cannot perceive less than nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from nlgauge.errors import InputError
from nlgauge.results import Result
from nlgauge.stats.discrimination import checks
from nlgauge.stats.discrimination.limits import SIDES, limits
from nlgauge.stats.discrimination.protocols import Protocol, find
from nlgauge.stats.results import Estimate

PROFILE = "profile-likelihood limits"
_TITLES = {
    "exact": "exact (Clopper-Pearson) limits",
    "likelihood": PROFILE,
    "score": "score limits with continuity correction",
    "wald": "Wald limits",
    "normal": "the paper's normal limits",
}


@dataclass(frozen=True)
class Measure(Estimate):
    """An estimate with its standard error: NaN where p_c is at or below guessing, or at 1."""

    KEYS = "estimate, low, high, standard_error, level, limits = method"

    standard_error: float = math.nan


@dataclass(frozen=True)
class Sensitivity(Result):
    """How much of the difference people perceive, on three scales."""

    KEYS = "protocol, correct, n, p_c, p_d, d_prime"

    p_c: Measure
    p_d: Measure
    d_prime: Measure
    protocol: str
    correct: int
    n: int

    def __str__(self) -> str:
        return "; ".join(str(each) for each in (self.p_c, self.p_d, self.d_prime))


def estimate(
    correct: int,
    n: int,
    *,
    protocol: str | Protocol = "triangle",
    level: float = 0.95,
    method: str = "exact",
    side: str = "both",
) -> Sensitivity:
    """p_c, p_d and d′ with limits.

    `side="both"` gives a two-sided interval at `level`; "lower" and "upper" give one limit that holds with
    confidence `level`, the other being the end of the scale.

    Args:
        correct: right answers
        n: answers
        protocol: triangle, duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them
        level: the confidence of the limits
        method: exact, likelihood, score or wald
        side: both, lower or upper

    >>> from nlgauge.triangle import estimate
    >>> found = estimate(20, 40)
    >>> round(found.p_d.estimate, 3), round(found.d_prime.estimate, 3)
    (0.25, 1.466)
    """
    x, size = checks.answers(correct, n)
    level = checks.level(level)
    checks.one_of(side, SIDES, "side")
    tail = (1 - level) / 2 if side == "both" else 1 - level
    low, high = limits(x, size, tail=tail, method=method)
    ends = (0.0 if side == "upper" else low, 1.0 if side == "lower" else high)
    return scales(x, size, ends, find(protocol), level=level, method=method)


def scales(x: int, n: int, ends: tuple[float, float], asked: Protocol, *, level: float, method: str) -> Sensitivity:
    """The three measures from the limits of p_c."""
    p_c = max(x / n, asked.guess)
    low, high = (min(1.0, max(end, asked.guess)) for end in ends)
    error = math.sqrt(p_c * (1 - p_c) / n) if asked.guess < x / n < 1 else math.nan
    d_prime = asked.d_prime(p_c)
    slope = float(asked.slope(d_prime)) if math.isfinite(d_prime) else 0.0
    notes = () if x / n >= asked.guess else ("fewer correct answers than guessing gives: set to guessing",)
    title, width = _TITLES[method], 1 - asked.guess

    def measure(name: str, value: float, ends: tuple[float, float], error: float) -> Measure:
        told = notes if name == "p_c" else ()
        return Measure(value, *ends, level, title, n, name=name, notes=told, standard_error=error)

    return Sensitivity(
        measure("p_c", p_c, (low, high), error),
        measure("p_d", asked.to_p_d(p_c), (asked.to_p_d(low), asked.to_p_d(high)), error / width),
        measure("d′", d_prime, (asked.d_prime(low), asked.d_prime(high)), error / slope if slope > 0 else math.nan),
        asked.name,
        x,
        n,
    )


def rescale(
    *,
    p_c: float | None = None,
    p_d: float | None = None,
    d_prime: float | None = None,
    standard_error: float = math.nan,
    protocol: str | Protocol = "triangle",
) -> dict[str, dict[str, float]]:
    """One of the three on all three scales, its standard error carried along by the slope (delta method).

    Args:
        p_c: the share of right answers
        p_d: the share of people who perceive the difference
        d_prime: the sensitivity d′
        standard_error: of the one that is given
        protocol: triangle, duo-trio, tetrad, 2-afc, 3-afc, hexad, two-out-of-five, or double-… of one of them

    >>> from nlgauge.triangle import rescale
    >>> round(rescale(d_prime=1.0)["p_c"]["estimate"], 3)
    0.418
    """
    asked = find(protocol)
    given = [name for name, value in (("p_c", p_c), ("p_d", p_d), ("d_prime", d_prime)) if value is not None]
    if len(given) != 1:
        raise InputError("give exactly one of p_c, p_d and d_prime")
    if p_c is not None:
        correct = checks.share(p_c, "p_c", zero=True)
    elif p_d is not None:
        correct = asked.from_p_d(checks.share(p_d, "p_d", zero=True))
    else:
        if not (d_prime is not None and d_prime >= 0):
            raise InputError(f"d_prime must not be negative, but is {d_prime}")
        correct = float(asked.p_correct(d_prime))
    correct = max(correct, asked.guess)
    sensitivity = d_prime if d_prime is not None else asked.d_prime(correct)
    slope = float(asked.slope(sensitivity)) if math.isfinite(sensitivity) else 0.0
    factor = {"p_c": 1.0, "p_d": 1 - asked.guess, "d_prime": slope}[given[0]]
    error = standard_error * factor
    return {
        "p_c": {"estimate": correct, "standard_error": error},
        "p_d": {"estimate": asked.to_p_d(correct), "standard_error": error / (1 - asked.guess)},
        "d_prime": {"estimate": float(sensitivity), "standard_error": error / slope if slope > 0 else math.nan},
    }
