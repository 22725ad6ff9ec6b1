"""Two sources, their pairs, and how many there would be at other thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge.errors import InputError
from nlgauge.style.aligning.cosines import Close, Floats, Ints, close_pairs
from nlgauge.style.aligning.vectors import TERMS, splitter, tfidf
from nlgauge.style.forms import STRONG, WEAK, Article, Pair, sources_of


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
    """A threshold, the pairs above it, and the articles of both sources that they leave alone."""

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
    sources = _two_sources(a, b)
    vectors = tfidf((one.text for one in a), (one.text for one in b), splitter(chosen.tok))
    floor = chosen.floor or chosen.weak
    close = close_pairs(
        *vectors,
        _days(a, chosen),
        _days(b, chosen),
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
    pairs = [
        Pair(left, right, score, STRONG if score > chosen.strong else WEAK) for left, right, score in above
    ]
    return Alignment(sources, (len(a), len(b)), pairs, curve(close.score[order], chosen))


def one_to_one(close: Close, order: Ints) -> Ints:
    """Of the places in `order` those whose two articles are in no earlier pair."""
    taken_a = np.zeros(int(close.a.max(initial=-1)) + 1, dtype=bool)
    taken_b = np.zeros(int(close.b.max(initial=-1)) + 1, dtype=bool)
    kept = []
    for place, left, right in zip(
        order.tolist(), close.a[order].tolist(), close.b[order].tolist(), strict=True
    ):
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


def _two_sources(a: Sequence[Article], b: Sequence[Article]) -> tuple[str, str]:
    """The sources of both sides, checked: one each, two in all, with texts, and no text in both."""
    for articles, side in ((a, "first"), (b, "second")):
        if not articles:
            raise InputError(f"the {side} side has no articles; expected those of one source")
        named = sources_of(articles)
        if len(named) > 1:
            raise InputError(
                f"the {side} side has articles of {len(named)} sources ({', '.join(named[:3])}); expected one: write "
                "each source into a file of its own, and align two at a time"
            )
        empty = [article.id for article in articles if not article.text.strip()]
        if empty:
            raise InputError(
                f"{named[0]}: article {empty[0]!r} has an empty text{_others(empty)}; expected text to compare: "
                "leave such articles out"
            )
    sources = a[0].source, b[0].source
    if sources[0] == sources[1]:
        raise InputError(
            f"both sides are of the source {sources[0]!r}; expected two: name them in the key source of the rows"
        )
    known = {article.text: article.id for article in a}
    same = [(known[article.text], article.id) for article in b if article.text in known]
    if same:
        raise InputError(
            f"article {same[0][0]!r} of {sources[0]} and {same[0][1]!r} of {sources[1]} have the same text"
            f"{_others(same)}; expected each source's own words: leave such articles out (agency reports, copies)"
        )
    return sources


def _others(found: Sequence[Any]) -> str:
    return f", and {len(found) - 1:,} more" if len(found) > 1 else ""


def _days(articles: Sequence[Article], settings: AlignSettings) -> Ints:
    """The dates as numbers of days."""
    if settings.days is None:
        return np.zeros(len(articles), dtype=np.int64)
    undated = [article.id for article in articles if article.date is None]
    if undated:
        raise InputError(
            f"{articles[0].source}: article {undated[0]!r} has no date{_others(undated)}; expected a date to compare "
            "those of some days only: add the key date, or align articles of any date"
        )
    return np.array([article.date.toordinal() for article in articles if article.date], dtype=np.int64)
