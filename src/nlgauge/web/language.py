"""What the judges' pages say, in each of their languages.

`load("de").say("progress", number=2, total=6)` is a sentence of `languages/de.json`. A phrase that depends on a number
has a form for each plural category of its language (the categories and rules of Unicode CLDR for whole numbers), and
the number it is given chooses among them. Whole numbers are grouped as the language does. Arabic keeps the digits 0-9,
which are read in all Arabic-speaking countries and are those of number fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from nlgauge.wording.direction import apart

DEFAULT = "en"
LONGEST_HEADER = 500  # of Accept-Language; the rest is not read


def _one_or_more(count: int) -> str:
    return "one" if count == 1 else "other"


def _french(count: int) -> str:
    return "one" if count in (0, 1) else "other"


def _arabic(count: int) -> str:
    if count in (0, 1, 2):
        return ("zero", "one", "two")[count]
    if 3 <= count % 100 <= 10:
        return "few"
    return "many" if count % 100 >= 11 else "other"


@dataclass(frozen=True)
class Rules:
    """How a language counts: its plural categories, and what stands between groups of three digits."""

    categories: tuple[str, ...] = ("one", "other")
    category: Callable[[int], str] = _one_or_more
    group: str = "."
    shortest: int = 4  # digits from which a number is grouped


RULES: Mapping[str, Rules] = {
    "en": Rules(group=","),
    "es": Rules(group="\u00a0", shortest=5),
    "de": Rules(),
    "fr": Rules(category=_french, group="\u202f"),
    "it": Rules(),
    "gl": Rules(),
    "ar": Rules(("zero", "one", "two", "few", "many", "other"), _arabic, ","),
}


@dataclass(frozen=True)
class Phrases:
    """The catalogue of one language; `name` is what its speakers call it."""

    code: str
    name: str
    direction: str  # ltr or rtl
    sentences: Mapping[str, str | Mapping[str, str]] = field(repr=False)

    def say(self, key: str, **values: object) -> str:
        """A sentence with its values filled in; where it has plural forms, its one whole number chooses."""
        found = self.sentences[key]
        if not isinstance(found, str):
            (count,) = [value for value in values.values() if isinstance(value, int)]
            found = found[RULES[self.code].category(count)]
        return found.format_map({name: self._shown(value) for name, value in values.items()})

    def number(self, value: int) -> str:
        """A whole number as the language writes it."""
        rules = RULES[self.code]
        return (
            f"{value:,}".replace(",", rules.group) if abs(value) >= 10 ** (rules.shortest - 1) else str(value)
        )

    def _shown(self, value: object) -> str:
        if isinstance(value, int) and not isinstance(value, bool):
            return self.number(value)
        # a name keeps its own direction inside a sentence of the other one, and cannot turn the sentence
        return apart(str(value), always=self.direction == "rtl")


@cache
def load(code: str) -> Phrases:
    """The catalogue of a language, or of English where there is none."""
    if code not in RULES:
        code = DEFAULT
    source = resources.files("nlgauge.web").joinpath("languages", f"{code}.json")
    content = json.loads(source.read_text(encoding="utf-8"))
    return Phrases(code, content["name"], content["direction"], content["phrases"])


def choose(accepted: str, spoken: Sequence[str]) -> str:
    """The language of `spoken` that a browser's Accept-Language header likes best, else the first of them."""
    best, weight = spoken[0], 0.0
    for entry in accepted[:LONGEST_HEADER].split(","):
        tag, _, parameter = entry.partition(";")
        code = tag.strip().lower().partition("-")[0]
        quality = _quality(parameter)
        if code in spoken and quality > weight:  # of equals, the one named first
            best, weight = code, quality
    return best


def _quality(parameter: str) -> float:
    """The q of `;q=0.8`; 1 without one, 0 where it cannot be read."""
    name, _, value = parameter.strip().partition("=")
    if not name:
        return 1.0
    try:
        quality = float(value) if name.strip().lower() == "q" else 0.0
    except ValueError:
        return 0.0
    return quality if 0.0 <= quality <= 1.0 else 0.0
