"""The experiment on frequent choices as a table and a plot."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from nlgauge.report.corpus_pcru import ASSUMED
from nlgauge.report.corpus_profile import bounded
from nlgauge.report.figures import Figure, grid
from nlgauge.report.markup import header, plain_table, section
from nlgauge.report.page import NUMBERS, page, write
from nlgauge.report.svg import Panel, Row
from nlgauge.report.text import print_lines, print_table
from nlgauge.stats.results import Estimate, format_p
from nlgauge.wording.paper import Part

if TYPE_CHECKING:
    from nlgauge.experiments.bias import Bias

TITLE = "Frequent choices before metrics and readers"


def print_bias(found: Bias) -> None:
    """The table and what it is."""
    heading, headers, cells, right = part(found)
    print_lines([heading, ""])
    print_table(headers, cells, right=right)
    print_lines(["", *told(found)])


def write_bias(found: Bias, path: str | Path) -> Path:
    """Write a page and return its path."""
    heading, headers, cells, right = part(found)
    rows = [
        Row(row.by, row.ranks.estimate, _known(row.ranks.low), _known(row.ranks.high), about=_ranks(row.ranks))
        for row in found.rows
    ]
    words = "; ".join(f"{row.label}: {row.about}" for row in rows)
    axis = "ranks by which greedy stands above the realiser"
    drawing = Panel(rows, title=TITLE, desc=words, axis=axis, zero=True).draw()
    body = [
        header(TITLE, " ".join(told(found))),
        section(heading, "", grid([Figure("ranks", "Greedy and the realiser", "", drawing)])),
        plain_table(headers, cells, right, heading),
    ]
    return write(page(TITLE, "\n".join(body), closing=NUMBERS), path)


def part(found: Bias) -> Part:
    """Each metric and each group of readers."""
    cells = [
        [
            row.by,
            "readers (simulated)" if row.human else "metric",
            bounded(row.greedy, ".0%"),
            bounded(row.rules, ".0%"),
            _ranks(row.ranks),
            format_p(row.p),
        ]
        for row in found.rows
    ]
    headers = ["by", "kind", "greedy first", "realiser first", "greedy above the realiser, ranks", "p"]
    return f"Rankings over {len(found.seeds)} seeds", headers, cells, [2, 3, 4, 5]


def told(found: Bias) -> list[str]:
    """The sentence of the experiment, and what it rests on."""
    return [
        f"In {bounded(found.biased, '.0%')} of the seeds every metric ranks greedy choices first and no group of "
        "readers does.",
        ASSUMED,
        f"{found.seconds / 60:.1f} minutes",
    ]


def _ranks(found: Estimate) -> str:
    return f"{found.estimate:+.1f}" if math.isnan(found.low) else bounded(found, "+.1f")


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None
