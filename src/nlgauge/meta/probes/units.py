"""Texts as units that can be edited and put together again: words with their punctuation, and sentences.

Words are what blanks separate; in scripts written without blanks (Chinese characters, kana) each character is
a word. Joining the units of an unedited text gives the text back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from unicodedata import category

_IDEOGRAPHS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_UNIT = re.compile(rf"([{_IDEOGRAPHS}]|[^\s{_IDEOGRAPHS}]+)(\s*)")
_SENTENCE = re.compile(r"(.+?(?:[.!?…]+[\"'”’)\]]*(?=\s|$)|[。！？]+[」』”]*|\n+|$))(\s*)", re.S)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e|No|Fig|approx|Inc|Ltd|Co|Jr|Sr|Jan|Feb|Mar|Apr"
    r"|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|U\.S|U\.K|a\.m|p\.m)\.$"
)


@dataclass(frozen=True)
class Unit:
    """One word as it stands in a text: punctuation before, the word, punctuation after, white space."""

    lead: str
    core: str  # empty where the unit is punctuation only
    trail: str
    gap: str

    def __str__(self) -> str:
        return self.lead + self.core + self.trail + self.gap

    def with_core(self, core: str) -> Unit:
        """The same unit around another word."""
        return replace(self, core=core)


def split(text: str) -> list[Unit]:
    """The units of a text."""
    return [_unit(match[1], match[2]) for match in _UNIT.finditer(text)]


def _unit(token: str, gap: str) -> Unit:
    # Marks count as letters: words of many scripts end in one.
    inside = [place for place, character in enumerate(token) if category(character)[0] in "LNM"]
    if not inside:
        return Unit(token, "", "", gap)
    first, last = inside[0], inside[-1] + 1
    return Unit(token[:first], token[first:last], token[last:], gap)


def join(units: Sequence[Unit]) -> str:
    """The text of the units, without white space at its ends."""
    return "".join(map(str, units)).strip()


def words(units: Sequence[Unit]) -> list[int]:
    """The positions of the units that are words."""
    return [place for place, unit in enumerate(units) if unit.core]


def sentences(text: str) -> list[str]:
    """The sentences of a text, without the white space between them."""
    found: list[str] = []
    held = ""
    for match in _SENTENCE.finditer(text):
        held += match[1]
        if _ABBREVIATION.search(held) and match.end() < len(text):
            held += match[2]
            continue
        if held.strip():
            found.append(held.strip())
        held = ""
    return [*found, held.strip()] if held.strip() else found


def starts(units: Sequence[Unit]) -> set[int]:
    """The positions of the words that begin a sentence, where a capital says nothing."""
    found, fresh = set(), True
    for place, unit in enumerate(units):
        if unit.core and fresh:
            found.add(place)
            fresh = False
        closing = unit.trail if unit.core else unit.lead
        if any(mark in closing for mark in ".!?:。！？") or "\n" in unit.gap:
            fresh = True
    return found


def capitalised(word: str) -> str:
    """With a capital at the start, the rest as it was."""
    return word[:1].upper() + word[1:]


def cased_like(word: str, model: str) -> str:
    """The word with the model's capitals: all, the first, or none."""
    if len(model) > 1 and model.isupper():
        return word.upper()
    return capitalised(word) if model[:1].isupper() else word
