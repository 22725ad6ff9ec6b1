"""Tests with a response bias: A-not-A (yes/no) and same-different (R's sensR: AnotA, samediff).

A-not-A: judges see one text at a time and say whether it is of kind A. d′ = Φ⁻¹(hits) − Φ⁻¹(false alarms) in the "A"
answers to A and to not-A; the difference is tested by Fisher's exact test, the limits are profile-likelihood limits.

Same-different: judges see two texts and say whether they are of one kind. With τ the difference from which people say
"different", P(same | same) = 2Φ(τ/√2) − 1 and P(same | different) = Φ((τ − d′)/√2) − Φ((−τ − d′)/√2).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from nlgauge.errors import InputError
from nlgauge.stats.discrimination import checks
from nlgauge.stats.discrimination.binomial import log_likelihood
from nlgauge.stats.discrimination.estimates import PROFILE, Measure
from nlgauge.stats.discrimination.limits import z_of
from nlgauge.stats.discrimination.wording import Told, chance, plain

_FAR = 24.0  # beyond the limits of any count that is accepted: a billion answers with one error each give d′ = 17


@dataclass(frozen=True)
class Biased(Told):
    """A test with a response bias: d′, the criterion behind the answers (`threshold`, τ), and the test of d′ = 0."""

    KEYS = "..., sentence, warnings = notes"

    protocol: str
    counts: tuple[int, int, int, int]
    d_prime: Measure
    threshold: float
    threshold_error: float
    log_likelihood: float
    p_value: float
    test: str
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What may be written in a paper."""
        shown = "There is a perceptible difference" if self.p_value <= 0.05 else "No perceptible difference was shown"
        d = self.d_prime
        return (
            f"{shown} in the {self.protocol} test ({self.test}, {chance(self.p_value)}); d′ = "
            f"{plain(d.estimate)} ({100 * d.level:g} % interval {plain(d.low)} to {plain(d.high)}, profile likelihood)."
        )


def a_not_a(hits: int, signals: int, false_alarms: int, noises: int, *, level: float = 0.95) -> Biased:
    """`hits` "A" answers to `signals` texts of kind A, `false_alarms` to `noises` texts that are not.

    Args:
        hits: "A" answers to texts of kind A
        signals: texts of kind A
        false_alarms: "A" answers to the others
        noises: the other texts
        level: the confidence of the limits

    >>> from nlgauge.triangle import a_not_a
    >>> round(a_not_a(hits=30, signals=50, false_alarms=15, noises=50).d_prime.estimate, 3)
    0.778
    """
    from scipy.special import ndtri
    from scipy.stats import fisher_exact

    x1, n1 = checks.answers(hits, signals, "answers “A”", "texts of kind A")
    x2, n2 = checks.answers(false_alarms, noises, "answers “A”", "texts of the other kind")
    h, f = x1 / n1, x2 / n2
    if h == f and h in (0.0, 1.0):
        raise InputError("every answer is the same, so nothing can be said about d′")
    z_hit, z_false = float(ndtri(h)), float(ndtri(f))
    d = z_hit - z_false
    inside = 0 < h < 1 and 0 < f < 1
    spread_f = f * (1 - f) / n2 / _density(z_false) ** 2 if inside else math.nan
    error = math.sqrt(h * (1 - h) / n1 / _density(z_hit) ** 2 + spread_f) if inside else math.nan
    top = log_likelihood(x1, n1, h) + log_likelihood(x2, n2, f)

    def profile(value: float) -> float:
        return _highest(lambda c: _cells(x1, n1, value - c) + _cells(x2, n2, -c), -_FAR, _FAR)

    low, high = _profile_limits(profile, d, top, checks.level(level), -_FAR)
    p = float(fisher_exact([[x1, n1 - x1], [x2, n2 - x2]], alternative="greater")[1])
    notes = [] if inside else ["a rate of 0 or 1 leaves d′ without a finite estimate; its other limit holds"]
    if h < f and float(fisher_exact([[x1, n1 - x1], [x2, n2 - x2]], alternative="less")[1]) < 0.01:
        notes.append(
            "texts of the other kind were called A far more often than texts of kind A: the answers look reversed; "
            "check which number is which"
        )
    return Biased(
        protocol="A-not-A",
        counts=(x1, n1, x2, n2),
        d_prime=Measure(d, low, high, level, PROFILE, n1 + n2, name="d′", standard_error=error),
        threshold=-z_false,
        threshold_error=math.sqrt(spread_f),
        log_likelihood=top,
        p_value=p,
        test="Fisher's exact test",
        notes=tuple(notes),
    )


