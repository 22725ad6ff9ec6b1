"""The page of conformity: plots of facts, of templates against training, confusions as heat maps, and all tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from nlgauge.corpus.conform import Conformity
from nlgauge.corpus.conform.checking import FACTS
from nlgauge.report.conformity import NOTES, limits, parts
from nlgauge.report.figures import Figure, grid, legend
from nlgauge.report.heat_html import DEEPEST
from nlgauge.report.heat_html import STYLE as HEAT
from nlgauge.report.markup import header, plain_table, scroll, section
from nlgauge.report.page import NUMBERS, page, write
from nlgauge.report.scatter import scatter
from nlgauge.report.style import CSS
from nlgauge.report.svg import Panel, Row, shade, swatch

GIVEN = [name for name in FACTS if name != "added"]  # what can become of a fact of the input
SHOWN = 20  # templates of a heat map: those that the references have most often
ANOTHER, NONE = "another template", "none"


def write_conformity(found: Conformity, path: str | Path, *, source: str, rows: int) -> Path:
    """Write the page and return its path."""
    keys = [(swatch(shade(place, len(GIVEN))), name) for place, name in enumerate(GIVEN)]
    plots = section(
        "Plots",
        "What became of the facts of the inputs, in per cent, by system and by thirds of the predicates; and how often "
        "templates are used, of all uses of their predicate. On the line a template is as frequent as in training.",
        legend(keys),
        grid([*_facts(found), *_templates(found)]),
    )
    tables = [
        section(heading, "", plain_table(headers, cells, right, heading))
        for heading, headers, cells, right in parts(found, rows)
    ]
    body = [header("Conformity", f"{source}. {' '.join(NOTES)}"), plots, _confusions(found), *tables]
    return write(page("Conformity", "\n".join(body), css=CSS + HEAT, closing=NUMBERS), path)


def _facts(found: Conformity) -> list[Figure]:
    made = [_stacked("all facts", [(row.system, row.facts) for row in found.systems])]
    for system in found.systems:
        bands = [(f"{band.by} {limits(band)}", band.facts) for band in found.bands if band.system == system.system]
        if bands:
            made.append(_stacked(system.system, bands))
    return made


def _stacked(heading: str, named: Sequence[tuple[str, Mapping[str, int]]]) -> Figure:
    rows = []
    for label, facts in named:
        total = sum(facts[name] for name in GIVEN) or 1
        told = ", ".join(f"{name} {facts[name]:,}" for name in GIVEN)
        shares = [100 * facts[name] / total for name in GIVEN]
        rows.append(Row(label, shares=shares, about=f"{label}: {told}"))
    desc = "; ".join(row.about for row in rows)
    drawn = Panel(rows, title=f"Facts, {heading}", desc=desc, axis="per cent of the facts of the inputs").draw()
    return Figure("facts", heading, "", drawn)


def _templates(found: Conformity) -> list[Figure]:
    """Shares of templates in outputs against those in training."""
    made = []
    for system in found.systems:
        used = [row for row in found.templates if row.system == system.system and row.share is not None]
        if not used:
            continue
        drawn, _ = scatter(
            [100 * row.training for row in used],
            [100 * row.share.estimate for row in used if row.share is not None],
            x_name="per cent in training",
            y_name="per cent in outputs",
            title=f"Templates of {system.system}",
            labels=[row.template for row in used],
            equal=True,
        )
        made.append(Figure("templates", system.system, "shares of their predicate", drawn))
    return made


def _confusions(found: Conformity) -> str:
    """A heat map for each system: which template an output has where the reference has another."""
    maps = [_heat(row.system, found) for row in found.systems] if found.confusions else []
    return (
        section(
            "Confusion of rules",
            f"Rows are templates of the reference (the {SHOWN} most frequent), columns what the output has for the "
            "same fact, in per cent of the row; framed where both are the same.",
            *maps,
        )
        if maps
        else ""
    )


def _heat(system: str, found: Conformity) -> str:
    totals: Counter[str] = Counter()
    cells: Counter[tuple[str, str]] = Counter()
    own = [row for row in found.confusions if row.system == system]
    for row in own:
        totals[row.reference] += row.count
    shown = sorted(name for name, _ in totals.most_common(SHOWN))
    for row in own:
        column = row.output if row.output in shown else ANOTHER if row.output else NONE
        cells[row.reference, column] += row.count
    columns = [*shown, ANOTHER, NONE]
    head = "".join(f'<th scope="col" title="{escape(name)}"><span>{escape(name)}</span></th>' for name in columns)
    lines = "".join(
        f'<tr><th scope="row" title="{escape(name)}"><bdi>{escape(name)}</bdi></th>'
        + "".join(_cell(name == column, cells[name, column], totals[name]) for column in columns)
        + "</tr>"
        for name in shown
    )
    caption = f'<caption class="hidden">Templates of the references and of {escape(system)}, in per cent</caption>'
    table = f'<table class="heat">{caption}<thead><tr><td></td>{head}</tr></thead><tbody>{lines}</tbody></table>'
    return f"<h3>{escape(system)}</h3>{scroll(f'Confusion of rules, {system}', table)}"


def _cell(same: bool, count: int, total: int) -> str:
    look = ' class="counts-pair"' if same else ""
    words = f"{100 * count / total:.0f}" if count else ""
    return f'<td{look} style="--h:{round(DEEPEST * count / total)}%" title="{count:,} of {total:,}">{words}</td>'
