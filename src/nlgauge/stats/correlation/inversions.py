"""Discordant pairs of two vectors in O(n log n), for any number of weightings of the points at once.

The points are sorted by x (and by y where x ties); what remains is to count inversions of y. The ranks of y
are taken bit by bit from the top, as in a wavelet tree: two points first differ at one bit, and they are
discordant when the earlier one has it set. The order of the points at every level depends on the data alone,
so a thousand bootstrap draws, which change only how often each point stands, cost sums and no sorting.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array

Integers = NDArray[np.int64]
Level = tuple[Integers, NDArray[np.bool_], Integers]


class Inversions:
    """Two complete vectors, prepared for counting pairs."""

    def __init__(self, x: Array, y: Array) -> None:
        self.order = np.lexsort((y, x))
        x, y = x[self.order], y[self.order]
        self.n = len(x)
        new_x = np.r_[True, x[1:] != x[:-1]][: self.n]
        self._x_starts = np.flatnonzero(new_x)
        self._joint_starts = np.flatnonzero(new_x | np.r_[True, y[1:] != y[:-1]][: self.n])
        self._y_order = np.argsort(y, kind="stable")
        ordered = y[self._y_order]
        new_y = np.r_[True, ordered[1:] != ordered[:-1]][: self.n]
        self._y_starts = np.flatnonzero(new_y)
        ranks = np.empty(self.n, dtype=np.int64)
        ranks[self._y_order] = np.cumsum(new_y) - 1
        self._levels, self._plain = _levels(ranks)

    def discordant(self, weights: Array) -> Array:
        """Pairs in opposite order, when point i stands weights[draw, i] times."""
        count = np.zeros(len(weights))
        if self.n < 2:
            return count
        if len(weights) == 1 and (weights == 1).all():
            return np.array([float(self._plain)])
        drawn = weights[:, self.order]
        for order, zeros, starts in self._levels:
            # Only zeros look back: each meets the ones that stand before it in its block.
            level = drawn[:, order]
            ones = np.cumsum(np.where(zeros, 0.0, level), axis=1)
            before = np.concatenate([np.zeros((len(weights), 1)), ones], axis=1)
            here = np.flatnonzero(zeros)
            count += np.einsum("dk,dk->d", level[:, here], before[:, here] - before[:, starts[here]])
        return count

    def x_classes(self, weights: Array) -> Array:
        """Number of points for each distinct x, (draws, classes)."""
        return np.add.reduceat(weights[:, self.order], self._x_starts, axis=1)

    def y_classes(self, weights: Array) -> Array:
        """Number of points for each distinct y."""
        return np.add.reduceat(weights[:, self.order[self._y_order]], self._y_starts, axis=1)

    def joint_classes(self, weights: Array) -> Array:
        """Number of points for each distinct (x, y)."""
        return np.add.reduceat(weights[:, self.order], self._joint_starts, axis=1)


def _levels(ranks: Integers) -> tuple[list[Level], int]:
    """For each bit from the top: the order of the points, which have the bit unset, where their block starts.

    Also the number of inversions when every point stands once.
    """
    n = len(ranks)
    bits = int(ranks.max(initial=0)).bit_length()
    below = np.zeros((1 << bits) + 1, dtype=np.int64)  # points whose rank is less than r
    np.cumsum(np.bincount(ranks, minlength=1 << bits), out=below[1:])
    order, here, position = np.arange(n), ranks, np.arange(n)
    levels, inversions = [], 0
    for bit in range(bits - 1, -1, -1):
        ones = (here >> bit) & 1
        starts = below[(here >> (bit + 1)) << (bit + 1)]
        zeros = ones == 0
        levels.append((order, zeros, starts))
        before = np.concatenate([[0], np.cumsum(ones)])
        ones_before = before[:n] - before[starts]
        inversions += int(ones_before[zeros].sum())
        same_before = np.where(zeros, position - starts - ones_before, ones_before)
        place = below[(here >> bit) << bit] + same_before
        moved, values = np.empty_like(order), np.empty_like(here)
        moved[place], values[place] = order, here
        order, here = moved, values
    return levels, inversions
