"""Where words that were planted in a text stand, as whole words.

A word is a run of letters, marks and numbers, with the apostrophes within it and the points within a number; of scripts
without spaces between words each character is one. Judges write what is searched, so nothing here may take longer than
in proportion to the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cache

from nlgauge.text.categories import escaped, ranges, tables, without

Span = tuple[int, int]
_UNSPACED = [
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x3040, 0x30FF),
]  # besides Han: Thai to Katakana


@cache
def _word() -> re.Pattern[str]:
    letters, marks, numbers, han = (ranges(tables()[name]) for name in ("LETTER", "MARK", "NUMBER", "HAN"))
    single, joined = escaped(han + _UNSPACED), escaped(without(letters + marks + numbers, han + _UNSPACED))
    return re.compile(rf"[{single}]|[{joined}]+(?:['’][{joined}]+|(?<=\d)[.,]\d[{joined}]*)*")


def words_of(text: str) -> list[Span]:
    """The words of a text, each from its first character to the one after its last.

    >>> words_of("I can't: 3.5!"), words_of("吃了")
    ([(0, 1), (2, 7), (9, 12)], [(0, 1), (1, 2)])
    """
    return [found.span() for found in _word().finditer(text)]


def places(words: str, text: str) -> list[Span]:
    """Where some words stand in a text as whole words.

    >>> places("in", "He sings in tune"), places("了", "吃了")
    ([(9, 11)], [(1, 2)])
    """
    inside = {place for start, end in words_of(text) for place in range(start + 1, end)}
    found, start = [], text.find(words) if words.strip() else -1
    while start >= 0:
        if inside.isdisjoint((start, start + len(words))):
            found.append((start, start + len(words)))
        start = text.find(words, start + 1)
    return found


def stand_still(words: str, output: str, text: str) -> bool:
    """Whether words of an output still stand where they did in a text made from it: after or before the same word."""
    before, after = _neighbours(words, output)
    still_before, still_after = _neighbours(words, text)
    return not (before.isdisjoint(still_before) and after.isdisjoint(still_after))


def _neighbours(words: str, text: str) -> tuple[set[str], set[str]]:
    """The words before and those after each place of some words; nothing at the ends of the text."""
    spans = words_of(text)
    starts, ends = [start for start, _ in spans], [end for _, end in spans]
    said = ["", *(text[start:end].casefold() for start, end in spans), ""]
    found = places(words, text)
    return {said[bisect_right(ends, start)] for start, _ in found}, {
        said[bisect_left(starts, end) + 1] for _, end in found
    }
