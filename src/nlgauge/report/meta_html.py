"""The page of a meta-evaluation: heat map, intervals and scatter plots of metrics against people, and the reports.

Like every page of ours it is one file, loads nothing and needs no script; it computes nothing of its own.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from nlgauge.meta.references import CurvePoint
from nlgauge.meta.report import MetaReport, ScoreBands
from nlgauge.meta.results import (
    PLACES,
    MetaCorrelation,
    MetaEvaluation,
    leaders,
    ordered,
    row_order,
)
from nlgauge.report.components import (
    component,
    details,
    finding,
    grid,
    header,
    legend,
    minus,
    paragraph,
    plain_table,
    receipts,
    section,
    table_of,
    table_sections,
)
from nlgauge.report.figures import Figure
from nlgauge.report.meta_text import (
    HOW,
    all_notes,
    band_ratings,
    bands_part,
    belz_parts,
    bounded,
    curve_part,
    rated_parts,
)
from nlgauge.report.pages import page, write
from nlgauge.report.scatter import FIT, curves, scatter
from nlgauge.report.style import CSS
from nlgauge.report.svg import Panel, Row, mark
from nlgauge.stats.correlation.statistic import STATISTICS
from nlgauge.wording.markup import joined
from nlgauge.wording.numbers import capitalised, interval, listing, number, p_value, percent, signed
from nlgauge.wording.tables import ARROWS

MOST_BANDS = 12  # figures of bands
MOST_PLOTS = 12  # scatter plots shown; where there are more, the best metrics of each criterion
LIGHTEST = 18  # per cent of colour in the cell of a metric that goes against people, so that it is seen
HEAT = """
.heat td{min-width:5.6rem}
.heat td.lead{font-weight:700}
.heat td.against{box-shadow:inset 0 0 0 2px var(--vermilion)}
.heat .group{font-size:.8rem}
.heat .ci{color:inherit}
"""
OVER = {"item": "within each item, then averaged over items", "system": "within each system, then averaged"}
SCORED = {"corpus": "the metric's own score of all its outputs", "mean": "the mean of its outputs' scores"}
RATINGS = {
    "mean": "Several ratings of an output count as their mean.",
    "median": "Several ratings of an output count as their median.",
    "each": "Each single rating counts as an observation of its own.",
}
DARKEST = 50  # per cent of colour in a cell of perfect correlation: text stays readable on it


def write_meta_report(report: MetaReport, path: str | Path) -> Path:
    """Write the page and return its path."""
    return write(render_meta_report(report), path)


def render_meta_report(report: MetaReport) -> str:
    """The page as text."""
    table, title = report.table, "Which metrics follow people?"
    more = [report.belz_reiter.sentence()] if report.belz_reiter else []
    said = (table.sentence(), *more, *report.warnings)
    belz = belz_parts(report.belz_reiter) if report.belz_reiter else ()
    plots, notes = _scatter_figures(table)
    keys = dict.fromkeys(key for figure in plots for key in figure.legend)
    sections = [
        header(title, report.origin),
        finding(paragraph(_headline(table), "head"), *map(paragraph, said)),
        *(_heat_map(table, statistic) for statistic in table.statistics),
        *(_intervals(table, statistic) for statistic in table.statistics),
        section("Scatter plots", f"{'; '.join(notes)}.", legend(keys), grid(plots), linked=False),
        joined(table_sections(belz, linked=False)),
        joined(table_sections(rated_parts(report.rated), linked=False)),
    ]
    if report.curve:
        part = curve_part(tuple(report.curve))
        sections.append(section(part[0], "", grid([_curve_figure(report.curve)]), table_of(part), linked=False))
    if report.bands:
        part = bands_part(report.bands)
        few = " Figures: the first metrics and criteria." if len(report.bands) > MOST_BANDS else ""
        figures = grid(_band_figures(report.bands))
        sections.append(section(part[0], HOW + few, figures, table_of(part), linked=False))
    return page(title, *sections, _tests(table), _method(report), css=CSS + HEAT)


def meta_figures(report: MetaReport) -> list[Figure]:
    """The plots of the page, in its order."""
    table = report.table
    return [
        *(figure for statistic in table.statistics for figure in _interval_figures(table, statistic)),
        *_scatter_figures(table)[0],
        *([_curve_figure(report.curve)] if report.curve else []),
        *_band_figures(report.bands),
    ]


def _headline(table: MetaEvaluation) -> str:
    """The conclusion in a few words; the full one stands below."""
    statistic = table.statistics[0]
    name = STATISTICS[statistic].words
    ranked = {criterion: table.ranked(criterion, statistic) for criterion in table.criteria}
    best = [cells[0] for cells in ranked.values() if cells and math.isfinite(cells[0].strength)]
    if len(table.metrics) == 1 and len(best) == 1:
        return f"{best[0].metric} and {best[0].criterion}: {name} {minus(number(best[0].value, PLACES))}."
    followed = [cell for cell in best if cell.follows]
    if not followed:
        return "No metric can be said to follow people here."
    if len(table.criteria) == 1:
        cell = followed[0]
        return f"{cell.metric} follows {cell.criterion} best ({name} {minus(number(cell.value, PLACES))})."
    wins = Counter(cell.metric for cell in followed)
    ((metric, most),) = wins.most_common(1)
    if len(table.metrics) == 1:
        return f"{metric} follows people on {most} of {len(table.criteria)} criteria."
    return f"{metric} follows people best on {most} of {len(table.criteria)} criteria."


def _heat_map(table: MetaEvaluation, statistic: str) -> Markup:
    name = STATISTICS[statistic].words
    rows, best = [], leaders(table, statistic)
    for metric in ordered(table, statistic):
        cells = [table.get(metric, criterion, statistic) for criterion in table.criteria]
        rows.append((metric, cells[0].direction, [_heat_cell(cell, best=cell in best) for cell in cells]))
    notes = [
        "↑ higher is better, ↓ lower is better",
        "blue: the metric follows people; orange: it goes against them, framed and marked ! where its whole interval "
        "does",
        f"rows sorted by {row_order(table)}",
    ]
    if table.settings.get("draws"):
        notes.append(f"below each value its {percent(float(table.settings['confidence']))} interval")
    if any(cell.letters for cell in table.correlations):
        notes.append("metrics of a column that share a letter do not differ significantly")
    if best:
        notes.append("best of each column in bold")
    shown = component("meta.heat_map", name, table.criteria, rows)
    return section(capitalised(name), "", shown, paragraph(f"{'; '.join(notes)}.", "soft"), linked=False)


def _heat_cell(cell: MetaCorrelation, *, best: bool) -> dict[str, object] | None:
    if not math.isfinite(cell.value):
        return None
    strength = (cell.strength - cell.floor) / (1.0 - cell.floor) if cell.floor < 1 else 0.0
    share = max(DARKEST * min(1.0, abs(strength)), LIGHTEST if cell.against else 0.0)
    return {
        "value": minus(number(cell.value, PLACES)),
        "limits": minus(interval(cell.low, cell.high, PLACES)),
        "letters": cell.letters,
        "best": best,
        "against": cell.against,
        "colour": "--blue" if strength >= 0 else "--vermilion",
        "share": f"{share:.0f}",
    }


def _interval_figures(table: MetaEvaluation, statistic: str) -> list[Figure]:
    if not any(math.isfinite(cell.low) for cell in table.correlations):
        return []
    figures, name = [], STATISTICS[statistic].words
    for criterion in table.criteria:
        ranked = [cell for cell in table.ranked(criterion, statistic) if math.isfinite(cell.value)]
        if not ranked:
            continue
        rows = []
        for cell in ranked:
            shape = "worse" if cell.against else "best" if cell.level_with(ranked[0]) else "dot"
            limits = minus(interval(cell.low, cell.high, PLACES))
            about = f"{cell.metric}: {minus(number(cell.value, PLACES))} ({limits})"
            low, high = (-cell.high, -cell.low) if cell.turned else (cell.low, cell.high)
            label = f"{cell.metric} {ARROWS['lower']}" if cell.turned else cell.metric
            text = minus(number(cell.strength, PLACES))
            rows.append(Row(label, cell.strength, low, high, text=text, shape=shape, about=about))
        title, axis = f"{name} of all metrics with {criterion}", f"{name}, {_level(table)} interval"
        drawing = Panel(rows, title=title, axis=axis, zero=not STATISTICS[statistic].share).draw()
        keys = [(mark("best"), "does not differ significantly from the best")]
        if any(cell.against for cell in ranked):
            keys.append((mark("worse"), "the whole interval goes against people"))
        figures.append(Figure("correlations", criterion, name, drawing, legend=keys))
    return figures


def _level(table: MetaEvaluation) -> str:
    return percent(float(table.settings["confidence"]))


def _intervals(table: MetaEvaluation, statistic: str) -> Markup:
    figures = _interval_figures(table, statistic)
    said = "Diamonds: metrics that do not differ significantly from the best. Each criterion has its own scale."
    if any(cell.turned for cell in table.correlations if cell.statistic == statistic):
        said += " Of metrics marked ↓ lower is better: their correlations are drawn with the sign reversed, so that "
        said += "right is always closer to people."
    if any(cell.against for cell in table.correlations):
        said += " Triangles: the whole interval goes against people."
    return section(f"Intervals of {STATISTICS[statistic].words}", said, grid(figures), linked=False)


def _scatter_figures(table: MetaEvaluation) -> tuple[list[Figure], list[str]]:
    """The plots, and what is to be said of them."""
    chosen, cut = _plotted(table, table.statistics[0])
    figures, thinned = [], 0
    level = float(table.settings.get("confidence") or 0.95)
    guide = f"least-squares line with its {percent(level)} band, points taken as independent"
    if not STATISTICS[table.statistics[0]].linear:
        guide += f"; a guide to the eye only: {STATISTICS[table.statistics[0]].words} asks for order"
    for cell in chosen:
        points = table.points[cell.metric, cell.criterion]
        line = points.line(level)
        drawing, left = scatter(
            points.metric,
            points.human,
            x_name=cell.metric,
            y_name=cell.criterion,
            title=f"{cell.metric} and {cell.criterion}",
            labels=points.labels,
            line=line,
        )
        thinned += left > 0
        bounds = interval(cell.low, cell.high, PLACES)
        aside = f"{minus(number(cell.value, PLACES))}{f' ({minus(bounds)})' if bounds else ''}"
        keys = [(FIT, guide)] if line is not None else []
        figures.append(Figure("scatter", f"{cell.metric} and {cell.criterion}", aside, drawing, legend=keys))
    what = "system" if table.settings.get("level") == "system" else "output"
    notes = [f"Each point is one {what}: the metric's score to the right, people's judgement upwards"]
    notes.append("above each plot the correlation" + (" and its interval" if table.settings.get("draws") else ""))
    if cut:
        notes.append("shown are the best metrics of each criterion")
    if thinned:
        notes.append("of very many points an even share is drawn")
    return figures, notes


def _plotted(table: MetaEvaluation, statistic: str) -> tuple[list[MetaCorrelation], bool]:
    of_criteria = [
        [
            cell
            for cell in table.ranked(criterion, statistic)
            if (cell.metric, criterion) in table.points and math.isfinite(cell.value)
        ]
        for criterion in table.criteria
    ]
    cells = [cell for own in of_criteria for cell in own]
    if len(cells) <= MOST_PLOTS:
        return cells, False
    each = max(1, MOST_PLOTS // len(table.criteria))
    return [cell for own in of_criteria for cell in own[:each]][: 2 * MOST_PLOTS], True


def _curve_figure(points: Sequence[CurvePoint]) -> Figure:
    lines = []
    for metric in dict.fromkeys(point.metric for point in points):
        mine = [point for point in points if point.metric == metric]
        lines.append((metric, [float(point.references) for point in mine], [point.tau for point in mine]))
    heading = curve_part(tuple(points))[0]
    drawing = curves(lines, x_name="references an item", y_name="τ with all references", title=heading)
    return Figure("references", "Agreement with the ranking by all references", "", drawing)


def _band_figures(found: Sequence[ScoreBands]) -> list[Figure]:
    """One figure for each metric and criterion: the bands from the worst outputs to the best."""
    return [_band_figure(scores) for scores in found[:MOST_BANDS] if scores.bands]


def _band_figure(scores: ScoreBands) -> Figure:
    rows = []
    for band in scores.bands:
        label, gap = f"band {band.number} ({band_ratings(band)})", band.difference
        about = f"{label}: {minus(bounded(gap))}, beyond {minus(bounded(band.beyond))}"
        rows.append(Row(label, gap.estimate, gap.low, gap.high, text=minus(signed(gap.estimate, 1)), about=about))
    title, level = f"{scores.metric} and {scores.criterion}", percent(scores.bands[0].difference.level)
    axis = f"percentile by {scores.metric} − percentile by people, {level} interval"
    drawing = Panel(rows, title=f"Over- and underscoring of {title}", axis=axis, zero=True).draw()
    return Figure("bands", title, "", drawing)


def _tests(table: MetaEvaluation) -> Markup:
    if not table.tests:
        return Markup()
    headers = ["criterion", "statistic", "higher", "lower", "difference", "p", "p (Holm)", "test"]
    rows = []
    for test in sorted(table.tests, key=lambda test: (test.p_adjusted, test.p)):
        figures = [number(test.difference, PLACES), p_value(test.p), p_value(test.p_adjusted)]
        rows.append([test.criterion, test.statistic, test.better, test.worse, *figures, test.method])
    shown = plain_table(headers, rows, [4, 5, 6], "Tests of all pairs of metrics")
    note = "Which of two metrics correlates higher with people, by how much, sorted by p."
    if any(test.direction == "lower" for test in table.correlations):
        note += " The sign of metrics marked ↓ is turned first, so that higher always means closer to people."
    folded = details(f"All {len(rows):,} pairs as a table", shown)
    return section("Tests between metrics", note, folded, linked=False)


def _method(report: MetaReport) -> Markup:
    names = (*report.table.metrics, *report.table.criteria)  # keep their spelling at the start of a sentence
    more = [f"{text if text.startswith(names) else capitalised(text)}." for text in all_notes(report)]
    made = report.table.receipts
    prose = [*map(paragraph, (*method_prose(report.table), *more))]
    return section("Method and receipts", "", *prose, receipts(made.values()) if made else Markup(), linked=False)


def method_prose(found: MetaEvaluation) -> list[str]:
    """How the correlations, intervals and tests were made, in sentences."""
    settings = found.settings
    level, average = str(settings.get("level", "segment")), str(settings.get("average", "none"))
    where = OVER.get(average, "over all outputs, pooled") if level == "segment" else "over systems"
    if settings.get("pairs"):
        where = f"over {settings['pairs']:,} pairs of outputs, of which people called one better"
    names = listing([STATISTICS[statistic].words for statistic in found.statistics])
    lines = [f"{capitalised(names)} {where}."]
    if settings.get("score"):
        lines.append(f"A system's score is {SCORED[str(settings['score'])]}.")
    if not settings.get("pairs"):
        lines.append(RATINGS[str(settings.get("judgements", "mean"))])
    if settings.get("draws"):
        drawn = {"both": "items and systems"}.get(str(settings["over"]), str(settings["over"]))
        centred = ", centred on the estimate" if level == "system" and settings["over"] != "systems" else ""
        lines.append(
            f"Intervals: {_level(found)}, percentile bootstrap over {drawn}{centred}, {settings['draws']:,} draws, "
            f"seed {settings['seed']}."
        )
    several = len(found.statistics) > 1
    for statistic in found.statistics:
        tested = found.tested(statistic)
        name = f" by {STATISTICS[statistic].words}" if several else ""
        lines.append(f"Differences between metrics{name}: {tested}." if tested else f"Differences{name}: not tested.")
    return [" ".join(lines)]
