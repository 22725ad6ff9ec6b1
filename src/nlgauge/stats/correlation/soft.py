"""Soft pairwise accuracy (Thompson et al. 2024; `PairwiseConfidenceError` in mt-metrics-eval): how sure people and
metric are that one system beats another, 1 - mean |p of people - p of metric|."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.options import DEFAULT_SEED

CHUNK = 1 << 22  # numbers in a working array


def soft_pairwise_accuracy(
    human: Any, metric: Any, *, draws: int = 1000, seed: int = DEFAULT_SEED, exact: bool | None = None
) -> float:
    """Soft pairwise accuracy of (systems, items) scores; NaN where no two systems share an item.

    p-values by paired permutation of items with the draws of mt-metrics-eval for the same seed (its own is 4);
    `exact` enumerates all sign patterns, by default where there are no more of them than draws.

    Args:
        human: people's scores, a (systems, items) array, NaN where missing
        metric: the metric's scores of the same outputs
        draws: permutations of items for each pair of systems
        seed: of these
        exact: enumerate all sign patterns; by default where there are no more of them than draws

    >>> soft_pairwise_accuracy([[1, 2, 3], [2, 3, 5]], [[0.1, 0.2, 0.3], [0.2, 0.1, 0.6]])
    0.875
    """
    first, second = np.asarray(human, dtype=np.float64), np.asarray(metric, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 2:
        raise InputError(
            f"soft pairwise accuracy needs (systems, items) scores of one shape; got {first.shape}, {second.shape}"
        )
    missing = np.isnan(first) | np.isnan(second)
    distance = np.abs(
        _confidence(np.where(missing, np.nan, first), draws, seed, exact)
        - _confidence(np.where(missing, np.nan, second), draws, seed, exact)
    )
    distance = distance[~np.isnan(distance)]
    return float(1 - distance.mean()) if len(distance) else math.nan


def pairwise_p_values(scores: Any, *, draws: int = 1000, seed: int = DEFAULT_SEED, exact: bool | None = None) -> Array:
    """One-sided p-values that system i is better than system j, as a matrix: the upper triangle is filled.

    Args:
        scores: a (systems, items) array, NaN where missing
        draws: permutations of items for each pair of systems
        seed: of these
        exact: enumerate all sign patterns; by default where there are no more of them than draws

    >>> pairwise_p_values([[1, 2, 3], [2, 3, 5]]).tolist()
    [[nan, 1.0], [nan, nan]]
    """
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim != 2:
        raise InputError(f"expected (systems, items) scores; got an array of {array.ndim} dimensions")
    result = np.full((len(array), len(array)), np.nan)
    result[np.triu_indices(len(array), 1)] = _confidence(array, draws, seed, exact)
    return result


def _confidence(scores: Array, draws: int, seed: int, exact: bool | None) -> Array:
    """Share of random swaps that favour the first system at least as much as the data, for each pair."""
    systems, items = scores.shape
    left, right = np.triu_indices(systems, 1)
    if exact is None:
        exact = items < 31 and 1 << items <= draws
    signs = _all_signs(items) if exact else _random_signs(draws, items, seed)
    result = np.empty(len(left))
    step = max(1, CHUNK // max(items, len(signs)))
    for start in range(0, len(left), step):
        part = slice(start, start + step)
        difference = scores[left[part]] - scores[right[part]]
        present = ~np.isnan(difference)
        difference = np.where(present, difference, 0.0)
        observed = difference.sum(axis=1)
        # A swap that changes nothing gives the same sum in another order: equal up to rounding.
        slack = 1e-12 * np.abs(difference).sum(axis=1)
        as_large = (signs @ difference.T >= observed - slack).mean(axis=0)
        result[part] = np.where(present.any(axis=1), as_large, np.nan)
    return result


def _random_signs(draws: int, items: int, seed: int) -> Array:
    if draws < 1:
        raise InputError(f"a permutation test needs at least 1 draw; got {draws}")
    coins = np.rint(np.random.default_rng(seed).random(size=(draws, items), dtype=np.float32))
    return 2.0 * coins.astype(np.float64) - 1.0


def _all_signs(items: int) -> Array:
    patterns = np.arange(1 << items)[:, None] >> np.arange(items)[None, :]
    return np.asarray(2.0 * (patterns & 1) - 1.0, dtype=np.float64)
