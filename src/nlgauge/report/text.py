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
    width,
)

if TYPE_CHECKING:
    from rich.table import Table

    from nlgauge.results import Comparisons, Scores

__all__ = [
    "comparison_table",
    "conclusion",
    "fitting_tables",
    "headline",
    "print_comparisons",
    "print_lines",
    "print_scores",
    "print_table",
    "score_tables",
]

GAP = 2  # blanks between columns
# Columns of a comparison that are left out, in turn, where room is short: the scores (the difference says it), then the
# uncorrected p-value.
DISPENSABLE: tuple[tuple[int, ...], ...] = ((), (2, 4), (2, 4, 7))


def score_tables(scores: Scores, room: int) -> list[Table]:
    """The scores, one row per system, the best of each metric in bold; several tables where one is too wide."""
    headers, rows, marks = score_cells(scores)
    styled = [[("bold green" if best else "") for best in row_marks] for row_marks in marks]
    sizes = [max(width(cell) for cell in column) + GAP for column in zip(headers, *rows, strict=True)]
    tables = []
    for columns in _fitting(sizes, room):
        tables.append(
            _table(
                [headers[k] for k in columns],
                [[row[k] for k in columns] for row in rows],
                right=range(1, len(columns)),
                styles=[[row[k] for k in columns] for row in styled],
            )
        )
    return tables


def _fitting(sizes: Sequence[int], room: int) -> list[list[int]]:
    """Groups of columns that fit into the room, each with the first column; a single one may stick out."""
    groups = [[0]]
    used = sizes[0]
    for column in range(1, len(sizes)):
        if len(groups[-1]) > 1 and used + sizes[column] > room:
            groups.append([0])
            used = sizes[0]
        groups[-1].append(column)
        used += sizes[column]
    return groups


def comparison_table(comparisons: Comparisons, room: int = 1000) -> Table:
    """The comparisons, significant differences in colour and in words; fewer columns where room is short."""
    places = tabulate(None, comparisons).places
    rows, styles = [], []
    for row in comparisons.comparisons:
        cells = comparison_cells(row, places[row.metric])
        colour = ("green" if row.better else "red") if significant(row) else ""
        rows.append(cells)
        styles.append(["", "", "", "", "", colour, "", "", colour, colour])
    headers = comparison_headers(comparisons)
    sizes = [max(width(cell) for cell in column) + GAP for column in zip(headers, *rows, strict=True)]
    for dropped in DISPENSABLE:
        shown = [k for k in range(len(headers)) if k not in dropped]
        if sum(sizes[k] for k in shown) <= room:
            break
    return _table(
        [headers[k] for k in shown],
        [[row[k] for k in shown] for row in rows],
        right=[place for place, k in enumerate(shown) if k in COMPARISON_RIGHT],
        styles=[[row[k] for k in shown] for row in styles],
    )


def print_scores(scores: Scores) -> None:
    """The table and its receipts on standard output."""
    if not sys.stdout.isatty():
        print(scores)
        return
    _print_rich(score_tables(scores, _room()), score_footer(scores))


def print_comparisons(comparisons: Comparisons) -> None:
    """The table, the conclusion and the receipts on standard output."""
    if not sys.stdout.isatty():
        print(comparisons)
        return
    _print_rich([comparison_table(comparisons, _room())], ["", *comparison_footer(comparisons)])


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> None:
    """Any table of texts on standard output; the columns numbered in `right` are flush right."""
    if not sys.stdout.isatty():
        print(plain_table(headers, rows, right=right))
        return
    _print_rich([_table(headers, rows, right=right, wrap=None if right else len(headers) - 1)], [])


def fitting_tables(headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> None:
    """A table of numbers on the terminal, cut into several where it is too wide; the first column stands in each."""
    sizes = [max(width(cell) for cell in column) + GAP for column in zip(headers, *rows, strict=True)]
    tables = [
        _table(
            [headers[k] for k in part],
            [[row[k] for k in part] for row in rows],
            right=[place for place, k in enumerate(part) if k in right],
        )
        for part in _fitting(sizes, _room())
    ]
    _print_rich(tables, [])


def print_lines(lines: Sequence[str]) -> None:
    """Lines of text under a table: wrapped on a terminal, but for receipts."""
    if not sys.stdout.isatty():
        print("\n".join(lines))
        return
    _print_rich([], lines)


def _room() -> int:
    """Columns of the terminal."""
    from rich.console import Console

    return Console().width


def _table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[int] = (),
    styles: Sequence[Sequence[str]] | None = None,
    wrap: int | None = None,
) -> Table:
    """A table whose cells stay whole, but for the column `wrap`: a number broken in two cannot be read."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, GAP - 1, 0, 0))
    for column, header in enumerate(headers):
        # Text, not str: square brackets in a metric's name or an interval would be read as markup.
        table.add_column(
            Text(header),
            justify="right" if column in right else "left",
            overflow="fold",
            no_wrap=column != wrap,
            min_width=None
            if column == wrap
            else max(width(visible(row[column])) for row in (headers, *rows)),
        )
    for number, row in enumerate(rows):
        style = styles[number] if styles else [""] * len(row)
        table.add_row(*(Text(visible(cell), style=look) for cell, look in zip(row, style, strict=True)))
    return table


def _print_rich(tables: Sequence[Table], footer: Sequence[str]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console()
    for table in tables:
        console.print(table, crop=False)
    for line in footer:
        # Receipts stay on one line in the scroll-back, so that they can be copied whole.
        console.print(Text(visible(line)), soft_wrap=line.startswith("nlgauge="))
