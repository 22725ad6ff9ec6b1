"""Over- and underscoring in bands of quality: a table for every metric, and a figure."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from nlgauge.meta.bands import ScoreBands
from nlgauge.report.figures import Figure, grid
from nlgauge.report.markup import minus, paragraph, plain_table
from nlgauge.report.svg import Panel, Row
from nlgauge.stats.correlation.bands import Band
from nlgauge.stats.results import Estimate
from nlgauge.wording.numbers import interval, number, percent, signed

Part = tuple[str, list[str], list[list[str]], list[int]]
MOST_FIGURES = 12
HEADING = "Over- and underscoring: percentiles of metrics beside those of people"
HOW = (
    "Each output has a percentile by people and one by the metric; a difference above 0 says that the metric puts the "
    "outputs of a band higher than people do. Any metric that does not follow people perfectly overscores bad outputs "
    "and underscores good ones: “beyond” is what an ordinary metric of the same correlation would not show. Spread: "
    "standard deviation of the metric's percentiles, 28.9 where every score is equally likely. Score: mean ± "
    "standard deviation of the metric's own scores."
)


def bands_part(found: Sequence[ScoreBands]) -> Part:
    """The table of all bands."""
    headers = ["metric", "criterion", "band", "ratings", "outputs", "by people", "by metric", "difference"]
    headers += ["beyond", "spread", "score"]
    rows = [
        [
            one.metric,
            one.criterion,
            str(band.number),
            _ratings(band),
            f"{band.n:,}",
            number(band.human, 1),
            number(band.metric, 1),
            _bounded(band.difference),
            _bounded(band.beyond),
            number(band.spread, 1),
            f"{band.score:.3g} ± {band.deviation:.2g}",
        ]
        for one in found
        for band in one.bands
    ]
    return HEADING, headers, rows, list(range(2, len(headers)))


def _ratings(band: Band) -> str:
    low, high = f"{band.low:.3g}", f"{band.high:.3g}"
    return low if low == high else f"{low} to {high}" if band.low < 0 else f"{low}–{high}"


def _bounded(estimate: Estimate) -> str:
    limits = interval(estimate.low, estimate.high, 1, sign=True)
    return signed(estimate.estimate, 1) + (f" [{limits}]" if limits else "")


def band_figures(found: Sequence[ScoreBands]) -> list[Figure]:
    """One figure for each metric and criterion: the bands from the worst outputs to the best."""
    return [_figure(one) for one in found[:MOST_FIGURES] if one.bands]


def _figure(one: ScoreBands) -> Figure:
    rows = []
    for band in one.bands:
        label, shown = f"band {band.number} ({_ratings(band)})", minus(_bounded(band.difference))
        gap = band.difference
        about = f"{label}: {shown}, beyond {minus(_bounded(band.beyond))}"
        rows.append(Row(label, gap.estimate, gap.low, gap.high, minus(signed(gap.estimate, 1)), about=about))
    title = f"{one.metric} and {one.criterion}"
    level = percent(one.bands[0].difference.level)
    drawing = Panel(
        rows,
        title=f"Over- and underscoring of {title}",
        desc="; ".join(row.about for row in rows),
        axis=f"percentile by {one.metric} − percentile by people, {level} interval",
        zero=True,
    ).draw()
    return Figure("bands", title, "", drawing)


def bands_html(found: Sequence[ScoreBands]) -> str:
    """The section of the page."""
    heading, headers, rows, right = bands_part(found)
    few = " Figures: the first metrics and criteria." if len(found) > MOST_FIGURES else ""
    shown = f"{grid(band_figures(found))}{plain_table(headers, rows, right, heading)}"
    return f"<section><h2>{escape(heading)}</h2>{paragraph(HOW + few, 'soft')}{shown}</section>"
