"""Confidence limits for the proportion of correct answers: exact, likelihood, score and Wald.

exact        Clopper and Pearson: never covers less than promised (it is conservative), from beta quantiles
likelihood   where twice the drop of the log-likelihood reaches the quantile (sensR: statistic="likelihood")
score        Wilson's with continuity correction (R's prop.test, which sensR reports as "score")
wald         estimate ± z · standard error; collapses at 0 and n, offered for comparison only
"""

from __future__ import annotations

import math

from nlgauge.stats.discrimination.binomial import log_likelihood
from nlgauge.stats.discrimination.checks import one_of

METHODS = ("exact", "likelihood", "score", "wald")
SIDES = ("both", "lower", "upper")


def limits(correct: int, n: int, *, tail: float, method: str = "exact") -> tuple[float, float]:
    """Lower and upper limit of p_c, each missed with probability `tail` (one-sided)."""
    one_of(method, METHODS, "kind of limits")
    if method == "exact":
        return _clopper_pearson(correct, n, tail)
    if method == "likelihood":
        return _likelihood(correct, n, tail)
    if method == "score":
        return _wilson(correct, n, tail)
    spread = z_of(tail) * math.sqrt(correct / n * (1 - correct / n) / n)
    return max(0.0, correct / n - spread), min(1.0, correct / n + spread)


def z_of(tail: float) -> float:
    """The normal quantile that `tail` exceeds."""
    from scipy.special import ndtri

    return -float(ndtri(tail))


def _clopper_pearson(x: int, n: int, tail: float) -> tuple[float, float]:
    from scipy.special import betainccinv, betaincinv

    low = 0.0 if x == 0 else float(betaincinv(x, n - x + 1, tail))
    high = 1.0 if x == n else float(betainccinv(x + 1, n - x, tail))
    return low, high


def _likelihood(x: int, n: int, tail: float) -> tuple[float, float]:
    from scipy.optimize import brentq

    best, drop = x / n, 0.5 * z_of(tail) ** 2
    top = log_likelihood(x, n, best)

    def excess(p: float) -> float:
        return top - log_likelihood(x, n, p) - drop

    if tail >= 0.5:  # the quantile is no distance
        return best, best
    low = 0.0 if x == 0 else float(brentq(excess, 1e-300, best, xtol=1e-15, rtol=1e-14))
    high = 1.0 if x == n else float(brentq(excess, best, 1 - 1e-16, xtol=1e-15, rtol=1e-14))
    return low, high


def _wilson(x: int, n: int, tail: float) -> tuple[float, float]:
    z = z_of(tail)
    share, correction = x / n, 0.5 / n

    def edge(p: float, sign: int) -> float:
        inside = z * z / (4 * n) + p * (1 - p)
        return (p + z * z / (2 * n) + sign * z * math.sqrt(max(inside, 0) / n)) / (1 + z * z / n)

    low = 0.0 if x == 0 else max(0.0, edge(share - correction, -1))
    high = 1.0 if x == n else min(1.0, edge(share + correction, +1))
    return low, high
