"""The earth mover's distance: the least work that turns one distribution of weights into another, exactly.

Successive shortest paths with potentials (Edmonds and Karp 1972): weight is sent along cheapest paths from what is
left over to what is lacking, until nothing is; every potential keeps all reduced costs at 0 or above, so each path is
found by Dijkstra's algorithm. Weights are any numbers from 0 up; both sides are scaled to add up to 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError

Array = NDArray[np.float64]
_NOTHING = 1e-15  # weight below this is what rounding leaves


def emd(a: Array, b: Array, cost: Array) -> tuple[float, Array]:
    """The distance between weights `a` (n) and `b` (m) under `cost` (n, m), and the flow (n, m) that attains it.

    >>> emd(np.array([1.0, 1.0]), np.array([2.0]), np.array([[0.0], [3.0]]))[0]
    1.5
    """
    mine, theirs, costs = _checked(a), _checked(b), np.asarray(cost, dtype=np.float64)
    if costs.shape != (len(mine), len(theirs)) or not np.isfinite(costs).all():
        raise InputError(
            f"costs must be finite numbers in {len(mine)} rows and {len(theirs)} columns; got {costs.shape}"
        )
    return _Flow(mine, theirs, costs).solved()


def _checked(weights: Array) -> Array:
    found = np.asarray(weights, dtype=np.float64)
    total = found.sum() if found.ndim == 1 else 0.0
    if found.ndim != 1 or not np.isfinite(total) or (found < 0).any() or total <= 0:
        raise InputError("weights to be moved must be numbers from 0 up, not all of them 0")
    scaled: Array = found / total
    return scaled


class _Flow:
    """A flow under way: what is left of either side, what has been sent, and the potentials."""

    def __init__(self, left: Array, lacking: Array, cost: Array) -> None:
        self.left, self.lacking, self.cost = left, lacking, cost
        self.sent = np.zeros_like(cost)
        self.columns = cost.min(axis=0)
        self.rows = (cost - self.columns).min(axis=1)

    def solved(self) -> tuple[float, Array]:
        while (self.left > _NOTHING).any() and (self.lacking > _NOTHING).any():
            self._send(*self._path())
        return float((self.sent * self.cost).sum()), self.sent

    def _path(self) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
        """The nearest column that lacks weight, the row before each column and the column before each row."""
        reduced = self.cost - self.rows[:, None] - self.columns
        n, m = reduced.shape
        before_row = np.full(n, -1, dtype=np.int64)
        seen = self.left > _NOTHING
        far_row = np.where(seen, 0.0, np.inf)
        starts = np.flatnonzero(seen)
        nearest = reduced[starts].argmin(axis=0)
        before = starts[nearest]
        far = np.maximum(reduced[before, np.arange(m)], 0.0)
        open_ = np.ones(m, dtype=np.bool_)
        while True:
            column = int(np.where(open_, far, np.inf).argmin())
            distance = far[column]
            if self.lacking[column] > _NOTHING:
                break
            open_[column] = False
            # weight that came into this column can be taken back
            new = np.flatnonzero((self.sent[:, column] > _NOTHING) & ~seen)
            if not len(new):
                continue
            seen[new], far_row[new], before_row[new] = True, distance, column
            nearest = reduced[new].argmin(axis=0)
            through = distance + np.maximum(reduced[new[nearest], np.arange(m)], 0.0)
            nearer = open_ & (through < far)
            far[nearer], before[nearer] = through[nearer], new[nearest[nearer]]
        self.rows[seen] += distance - far_row[seen]
        closed = ~open_
        self.columns[closed] -= distance - far[closed]
        return column, before, before_row

    def _send(self, column: int, before: NDArray[np.int64], before_row: NDArray[np.int64]) -> None:
        """As much as the path takes."""
        path, back = [], []
        amount, here = self.lacking[column], column
        while True:
            row = int(before[here])
            path.append((row, here))
            if before_row[row] < 0:
                break
            here = int(before_row[row])
            back.append((row, here))
            amount = min(amount, self.sent[row, here])
        amount = min(amount, self.left[row])
        for place in path:
            self.sent[place] += amount
        for place in back:
            self.sent[place] = 0.0 if self.sent[place] == amount else self.sent[place] - amount
        self.left[row] = 0.0 if self.left[row] == amount else self.left[row] - amount
        self.lacking[column] = 0.0 if self.lacking[column] == amount else self.lacking[column] - amount
