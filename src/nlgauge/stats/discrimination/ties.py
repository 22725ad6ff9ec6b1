"""Preference with ties: the 2-AC model (two alternatives, "no preference" allowed; R's sensR: twoAC).

People perceive both products with unit normal noise and prefer the one that seems better by more than τ. From the
counts (prefer A, no preference, prefer B) the model has a closed form: with γ₁ = Φ⁻¹(share of A) and γ₂ = Φ⁻¹(share of
A or none),

    τ = (γ₂ − γ₁) / √2,    d′ = −(γ₂ + γ₁) / √2        (d′ above 0: B is preferred)

The test of d′ = d₀ is the likelihood root, the limits invert it. For d₀ = 0 an exact test stands beside it: the sign
test of those who had a preference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from nlgauge.errors import InputError
from nlgauge.stats.discrimination import checks
from nlgauge.stats.discrimination.binomial import at_least
from nlgauge.stats.discrimination.estimates import Measure
from nlgauge.stats.discrimination.limits import z_of
from nlgauge.stats.discrimination.wording import Told, chance, people, plain

ALTERNATIVES = ("two-sided", "greater", "less")
_FAR = 30.0


@dataclass(frozen=True)
class Preference(Told):
    """A 2-AC analysis; τ and its error are NaN where the counts do not determine them."""

    KEYS = (
        "counts, d_prime, tau, tau_error, log_likelihood, likelihood_root = root, p_value, sign_test_p, sentence, "
        "warnings = notes"
    )

    counts: tuple[int, int, int]
    d_prime: Measure
    tau: float
    tau_error: float
    log_likelihood: float
    root: float  # the likelihood root of d′ = `null`
    p_value: float
    null: float
    alternative: str
    sign_test_p: float
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What may be written in a paper."""
        a, none, b = self.counts
        d = self.d_prime
        if math.isnan(d.estimate):
            who = "The one judge" if none == 1 else f"All {none:,} judges"
            return f"{who} had no preference: d′ cannot be estimated."
        # By the counts: where as many prefer either, rounding leaves a d′ of 1e-17.
        whom = f"in favour of {'B' if b > a else 'A'}" if a != b else "in favour of neither"
        shown = "" if self.p_value <= 0.05 or a == b else ", but this was not shown to be more than luck"
        return (
            f"{people(a)} preferred A, {b:,} preferred B and {none:,} had no preference: d′ = {plain(d.estimate)} "
            f"{whom}{shown} ({100 * d.level:g} % interval {plain(d.low)} to {plain(d.high)}, "
            f"likelihood root, {chance(self.p_value)})."
        )


def preference(
    a: int, none: int, b: int, *, null: float = 0.0, alternative: str = "two-sided", level: float = 0.95
) -> Preference:
    """Analyse so many judges who prefer A, have no preference, and prefer B.

    Args:
        a: judges who prefer A
        none: judges without a preference
        b: judges who prefer B
        null: the d′ that is tested
        alternative: two-sided, greater or less
        level: the confidence of the limits

    >>> from nlgauge.triangle import preference
    >>> found = preference(30, 10, 12)
    >>> round(found.d_prime.estimate, 3)
    -0.658
    """
    from scipy.special import ndtr

    counts = (
        checks.whole(a, "the number who prefer A"),
        checks.whole(none, "the number without preference"),
        checks.whole(b, "the number who prefer B"),
    )
    if sum(counts) == 0:
        raise InputError("no one answered: there is no preference to analyse")
    checks.one_of(alternative, ALTERNATIVES, "alternative")
    null = checks.number(null, "the null value of d′")
    tau, d, tau_error, d_error = _estimates(*counts)
    top = _saturated(counts)
    if math.isnan(d):
        root, low, high = 0.0, -math.inf, math.inf
    else:
        sign = 1 if d > null else -1
        root = sign * math.sqrt(max(0.0, 2 * (top - _profile(counts, null))))
        low, high = _limits(counts, d, top, checks.level(level))
    p = {
        "two-sided": min(1.0, 2 * float(ndtr(-abs(root)))),
        "greater": float(ndtr(-root)),
        "less": float(ndtr(root)),
    }[alternative]
    notes = []
    if math.isinf(d):
        notes.append("one side has no votes at all, so d′ has no finite estimate; its limit on the other side holds")
    elif math.isnan(d_error) and not math.isnan(d):
        notes.append("without ties τ lies at 0, the end of its range, so there are no standard errors")
    return Preference(
        counts=counts,
        d_prime=Measure(d, low, high, level, "likelihood-root limits", sum(counts), name="d′", standard_error=d_error),
        tau=tau,
        tau_error=tau_error,
        log_likelihood=top,
        root=root,
        p_value=p,
        null=null,
        alternative=alternative,
        sign_test_p=_sign_test(counts),
        notes=tuple(notes),
    )


