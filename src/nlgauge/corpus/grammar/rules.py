"""What a grammar is: categories, labelled rules with weights and agreement features, words and patterns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from nlgauge.errors import InputError

# A full stop, comma or colon inside a word stays there: 3.5, 10,000, 06:00.
_WORD = re.compile(r'[^\s.,;:!?()"]+(?:[.,:][^\s.,;:!?()"]+)*|[.,;:!?()"]')
_BEFORE = frozenset(".,;:!?)")  # signs that stand close to the word before them


def split(text: str) -> list[str]:
    """The words of a text: runs between blanks, with . , ; : ! ? ( ) and quotation marks as words of their own.

    >>> split("E 8-12, gusts 35.5.")
    ['E', '8-12', ',', 'gusts', '35.5', '.']
    """
    return _WORD.findall(text)


def joined(words: Iterable[str]) -> str:
    """The text of some words: blanks between them, but not before a full stop or comma.

    >>> joined(["E", "8-12", ",", "gusts", "35", "."])
    'E 8-12, gusts 35.'
    """
    return "".join(word if word in _BEFORE else f" {word}" for word in words).strip()


@dataclass(frozen=True)
class Place:
    """Where something stands in a file."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line:,}, column {self.column:,}"

    def error(self, said: str) -> InputError:
        """A refusal that begins with the place."""
        return InputError(f"{self}: {said}")


@dataclass(frozen=True)
class Word:
    """A word of the text, as it is written."""

    text: str


@dataclass(frozen=True)
class Pattern:
    """Words of a form, such as numbers, with examples that stand for it where texts are made."""

    form: str
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Use:
    """A category with what is asked of its features: a value, or (shared) the value others in the rule have."""

    category: str
    fixed: tuple[tuple[str, str], ...]
    shared: tuple[str, ...]
    place: Place


Item = Word | Pattern | Use


@dataclass(frozen=True)
class Rule:
    """One alternative of a category. A hidden one belongs to a part in brackets, or to ? * +, and is not in trees."""

    left: Use
    label: str
    items: tuple[Item, ...]
    weight: float = 1.0
    hidden: bool = False
    lexical: bool = False  # from a lexicon

    @property
    def category(self) -> str:
        """What the rule makes."""
        return self.left.category

    @property
    def name(self) -> str:
        """How reports call the rule."""
        return f"{self.category}.{self.label}"


@dataclass(frozen=True, eq=False)
class Grammar:
    """The rules of one grammar file with its lexicons."""

    name: str
    start: str
    rules: tuple[Rule, ...]
    features: Mapping[str, tuple[str, ...]]
    exact: bool = False  # whether case matters
    files: tuple[str, ...] = ()

    @cached_property
    def categories(self) -> dict[str, tuple[str, ...]]:
        """The categories in the order of the file, with the features that each has."""
        found: dict[str, set[str]] = {}
        for rule in self.rules:
            known = found.setdefault(rule.category, set())
            known.update(name for name, _ in rule.left.fixed)
            known.update(rule.left.shared)
        return {category: tuple(sorted(names)) for category, names in found.items()}

    @cached_property
    def chances(self) -> tuple[float, ...]:
        """Each rule's weight as a share of its category's."""
        totals: dict[str, float] = {}
        for rule in self.rules:
            totals[rule.category] = totals.get(rule.category, 0.0) + rule.weight
        return tuple(rule.weight / totals[rule.category] for rule in self.rules)

    @cached_property
    def visible(self) -> tuple[Rule, ...]:
        """The rules that the file names, words of lexicons left out."""
        return tuple(rule for rule in self.rules if not rule.hidden and not rule.lexical)

    def folded(self, word: str) -> str:
        """A word of a rule as it is compared with those of a text."""
        return word if self.exact else word.lower()


# Regular expressions of Python, matched in bounded time.
#
# Python's own matcher tries one way after the other, which may never end: /(a+)+b/ on a row of a's. Here all ways go
# on at once: each part of an expression takes the set of places in a word where it may begin to the set of those where
# it may end. What is no matter of places (references to groups, looking ahead and behind, possessive and atomic parts)
# is refused.


LONGEST = 200  # characters of a word that a pattern can match
Step = Callable[[str, set[int]], set[int]]

_parser, _compiler = import_module("re._parser"), import_module("re._compiler")
_SIMPLE = ("LITERAL", "NOT_LITERAL", "ANY", "IN", "AT")  # one character, or an edge of the word


class WordPattern:
    """A regular expression for whole words; re.error where it is none, or has what is refused."""

    def __init__(self, form: str, flags: int = 0) -> None:
        tree = _parser.parse(form, flags)
        self._step = _sequence(tree, flags | tree.state.flags)

    def fits(self, word: str) -> bool:
        """Whether the whole word is of the form."""
        return len(word) <= LONGEST and len(word) in self._step(word, {0})


def _sequence(tree: Any, flags: int) -> Step:
    """One part after the other."""
    steps = [_step(str(kind), value, tree.state, flags) for kind, value in tree]

    def through(word: str, places: set[int]) -> set[int]:
        for step in steps:
            places = step(word, places)
        return places

    return through


def _step(kind: str, value: Any, state: Any, flags: int) -> Step:
    if kind in _SIMPLE:
        simple = _parser.SubPattern(state, [(getattr(_parser, kind), value)])
        return _simple(_compiler.compile(simple, flags))
    if kind == "BRANCH":
        ways = [_sequence(way, flags) for way in value[1]]
        return lambda word, places: set().union(*(way(word, places) for way in ways))
    if kind == "SUBPATTERN":
        _, more, less, inner = value
        return _sequence(inner, (flags | more) & ~less)
    if kind in ("MAX_REPEAT", "MIN_REPEAT"):  # greedy or not: the same words match
        least, most, inner = value
        return _repeated(least, most, _sequence(inner, flags))
    raise re.error("references to groups, looking ahead or behind, possessive and atomic parts are not matched here")


def _simple(matcher: re.Pattern[str]) -> Step:
    def after(word: str, places: set[int]) -> set[int]:
        return {found.end() for place in places if (found := matcher.match(word, place))}

    return after


def _repeated(least: int, most: int, step: Step) -> Step:
    def after(word: str, places: set[int]) -> set[int]:
        for _ in range(least):
            before, places = places, step(word, places)
            if places == before:  # so it stays, however often
                break
        reached = fresh = places
        count = least
        while fresh and count < most:
            fresh = step(word, fresh) - reached
            reached = reached | fresh
            count += 1
        return reached

    return after
