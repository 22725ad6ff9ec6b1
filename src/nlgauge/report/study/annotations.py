"""Marked errors as bars: one for each category and system, made of its severities, the gravest darkest.

Shades go with the order of severities, and every bar has its figures in words, so that nothing is told by colour alone.

Examples of an annotation study on its page: outputs with the errors that judges marked, or with their post-edits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from markupsafe import Markup

from nlgauge.report.components import component, grid, legend, section
from nlgauge.report.figures import Figure
from nlgauge.report.study.sentences import Sentence
from nlgauge.report.study.triangle_text import Part
from nlgauge.report.svg import (
    GUTTER,
    LABELS,
    WIDTH,
    Drawing,
    Scale,
    axis_title,
    make_scale,
    put,
    shade,
    shorten,
    swatch,
    text_width,
    upright,
)
from nlgauge.report.texts import CSS, difference
from nlgauge.stats.results import Estimate
from nlgauge.study.protocols.annotations.analysis.edits import KINDS
from nlgauge.study.protocols.annotations.analysis.results import Edited, Example, Mark, Marked
from nlgauge.wording.markup import element, joined
from nlgauge.wording.numbers import figures as cells

ALL = "all"
Figures = Mapping[str, Mapping[str, Any]]  # of each system
BAR, STEP, HEAD = 12.0, 19.0, 20.0


@dataclass(frozen=True)
class Bar:
    """A system's errors of one category for each text, by severity."""

    system: str
    parts: Mapping[str, float]
    total: float  # of the counts, as the table has it: a sum of rates would round another way


def error_figures(found: object) -> list[Figure]:
    """Bars for all errors and for each main category; none for studies that mark no errors."""
    if not isinstance(found, Marked):
        return []
    severities = [name for name in found.weights if any(row["severity"] == name for row in found.errors)]
    if not severities:
        return []
    rows = [{**row, "severity": found.severities.get(row["severity"], row["severity"])} for row in found.errors]
    severities = [found.severities[name] for name in severities]
    main = dict.fromkeys([ALL, *(row["category"] for row in rows if "/" not in row["category"])])
    groups = {found.names.get(name, name): _bars(rows, name, severities) for name in main}
    keys = [(swatch(shade(place, len(severities))), name) for place, name in enumerate(severities)]
    drawn = [("All errors", {ALL: groups.pop(ALL)}), *([("By category", groups)] if groups else [])]
    return [
        Figure("errors", heading, "for each text", _drawing(bars, severities), legend=keys) for heading, bars in drawn
    ]


def errors_section(found: object) -> Markup:
    """The same as a section of the page."""
    figures = error_figures(found)
    if not figures:
        return Markup()
    return section(
        "Errors by category and severity",
        "Errors marked in a text, on average over texts and judges. Kinds within a category, counts and limits stand "
        "in the table below.",
        legend(figures[0].legend),
        grid(figures),
    )


def _bars(rows: Sequence[Mapping[str, Any]], category: str, severities: Sequence[str]) -> list[Bar]:
    """Of every system, those without such errors too."""
    counts = {(row["system"], row["severity"]): row["count"] for row in rows if row["category"] == category}
    texts = {str(row["system"]): row["texts"] for row in rows}
    bars = []
    for system, number in texts.items():
        own = {severity: counts.get((system, severity), 0) for severity in severities}
        parts = {severity: count / number for severity, count in own.items()}
        bars.append(Bar(system, parts, sum(own.values()) / number))
    return bars


def _drawing(groups: Mapping[str, Sequence[Bar]], severities: Sequence[str]) -> Drawing:
    """Bars under the names of their categories."""
    bars = [bar for own in groups.values() for bar in own]
    left = min(LABELS, max(text_width(bar.system) for bar in bars)) + 2 * GUTTER
    right = WIDTH - GUTTER - text_width("00.000") - GUTTER
    scale = make_scale([0.0, *(bar.total for bar in bars)], left, right, start=0.0)
    body, told, y = [], [], 4.0
    for category, own in groups.items():
        if len(groups) > 1:
            body.append(put("label strong", GUTTER, y + 13, shorten(category, WIDTH - 2 * GUTTER)))
            y += HEAD
        for bar in own:
            shares = ", ".join(f"{name} {bar.parts[name]:.3f}" for name in severities)
            told.append(f"{bar.system}, {category}: {bar.total:.3f} errors for each text ({shares})")
            body.append(element("g", element("title", told[-1]), *_row(bar, severities, scale, y)))
            y += STEP
    lines = []
    for tick in scale.ticks:
        label = put("tick", scale(tick), y + 16, f"{tick:.{scale.places}f}", anchor="middle")
        lines += [upright("grid", scale(tick), y), label]
    name, height = axis_title("errors for each text", (left, right), y + 24)
    return Drawing(joined([*lines, name, *body]), height, "Errors for each text by severity", "; ".join(told))


