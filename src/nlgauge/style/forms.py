"""The rows of style transfer: articles of several sources, aligned pairs of them, and what systems made of headlines.

An article: {"id", "source", "date", "headline", "text"}; in a split also "pair", the id of its aligned article.
A pair:     {"a", "b", "score", "band"}: two articles' ids, the cosine of their texts, strong or weak.
A transfer: {"id", "direction", "system", "text"}: of which article, "SOURCE>TARGET", by whom, the new headline.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError
from nlgauge.io.columns import Columns
from nlgauge.io.files import StrPath, suffix
from nlgauge.io.tables import chunks

BATCH = 4096
STRONG, WEAK = "strong", "weak"
ARROW = ">"
PARTS = ("test", "a1", "a3", "rest")
"""The files of a split: the paper's A2 is the test set, A1 and A3 are the rest of the strong band, R is all else."""


@dataclass(frozen=True)
class Article:
    """A text with its headline; the date may be unknown."""

    id: str
    source: str
    date: datetime.date | None
    headline: str
    text: str
    pair: str = ""  # the id of the article that it is aligned with

    def to_row(self) -> dict[str, Any]:
        """As a row of a file."""
        row: dict[str, Any] = {
            "id": self.id,
            "source": self.source,
            "date": self.date.isoformat() if self.date else None,
            "headline": self.headline,
            "text": self.text,
        }
        return {**row, "pair": self.pair} if self.pair else row


@dataclass(frozen=True)
class Pair:
    """Two articles of different sources that tell of the same."""

    a: str
    b: str
    score: float
    band: str

    def to_row(self) -> dict[str, Any]:
        """As a row of a file."""
        return {"a": self.a, "b": self.b, "score": self.score, "band": self.band}


@dataclass(frozen=True)
class Transfer:
    """A headline that a system wrote in the style of another source."""

    id: str
    direction: str
    system: str
    text: str

    @property
    def target(self) -> str:
        """The source whose style was asked for."""
        return self.direction.partition(ARROW)[2]

    def to_row(self) -> dict[str, Any]:
        """As a row of a file."""
        return {"id": self.id, "direction": self.direction, "system": self.system, "text": self.text}


def direction_of(source: str, target: str) -> str:
    """The name of a direction."""
    return f"{source}{ARROW}{target}"


def read_articles(path: StrPath, columns: Mapping[str, str] | None = None, *, source: str = "") -> list[Article]:
    """The articles of one file; `source` is that of rows which name none."""
    articles = []
    known: set[str] = set()
    for row, place in _rows(path, "article", columns):
        article = Article(
            id=_text(row, "id", place),
            source=_source(row, place) if row.get("source") is not None or not source else source,
            date=_date(row.get("date"), place),
            headline=_text(row, "headline", place, empty=True),
            text=_text(row, "text", place, empty=True),
            pair=_text(row, "pair", place) if row.get("pair") is not None else "",
        )
        if article.id in known:
            raise InputError(f"{place}: a second article has the id {article.id!r}; give each its own")
        known.add(article.id)
        articles.append(article)
    return articles


def are_pairs(path: StrPath) -> bool:
    """Whether a file holds pairs rather than articles."""
    for row, _ in _rows(path, "article or pair"):
        return {"a", "b", "score"} <= row.keys()
    return False


def read_pairs(path: StrPath) -> list[Pair]:
    """The pairs of one file."""
    pairs = []
    for row, place in _rows(path, "pair"):
        score = row.get("score")
        if isinstance(score, str):
            try:
                score = float(score)
            except ValueError:
                score = None
        if not isinstance(score, int | float) or isinstance(score, bool) or not 0 <= score <= 1:
            raise InputError(f"{place}: score must be a number from 0 to 1, not {row.get('score')!r}")
        band = row.get("band")
        if band not in (STRONG, WEAK):
            raise InputError(f"{place}: band must be {STRONG} or {WEAK}, not {band!r}")
        pairs.append(Pair(_text(row, "a", place), _text(row, "b", place), float(score), band))
    return pairs


def read_transfers(path: StrPath, columns: Mapping[str, str] | None = None) -> list[Transfer]:
    """What systems wrote; a system has one output for an article and direction."""
    transfers = []
    known: set[tuple[str, str, str]] = set()
    for row, place in _rows(path, "headline that a system wrote", columns):
        direction = _text(row, "direction", place)
        source, _, target = (part.strip() for part in direction.partition(ARROW))
        if not (source and target) or ARROW in target or source == target:
            raise InputError(f"{place}: direction must be SOURCE{ARROW}TARGET with two sources, not {direction!r}")
        direction = direction_of(source, target)
        transfer = Transfer(
            _text(row, "id", place),
            direction,
            _text(row, "system", place),
            _text(row, "text", place, empty=True),
        )
        key = (transfer.id, direction, transfer.system)
        if key in known:
            raise InputError(
                f"{place}: a second output of {transfer.system} for {transfer.id!r}, {direction}; keep one"
            )
        known.add(key)
        transfers.append(transfer)
    return transfers


def read_split(folder: StrPath) -> dict[str, list[Article]]:
    """The articles of each part of a folder that `nlgauge style split` wrote; a part may have none."""
    return {part: read_part(folder, part) for part in PARTS}


def read_part(folder: StrPath, part: str) -> list[Article]:
    """The articles of one part."""
    path = Path(folder) / f"{part}.jsonl"
    if not path.is_file():
        raise InputError(f"{folder} has no {path.name}; expected a folder that nlgauge style split wrote")
    return read_articles(path) if path.stat().st_size else []


def sources_of(articles: Sequence[Article]) -> list[str]:
    """The sources, in alphabetical order."""
    return sorted({article.source for article in articles})


def _rows(
    path: StrPath, each: str, columns: Mapping[str, str] | None = None
) -> Iterator[tuple[Mapping[str, Any], str]]:
    named = Columns(columns, synonyms={}) if columns else None
    for chunk in chunks(path, BATCH, any_header=True, allow_extra=True, each=each, columns=named):
        emptied = _emptied(chunk.rows) if suffix(path) in (".csv", ".tsv") else {}
        for number, row in enumerate(chunk.rows):
            place = chunk.at(number)
            if not isinstance(row, dict):
                raise InputError(f"{place}: expected an object with keys")
            yield {**emptied, **row}, place


def _emptied(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """What the empty cells of a table hold, which are no keys of their rows."""
    return {name: "" for name in ("headline", "text") if any(name in row for row in rows)}


def _text(row: Mapping[str, Any], key: str, place: str, *, empty: bool = False) -> str:
    value = row.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not (empty or value.strip()):
        given = "there is none" if value is None else f"not {value!r}"
        raise InputError(f"{place}: {key} must be a text, {given}")
    return value


def _source(row: Mapping[str, Any], place: str) -> str:
    source = _text(row, "source", place)
    if ARROW in source:
        raise InputError(
            f"{place}: the source {source!r} has a {ARROW} in its name, which parts the two sources of a direction; "
            "call it otherwise"
        )
    return source


def _date(value: Any, place: str) -> datetime.date | None:
    if value is None or value == "":
        return None
    if isinstance(value, datetime.date):  # as Parquet has it, with or without a time
        return datetime.date(value.year, value.month, value.day)
    try:
        return datetime.datetime.strptime(value[:10], "%Y-%m-%d").date()
    except (TypeError, ValueError):
        raise InputError(f"{place}: date must be written as 2026-01-31, not {value!r}") from None
