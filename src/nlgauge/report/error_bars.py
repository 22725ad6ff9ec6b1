"""Marked errors as bars: one for each category and system, made of its severities, the gravest darkest.

Shades go with the order of severities, and every bar has its figures in words, so that nothing is told by colour alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from nlgauge.report.study import _figure, _grid, _section
from nlgauge.report.svg import GUTTER, LABELS, WIDTH, make_scale, shorten, text_width
from nlgauge.study.protocols.annotations.analysis.results import AnnotationResult

ALL = "all"
BAR, STEP, HEAD = 12.0, 19.0, 20.0
FAINTEST = 0.22  # opacity of the lightest severity


@dataclass(frozen=True)
class Bar:
    """A system's errors of one category for each text, by severity."""

    system: str
    parts: Mapping[str, float]

    @property
    def total(self) -> float:
        """Of all severities."""
        return sum(self.parts.values())


def errors_section(result: AnnotationResult) -> str:
    """Bars for all errors and for each main category; nothing for studies that mark no errors."""
    found: Mapping[str, Any] = result.more.get("annotations", {})
    rows: Sequence[Mapping[str, Any]] = found.get("errors", ())
    severities = [name for name in found.get("weights", {}) if any(row["severity"] == name for row in rows)]
    if not rows or not severities:
        return ""
    called, words = found.get("names", {}), found.get("severities", {})
    rows = [{**row, "severity": words.get(row["severity"], row["severity"])} for row in rows]
    severities = [words.get(name, name) for name in severities]
    groups = {called.get(name, name): _bars(rows, name, severities) for name in _main_categories(rows)}
    return _section(
        "Errors by category and severity",
        "Errors marked in a text, on average over texts and judges. Kinds within a category, counts and limits stand "
        "in the table below.",
        _legend(severities),
        _grid([_figure("All errors", "for each text", _drawing({ALL: groups.pop(ALL)}, severities))]
              + ([_figure("By category", "for each text", _drawing(groups, severities))] if groups else [])),
    )  # fmt: skip


def _main_categories(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    named = [str(row["category"]) for row in rows]
    return list(dict.fromkeys([ALL, *(name for name in named if "/" not in name)]))


def _bars(rows: Sequence[Mapping[str, Any]], category: str, severities: Sequence[str]) -> list[Bar]:
    """Of every system, those without such errors too."""
    found = {
        (row["system"], row["severity"]): row["count"] / row["texts"]
        for row in rows
        if row["category"] == category
    }
    systems = dict.fromkeys(str(row["system"]) for row in rows)
    return [Bar(name, {one: found.get((name, one), 0.0) for one in severities}) for name in systems]


def _shade(place: int, number: int) -> float:
    return 1.0 if number == 1 else FAINTEST + (1 - FAINTEST) * place / (number - 1)


def _legend(severities: Sequence[str]) -> str:
    keys = "".join(
        f'<li><svg class="key" viewBox="0 0 16 12" width="16" height="12" aria-hidden="true"><rect class="bar" '
        f'x="1" y="1" width="14" height="10" fill-opacity="{_shade(place, len(severities)):.2f}"/></svg>'
        f"{escape(name)}</li>"
        for place, name in enumerate(severities)
    )
    return f'<ul class="legend">{keys}</ul>'


def _drawing(groups: Mapping[str, Sequence[Bar]], severities: Sequence[str]) -> str:
    """Bars under the names of their categories."""
    bars = [bar for own in groups.values() for bar in own]
    left = min(LABELS, max(text_width(bar.system) for bar in bars)) + 2 * GUTTER
    right = WIDTH - GUTTER - text_width("00.00") - GUTTER
    scale = make_scale([0.0, *(bar.total for bar in bars)], left, right, start=0.0)
    body, told, y = [], [], 4.0
    for category, own in groups.items():
        if len(groups) > 1:
            body.append(_text("label strong", GUTTER, y + 13, shorten(category, WIDTH - 2 * GUTTER)))
            y += HEAD
        for bar in own:
            about = f"{bar.system}, {category}: {bar.total:.2f} errors for each text (" + (
                ", ".join(f"{name} {bar.parts[name]:.2f}" for name in severities) + ")"
            )
            told.append(about)
            body.append(f"<g><title>{escape(about)}</title>{_row(bar, severities, scale, y)}</g>")
            y += STEP
    grid = [
        f'<line class="grid" x1="{scale(tick):.1f}" x2="{scale(tick):.1f}" y1="2" y2="{y:.1f}"/>'
        + _text("tick", scale(tick), y + 16, f"{tick:.{scale.places}f}", "middle")
        for tick in scale.ticks
    ]
    height = y + 24
    return (
        f'<svg viewBox="0 0 {WIDTH:g} {height:g}" width="{WIDTH:g}" height="{height:g}" role="img">'
        f"<title>Errors for each text by severity</title><desc>{escape('; '.join(told))}</desc>"
        f"{''.join(grid)}{''.join(body)}</svg>"
    )


def _row(bar: Bar, severities: Sequence[str], scale: Any, y: float) -> str:
    parts, done = [_text("label", GUTTER, y + 10, shorten(bar.system, LABELS + 1))], 0.0
    for place, name in enumerate(severities):
        value = bar.parts[name]
        if value:
            start, end = scale(done), scale(done + value)
            parts.append(
                f'<rect class="bar" x="{start:.1f}" y="{y:.1f}" width="{end - start:.1f}" height="{BAR:g}" '
                f'fill-opacity="{_shade(place, len(severities)):.2f}"/>'
            )
        done += value
    parts.append(_text("value", WIDTH - GUTTER, y + 10, f"{bar.total:.2f}", "end"))
    return "".join(parts)


def _text(look: str, x: float, y: float, content: str, anchor: str = "start") -> str:
    return f'<text class="{look}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(content)}</text>'
