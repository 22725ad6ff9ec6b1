"""Pieces of HTML that several pages are made of."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


def minus(text: str) -> str:
    """A true minus sign; hyphens in running text are left alone because only numbers come here."""
    return text.replace("-", "−")


def scroll(label: str, table: str) -> str:
    """A table in a box that scrolls sideways, by keyboard too."""
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}">{table}</div>'


def plain_table(
    headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int], label: str
) -> str:
    """Text and numbers, the first column as heads of rows, those in `right` as numbers."""
    head = "".join(
        f'<th scope="col"{" class=num" if place in right else ""}>{escape(text)}</th>'
        if text
        else "<td></td>"
        for place, text in enumerate(headers)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<th scope="row"><div class="name" dir="auto">{escape(cell)}</div></th>'
            if place == 0
            else f"<td{' class=num' if place in right else ''}>{escape(minus(cell) if place in right else cell)}</td>"
            for place, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    markup = f'<table class="scores"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return scroll(label, markup)
