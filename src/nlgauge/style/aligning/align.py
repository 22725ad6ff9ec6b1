"""Two sources, their pairs, and how many there would be at other thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from nlgauge.arrays import Ints
from nlgauge.errors import InputError
from nlgauge.style.aligning.sides import days_of, sources_of_sides
from nlgauge.style.aligning.vectors import TERMS, splitter, tfidf
from nlgauge.style.forms import STRONG, WEAK, Article, Pair

# All pairs of two collections whose cosine reaches a threshold, within a window of days: exact and in blocks.
#
# The few terms that most articles have (`the`, `of`, …) make a sparse product slow, the many others make a dense one
# slow. So the columns are parted: frequent terms are multiplied as dense matrices, all others by an inverted index,
# both in single precision. What lies above the threshold less the bound of the rounding errors is computed again in
# double precision; no pair is lost, and memory holds one window of one collection.


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


@dataclass(frozen=True)
class AlignSettings:
    """The defaults are the paper's thresholds; it does not say how many days its window has."""

    days: int | None = 7  # None: any
    strong: float = 0.5
    weak: float = 0.185
    many: bool = False
    floor: float | None = None  # the curve begins here; None: at the weak threshold
    tok: str = TERMS

    def __post_init__(self) -> None:
        if not 0 < self.weak < self.strong < 1:
            raise InputError(
                f"the thresholds must lie as 0 < weak < strong < 1, not weak {self.weak:g} and strong {self.strong:g}"
            )
        if self.floor is not None and not 0 < self.floor <= self.weak:
            raise InputError(
                f"the curve must begin above 0 and not above the weak threshold {self.weak:g}, not at {self.floor:g}"
            )


@dataclass(frozen=True)
class Point:
    """A threshold, and how many pairs lie above it."""

    threshold: float
    pairs: int


@dataclass(frozen=True)
class Alignment:
    """The pairs by score, and the threshold curve."""

    sources: tuple[str, str]
    articles: tuple[int, int]
    pairs: list[Pair]
    curve: list[Point]

    def in_band(self, band: str) -> int:
        """How many pairs a band has."""
        return sum(pair.band == band for pair in self.pairs)


def align(
    a: Sequence[Article],
    b: Sequence[Article],
    settings: AlignSettings | None = None,
    *,
    done: Callable[[int], None] | None = None,
) -> Alignment:
    """The pairs of two sources' articles.

    One-to-one pairs are chosen greedily by score: the closest pair first, then the closest of articles that are still
    alone. So a strong pair is never given up to make two weak ones, which a choice of the greatest sum would do, and
    the outcome does not depend on the order of the files (equal scores are taken by their ids).
    """
    chosen = settings or AlignSettings()
    first, second = sources_of_sides([a, b])
    vectors = tfidf((article.text for article in a), (article.text for article in b), splitter(chosen.tok))
    floor = chosen.floor or chosen.weak
    close = close_pairs(
        *vectors,
        days_of(a, chosen.days),
        days_of(b, chosen.days),
        days=chosen.days,
        threshold=floor,
        done=done,
    )
    ids_a, ids_b = ([article.id for article in articles] for articles in (a, b))
    order = _by_score(close, ids_a, ids_b)
    if not chosen.many:
        order = one_to_one(close, order)
    above = [
        (ids_a[close.a[place]], ids_b[close.b[place]], float(close.score[place]))
        for place in order
        if close.score[place] > chosen.weak
    ]
    pairs = [Pair(left, right, score, STRONG if score > chosen.strong else WEAK) for left, right, score in above]
    return Alignment((first, second), (len(a), len(b)), pairs, curve(close.score[order], chosen))


def one_to_one(close: Close, order: Ints) -> Ints:
    """Of the places in `order` those whose two articles are in no earlier pair."""
    taken_a = np.zeros(int(close.a.max(initial=-1)) + 1, dtype=bool)
    taken_b = np.zeros(int(close.b.max(initial=-1)) + 1, dtype=bool)
    kept = []
    for place, left, right in zip(order.tolist(), close.a[order].tolist(), close.b[order].tolist(), strict=True):
        if not (taken_a[left] or taken_b[right]):
            taken_a[left] = taken_b[right] = True
            kept.append(place)
    return np.array(kept, dtype=np.int64)


def curve(scores: Floats, settings: AlignSettings) -> list[Point]:
    """How many of the pairs lie above each threshold, in steps of .05, and above the two bands' own."""
    floor = settings.floor or settings.weak
    steps = {round(step * 0.05, 2) for step in range(1, 20)}
    thresholds = sorted({step for step in steps if step > floor} | {floor, settings.weak, settings.strong})
    return [Point(threshold, int((scores > threshold).sum())) for threshold in thresholds]


def _by_score(close: Close, ids_a: Sequence[str], ids_b: Sequence[str]) -> Ints:
    """The places of the pairs, the closest first; equal scores by the ids."""
    ranks = [_ranks(ids)[rows] for ids, rows in ((ids_a, close.a), (ids_b, close.b))]
    return np.lexsort((ranks[1], ranks[0], -close.score))


def _ranks(ids: Sequence[str]) -> Ints:
    ranks = np.empty(len(ids), dtype=np.int64)
    ranks[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
    return ranks
