"""A template from a text and its input, where nobody has annotated one.

Values that stand in the text as they are come first, the longest before the shorter; for an entity that was not found
the part of the text that shares most words with it is taken. An article before and a possessive 's after an entity
belong to it, as in enriched WebNLG, and so do commas and brackets within. A personal pronoun stands for the first
subject of the sentence so far, or of the sentence before. Descriptions ("the club") are not found.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from nlgauge.corpus.entries import Mention, Template, Triple, make_template, slot_names
from nlgauge.corpus.templates.matching import Token, nearest, occurrences, tokens
from nlgauge.text.sentences import FUNCTION_WORDS

PRONOUNS = frozenset(["it", "its", "he", "his", "him", "she", "her", "hers", "they", "their", "them", "theirs"])
ARTICLES = frozenset({"the"})
NOT_TEXT = frozenset({"yes", "no"})  # values that say something of an attribute, not words of a text


@dataclass(frozen=True)
class Delexicalised:
    """A text's template, what fills its slots, and the slots whose entity was not found in the text."""

    template: Template
    mentions: tuple[Mention, ...]
    missing: tuple[str, ...]


@dataclass
class _Gap:
    """Tokens that become a slot."""

    start: int
    end: int
    slot: str
    kind: str = "name"


def delexicalise(text: str, triples: Sequence[Triple], entities: Mapping[str, str] | None = None) -> Delexicalised:
    """The template of a text.

    >>> triples = [Triple("Aarhus_Airport", "cityServed", '"Aarhus, Denmark"')]
    >>> str(delexicalise("The Aarhus Airport serves Aarhus, Denmark.", triples).template)
    'AGENT-1 serves PATIENT-1 .'
    """
    entities = entities or slot_names(triples)
    line = tokens(text)
    gaps, missing = find_values(line, entities)
    _absorb(gaps, line)
    subjects = {triple.subject for triple in triples}
    gaps = _with_pronouns(gaps, line, {slot for slot, value in entities.items() if value in subjects})
    words: list[str] = []
    mentions: list[Mention] = []
    place = 0
    for gap in gaps:
        words += [token.text for token in line[place : gap.start]] + [gap.slot]
        said = " ".join(token.text for token in line[gap.start : gap.end])
        kind = "description" if gap.kind == "name" and line[gap.start].key in ARTICLES else gap.kind
        mentions.append(Mention(gap.slot, kind, said))
        place = gap.end
    words += [token.text for token in line[place:]]
    return Delexicalised(make_template(words, entities, triples), tuple(mentions), missing)


def find_values(line: Sequence[Token], entities: Mapping[str, str]) -> tuple[list[_Gap], tuple[str, ...]]:
    """The parts of a text that are taken for entities, in order, and the slots of entities that were not found."""
    places = [place for place, token in enumerate(line) if token.key]
    words = [line[place].key for place in places]
    taken: dict[int, str] = {}
    found: list[tuple[int, int, str]] = []
    candidates = [
        (end - start + 1, rank, start, end, slot)
        for rank, (slot, value) in enumerate(entities.items())
        if value.lower() not in NOT_TEXT
        for start, end in occurrences(words, value)
    ]
    by_length = sorted(candidates, key=lambda c: (-c[0], c[2], c[1]))
    for number, (_, _, start, end, first) in enumerate(by_length):
        if not any(place in taken for place in range(start, end + 1)):
            # Several entities may be called the same here: those that were not named yet come first.
            alike = [c[4] for c in by_length[number:] if c[2:4] == (start, end)]
            slot = next((name for name in alike if name not in taken.values()), first)
            taken.update(dict.fromkeys(range(start, end + 1), slot))
            found.append((start, end, slot))
    missing = []
    for slot, value in entities.items():
        if slot in {own for _, _, own in found} or value.lower() in NOT_TEXT:
            continue
        span = nearest(words, value, taken)
        if span is None:
            missing.append(slot)
            continue
        taken.update(dict.fromkeys(range(span[0], span[1] + 1), slot))
        found.append((*span, slot))
    gaps = [_Gap(places[start], places[end] + 1, slot) for start, end, slot in sorted(found)]
    return gaps, tuple(missing)


def _absorb(gaps: Sequence[_Gap], line: Sequence[Token]) -> None:
    """An article before and a possessive after belong to an entity; a bracket within it is closed."""
    for gap in gaps:
        after = line[gap.end].text if gap.end < len(line) else ""
        # "the Karnataka region", but not "the Karnataka borders": words in -s and -ed are taken for verbs
        modifies = after[:1].islower() and after not in FUNCTION_WORDS and not after.endswith(("s", "ed"))
        if gap.start and line[gap.start - 1].key in ARTICLES and not modifies:
            gap.start -= 1
        inside = [token.text for token in line[gap.start : gap.end]]
        for opening, closing in ("()", '""'):
            after = line[gap.end].text if gap.end < len(line) else ""
            if after == closing and inside.count(opening) > (inside.count(closing) if closing != opening else 0):
                gap.end += 1
        if gap.end < len(line) and line[gap.end].text.lower() in ("'s", "’s"):
            gap.end += 1


def _with_pronouns(gaps: Sequence[_Gap], line: Sequence[Token], subjects: Collection[str]) -> list[_Gap]:
    """Pronouns as slots of the first subject of their sentence before them, or else of the last one that has any."""
    starts = {gap.start: gap for gap in gaps}
    found: list[_Gap] = []
    topic, first, place = "", "", 0
    while place < len(line):
        if gap := starts.get(place):
            found.append(gap)
            first = first or (gap.slot if gap.slot in subjects else "")
            place = gap.end
            continue
        if line[place].key in PRONOUNS and (first or topic):
            found.append(_Gap(place, place + 1, first or topic, "pronoun"))
            first = first or topic
        elif line[place].text in (".", "?", "!"):
            topic, first = first or topic, ""
        place += 1
    return found
