"""Inputs as they are written: `name[value], …`, `subject | predicate | object`, lists of either or of three names."""

from __future__ import annotations

import re
from typing import Any

from nlgauge.corpus.entries import Triple
from nlgauge.errors import InputError

_ATTRIBUTE = re.compile(r"\s*,?\s*([^,\[\]|]+?)\s*\[([^\[\]]*)\]")
_LINES = re.compile(r"<br\s*/?>|\n")


def parse_triple(given: Any, place: str) -> Triple:
    """`subject | predicate | object`, or a list of the three."""
    if isinstance(given, list) and all(isinstance(cell, str | int | float) for cell in given):
        parts = [str(cell) for cell in given]
        named = parts[1:2]  # E2E's attributes have no subject, and a value may be empty
    else:
        parts = named = [part.strip() for part in given.split(" | ")] if isinstance(given, str) else []
    if len(parts) != 3 or not all(named):
        raise InputError(
            f"{place}: {given!r} is no triple; expected subject | predicate | object, or [subject, predicate, object]"
        )
    return Triple(*parts)


def parse_source(source: Any, place: str) -> tuple[Triple, ...]:
    """The triples of an input; none where it is running text.

    >>> [str(triple) for triple in parse_source("name[Blue Spice], area[riverside]", "here")]
    ['name[Blue Spice]', 'area[riverside]']
    """
    if isinstance(source, str):
        if " | " in source:
            return tuple(parse_triple(line, place) for line in _LINES.split(source) if line.strip())
        found = list(_ATTRIBUTE.finditer(source))
        if found and sum(len(match.group()) for match in found) == len(source.rstrip()):
            return tuple(Triple("", match[1], match[2]) for match in found)
        return ()
    if not isinstance(source, list):
        return ()
    if any(isinstance(row, str) and " | " not in row for row in source):
        return ()  # the turns of a conversation
    return tuple(parse_triple(row, place) for row in source)
