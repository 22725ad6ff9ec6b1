"""Small exact tests from logarithms of binomial coefficients: they need no scipy.stats, whose import takes a second."""

from __future__ import annotations

from functools import cache

import numpy as np

from nlgauge.errors import InputError

_SLACK = 1 + 1e-7  # tables as likely as the observed one up to rounding count with it, as in R and scipy


@cache
def fisher(first: int, of_first: int, second: int, of_second: int) -> float:
    """Fisher's exact test, two-sided, of `first` out of `of_first` against `second` out of `of_second`."""
    from scipy.special import gammaln

    if not (0 <= first <= of_first and 0 <= second <= of_second):
        raise InputError(f"{first} of {of_first} and {second} of {of_second} cannot be counts of a table")
    both = first + second
    x = np.arange(max(0, both - of_second), min(both, of_first) + 1, dtype=np.float64)

    def log_choose(n: float, k: np.ndarray) -> np.ndarray:
        return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))

    weights = log_choose(of_first, x) + log_choose(of_second, both - x)
    chances = np.exp(weights - weights.max())
    seen = chances[first - int(x[0])]
    return float(min(1.0, chances[chances <= seen * _SLACK].sum() / chances.sum()))


def sign_test(more: int, fewer: int) -> float:
    """Exact two-sided test that either of two outcomes is as likely (McNemar's test of paired answers)."""
    from scipy.special import bdtr

    if more < 0 or fewer < 0:
        raise InputError("counts must not be negative")
    total = more + fewer
    return 1.0 if total == 0 else float(min(1.0, 2 * bdtr(min(more, fewer), total, 0.5)))


def binomial_test(count: int, n: int, p: float) -> float:
    """Exact two-sided test of a share: what is no likelier than the observed count, as in R's binom.test."""
    from scipy.special import gammaln

    if not 0 <= count <= n or not 0 < p < 1:
        raise InputError(f"{count} of {n} with chance {p} is no binomial count; expected 0 ≤ count ≤ n and 0 < p < 1")
    x = np.arange(n + 1, dtype=np.float64)
    log = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1) + x * np.log(p) + (n - x) * np.log1p(-p)
    chances = np.exp(log)
    return float(min(1.0, chances[chances <= chances[count] * _SLACK].sum()))
