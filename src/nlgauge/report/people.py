"""What people said, on the terminal and as a page: agreement, ratings with intervals, and the games behind ratings."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from nlgauge.report.components import (
    Cell,
    component,
    finding,
    grid,
    header,
    heat_table,
    method,
    paragraph,
    section,
    table_of,
    table_sections,
)
from nlgauge.report.figures import Figure
from nlgauge.report.pages import page, write
from nlgauge.report.scatter import curves
from nlgauge.report.style import CSS, DEEPEST, HEAT
from nlgauge.report.svg import Panel, Row
from nlgauge.report.text import print_lines, print_table
from nlgauge.wording.agreement import cells, footer, judge_cells, judge_legend
from nlgauge.wording.numbers import signs
from nlgauge.wording.paper import Paper, of_ratings

if TYPE_CHECKING:
    from nlgauge.agreement import Agreement
    from nlgauge.stats.skill import Ratings
    from nlgauge.stats.skill.results import ExampleGame

TITLE = "Ratings from games"
MOST = 30  # players in the matrix, best first
TOGETHER, MOST_FOLLOWED = 4, 12  # players in one plot of the history, and in all of them
LONGEST = 800  # letters of a text
SHORT = 16  # letters of a name that are shown everywhere
VERDICTS = {"a": "the first is better", "b": "the second is better", "tie": "neither is better"}
STYLE = """
.heat.wins td{text-align:center;padding:.3rem .35rem}
.heat.wins tbody th{vertical-align:middle;max-width:16rem}
.heat.wins td small{display:block;font-size:.72rem;color:inherit}
.heat.wins td.none{background:none}
.game{border-top:1px solid var(--line);padding:.6rem 0}
.game p{margin:.2rem 0}
.game blockquote{margin:.4rem 0;padding-left:.7rem;border-left:3px solid var(--line);white-space:pre-wrap;
overflow-wrap:anywhere}
.texts{display:flex;flex-wrap:wrap;gap:.8rem}
.texts>div{flex:1 1 16rem;min-width:0}
.texts blockquote{margin:.2rem 0}
@media(max-width:40rem){.heat.wins tbody th{max-width:5.5rem}.heat.wins td{padding:.3rem .15rem}}
"""


def print_agreement(result: Agreement) -> None:
    """The tables, the sentence and the notes on standard output."""
    if not sys.stdout.isatty():
        print(result)
        return
    print_table(*cells(result), right=(1, 2, 3))
    if result.reports:
        print_table(*judge_cells(result), right=range(1, 8))
        print_lines([judge_legend(result)])
    print_lines(footer(result))


def write_page(paper: Paper, path: str | Path, *, title: str, origin: str, receipts: Sequence[str], axis: str) -> None:
    """Write the page of a result whose rows have a name, a value and limits."""
    said = [paragraph(signs(text), "" if place else "head") for place, text in enumerate(paper.said)]
    parts = [
        header(title, origin),
        finding(*said),
        section("Values and their intervals", "", grid(paper_figures(paper, axis)), linked=False),
        *table_sections(paper.parts, linked=False),
        method(_sentences(paper.notes), receipts),
    ]
    write(page(title, *parts), path)


def write_leaderboard(rated: Mapping[str, Ratings], path: str | Path, *, origin: str, axis: str) -> None:
    """Write the page of the ratings of each criterion (the name of a single one is empty)."""
    paper, said = of_ratings(rated), list[Markup]()
    for criterion, result in rated.items():
        conclusion = f"{criterion}: {result.conclusion}" if len(rated) > 1 else result.conclusion
        said += [paragraph(signs(conclusion), "head"), paragraph(signs(result.how), "")]
    parts = [header(TITLE, origin), finding(*said)]
    parts.append(section("Ratings and their intervals", "", grid(paper_figures(paper, axis))))
    for heading, headers, rows, right in paper.parts:
        parts.append(section(heading, "", table_of((heading, headers, rows, right[1:]))))
    about = "Games that the ratings expected least, then games of the two best."
    for criterion, result in rated.items():
        where = f" on {criterion}" if criterion else ""
        games = section(f"Example games{where}", about, *map(_game, result.examples))
        parts += [_matrix(result, where), _history(result, where), games]
    parts.append(method(_sentences(paper.notes), [result.receipt for result in rated.values()]))
    write(page(TITLE, *parts, css=CSS + HEAT + STYLE), path)


def _sentences(notes: Iterable[str]) -> list[str]:
    return [f"{signs(note)}." for note in notes]


def paper_figures(paper: Paper, axis: str) -> list[Figure]:
    """A panel for each criterion; `axis` names what the rows hold."""
    figures = []
    for criterion in dict.fromkeys(row.get("criterion") or "" for row in paper.rows):
        drawn = [_row(row) for row in paper.rows if (row.get("criterion") or "") == criterion]
        known = [row for row in drawn if row is not None]
        if known:
            drawing = Panel(known, title=criterion or axis, axis=axis).draw()
            figures.append(Figure(axis, criterion, "", drawing))
    return figures


def _row(row: Mapping[str, Any]) -> Row | None:
    name, value = str(row.get("player") or row.get("name")), row.get("rating", row.get("value"))
    if not isinstance(value, int | float) or not math.isfinite(value):
        return None
    text = signs(f"{value:z.3f}" if abs(value) < 10 else f"{value:.0f}")
    return Row(name, value, row.get("low"), row.get("high"), text=text, about=f"{name}: {text}")


def _matrix(result: Ratings, where: str) -> Markup:
    players = result.matrix.players
    names = players[:MOST]
    shown = list(zip(names, _numbered(names), strict=True))
    rows = [(name, short, [_cell(result, i, j) for j in range(len(names))]) for i, (name, short) in enumerate(shown)]
    heading = f"Who beats whom{where}"
    left = f" The {MOST} best of {len(players):,} players." if len(players) > MOST else ""
    about = (
        "The share of points of the row's player against the column's, a tie as half, and below it wins, ties and "
        f"losses; darker is more.{left}"
    )
    return section(heading, about, heat_table(heading, heading, shown, rows, look="heat wins"))


def _numbered(names: Sequence[str]) -> list[str]:
    """The players, with their places where names are so long that they are cut and may look the same."""
    if max(map(len, names)) <= SHORT:
        return list(names)
    return [f"{place} {name}" for place, name in enumerate(names, start=1)]


def _cell(result: Ratings, i: int, j: int) -> Cell:
    matrix = result.matrix
    share = float(matrix.score[i, j]) if i != j else math.nan
    if math.isnan(share):
        return Cell("–", look="none")
    wins, ties, losses = (int(count) for count in (matrix.wins[i, j], matrix.ties[i, j], matrix.wins[j, i]))
    met = f"{matrix.players[i]} against {matrix.players[j]}"
    return Cell(
        f"{share:.2f}",
        shade=round(DEEPEST * share),
        title=f"{met}: {wins:,} won, {ties:,} tied, {losses:,} lost; the ratings expect {matrix.expected[i, j]:.2f}",
        small=f"{wins:,}–{ties:,}–{losses:,}",
    )


def _history(result: Ratings, where: str) -> Markup:
    ends, ratings = result.history()
    if len(ends) < 2:
        return Markup()
    figures = []
    followed = min(len(result.order), MOST_FOLLOWED)
    plots = -(-followed // TOGETHER)
    ends_of = [round(followed * (plot + 1) / plots) for plot in range(plots)]
    shown = _numbered(result.order)
    for start, end in zip([0, *ends_of], ends_of, strict=False):
        names = shown[start:end]
        lines = [(name, ends, ratings[:, start + k].tolist()) for k, name in enumerate(names)]
        if any(math.isfinite(value) for _, _, values in lines for value in values):
            title = f"Ranks {start + 1} to {end}"
            drawing = curves(lines, x_name="games", y_name="rating", title=title)
            figures.append(Figure("history", title, "", drawing))
    how = (
        "Bradley–Terry fitted to the games so far, in their order; nothing is drawn before strengths are finite."
        if result.method == "bradley-terry"
        else "The ratings as they stood after so many games."
    )
    return section(f"Ratings over the games{where}", how, grid(figures))


def _game(game: ExampleGame) -> Markup:
    named = [f"{key} {value}" for key, value in (("item", game.item), ("judge", game.judge)) if value]
    several = f" ({game.same:,} of {game.verdicts:,} verdicts)" if game.verdicts > 1 else ""
    return component(
        "people.game",
        game,
        verdict=VERDICTS[game.outcome] + several,
        about="; ".join([*named, f"the ratings expect {game.expected:.2f} points of the first"]),
        context=_cut(game.context) if game.context else "",
        texts=[(name, _cut(text)) for name, text in ((game.a, game.text_a), (game.b, game.text_b)) if text],
    )


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rstrip()} …"
