"""Words and marks of a text, from which it can be put together again: for networks that write.

A mark says on which side it had no space (`￭`, as in OpenNMT's tokeniser), so that a word has one form wherever it
stands: `Rossi: "no"` is `Rossi`, `￭:`, `"￭`, `no`, `￭"`. Han ideographs are single pieces with no space between them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from nlgauge.text.categories import class_of, word_characters

JOINED, SPACE = "￭", "▁"


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A piece, and one that is a word."""
    word = f"[{class_of('HAN')}]|[{word_characters()}]+"
    return re.compile(rf"{word}|\S"), re.compile(word)


def pieces(text: str) -> list[str]:
    """The pieces of a text; runs of white space count as one blank, and the two signs are taken out."""
    whole, word = _patterns()
    found: list[str] = []
    last, ended, was_word = "", -1, True  # the piece before without its signs, and where it ended
    for match in whole.finditer(text.replace(JOINED, "").replace(SPACE, "")):
        piece, is_word = match[0], word.match(match[0]) is not None
        made = piece
        if match.start() == ended:
            if is_word and not was_word:
                found[-1] += JOINED
            elif not (is_word and _close(last, piece)):
                made = JOINED + piece
        elif found and _close(last, piece):
            found.append(SPACE)
        found.append(made)
        last, ended, was_word = piece, match.end(), is_word
    return found


def joined(parts: Sequence[str]) -> str:
    """The text of such pieces, also where a network put them together."""
    made, last, close = "", "", True
    for part in parts:
        piece = part.strip(JOINED)
        if part == SPACE:
            made, close = made + " ", True
            continue
        near = close or part.startswith(JOINED) or _close(last, piece)
        made += piece if near else f" {piece}"
        last, close = piece, part.endswith(JOINED) and len(part) > 1
    return made.strip()


def _close(last: str, piece: str) -> bool:
    """Whether two pieces stand together by themselves: Han ideographs do."""
    han = _han()
    return han.fullmatch(last) is not None and han.fullmatch(piece) is not None


@cache
def _han() -> re.Pattern[str]:
    return re.compile(f"[{class_of('HAN')}]")
