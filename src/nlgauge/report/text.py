"""Tables for the terminal: drawn by `rich` where someone is looking, plain aligned text where nobody is."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nlgauge.wording.conclusion import conclusion, headline, significant, tabulate
from nlgauge.wording.tables import (
    COMPARISON_RIGHT,
    comparison_cells,
    comparison_footer,
    comparison_headers,
    plain_table,
    score_cells,
    score_footer,
    visible,
)

if TYPE_CHECKING:
    from rich.table import Table

    from nlgauge.results import Comparisons, Scores

__all__ = [
    "comparison_table",
    "conclusion",
    "headline",
    "print_comparisons",
    "print_scores",
    "print_table",
    "score_table",
]


def score_table(scores: Scores) -> Table:
    """The scores, one row per system, the best of each metric in bold."""
    headers, rows, marks = score_cells(scores)
    styled = [[("bold green" if best else "") for best in row_marks] for row_marks in marks]
    return _table(headers, rows, right=range(1, len(headers)), styles=styled)


def comparison_table(comparisons: Comparisons) -> Table:
    """The comparisons, significant differences in colour and in words."""
    places = tabulate(None, comparisons).places
    rows, styles = [], []
    for row in comparisons.comparisons:
        cells = comparison_cells(row, places[row.metric])
        colour = ("green" if row.better else "red") if significant(row) else ""
        rows.append(cells)
        styles.append(["", "", "", "", "", colour, "", "", colour, colour])
    return _table(comparison_headers(comparisons), rows, right=COMPARISON_RIGHT, styles=styles)


def print_scores(scores: Scores) -> None:
    """The table and its receipts on standard output."""
    if not sys.stdout.isatty():
        print(scores)
        return
    _print_rich(score_table(scores), score_footer(scores))


def print_comparisons(comparisons: Comparisons) -> None:
    """The table, the conclusion and the receipts on standard output."""
    if not sys.stdout.isatty():
        print(comparisons)
        return
    _print_rich(comparison_table(comparisons), ["", *comparison_footer(comparisons)])


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Any table of texts on standard output."""
    if not sys.stdout.isatty():
        print(plain_table(headers, rows))
        return
    _print_rich(_table(headers, rows), [])


def _table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[int] = (),
    styles: Sequence[Sequence[str]] | None = None,
) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column, header in enumerate(headers):
        # Text, not str: square brackets in a metric's name or an interval would be read as markup.
        table.add_column(Text(header), justify="right" if column in right else "left", overflow="fold")
    for number, row in enumerate(rows):
        style = styles[number] if styles else [""] * len(row)
        table.add_row(*(Text(visible(cell), style=look) for cell, look in zip(row, style, strict=True)))
    return table


def _print_rich(table: Table, footer: Sequence[str]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console()
    console.print(table)
    for line in footer:
        # Receipts stay on one line in the scroll-back, so that they can be copied whole.
        console.print(Text(visible(line)), soft_wrap=line.startswith("nlgauge="))
