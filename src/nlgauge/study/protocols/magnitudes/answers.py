"""Numbers above 0, as judges type them and as they are stored.

A decimal point and a decimal comma are both read; Arabic digits and the Arabic decimal sign too. Nothing may part
thousands: 1.000 and 1,000 are a thousand to some judges and one to others, so a number that could be read in two ways
is sent back with a sentence rather than guessed at. There is no largest and no smallest number but those of double
precision. Whole numbers are stored as such.
"""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Any

NUMBER = int | float
LONGEST = 60  # characters
EXACT = 2**53  # up to here every whole number has a place of its own

_PLAIN = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d{1,4})?", re.ASCII)
_TWO_WAYS = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}", re.ASCII)
_PARTED = re.compile(r"[+-]?\d[\d.,'’`_\s]*", re.ASCII)
_SIGNS = str.maketrans({"٫": ".", "٬": "'", "−": "-", "\u202f": " ", "\u00a0": " ", "\u2009": " "})


def number(value: Any) -> NUMBER | None:
    """A number above 0 in its stored form; None where it is none.

    >>> number(3.0), number(0.5), number(0), number(float("inf")), number(True)
    (3, 0.5, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    if not math.isfinite(found) or found <= 0:
        return None
    return int(found) if found.is_integer() and found < EXACT else found


def typed(given: str) -> NUMBER | str:
    """The number that was typed, or what is wrong with it: `number`, `positive` or `separators`.

    >>> typed("12,5"), typed("٨٠"), typed("1e-9"), typed("0"), typed("1,000"), typed("many")
    (12.5, 80, 1e-09, 'positive', 'separators', 'number')
    """
    text = "".join(
        str(unicodedata.decimal(letter)) if letter.isdecimal() else letter for letter in given.strip().translate(_SIGNS)
    )
    if not 0 < len(text) <= LONGEST:
        return "number"
    if not _PLAIN.fullmatch(text):
        return "separators" if _PARTED.fullmatch(text) else "number"
    if _TWO_WAYS.fullmatch(text):
        return "separators"
    value = float(text.replace(",", "."))
    if not math.isfinite(value):
        return "number"
    found = number(value)
    return "positive" if found is None else found


def written(value: NUMBER) -> str:
    """A number as a form holds it: the shortest that `typed` reads back equal.

    >>> written(4), written(2.5), written(1.125)
    ('4', '2.5', '1.1250')
    """
    said = repr(value)
    return f"{said}0" if _TWO_WAYS.fullmatch(said) else said


def ranks(values: list[NUMBER]) -> list[int]:
    """The ranking that numbers imply, the largest first; equal numbers share the better rank.

    >>> ranks([50, 100, 50])
    [2, 1, 2]
    """
    return [1 + sum(other > value for other in values) for value in values]
