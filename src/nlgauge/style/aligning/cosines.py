"""All pairs of two collections whose cosine reaches a threshold, within a window of days: exact and in blocks.

The few terms that most articles have (`the`, `of`, …) make a sparse product slow, the many others make a dense one
slow. So the columns are parted: frequent terms are multiplied as dense matrices, all others by an inverted index, both
in single precision. What lies above the threshold less the bound of the rounding errors is computed again in double
precision; no pair is lost, and memory holds one window of one collection.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nlgauge.arrays import Ints
from nlgauge.errors import InputError

ROWS, COLUMNS = 1024, 2048
MOST_DENSE = 2048
SPARSE_COST = 150.0  # what a product of the inverted index takes, in dense ones; measured, and matters for speed only
MOST_PAIRS = 50_000_000
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Close:
    """Row of A, row of B and cosine of each pair, by rows."""

    a: Ints
    b: Ints
    score: Floats


def close_pairs(
    a: Any,
    b: Any,
    days_a: Ints,
    days_b: Ints,
    *,
    days: int | None,
    threshold: float,
    done: Callable[[int], None] | None = None,
) -> Close:
    """The pairs of cosine ≥ threshold whose dates are at most `days` apart (None: any)."""
    order_a, order_b = np.argsort(days_a, kind="stable"), np.argsort(days_b, kind="stable")
    a, b, days_a, days_b = a[order_a], b[order_b], days_a[order_a], days_b[order_b]
    frequent = _frequent(a, b)
    parts = _Parts(a, frequent), _Parts(b, frequent)
    margin = 2.0**-23 * (len(frequent) + int(np.diff(a.indptr).max(initial=0)) + 8)
    found: list[Close] = []
    total = 0
    for first in range(0, a.shape[0], ROWS):
        last = min(first + ROWS, a.shape[0])
        low, high = 0, b.shape[0]
        if days is not None:
            low = int(np.searchsorted(days_b, days_a[first] - days, side="left"))
            high = int(np.searchsorted(days_b, days_a[last - 1] + days, side="right"))
        parts[1].forget_before(low // COLUMNS)
        dense, rare = parts[0].block(first, last)
        for chunk in range(low // COLUMNS, -(-high // COLUMNS)):
            columns, inverted = parts[1].chunk(chunk)
            start = chunk * COLUMNS
            rows, cols = _candidates(dense, rare, columns, inverted, threshold - margin)
            rows, cols = rows + first, cols + start
            if days is not None:
                near = np.abs(days_a[rows] - days_b[cols]) <= days
                rows, cols = rows[near], cols[near]
            scores = exact(a, b, rows, cols)
            kept = scores >= threshold
            found.append(Close(rows[kept], cols[kept], scores[kept]))
            total += int(kept.sum())
            if total > MOST_PAIRS:
                raise InputError(
                    f"more than {MOST_PAIRS:,} pairs have a cosine of {threshold:g} or more; expected fewer: raise the "
                    "weak threshold, or let fewer days lie between two articles"
                )
        if done is not None:
            done(last - first)
    rows = np.concatenate([close.a for close in found]) if found else np.zeros(0, np.int64)
    cols = np.concatenate([close.b for close in found]) if found else np.zeros(0, np.int64)
    scores = np.concatenate([close.score for close in found]) if found else np.zeros(0)
    rows, cols = order_a[rows], order_b[cols]
    by_rows = np.lexsort((cols, rows))
    return Close(rows[by_rows], cols[by_rows], scores[by_rows])


def exact(a: Any, b: Any, rows: Ints, cols: Ints, size: int = 16_384) -> Floats:
    """The cosines of given rows, in double precision."""
    scores = np.empty(len(rows))
    for start in range(0, len(rows), size):
        part = slice(start, start + size)
        scores[part] = np.asarray(a[rows[part]].multiply(b[cols[part]]).sum(axis=1)).ravel()
    return np.minimum(scores, 1.0)


def _frequent(a: Any, b: Any) -> Ints:
    """The columns whose products come cheaper dense: where nonzero times nonzero is likely."""
    share = (a.getnnz(axis=0) / max(a.shape[0], 1)) * (b.getnnz(axis=0) / max(b.shape[0], 1))
    chosen = np.flatnonzero(share * SPARSE_COST > 1)
    return np.sort(chosen[np.argsort(-share[chosen], kind="stable")[:MOST_DENSE]])


class _Parts:
    """A matrix parted by columns, with blocks of its rows made dense or inverted when they are asked for."""

    def __init__(self, matrix: Any, frequent: Ints) -> None:
        single = matrix.astype(np.float32)
        self._dense = single[:, frequent]
        single.data[np.isin(single.indices, frequent)] = 0
        single.eliminate_zeros()
        self._rare = single
        self._chunks: dict[int, tuple[Any, Any]] = {}

    def block(self, first: int, last: int) -> tuple[Any, Any]:
        return self._dense[first:last].toarray(), self._rare[first:last]

    def chunk(self, number: int) -> tuple[Any, Any]:
        if number not in self._chunks:
            dense, rare = self.block(number * COLUMNS, min((number + 1) * COLUMNS, self._rare.shape[0]))
            self._chunks[number] = np.ascontiguousarray(dense.T), rare.T.tocsr()
        return self._chunks[number]

    def forget_before(self, number: int) -> None:
        for earlier in [known for known in self._chunks if known < number]:
            del self._chunks[earlier]


def _candidates(dense: Any, rare: Any, columns: Any, inverted: Any, threshold: float) -> tuple[Ints, Ints]:
    """Rows and columns of the cells that may reach the threshold."""
    cells = dense @ columns
    products = rare @ inverted
    rows = np.repeat(np.arange(products.shape[0]), np.diff(products.indptr))
    cells[rows, products.indices] += products.data  # each cell is there once
    found_rows, found_columns = np.nonzero(cells >= np.float32(threshold))
    return found_rows.astype(np.int64), found_columns.astype(np.int64)
