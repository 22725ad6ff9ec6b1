"""Character classes for `re`, from the Unicode tables that ship with the package.

`re` knows no general categories, and Python's `unicodedata` follows the interpreter's version of Unicode;
with our own tables a tokeniser splits alike under every Python.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import resources

Ranges = list[tuple[int, int]]


@cache
def tables(package: str = "nlgauge.text", file: str = "unicode_tables.json") -> dict[str, str]:
    """The hexadecimal ranges of each class; ours are written by tools/make_unicode_tables.py."""
    found: dict[str, str] = json.loads(resources.files(package).joinpath(file).read_text(encoding="utf-8"))
    return found


def ranges(table: str) -> Ranges:
    """The inclusive ranges of a table, e.g. `tables()["LETTER"]`."""
    pairs = (word.split("-") for word in table.split())
    return [(int(pair[0], 16), int(pair[-1], 16)) for pair in pairs]


def without(kept: Ranges, removed: Ranges) -> Ranges:
    """The code points of `kept` that are not in `removed`."""
    codes = {code for first, last in removed for code in range(first, last + 1)}
    result: Ranges = []
    for first, last in kept:
        for code in range(first, last + 1):
            if code in codes:
                continue
            if result and result[-1][1] == code - 1:
                result[-1] = (result[-1][0], code)
            else:
                result.append((code, code))
    return result


def escaped(spans: Ranges) -> str:
    """The ranges as they stand between the brackets of a character class."""
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in spans)


@cache
def class_of(*names: str) -> str:
    """The inside of a character class, e.g. `class_of("PUNCTUATION")`."""
    return "".join(escaped(ranges(tables()[name])) for name in names)


@cache
def word_characters() -> str:
    """Letters, marks and numbers but for the ideographs: the inside of a character class."""
    letters, marks, numbers, han = (ranges(tables()[name]) for name in ("LETTER", "MARK", "NUMBER", "HAN"))
    return escaped(without(letters + marks + numbers, han))


# Halves of surrogate pairs, which Python texts may hold and libraries cannot encode.


_HALVES = re.compile("[\ud800-\udfff]")


def encodable(text: str) -> str:
    """The text with U+FFFD, the sign for what cannot be read, in place of each half."""
    return _HALVES.sub("\ufffd", text)
