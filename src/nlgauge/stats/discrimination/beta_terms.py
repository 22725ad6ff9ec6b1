"""The likelihood of one judge's answers in the beta-binomial model, and its derivatives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array


class Terms:
    """log P(x of n) for each pair: of x correct answers k were perceived and x − k guessed, summed over k."""

    def __init__(self, x: NDArray[np.int64], n: NDArray[np.int64], guess: float) -> None:
        k = np.arange(int(x.max(initial=0)) + 1)[:, None]
        if guess == 0:  # nothing is guessed: k = x alone
            self.k, self.wrong, constant = x[None, :], n - x, np.zeros((1, len(x)))
        else:
            self.k, self.wrong = np.minimum(k, x), n - x
            constant = (
                log_choose(x, self.k) + (x - self.k) * math.log(guess) + (self.wrong + self.k) * math.log1p(-guess)
            )
            constant = np.where(k <= x, constant, -np.inf)
        self.constant = constant + log_choose(n, x)

    def __call__(self, mu: float, gamma: float) -> Array:
        terms = self._each(mu, gamma)
        top = terms.max(axis=0)
        return np.asarray(top + np.log(np.exp(terms - top).sum(axis=0)))

    def gradient(self, mu: float, gamma: float) -> tuple[Array, Array]:
        """The derivatives in a = μ (1/γ − 1) and b = (1 − μ)(1/γ − 1)."""
        from scipy.special import digamma

        size = 1 / gamma - 1
        a, b = mu * size, (1 - mu) * size
        terms = self._each(mu, gamma)
        shares = np.exp(terms - terms.max(axis=0))
        shares /= shares.sum(axis=0)
        total = digamma(size) - digamma(size + self.k + self.wrong)
        by_a = shares * (digamma(a + self.k) - digamma(a) + total)
        by_b = shares * (digamma(b + self.wrong) - digamma(b) + total)
        return by_a.sum(axis=0), by_b.sum(axis=0)

    def _each(self, mu: float, gamma: float) -> Array:
        from scipy.special import betaln

        size = 1 / gamma - 1
        a, b = mu * size, (1 - mu) * size
        return np.asarray(self.constant + betaln(a + self.k, b + self.wrong) - betaln(a, b))


def log_choose(n: Any, k: Any) -> Array:
    from scipy.special import gammaln

    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
