"""Regular expressions of Python, matched in bounded time.

Python's own matcher tries one way after the other, which may never end: /(a+)+b/ on a row of a's. Here all ways go on
at once: each part of an expression takes the set of places in a word where it may begin to the set of those where it
may end. What is no matter of places (references to groups, looking ahead and behind, possessive and atomic parts) is
refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any

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
