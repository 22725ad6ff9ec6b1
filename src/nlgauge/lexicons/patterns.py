"""Syntactic paraphrases (Guo and Hu 2019): pairs of patterns with gaps.

`not only [1] but also [2]` and `both [1] and [2]` are such a pair.
The file has one pair a line, the patterns separated by a tab; a gap is `[1]`, `[2]` … or, as PPDB writes it, `[NP,1]`,
whose label is ignored. Both patterns of a pair have the same gaps, each once, in any order. Lines that start with # and
empty ones are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from nlgauge.errors import InputError
from nlgauge.lexicons.digests import State

Pattern = tuple[str | int, ...]  # words, and the numbers of gaps
_GAP = re.compile(r"\[(?:[^\[\],]*,)?(\d+)\]")
MOST_GAPS = 4


@dataclass(frozen=True)
class Occurrence:
    """Where a pattern was found: the places of its words, in order, and of each gap the words [from, to) it holds."""

    words: tuple[int, ...]
    gaps: dict[int, tuple[int, int]]


def occurrences(pattern: Pattern, text: Sequence[str], longest: int) -> Iterator[Occurrence]:
    """Every way to find a pattern, from left to right; a gap holds 1 to `longest` words, few first."""

    def rest(item: int, place: int, words: tuple[int, ...], gaps: dict[int, tuple[int, int]]) -> Iterator[Occurrence]:
        if item == len(pattern):
            yield Occurrence(words, gaps)
            return
        wanted = pattern[item]
        if isinstance(wanted, str):
            if place < len(text) and text[place] == wanted:
                yield from rest(item + 1, place + 1, (*words, place), gaps)
            return
        for end in range(place + 1, min(place + longest, len(text)) + 1):
            yield from rest(item + 1, end, words, {**gaps, wanted: (place, end)})

    for start in range(len(text)):
        yield from rest(0, start, (), {})


def pieces(pattern: Pattern) -> list[list[int]]:
    """The runs of words before, between and after the gaps, as numbers of the pattern's words."""
    runs: list[list[int]] = [[]]
    words = 0
    for item in pattern:
        if isinstance(item, int):
            runs.append([])
        else:
            runs[-1].append(words)
            words += 1
    return runs


def gaps_of(pattern: Pattern) -> list[int]:
    """The gaps in their order."""
    return [item for item in pattern if isinstance(item, int)]


def words_of(pattern: Pattern) -> list[str]:
    """The words in their order."""
    return [item for item in pattern if isinstance(item, str)]


def _pattern(text: str) -> Pattern:
    found = [(_GAP.fullmatch(item), item) for item in text.split()]
    return tuple(int(gap.group(1)) if gap else item.lower() for gap, item in found)


class Patterns:
    """The pairs of a file, in their order, found by the first word of either pattern."""

    def __init__(self, pairs: Sequence[tuple[Pattern, Pattern]]) -> None:
        self.pairs = list(pairs)
        self._by_word: dict[str, list[tuple[int, Pattern, Pattern]]] = {}
        for number, (first, second) in enumerate(self.pairs):
            for one, other in ((first, second), (second, first)):
                self._by_word.setdefault(words_of(one)[0], []).append((number, one, other))

    def between(self, text: Sequence[str], other: Sequence[str]) -> list[tuple[Pattern, Pattern]]:
        """The pairs whose words all occur: of the first pattern in one text, of the second in the other."""
        here, there = set(text), set(other)
        found = [
            entry
            for word in dict.fromkeys(text)
            for entry in self._by_word.get(word, ())
            if here.issuperset(words_of(entry[1])) and there.issuperset(words_of(entry[2]))
        ]
        return [(one, two) for _, one, two in sorted(found, key=lambda entry: entry[0])]


def read_patterns(path: Path) -> Patterns:
    """The pairs of a file, or a refusal that names the line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}; expected pairs of patterns") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; expected pairs of patterns") from None
    pairs = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        sides = [_pattern(part) for part in line.split("\t")]
        wrong = _what_is_wrong(sides)
        if wrong:
            raise InputError(
                f"{path}, line {number}: {wrong}; expected two patterns separated by a tab, such as "
                "'not only [1] but also [2]' and 'both [1] and [2]'"
            )
        pairs.append((sides[0], sides[1]))
    return Patterns(pairs)


def _what_is_wrong(sides: list[Pattern]) -> str:
    if len(sides) != 2:
        return f"{len(sides)} columns"
    if not all(map(words_of, sides)):
        return "a pattern has no word"
    first, second = map(gaps_of, sides)
    if sorted(first) != sorted(set(second)) or len(set(first)) < len(first) or len(set(second)) < len(second):
        return "the patterns do not have the same gaps, each once"
    return f"more than {MOST_GAPS} gaps" if len(first) > MOST_GAPS else ""


@cache
def stored_patterns(path: Path, state: State) -> Patterns:
    """A file's pairs, read once for each state of the file."""
    return read_patterns(path)
