"""Two sources, their pairs, and how many there would be at other thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.arrays import Ints
from nlgauge.errors import InputError
from nlgauge.style.aligning.cosines import Close, Floats, close_pairs
from nlgauge.style.aligning.sides import days_of, sources_of_sides
from nlgauge.style.aligning.vectors import TERMS, splitter, tfidf
from nlgauge.style.forms import STRONG, WEAK, Article, Pair


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
