"""The page of ratings or of agreement: the conclusion, a plot with intervals, the tables and receipts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from nlgauge import __version__
from nlgauge.io import atomic_path
from nlgauge.report.html import _PAGE
from nlgauge.report.markup import plain_table, signs
from nlgauge.report.paper import Paper
from nlgauge.report.style import CSS, printable
from nlgauge.report.svg import Panel, Row


def write_page(paper: Paper, path: str | Path, *, title: str, origin: str, receipts: Sequence[str]) -> None:
    """Write the page of a result whose rows have a name, a value and limits."""
    first, *more = (escape(signs(text)) for text in paper.said)
    said = f'<p class="head">{first}</p>' + "".join(f"<p>{text}</p>" for text in more)
    parts = [
        f'<header><h1>{escape(title)}</h1><p class="soft">{escape(origin)}</p></header>',
        f'<section class="finding" aria-label="Conclusion">{said}</section>',
        _plots(paper.rows),
    ]
    for heading, headers, rows, right in paper.parts:
        table = plain_table(headers, rows, right, heading)
        parts.append(f"<section><h2>{escape(heading)}</h2>{table}</section>")
    notes = "".join(f"<p>{escape(signs(note))}.</p>" for note in paper.notes)
    lines = escape("\n".join(receipts))
    parts.append(f"<section><h2>Notes and receipts</h2>{notes}<pre>{lines}</pre></section>")
    page = _PAGE.format(title=escape(title), css=CSS, body="\n".join(parts), version=__version__)
    with atomic_path(Path(path)) as temporary:
        temporary.write_text(printable(page), encoding="utf-8")


def _plots(rows: Sequence[Mapping[str, Any]]) -> str:
    """A panel for each criterion."""
    figures = []
    for criterion in dict.fromkeys(row.get("criterion") or "" for row in rows):
        drawn = [_row(row) for row in rows if (row.get("criterion") or "") == criterion]
        known = [row for row in drawn if row is not None]
        if known:
            drawing = Panel(
                known, title=criterion or "values", desc="; ".join(row.about for row in known)
            ).draw()
            figures.append(f"<figure><h3>{escape(criterion)}</h3>{drawing}</figure>")
    if not figures:
        return ""
    return (
        f'<section><h2>Values and their intervals</h2><div class="panels">{"".join(figures)}</div></section>'
    )


def _row(row: Mapping[str, Any]) -> Row | None:
    name, value = str(row.get("player") or row.get("name")), row.get("rating", row.get("value"))
    if not isinstance(value, int | float) or not math.isfinite(value):
        return None
    text = signs(f"{value:.3f}" if abs(value) < 10 else f"{value:.0f}")
    return Row(name, value, row.get("low"), row.get("high"), text, about=f"{name}: {text}")