def same_different(
    same_same: int,
    different_same: int,
    same_different_: int,
    different_different: int,
    *,
    level: float = 0.95,
) -> Biased:
    """Answers (same, different) to pairs that are the same, then to pairs that are different (sensR's order).

    Args:
        same_same: "same" to pairs that are the same
        different_same: "different" to pairs that are the same
        same_different_: "same" to pairs that differ
        different_different: "different" to pairs that differ
        level: the confidence of the limits

    >>> from nlgauge.triangle import same_different
    >>> round(same_different(30, 10, 12, 28).d_prime.estimate, 3)
    2.359
    """
    from scipy.optimize import brentq
    from scipy.special import ndtr, ndtri

    given = (same_same, different_same, same_different_, different_different)
    ss, ds, sd, dd = (checks.whole(count, "a number of answers") for count in given)
    n_same, n_diff = ss + ds, sd + dd
    if n_same == 0 or n_diff == 0:
        raise InputError("a same-different test needs answers to pairs that are the same and to pairs that differ")
    if ss == 0 or ds == 0:
        raise InputError(
            "all pairs of one kind got the same answer, so the threshold τ and with it d′ cannot be estimated"
        )
    root2 = math.sqrt(2)
    top = log_likelihood(ss, n_same, ss / n_same) + log_likelihood(sd, n_diff, sd / n_diff)

    def same_if_different(tau: float, d: float) -> float:
        return float(ndtr((tau - d) / root2) - ndtr((-tau - d) / root2))

    def tau_of(share: float) -> float:
        return root2 * float(ndtri((share + 1) / 2))

    def profile(d: float) -> float:
        def height(tau: float) -> float:
            same = 2 * float(ndtr(tau / root2)) - 1
            return log_likelihood(ss, n_same, same) + log_likelihood(sd, n_diff, same_if_different(tau, d))

        return _highest(height, 1e-9, _FAR)

    notes: tuple[str, ...] = ()
    tau, tau_error, error = tau_of(ss / n_same), math.nan, math.nan
    if sd == 0:
        d = math.inf
        notes = ("no pair that differs was called the same, so d′ has no finite estimate; its lower limit holds",)
    elif sd / n_diff >= ss / n_same:
        tau, d = tau_of((ss + sd) / (n_same + n_diff)), 0.0
        top = profile(0.0)
        notes = ("different pairs were called the same as often as same pairs: d′ is set to 0",)
    else:
        d = float(brentq(lambda value: same_if_different(tau, value) - sd / n_diff, 0.0, 40.0, xtol=1e-13))
        tau_error, error = _same_different_errors(ss / n_same, n_same, sd / n_diff, n_diff, tau, d)
    low, high = _profile_limits(profile, d, top, checks.level(level), 0.0)
    # d′ = 0 is the end of its range: the root is one-sided.
    root = math.sqrt(max(0.0, 2 * (top - profile(0.0))))
    return Biased(
        protocol="same-different",
        counts=(ss, ds, sd, dd),
        d_prime=Measure(d, low, high, level, PROFILE, n_same + n_diff, name="d′", standard_error=error),
        threshold=tau,
        threshold_error=tau_error,
        log_likelihood=top,
        p_value=float(ndtr(-root)),
        test="likelihood root",
        notes=notes,
    )


def _same_different_errors(p: float, n_same: int, q: float, n_diff: int, tau: float, d: float) -> tuple[float, float]:
    """Delta method: τ depends on the same pairs only, d′ on both."""
    root2 = math.sqrt(2)
    tau_error = math.sqrt(p * (1 - p) / n_same) / (root2 * _density(tau / root2))
    plus, minus = _density((tau - d) / root2) / root2, _density((-tau - d) / root2) / root2
    by_tau, by_d = plus + minus, minus - plus
    spread = q * (1 - q) / n_diff + (by_tau * tau_error) ** 2
    return tau_error, math.sqrt(spread) / abs(by_d)


def _cells(x: int, n: int, z: float) -> float:
    from scipy.special import log_ndtr

    return (x * float(log_ndtr(z)) if x else 0.0) + ((n - x) * float(log_ndtr(-z)) if n > x else 0.0)


def _highest(height: Callable[[float], float], low: float, high: float) -> float:
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(
        lambda t: min(-height(t), 1e30), bounds=(low, high), method="bounded", options={"xatol": 1e-10}
    )
    return -float(found.fun)


def _profile_limits(
    profile: Callable[[float], float], d: float, top: float, level: float, lowest: float
) -> tuple[float, float]:
    from scipy.optimize import brentq

    drop = 0.5 * z_of((1 - level) / 2) ** 2

    def excess(value: float) -> float:
        return top - profile(value) - drop

    start = min(max(d, -_FAR), _FAR)  # the profile is highest at d, or still rises at the end of the range
    end = -math.inf if lowest < 0 else lowest
    low = end if d == -math.inf or excess(lowest) <= 0 else float(brentq(excess, lowest, start, xtol=1e-9))
    high = math.inf if d == math.inf or excess(_FAR) <= 0 else float(brentq(excess, start, _FAR, xtol=1e-9))
    return low, high


def _density(z: float) -> float:
    return math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
