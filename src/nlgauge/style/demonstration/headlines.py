"""Headlines by rule: the facts of an event in the house style of either newspaper, and the facts back from a headline.

Both newspapers mostly take over the order of the agency's line (`Marsh … footbridge in Ashton after 14 weeks`), so that
their headlines share many words; the verb, the remark and its punctuation are the house's own.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from nlgauge.errors import InputError
from nlgauge.style.demonstration.words import KINDS, PLACES, SURNAMES, Kind

GAZETTE, COURIER = "gazette", "courier"
AGENCY = 0
ORDERS = (
    "{who} {verb} {object} in {place} {counted}",
    "In {place}, {who} {verb} {object} {counted}",
    "{Counted}, {who} {verb} {object} in {place}",
    "{Object} in {place}: {who} {verb} {pronoun} {counted}",
)
REMARKS = {
    GAZETTE: (
        "{}",
        "{}",
        "{}",
        "{}, officials state",
        "{}, report notes",
        "{}, minutes show",
        "{}, registry confirms",
        "Announcement: {}",
        "Record: {}",
    ),
    COURIER: (
        "{}!",
        "{}!",
        "Wow: {}",
        "SHOCK: {}",
        "At last: {}",
        "Guess what: {}",
        "{} – really!",
        "{} – and how!",
        "{} … yes, really",
    ),
}
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
        order = AGENCY if draw.random() < AGENCY_SHARE else draw.randrange(1, len(ORDERS))
    counted = facts.kind.counted.format(facts.number)
    line = ORDERS[order].format(
        who=facts.who,
        verb=draw.choice(facts.kind.gazette if style == GAZETTE else facts.kind.courier),
        object=facts.object,
        Object=facts.object.capitalize(),
        place=facts.place,
        counted=counted,
        Counted=counted.capitalize(),
        pronoun=facts.kind.pronoun,
    )
    return draw.choice(REMARKS[style]).format(line)


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
