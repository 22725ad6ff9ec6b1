"""Damaged copies of outputs, as direct assessment makes its bad references (Graham, Baldwin, Moffat and Zobel 2017).

A run of words is replaced by a run of as many words from an output for another input, so that the copy stays fluent
in places and is worse as a whole. The number of words follows the text's length: 1 of 1, 2 of up to 5, 3 of up to 8, 4
of up to 15, 5 of up to 20, and a quarter of longer texts. The first and the last word stay where the text is long
enough, because judges would see a change there at once. A text without spaces between words is cut into characters,
twice as many of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from nlgauge.errors import InputError
from nlgauge.study.freeze.texts import text_id
from nlgauge.study.model import Text

DEGRADED = "degraded"
LONG_WORD = 20  # characters without a space from which on a text is taken as one without spaces
TRIES = 50
_WORD = re.compile(r"\S+")
_LETTER = re.compile(r"\S")


def words_replaced(words: int) -> int:
    """How many words of a text of so many are replaced.

    >>> [words_replaced(n) for n in (1, 2, 5, 6, 8, 9, 15, 16, 20, 24, 40)]
    [1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 10]
    """
    for most, count in ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5)):
        if words <= most:
            return count
    return words // 4


def damaged_copies(texts: Sequence[Text], seed: int) -> list[Text]:
    """A damaged copy of every output; the words come from outputs for other inputs, drawn by the seed."""
    return [_copy(text, texts, Random(f"{seed}/degraded/{text.id}"), seed) for text in texts]


def _copy(text: Text, texts: Sequence[Text], random: Random, seed: int) -> Text:
    others = [other for other in texts if other.item != text.item and other.text.strip()]
    for _ in range(TRIES if others else 0):
        words = damage(text.text, random.choice(others).text, random)
        if words.split() != text.text.split():
            name = text_id(seed, f"{text.subject}\x1f{DEGRADED}", text.item, words)
            return replace(text, id=name, text=words, role=DEGRADED)
    raise InputError(
        f"quality.degraded: the output of {text.subject} for the item {text.item!r} cannot be damaged: no output for "
        "another input has other words; leave damaged copies out, or rate more items"
    )


def damage(text: str, other: str, random: Random) -> str:
    """A text with a run of its words replaced by a run of another's.

    >>> damage("the cat sat on the mat", "rain falls in every valley today", Random(1)).split()[0]
    'the'
    """
    spaced = not any(len(word) >= LONG_WORD for word in text.split()) or len(text.split()) > 3
    pattern, times = (_WORD, 1) if spaced else (_LETTER, 2)
    own, theirs = list(pattern.finditer(text)), list(pattern.finditer(other))
    if not own:  # nothing was said: words of another output in its place
        return " ".join(other.split()[: words_replaced(1)])
    count = min(words_replaced(len(own)) * times, len(own))
    inner = 1 if len(own) > count + 1 else 0
    first = random.randint(inner, len(own) - count - inner)
    taken = min(count, len(theirs))
    start = random.randint(0, len(theirs) - taken)
    run = other[theirs[start].start() : theirs[start + taken - 1].end()]
    return text[: own[first].start()] + run + text[own[first + count - 1].end() :]
