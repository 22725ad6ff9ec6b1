"""The figures behind a reaction: arrays in, estimates out.

A "loss" is how much quality a metric sees lost: clean minus perturbed score, turned round where lower is
better, so that a positive loss always means that the perturbed text was judged worse.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from statistics import NormalDist
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nlgauge import stats
from nlgauge.arrays import Array
from nlgauge.stats.results import Estimate

K = TypeVar("K", bound=Hashable)

FEWEST = 20  # texts below which a bootstrap or normal interval would be too narrow to be honest
EXACT = "exact binomial (Clopper and Pearson)"
CLUSTERED = "normal, texts as clusters (Obuchowski)"


def mean_of(totals: Array) -> Array:
    """The mean, from totals (sum, …, count)."""
    return _divided(totals[..., 0], totals[..., -1])


def effect_of(totals: Array) -> Array:
    """The mean loss in standard deviations of the losses, from totals (sum, sum of squares, count).

    NaN where all losses are the same: there is no spread to measure by.
    """
    mean = _divided(totals[..., 0], totals[..., 2])
    spread = totals[..., 1] - totals[..., 2] * mean**2  # n - 1 times the variance
    # What rounding leaves of a variance of zero is no variance.
    spread = np.where(spread > 1e-12 * np.maximum(totals[..., 1], 1e-300), spread, np.nan)
    return np.asarray(mean / np.sqrt(_divided(spread, totals[..., 2] - 1)))


def ratio_of(totals: Array) -> Array:
    """The ratio of two means over the same texts, from totals (sum, sum, count); NaN unless the second is positive."""
    below = np.where(totals[..., 1] > 0, totals[..., 1], np.nan)
    return _divided(totals[..., 0], below)


def _divided(above: Array, below: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below != 0, above / below, np.nan)


def bootstrap(
    rows: Mapping[K, Array],
    scores: Mapping[K, Callable[[Array], Array]],
    *,
    trials: int,
    level: float,
    seed: int,
) -> dict[K, Estimate]:
    """Estimates with percentile-bootstrap limits over texts, for all keys from one set of draws.

    The last column counts the texts a figure rests on; rows of texts it does not concern are zero. A figure that is
    undefined, or rests on fewer than `FEWEST` texts, has no limits; `trials=0` asks for none.
    """
    found: dict[K, Estimate] = {}
    drawn: dict[K, Array] = {}
    for key, values in rows.items():
        total = values.sum(axis=0)
        value, n = float(scores[key](total)), int(total[-1])
        found[key] = Estimate(value, level=level, method="percentile bootstrap over texts", n=n)
        if math.isfinite(value) and n >= FEWEST and trials:
            drawn[key] = values
    limits = stats.intervals(drawn, {key: scores[key] for key in drawn}, trials=trials, seed=seed, level=level)
    for key, limit in limits.items():
        plain = found[key]
        found[key] = Estimate(plain.estimate, limit.low, limit.high, level, plain.method, plain.n, notes=limit.notes)
    return found


def share(count: int, n: int, *, level: float, name: str = "") -> Estimate:
    """A share with its exact binomial limits; NaN where nothing was counted."""
    if n == 0:
        return Estimate(math.nan, level=level, method=EXACT, n=0, name=name)
    from scipy.special import betaincinv  # the beta quantile; scipy.stats would take a second to import

    tail = (1 - level) / 2
    low = 0.0 if count == 0 else float(betaincinv(count, n - count + 1, tail))
    high = 1.0 if count == n else float(betaincinv(count + 1, n - count, 1 - tail))
    return Estimate(estimate=count / n, low=low, high=high, level=level, method=EXACT, n=n, name=name)


def sign_test(right: int, wrong: int) -> float:
    """The exact two-sided p-value of a sign test: as far from one half as this or further, by the toss of a coin."""
    n, few = right + wrong, min(right, wrong)
    return min(1.0, float(2 * sum(math.comb(n, count) for count in range(few + 1)) / 2**n))


def auc(better: Array, worse: Array, *, level: float) -> Estimate:
    """The chance that a random clean text scores above a random perturbed one, ties counting half.

    Both samples come from the same texts, so the placements of a text's two versions are added before their
    variance is taken (Obuchowski 1997, one cluster a text). At 0 and 1 that variance is nothing, and no limits
    are given.
    """
    n = len(better)
    if n == 0:
        return Estimate(math.nan, level=level, method=CLUSTERED, n=0)
    above = _placements(better, worse)  # share of perturbed texts below each clean one
    below = 1 - _placements(worse, better)  # share of clean texts above each perturbed one
    value = float(above.mean())
    if n < FEWEST or not 0 < value < 1:
        return Estimate(value, level=level, method=CLUSTERED, n=n)
    error = math.sqrt(float(np.var(above + below, ddof=1)) / n)
    reach = NormalDist().inv_cdf(0.5 + level / 2) * error
    return Estimate(value, max(0.0, value - reach), min(1.0, value + reach), level, CLUSTERED, n)


def _placements(scores: Array, others: Array) -> Array:
    """For each score the share of the others that lie below it, ties counting half."""
    ordered = np.sort(others)
    below = np.searchsorted(ordered, scores, side="left")
    upto = np.searchsorted(ordered, scores, side="right")
    return np.asarray((below + upto) / (2 * len(others)), dtype=np.float64)


def kendall_rows(doses: Array, losses: Array) -> Array:
    """Kendall's tau-b between dose and loss in each row of two (n, k) arrays; NaN where a row is constant."""
    first, second = np.triu_indices(doses.shape[1], 1)
    dose = np.sign(doses[:, second] - doses[:, first])
    loss = np.sign(losses[:, second] - losses[:, first])
    scale = np.sqrt((dose != 0).sum(axis=1) * (loss != 0).sum(axis=1))
    return _divided((dose * loss).sum(axis=1).astype(np.float64), scale)


def monotone_rows(doses: Array, losses: Array) -> NDArray[np.bool_]:
    """Whether the loss never shrinks as the dose grows, and is larger at the end than at the start."""
    order = np.argsort(doses, axis=1, kind="stable")
    steps = np.diff(np.take_along_axis(losses, order, axis=1), axis=1)
    return np.asarray((steps >= 0).all(axis=1) & (steps > 0).any(axis=1))
