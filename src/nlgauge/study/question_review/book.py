"""Wordings that judges read, remarks about them, and the rules of one language.

The rules are read from `rules/LANGUAGE.toml` or, in several files, `rules/LANGUAGE/*.toml`.

A rule file holds word lists (`[words]`: entries apart by white space, `_` for a space, each a regular expression) and
rules. In patterns `<name>` stands for any word of the list of that name; a list may name others. A rule is met by a
sentence (of one of its `moods`, where it names any; see reading.py) in which one of `find` and all of `needs` are
found, in any order, and none of `unless`, if nothing of `unless_text` is found in the whole wording. A rule that is the
`last` resort is met only by a sentence that meets no other. Reasons and rewordings are sentences of
the language in which the remarks are read, which is English.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Literal

from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable

Role = Literal["line", "question", "instructions", "definition", "title", "consent", "labels", "example"]
"""What a wording is for. A `line` of a file may be anything that judges read; a `definition` says what a criterion is,
in a sentence that would be a claim anywhere else (“The text is easy to read.”); `labels` are the points of one scale,
parted by “ / ”; an `example` is a text shown as an example, which is compared and not read for its wording."""


@dataclass(frozen=True)
class Piece:
    """One wording with its place."""

    text: str
    role: Role = "line"
    line: int = 0  # of the file, counted from 1; 0: none in particular
    key: str = ""  # of a study file, for example “criteria.2.question”
    file: str = ""
    language: str = "en"
    labelled: bool = False  # the points of its scale are worded elsewhere


@dataclass(frozen=True)
class Remark(Jsonable):
    """Something in a wording that may steer judges."""

    KEYS = "line, kind, text, reason, rewording, advice, bias, words, paper, file, key, language, figures"

    kind: str  # for example “comparison”, “double-barrelled”, “pay”
    bias: str  # framing, demand characteristics, anchoring, presentation
    words: str  # those concerned
    reason: str
    paper: str
    rewording: str  # a neutral wording that the review finds nothing in, or advice
    text: str = ""  # the wording reviewed
    line: int = 0
    key: str = ""
    file: str = ""
    language: str = "en"
    figures: Mapping[str, Any] = field(default_factory=dict)
    advice: bool = True  # whether `rewording` is advice

    @classmethod
    def of(cls, piece: Piece, kind: str, bias: str, words: str, *, reason: str, rewording: str, **more: Any) -> Remark:
        """A remark about a wording, with its place and the paper that tells of such a bias."""
        place = {name: getattr(piece, name) for name in ("text", "line", "key", "file", "language")}
        return cls(kind, bias, words, reason, PAPERS[bias], rewording, **place, **more)

    @property
    def remedy(self) -> str:
        """What to do, as a sentence."""
        return self.rewording if self.advice else f"Instead: {self.rewording}"

    def __str__(self) -> str:
        place = ", ".join(filter(None, [self.file, f"line {self.line}" if self.line else "", self.key]))
        found = f"{self.kind} “{self.words}”: {self.reason} ({self.paper}). {self.remedy}"
        return f"{place}: {found}" if place else found


PAPERS = {
    "framing": "Schoch, Yang and Ji 2020, section 3.1",
    "demand characteristics": "Schoch, Yang and Ji 2020, section 3.2",
    "anchoring": "Schoch, Yang and Ji 2020, section 3.3",
    "presentation": "Schoch, Yang and Ji 2020, section 4",
    "questionnaire design": "Krosnick and Presser 2010",
}
_DEPTH = 3
_LIST = re.compile(r"(?<!P)<([a-z_]+)>")


@dataclass(frozen=True)
class Rule:
    """One way in which a sentence may steer."""

    kind: str
    bias: str
    find: tuple[re.Pattern[str], ...]
    needs: tuple[re.Pattern[str], ...]
    unless: tuple[re.Pattern[str], ...]
    unless_text: tuple[re.Pattern[str], ...]
    roles: frozenset[str]  # empty: all
    moods: frozenset[str]  # of sentences; empty: all
    quotes: bool  # whether quoted words are read too
    answers: bool  # whether lists of answers are read too, and quoted words
    last: bool  # only where no other rule is met
    sure: bool  # of a kind that the reader has not learnt: its second opinion is not asked
    reason: str
    rewording: str  # a sentence to stand in its place, =name of a function of `rewording`, or nothing


@dataclass(frozen=True)
class CountedTrait:
    """A surface trait: how wordings speak of it, and how often an output has it."""

    name: str
    mention: re.Pattern[str]
    counted: re.Pattern[str]

    def count(self, text: str) -> float:
        """How often it occurs."""
        return float(len(self.counted.findall(text)))


@dataclass(frozen=True)
class Book:
    """The rules, word lists and groups of criteria of a language."""

    language: str
    rules: tuple[Rule, ...]
    patterns: Mapping[str, re.Pattern[str]]  # named ones that the code asks for
    groups: Mapping[str, re.Pattern[str]]  # words of one criterion
    words: Mapping[str, str]
    reasons: Mapping[str, str]
    advice: Mapping[str, str]  # for each kind of finding, where no wording can be made
    seen: Mapping[str, Mapping[str, str]]  # what is said of each kind of bias that only the reader sees, see second.py
    procedures: re.Pattern[str] | None  # of studies, which read like something else
    opposites: Mapping[str, str]
    valence: Mapping[str, int]
    strength: Mapping[str, int]
    amounts: Mapping[str, frozenset[str]]  # words for much (“upper”) and for little or none (“lower”)
    traits: tuple[CountedTrait, ...]

    @cached_property
    def sure(self) -> frozenset[str]:
        """Kinds of which the second opinion is not asked."""
        return frozenset({"contradictory scale", *(rule.kind for rule in self.rules if rule.sure)})


def languages() -> tuple[str, ...]:
    """The languages that have a rule file."""
    return tuple(sorted(_files()))


@cache
def book(language: str) -> Book:
    """The rules of a language; refused where there is no file for it."""
    known = _files()
    if language not in known:
        raise InputError(f"there are no rules for the language {language!r}; known: {', '.join(sorted(known))}")
    return parse(language, "\n".join(file.read_text(encoding="utf-8") for file in known[language]))


@cache
def _files() -> dict[str, list[Traversable]]:
    """The rule files of each language."""
    found: dict[str, list[Traversable]] = {}
    for entry in (resources.files("nlgauge.study.question_review") / "rules").iterdir():
        if entry.is_dir():
            files = sorted((file for file in entry.iterdir() if file.name.endswith(".toml")), key=str)
            found |= {entry.name: files} if files else {}
        elif entry.name.endswith(".toml"):
            found[entry.name[:-5]] = [entry]
    return found


def parse(language: str, content: str) -> Book:
    """A rule file's content as rules."""
    given = tomllib.loads(content)
    words = {name: _alternatives(entries) for name, entries in given.get("words", {}).items()}
    words |= {name: f"(?:{pattern})" for name, pattern in given.get("patterns", {}).items()}
    for _ in range(_DEPTH):  # a list may itself name lists
        words = {name: _filled(pattern, words) for name, pattern in words.items()}
    opposites = given.get("opposites", {})
    return Book(
        language=language,
        rules=tuple(_rule(rule, words) for rule in given.get("rule", ())),
        patterns={name: _compiled(pattern, words) for name, pattern in given.get("patterns", {}).items()},
        groups={name: _compiled(rf"\b{_alternatives(own)}\b", {}) for name, own in given.get("groups", {}).items()},
        words=words,
        reasons=given.get("reasons", {}),
        advice=given.get("advice", {}),
        seen=given.get("seen", {}),
        procedures=_compiled(given["procedures"]["text"], words) if "procedures" in given else None,
        opposites=opposites | {other: word for word, other in opposites.items()},
        valence={word: int(level) for level, entries in given.get("valence", {}).items() for word in entries.split()},
        strength={word: int(level) for level, own in given.get("strength", {}).items() for word in _listed(own)},
        amounts={name: frozenset(_listed(entries)) for name, entries in given.get("amounts", {}).items()},
        traits=tuple(
            CountedTrait(trait["name"], _compiled(trait["mention"], words), _compiled(trait["count"], {}))
            for trait in given.get("trait", ())
        ),
    )


def _listed(entries: str) -> list[str]:
    return [entry.replace("_", " ") for entry in entries.split()]


def _alternatives(entries: str) -> str:
    return f"(?:{'|'.join(_listed(entries))})"


def _compiled(pattern: str, words: Mapping[str, str]) -> re.Pattern[str]:
    return re.compile(_filled(pattern, words), re.IGNORECASE)


def _filled(pattern: str, words: Mapping[str, str]) -> str:
    return _LIST.sub(lambda found: words[found[1]], pattern)


def _rule(given: Mapping[str, Any], words: Mapping[str, str]) -> Rule:
    values: dict[str, Any] = {name: given[name] for name in ("kind", "bias", "reason")}
    for name in ("find", "needs", "unless", "unless_text"):
        values[name] = tuple(_compiled(pattern, words) for pattern in given.get(name, ()))
    values |= {name: frozenset(given.get(name, ())) for name in ("roles", "moods")}
    values |= {name: bool(given.get(name)) for name in ("quotes", "answers", "last", "sure")}
    return Rule(**values, rewording=given.get("rewording", ""))
