"""The parts of a text that a judge can mark, each with its place in the original: words, or longer parts of long texts.

The three texts of a page are always split alike, so that the form itself tells nothing about them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

MOST_PARTS = 900  # of the three texts together; a page with that many boxes stays under 100 KB
_LONG_WORD = 40
# Scripts without spaces are split sign by sign; Thai, Lao, Khmer and Myanmar too.
_DENSE = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_SENTENCE_END = re.compile(r"[.!?…。！？؟۔][\"'”’»)\]]*$")

Span = tuple[int, int]


def split(texts: Sequence[str]) -> list[tuple[Span, ...]]:
    """The spans of each text: words where they are few enough, else runs of so many words that they are."""
    words = [words_of(text) for text in texts]
    total = sum(map(len, words))
    if total <= MOST_PARTS:
        return words
    size = -(-total // MOST_PARTS)
    return [_runs(text, size) for text in texts]


@lru_cache(maxsize=2_048)
def words_of(text: str) -> tuple[Span, ...]:
    """The words of a text; remembered, because the same texts are shown to many judges."""
    found: list[Span] = []
    for match in re.finditer(r"\S+", text):
        start, end = match.span()
        if _DENSE.search(match.group()):
            found += _signs(text, start, end)
        elif end - start > _LONG_WORD:
            found += [(k, min(k + _LONG_WORD, end)) for k in range(start, end, _LONG_WORD)]
        else:
            found.append((start, end))
    return tuple(found)


def _signs(text: str, start: int, end: int) -> list[Span]:
    """Each sign of a dense script alone, what stands between them together."""
    found: list[Span] = []
    begin = start
    for place in range(start, end):
        if _DENSE.match(text[place]):
            if begin < place:
                found.append((begin, place))
            found.append((place, place + 1))
            begin = place + 1
    if begin < end:
        found.append((begin, end))
    return found


@lru_cache(maxsize=512)
def _runs(text: str, size: int) -> tuple[Span, ...]:
    """Runs of at least `size` words that end with a sentence where one ends soon."""
    found: list[Span] = []
    run: list[Span] = []
    for word in words_of(text):
        run.append(word)
        ends = _SENTENCE_END.search(text[word[0] : word[1]]) is not None
        if len(run) >= 2 * size or (len(run) >= size and ends):
            found.append((run[0][0], run[-1][1]))
            run = []
    if run:
        found.append((run[0][0], run[-1][1]))
    return tuple(found)
