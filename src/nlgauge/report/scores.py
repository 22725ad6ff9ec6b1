"""The page of scores and comparisons: the conclusion, tables, plots, examples and receipts.

It reads result objects and computes no score, interval or p-value of its own.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

from markupsafe import Markup

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
    titled,
)
from nlgauge.report.figures import Figure
from nlgauge.report.pages import page, write
from nlgauge.report.svg import Panel, Row, mark
from nlgauge.report.texts import Example, examples_of
from nlgauge.results import Comparison, Comparisons, Scores
from nlgauge.wording.conclusion import (
    Table,
    conclusion,
    delta_places,
    headline_parts,
    method,
    significant,
    tabulate,
)
from nlgauge.wording.numbers import capitalised, count, decimals, interval, number, p_value, percent, signed
from nlgauge.wording.rankings import LEGEND, long_rankings, ranking_cells
from nlgauge.wording.tables import (
    comparison_cells,
    comparison_headers,
    comparison_right,
    several,
)

Segments = Mapping[str, Mapping[str, Sequence[float]]]  # metric -> system -> one score per segment
UNTESTED = "No significance test was made: the differences may be due to the choice of items."
THIN = "Thin lines"
VERDICTS = {
    "better": "significantly better",
    "worse": "significantly worse",
    "open": "no significant difference found",
}
KEYS = tuple((mark(shape), words) for shape, words in VERDICTS.items())
MOST_ROWS = 20  # rows a plot of differences may have; the table always has them all


def write_report(
    scores: Scores,
    comparisons: Comparisons | None,
    path: str | Path,
    *,
    title: str = "Evaluation report",
    segments: Segments | None = None,
    examples: Sequence[Example] | None = None,
    summary: str | None = None,
) -> Path:
    """Write the page and return its path; `summary` is a line about the data, shown under the title."""
    return write(
        render_report(scores, comparisons, title=title, segments=segments, examples=examples, summary=summary),
        path,
    )


def render_report(
    scores: Scores,
    comparisons: Comparisons | None = None,
    *,
    title: str = "Evaluation report",
    segments: Segments | None = None,
    examples: Sequence[Example] | None = None,
    summary: str | None = None,
) -> str:
    """The page as text."""
    tested = comparisons if comparisons is not None and comparisons.comparisons else None
    table = tabulate(scores, tested)
    return page(
        title,
        header(title, summary),
        _finding(scores, tested),
        _score_section(scores, table),
        _dot_section(scores, table),
        _comparison_section(tested, table) if tested else Markup(),
        _segment_section(segments, table) if segments else Markup(),
        section("Examples", "", examples_of(examples or ()), linked=False),
        _method_section(scores, tested),
    )


def report_figures(
    scores: Scores, comparisons: Comparisons | None = None, segments: Segments | None = None
) -> list[Figure]:
    """The plots of the page, in its order."""
    tested = comparisons if comparisons is not None and comparisons.comparisons else None
    table = tabulate(scores, tested)
    return [
        *_score_figures(scores, table),
        *(_difference_figures(tested, table) if tested else ()),
        *(_segment_figures(segments, table) if segments else ()),
    ]


def _finding(scores: Scores, tested: Comparisons | None) -> Markup:
    """Who leads, whether the lead is significant, and the full sentences behind a click."""
    ranked, lead = headline_parts(scores, tested)
    if tested:
        full = details("In full, for a paper", paragraph(conclusion(scores, tested)))
        return finding(paragraph(ranked, "head"), paragraph(lead), full)
    return finding(paragraph(ranked, "head"), paragraph(UNTESTED if len(scores.systems) > 1 else ""))


def _score_section(scores: Scores, table: Table) -> Markup:
    known = {(score.system, score.metric): score for score in scores.scores}
    best = {metric: table.best(metric) if len(scores.systems) > 1 else () for metric in scores.metrics}
    rows = []
    for system in table.ranking():
        cells: list[dict[str, object] | None] = []
        for metric in scores.metrics:
            score, places = known.get((system, metric)), table.places[metric]
            cell: dict[str, object] | None = None
            if score is not None:
                cell = {"value": minus(number(score.value, places)), "best": system in best[metric]}
                cell["limits"] = minus(interval(score.low, score.high, places))
            cells.append(cell)
        rows.append((system, cells))
    sizes = sorted({score.n for score in scores.scores})
    n = " to ".join(count(size) for size in (sizes if len(sizes) < 2 else (sizes[0], sizes[-1])))
    levels = sorted({score.level for score in scores.scores if score.low is not None})
    people = _rated(scores)
    what = "items" if len(people) == len(scores.metrics) else "segments"
    notes = [*people, f"{n} {what} per system", "↑ higher is better, ↓ lower is better"]
    if len(scores.systems) > 1:
        notes.append("best of each metric in bold on a tint; systems from best to worst by mean rank")
    if levels:
        notes.append(f"below each score its {percent(levels[0])} interval")
    return component("scores.table", scores.metrics, table.directions, rows, notes=f"{'; '.join(notes)}.")


def _rated(scores: Scores) -> list[str]:
    """A word about each criterion that people rated: it is no metric."""
    from nlgauge import receipt  # loads numpy, which a page of stored results does without until here

    found = []
    for metric, line in scores.receipts.items():
        facts = receipt.read(line)
        if facts.get("human") == metric:
            unnamed, _, many = facts.get("judges", "1").rpartition(":")
            judges = f"{many} judge{'ments an output' if unnamed else 's'}, " if many != "1" else ""
            given = f"{int(facts['judgements']):,} ratings" if facts.get("judgements", "").isdigit() else "ratings"
            found.append(f"{metric}: mean rating by people ({judges}{given})")
    return found


def _score_figures(scores: Scores, table: Table) -> list[Figure]:
    known = {(score.system, score.metric): score for score in scores.scores}
    several = len(scores.systems) > 1
    levels = sorted({percent(score.level) for score in scores.scores if score.low is not None})
    if not several and not levels:
        return []  # a lone dot says nothing that its number does not
    keys = [(mark("best"), "best")] if several else []
    figures = []
    for metric in scores.metrics:
        best, places = table.best(metric) if several else (), table.places[metric]
        rows = []
        for system in table.ranking():
            score = known.get((system, metric))
            if score is not None:
                text, limits = minus(number(score.value, places)), minus(interval(score.low, score.high, places))
                about = f"{system}: {text}" + (f" ({limits})" if limits else "")
                shape = "best" if system in best else "dot"
                rows.append(Row(system, score.value, score.low, score.high, text=text, shape=shape, about=about))
        aside = f"{table.directions.get(metric, 'higher')} is better"
        axis = f"{metric}{f', {levels[0]} interval' if levels else ''}"
        drawing = Panel(rows, title=f"Scores of all systems on {metric}, {aside}", axis=axis).draw()
        figures.append(Figure("scores", metric, aside, drawing, legend=keys))
    return figures


def _dot_section(scores: Scores, table: Table) -> Markup:
    figures = _score_figures(scores, table)
    if not figures:
        return Markup()
    intervals = any(score.low is not None for score in scores.scores)
    bars = ["bars: intervals of the table"] if intervals else []
    key = legend(figures[0].legend, *bars, "each metric has its own scale, which need not start at zero")
    title = "Scores and their intervals" if intervals else "Scores, drawn"
    return section(title, "", key, grid(figures), linked=False)


def _comparison_section(tested: Comparisons, table: Table) -> Markup:
    rows = tested.comparisons
    baselines = list(dict.fromkeys(row.baseline for row in rows))
    against = f" from {baselines[0]}" if len(baselines) == 1 else ""
    level = percent(rows[0].level)
    note = f"System minus baseline, with its {level} interval; at the right the p-value after Holm's correction."
    note += f" {THIN}: {level} for all differences of a metric at once." if several(tested) else ""
    plots = grid(_difference_figures(tested, table))
    shown = details("All comparisons as a table", _comparison_table(tested, table))
    differences = section(f"Differences{against}", note, legend(KEYS), plots, shown, linked=False)
    return _ranking_section(tested, table) + differences


def _ranking_section(tested: Comparisons, table: Table) -> Markup:
    """Where systems are many: their order, clusters and ranges of ranks, and who is significantly better than whom."""
    tables = []
    for metric, ranking in long_rankings(tested).items():
        systems = ranking.systems
        headers = ["system", "place", "score", "cluster", "ranks", *map(str, range(1, len(systems) + 1))]
        cells = ranking_cells(ranking, table.places.get(metric, 4))
        rows = [[system, place, *more, *signs] for place, system, *more, signs in cells]
        ruled = [place for place in range(1, len(rows)) if systems[place].cluster > systems[place - 1].cluster]
        shown = plain_table(headers, rows, range(1, len(headers)), f"Ranking by {metric}", ruled=ruled)
        tables.append(titled(component("directed", metric, table.directions.get(metric, "higher")), shown))
    return section("Clusters", f"{capitalised(LEGEND)}.", *tables, linked=False)


def _shown(metric: str, tested: Comparisons, table: Table) -> tuple[list[Comparison], bool]:
    """The comparisons a plot shows; of very many pairs, those with the best-ranked system."""
    rows = [row for row in tested.comparisons if row.metric == metric]
    order = {system: rank for rank, system in enumerate(table.ranking())}
    rows.sort(key=lambda row: (order.get(row.baseline, 0), order.get(row.system, 0)))
    if len(rows) <= MOST_ROWS or len({row.baseline for row in rows}) == 1:
        return rows, False
    leader = min(order, key=lambda system: order[system])
    return [row for row in rows if leader in (row.system, row.baseline)], True


def _difference_figures(tested: Comparisons, table: Table) -> list[Figure]:
    return [_difference_figure(metric, tested, table) for metric in tested.metrics]


def _difference_figure(metric: str, tested: Comparisons, table: Table) -> Figure:
    chosen, cut = _shown(metric, tested, table)
    together = several(tested)
    single = len({row.baseline for row in tested.comparisons}) == 1
    usual = table.places.get(metric, 4)
    rows = []
    for row in chosen:
        shape = ("better" if row.better else "worse") if significant(row) else "open"
        places = delta_places(row, usual)
        outer = (row.simultaneous_low, row.simultaneous_high) if together else None
        wide = f"; simultaneous {told}" if outer and (told := interval(*outer, places, sign=True)) else ""
        limits, p = interval(row.low, row.high, places, sign=True), p_value(row.p_adjusted)
        gap = f"{signed(row.delta, places)} ({limits}{wide})"
        about = minus(f"{row.system} minus {row.baseline}: {gap}, adjusted p {p}, {VERDICTS[shape]}")
        label = row.system if single else f"{row.system} − {row.baseline}"
        rows.append(Row(label, row.delta, row.low, row.high, text=p, shape=shape, about=about, outer=outer))
    side = f"{'right' if table.directions.get(metric, 'higher') == 'higher' else 'left'} of zero is better"
    thin = " (thin: for all pairs at once)" if together else ""
    axis = f"difference in {metric}, {percent(chosen[0].level)} interval{thin}; at the right p (Holm)"
    drawing = Panel(rows, title=f"Differences on {metric}, {side}", axis=axis, zero=True).draw()
    aside = side + (", pairs with the best-ranked system" if cut else "")
    return Figure("differences", metric, aside, drawing, legend=KEYS)


def _comparison_table(tested: Comparisons, table: Table) -> Markup:
    cells = [
        comparison_cells(row, table.places.get(row.metric, 4), together=several(tested)) for row in tested.comparisons
    ]
    rows = [[*line, verdict or VERDICTS["open"]] for *line, verdict in cells]
    headers = [*comparison_headers(tested)[:-1], "verdict"]
    return plain_table(headers, rows, comparison_right(tested), "All comparisons")


def _segment_figures(segments: Segments, table: Table) -> list[Figure]:
    figures = []
    for metric, columns in segments.items():
        rows = []
        # Segment scores may be of a metric that the table lacks: sentence BLEU beside corpus BLEU.
        places = table.places.get(metric, decimals([value for values in columns.values() for value in values]))
        ranked = [system for system in table.ranking() if system in columns]
        for system in dict.fromkeys([*ranked, *columns]):
            values = [value for value in columns[system] if math.isfinite(value)]
            middle = statistics.median(values) if values else None
            text = minus(number(middle, places))
            about = f"{system}: median {text} of {count(len(values))} segments"
            rows.append(Row(system, middle, text=text, shape="median", about=about, values=values))
        axis = f"{metric} of a segment"
        drawing = Panel(rows, title=f"Segment scores on {metric}", axis=axis, tall=True).draw()
        direction = table.directions.get(metric)
        aside = f"{direction} is better" if direction else ""
        figures.append(Figure("segment scores", metric, aside, drawing, legend=[(mark("median"), "median")]))
    return figures


def _segment_section(segments: Segments, table: Table) -> Markup:
    note = (
        "How the scores of single segments are spread; the number is the median. A corpus score is not their "
        "mean: most metrics add up counts first."
    )
    figures = _segment_figures(segments, table)
    key = legend(figures[0].legend) if figures else Markup()
    return section("Segment scores", note, key, grid(figures), linked=False)


def _method_section(scores: Scores, tested: Comparisons | None) -> Markup:
    notes = []
    if tested is not None:
        notes.append(
            f"{method(tested)}. A difference is called significant when its adjusted p-value is at most α; "
            "where none was found the systems may still differ."
        )
    elif len(scores.systems) > 1:
        notes.append("No significance test was made: differences in the table may be due to the choice of items.")
    notes += [*scores.notes, *(note for note in (tested.notes if tested else ()) if note not in scores.notes)]
    lines = dict.fromkeys([*scores.receipts.values(), *(tested.receipts.values() if tested else ())])
    names = tuple(scores.systems) + tuple(scores.metrics)  # keep their spelling at the start of a sentence
    full = [note if note.startswith(names) else capitalised(note) for note in notes]
    full = [note if note.endswith(".") else f"{note}." for note in full]
    more = (component("scores.receipts"), receipts(lines))
    return section("Method and receipts", "", *map(paragraph, full), *more, linked=False)
