"""Pieces of HTML that several pages are made of."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from html import escape

from nlgauge.wording.numbers import signs as signs


def paragraph(text: str | None, look: str = "") -> str:
    """A paragraph, or nothing where there is no text."""
    shown = f' class="{look}"' if look else ""
    return f"<p{shown}>{escape(text)}</p>" if text else ""


def header(title: str, about: str) -> str:
    """The head of a page."""
    return f"<header><h1>{escape(title)}</h1>{paragraph(about, 'soft')}</header>"


class Section(str):
    """A section of a page that can be linked to: its markup, which knows its heading and its name."""

    heading: str
    name: str


def section(heading: str, about: str, *content: str) -> str:
    """A section that can be linked to, or nothing where it has no content."""
    inner = "".join(content)
    if not inner:
        return ""
    name = re.sub(r"\W+", "-", heading.lower()).strip("-")
    made = Section(f'<section id="{name}"><h2>{escape(heading)}</h2>{paragraph(about, "soft")}{inner}</section>')
    made.heading, made.name = heading, name
    return made


def scroll(label: str, table: str) -> str:
    """A table in a box that scrolls sideways, by keyboard too."""
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}">{table}</div>'


def plain_table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[int],
    label: str,
    *,
    ruled: Collection[int] = (),
) -> str:
    """Text and numbers, the first column as heads of rows, those in `right` as numbers; a line above `ruled` rows."""
    head = "".join(
        f'<th scope="col"{" class=num" if place in right else ""}>{escape(text)}</th>' if text else "<td></td>"
        for place, text in enumerate(headers)
    )
    body = "".join(
        ('<tr class="line">' if line in ruled else "<tr>")
        + "".join(
            f'<th scope="row"><div class="name" dir="auto">{escape(cell)}</div></th>'
            if place == 0
            else f"<td{' class=num' if place in right else ''}>{escape(signs(cell) if place in right else cell)}</td>"
            for place, cell in enumerate(row)
        )
        + "</tr>"
        for line, row in enumerate(rows)
    )
    markup = f'<table class="scores"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return scroll(label, markup)


def stacked_table(headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int], label: str) -> str:
    """The same where cells are long: on a phone each row is a list with the heads of columns before its cells."""
    page = plain_table(headers, rows, right, label).replace('class="scores"', 'class="scores stacked"', 1)
    body = page.index("<tbody>")
    cells = iter(f'<td data-head="{escape(headers[place])}"' for row in rows for place in range(1, len(row)))
    return page[:body] + re.sub(r"<td(?=[ >])", lambda _: next(cells), page[body:])
