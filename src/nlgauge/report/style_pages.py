"""The pages of style transfer: scores (compliancy, failures, correlations, all tables, outputs) and alignments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from markupsafe import Markup

from nlgauge.errors import option
from nlgauge.report.components import grid, header, legend, paragraph, plain_table, receipts, section, table_of
from nlgauge.report.figures import Figure
from nlgauge.report.pages import NUMBERS, page, write
from nlgauge.report.scatter import curves
from nlgauge.report.style import STUDY_CSS
from nlgauge.report.style_transfer import called, limits, notes, parts, pattern_name, rounded
from nlgauge.report.svg import Marked, Panel, Row, shade, swatch
from nlgauge.style.aligning.align import Alignment
from nlgauge.style.forms import STRONG, WEAK
from nlgauge.style.scoring import StyleScores
from nlgauge.style.scoring.failures import PATTERNS
from nlgauge.style.scoring.posing import GOLD
from nlgauge.style.scoring.table import AVERAGE, MEASURES

TITLE = "Style transfer"
CURVE_HEADERS = ("cosine above", "pairs")
EXAMPLES = 2  # outputs shown of each pattern of failures


def write_scores(scores: StyleScores, path: str | Path, *, source: str) -> Path:
    """Write the page and return its path."""
    about = f"{source}. HH: the new headline matches the original one; AH: it fits the article; Main: its style moved; "
    keys = [(swatch(shade(place, len(PATTERNS))), pattern_name(pattern)) for place, pattern in enumerate(PATTERNS)]
    body = [
        header(TITLE, f"{about}compliancy: all three."),
        *(paragraph(text) for text in notes(scores)),
        section("Compliancy", "", grid(_compliancy(scores))),
        section("What each classifier passes", "Averages over directions.", grid(_measures(scores))),
    ]
    if scores.failures:
        body.append(section("What fails", "Per cent of all outputs.", legend(keys), grid(_failures(scores))))
    body.append(section("How measures go together", "Pearson's r; of two decisions it is φ.", grid(_together(scores))))
    for part in parts(scores):
        # a line below every average of a system, where the next begins
        ruled = [number + 1 for number, row in enumerate(part[2][:-1]) if AVERAGE in row[1:2]]
        body.append(section(part[0], "", table_of(part, ruled=ruled)))
    body.append(_examples(scores))
    body.append(section("Receipts", "", *(receipts([line]) for line in (scores.receipts or {}).values())))
    return write(page(TITLE, *body, css=STUDY_CSS, closing=NUMBERS), path)


def _compliancy(scores: StyleScores) -> list[Figure]:
    """A figure for each direction and the average, with the upper bound as a line."""
    table = scores.table
    made = []
    for direction in (AVERAGE, *table.directions):
        own = [row for row in table.rows if row.direction == direction and "compliancy" in row.values]
        rows = []
        for row in own:
            value = row.values["compliancy"]
            told = limits(value.value, value.low, value.high)
            rows.append(Row(row.system, value.value, value.low, value.high, text=rounded(value.value, 3), about=told))
        if not rows:
            continue
        told = "; ".join(f"{row.label}: {row.about}" for row in rows)
        gold = table.value(GOLD, direction, "compliancy")
        axis = "share of outputs that comply"
        if math.isfinite(gold):
            name = f"{GOLD} {rounded(gold, 3)}"
            drawing = Marked(rows, mark=gold, name=name, title=direction, desc=told, axis=axis).draw()
        else:
            drawing = Panel(rows, title=direction, desc=told, axis=axis).draw()
        made.append(Figure("compliancy", direction, "", drawing))
    return made


def _measures(scores: StyleScores) -> list[Figure]:
    """HH, AH and Main side by side."""
    made = []
    for measure in MEASURES[:3]:
        rows = []
        for row in scores.table.rows:
            value = row.values.get(measure)
            if row.direction == AVERAGE and value is not None:
                rows.append(Row(row.system, value.value, value.low, value.high, text=rounded(value.value, 3)))
        if rows:
            told = "; ".join(f"{row.label}: {row.text}" for row in rows)
            drawing = Panel(rows, title=called(measure), desc=told, axis="share of outputs", span=(0.0, 1.0)).draw()
            made.append(Figure("classifier", called(measure), "", drawing))
    return made


def _failures(scores: StyleScores) -> list[Figure]:
    """A bar for each system, from what complies to what fails all."""
    made = []
    for direction in scores.table.directions:
        rows, told = [], []
        for failure in scores.failures:
            if failure.direction == direction:
                shares = [100 * failure.counts[pattern] / failure.n for pattern in PATTERNS]
                rows.append(Row(failure.system, shares=shares))
                kinds = ", ".join(f"{pattern_name(key)} {count}" for key, count in failure.counts.items())
                told.append(f"{failure.system}: {kinds}")
        if rows:
            drawing = Panel(rows, title=direction, desc="; ".join(told), axis="per cent of outputs").draw()
            made.append(Figure("failures", direction, "", drawing))
    return made


def _together(scores: StyleScores) -> list[Figure]:
    rows = []
    for pair in scores.correlations:
        r = pair.pearson
        if math.isfinite(r.estimate):
            name = f"{called(pair.first)}, {called(pair.second)}"
            rows.append(Row(name, r.estimate, r.low, r.high, text=rounded(r.estimate, 2)))
    if not rows:
        return []
    told = "; ".join(f"{row.label}: {row.text}" for row in rows)
    drawing = Panel(rows, title="Correlations", desc=told, axis="Pearson's r", zero=True).draw()
    return [Figure("correlations", "Pairs of measures", "", drawing)]


def _examples(scores: StyleScores) -> Markup:
    """Some outputs of each pattern, with what the classifiers say of them."""
    shown: dict[str, list[list[str]]] = {}
    for item in scores.items:
        own = shown.setdefault(item["fails"], [])
        if len(own) < EXAMPLES:
            fails = pattern_name(() if item["fails"] == "none" else item["fails"].split("+"))
            texts = [item["headline"], item["text"] or "(empty)", item["gold"] or ""]
            said = [f"{item['style']} {item['style_probability']:.2f}"]
            said += [f"{item[name]:.2f}" for name in ("hh_probability", "ah_probability")]
            own.append([fails, f"{item['system']}, {item['direction']}", *texts, *said])
    names = ["none" if not pattern else "+".join(pattern) for pattern in PATTERNS]
    cells = [row for name in names for row in shown.get(name, [])]
    if not cells:
        return Markup()
    headers = ["fails", "system", "original", "output", "gold", "taken for", "HH", "AH"]
    about = f"The first {EXAMPLES} of each pattern; {option('items')} writes all."
    return section("Some outputs", about, plain_table(headers, cells, [6, 7], "Some outputs", stacked=True))


def summary(found: Alignment) -> str:
    """The pairs of each band, in one line."""
    told = " and ".join(f"{count:,} of {source}" for source, count in zip(found.sources, found.articles, strict=True))
    return f"{len(found.pairs):,} pairs of {told}: {found.in_band(STRONG):,} strong, {found.in_band(WEAK):,} weak"


def curve_cells(found: Alignment) -> list[list[str]]:
    """The table of thresholds."""
    return [[f"{point.threshold:g}", f"{point.pairs:,}"] for point in found.curve]


def write_alignment(found: Alignment, headlines: Mapping[str, str], path: str | Path) -> Path:
    """Write the page and return its path."""
    x, y = [point.threshold for point in found.curve], [float(point.pairs) for point in found.curve]
    title = "Pairs by threshold"
    figure = Figure("thresholds", title, "", curves([("", x, y)], x_name="cosine above", y_name="pairs", title=title))
    table = plain_table(CURVE_HEADERS, curve_cells(found), (0, 1), title)
    fewer = "A lower one gives more pairs, of which fewer tell of the same event."
    first = "Read from below: the first whose headlines tell of the same event says where a threshold should lie."
    body = [
        header("Alignment", f"{summary(found)}."),
        section("Thresholds", fewer, grid([figure]), table),
        section("Pairs just above a threshold", first, _just_above(found, headlines)),
    ]
    return write(page("Alignment", *body, closing=NUMBERS), path)


def _just_above(found: Alignment, headlines: Mapping[str, str]) -> Markup:
    rows: dict[tuple[str, ...], None] = {}  # without those that are the closest of several thresholds
    for point in found.curve:
        above = [pair for pair in found.pairs if pair.score > point.threshold]
        if above:
            pair = above[-1]  # the closest come first
            row = (f"{pair.score:.3f}", pair.a, headlines.get(pair.a, ""), pair.b, headlines.get(pair.b, ""))
            rows[row] = None
    labels = ("cosine", *(label for source in found.sources for label in (source, "headline")))
    return plain_table(labels, list(rows), (), "Pairs just above a threshold") if rows else Markup()
