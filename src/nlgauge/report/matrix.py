"""Who beats whom as a small inline SVG: a square for each pair, darker the larger the row's share of points.

Every square holds its figure, so that nothing is told by colour alone; systems have letters where names have no room.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from nlgauge.report.svg import FONT, WIDTH, Drawing, axis_title, put, shorten, text_width
from nlgauge.study.designs.table import letters

NAMES = 120.0  # the widest name beside a row
LARGEST = 46.0  # of a square
FAINTEST, RANGE = (
    0.04,
    0.46,
)  # opacity of a share of 0, and how much a share of 1 adds: figures stay readable on it


def matrix(names: Sequence[str], shares: Sequence[Sequence[float]], *, title: str) -> Drawing:
    """The drawing; a share that is NaN has no colour."""
    n = len(names)
    rows = [f"{letters(k)} {name}" for k, name in enumerate(names)]
    left = min(NAMES, max(text_width(row) for row in rows)) + 14
    size = min(LARGEST, (WIDTH - left - 4) / n)
    places = 2 if size >= 30 else 1 if size >= 22 else 0
    body, told = [], []
    for k in range(n):
        body.append(put("tick on", left + (k + 0.5) * size, 15, letters(k), "middle"))
        body.append(put("label", 2, 22 + (k + 0.5) * size + 4, shorten(rows[k], left - 8)))
        for m in range(n):
            share = shares[k][m]
            x, y = left + m * size, 22 + k * size
            box = f'x="{x + 1:.1f}" y="{y + 1:.1f}" width="{size - 2:.1f}" height="{size - 2:.1f}" rx="3"'
            if k == m or math.isnan(share):
                body.append(f'<rect class="cell none" {box}/>')
                continue
            about = f"{names[k]} over {names[m]}: {share:.2f}"
            told.append(about)
            figure = f"{share:.{places}f}" if places else ""
            shade = f'<rect class="cell" fill-opacity="{FAINTEST + RANGE * share:.2f}" {box}/>'
            words = put("on", x + size / 2, y + size / 2 + FONT / 3, figure, "middle")
            body.append(f"<g><title>{escape(about)}</title>{shade}{words}</g>")
    words = "share of comparisons that the row's system won against the column's"
    name, height = axis_title(words, (0.0, WIDTH), 22 + n * size + 8)
    return Drawing("".join((*body, name)), height, title, "; ".join(told))
