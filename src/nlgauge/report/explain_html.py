"""An explanation as a self-contained page: what matched, side by side, readable on a phone and in either direction.

Matches and differences are told apart by letters, numbers, lines and shades as well as by colour.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

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
    Shifts,
    Triple,
)
from nlgauge.report.examples import source_html, text_html
from nlgauge.report.explain_text import LETTERS, STATES, headline, shifted, standing
from nlgauge.report.heat_html import STYLE as HEAT_STYLE
from nlgauge.report.heat_html import heat_html, losses_html
from nlgauge.report.markup import minus, plain_table
from nlgauge.report.page import page, write
from nlgauge.report.style import CSS
from nlgauge.wording.numbers import number
from nlgauge.wording.tables import ARROWS

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
    title = headline(told[0]) if len(told) == 1 else f"{told[0].metric}: {len(told)} segments explained"
    head = f"<header><h1>{escape(title)}</h1></header>" if len(told) > 1 else ""
    parts = [_explanation(one, level=1 if len(told) == 1 else 2) for one in told]
    if len(told) > 1:  # regions of one page need names of their own; quotes in texts are escaped
        parts = [part.replace('aria-label="', f'aria-label="{number}: ') for number, part in enumerate(parts, start=1)]
    body = head + "\n".join(parts)
    return page(title, body, css=CSS + STYLE + HEAT_STYLE)


def _explanation(told: Explanation, level: int) -> str:
    arrow = ARROWS.get(told.direction, "")
    where = " · ".join(
        f"{key} <bdi>{escape(value)}</bdi>"
        for key, value in (("item", told.item), ("system", told.system))
        if value is not None
    )
    head = (
        f'<h{level}>{escape(told.metric)} <span class="score">{minus(number(told.score, told.places))}</span> '
        f'<span aria-hidden="true">{arrow}</span></h{level}>'
        f'<p class="soft">{told.direction.capitalize()} is better.{f" {_upper(where)}" if where else ""}</p>'
    )
    parts = "".join(
        _ngrams(part)
        if isinstance(part, Ngrams)
        else f"<section><h{level + 1}>{_capital(part.title)}</h{level + 1}>{_SHOWN[type(part)](part)}</section>"
        for part in told.parts
    )
    notes = "".join(f'<p class="soft">{escape(note)}</p>' for note in told.notes)
    return f"<section>{head}{_texts(told)}{_figures(told, level + 1)}{parts}{notes}</section>"


def _label(text: str) -> str:
    return f'<p class="label">{text}</p>'


def _texts(told: Explanation) -> str:
    source = f"{_label('Source')}{source_html(told.source)}" if told.source is not None else ""
    several = len(told.references) > 1
    references = "".join(
        f"<li>{text_html(text)}"
        + (' <span class="counts">← counts</span>' if several and place in told.counted else "")
        + "</li>"
        for place, text in enumerate(told.references, start=1)
    )
    listed = f"<ol>{references}</ol>" if several else text_html(told.references[0]) if told.references else ""
    shown = f"{_label('References' if several else 'Reference')}{listed}" if told.references else ""
    return f'<article class="segment">{_label("Output")}{text_html(told.hypothesis)}{shown}{source}</article>'


def _figures(told: Explanation, level: int) -> str:
    if not told.figures:
        return ""
    rows = [
        (
            figure.name,
            f"{figure.value:g}" if float(figure.value).is_integer() else f"{figure.value:.4f}",
            figure.how,
        )
        for figure in told.figures
    ]
    table = plain_table(("figure", "value", "how"), rows, (1,), "How the score comes about")
    return f"<section><h{level}>How the score comes about</h{level}>{table}</section>"


def direction(words: Sequence[str]) -> str:
    """`rtl` where the first letter with a direction is written from right to left."""
    for character in "".join(words):
        found = unicodedata.bidirectional(character)
        if found in ("R", "AL"):
            return "rtl"
        if found == "L":
            return "ltr"
    return "ltr"


def _edits(part: Part) -> str:
    assert isinstance(part, Edits)
    columns = []
    for step in part.steps:
        mine = None if step.hypothesis is None else part.hypothesis[step.hypothesis]
        theirs = None if step.reference is None else part.reference[step.reference]
        look = "" if step.kind == "match" else ' class="off"'
        cells = _cell(mine, "hyp", part.unit) + _cell(theirs, "ref", part.unit)
        columns.append(f"<li{look}>{cells}<small>{LETTERS[step.kind]}</small></li>")
    tight = " tight" if part.unit == "characters" else ""
    way = direction(part.reference or part.hypothesis)
    counts = [
        f"{part.count('match')} equal",
        f"{part.count('substitution')} replaced (S)",
        f"{part.count('insertion')} only in the output (I)",
        f"{part.count('deletion')} only in the reference (D)",
    ]
    return (
        f'<ul class="columns{tight}" dir="{way}">{"".join(columns)}</ul>'
        f'<p class="soft">Above the output, below the reference: {", ".join(counts)}.</p>'
    )


def _cell(text: str | None, side: str, unit: str) -> str:
    if text is None:
        return f'<span class="{side} gap"><span class="hidden">nothing</span></span>'
    shown = standing(text, unit) if unit == "characters" else text
    return f'<span class="{side}" dir="auto">{escape(shown)}</span>'


def _links(part: Part) -> str:
    assert isinstance(part, Links)
    rows = []
    for label, words, side in (("Output", part.hypothesis, 0), ("Reference", part.reference, 1)):
        marks: dict[int, list[str]] = {}
        for place, link in enumerate(part.links, start=1):
            why = "" if link.stage == "exact" else f" {link.stage}"
            for index in range(*(link.hypothesis, link.reference)[side]):
                marks.setdefault(index, []).append(f"{place}{why if side == 0 else ''}")
        pieces = []
        for place, word in enumerate(words):
            if place not in marks:
                pieces.append(f'<span class="off">{escape(word)}</span>')
                continue
            pieces.append(f'<span class="on">{escape(word)}<sup>{escape(", ".join(marks[place]))}</sup></span>')
        rows.append(f'{_label(label)}<p class="flow" dir="{direction(words)}">{" ".join(pieces) or _EMPTY}</p>')
    return "".join(rows) + '<p class="soft">Words with the same number go together.</p>'


_EMPTY = '<span class="none">(empty)</span>'


def _shifts(part: Part) -> str:
    assert isinstance(part, Shifts)
    items = []
    for shift in part.shifts:
        after = " ".join(
            f'<span class="on">{escape(text)}</span>' if moved else escape(text) for text, moved in shifted(shift)
        )
        words = " ".join(map(escape, shift.words))
        moved = f'<bdi class="flow"><span class="on">{words}</span></bdi> is moved' if words else "After all shifts"
        items.append(f'<li>{moved}: <p class="flow" dir="{direction(shift.after)}">{after}</p></li>')
    return f"<ol>{''.join(items)}</ol>"


def _passage(part: Part) -> str:
    assert isinstance(part, Passage)
    top = max(len(part.legend) - 1, 1)
    pieces = []
    for text, level in _runs(part):
        if text.isspace():
            pieces.append(escape(text))
        elif level == 0:
            pieces.append(f'<span class="l0">{escape(text)}</span>')
        else:
            pieces.append(
                f'<span class="on" style="--shade:{10 + 30 * level // top}%">{escape(text)}<sup>{level}</sup></span>'
            )
    joint = " " if part.unit == "words" else ""
    legend = "; ".join(
        f"{level or 'dashed line'}: {escape(part.legend[level])}"
        for level in range(len(part.legend))
        if level in part.levels
    )
    return (
        f'<p class="flow" dir="{direction(part.words)}">{joint.join(pieces) or _EMPTY}</p><p class="soft">{legend}</p>'
    )


def _runs(part: Passage) -> Iterator[tuple[str, int]]:
    """Words one by one; characters of one level together, so that letters that join stay joined."""
    if part.unit == "words":
        yield from zip(part.words, part.levels, strict=True)
        return
    pairs = zip(part.words, part.levels, strict=True)
    for (level, blank), run in groupby(pairs, key=lambda pair: (pair[1], pair[0].isspace())):
        yield "".join(character for character, _ in run), 0 if blank else level


def _capital(title: str) -> str:
    return escape(_upper(title))


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]


def _ngrams(part: Ngrams) -> str:
    weighted = any(row.weight is not None for row in part.rows)
    shared = any(row.share is not None for row in part.rows)
    names = {state: label for state, label, _ in STATES} | {"clipped": "not all count"}
    order = [state for state, _, _ in STATES]
    rows = sorted(part.rows, key=lambda row: (order.index(row.state), -(row.share or 0.0)))
    headers = ["n-gram", "output", "reference", "counts"]
    headers += ["weight"] * weighted + ["adds"] * shared + [""]
    cells = []
    for row in rows:
        text = (
            "".join(standing(word, part.unit) for word in row.words)
            if part.unit == "characters"
            else " ".join(row.words)
        )
        numbers = [str(row.hypothesis), str(row.reference), str(row.matched)]
        numbers += [f"{row.weight or 0.0:.3f}"] * weighted + [f"{row.share or 0.0:.4f}"] * shared
        cells.append([text, *numbers, names[row.state]])
    table = plain_table(headers, cells, range(1, len(headers) - 1), part.title)
    counts = f"{part.matched} matched; the output has {part.hypothesis}, the reference {part.reference}"
    title = f"<strong>{_capital(part.title)}</strong>"
    return f'<details class="ngrams"><summary>{title}: {counts}</summary>{table}</details>'


def _cells(part: Part) -> str:
    assert isinstance(part, Cells)
    entities = any(cell.entity for cell in part.cells)
    headers = [*(["entity"] * entities), "attribute", "value", "found", "by"]
    rows = [
        [*([cell.entity] * entities), cell.attribute, cell.value, f"{cell.found:.2f}", " ".join(cell.by)]
        for cell in part.cells
    ]
    return plain_table(headers, rows, (len(headers) - 2,), part.title)


def _graph(part: Part) -> str:
    """A card for each object, with its attributes and the relations that start from it."""
    assert isinstance(part, Graph)
    if not part.triples:
        return '<p class="soft">No object.</p>'
    cards = []
    for thing in part.objects:
        told = "".join(f"<li>{_tuple(triple)}</li>" for triple in part.about(thing.words[0]))
        cards.append(f"<li><strong>{_tuple(thing)}</strong>{f'<ul>{told}</ul>' if told else ''}</li>")
    matched = sum(triple.matched for triple in part.triples)
    return (
        f'<ul class="scene">{"".join(cards)}</ul>'
        f'<p class="soft">{matched} of {len(part.triples)} match (✓); ✗ and a dashed line: not in the other text</p>'
    )


def _tuple(triple: Triple) -> str:
    words = [f"<bdi>{escape(word)}</bdi>" for word in triple.words]
    text = words[0] if len(words) == 1 else words[1] if len(words) == 2 else f"{words[1]} → {words[2]}"
    by = f" <small>as {escape(', '.join(triple.by))}</small>" if triple.by else ""
    look, mark = ("on", "✓") if triple.matched else ("off", "✗")
    return f'<span class="{look}">{mark} {text}</span>{by}'


def _heat(part: Part) -> str:
    assert isinstance(part, Heat)
    return heat_html(part)


def _losses(part: Part) -> str:
    assert isinstance(part, Losses)
    return losses_html(part)


_SHOWN: dict[type[Any], Callable[[Part], str]] = {
    Edits: _edits,
    Links: _links,
    Shifts: _shifts,
    Passage: _passage,
    Cells: _cells,
    Graph: _graph,
    Heat: _heat,
    Losses: _losses,
}
