"""The log-likelihood of an ordered answer and its derivatives, for the logit and the probit link.

An answer k has chance F(α_k - η) - F(α_{k-1} - η). With a and c the two arguments, every derivative is a polynomial in
f(a)/P, f'(a)/P, f''(a)/P and those of c. Third derivatives are what the gradient of a Laplace approximation needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from nlgauge.arrays import Array
from nlgauge.stats.mixed.design import Codes

Link = Literal["logit", "probit"]
FAR = {"logit": 300.0, "probit": 35.0}  # beyond this an argument's tail has too few digits to divide by
LEAST = 1e-290


@dataclass(frozen=True)
class Answers:
    """Log chances of the answers, and their derivatives by η and by the upper (a) and lower (c) argument."""

    log_chance: Array
    by_eta: Array
    weight: Array  # minus the second derivative by η
    by_a: Array
    by_c: Array
    eta_a: Array
    eta_c: Array
    weight_eta: Array
    weight_a: Array
    weight_c: Array


def chances(a: Array, c: Array, link: Link) -> Array:
    """F(a) - F(c), from the tail in which it keeps its digits."""
    flip = a + c > 0
    upper, lower = np.where(flip, -c, a), np.where(flip, -a, c)
    return np.maximum(_distribution(upper, link) - _distribution(lower, link), LEAST)


def answers(categories: Codes, eta: Array, thresholds: Array, link: Link) -> Answers:
    """Everything at once for one answer a row."""
    padded = np.concatenate([[np.inf], thresholds, [np.inf]])  # a's and c's ends are both "no bound"
    first, last = categories == 0, categories == len(thresholds)
    far = FAR[link]
    a = np.where(last, far, np.clip(padded[categories + 1] - eta, -far, far))
    c = np.where(first, -far, np.clip(padded[categories] - eta, -far, far))
    p = chances(a, c, link)
    with np.errstate(over="ignore", invalid="ignore"):  # a wild step is refused by its value, not by a warning
        a1, a2, a3 = (np.where(last, 0.0, density / p) for density in _densities(a, link))
        c1, c2, c3 = (np.where(first, 0.0, density / p) for density in _densities(c, link))
        aa, cc, ac = a2 - a1**2, -c2 - c1**2, a1 * c1
        aaa, aac = a3 - 3 * a1 * a2 + 2 * a1**3, a2 * c1 - 2 * a1**2 * c1
        acc, ccc = a1 * c2 + 2 * a1 * c1**2, -c3 - 3 * c1 * c2 - 2 * c1**3
        return Answers(
            log_chance=np.log(p),
            by_eta=c1 - a1,
            weight=np.maximum(-(aa + 2 * ac + cc), 0.0),  # log-concave; below 0 by rounding only
            by_a=a1,
            by_c=-c1,
            eta_a=-(aa + ac),
            eta_c=-(ac + cc),
            weight_eta=aaa + 3 * aac + 3 * acc + ccc,
            weight_a=-(aaa + 2 * aac + acc),
            weight_c=-(aac + 2 * acc + ccc),
        )


def _distribution(x: Array, link: Link) -> Array:
    from scipy.special import expit, ndtr

    return np.asarray(expit(x) if link == "logit" else ndtr(x))


def _densities(x: Array, link: Link) -> tuple[Array, Array, Array]:
    """f, f' and f''."""
    if link == "logit":
        from scipy.special import expit

        up, down = expit(x), expit(-x)
        f = up * down
        return f, f * (down - up), f * (1 - 6 * f)
    f = np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)
    return f, -x * f, (x * x - 1) * f