def _row(bar: Bar, severities: Sequence[str], scale: Scale, y: float) -> list[Markup]:
    parts, done = [put("label", GUTTER, y + 10, shorten(bar.system, LABELS + 1))], 0.0
    for place, name in enumerate(severities):
        start, end = scale(done), scale(done + bar.parts[name])
        done += bar.parts[name]
        if bar.parts[name]:
            box = {"x": start, "y": y, "width": end - start, "height": f"{BAR:g}"}
            opacity = f"{shade(place, len(severities)):.2f}"
            parts.append(element("rect", class_="bar", **box, fill_opacity=opacity))
    return [*parts, put("value", WIDTH - GUTTER, y + 10, f"{bar.total:.3f}", anchor="end")]


# ------------------------------------------------------------------------------------------ tables and sentences


def _edits_table(figures: Figures) -> Part:
    rows = []
    for name, row in figures.items():
        hter, edits = row["hter"], [*(row[kind] for kind in KINDS), row["characters"]]
        shown = [*cells(hter.estimate, hter.low, hter.high, places=1), *(f"{value:.1f}" for value in edits)]
        rows.append([name, *shown, f"{row['n']:,}"])
    heads = ["system", "HTER", "low", "high", *KINDS, "characters", "texts"]
    name = "Edits per 100 words of the post-edit, all texts together (characters: per 100; 95 % limits over inputs)"
    return name, heads, rows, list(range(1, 10))


def _work_table(figures: Figures) -> Part:
    rows = []
    for name, row in figures.items():
        browser = ["-" if row[what] is None else f"{row[what]:.0f}" for what in ("active_seconds", "keys")]
        shares = [f"{100 * row[what]:.1f}" for what in ("unchanged", "rewritten")]
        rows.append([name, f"{row['seconds_per_word']:.2f}", *browser, *shares])
    heads = ["system", "s per word", "s typing", "keys", "% unchanged", "% rewritten"]
    return "Work (medians; typing and keys as browsers counted them)", heads, rows, [1, 2, 3, 4, 5]


def _edits(figures: Figures) -> str:
    said = []
    for name, row in figures.items():
        hter = row["hter"]
        limits = "" if math.isnan(hter.low) else f"{hter.low:.1f} to {hter.high:.1f}; "  # one input has none
        said.append(
            f"{name} {hter.estimate:.1f} ({limits}{row['inserted']:.1f} insertions, {row['deleted']:.1f} deletions, "
            f"{row['replaced']:.1f} substitutions, {row['moved']:.1f} shifts; {100 * row['unchanged']:.0f} % of texts "
            f"unchanged, {100 * row['rewritten']:.0f} % written anew)"
        )
    return (
        "HTER (edits per 100 words of the post-edits, all texts of a system together; case-sensitive TER as sacreBLEU "
        f"computes it; 95 % limits over inputs) is {'; '.join(said)}."
    )


def _rates_table(found: Marked) -> Part:
    """A row for each category of a system, called as judges read it; the figures of each severity are in the JSON
    form, under the short names."""
    counts = {(row["system"], row["category"], row["severity"]): row["count"] for row in found.errors}
    shown = []
    for row in found.errors:
        if row["severity"] == ALL:
            system, category, rate = row["system"], row["category"], row["rate"]
            called = ALL if category == ALL else found.names[category]
            numbers = [*(counts.get((system, category, name), 0) for name in found.weights), row["count"]]
            limits = [f"{value:.3f}" for value in (rate.estimate, rate.low, rate.high)]
            shown.append([system, called, *(f"{number:,}" for number in numbers), *limits])
    heads = ["system", "category", *found.severities.values(), "errors", "per text", "low", "high"]
    name = "Errors by category and severity (95 % limits over inputs, for these judges)"
    return name, heads, shown, list(range(2, len(heads)))


def _agreement_table(found: Mapping[str, Estimate]) -> Part:
    rows = [[name, *cells(one.estimate, one.low, one.high), f"{one.n:,}"] for name, one in found.items()]
    return "Agreement on errors", ["coefficient", "value", "low", "high", "n"], rows, [1, 2, 3, 4]


