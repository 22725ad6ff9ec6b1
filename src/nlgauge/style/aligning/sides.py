"""The two sides of an alignment: the articles of one source each, read, checked, and cleaned if that is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from nlgauge.errors import InputError
from nlgauge.io.files import StrPath
from nlgauge.io.tables import chunks
from nlgauge.style.forms import BATCH, Article, read_articles, sources_of

Ints = npt.NDArray[np.int64]
CHANGE_IT = {"headline", "full_text"}


def read_side(path: StrPath, columns: Mapping[str, str] | None = None) -> list[Article]:
    """The articles of a file: rows of articles, or CHANGE-IT's own table."""
    if not columns and _is_change_it(path):
        return read_change_it(path)
    return read_articles(path, columns)


def _is_change_it(path: StrPath) -> bool:
    rows = next(chunks(path, BATCH, any_header=True)).rows  # empty cells of a table are no keys
    keys = {key for row in rows if isinstance(row, dict) for key in row}
    return keys >= CHANGE_IT and "text" not in keys


def read_change_it(path: StrPath) -> list[Article]:
    """A table of the CHANGE-IT task (EVALITA 2020): headline and full_text, without dates and ids.

    The file's name says the source: change-it.ilgiornale.test.csv or ilgiornale.csv. Ids are that name and the row.
    """
    named = Path(path).name.removesuffix(".gz").removesuffix(".zst").rsplit(".", 1)[0]
    parts = [part for part in named.split(".") if part.lower() != "change-it"]
    name = ".".join(parts)
    articles: list[Article] = []
    for chunk in chunks(path, BATCH, any_header=True):
        for number, row in enumerate(chunk.rows):
            values = [row.get(key) or "" for key in ("headline", "full_text")]
            if not all(isinstance(value, str) for value in values):
                raise InputError(f"{chunk.at(number)}: headline and full_text must be texts")
            articles.append(Article(f"{name}-{len(articles)}", parts[0], None, *values))
    return articles


@dataclass(frozen=True)
class Cleaned:
    """Two sides without what cannot be aligned, and how many articles were left out for which reason."""

    a: list[Article]
    b: list[Article]
    empty: int
    undated: int
    in_both: int


def cleaned(a: Sequence[Article], b: Sequence[Article], *, dated: bool) -> Cleaned:
    """Without articles of empty text, texts that both sides have, and, where dates matter, articles without one."""
    sides = [[article for article in side if article.text.strip()] for side in (a, b)]
    empty = len(a) + len(b) - sum(map(len, sides))
    undated = 0
    if dated:
        kept = [[article for article in side if article.date] for side in sides]
        undated, sides = sum(map(len, sides)) - sum(map(len, kept)), kept
    both = {article.text for article in sides[0]} & {article.text for article in sides[1]}
    kept = [[article for article in side if article.text not in both] for side in sides]
    return Cleaned(
        kept[0], kept[1], empty=empty, undated=undated, in_both=sum(map(len, sides)) - sum(map(len, kept))
    )


def two_sources(a: Sequence[Article], b: Sequence[Article]) -> tuple[str, str]:
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


def days_of(articles: Sequence[Article], days: int | None) -> Ints:
    """The dates as numbers of days; where no window of days matters, they need not be known."""
    if days is None:
        return np.zeros(len(articles), dtype=np.int64)
    undated = [article.id for article in articles if article.date is None]
    if undated:
        raise InputError(
            f"{articles[0].source}: article {undated[0]!r} has no date{_others(undated)}; expected a date to compare "
            "those of some days only: add the key date, or align articles of any date"
        )
    return np.array([article.date.toordinal() for article in articles if article.date], dtype=np.int64)
