"""Two invented newspapers, the gazette and the courier, over dated events: which articles tell of the same is known.

Half of each newspaper's articles are of shared events. Of these a fifth are told so differently that little but names
and number is common to both, which puts most of them into the weak band.
"""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import orjson

from nlgauge.errors import InputError
from nlgauge.io import atomic_file
from nlgauge.io.files import StrPath
from nlgauge.style.demonstration.words import (
    ADJECTIVES,
    BESIDE,
    BODIES,
    GIVEN,
    HEADLINES,
    KINDS,
    NOUNS,
    PEOPLE_DID,
    PLACES,
    ROLES,
    SENTENCES,
    STREETS,
    SURNAMES,
    TAIL,
    THINGS_DID,
    TOWNS_DID,
    WEEKDAYS,
    Kind,
)
from nlgauge.style.forms import Article

# Headlines by rule: the facts of an event in the house style of either newspaper, and the facts back from a headline.
#
# Both newspapers mostly take over the order of the agency's line (`Marsh … footbridge in Ashton after 14 weeks`), so
# that their headlines share many words; the verb, the remark and its punctuation are the house's own.


GAZETTE, COURIER = "gazette", "courier"
AGENCY = 0
AGENCY_SHARE = 0.8
_WORD = re.compile(r"\w[\w-]*")
_KIND_OF = {word: kind for kind in KINDS for word in kind.objects}
_SURNAMES, _PLACES = frozenset(SURNAMES), frozenset(PLACES)


@dataclass(frozen=True)
class Facts:
    """What a headline tells."""

    kind: Kind
    object: str
    who: str
    place: str
    number: int


def drawn_facts(draw: random.Random) -> Facts:
    """Facts of some event."""
    kind = draw.choice(KINDS)
    return Facts(kind, draw.choice(kind.objects), draw.choice(SURNAMES), draw.choice(PLACES), draw.randint(2, 399))


def headline(facts: Facts, style: str, draw: random.Random, *, order: int | None = None) -> str:
    """A headline in a house's style; without `order` mostly in the agency's."""
    if order is None:
        order = AGENCY if draw.random() < AGENCY_SHARE else draw.randrange(1, len(HEADLINES["orders"]))
    counted = facts.kind.counted.format(facts.number)
    line = HEADLINES["orders"][order].format(
        who=facts.who,
        verb=draw.choice(facts.kind.gazette if style == GAZETTE else facts.kind.courier),
        object=facts.object,
        Object=facts.object.capitalize(),
        place=facts.place,
        counted=counted,
        Counted=counted.capitalize(),
        pronoun=facts.kind.pronoun,
    )
    return draw.choice(HEADLINES[style]).format(line)


def facts_of(text: str) -> Facts:
    """The facts that a headline of these newspapers tells."""
    words = _WORD.findall(text)
    objects = [word.lower() for word in words if word.lower() in _KIND_OF]
    people = [word for word in words if word in _SURNAMES]
    places = [word for word in words if word in _PLACES]
    numbers = [int(word) for word in words if word.isdecimal()]
    if not (objects and people and places and numbers):
        raise InputError(
            f"{text!r} is no headline of the demonstration's newspapers; expected articles that nlgauge style example "
            "wrote"
        )
    return Facts(_KIND_OF[objects[0]], objects[0], people[0], places[0], numbers[0])


# Articles by rule: an event, and how a newspaper tells it.
#
# Both newspapers write their articles from the same sentences, drawn anew by each: house style is in the headlines, so
# that whether a headline fits an article can be told by facts only.


SHORT = 90  # words; longer articles get a tail of other people and numbers
DETERMINERS = ("a", "one", "the", "some", "another", "that", "this")


@dataclass(frozen=True)
class Event:
    """What happened, and what was seen beside it."""

    facts: Facts
    given: str
    role: str
    body: str
    weekday: str
    things: tuple[str, ...]
    people: tuple[str, ...]
    towns: tuple[tuple[str, int, str], ...]
    tail: tuple[dict[str, str], ...]


def drawn_event(draw: random.Random, words: int) -> Event:
    """An event of which articles of so many words can be written."""
    return Event(
        facts=drawn_facts(draw),
        given=draw.choice(GIVEN),
        role=draw.choice(ROLES),
        body=draw.choice(BODIES),
        weekday=draw.choice(WEEKDAYS),
        things=tuple(f"{draw.choice(ADJECTIVES)} {noun}" for noun in draw.sample(NOUNS, 10)),
        people=tuple(f"{draw.choice(GIVEN)} {draw.choice(SURNAMES)}" for _ in range(4)),
        towns=tuple((draw.choice(PLACES), draw.randint(400, 999), draw.choice(STREETS)) for _ in range(4)),
        tail=tuple(_tail(draw) for _ in range(max(words - SHORT, 0) // 6)),
    )


def _tail(draw: random.Random) -> dict[str, str]:
    return {
        "first": draw.choice(GIVEN),
        "first2": draw.choice(GIVEN),
        "tail": draw.choice(TAIL),
        "other": draw.choice(TAIL),
        "big": str(draw.randint(1_000, 99_999)),
        "town": draw.choice(PLACES),
        "street": draw.choice(STREETS),
        "role": draw.choice(ROLES),
    }


def article(event: Event, draw: random.Random, words: int, *, other: Event | None = None) -> str:
    """An article of about so many words (two thirds to four thirds); with `other`, all but the main facts are those of
    another event."""
    length = draw.uniform(2 / 3, 4 / 3) * words
    beside = other or event
    known = {
        "who": event.facts.who,
        "place": event.facts.place,
        "object": event.facts.object,
        "pronoun": event.facts.kind.pronoun,
        "past": event.facts.kind.past,
        "counted": event.facts.kind.counted.format(event.facts.number),
        "given": event.given,
        "role": beside.role,
        "body": beside.body,
        "weekday": beside.weekday,
    }
    known["Counted"] = known["counted"].capitalize()
    sentences = [draw.choice(SENTENCES["leads"]).format_map(known), draw.choice(SENTENCES["second"]).format_map(known)]
    middle = _middle(beside, draw)
    draw.shuffle(middle)
    size = sum(map(_words, sentences))
    for sentence in [*middle, *(draw.choice(SENTENCES["tails"]).format_map(person) for person in beside.tail)]:
        if size >= length:
            break
        sentences.append(sentence)
        size += _words(sentence)
    return " ".join(sentences)


def _middle(event: Event, draw: random.Random) -> list[str]:
    """What was seen beside the event: the same things for both newspapers, in words of their own."""

    def some(thing: str) -> str:
        return f"{draw.choice(DETERMINERS)} {thing}"

    things = draw.sample(event.things, len(event.things))
    seen = [
        f"{some(things.pop()).capitalize()} {draw.choice(THINGS_DID)} {draw.choice(BESIDE)} {some(things.pop())}."
        for _ in range(3)
    ]
    did = [f"{person} {draw.choice(PEOPLE_DID)} {some(things.pop())}." for person in event.people]
    gave = [
        f"{town} {draw.choice(TOWNS_DID)} {number} {draw.choice(BESIDE)} {street}."
        for town, number, street in event.towns
    ]
    return [*seen, *did, *gave]


def _words(sentence: str) -> int:
    return sentence.count(" ") + 1


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
