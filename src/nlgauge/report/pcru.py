"""Frequent choices before metrics and readers: the demonstration of Belz and Reiter (2006), and an experiment."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from nlgauge.meta.belz_reiter import BelzReiter
from nlgauge.report.components import grid, header, section, table_of
from nlgauge.report.corpus_profile import bounded
from nlgauge.report.figures import Figure
from nlgauge.report.meta_text import belz_parts
from nlgauge.report.pages import NUMBERS, page, write
from nlgauge.report.svg import Panel, Row
from nlgauge.report.text import print_lines, print_parts
from nlgauge.stats.results import Estimate
from nlgauge.wording.numbers import exact_p
from nlgauge.wording.paper import Part

if TYPE_CHECKING:
    from nlgauge.experiments.bias import Bias

TITLE = "Frequent choices before metrics and readers"

ASSUMED = (
    "A demonstration, not evidence: corpus, references and texts are generated, and the readers' taste is assumed. It "
    "shows what metrics of similarity to a corpus cannot see if readers are like that."
)


def print_demonstration(judged: BelzReiter, held: BelzReiter) -> None:
    """The three tables, what they show, and what they are."""
    print_parts(parts(judged, held))
    print_lines([conclusion(judged), judged.sentence(), *(f"note: {text}" for text in judged.notes), ASSUMED])


def parts(judged: BelzReiter, held: BelzReiter) -> list[Part]:
    """Scores against two references, correlations, scores against the corpus."""
    scores, matrix, *_ = belz_parts(judged)
    against = belz_parts(held)[0]
    return [
        (
            "Table 2: marks (0 to 5) by simulated readers and scores against two references, held-out inputs",
            *scores[1:],
        ),
        (
            "Table 3: Pearson's r over the systems; in brackets the mean r of single readers or runs (rows) with the "
            "mean (columns)",
            *matrix[1:],
        ),
        ("Table 4: scores of the same outputs against the corpus", *against[1:]),
    ]


def conclusion(judged: BelzReiter) -> str:
    """Which system is first by which metrics, and which by readers."""
    first: dict[tuple[bool, str], list[str]] = {}
    for column in judged.columns:
        best = [system for system, rank in zip(judged.systems, column.ranks, strict=True) if rank == 1]
        first.setdefault((column.human, " and ".join(best)), []).append(column.name)
    told = [
        f"{', '.join(names)} {'rank' if len(names) > 1 else 'ranks'} {system} first"
        for _, (system, names) in sorted(
            ((human, (system, names)) for (human, system), names in first.items()), key=lambda pair: pair[0]
        )
    ]
    return "; ".join(told) + "."


def print_bias(found: Bias) -> None:
    """The table and what it is."""
    print_parts([part(found)])
    print_lines(told(found))


def write_bias(found: Bias, path: str | Path) -> Path:
    """Write a page and return its path."""
    table, rows = part(found), []
    for row in found.rows:
        rows.append(Row(row.by, row.ranks.estimate, row.ranks.low, row.ranks.high, about=_ranks(row.ranks)))
    words = "; ".join(f"{row.label}: {row.about}" for row in rows)
    axis = "ranks by which greedy stands above the realiser"
    drawing = Panel(rows, title=TITLE, desc=words, axis=axis, zero=True).draw()
    figures = grid([Figure("ranks", "Greedy and the realiser", "", drawing)])
    body = [header(TITLE, " ".join(told(found))), section(table[0], "", figures), table_of(table)]
    return write(page(TITLE, *body, closing=NUMBERS), path)


def part(found: Bias) -> Part:
    """Each metric and each group of readers."""
    cells = []
    for row in found.rows:
        first = [bounded(row.greedy, ".0%"), bounded(row.rules, ".0%")]
        kind = "readers (simulated)" if row.human else "metric"
        cells.append([row.by, kind, *first, _ranks(row.ranks), exact_p(row.p)])
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
