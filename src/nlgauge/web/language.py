"""What the judges' pages say, in each of their languages.

`load("de").say("progress", number=2, total=6)` is a sentence of `study/languages/de/pages.json`. A phrase that depends
on a number has a form for each plural category of its language (`study/file/translations.py`), and the number it is
given chooses among them. Whole numbers are grouped as the language does. Arabic keeps the digits 0-9, which are read in
all Arabic-speaking countries and are those of number fields. A study may bring translations of its own (`of_study`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from nlgauge.study.file.study import Study
from nlgauge.study.file.translations import GROUPS, RIGHT_TO_LEFT, USUAL, category, plurals_of
from nlgauge.study.languages import ABOUT, DEFAULT, content, worded
from nlgauge.wording.languages import apart

LONGEST_HEADER = 500  # of Accept-Language; the rest is not read


@dataclass(frozen=True)
class Rules:
    """How a language counts: its plural categories, and what stands between groups of three digits."""

    group: str = "."
    plurals: Mapping[str, str] = field(default_factory=lambda: USUAL)
    shortest: int = 4  # digits from which a number is grouped

    @property
    def categories(self) -> tuple[str, ...]:
        """The plural categories in their order."""
        return tuple(self.plurals)

    def category(self, count: int) -> str:
        """The plural category of a whole number."""
        return category(self.plurals, count)


@dataclass(frozen=True, eq=False)
class Phrases:
    """The catalogue of one language; `name` is what its speakers call it."""

    code: str
    name: str
    direction: str  # ltr or rtl
    rules: Rules
    sentences: Mapping[str, str | Mapping[str, str]] = field(repr=False)
    fallback: Phrases | None = None  # says what this one lacks

    def say(self, key: str, **values: object) -> str:
        """A sentence with its values filled in; where it has plural forms, its one whole number chooses."""
        if self.fallback is not None and key not in self.sentences:
            said = self.fallback.say(key, **values)
            return said if self.fallback.direction == self.direction else apart(said, always=True)
        found = self.sentences[key]
        if not isinstance(found, str):
            (count,) = [value for value in values.values() if isinstance(value, int)]
            found = found[self.rules.category(count)]
        return found.format_map({name: self._shown(value) for name, value in values.items()})

    def wording(self, name: str) -> str:
        """A wording that a study may leave to the package, as `study new` writes it."""
        if self.code in ABOUT or self.fallback is None:
            return str(worded(name)[self.code])
        said = self.fallback.wording(name)
        return said if self.fallback.direction == self.direction else apart(said, always=True)

    def number(self, value: int) -> str:
        """A whole number as the language writes it."""
        rules = self.rules
        return f"{value:,}".replace(",", rules.group) if abs(value) >= 10 ** (rules.shortest - 1) else str(value)

    def _shown(self, value: object) -> str:
        if isinstance(value, int) and not isinstance(value, bool):
            return self.number(value)
        # a name keeps its own direction inside a sentence of the other one, and cannot turn the sentence
        return apart(str(value), always=self.direction == "rtl")


@cache
def load(code: str) -> Phrases:
    """The catalogue of a language of the package, or of English where there is none."""
    code = code if code in ABOUT else DEFAULT
    about = ABOUT[code]
    rules = Rules(about.group, plurals_of(code), about.shortest)
    fallback = None if code == DEFAULT else load(DEFAULT)  # for what a folder does not say yet
    return Phrases(code, about.name, about.direction, rules, content(code, "pages"), fallback)


def of_study(study: Study, code: str) -> Phrases:
    """The catalogue of a language of a study: its own translation, or that of the package."""
    own = study.pages.get(code)
    if own is None:
        return load(code)
    direction = own.direction or ("rtl" if code.lower().partition("-")[0] in RIGHT_TO_LEFT else "ltr")
    rules = Rules(GROUPS[own.group], own.plurals or plurals_of(code))
    sentences = {name: words.get("") or words for name, words in own.phrases.items()}
    return Phrases(code, own.name, direction, rules, sentences, load(own.fallback))


def choose(accepted: str, spoken: Sequence[str]) -> str:
    """The language of `spoken` that a browser's Accept-Language header likes best, else the first of them."""
    best, weight = spoken[0], 0.0
    known = {code.lower().partition("-")[0]: code for code in reversed(spoken)}  # any English for English
    known |= {code.lower(): code for code in spoken}
    for entry in accepted[:LONGEST_HEADER].split(","):
        tag, _, parameter = entry.partition(";")
        tag = tag.strip().lower()
        code = known.get(tag) or known.get(tag.partition("-")[0])
        quality = _quality(parameter)
        if code is not None and quality > weight:  # of equals, the one named first
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