def _estimates(a: int, none: int, b: int) -> tuple[float, float, float, float]:
    from scipy.special import ndtri

    nan, n = math.nan, a + none + b
    if a == 0 and b == 0:
        return nan, nan, nan, nan
    if a == 0 or b == 0:
        return (0.0 if none == 0 else nan), math.copysign(math.inf, b - a), nan, nan
    first, second = a / n, (a + none) / n
    g1, g2 = float(ndtri(first)), float(ndtri(second))
    tau, d = (g2 - g1) / math.sqrt(2), 0.0 - (g2 + g1) / math.sqrt(2)
    if a == b:
        d = 0.0
    if none == 0:
        return 0.0, d, nan, nan
    # Delta method on the two cumulative shares; the model is saturated, so this is the inverse information.
    s1, s2 = _density(g1), _density(g2)
    v1, v2 = first * (1 - first) / n / s1**2, second * (1 - second) / n / s2**2
    both = first * (1 - second) / n / (s1 * s2)
    return tau, d, math.sqrt((v1 + v2 - 2 * both) / 2), math.sqrt((v1 + v2 + 2 * both) / 2)


def _density(z: float) -> float:
    return math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)


def _saturated(counts: tuple[int, ...]) -> float:
    n = sum(counts)
    return sum(k * math.log(k / n) for k in counts if k)


def _profile(counts: tuple[int, int, int], d: float) -> float:
    """The largest log-likelihood with this d′, over τ ≥ 0."""
    from scipy.optimize import minimize_scalar
    from scipy.special import log_ndtr

    a, none, b = counts

    def height(tau: float) -> float:
        low = float(log_ndtr((-tau - d) / math.sqrt(2)))
        high = float(log_ndtr((d - tau) / math.sqrt(2)))
        middle = _log_between(low, high)
        return sum(k * v for k, v in ((a, low), (none, middle), (b, high)) if k)

    if none == 0:  # ties only cost likelihood
        return height(0.0)
    found = minimize_scalar(
        lambda t: min(-height(t), 1e30), bounds=(1e-12, _FAR), method="bounded", options={"xatol": 1e-10}
    )
    return -float(found.fun)


def _log_between(low: float, high: float) -> float:
    rest = -math.expm1(low) - math.exp(high)
    return math.log(rest) if rest > 0 else -math.inf


def _limits(counts: tuple[int, int, int], d: float, top: float, level: float) -> tuple[float, float]:
    from scipy.optimize import brentq

    drop = 0.5 * z_of((1 - level) / 2) ** 2

    def excess(value: float) -> float:
        return top - _profile(counts, value) - drop

    start = min(max(d, -_FAR / 2), _FAR / 2) if math.isfinite(d) else math.copysign(_FAR / 2, d)
    low = -math.inf if d == -math.inf else float(brentq(excess, -_FAR, start, xtol=1e-9))
    high = math.inf if d == math.inf else float(brentq(excess, start, _FAR, xtol=1e-9))
    return low, high


def _sign_test(counts: tuple[int, int, int]) -> float:
    """Exact and two-sided, among those with a preference."""
    a, _, b = counts
    if a + b == 0:
        return 1.0
    return min(1.0, 2 * float(at_least(max(a, b), a + b, 0.5)))
