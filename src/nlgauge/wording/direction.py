"""Other people's words inside a sentence of ours: they keep their direction and cannot turn the sentence."""

from __future__ import annotations

import re

# right-to-left scripts, and the signs that change direction
_TURNING = re.compile("[\u0590-\u08ff\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff]")


def apart(words: str, *, always: bool = False) -> str:
    """The words between Unicode's isolates, where they hold something that turns (or always).

    >>> apart("Ann"), apart("Ann", always=True) == "\\u2068Ann\\u2069"
    ('Ann', True)
    """
    return f"\u2068{words}\u2069" if always or _TURNING.search(words) else words
