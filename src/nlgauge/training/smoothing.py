"""Noisy ratings, as CMADE (Liang, Zou and Yu 2020) treats them: averaged over neighbours, and sifted by their value."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array


def smoothed(targets: Array, vectors: Array, neighbours: int) -> Array:
    """Each example's target averaged over it and the next ones in the space of the vectors."""
    nearest = _nearest(vectors, vectors)[:, : min(neighbours, len(targets))]
    return np.asarray(targets[nearest].mean(axis=1))


def values(vectors: Array, good: NDArray[np.bool_], others: Array, known: NDArray[np.bool_], neighbours: int) -> Array:
    """What each example is worth to a classifier by nearest neighbours that predicts `known` of `others`: its Shapley
    value, by the recursion of Jia et al. (2019), averaged over the others.

    s of the farthest is [y = y_other] / n, and s_i = s_(i+1) + ([y_i = y] − [y_(i+1) = y]) / K · min(K, i) / i.
    """
    count = len(good)
    order = _nearest(others, vectors)
    match = (good[order] == known[:, None]).astype(np.float64)
    ranks = np.arange(1, count)
    steps = (match[:, :-1] - match[:, 1:]) / neighbours * np.minimum(neighbours, ranks) / ranks
    last = match[:, -1:] / count
    worth = np.concatenate([last + np.cumsum(steps[:, ::-1], axis=1)[:, ::-1], last], axis=1)
    found = np.zeros(count)
    np.add.at(found, order.ravel(), worth.ravel())
    return found / len(others)


def _nearest(points: Array, among: Array) -> NDArray[np.int64]:
    """(n, m): the places of `among` by their distance from each point; ties by place."""
    apart = (points**2).sum(axis=1)[:, None] + (among**2).sum(axis=1) - 2.0 * points @ among.T
    return np.argsort(np.round(apart, 9), axis=1, kind="stable")