def _agreement(found: Mapping[str, Estimate], why: Sequence[str]) -> str:
    said = [
        f"{name} {one.estimate:.2f}" + ("" if math.isnan(one.low) else f" ({one.low:.2f} to {one.high:.2f})")
        for name, one in found.items()
    ]
    if not said:
        return f"Agreement on errors cannot be told: {'; '.join(why)}."
    rest = f" Not told: {'; '.join(why)}." if why else ""
    return (
        f"Of outputs with several judges, {'; '.join(said)}. F1 is pooled over pairs of judges; spans match one to one "
        "where they overlap, the greatest overlap first; alpha of characters is Krippendorff's nominal alpha with each "
        f"character as a unit, limits by leaving texts out in turn.{rest}"
    )


def _errors(found: Marked) -> str:
    said = []
    for row in found.errors:
        if row["category"] == row["severity"] == ALL:
            kinds = [
                f"{other['count']:,} {found.severities[other['severity']].lower()}"
                for other in found.errors
                if other["system"] == row["system"] and other["category"] == ALL and other["severity"] != ALL
            ]
            rate = row["rate"]
            split = f": {', '.join(kinds)}" if kinds else ""
            said.append(
                f"{row['system']} {rate.estimate:.2f} ({rate.low:.2f} to {rate.high:.2f}; {row['count']:,} in "
                f"{row['texts']:,} texts{split})"
            )
    return (
        "Errors marked in a text (plain means; 95 % limits over inputs, for these judges; the mixed model's, which "
        f"hold for other judges too, stand with the means): {'; '.join(said)}."
    )


def own_parts(found: Edited | Marked) -> list[Part]:
    """The tables: edits and work, or errors and agreement on them."""
    if isinstance(found, Edited):
        return [_edits_table(found.systems), _work_table(found.systems)]
    return [_rates_table(found), *([_agreement_table(found.agreement)] if found.agreement else [])]


def own_sentences(found: Edited | Marked) -> list[Sentence]:
    """What stands before the sentences about what was measured."""
    if isinstance(found, Edited):
        return [("Edits", _edits(found.systems))]
    return [("Errors", _errors(found)), ("Agreement on errors", _agreement(found.agreement, found.why))]


# ------------------------------------------------------------------------------------------------------ examples


EXAMPLES_CSS = (
    CSS
    + """
.example mark{background:#f4c43059;color:inherit;text-decoration:underline;text-decoration-thickness:2px}
.example mark.several{background:#f4c430a6;text-decoration-thickness:4px}
"""
)


def examples_section(found: object) -> Markup:
    """The outputs in which most was marked or edited."""
    if not isinstance(found, Edited | Marked) or not found.examples:
        return Markup()
    marked = any(example.marks or example.missing for example in found.examples)
    about = (
        "Outputs in which most was marked; words marked by several judges are darker. Each error stands below with its "
        "judge."
        if marked
        else "Outputs with what judges made of them: deleted words struck out, new ones underlined."
    )
    return section("Examples", about, *map(_example, found.examples))


def _example(example: Example) -> Markup:
    edits = [(judge, difference(example.text, text)) for judge, text in example.edited]
    marked = [(example.text[mark.start : mark.end], mark) for mark in example.marks]
    marked += [("(missing)", mark) for mark in example.missing]
    errors = [f"{words}: {_kind(mark)}, {mark.judge}{f' – {mark.note}' if mark.note else ''}" for words, mark in marked]
    text = marked_text(example.text, example.marks)
    return component("study.example", example, edits, text=text, errors=errors)


def _kind(mark: Mark) -> str:
    return " · ".join(filter(None, (mark.category, mark.severity)))


def marked_text(text: str, marks: tuple[Mark, ...]) -> Markup:
    """The text with what was marked; overlapping errors are cut where their number changes."""
    cuts = sorted({0, len(text), *(place for mark in marks for place in (mark.start, mark.end))})
    return joined(_piece(text, start, end, marks) for start, end in pairwise(cuts))


def _piece(text: str, start: int, end: int, marks: tuple[Mark, ...]) -> Markup | str:
    over = [mark for mark in marks if mark.start <= start and end <= mark.end]
    if not over:
        return text[start:end]
    several = "several" if len({mark.judge for mark in over}) > 1 else None
    told = "; ".join(dict.fromkeys(_kind(mark) for mark in over))
    return element("mark", text[start:end], class_=several, title=told)
