"""A statement as Markdown. Wordings are other people's text: whatever Markdown would take as marks is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nlgauge.study.statements import short
from nlgauge.study.statements.types import SOURCES, Field, Statement

_MARKS = re.compile(r"([\\`*_\[\]<>|#~$&])")
_BEGINNING = re.compile(r"^(\s*)([-+=]|\d+[.)])(?=\s|$)", re.M)

LONG = "Values that end in … are cut, and lesser ones may be left out; the long form has all in full."


def escaped(text: str) -> str:
    """Text that a reader of the Markdown sees as it is.

    >>> escaped("2 * 3 <b> _x_")
    '2 \\\\* 3 \\\\<b\\\\> \\\\_x\\\\_'
    """
    safe = _MARKS.sub(r"\\\1", text)
    return _BEGINNING.sub(lambda found: f"{found[1]}{found[2][:-1]}\\{found[2][-1]}", safe)


def markdown(statement: Statement) -> str:
    """The whole statement."""
    lines = _short(statement) if statement.form == "short" else _long(statement)
    return "\n".join(lines) + "\n"


def _head(statement: Statement) -> Iterator[str]:
    yield f"# Design statement: {escaped(short.title(statement) if statement.form == 'short' else statement.title)}"
    yield ""
    for warning in statement.warnings:
        yield f"**Note: {escaped(warning)}.**"
        yield ""


def _figure(statement: Statement) -> str:
    return f"{statement.stated} of {statement.total} fields are stated ({100 * statement.completeness:.0f} %)."


def _long(statement: Statement) -> Iterator[str]:
    yield from _head(statement)
    yield f"Study {statement.study}, protocol {statement.protocol}. {_figure(statement)}"
    for section in statement.sections:
        if all(field.missing for field in section.fields):
            continue
        yield ""
        yield f"## {escaped(section.name)}"
        for field in section.fields:
            if not field.missing:
                yield ""
                yield from _field(field)
    if statement.missing:
        yield from ("", "## Missing", "")
        yield from (f"- {escaped(remedy)}: {escaped(names)}" for remedy, names in statement.gaps)


def _field(field: Field) -> Iterator[str]:
    head = f"**{escaped(field.name)}**"
    source = f"*({SOURCES[field.source]})*"
    if len(field.entries) == 1 and not field.entries[0].label and "\n" not in field.entries[0].text.strip():
        yield f"{head}: {escaped(field.entries[0].text.strip())} {source}"
        return
    yield f"{head} {source}"
    yield ""
    for entry in field.entries:
        label = f"{escaped(entry.label)}: " if entry.label else ""
        first, *rest = escaped(entry.text.strip()).split("\n")
        yield f"- {label}{first}"
        yield from (f"  {line}".rstrip() for line in rest)


def _short(statement: Statement) -> Iterator[str]:
    yield from _head(statement)
    yield from (f"- **{escaped(name)}:** {escaped(text)}" for name, text in short.rows(statement))
    yield ""
    missing = ", ".join(map(escaped, short.named(statement)))
    yield _figure(statement) + (f" Missing: {missing}." if missing else "") + f" {LONG}"
