"""The page of an adversarial search: how far the metric could be raised, by which edits, and the outputs themselves."""

from __future__ import annotations

from html import escape
from pathlib import Path as File

from nlgauge.meta.adversarial.edits import KINDS
from nlgauge.meta.adversarial.results import Attacks, Path, sentences
from nlgauge.meta.probes.units import capitalised
from nlgauge.report import differences
from nlgauge.report.attack import bounded, curve_table, heads, kind_table, legend, scores, shown
from nlgauge.report.differences import difference
from nlgauge.report.examples import text_html
from nlgauge.report.figures import Figure, grid
from nlgauge.report.markup import paragraph, plain_table, section
from nlgauge.report.page import page, write
from nlgauge.report.style import CSS
from nlgauge.report.svg import Panel, Row
from nlgauge.stats.results import Estimate

MOST = 50  # outputs shown


def write_attack(found: Attacks, path: str | File, *, source: str = "") -> File:
    """Write the page and return its path."""
    return write(render_attack(found, source=source), path)


def render_attack(found: Attacks, *, source: str = "") -> str:
    """The page as text."""
    title = f"Edits that improve {found.metric}"
    said = "".join(paragraph(text) for text in sentences(found))
    kinds = "; ".join(f"{kind.kind}: {KINDS[kind.kind][0]}" for kind in found.kinds)
    curve, by_kind = curve_table(found), kind_table(found)
    parts = [
        f"<header><h1>{escape(title)}</h1>{paragraph(source, 'soft')}</header>",
        f'<section class="finding" aria-label="Conclusion">{said}</section>',
        section("Gain", legend(found), grid(_figures(found)), plain_table(*curve, "Gain by number of edits")),
        section("Kinds of edits", f"{kinds}.", plain_table(*by_kind, "Gain by kind of edit")),
        section(
            "Outputs",
            f"By falling gain ({shown(found, MOST)}): words that went struck out, new ones underlined.",
            *(_example(found, path) for path in found.largest[:MOST]),
        ),
        section("Notes and receipt", "", *map(_note, found.notes), _receipts(found)),
    ]
    return page(title, "\n".join(filter(None, parts)), css=CSS + differences.CSS)


def _note(text: str) -> str:
    return paragraph(f"{capitalised(text)}.")


def _receipts(found: Attacks) -> str:
    return "".join(f"<pre>{escape(line)}</pre>" for line in found.receipts.values())


def _figures(found: Attacks) -> list[Figure]:
    reached = {str(one.edits): one.gain for one in found.curve if one.edits}
    kinds = {kind.kind: kind.first for kind in found.kinds}
    return [
        _figure(found, "Gain by number of edits", reached),
        _figure(found, "Best first edit of each kind", kinds),
    ]


def _figure(found: Attacks, title: str, rows: dict[str, Estimate]) -> Figure:
    places = found.places[found.metric]
    drawn = [
        Row(
            name,
            one.estimate,
            one.low,
            one.high,
            bounded(one, places),
            about=f"{name}: {bounded(one, places)}",
        )
        for name, one in rows.items()
    ]
    desc = "; ".join(row.about for row in drawn)
    drawing = Panel(drawn, title=title, desc=desc, axis=f"mean gain of {found.metric}", zero=True).draw()
    return Figure("attack", title, "", drawing)


def _example(found: Attacks, path: Path) -> str:
    rows = [["as given", "", "", *scores(found, path.score, path.guards)]]
    rows += [
        [str(number), f"{step.kind}, word {step.place}", _changed(step.before, step.after), *values]
        for number, step in enumerate(path.steps, start=1)
        for values in [scores(found, step.score, step.guards)]
    ]
    headers = ["edit", "kind", "words", *heads(found)]
    table = plain_table(headers, rows, range(3, len(headers)), f"Edits of {path.item}, {path.system}")
    references = "".join(f"<li>{text_html(text)}</li>" for text in path.references)
    listed = f"<p>References:</p><ul>{references}</ul>" if references else ""
    return (
        f'<div class="example"><h3>{escape(path.system)}, {escape(path.item)}</h3>'
        f'<p dir="auto">{difference(path.text, path.final.text)}</p>{listed}{table}</div>'
    )


def _changed(before: str, after: str) -> str:
    return f"{before or '–'} → {after or '–'}"
