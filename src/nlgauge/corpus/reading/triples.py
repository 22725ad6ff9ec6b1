"""Inputs as they are written: `name[value], …`, `subject | predicate | object`, lists of either or of three names."""

from __future__ import annotations

import re
from typing import Any

from nlgauge.corpus.entries import Triple
from nlgauge.errors import InputError

_ATTRIBUTE = re.compile(r"\s*,?\s*([^,\[\]|]+?)\s*\[([^\[\]]*)\]")
_LINES = re.compile(r"<br\s*/?>|\n")


def parse_triple(text: str, place: str) -> Triple:
    """`subject | predicate | object`."""
    parts = [part.strip() for part in text.split(" | ")]
    if len(parts) != 3 or not all(parts):
        raise InputError(f"{place}: {text!r} is no triple; expected subject | predicate | object")
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
    triples: list[Triple] = []
    for row in source:
        if isinstance(row, str):
            if " | " not in row:
                return ()  # the turns of a conversation
            triples.append(parse_triple(row, place))
        elif (
            isinstance(row, list)
            and len(row) == 3
            and all(isinstance(cell, str | int | float) for cell in row)
        ):
            triples.append(Triple(*(str(cell) for cell in row)))
        else:
            raise InputError(f"{place}: {row!r} is no triple; expected [entity, attribute, value]")
    return tuple(triples)
