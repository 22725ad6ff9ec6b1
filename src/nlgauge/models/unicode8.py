"""Classes of characters as Unicode 8.0 has them, which is what the library `tokenizers` goes by.

Python's own tables grow with every release; with these a text has the same units under each, and those that the
network was trained on. A character added to Unicode since 2015 is none of these: it is read as a letter.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from nlgauge.text.categories import ranges, tables

_FILE = "unicode8.json"
"""`controls`: controls, formats, surrogates and private use (Cc but for tab and line ends, Cf, Cs, Co), and U+FFFD;
`marks`: those without a width of their own (Mn); `punctuation`: Pc, Pd, Ps, Pe, Pi, Pf, Po beyond ASCII."""


@cache
def controls() -> tuple[range, ...]:
    """What is left out of a text: ranges, as private use alone has 137,000 characters."""
    return tuple(_ranges("controls"))


@cache
def marks() -> frozenset[int]:
    """Accents, once they stand alone."""
    return frozenset(code for some in _ranges("marks") for code in some)


@cache
def punctuation() -> frozenset[int]:
    """What is a word of its own; of ASCII all signs, "$" and "`" included."""
    signs = (range(33, 48), range(58, 65), range(91, 97), range(123, 127), *_ranges("punctuation"))
    return frozenset(code for some in signs for code in some)


def _ranges(name: str) -> Iterator[range]:
    for first, last in ranges(tables("nlgauge.models", _FILE)[name]):
        yield range(first, last + 1)
