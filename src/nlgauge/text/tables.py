"""Tables as the source of a text: attributes and values, however they are written.

A table is a list of rows `[attribute, value]` or `[entity, attribute, value]`, or an object `{attribute: value}`. A
cell is a text, a number, or a list of words. Two ways to write a table as text are read as well, so that line files
can hold tables: the meaning representations of the E2E challenge, `name[Blue Spice], area[city centre]`, and the
lines of the authors of PARENT, `attribute|||value` with tabs between the rows (or `entity|||attribute|||value`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

EXPECTED = (
    "expected a table: a list of [attribute, value] or of [entity, attribute, value], an object "
    "{attribute: value}, or a text such as name[Blue Spice], area[city centre]"
)
_ROWS = frozenset({list, tuple})
_SLOT = re.compile(r"\s*([^\[\],]+?)\s*\[([^\[\]]*)\]\s*(,|$)")


class Table(NamedTuple):
    """Row by row the attribute, and what a text should mention: the value, or the entity and the value."""

    attributes: Sequence[str]
    values: Sequence[str]


class TableError(ValueError):
    """What is wrong with a table, in words; the caller knows whose table it is."""


def read(source: Any) -> Table:
    """The table a source holds; TableError where it holds none."""
    if isinstance(source, dict):
        rows: Any = list(source.items())
    elif isinstance(source, str):
        rows = _written(source)
    elif isinstance(source, list | tuple):
        rows = source
    else:
        raise TableError(f"the source is {_kind(source)}; {EXPECTED}")
    if not rows:
        raise TableError("the table has no rows; give at least one, or leave the item out")
    return _plain(rows) or _checked(rows)


def rows(source: Any) -> list[list[str]]:
    """The rows of a table as cells to be shown, however it is written; none where a source is no table.

    >>> rows("name[Blue Spice], area[city centre]"), rows("Rain [expected] in the north.")
    ([['name', 'Blue Spice'], ['area', 'city centre']], [])
    """
    try:
        if isinstance(source, str):
            return _written(source) if source.strip() else []
        read(source)
        found = list(source.items()) if isinstance(source, dict) else source
        return [[_cell(cell, 0) for cell in row] for row in found]
    except TableError:
        return []


def _plain(rows: Sequence[Any]) -> Table | None:
    """The table of rows that hold texts only, as nearly all do, column by column; None where there is a doubt."""
    if not _ROWS.issuperset(map(type, rows)):
        return None
    try:
        columns = tuple(zip(*rows, strict=True))
        for column in columns:
            "".join(column)  # the quickest way to see that all are texts
    except (TypeError, ValueError):
        return None
    if len(columns) == 2:
        attributes, values = columns
    elif len(columns) == 3:
        attributes, values = columns[1], tuple(map("{} {}".format, columns[0], columns[2]))
    else:
        return None
    return Table(attributes, values) if all(map(str.strip, values)) else None


def _checked(rows: Sequence[Any]) -> Table:
    """The table cell by cell; what is wrong is said with the row."""
    width = len(rows[0]) if isinstance(rows[0], list | tuple) else 0
    attributes: list[str] = []
    values: list[str] = []
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, list | tuple) or len(row) not in (2, 3):
            raise TableError(f"row {number} of the table is {_members(row)}; {EXPECTED}")
        if len(row) != width:
            raise TableError(
                f"row {number} of the table has {len(row)} cells and row 1 has {width}; "
                "give all rows as [attribute, value] or all as [entity, attribute, value]"
            )
        cells = [cell if type(cell) is str and cell else _cell(cell, number) for cell in row]
        attributes.append(cells[-2])
        value = cells[1] if width == 2 else f"{cells[0]} {cells[2]}"
        if not value or value.isspace():
            raise TableError(
                f"row {number} of the table ({cells[-2]}) has an empty value; leave out rows without a value"
            )
        values.append(value)
    return Table(attributes, values)


def _written(text: str) -> list[list[str]]:
    """The rows of a table written as text."""
    if "|||" in text:
        return [entry.split("|||") for entry in text.strip().split("\t")]
    rows: list[list[str]] = []
    position = 0
    while position < len(text):
        slot = _SLOT.match(text, position)
        if not slot:
            shown = text if len(text) <= 40 else text[:37] + "…"
            raise TableError(f"the source is a text that is no table ({shown!r}); {EXPECTED}")
        rows.append([slot[1], slot[2]])
        position = slot.end()
    return rows


def _cell(cell: Any, number: int) -> str:
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, list | tuple) and all(isinstance(word, str) for word in cell):
        return " ".join(cell)
    raise TableError(f"row {number} of the table holds {_kind(cell)}; a cell is a text, a number or a list of words")


def _members(row: Any) -> str:
    return f"a list of {len(row)}" if isinstance(row, list | tuple) else _kind(row)


def _kind(value: Any) -> str:
    kinds: dict[type, str] = {str: "a text", bool: "true or false", int: "a number", float: "a number"}
    kinds |= {list: "a list", tuple: "a list", dict: "an object", type(None): "null"}
    shown = repr(value) if len(repr(value)) <= 40 else repr(value)[:37] + "…"
    return "null" if value is None else f"{kinds.get(type(value), type(value).__name__)} ({shown})"
