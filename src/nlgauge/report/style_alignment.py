"""An alignment of two sources: how many pairs lie above each threshold, and what a pair just above it looks like."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from nlgauge.report.figures import Figure, grid
from nlgauge.report.markup import header, plain_table, section
from nlgauge.report.page import NUMBERS, page, write
from nlgauge.report.scatter import curves
from nlgauge.style.aligning.align import Alignment
from nlgauge.style.forms import STRONG, WEAK

TITLE = "Alignment"
CURVE_HEADERS = ("cosine above", "pairs")


def summary(found: Alignment) -> str:
    """The pairs of each band, in one line."""
    told = " and ".join(f"{count:,} of {source}" for source, count in zip(found.sources, found.articles, strict=True))
    return f"{len(found.pairs):,} pairs of {told}: {found.in_band(STRONG):,} strong, {found.in_band(WEAK):,} weak"


def curve_cells(found: Alignment) -> list[list[str]]:
    """The table of thresholds."""
    return [[f"{point.threshold:g}", f"{point.pairs:,}"] for point in found.curve]


def write_alignment(found: Alignment, headlines: Mapping[str, str], path: str | Path) -> Path:
    """Write the page and return its path."""
    x = [point.threshold for point in found.curve]
    y = [float(point.pairs) for point in found.curve]
    drawing = curves([("", x, y)], x_name="cosine above", y_name="pairs", title="Pairs by threshold")
    body = [
        header(TITLE, f"{summary(found)}."),
        section(
            "Thresholds",
            "A lower one gives more pairs, of which fewer tell of the same event.",
            grid([Figure("thresholds", "Pairs by threshold", "", drawing)]),
            plain_table(CURVE_HEADERS, curve_cells(found), (0, 1), "Pairs by threshold"),
        ),
        section(
            "Pairs just above a threshold",
            "Read from below: the first whose headlines tell of the same event says where a threshold should lie.",
            _examples(found, headlines),
        ),
    ]
    return write(page(TITLE, "\n".join(filter(None, body)), closing=NUMBERS), path)


def _examples(found: Alignment, headlines: Mapping[str, str]) -> str:
    rows = []
    for point in found.curve:
        above = [pair for pair in found.pairs if pair.score > point.threshold]
        if above:
            least = above[-1]  # the closest come first
            rows.append(
                [
                    f"{least.score:.3f}",
                    least.a,
                    headlines.get(least.a, ""),
                    least.b,
                    headlines.get(least.b, ""),
                ]
            )
    unique = list({tuple(row): row for row in rows}.values())
    labels = ("cosine", *(label for source in found.sources for label in (source, "headline")))
    return plain_table(labels, unique, (), "Pairs just above a threshold") if unique else ""
