"""The sides of an alignment or a split: articles of one source each, read, checked, cleaned if that is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.arrays import Ints
from nlgauge.errors import InputError, option
from nlgauge.io.files import StrPath
from nlgauge.io.tables import chunks
from nlgauge.style.forms import BATCH, Article, read_articles, sources_of

CHANGE_IT = {"headline", "full_text"}


def read_side(path: StrPath, columns: Mapping[str, str] | None = None) -> list[Article]:
    """The articles of a file: rows of articles, or CHANGE-IT's own table."""
    if not columns and _is_change_it(path):
        return read_change_it(path)
    return read_articles(path, columns)


def _is_change_it(path: StrPath) -> bool:
    rows = next(chunks(path, BATCH, any_header=True, each="article")).rows  # empty cells of a table are no keys
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
    for chunk in chunks(path, BATCH, any_header=True, each="article"):
        for number, row in enumerate(chunk.rows):
            values = [row.get(key) or "" for key in ("headline", "full_text")]
            if not all(isinstance(value, str) for value in values):
                raise InputError(f"{chunk.at(number)}: headline and full_text must be texts")
            articles.append(Article(f"{name}-{len(articles)}", parts[0], None, *values))
    return articles


@dataclass(frozen=True)
class Cleaned:
    """Sides without what cannot be aligned, and how many articles were left out for which reason."""

    sides: list[list[Article]]
    empty: int
    undated: int
    in_several: int


def cleaned(sides: Sequence[Sequence[Article]], *, dated: bool) -> Cleaned:
    """Without articles of empty text, texts of several sides, and, where dates matter, articles without one."""
    told = [[article for article in side if article.text.strip()] for side in sides]
    known = [[article for article in side if article.date or not dated] for side in told]
    texts = Counter(text for side in known for text in {article.text for article in side})
    kept = [[article for article in side if texts[article.text] == 1] for side in known]
    sizes = [sum(map(len, stage)) for stage in (sides, told, known, kept)]
    empty, undated, in_several = (before - after for before, after in pairwise(sizes))
    return Cleaned(kept, empty=empty, undated=undated, in_several=in_several)


def sources_of_sides(sides: Sequence[Sequence[Article]]) -> tuple[str, ...]:
    """The sources, checked: one a side, each another, with texts, and no text on two sides."""
    known: dict[str, Article] = {}
    ids: set[str] = set()
    sources: list[str] = []
    for number, articles in enumerate(sides, 1):
        if not articles:
            raise InputError(f"side {number} has no articles; expected those of one source")
        named = sources_of(articles)
        if len(named) > 1:
            raise InputError(
                f"side {number} has articles of {len(named)} sources ({', '.join(named[:3])}); expected one: write "
                "each source into a file of its own"
            )
        empty = [article.id for article in articles if not article.text.strip()]
        if empty:
            raise InputError(
                f"{named[0]}: article {empty[0]!r} has an empty text{_others(empty)}; expected text to compare: "
                f"leave such articles out ({option('clean')})"
            )
        if named[0] in sources:
            raise InputError(
                f"two sides are of the source {named[0]!r}; expected another each: name them in the key source of the "
                "rows"
            )
        same = [(known[article.text], article) for article in articles if article.text in known]
        if same:
            (first, second) = same[0]
            raise InputError(
                f"article {first.id!r} of {first.source} and {second.id!r} of {second.source} have the same text"
                f"{_others(same)}; expected each source's own words: leave such articles out, as agency reports "
                f"and copies are ({option('clean')})"
            )
        known.update({article.text: article for article in articles})
        twice = next((article.id for article in articles if article.id in ids), None)
        if twice is not None:
            raise InputError(f"two sources have an article with the id {twice!r}; give each article its own")
        ids.update(article.id for article in articles)
        sources.append(named[0])
    if len(sources) < 2:
        raise InputError(f"there is one source only, {sources[0]!r}; expected two or more")
    return tuple(sources)


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
            f"those of some days only: add the key date, leave such articles out ({option('clean')}), or compare all "
            f"({option('any_date')})"
        )
    return np.array([article.date.toordinal() for article in articles if article.date], dtype=np.int64)
