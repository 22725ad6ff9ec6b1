"""Conformity on the terminal and as a page: tables, plots of facts and templates, confusions as heat maps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from markupsafe import Markup

from nlgauge.corpus.conform import Band, Conformity
from nlgauge.corpus.conform.checking import FACTS
from nlgauge.report.components import Cell, grid, header, heat_table, legend, section, table_sections, titled
from nlgauge.report.corpus_profile import bounded, share, spread
from nlgauge.report.figures import Figure
from nlgauge.report.pages import NUMBERS, page, write
from nlgauge.report.scatter import scatter
from nlgauge.report.style import CSS, DEEPEST, HEAT
from nlgauge.report.svg import Panel, Row, shade, swatch
from nlgauge.report.text import print_lines, print_parts
from nlgauge.wording.numbers import counts
from nlgauge.wording.paper import Part

GIVEN = [name for name in FACTS if name != "added"]  # what can become of a fact of the input
SHOWN = 20  # templates of a heat map: those that the references have most often
ANOTHER, NONE = "another template", "none"
NOTES = (
    "Credit is 1 less the least edits of words to a text that conforms and says the input, by the words of the "
    "shortest such text; 0 at the least.",
    "A fact that is said otherwise has its value in the text, in words of no template.",
)


def print_conformity(found: Conformity, rows: int) -> None:
    """All tables, each under its heading."""
    print_parts(parts(found, rows))
    print_lines([f"note: {text}" for text in NOTES])


def parts(found: Conformity, rows: int) -> list[Part]:
    """The tables; of long ones `rows` rows spread over all (0: all)."""
    made = [_systems(found), _facts(found), _rules(found), _templates(found, rows), _predicates(found, rows)]
    made += [_bands(found)] if found.bands else []
    return [*made, _confusions(found, rows)] if found.confusions else made


def _systems(found: Conformity) -> Part:
    cells = []
    for row in found.systems:
        shares = [bounded(row.strict, ".1%"), bounded(row.credit, ".3f")]
        cells.append([row.system, f"{row.outputs:,}", *shares, f"{row.edits:.2f}", f"{row.templates:,}"])
    headers = ["system", "outputs", "conforming", "credit", "edits an output", "templates used"]
    return "Conformity", headers, cells, [1, 2, 3, 4, 5]


def _facts(found: Conformity) -> Part:
    cells = []
    for row in found.systems:
        given = sum(row.facts.values()) - row.facts["added"]
        cells.append([row.system, *(f"{row.facts[name]:,} ({share(row.facts[name], given)})" for name in FACTS)])
    heading = "Facts, with shares of those of the inputs"
    return heading, ["system", *FACTS], cells, list(range(1, len(FACTS) + 1))


def _rules(found: Conformity) -> Part:
    names, cells = ["order", "segmentation", "aggregation", "references"], []
    for row in found.systems:
        followed = [f"{row.followed[name]:.1%}" if row.followed else "" for name in names]
        cells.append([row.system, *followed, ", ".join(f"{name} {count:,}" for name, count in row.orders.items())])
    heading = "Outputs of several facts that follow the rules"
    return heading, ["system", *names, "orders"], cells, list(range(1, len(names) + 1))


def _templates(found: Conformity, rows: int) -> Part:
    cells = []
    for row in spread(found.templates, rows):
        own = "" if row.share is None else bounded(row.share, ".1%")
        cells.append([row.system, row.template, f"{row.used:,}", own, f"{row.training:.1%}", row.verdict])
    headers = ["system", "template", "used", "share of its predicate", "in training", "verdict"]
    return _heading("Templates", cells, found.templates), headers, cells, [2, 3, 4]


def _predicates(found: Conformity, rows: int) -> Part:
    cells = []
    for row in spread(found.predicates, rows):
        facts = counts(*(row.facts[name] for name in FACTS))
        cells.append([row.system, row.predicate, f"{row.frequency:,}", f"{row.ratio:.3f}", *facts])
    headers = ["system", "predicate", "in training", "ratio", *FACTS]
    heading = _heading("Predicates, by frequency and uniqueness ratio in training", cells, found.predicates)
    return heading, headers, cells, list(range(2, len(headers)))


def _bands(found: Conformity) -> Part:
    cells = [[row.system, row.by, limits(row), f"{row.predicates:,}", bounded(row.said, ".1%")] for row in found.bands]
    heading = "Facts said, thirds of the predicates"
    return heading, ["system", "by", "of training", "predicates", "said"], cells, [3, 4]


def limits(row: Band) -> str:
    """The least and most of a band, whole numbers in full."""
    return " to ".join(f"{value:,.0f}" if row.by == "frequency" else f"{value:.3g}" for value in (row.least, row.most))


def _confusions(found: Conformity, rows: int) -> Part:
    cells = [
        [row.system, row.reference, row.output or "(none)", f"{row.count:,}"] for row in spread(found.confusions, rows)
    ]
    heading = _heading("Templates of references and outputs, for the same fact", cells, found.confusions)
    return heading, ["system", "reference", "output", "facts"], cells, [3]


def _heading(text: str, cells: list[list[str]], whole: tuple[object, ...]) -> str:
    return text if len(cells) == len(whole) else f"{text} ({len(cells)} of {len(whole):,})"


def write_conformity(found: Conformity, path: str | Path, *, source: str, rows: int) -> Path:
    """Write the page and return its path."""
    keys = [(swatch(shade(place, len(GIVEN))), name) for place, name in enumerate(GIVEN)]
    about = (
        "What became of the facts of the inputs, in per cent, by system and by thirds of the predicates; and how often "
        "templates are used, of all uses of their predicate. On the line a template is as frequent as in training."
    )
    plots = section("Plots", about, legend(keys), grid([*_fact_figures(found), *_template_figures(found)]))
    head = header("Conformity", f"{source}. {' '.join(NOTES)}")
    body = [head, plots, _confusion_maps(found), *table_sections(parts(found, rows))]
    return write(page("Conformity", *body, css=CSS + HEAT, closing=NUMBERS), path)


def _fact_figures(found: Conformity) -> list[Figure]:
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
    drawn = Panel(rows, title=f"Facts, {heading}", axis="per cent of the facts of the inputs").draw()
    return Figure("facts", heading, "", drawn)


def _template_figures(found: Conformity) -> list[Figure]:
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


def _confusion_maps(found: Conformity) -> Markup:
    """A heat map for each system: which template an output has where the reference has another."""
    return section(
        "Confusion of rules",
        f"Rows are templates of the reference (the {SHOWN} most frequent), columns what the output has for the "
        "same fact, in per cent of the row; framed where both are the same.",
        *(_heat(row.system, found) for row in found.systems if found.confusions),
    )


def _heat(system: str, found: Conformity) -> Markup:
    totals: Counter[str] = Counter()
    counts: Counter[tuple[str, str]] = Counter()
    confusions = [row for row in found.confusions if row.system == system]
    for row in confusions:
        totals[row.reference] += row.count
    shown = sorted(name for name, _ in totals.most_common(SHOWN))
    for row in confusions:
        column = row.output if row.output in shown else ANOTHER if row.output else NONE
        counts[row.reference, column] += row.count
    columns = [*shown, ANOTHER, NONE]
    rows = [
        (name, name, [_cell(name == column, counts[name, column], totals[name]) for column in columns])
        for name in shown
    ]
    caption = f"Templates of the references and of {system}, in per cent"
    table = heat_table(f"Confusion of rules, {system}", caption, [(name, name) for name in columns], rows)
    return titled(system, table)


def _cell(same: bool, count: int, total: int) -> Cell:
    return Cell(
        f"{100 * count / total:.0f}" if count else "",
        shade=round(DEEPEST * count / total),
        look="counts-pair" if same else "",
        title=f"{count:,} of {total:,}",
    )
