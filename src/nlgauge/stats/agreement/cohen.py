"""Cohen's kappa for two judges, plain (Cohen 1960) or weighted (Cohen 1968), from ratings or from a table of counts.

Standard errors are those of Fleiss, Cohen and Everitt (1969), as SAS and statsmodels print them: one for the interval,
one under the hypothesis that kappa is 0 for the test. irrCAC has the same standard error and takes limits from
Student's t, which is what `reference="t"` (the default) does; SAS and statsmodels take the normal distribution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.agreement.intervals import (
    ANALYTIC,
    LEAST,
    Coefficient,
    Limits,
    limited,
    linearised,
    quantile_t,
    with_limits,
)
from nlgauge.stats.agreement.ratings import Ratings, UndefinedAgreement, refuse_constant, require_pairs, two_judges
from nlgauge.stats.agreement.weights import Weights, weight_matrix
from nlgauge.stats.sampled import Score

Reference = Literal["t", "normal"]


def cohen(
    values: Any,
    *,
    weights: Weights = "identity",
    categories: Sequence[Any] | None = None,
    limits: Limits = ANALYTIC,
    reference: Reference = "t",
) -> Coefficient:
    """Cohen's kappa of a table of items × two judges, on the items both rated.

    Args:
        values: ratings, one row an item and two columns, one for each judge
        weights: how near two categories are: identity, linear, quadratic, ordinal, …, or a table of weights
        categories: all values of the scale, where the judges did not use each of them
        limits: how the confidence interval is found, see `Limits`
        reference: the distribution of limits and test: `t` with n - 1 degrees of freedom, or `normal`

    >>> from nlgauge.stats.agreement import cohen
    >>> ratings = [["good", "good"], ["bad", "bad"], ["good", "bad"], ["bad", "bad"]]
    >>> round(cohen(ratings).estimate, 3)
    0.5
    """
    ratings = two_judges(require_pairs(Ratings.of(values, categories)), "Cohen's kappa")
    size = len(ratings.categories)
    refuse_constant(ratings, "Cohen's kappa")
    cells = ratings.codes[:, 0] * size + ratings.codes[:, 1]
    table = np.bincount(cells, minlength=size * size).reshape(size, size).astype(np.float64)
    return _kappa(table, weight_matrix(weights, ratings), weights, limits, reference, cells)


def cohen_table(
    table: Any,
    *,
    weights: Weights = "identity",
    scores: Sequence[float] | None = None,
    limits: Limits = ANALYTIC,
    reference: Reference = "t",
) -> Coefficient:
    """Cohen's kappa of a square table of counts, one judge in rows and the other in columns.

    `scores` are the categories' numbers, for weights that use them; 1, 2, 3 … unless given.

    Args:
        table: how often the first judge (row) and the second (column) gave these categories
        weights: how near two categories are: identity, linear, quadratic, ordinal, …, or a table of weights
        scores: the categories' numbers
        limits: how the confidence interval is found, see `Limits`
        reference: the distribution of limits and test: `t` with n - 1 degrees of freedom, or `normal`

    >>> from nlgauge.stats.agreement import cohen_table
    >>> round(cohen_table([[20, 5], [10, 15]]).estimate, 3)
    0.4
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise InputError(f"the table of two judges must be square, categories × categories; got {counts.shape}")
    if not np.all(np.isfinite(counts)) or counts.min(initial=0) < 0 or counts.sum() <= 0:
        raise InputError("the table of two judges must hold counts from 0 up, not all of them 0")
    numbers = np.arange(1.0, len(counts) + 1) if scores is None else np.asarray(scores, dtype=np.float64)
    if numbers.shape != (len(counts),):
        raise InputError(f"expected {len(counts)} scores, one for each category; got {len(numbers)}")
    empty = np.empty((0, 2), dtype=np.int64)
    matrix = weight_matrix(weights, Ratings(empty, tuple(numbers.tolist()), numbers, ordered=True))
    return _kappa(counts, matrix, weights, limits, reference, None)


def _kappa(
    table: Array, matrix: Array, weights: Weights, limits: Limits, reference: Reference, cells: Any
) -> Coefficient:
    n = float(table.sum())
    share = table / n
    rows, columns = share.sum(axis=1), share.sum(axis=0)
    observed, expected = float(np.sum(matrix * share)), float(rows @ matrix @ columns)
    name = "Cohen's kappa"
    if not (isinstance(weights, str) and weights == "identity"):
        name += f" ({weights} weights)" if isinstance(weights, str) else " (own weights)"
    if expected >= 1 - 1e-12:
        raise UndefinedAgreement(name, "both judges used one and the same value, so that 0/0 remains")
    estimate = (observed - expected) / (1 - expected)
    result = Coefficient(
        estimate, level=limits.level, name=name, n=round(n), judges=2, observed=observed, expected=expected
    )
    result = with_limits(result, _zero_test(share, matrix, estimate, expected, n))

    def analytic() -> dict[str, Any]:
        if n < 2:
            return {"method": "none", "notes": ("one item gives no interval",)}
        spread = float(np.sum(share * (matrix - _margins(share, matrix) * (1 - estimate)) ** 2))
        left = spread - (estimate - expected * (1 - estimate)) ** 2
        variance = left / ((1 - expected) ** 2 * n)
        if left <= 1e-12 * spread:  # 0 up to rounding
            return linearised(estimate, np.full(round(n), estimate), limits, unanimous=n, expected=expected)
        error = math.sqrt(variance)
        reach = quantile_t(0.5 + limits.level / 2, n - 1 if reference == "t" else math.inf) * error
        method = f"delta method, {reference}"
        return {"low": estimate - reach, "high": estimate + reach, "error": error, "method": method}

    def score(totals: Array) -> Array:
        part = totals.reshape(*totals.shape[:-1], *table.shape) / totals.sum(axis=-1)[..., None, None]
        chance = np.sum((part.sum(axis=-1) @ matrix) * part.sum(axis=-2), axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = (np.sum(part * matrix, axis=(-1, -2)) - chance) / (1 - chance)
        return np.where(chance >= 1 - 1e-12, math.nan, value)

    def resampling() -> tuple[Array, Score]:
        counts = np.rint(table).astype(np.int64).ravel()
        own = np.repeat(np.arange(table.size), counts) if cells is None else cells
        return (own[:, None] == np.arange(table.size)).astype(np.float64), score

    return limited(result, limits, analytic, resampling, LEAST)


def _margins(share: Array, matrix: Array) -> Array:
    """For each cell the mean weights of its row and its column, added up."""
    return np.asarray((matrix @ share.sum(axis=0))[:, None] + share.sum(axis=1) @ matrix)


def _zero_test(share: Array, matrix: Array, estimate: float, expected: float, n: float) -> dict[str, Any]:
    """z and p with the standard error that kappa has where it is 0."""
    from scipy.special import ndtr

    independent = np.outer(share.sum(axis=1), share.sum(axis=0))
    variance = float(np.sum(independent * (matrix - _margins(share, matrix)) ** 2)) - expected**2
    if variance <= 1e-15:
        return {}
    z = estimate * (1 - expected) * math.sqrt(n / variance)
    return {"statistic": z, "p": float(2 * ndtr(-abs(z)))}
