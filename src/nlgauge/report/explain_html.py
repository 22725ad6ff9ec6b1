"""An explanation as a self-contained page: what matched, side by side, readable on a phone and in either direction.

Matches and differences are told apart by letters, numbers, lines and shades as well as by colour; every cell of a heat
map has its number, and pairs that count have a frame and a sign.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup

from nlgauge.metrics.explanation import (
    Cells,
    Edits,
    Explanation,
    Graph,
    Heat,
    Links,
    Losses,
    Ngrams,
    Part,
    Passage,
    Share,
    Shifts,
)
from nlgauge.report.components import Cell, component, header, heat_table, minus, paragraph, plain_table
from nlgauge.report.explain_text import LETTERS, STATES, headline, in_figures, shifted, spelt, standing, tally
from nlgauge.report.pages import page, write
from nlgauge.report.style import CSS, DEEPEST, HEAT
from nlgauge.report.texts import source_of
from nlgauge.wording.numbers import capitalised, number

Run = tuple[str, str, int | None, object]  # words, their look, a shade, and what is raised behind them
STYLE = """
.columns{display:flex;flex-wrap:wrap;gap:.5rem .35rem;margin:.6rem 0;padding:0;list-style:none}
.columns.tight{gap:.5rem 0}
.columns li{display:grid;grid-template-rows:auto auto 1.1rem;text-align:center;
min-width:.7rem;max-width:100%;line-height:1.5}
.columns span{padding:0 .22rem;border-radius:3px;white-space:pre-wrap;min-height:1.5em}
.tight span{padding:0 1px;font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.columns .ref{color:var(--soft)}
.columns .off span{background:color-mix(in srgb,var(--vermilion) 16%,transparent);
border-bottom:2px dashed var(--vermilion)}
.columns .off span.gap{background:none;border-bottom:2px dotted var(--line)}
.columns small{font-weight:700;color:var(--vermilion);font-size:.75rem}
.flow{line-height:2.05;margin:.5rem 0;white-space:pre-wrap;max-width:none}
.flow span{padding:.08em .16em;border-radius:3px}
.flow sup{font-size:.65em;line-height:0;padding-left:.1em}
.flow .l0{border-bottom:2px dashed var(--vermilion)}
.flow .on{background:color-mix(in srgb,var(--blue) var(--shade,24%),transparent)}
.flow .off{border-bottom:2px dashed var(--vermilion)}
.ngrams td{white-space:nowrap}
.ngrams .text{white-space:pre-wrap}
.scene,.scene ul{list-style:none;margin:0;padding:0}
.scene{display:flex;flex-wrap:wrap;gap:.6rem;margin:.6rem 0}
.scene>li{border:1px solid var(--line);border-radius:6px;padding:.35rem .6rem;min-width:8rem}
.scene>li>strong{display:block;padding-bottom:.15rem}
.scene li li{padding:.1rem 0 .1rem .6rem}
.scene span{padding:0 .2rem;border-radius:3px}
.scene .on{background:color-mix(in srgb,var(--blue) 22%,transparent)}
.scene .off{border-bottom:2px dashed var(--vermilion)}
.scene small{color:var(--soft)}
.score{font-variant-numeric:tabular-nums}
.counts{color:var(--blue);font-size:.82rem;font-weight:600}
article.segment{border:1px solid var(--line);border-radius:6px;background:var(--card);padding:1rem;margin:.8rem 0}
article.segment{overflow-x:auto}
.label{font-size:.8rem;font-weight:600;color:var(--soft);margin:.5rem 0 .2rem}
article.segment ol{margin:0;padding-left:1.4rem}
article.segment table{font-size:.9rem}
"""


def write_explanations(told: Sequence[Explanation], path: str | Path) -> Path:
    """Write the page and return its path."""
    return write(render_explanations(told), path)


def render_explanations(told: Sequence[Explanation]) -> str:
    """The page as text: one section for each explanation."""
    css = CSS + STYLE + HEAT
    if len(told) == 1:
        return page(headline(told[0]), _explanation(told[0], level=1), css=css)
    title = f"{told[0].metric}: {len(told)} segments explained"
    first, *more = (
        _explanation(explanation, level=2, prefix=f"{place}: ") for place, explanation in enumerate(told, start=1)
    )
    return page(title, header(title) + first, *more, css=css)


def _explanation(told: Explanation, level: int, prefix: str = "") -> Markup:
    """A section; regions of one page need names of their own, which begin with `prefix`."""
    where = [(key, name) for key, name in (("item", told.item), ("system", told.system)) if name is not None]
    return component(
        "explain.explanation",
        told,
        level,
        score=minus(number(told.score, told.places)),
        where=[(capitalised(key) if place == 0 else key, name) for place, (key, name) in enumerate(where)],
        source=source_of(told.source) if told.source is not None else "",
        figures=_figures(told, prefix),
        parts=[
            (
                "" if isinstance(part, Ngrams) else capitalised(part.title),
                _SHOWN[type(part)](part, f"{prefix}{part.title}"),
            )
            for part in told.parts
        ],
    )


def _figures(told: Explanation, prefix: str) -> Markup:
    rows = [(figure.name, in_figures(figure.value), figure.how) for figure in told.figures]
    label = f"{prefix}How the score comes about"
    return plain_table(("figure", "value", "how"), rows, (1,), label) if rows else Markup()


def direction(words: Sequence[str]) -> str:
    """`rtl` where the first letter with a direction is written from right to left."""
    for character in "".join(words):
        kind = unicodedata.bidirectional(character)
        if kind in ("R", "AL"):
            return "rtl"
        if kind == "L":
            return "ltr"
    return "ltr"


def _edits(part: Edits, _: str) -> Markup:
    def shown(texts: Sequence[str], place: int | None) -> str | None:
        if place is None:
            return None
        return standing(texts[place], part.unit) if part.unit == "characters" else texts[place]

    steps = []
    for step in part.steps:
        both = shown(part.hypothesis, step.hypothesis), shown(part.reference, step.reference)
        steps.append((*both, LETTERS[step.kind], step.kind != "match"))
    counts = [f"{part.count('match')} equal", f"{part.count('substitution')} replaced (S)"]
    counts += [
        f"{part.count('insertion')} only in the output (I)",
        f"{part.count('deletion')} only in the reference (D)",
    ]
    said = f"Above the output, below the reference: {', '.join(counts)}."
    way = direction(part.reference or part.hypothesis)
    return component("explain.edits", steps, tight=part.unit == "characters", way=way, said=said)


def _links(part: Links, _: str) -> Markup:
    sides = []
    for label, words, side in (("Output", part.hypothesis, 0), ("Reference", part.reference, 1)):
        marks: dict[int, list[str]] = {}
        for place, link in enumerate(part.links, start=1):
            why = "" if link.stage == "exact" else f" {link.stage}"
            for index in range(*(link.hypothesis, link.reference)[side]):
                marks.setdefault(index, []).append(f"{place}{why if side == 0 else ''}")
        runs: list[Run] = [
            (word, "on", None, ", ".join(marks[place])) if place in marks else (word, "off", None, None)
            for place, word in enumerate(words)
        ]
        sides.append((label, runs, direction(words)))
    return component("explain.links", sides)


def _shifts(part: Shifts, _: str) -> Markup:
    shifts = []
    for shift in part.shifts:
        runs: list[Run] = [(text, "on" if moved else "", None, None) for text, moved in shifted(shift)]
        shifts.append((" ".join(shift.words), runs, direction(shift.after)))
    return component("explain.shifts", shifts)


def _passage(part: Passage, _: str) -> Markup:
    top = max(len(part.legend) - 1, 1)
    runs: list[Run] = []
    for text, level in _runs(part):
        if text.isspace():
            runs.append((text, "", None, None))
        elif level == 0:
            runs.append((text, "l0", None, None))
        else:
            runs.append((text, "on", 10 + 30 * level // top, level))
    legend = "; ".join(
        f"{level or 'dashed line'}: {part.legend[level]}" for level in range(len(part.legend)) if level in part.levels
    )
    joint = " " if part.unit == "words" else ""
    return component("explain.passage", runs, direction(part.words), joint=joint, said=legend)


def _runs(part: Passage) -> Iterator[tuple[str, int]]:
    """Words one by one; characters of one level together, so that letters that join stay joined."""
    if part.unit == "words":
        yield from zip(part.words, part.levels, strict=True)
        return
    pairs = zip(part.words, part.levels, strict=True)
    for (level, blank), run in groupby(pairs, key=lambda pair: (pair[1], pair[0].isspace())):
        yield "".join(character for character, _ in run), 0 if blank else level


def _ngrams(part: Ngrams, label: str) -> Markup:
    weighted = any(row.weight is not None for row in part.rows)
    shared = any(row.share is not None for row in part.rows)
    names = {state: name for state, name, _ in STATES} | {"clipped": "not all count"}
    order = [state for state, _, _ in STATES]
    rows = sorted(part.rows, key=lambda row: (order.index(row.state), -(row.share or 0.0)))
    headers = ["n-gram", "output", "reference", "counts"]
    headers += ["weight"] * weighted + ["adds"] * shared + [""]
    cells = []
    for row in rows:
        numbers = [str(row.hypothesis), str(row.reference), str(row.matched)]
        numbers += [f"{row.weight or 0.0:.3f}"] * weighted + [f"{row.share or 0.0:.4f}"] * shared
        cells.append([spelt(row, part), *numbers, names[row.state]])
    table = plain_table(headers, cells, range(1, len(headers) - 1), label)
    return component("explain.ngrams", capitalised(part.title), tally(part), table)


def _cells(part: Cells, label: str) -> Markup:
    entities = any(cell.entity for cell in part.cells)
    headers = [*(["entity"] * entities), "attribute", "value", "found", "by"]
    rows = [
        [*([cell.entity] * entities), cell.attribute, cell.value, f"{cell.found:.2f}", " ".join(cell.by)]
        for cell in part.cells
    ]
    return plain_table(headers, rows, (len(headers) - 2,), label)


def _graph(part: Graph, _: str) -> Markup:
    if not part.triples:
        return paragraph("No object.", "soft")
    cards = [(thing, list(part.about(thing.words[0]))) for thing in part.objects]
    return component("explain.graph", cards, sum(triple.matched for triple in part.triples), len(part.triples))


def _heat(part: Heat, label: str) -> Markup:
    """A shaded cell for each pair of words, and what the signs mean."""
    if not part.hypothesis or not part.reference:
        return paragraph("One of the texts is empty.", "soft")
    signs = {(mark.row, mark.column): mark.sign for mark in part.marks}

    def cell(value: float, sign: str) -> Cell:
        # squares: high similarities are told apart
        shade = round(DEEPEST * min(max(value, 0.0), 1.0) ** 2)
        return Cell(minus(f"{round(value * 100)}"), shade, look="counts-pair" if sign else "", sign=sign)

    rows = [
        (word, word, [cell(value, signs.get((row, column), "")) for column, value in enumerate(part.table[row])])
        for row, word in enumerate(part.hypothesis)
    ]
    caption = f"Rows: the output; columns: the {part.other}; in hundredths"
    table = heat_table(label, caption, [(word, word) for word in part.reference], rows)
    return component("explain.heat", table, part.other, part.legend)


def _losses(part: Losses, label: str) -> Markup:
    """The text with each word's cost, and a table of all words."""
    highest = max((share.loss for share in part.words), default=0.0)

    def word(share: Share) -> tuple[str, bool, int, str]:
        cost = share.loss / highest if highest > 0 else 0.0
        return share.word, cost >= 0.5, round(40 * max(cost, 0.0)), minus(f"{round(share.loss * 10_000)}")

    rows = []
    for share in sorted(part.words, key=lambda share: -share.loss):
        costs = [f"{value:.4f}" for value in (share.weight, share.gain, share.loss)]
        rows.append((share.word, *costs, share.partner or "nothing"))
    said = f"Small numbers: ten-thousandths that a word costs; in all {part.total:.4f} = {part.missing}."
    table = plain_table(("word", "weighs", "adds", "costs", "matched with"), rows, (1, 2, 3), label)
    return component("explain.losses", [word(share) for share in part.words], said, table)


_SHOWN: dict[type[Part], Callable[[Any, str], Markup]] = {
    Edits: _edits,
    Links: _links,
    Shifts: _shifts,
    Passage: _passage,
    Ngrams: _ngrams,
    Cells: _cells,
    Graph: _graph,
    Heat: _heat,
    Losses: _losses,
}
