"""Questions about one text, put to several texts at once.

The catalogue's questions speak of “this text”, which is wrong where several stand on the screen: there each of them is
asked about. What has no such phrase is asked behind “For each of these texts”.
"""

from __future__ import annotations

import re
from functools import cache

from nlgauge.study.languages import LANGUAGES, worded


def of_each(question: str, language: str) -> str:
    """A question about one text, asked of each of several.

    >>> of_each("How much of the data does this text express?", "en")
    'How much of the data does each of these texts express?'
    >>> of_each("How natural is the English of the given sentence?", "en")
    'For each of these texts: How natural is the English of the given sentence?'
    """
    spoken = language or "en"
    if of_one(question, spoken):
        known = worded("magnitudes.each")[spoken]
        return _sought(spoken).sub(lambda match: known[match[0]], question)
    return str(worded("magnitudes.before").get(spoken, "{}")).format(question)


def of_one(question: str, language: str) -> str:
    """The words by which a question speaks of one text; empty where it does not.

    >>> of_one("How odd is this text?", "")
    'this text'
    """
    found = _sought(language or "en").search(question) if (language or "en") in LANGUAGES else None
    return found[0] if found else ""


@cache
def _sought(language: str) -> re.Pattern[str]:
    phrases = sorted(worded("magnitudes.each")[language], key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, phrases))})\b")
