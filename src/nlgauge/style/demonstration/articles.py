"""Articles by rule: an event, and how a newspaper tells it.

Both newspapers write their articles from the same sentences, drawn anew by each: house style is in the headlines, so
that whether a headline fits an article can be told by facts only.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from nlgauge.style.demonstration.headlines import Facts, drawn_facts
from nlgauge.style.demonstration.words import (
    ADJECTIVES,
    BESIDE,
    BODIES,
    GIVEN,
    NOUNS,
    PEOPLE_DID,
    PLACES,
    ROLES,
    STREETS,
    SURNAMES,
    TAIL,
    THINGS_DID,
    TOWNS_DID,
    WEEKDAYS,
)

SHORT = 90  # words; longer articles get a tail of other people and numbers
LEADS = (
    "{given} {who}, {role}, {past} the {object} in {place} on {weekday}.",
    "On {weekday} {role} {given} {who} {past} the {object} in {place}.",
    "The {object} in {place} was {weekday}: {role} {given} {who} {past} {pronoun}.",
    "{place}, {weekday}. {given} {who}, the {role}, {past} the {object}.",
)
SECOND = (
    "{Counted}, {who} told the {body}.",
    "It was done {counted}, {who} told the {body}.",
    "The {body} heard from {who}: {counted}.",
    "{who} did it {counted}, said the {body}.",
)
DETERMINERS = ("a", "one", "the", "some", "another", "that", "this")

TAILS = (
    "There was a {0} beside a {1}.",
    "Visitors admired a {0} and a {1}.",
    "Somebody had left a {0} under a {1}.",
    "A {0} stood where a {1} used to be.",
    "Photographs show a {0}; others show a {1}.",
    "Children carried a {0} towards a {1}.",
    "Without a {0}, one heard, no {1} would have helped.",
    "Behind a {0} lay a {1}.",
    "Instead of a {0} they brought a {1}.",
    "A {0} fell over, then a {1} followed.",
    "Police took away a {0} but not a {1}.",
    "Between a {0} and a {1} there was hardly room.",
    "Guests praised a {0}, critics praised a {1}.",
    "Rain ruined a {0} and spared a {1}.",
    "Later a {0} changed hands, so did a {1}.",
    "Insurance covers a {0}, never a {1}.",
)
CLOSINGS = (
    "More is expected next month.",
    "The costs remain unknown.",
    "A decision about repairs will follow soon.",
    "Similar plans exist elsewhere.",
    "Questions were not allowed.",
    "The evening ended with songs.",
    "Traffic returned to normal before noon.",
    "Lunch was served afterwards.",
    "Opponents announced an appeal.",
    "Nothing else happened that week.",
)
TAILS = (
    "{first} {tail} brought {big} signatures from {street}.",
    "Record {big} belongs to {first} {tail}.",
    "{tail}, a {role}, counted {big} and stopped.",
    "Letters reached {first} {tail} and {other}, {big} altogether.",
    "According to {tail} it was {big}; {other} disagreed.",
    "{first} {tail} left for {town} carrying {big} leaflets.",
    "Account {big} was opened by {other} on behalf of {tail}.",
    "{town} sent {first} {tail}, whose lorry bore plate {big}.",
    "Asked twice, {other} named {tail} and section {big}.",
    "Invoice {big} went to {first} {tail}, {role}.",
    "{tail} lent {other} exactly {big}, payable in {town}.",
    "Telephone {big} rang; {first} {tail} answered.",
    "Parcel {big}, addressed to {other}, lay with {first} {tail}.",
    "{first} {tail} and {first2} {other} shared room {big}.",
    "From {town}, {tail} wired {big} to {other}.",
    "Lot {big} went under the hammer; {first} {tail} won it.",
)


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
        drawn_facts(draw),
        draw.choice(GIVEN),
        draw.choice(ROLES),
        draw.choice(BODIES),
        draw.choice(WEEKDAYS),
        tuple(f"{draw.choice(ADJECTIVES)} {noun}" for noun in draw.sample(NOUNS, 10)),
        tuple(f"{draw.choice(GIVEN)} {draw.choice(SURNAMES)}" for _ in range(4)),
        tuple((draw.choice(PLACES), draw.randint(400, 999), draw.choice(STREETS)) for _ in range(4)),
        tuple(_tail(draw) for _ in range(max(words - SHORT, 0) // 6)),
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
    sentences = [draw.choice(LEADS).format_map(known), draw.choice(SECOND).format_map(known)]
    middle = _middle(beside, draw)
    draw.shuffle(middle)
    size = sum(map(_words, sentences))
    for sentence in [*middle, *(draw.choice(TAILS).format_map(person) for person in beside.tail)]:
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
