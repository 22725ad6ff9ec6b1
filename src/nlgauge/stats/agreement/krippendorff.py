"""Krippendorff's alpha (Krippendorff 2004, 2011): 1 - observed / expected disagreement, with gaps.

Equal to the `krippendorff` package for nominal, ordinal, interval and ratio data, and to irrCAC's alpha and standard
error for its weights. Ordinal distances are squared differences of the mean ranks of the categories, so ordinal and
interval data need only sums and sums of squares: time grows with the number of ratings, whatever the number of values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
    p_from_t,
)
from nlgauge.stats.agreement.ratings import (
    Codes,
    Ratings,
    UndefinedAgreement,
    ratings_per_item,
    refuse_constant,
    require_pairs,
)
from nlgauge.stats.agreement.weights import Distance, distance_matrix, scores

FEW_VALUES = 40  # up to so many, draws of the bootstrap rank the values anew


def krippendorff(
    values: Any,
    distance: Distance = "nominal",
    *,
    categories: Sequence[Any] | None = None,
    limits: Limits = ANALYTIC,
) -> Coefficient:
    """Krippendorff's alpha of a table of items × judges.

    `distance`: nominal, ordinal, interval, ratio, the name of Gwet's weights (linear, radical, circular, bipolar),
    a table of distances between the categories, or a function of two values. The expected disagreement comes from
    the ratings that have a partner; items with a single rating do not enter.

    Args:
        values: ratings, one row an item and one column a judge; NaN or None where a judge gave none
        distance: how far two values are apart, for instance ordinal
        categories: all values of the scale, where the judges did not use each of them
        limits: how the confidence interval is found, see `Limits`

    >>> from nlgauge.stats.agreement import krippendorff
    >>> ratings = [[1, 1, 1], [2, 2, 3], [3, 3, 3], [1, 2, 1], [2, 2, 2]]
    >>> round(krippendorff(ratings, "ordinal").estimate, 3)
    0.792
    """
    found = require_pairs(Ratings.of(values, categories))
    sizes = ratings_per_item(found)
    ratings = found if sizes.min() >= 2 else found.take(items=sizes >= 2)
    sizes = sizes if ratings is found else sizes[sizes >= 2]
    name = f"Krippendorff's alpha ({distance if isinstance(distance, str) else 'own distance'})"
    refuse_constant(ratings, name)
    spread = _spread(ratings, sizes, distance)
    total = float(sizes.sum())
    observed = float(spread.within.sum()) / total
    expected = float(spread.tally @ spread.mean_distance) / (total - 1)
    if expected <= 0:
        raise UndefinedAgreement(name, "all values used are at distance 0 from each other")
    result = Coefficient(
        1 - observed / expected,
        level=limits.level,
        name=name,
        n=len(sizes),
        judges=found.judges,
        observed=observed,
        expected=expected,
    )
    return limited(
        result,
        limits,
        lambda: _analytic(result, ratings, sizes, spread, limits),
        lambda: _resampling(ratings, sizes, spread, distance),
        LEAST,
    )


@dataclass(frozen=True)
class _Spread:
    """`within`: each item's disagreement, Σ distance over ordered pairs of its ratings / (ratings - 1).

    `mean_distance`: each category's mean distance from all pairable ratings; `largest`: between any two categories.
    """

    tally: Array
    within: Array
    mean_distance: Array
    largest: float


def _spread(ratings: Ratings, sizes: Array, distance: Distance) -> _Spread:
    codes, size = ratings.codes, len(ratings.categories)
    tally = np.bincount(codes.ravel() + 1, minlength=size + 1)[1:].astype(np.float64)
    total = tally.sum()
    at = scores(distance, ratings, tally)
    if at is not None:
        at = at - tally @ at / total  # differences stay; sums of squares lose nothing to a large mean
        sums, squares = _item_sums(codes, at), _item_sums(codes, at * at)
        within = np.maximum(2 * (sizes * squares - sums * sums), 0) / (sizes - 1)
        used = at[tally > 0]
        return _Spread(tally, within, at * at + tally @ (at * at) / total, float((used.max() - used.min()) ** 2))
    if isinstance(distance, str) and distance == "nominal":
        agreeing = _agreeing(codes, size)
        return _Spread(tally, (sizes * sizes - agreeing) / (sizes - 1), 1 - tally / total, 1.0)
    apart = distance_matrix(distance, ratings, tally)
    within = np.empty(len(sizes))
    step = max(1, 10_000_000 // size)
    for start in range(0, len(sizes), step):
        part = ratings.take(items=slice(start, start + step)).counts()
        within[start : start + step] = np.sum(part * (part @ apart), axis=1)
    return _Spread(tally, within / (sizes - 1), apart @ tally / total, float(apart.max()))


def _item_sums(codes: Codes, per_category: Array) -> Array:
    """For each item the sum over its ratings; a gap (-1) finds the 0 at the end."""
    return np.asarray(np.append(per_category, 0.0)[codes] @ np.ones(codes.shape[1]))


def _agreeing(codes: Codes, size: int) -> Array:
    """For each item Σ count², the number of ordered pairs (each rating with itself too) in one category."""
    if codes.shape[1] <= 16:  # few judges: compare them two by two
        total = (codes >= 0) @ np.ones(codes.shape[1])
        for first in range(codes.shape[1]):
            for second in range(first):
                total += 2.0 * ((codes[:, first] == codes[:, second]) & (codes[:, first] >= 0))
        return np.asarray(total)
    keys = (np.arange(len(codes))[:, None] * size + codes)[codes >= 0]
    found, counts = np.unique(keys, return_counts=True)
    squares = np.bincount(found // size, weights=counts.astype(np.float64) ** 2, minlength=len(codes))
    return np.asarray(squares, dtype=np.float64)


def _analytic(result: Coefficient, ratings: Ratings, sizes: Array, spread: _Spread, limits: Limits) -> dict[str, Any]:
    """Gwet's linearisation for alpha, in agreement weights 1 - distance / largest distance (irrCAC's formula)."""
    mean_size, total = float(sizes.mean()), float(sizes.sum())
    agreeing = (sizes - spread.within / spread.largest) / mean_size
    observed = float(agreeing.mean())
    corrected = observed + (1 - observed) / total
    by_chance = 1 - float(spread.tally @ spread.mean_distance) / total / spread.largest
    estimate = (observed - by_chance) / (1 - by_chance)
    surplus = (sizes - mean_size) / mean_size
    chance = (sizes - _item_sums(ratings.codes, spread.mean_distance) / spread.largest) / mean_size
    influence = (agreeing - corrected * surplus - by_chance) / (1 - by_chance)
    influence -= 2 * (1 - estimate) * (chance - by_chance * surplus - by_chance) / (1 - by_chance)
    found = linearised(estimate, influence, limits, unanimous=float(len(sizes)), expected=min(by_chance, 1 - 1e-12))
    if "p" not in found:
        return found
    # The limits lie around alpha itself, which is a little above the estimate that was linearised.
    reach = found["low"] - estimate
    statistic = result.estimate / found["error"]
    test = {"statistic": statistic, "p": p_from_t(statistic, len(sizes) - 1)}
    return {**found, "low": result.estimate + reach, "high": result.estimate - reach, **test}


def _resampling(ratings: Ratings, sizes: Array, spread: _Spread, distance: Distance) -> tuple[Array, Any]:
    """Rows that add up over items and the alpha of their sums."""
    size = len(ratings.categories)
    ranked = isinstance(distance, str) and distance == "ordinal"
    if ranked and size <= FEW_VALUES:
        return _coincidences(ratings, sizes), lambda totals: _ordinal_alpha(totals, size)
    at = scores(distance, ratings, spread.tally)  # ranks of many values are held as they are in the sample
    if at is not None:
        at = at - at.mean()
        rows = np.column_stack(
            [spread.within, sizes, _item_sums(ratings.codes, at), _item_sums(ratings.codes, at * at)]
        )
        return rows, _interval_alpha
    if size > 1000:
        raise InputError(
            f"{size:,} different values are too many to resample with this distance; use the analytic interval"
        )
    apart = distance_matrix(distance, ratings, spread.tally)

    def score(totals: Array) -> Array:
        tally = totals[..., 2:]
        return _alpha(totals[..., 0], np.sum(tally * (tally @ apart), axis=-1), totals[..., 1])

    return np.column_stack([spread.within, sizes, ratings.counts()]), score


def _alpha(within: Array, between: Array, total: Array) -> Array:
    """From Σ within items, Σ distance over all ordered pairs, and the number of ratings."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(between > 0, 1 - within * (total - 1) / between, math.nan)


def _interval_alpha(totals: Array) -> Array:
    within, total, sums, squares = np.moveaxis(totals, -1, 0)
    between = 2 * (total * squares - sums * sums)
    return _alpha(within, np.where(between > 1e-9 * total * squares, between, 0.0), total)


def _coincidences(ratings: Ratings, sizes: Array) -> Array:
    """Each item's pairs of different categories / (ratings - 1), upper triangle, then its counts."""
    counts = ratings.counts()
    upper = np.triu_indices(counts.shape[1], 1)
    pairs = 2 * counts[:, upper[0]] * counts[:, upper[1]] / (sizes - 1)[:, None]
    return np.column_stack([pairs, counts])


def _ordinal_alpha(totals: Array, size: int) -> Array:
    pairs, tally = totals[..., :-size], totals[..., -size:]
    upper = np.triu_indices(size, 1)
    ranks = np.cumsum(tally, axis=-1) - tally / 2
    apart = (ranks[..., upper[0]] - ranks[..., upper[1]]) ** 2
    between = 2 * np.sum(tally[..., upper[0]] * tally[..., upper[1]] * apart, axis=-1)
    return _alpha(np.sum(pairs * apart, axis=-1), between, tally.sum(axis=-1))
