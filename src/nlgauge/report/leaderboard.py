"""The page of `rate`: conclusion, ratings with intervals, who beats whom, ratings over the games, example games."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template

from nlgauge.report.figures import Figure, grid
from nlgauge.report.heat_html import DEEPEST
from nlgauge.report.heat_html import STYLE as HEAT
from nlgauge.report.markup import plain_table, scroll, section, signs
from nlgauge.report.page import page, write
from nlgauge.report.paper_html import paper_figures
from nlgauge.report.scatter import curves
from nlgauge.report.style import CSS
from nlgauge.stats.skill import Ratings
from nlgauge.stats.skill.results import ExampleGame
from nlgauge.wording.paper import of_ratings

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

HEAD = Template('<header><h1>$title</h1><p class="soft">$origin</p></header>')
SAID = Template('<section class="finding" aria-label="Conclusion">$lines</section>')
LINE = Template('<p class="$look">$text</p>')
TABLE = Template(
    '<table class="heat wins"><caption class="hidden">$caption</caption>'
    "<thead><tr><td></td>$heads</tr></thead><tbody>$rows</tbody></table>"
)
COLUMN = Template('<th scope="col" title="$name"><span>$short</span></th>')
ROW = Template('<tr><th scope="row" title="$name"><bdi>$short</bdi></th>$cells</tr>')
CELL = Template('<td style="--h:$shade%" title="$about">$share<small>$counts</small></td>')
GAME = Template(
    '<article class="game"><p><strong dir="auto">$a</strong> against <strong dir="auto">$b</strong>: $verdict</p>'
    '<p class="soft">$about</p>$context$texts</article>'
)
CONTEXT = Template('<blockquote dir="auto">$text</blockquote>')
TEXTS = Template('<div class="texts">$first$second</div>')
TEXT = Template('<div><p class="soft" dir="auto">$name</p><blockquote dir="auto">$text</blockquote></div>')
NOTES = Template("<section><h2>Notes and receipts</h2>$notes<pre>$receipts</pre></section>")


def write_leaderboard(rated: Mapping[str, Ratings], path: str | Path, *, origin: str, axis: str) -> None:
    """Write the page of the ratings of each criterion (the name of a single one is empty)."""
    paper = of_ratings(rated)
    lines = []
    for criterion, result in rated.items():
        told = f"{criterion}: {result.conclusion}" if len(rated) > 1 else result.conclusion
        lines += [
            _fill(LINE, look="head", text=signs(told)),
            _fill(LINE, look="", text=signs(result.how)),
        ]
    receipts = "\n".join(result.receipt for result in rated.values())
    notes = [_fill(LINE, look="", text=f"{signs(note)}.") for note in paper.notes]
    parts = [
        _fill(HEAD, title=TITLE, origin=origin),
        SAID.substitute(lines="".join(lines)),
        section("Ratings and their intervals", "", grid(paper_figures(paper, axis))),
        *(
            section(heading, "", plain_table(headers, rows, right[1:], heading))
            for heading, headers, rows, right in paper.parts
        ),
    ]
    for criterion, result in rated.items():
        where = f" on {criterion}" if criterion else ""
        parts += [_matrix(result, where), _history(result, where), _examples(result, where)]
    parts.append(NOTES.substitute(notes="".join(notes), receipts=escape(receipts)))
    write(page(TITLE, "\n".join(parts), css=CSS + HEAT + STYLE), path)


def _fill(template: Template, **values: str) -> str:
    """The template with values that are text, not markup."""
    return template.substitute({name: escape(value) for name, value in values.items()})


def _matrix(result: Ratings, where: str) -> str:
    found = result.matrix
    names = found.players[:MOST]
    shown = list(zip(names, _numbered(names), strict=True))
    rows = []
    for i, (name, short) in enumerate(shown):
        cells = "".join(_cell(result, i, j) for j in range(len(names)))
        rows.append(ROW.substitute(name=escape(name), short=escape(short), cells=cells))
    heads = "".join(_fill(COLUMN, name=name, short=short) for name, short in shown)
    heading = f"Who beats whom{where}"
    table = TABLE.substitute(caption=escape(heading), heads=heads, rows="".join(rows))
    left = f" The {MOST} best of {len(found.players):,} players." if len(found.players) > MOST else ""
    about = (
        "The share of points of the row's player against the column's, a tie as half, and below it wins, ties and "
        f"losses; darker is more.{left}"
    )
    return section(heading, about, scroll(heading, table))


def _numbered(names: Sequence[str]) -> list[str]:
    """The players, with their places where names are so long that they are cut and may look the same."""
    if max(map(len, names)) <= SHORT:
        return list(names)
    return [f"{place} {name}" for place, name in enumerate(names, start=1)]


def _cell(result: Ratings, i: int, j: int) -> str:
    found = result.matrix
    share = float(found.score[i, j]) if i != j else math.nan
    if math.isnan(share):
        return '<td class="none">–</td>'
    wins, ties, losses = (int(count) for count in (found.wins[i, j], found.ties[i, j], found.wins[j, i]))
    met = f"{found.players[i]} against {found.players[j]}"
    return _fill(
        CELL,
        shade=str(round(DEEPEST * share)),
        about=f"{met}: {wins:,} won, {ties:,} tied, {losses:,} lost; the ratings expect {found.expected[i, j]:.2f}",
        share=f"{share:.2f}",
        counts=f"{wins:,}–{ties:,}–{losses:,}",
    )


def _history(result: Ratings, where: str) -> str:
    ends, ratings = result.history()
    if len(ends) < 2:
        return ""
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


def _examples(result: Ratings, where: str) -> str:
    about = "Games that the ratings expected least, then games of the two best."
    return section(f"Example games{where}", about, *map(_game, result.examples))


def _game(game: ExampleGame) -> str:
    named: Sequence[str] = [f"{key} {value}" for key, value in (("item", game.item), ("judge", game.judge)) if value]
    texts = "".join(
        _fill(TEXT, name=name, text=_cut(text)) for name, text in ((game.a, game.text_a), (game.b, game.text_b)) if text
    )
    return GAME.substitute(
        a=escape(game.a),
        b=escape(game.b),
        verdict=VERDICTS[game.outcome] + _of_several(game),
        about=escape("; ".join([*named, f"the ratings expect {game.expected:.2f} points of the first"])),
        context=_fill(CONTEXT, text=_cut(game.context)) if game.context else "",
        texts=TEXTS.substitute(first=texts, second="") if texts else "",
    )


def _of_several(game: ExampleGame) -> str:
    return f" ({game.same:,} of {game.verdicts:,} verdicts)" if game.verdicts > 1 else ""


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rstrip()} …"
