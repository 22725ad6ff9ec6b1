"""An adversarial search on the terminal and as a page: how far a metric could be raised, and by which edits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path as File

from markupsafe import Markup

from nlgauge.meta.adversarial.edits import KINDS
from nlgauge.meta.adversarial.results import Attacks, Path, sentences
from nlgauge.report.components import (
    component,
    finding,
    grid,
    header,
    paragraph,
    plain_table,
    receipts,
    section,
)
from nlgauge.report.figures import Figure
from nlgauge.report.pages import page, write
from nlgauge.report.style import CSS
from nlgauge.report.svg import Panel, Row
from nlgauge.report.text import print_lines, print_table
from nlgauge.report.texts import CSS as EXAMPLES
from nlgauge.report.texts import difference, plain_difference
from nlgauge.stats.results import Estimate
from nlgauge.wording.numbers import capitalised, gained, interval, number, percent, signed
from nlgauge.wording.receipts import folded
from nlgauge.wording.tables import ARROWS

MOST = 5  # outputs shown on the terminal
MOST_ON_PAGE = 50
LONGEST = 32  # characters of an item's name in a table
Table = tuple[list[str], list[list[str]], list[int]]  # headers, rows, the columns of numbers


def print_attack(found: Attacks) -> None:
    """Tables, conclusion, notes and receipts."""
    for headers, rows, right in (curve_table(found), kind_table(found)):
        print_table(headers, rows, right=right)
        print()
    if found.largest:
        print_lines([f"Largest gains ([-gone-] {{+come+}}; {shown(found, MOST)})", ""])
        headers, rows, right = example_table(found, found.largest[:MOST])
        print_table(headers, rows, right=right, keys=2)
        print()
    notes = [f"note: {note}" for note in found.notes]
    print_lines([legend(found), "", str(found), *notes, "", *folded(found.receipts.values())])


def heads(found: Attacks) -> list[str]:
    """The metric and its guards, with their arrows."""
    arrows = {found.metric: found.direction, **found.guards}
    return [f"{name} {ARROWS[direction]}" for name, direction in arrows.items()]


def scores(found: Attacks, score: float, guards: Mapping[str, float]) -> list[str]:
    """Scores of the metric and its guards."""
    values = {found.metric: score, **guards}
    return [number(value, found.places[name]) for name, value in values.items()]


def bounded(estimate: Estimate, places: int) -> str:
    """A gain with its interval in brackets."""
    return gained(estimate.estimate, estimate.low, estimate.high, places)


def curve_table(found: Attacks) -> Table:
    """Mean scores after each number of edits."""
    rows = []
    for reached in found.curve:
        gain = bounded(reached.gain, found.places[found.metric]) if reached.edits else ""
        means = scores(found, reached.score, reached.guards)
        rows.append([str(reached.edits), f"{reached.edited:,}", *means, gain])
    headers = ["edits", "outputs", *heads(found), "gain"]
    return headers, rows, list(range(1, len(headers)))


def kind_table(found: Attacks) -> Table:
    """What each kind of edit gained."""
    places, rows = found.places[found.metric], []
    for kind in found.kinds:
        gain = signed(kind.gain, places) if kind.taken else ""
        share = f"{kind.share:.0%}" if math.isfinite(kind.share) else ""
        rows.append([kind.kind, f"{kind.taken:,}", gain, share, bounded(kind.first, places)])
    return ["kind", "edits taken", "gain of one", "share of gain", "first edit of this kind"], rows, [1, 2, 3, 4]


def example_table(found: Attacks, paths: Sequence[Path]) -> Table:
    """Outputs with their scores before and after, and the words that changed."""
    rows = []
    for path in paths:
        before = scores(found, path.score, path.guards)
        after = scores(found, path.final.score, path.final.guards)
        changed = [f"{a} → {b}" for a, b in zip(before, after, strict=True)]
        rows.append([_short(path.item), path.system, *changed, plain_difference(path.text, path.final.text)])
    headers = ["item", "system", *heads(found), "output"]
    return headers, rows, list(range(2, len(headers) - 1))


def _short(name: str) -> str:
    """A name without its middle, where it is long: names of a set often begin alike."""
    half = LONGEST // 2
    return name if len(name) <= LONGEST else f"{name[:half]}…{name[1 - half :]}"


def shown(found: Attacks, most: int) -> str:
    """How many of the outputs that were raised are shown."""
    many = len(found.largest)
    return f"{most} of {many:,} outputs" if many > most else "all outputs with a gain"


def legend(found: Attacks) -> str:
    """How to read the tables."""
    gains = [*(reached.gain for reached in found.curve if reached.edits), *(kind.first for kind in found.kinds)]
    known = any(interval(gain.low, gain.high, 1) for gain in gains)
    limits = f" […] {percent(found.gain.level)} interval, bootstrap over items." if known else ""
    turned = " A fall of the score counts as a gain: lower is better." if found.direction == "lower" else ""
    return (
        "Outputs: how many took so many edits; means are over all of them, one that stopped earlier keeps its score."
        f"{turned} First edit of this kind: mean over outputs of the best single edit, 0 where no edit"
        f"{' that the guards allow' if found.guards else ''} gains.{limits}"
    )


def write_attack(found: Attacks, path: str | File, *, source: str = "") -> File:
    """Write the page and return its path."""
    return write(render_attack(found, source=source), path)


def render_attack(found: Attacks, *, source: str = "") -> str:
    """The page as text."""
    title = f"Edits that improve {found.metric}"
    kinds = "; ".join(f"{kind.kind}: {KINDS[kind.kind][0]}" for kind in found.kinds)
    gain = plain_table(*curve_table(found), "Gain by number of edits")
    by_kind = plain_table(*kind_table(found), "Gain by kind of edit")
    told = f"By falling gain ({shown(found, MOST_ON_PAGE)}): words that went struck out, new ones underlined."
    examples = [_example(found, path) for path in found.largest[:MOST_ON_PAGE]]
    notes = [paragraph(f"{capitalised(note)}.") for note in found.notes]
    return page(
        title,
        header(title, source),
        finding(*map(paragraph, sentences(found))),
        section("Gain", legend(found), grid(_figures(found)), gain),
        section("Kinds of edits", f"{kinds}.", by_kind),
        section("Outputs", told, *examples),
        section("Notes and receipt", "", *notes, *(receipts([line]) for line in found.receipts.values())),
        css=CSS + EXAMPLES,
    )


def _figures(found: Attacks) -> list[Figure]:
    reached = {str(step.edits): step.gain for step in found.curve if step.edits}
    kinds = {kind.kind: kind.first for kind in found.kinds}
    gains = {"Gain by number of edits": reached, "Best first edit of each kind": kinds}
    return [_figure(found, title, rows) for title, rows in gains.items()]


def _figure(found: Attacks, title: str, rows: dict[str, Estimate]) -> Figure:
    places = found.places[found.metric]
    drawn = [
        Row(name, gain.estimate, gain.low, gain.high, text=told, about=f"{name}: {told}")
        for name, gain in rows.items()
        for told in [bounded(gain, places)]
    ]
    drawing = Panel(drawn, title=title, axis=f"mean gain of {found.metric}", zero=True).draw()
    return Figure("attack", title, "", drawing)


def _example(found: Attacks, path: Path) -> Markup:
    rows = [["as given", "", "", *scores(found, path.score, path.guards)]]
    for count, step in enumerate(path.steps, start=1):
        edit = [str(count), f"{step.kind}, word {step.place}", f"{step.before or '–'} → {step.after or '–'}"]
        rows.append([*edit, *scores(found, step.score, step.guards)])
    headers = ["edit", "kind", "words", *heads(found)]
    table = plain_table(headers, rows, range(3, len(headers)), f"Edits of {path.item}, {path.system}")
    changed = difference(path.text, path.final.text)
    return component("attack.example", f"{path.system}, {path.item}", changed, references=path.references, table=table)
