"""The short form: what a reader needs on one page, cut visibly where it is longer; the long form has all.

What was asked comes first: the exact questions and the labels of their scales stand in full as long as anything else
can be cut or left out (Schoch, Yang and Ji 2020: most papers do not report even these).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nlgauge.study.statements.agreed import shortest
from nlgauge.study.statements.types import Field, Statement

LINES, CHARACTERS = 45, 3_000  # a page
_EXACT = ("wording", "scale")
_LESSER = ("balance", "consent_asked", "retention", "minutes_each", "languages")
_LEAST = (*_LESSER, "dates", "checks", "questions_each", "practice", "order")
# What is left out, the length of a value, of a scale and of a question (0: in full): the first with which all fit.
_STEPS = (
    *(((), length, 0, 0) for length in (400, 300, 200)),
    *((_LESSER[:1], length, 0, 0) for length in (400, 300, 200, 140, 110)),
    *((_LESSER, length, 0, 0) for length in (200, 140, 110, 90, 70)),
    *((_LEAST, length, 0, 0) for length in (110, 90, 70, 50, 35, 20)),
    *((_LEAST, 20, length, 0) for length in (400, 300, 200, 140, 110, 90, 70, 50, 35, 20)),
    *((_LEAST, 20, 20, length) for length in (1000, 700, 400, 200, 110, 70, 35, 20)),
)
_NAMED = 12  # missing fields that are named one by one
_APART = 3  # criteria that have lines of their own
_FRAME = 700  # characters of title, warnings, figure and missing fields, and of the marks around each value
_MARKS = 9
CUT = " …"

Row = tuple[str, str]
"""The name of a field, and its value on one line."""


def rows(statement: Statement) -> list[Row]:
    """As much of each value as there is room for, and what was asked before everything else."""
    fields = [field for field in statement if field.brief and field.entries]
    room = CHARACTERS - max(_FRAME, sum(map(len, statement.warnings)) + 550)
    found: list[Row] = []
    for out, usual, scale, question in _STEPS:
        lengths = {"scale": scale, "wording": question, "joined": 0}
        found = [
            (_cut(name, 60), _cut(text, lengths.get(kind, usual) or len(text)))
            for kind, name, text in _together(fields, usual)
            if kind not in out
        ]
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


def _together(fields: list[Field], usual: int) -> Iterator[tuple[str, str, str]]:
    """Kind, name and value; many criteria share a line for their wordings, one for scales, one for definitions."""
    kinds: dict[str, list[Field]] = {}
    for field in fields:
        kinds.setdefault(field.kind, []).append(field)
    for kind, own in kinds.items():
        if kind == "scale" and len(own) > 1:
            yield from ((kind, name, text) for name, text in _scales(own))
        elif kind == "agreement" and (figures := shortest(own[0].entries))[0]:
            # all figures, as one that was cut off would be one not told
            said = (figures[0], _cut(figures[1], usual))
            yield "joined", own[0].name, "; ".join(filter(None, said))
        elif len(own) <= _APART:
            yield from ((kind, field.name, _text(field)) for field in own)
        else:
            name, joined = own[0].title, kind not in _EXACT
            parts = ((_criterion(field), _cut(_text(field), usual) if joined else _text(field)) for field in own)
            yield "joined" if joined else kind, name, "; ".join(f"{called}: {text}" for called, text in parts)


def _scales(own: list[Field]) -> Iterator[Row]:
    """A scale that serves several criteria stands once."""
    alike: dict[str, list[str]] = {}
    for field in own:
        alike.setdefault(_text(field), []).append(_criterion(field))
    if len(alike) == 1:
        yield "Scale (all criteria)", next(iter(alike))
    elif len(alike) <= _APART and len(own) <= _APART:
        yield from ((f"Scale ({', '.join(names)})", text) for text, names in alike.items())
    else:
        yield "Scale", "; ".join(f"{', '.join(names)}: {text}" for text, names in alike.items())


def _criterion(field: Field) -> str:
    return field.about or field.criterion


def _text(field: Field) -> str:
    """Each wording in its first language, with how many there are; the labels of a scale in theirs."""
    if field.kind == "wording" and len(field.entries) > 1:
        firsts = {entry.wording: entry for entry in reversed(field.entries)}
        languages = len(field.entries) // len(firsts)
        more = f" (one of {languages} languages)" if languages > 1 else ""
        if len(firsts) > 1:
            return "; ".join(f"{entry.label}: {entry.text}" for entry in reversed(firsts.values())) + more
        first = field.entries[0]
        return f"{first.text} ({first.label}, one of {languages} languages)"
    if field.kind == "scale":
        said = ((entry.label, entry.first or entry.text) for entry in field.entries)
        return "; ".join(f"{label}: {text}" if label else text for label, text in said)
    return field.text


def _cut(text: str, length: int) -> str:
    """The beginning of a text, at a word's end, with a sign that there is more."""
    text = " ".join(text.split())
    if len(text) <= length:
        return text
    begun = text[: length - len(CUT)]
    return (begun.rpartition(" ")[0] or begun) + CUT
