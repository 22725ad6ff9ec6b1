"""The page of a corpus profile: the tables, and plots of predicates, uniqueness ratios, sizes and systems."""

from __future__ import annotations

import math
from pathlib import Path

from nlgauge.corpus.profile import Profile
from nlgauge.report.corpus_profile import bounded, notes, parts, spread
from nlgauge.report.figures import Figure, grid
from nlgauge.report.markup import header, plain_table, section
from nlgauge.report.page import NUMBERS, page, write
from nlgauge.report.svg import Panel, Row

LABELS = 24  # predicates named in a plot, spread over all as in Figure 2 of the paper


def write_profile(found: Profile, path: str | Path, *, source: str, rows: int) -> Path:
    """Write the page and return its path."""
    about = " ".join(notes(found))
    tables = [
        section(heading, "", plain_table(headers, cells, right, heading))
        for heading, headers, cells, right in parts(found, rows)
    ]
    plots = section("Plots", "Of many predicates some, spread from first to last.", grid(figures(found)))
    body = [header("Corpus profile", f"{source}. {about}"), plots, *tables]
    return write(page("Corpus profile", "\n".join(body), closing=NUMBERS), path)


def figures(found: Profile) -> list[Figure]:
    """Figure 2 of the paper, the ratios of Table 1, the sizes of inputs, slot errors of systems."""
    frequencies = list(found.inputs.frequencies.items())
    made = [
        _figure(
            "predicates",
            "Frequency of predicates",
            [Row(name, float(count), text=f"{count:,}") for name, count in spread(frequencies, LABELS)],
            "triples",
        ),
        _figure(
            "sizes",
            "Triples an input",
            [Row(size, float(count), text=f"{count:,}") for size, count in found.inputs.sizes.items()],
            "inputs",
        ),
    ]
    if found.outputs and found.outputs.single:
        ratios = [
            Row(row.predicate, row.ratio, text=f"{row.unique:,}/{row.total:,}")
            for row in spread(found.outputs.single, LABELS)
        ]
        made.append(_figure("ratios", "Unique templates by all, one triple", ratios, "ratio"))
    if found.systems:
        errors = [
            Row(
                row.system,
                100 * row.slots.errors.estimate,
                100 * row.slots.errors.low,
                100 * row.slots.errors.high,
                f"{row.slots.errors.estimate:.1%}",
            )
            for row in found.systems
        ]
        made.append(_figure("slot errors", "Slot errors", errors, "per cent of the slots of the inputs"))
    for band in found.frequency:
        rows = [
            Row(
                row.system,
                row.difference.estimate,
                row.difference.low,
                row.difference.high,
                about=bounded(row.difference, ".2f"),
            )
            for row in band.rows
            if math.isfinite(row.difference.estimate)
        ]
        heading = f"Head − tail{f', {band.split} items' if band.split else ''}"
        made.append(_figure("frequency", heading, rows, "difference of mean ratings"))
    return made


def _figure(kind: str, heading: str, rows: list[Row], axis: str) -> Figure:
    told = "; ".join(f"{row.label}: {row.text or row.about}" for row in rows)
    return Figure(kind, heading, "", Panel(rows, title=heading, desc=told, axis=axis, zero=True).draw())
