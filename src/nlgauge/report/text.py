"""Tables for the terminal: drawn by `rich` where someone is looking, plain aligned text where nobody is."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from nlgauge.wording.conclusion import conclusion, headline, significant, tabulate
from nlgauge.wording.rankings import RIGHT as RANKING_RIGHT
from nlgauge.wording.rankings import long_rankings, ranking_cells, ranking_headers
from nlgauge.wording.receipts import unbroken
from nlgauge.wording.tables import (
    ARROWS,
    LEAST_PROSE,
    comparison_cells,
    comparison_footer,
    comparison_headers,
    comparison_right,
    plain_table,
    score_cells,
    score_footer,
    several,
    visible,
    width,
)

if TYPE_CHECKING:
    from rich.table import Table

    from nlgauge.results import Comparisons, Scores
    from nlgauge.wording.paper import Part

__all__ = [
    "comparison_tables",
    "conclusion",
    "fitting_tables",
    "headline",
    "print_comparisons",
    "print_lines",
    "print_parts",
    "print_scores",
    "print_table",
    "score_tables",
]

GAP = 2  # blanks between columns
SENTENCE = 40  # a cell longer than this is prose, which may be broken between words
# Where a comparison is too wide, the two scores stand in a table of their own: the difference is what is asked for.
SCORES = (2, 4)


def score_tables(scores: Scores, room: int) -> list[Table]:
    """The scores, one row per system, the best of each metric in bold; several tables where one is too wide."""
    headers, rows, marks = score_cells(scores)
    styled = [[("bold green" if best else "") for best in row_marks] for row_marks in marks]
    parts = _fitting(_sizes(headers, rows), room)
    return [_part(headers, rows, columns, range(1, len(headers)), styles=styled) for columns in parts]


def _sizes(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """The width of each column, with the gap after it (of the last: the blank at either edge)."""
    return [max(width(visible(row[k])) for row in (headers, *rows)) + GAP for k in range(len(headers))]


def _fitting(sizes: Sequence[int], room: int, first: int = 1) -> list[list[int]]:
    """Groups of columns that fit into the room, each with the `first` columns; a single one may stick out."""
    keys = list(range(first))
    groups, used = [keys.copy()], sum(sizes[:first])
    for column in range(first, len(sizes)):
        if len(groups[-1]) > first and used + sizes[column] > room:
            groups.append(keys.copy())
            used = sum(sizes[:first])
        groups[-1].append(column)
        used += sizes[column]
    return groups


def comparison_tables(comparisons: Comparisons, room: int = 1000) -> list[Table]:
    """The comparisons, significant differences in colour and in words; several tables where one is too wide."""
    places, ranked = tabulate(None, comparisons).places, long_rankings(comparisons)
    rows, styles = [], []
    for row in (row for row in comparisons.comparisons if row.metric not in ranked):
        cells = comparison_cells(row, places[row.metric], together=several(comparisons))
        colour = ("green" if row.better else "red") if significant(row) else ""
        rows.append(cells)
        styles.append(["", "", "", "", "", colour, *[""] * (len(cells) - 8), colour, colour])
    tables = [
        table
        for metric, ranking in ranked.items()
        for table in fitting_tables(
            ranking_headers(ranking, ARROWS.get(ranking.direction, "")),
            ranking_cells(ranking, places[metric]),
            RANKING_RIGHT,
            room,
            keys=2,
        )
    ]
    if not rows:
        return tables
    headers, right = comparison_headers(comparisons), comparison_right(comparisons)
    sizes = _sizes(headers, rows)
    parts = [list(range(len(headers)))]
    if sum(sizes) > room:
        # rows are told apart by metric, system and baseline: all three stand in every part
        others = [k for k in range(len(headers)) if k not in SCORES]
        narrow = _fitting([sizes[k] for k in others], room, first=3)
        parts = [*([others[k] for k in part] for part in narrow), [0, 1, 2, 3, 4]]
    return [*(_part(headers, rows, columns, right, styles=styles) for columns in parts), *tables]


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
    _print_rich(comparison_tables(comparisons, _room()), ["", *comparison_footer(comparisons)])


def print_table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[int] = (),
    keys: int = 1,
    prose: bool = False,
) -> None:
    """Any table of texts on standard output; the columns numbered in `right` are flush right.

    On a terminal too narrow for it the table is cut into several, each with the first `keys` columns. `prose` breaks
    the sentences of the last column where nobody is looking, too: such a table is for reading only.
    """
    if not sys.stdout.isatty():
        print(plain_table(headers, rows, right=right, room=_room() if prose else 0))
        return
    _print_rich(fitting_tables(headers, rows, right, _room(), keys=keys), [])


def print_parts(parts: Iterable[Part]) -> None:
    """The tables of a result, each under its heading where it has one."""
    for heading, headers, rows, right in parts:
        if heading:
            print_lines([heading, ""])
        print_table(headers, rows, right=right)
        print()


def fitting_tables(
    headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int], room: int, keys: int = 1
) -> list[Table]:
    """A table that loses nothing: cut into several where it is too wide, with the first `keys` columns in each.

    Sentences in the last column are wrapped if that leaves them readable; all other cells stay whole, but for those of
    a column that is too wide for any part.
    """
    sizes, last = _sizes(headers, rows), len(headers) - 1
    if sum(sizes) <= room:
        return [_part(headers, rows, range(len(headers)), right)]
    prose = last > 0 and last not in right and any(width(row[last]) > SENTENCE for row in rows)
    if not prose:
        return [_part(headers, rows, columns, right) for columns in _fitting(sizes, room, keys)]
    if sum(sizes[:last]) + LEAST_PROSE <= room:
        return [_part(headers, rows, range(len(headers)), right, wrap=last)]

    def over(columns: Sequence[int]) -> bool:
        return sum(sizes[column] for column in columns) > room and columns[-1] not in right

    # The sentences come first: they say what the rows are.
    parts = [[*range(keys), last], *_fitting(sizes[:last], room, keys)]
    # A column too wide for a part of its own is wrapped like the sentences.
    return [_part(headers, rows, columns, right, wrap=columns[-1] if over(columns) else last) for columns in parts]


def print_lines(lines: Sequence[str]) -> None:
    """Lines of text under a table: wrapped on a terminal, but for receipts."""
    if not sys.stdout.isatty():
        print("\n".join(map(visible, lines)))
        return
    _print_rich([], lines)


def _room() -> int:
    """Columns of the terminal."""
    from rich.console import Console

    return Console().width


def _part(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    columns: Sequence[int],
    right: Sequence[int],
    *,
    styles: Sequence[Sequence[str]] | None = None,
    wrap: int | None = None,
) -> Table:
    """Some columns as a table whose cells stay whole, but for the column `wrap`: a number broken in two cannot be
    read."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, GAP - 1, 0, 0))
    sizes = _sizes(headers, rows)
    for column in columns:
        # Text, not str: square brackets in a metric's name or an interval would be read as markup.
        table.add_column(
            Text(visible(headers[column])),
            justify="right" if column in right else "left",
            overflow="fold",
            no_wrap=column != wrap,
            min_width=LEAST_PROSE if column == wrap else sizes[column] - GAP,
        )
    for number, row in enumerate(rows):
        looks = styles[number] if styles else [""] * len(row)
        table.add_row(*(Text(visible(row[column]), style=looks[column]) for column in columns))
    return table


def _print_rich(tables: Sequence[Table], footer: Sequence[str]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console()
    for table in tables:
        # Where a column alone is wider than the terminal, the line sticks out; rich would cut its cells.
        needed = sum(column.min_width or 0 for column in table.columns) + GAP * len(table.columns)
        Console(width=max(console.width, needed)).print(table, crop=False)
    for line in footer:
        # Receipts stay on one line in the scroll-back, so that they can be copied whole.
        console.print(Text(visible(line)), soft_wrap=unbroken(line))
