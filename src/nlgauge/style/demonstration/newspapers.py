"""Two invented newspapers, the gazette and the courier, over dated events: which articles tell of the same is known.

Half of each newspaper's articles are of shared events. Of these a fifth are told so differently that little but names
and number is common to both, which puts most of them into the weak band.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import orjson

from nlgauge.errors import InputError
from nlgauge.io import atomic_file
from nlgauge.io.files import StrPath
from nlgauge.style.demonstration.articles import article, drawn_event
from nlgauge.style.demonstration.headlines import COURIER, GAZETTE, headline
from nlgauge.style.forms import Article

FIRST_DAY = datetime.date(2025, 1, 1)
OTHERWISE = 0.2  # the share of shared events that the two tell differently
EVENTS = "events.jsonl"
_SHARED, _GAZETTE, _COURIER = range(3)
_DIFFER = 1_000_003  # the second story of an event has a number of its own


@dataclass(frozen=True)
class NewspaperSettings:
    """How much there is of what."""

    articles: int = 2000
    words: int = 90
    days: int = 1095
    seed: int = 12345

    def __post_init__(self) -> None:
        for name, least in (("articles", 4), ("words", 60), ("days", 1)):
            if getattr(self, name) < least:
                raise InputError(f"{name} must be at least {least}, not {getattr(self, name)}")


@dataclass(frozen=True)
class Newspapers:
    """The articles of both, and the ids of those that tell of the same event."""

    gazette: list[Article]
    courier: list[Article]
    events: list[tuple[str, str]]


def newspapers(articles: int = 2000, *, words: int = 90, days: int = 1095, seed: int = 12345) -> Newspapers:
    """Both newspapers, with so many articles each."""
    made = Newspapers([], [], [])
    for left, right in told(NewspaperSettings(articles, words, days, seed)):
        made.gazette.extend([left] if left else [])
        made.courier.extend([right] if right else [])
        made.events.extend([(left.id, right.id)] if left and right else [])
    return made


def write_newspapers(folder: StrPath, settings: NewspaperSettings) -> dict[str, int]:
    """Write gazette.jsonl, courier.jsonl and events.jsonl as the articles are made; returns how many rows each has."""
    home = Path(folder)
    home.mkdir(parents=True, exist_ok=True)
    rows = {f"{GAZETTE}.jsonl": 0, f"{COURIER}.jsonl": 0, EVENTS: 0}
    with ExitStack() as opened:
        files = {name: opened.enter_context(atomic_file(home / name)) for name in rows}
        for left, right in told(settings):
            pair = {"a": left.id, "b": right.id} if left and right else None
            for name, row in zip(rows, (left and left.to_row(), right and right.to_row(), pair), strict=True):
                if row:
                    files[name].write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
                    rows[name] += 1
    return rows


def told(settings: NewspaperSettings) -> Iterator[tuple[Article | None, Article | None]]:
    """Event by event, in the order of time, what each newspaper wrote of it, if anything."""
    shared = settings.articles // 2
    own = settings.articles - shared
    tellers = [_SHARED] * shared + [_GAZETTE] * own + [_COURIER] * own
    random.Random(f"{settings.seed} tellers").shuffle(tellers)
    written = {GAZETTE: 0, COURIER: 0}
    for number, teller in enumerate(tellers):
        draw = random.Random(f"{settings.seed} {number}")
        event = drawn_event(draw, settings.words)
        differs = teller == _SHARED and draw.random() < OTHERWISE
        other = drawn_event(random.Random(f"{settings.seed} {number + _DIFFER}"), settings.words) if differs else None
        day = FIRST_DAY + datetime.timedelta(days=number * settings.days // len(tellers))
        articles: list[Article | None] = []
        for source in (GAZETTE, COURIER):
            if teller == (_COURIER if source == GAZETTE else _GAZETTE):
                articles.append(None)
                continue
            written[source] += 1
            articles.append(
                Article(
                    id=f"{source}-{written[source]}",
                    source=source,
                    date=day + datetime.timedelta(days=draw.choice((0, 0, 1))),
                    headline=headline(event.facts, source, draw),
                    text=article(event, draw, settings.words, other=other if source == COURIER else None),
                )
            )
        yield articles[0], articles[1]
