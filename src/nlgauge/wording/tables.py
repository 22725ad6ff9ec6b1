"""Tables as plain, aligned text: what `str(scores)` and `str(comparisons)` give, and what a pipe receives."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from nlgauge.errors import as_called
from nlgauge.wording.conclusion import conclusion, delta_places, significant, tabulate
from nlgauge.wording.numbers import interval, number, p_value, percent, signed
from nlgauge.wording.rankings import LEGEND, RIGHT, long_rankings, ranking_cells, ranking_headers
from nlgauge.wording.receipts import folded

if TYPE_CHECKING:
    from nlgauge.results import Comparison, Comparisons, Scores

LEAST_PROSE = 24  # columns that sentences in a table need to be readable
MOST_LENGTHS = 8  # systems whose lengths are told one by one
ARROWS = {"higher": "↑", "lower": "↓"}


def width(text: str) -> int:
    """Columns a text takes on a terminal: wide characters two, combining marks and controls none."""
    total = 0
    for character in text:
        if unicodedata.category(character) in ("Mn", "Me", "Cf", "Cc"):
            continue
        total += 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
    return total


def visible(text: str) -> str:
    """Line breaks and other controls as escapes (`\\n`): a name cannot break a table or a terminal."""
    return "".join(repr(c)[1:-1] if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in text)


def plain_table(
    headers: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), room: int = 0
) -> str:
    """Aligned columns with a rule under the headers; the columns numbered in `right` are flush right.

    Where `room` is given, sentences in the last column are broken so that lines fit into so many columns.
    """
    cells = [[visible(cell) for cell in row] for row in (headers, *rows)]
    if room:
        cells = _broken(cells, room)
    sizes = [max(width(row[column]) for row in cells) for column in range(len(headers))]
    lines = []
    for number_, row in enumerate(cells):
        parts = []
        for column, cell in enumerate(row):
            pad = " " * (sizes[column] - width(cell))
            parts.append(pad + cell if column in right else cell + pad)
        lines.append("  ".join(parts).rstrip())
        if number_ == 0:
            lines.append("  ".join("-" * size for size in sizes))
    return "\n".join(lines)


def _broken(cells: list[list[str]], room: int) -> list[list[str]]:
    """Rows whose last cell goes on below itself where the line would be too long."""
    taken = sum(max(width(row[column]) for row in cells) + 2 for column in range(len(cells[0]) - 1))
    found = []
    for row in cells:
        first, *more = textwrap.wrap(row[-1], max(room - taken, LEAST_PROSE)) or [""]
        blank = [""] * (len(row) - 1)
        found += [[*row[:-1], first], *([*blank, line] for line in more)]
    return found


def score_cells(scores: Scores, mark: str = "*") -> tuple[list[str], list[list[str]], list[list[bool]]]:
    """Headers, cells (`value [low–high]`, best marked by `mark`) and which cells are best: one row per system."""
    table = tabulate(scores, None)
    metrics = scores.metrics
    headers = [
        "system",
        *(f"{metric} {ARROWS.get(table.directions.get(metric, 'higher'), '')}" for metric in metrics),
    ]
    known = {(score.system, score.metric): score for score in scores.scores}
    best = {metric: table.best(metric) if len(scores.systems) > 1 else () for metric in metrics}
    rows, marks = [], []
    for system in scores.systems:
        row, lead = [system], [False]
        for metric in metrics:
            score = known.get((system, metric))
            text = number(score.value, table.places[metric]) if score else ""
            bounds = interval(score.low, score.high, table.places[metric]) if score else ""
            lead.append(system in best[metric])
            star = mark if lead[-1] else " " * len(mark) if best[metric] else ""
            row.append(f"{text}{star}" + (f" [{bounds}]" if bounds else ""))
        rows.append(row)
        marks.append(lead)
    return headers, rows, marks


def comparison_headers(comparisons: Comparisons) -> list[str]:
    """The columns of a comparison table."""
    level = comparisons.comparisons[0].level if comparisons.comparisons else 0.95
    return [
        "metric",
        "system",
        "score",
        "baseline",
        "score",
        "difference",
        f"{percent(level)} interval",
        *([f"{percent(level)} simultaneous"] if several(comparisons) else []),
        "p",
        "p (Holm)",
        "",
    ]


def several(comparisons: Comparisons) -> bool:
    """Whether differences have intervals that hold for all of them at once, beside those for one each."""
    return (comparisons.family or 0) > 1 and any(row.simultaneous_method for row in comparisons.comparisons)


def comparison_right(comparisons: Comparisons) -> tuple[int, ...]:
    """The columns that hold numbers."""
    return (2, 4, *range(5, len(comparison_headers(comparisons)) - 1))


def comparison_cells(row: Comparison, places: int, *, together: bool) -> list[str]:
    """One comparison; the last cell says whether the system is significantly better or worse."""
    verdict = ("better" if row.better else "worse") if significant(row) else ""
    fine = delta_places(row, places)
    return [
        f"{row.metric} {ARROWS.get(row.direction, '')}".rstrip(),
        row.system,
        number(row.value, places),
        row.baseline,
        number(row.baseline_value, places),
        signed(row.delta, fine),
        interval(row.low, row.high, fine, sign=True),
        *([interval(row.simultaneous_low, row.simultaneous_high, fine, sign=True)] if together else []),
        p_value(row.p),
        p_value(row.p_adjusted),
        verdict,
    ]


def plain_scores(scores: Scores) -> str:
    """The table, its legend, notes and receipts."""
    headers, rows, _ = score_cells(scores)
    return "\n".join([plain_table(headers, rows, right=range(1, len(headers))), *score_footer(scores)])


def plain_comparisons(comparisons: Comparisons) -> str:
    """The table, the conclusion, notes and receipts."""
    places, ranked = tabulate(None, comparisons).places, long_rankings(comparisons)
    rows = [
        comparison_cells(row, places[row.metric], together=several(comparisons))
        for row in comparisons.comparisons
        if row.metric not in ranked
    ]
    parts = (
        [plain_table(comparison_headers(comparisons), rows, right=comparison_right(comparisons)), ""] if rows else []
    )
    for metric, ranking in ranked.items():
        headers = ranking_headers(ranking, ARROWS.get(ranking.direction, ""))
        parts += [plain_table(headers, ranking_cells(ranking, places[metric]), right=RIGHT), ""]
    return "\n".join([*parts, *comparison_footer(comparisons)])


def score_footer(scores: Scores) -> list[str]:
    """What stands under a score table."""
    legend = ["↑ higher is better, ↓ lower is better"]
    if len(scores.systems) > 1:
        legend.append("* best")
    levels = {score.level for score in scores.scores if score.low is not None}
    if levels:
        legend.append(f"[…] {percent(min(levels))} interval")
    told = ("; ".join(legend), *_lengths(scores), *_tail(scores.notes, scores.receipts))
    return [visible(line) for line in told]


def _lengths(scores: Scores) -> list[str]:
    """Lengths and brevity penalty of each system, once for metrics that count alike; their range of many systems."""
    found: dict[object, list[str]] = {}
    for metric in scores.metrics:
        mine = [score for score in scores.scores if score.metric == metric and score.details]
        if mine:
            counted = tuple((score.system, *score.details.values()) for score in mine)
            found.setdefault(counted, []).append(metric)
    lines = []
    for metrics in found.values():
        mine = [score for score in scores.scores if score.metric == metrics[0]]
        ratios = [score.details["length_ratio"] for score in mine]
        penalties = [score.details["brevity_penalty"] for score in mine]
        if len(mine) > MOST_LENGTHS:
            told = (
                f"ratio {min(ratios):.3f} to {max(ratios):.3f}, brevity penalty {min(penalties):.3f} to "
                f"{max(penalties):.3f}"
            )
        else:
            told = "; ".join(
                f"{row.system} {row.details['hypothesis_length']:,.0f}/{row.details['reference_length']:,.0f} = "
                f"{ratio:.3f} ({penalty:.3f})"
                for row, ratio, penalty in zip(mine, ratios, penalties, strict=True)
            )
        lines.append(f"lengths by {', '.join(metrics)}, output/reference = ratio (brevity penalty): {told}")
    return lines


def comparison_footer(comparisons: Comparisons) -> list[str]:
    """What stands under a comparison table."""
    legend = [f"{LEGEND}; {as_called('--json', 'to_dict()')} has every pair", ""] if long_rankings(comparisons) else []
    told = [*legend, conclusion(None, comparisons), *_tail(comparisons.notes, comparisons.receipts)]
    return [visible(line) for line in told]


def _tail(notes: Sequence[str], receipts: Mapping[str, str]) -> list[str]:
    lines = [f"note: {text}" for text in notes]
    return [*lines, "", *folded(receipts.values())] if receipts else lines
