"""The short form: what a reader needs on one page, cut visibly where it is longer; the long form has all."""

from __future__ import annotations

from typing import Any

from nlgauge.study.statement.types import Field, Statement

LINES, CHARACTERS = 45, 3_000  # a page
_LENGTHS = (400, 300, 200, 140, 110, 90, 70, 50, 35, 20)  # of one value; the first with which all fit
_NAMED = 12  # missing fields that are named one by one
_APART = 3  # criteria that have lines of their own
_FRAME = 700  # characters of title, warnings, figure and missing fields, and of the marks around each value
_MARKS = 9
CUT = " …"

Row = tuple[str, str]
"""The name of a field, and its value on one line."""


def rows(statement: Statement) -> list[Row]:
    """As much of each value as there is room for."""
    told = _together([field for field in statement if field.brief and field.entries])
    found: list[Row] = []
    room = CHARACTERS - max(_FRAME, sum(map(len, statement.warnings)) + 550)
    for length in _LENGTHS:
        found = [(_cut(name, 60), _cut(text, length)) for name, text in told]
        if sum(len(name) + len(text) + _MARKS for name, text in found) <= room:
            break
    return found


def named(statement: Statement) -> list[str]:
    """The missing fields as a short form names them: the first ones, and how many more."""
    names = [_cut(field.name.lower(), 30) for field in statement.missing]
    more = len(names) - _NAMED
    return [*names[:_NAMED], f"{more} more"] if more > 0 else names


def title(statement: Statement) -> str:
    """The title, cut where it is very long."""
    return _cut(statement.title, 120)


def to_dict(statement: Statement) -> dict[str, Any]:
    """The JSON form of the page."""
    whole = statement.to_dict()
    kept = ("study", "title", "protocol", "completeness", "warnings", "missing")
    return {name: whole[name] for name in kept} | {
        "form": "short",
        "rows": [{"name": name, "text": text} for name, text in rows(statement)],
    }


def _together(fields: list[Field]) -> list[Row]:
    """Many criteria share a line for their wordings, one for their scales, one for their definitions."""
    kinds: dict[str, list[Field]] = {}
    for field in fields:
        kinds.setdefault(field.key.partition(".")[0], []).append(field)
    found: list[Row] = []
    for own in kinds.values():
        if len(own) <= _APART:
            found += [(field.name, _text(field)) for field in own]
        else:
            text = "; ".join(f"{field.key.partition('.')[2]}: {_text(field)}" for field in own)
            found.append((own[0].name.partition(" (")[0], text))
    return found


def _text(field: Field) -> str:
    """A wording in its first language, with how many there are."""
    if field.key.partition(".")[0] == "wording" and len(field.entries) > 1:
        first = field.entries[0]
        return f"{first.text} ({first.label}, one of {len(field.entries)} languages)"
    return field.text


def _cut(text: str, length: int) -> str:
    """The beginning of a text, at a word's end, with a sign that there is more."""
    text = " ".join(text.split())
    if len(text) <= length:
        return text
    begun = text[: length - len(CUT)]
    return (begun.rpartition(" ")[0] or begun) + CUT
