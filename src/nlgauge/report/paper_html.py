"""The page of ratings or of agreement: the conclusion, a plot with intervals, the tables and receipts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from nlgauge.report.figures import Figure, grid
from nlgauge.report.markup import plain_table, signs
from nlgauge.report.page import page, write
from nlgauge.report.svg import Panel, Row
from nlgauge.wording.paper import Paper


def write_page(paper: Paper, path: str | Path, *, title: str, origin: str, receipts: Sequence[str], axis: str) -> None:
    """Write the page of a result whose rows have a name, a value and limits."""
    first, *more = (escape(signs(text)) for text in paper.said)
    said = f'<p class="head">{first}</p>' + "".join(f"<p>{text}</p>" for text in more)
    parts = [
        f'<header><h1>{escape(title)}</h1><p class="soft">{escape(origin)}</p></header>',
        f'<section class="finding" aria-label="Conclusion">{said}</section>',
        _plots(paper, axis),
    ]
    for heading, headers, rows, right in paper.parts:
        table = plain_table(headers, rows, right, heading)
        parts.append(f"<section><h2>{escape(heading)}</h2>{table}</section>")
    notes = "".join(f"<p>{escape(signs(note))}.</p>" for note in paper.notes)
    lines = escape("\n".join(receipts))
    parts.append(f"<section><h2>Notes and receipts</h2>{notes}<pre>{lines}</pre></section>")
    write(page(title, "\n".join(parts)), path)


def paper_figures(paper: Paper, axis: str) -> list[Figure]:
    """A panel for each criterion; `axis` names what the rows hold."""
    figures = []
    for criterion in dict.fromkeys(row.get("criterion") or "" for row in paper.rows):
        drawn = [_row(row) for row in paper.rows if (row.get("criterion") or "") == criterion]
        known = [row for row in drawn if row is not None]
        if known:
            drawing = Panel(
                known, title=criterion or axis, desc="; ".join(row.about for row in known), axis=axis
            ).draw()
            figures.append(Figure(axis, criterion, "", drawing))
    return figures


def _plots(paper: Paper, axis: str) -> str:
    figures = grid(paper_figures(paper, axis))
    return f"<section><h2>Values and their intervals</h2>{figures}</section>" if figures else ""


def _row(row: Mapping[str, Any]) -> Row | None:
    name, value = str(row.get("player") or row.get("name")), row.get("rating", row.get("value"))
    if not isinstance(value, int | float) or not math.isfinite(value):
        return None
    text = signs(f"{value:z.3f}" if abs(value) < 10 else f"{value:.0f}")
    return Row(name, value, row.get("low"), row.get("high"), text, about=f"{name}: {text}")
