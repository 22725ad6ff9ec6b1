"""Meta-evaluation on the terminal: the table of metrics by criteria, and the parts of a report."""

from __future__ import annotations

import math
from collections.abc import Sequence

from nlgauge.errors import as_called
from nlgauge.meta.belz_reiter import BelzReiter
from nlgauge.meta.references import REFERENCES, CurvePoint, Rated
from nlgauge.meta.report import MetaReport, ScoreBands
from nlgauge.meta.results import legend, table_cells
from nlgauge.report.text import print_lines, print_parts
from nlgauge.stats.correlation.bands import Band
from nlgauge.stats.correlation.statistic import STATISTICS
from nlgauge.stats.results import Estimate
from nlgauge.wording.numbers import ALPHA, gained, number, p_value
from nlgauge.wording.paper import Paper, Part
from nlgauge.wording.receipts import folded
from nlgauge.wording.tables import ARROWS

MOST_TESTS = 15
SETTLED = 0.95  # agreement with the ranking by all references from which on a ranking is called settled
BANDS = "Over- and underscoring: percentiles of metrics beside those of people"
MATRIX = (
    "Pearson's r of the systems' scores; in brackets the mean r of single judges or runs (rows) with the mean (columns)"
)
HOW = (
    "Each output has a percentile by people and one by the metric; a difference above 0 says that the metric puts the "
    "outputs of a band higher than people do. Any metric that does not follow people perfectly overscores bad outputs "
    "and underscores good ones: “beyond” is what an ordinary metric of the same correlation would not show. Spread: "
    "standard deviation of the metric's percentiles, 28.9 where every score is equally likely. Score: mean ± "
    "standard deviation of the metric's own scores."
)


def print_meta(report: MetaReport) -> None:
    """Tables, conclusion, notes and receipts on standard output."""
    print_parts(parts(report))
    print_lines(closing(report))


def of_meta(report: MetaReport) -> Paper:
    """Metrics by criteria, and what else the report holds."""
    found: list[Part] = [
        (heading or "Metrics against people", headers, rows, right) for heading, headers, rows, right in parts(report)
    ]
    said = [report.table.sentence(), *report.warnings]
    rows = report.to_dict()["correlations"]
    return Paper(found, said, report.table.notes, rows, legend=legend(report.table))


def parts(report: MetaReport) -> list[Part]:
    """All tables of a report."""
    found = belz_parts(report.belz_reiter) if report.belz_reiter else []
    several = len(report.table.statistics) > 1 or bool(found or report.rated or report.curve or report.bands)
    for statistic in report.table.statistics:
        heading = f"Metrics against people: {STATISTICS[statistic].words}" if several else ""
        headers, rows = table_cells(report.table, statistic)
        found.append((heading, headers, rows, _after(headers)))
    found += rated_parts(report.rated)
    found += [curve_part(report.curve)] if report.curve else []
    return [*found, bands_part(report.bands)] if report.bands else found


def _after(headers: list[str], first: int = 1) -> list[int]:
    return list(range(first, len(headers)))


def closing(report: MetaReport) -> list[str]:
    """What stands under the tables."""
    table = report.table
    more = [report.belz_reiter.sentence()] if report.belz_reiter else []
    more += [_stability(report.curve)] if report.curve else []
    more += [*filter(None, (bands.sentence() for bands in report.bands)), HOW] if report.bands else []
    notes = [f"note: {text}" for text in all_notes(report)]
    said = [legend(table), "", table.sentence(), *more, *report.warnings, *notes]
    return [*said, "", *folded(table.receipts.values())] if table.receipts else said


def all_notes(report: MetaReport) -> list[str]:
    """What the reader of any part must know."""
    return [*(report.belz_reiter.notes if report.belz_reiter else ()), *report.table.notes]


def belz_parts(report: BelzReiter) -> list[Part]:
    """Scores and ranks, the matrix, and the differences that are not significant."""
    names = [column.name for column in report.columns]
    rows, matrix = [], []
    for place, system in enumerate(report.systems):
        cells = [(number(column.values[place], column.places), column.ranks[place]) for column in report.columns]
        rows.append([system, *(f"{score} ({rank or '-'})" for score, rank in cells)])
    for row in names:
        single = [report.matrix[row, name] for name in names]
        mean = [f" ({number(cell.estimate, 3)})" if math.isfinite(cell.estimate) else "" for cell in single]
        matrix.append([row, *(number(cell.of_means, 3) + one for cell, one in zip(single, mean, strict=True))])
    tests = [
        [test.by, f"{test.first} − {test.second}", f"{test.delta:+.4g}", p_value(test.p), p_value(test.p_adjusted)]
        for test in report.tests
        if not test.p_adjusted <= ALPHA
    ]
    headers = ["system", *(f"{column.name} {ARROWS[column.direction]}" for column in report.columns)]
    found: list[Part] = [
        ("Scores and ranks", headers, rows, _after(headers)),
        (MATRIX, ["", *names], matrix, _after(["", *names])),
    ]
    if tests:
        heading = "Differences between systems that are not significant"
        if len(tests) > MOST_TESTS:
            heading += f" ({MOST_TESTS} of {len(tests)}; {as_called('--json', 'to_dict()')} has all)"
            tests = tests[:MOST_TESTS]
        found.append((heading, ["by", "systems", "difference", "p", "p (Holm)"], tests, [2, 3, 4]))
    return found


def rated_parts(rated: tuple[Rated, ...]) -> list[Part]:
    """The systems beside texts that people wrote: one table for each kind of such texts."""
    found: list[Part] = []
    for against in dict.fromkeys(row.against for row in rated):
        mine = {(row.system, row.metric): row for row in rated if row.against == against}
        by = list(dict.fromkeys(metric for _, metric in mine))
        first = {metric: next(row for (_, name), row in mine.items() if name == metric) for metric in by}
        headers = ["", *(f"{metric} {ARROWS[first[metric].direction]}" for metric in by)]
        rows = [[against, *(f"{first[metric].references:.4g}  " for metric in by)]]
        for system in dict.fromkeys(system for system, _ in mine):
            rows.append([system, *(_beside(mine.get((system, metric))) for metric in by)])
        what = "the references, each left out in turn" if against == REFERENCES else f"the human texts {against}"
        heading = f"Systems beside {what} (▲ above them; * significantly different)"
        found.append((heading, headers, rows, _after(headers)))
    return found


def _beside(row: Rated | None) -> str:
    if row is None:
        return ""
    return f"{row.score:.4g}{'▲' if row.outscores else ' '}{'*' if row.p <= ALPHA else ' '}"


def curve_part(points: tuple[CurvePoint, ...]) -> Part:
    """What more references change."""
    headers = ["metric", "references", "τ with all", "τ of two choices", "same winner", "r with people"]
    rows = []
    for metric in dict.fromkeys(point.metric for point in points):
        for point in (point for point in points if point.metric == metric):
            both, human = ["" if math.isnan(r) else number(r, 3) for r in (point.agreement, point.human)]
            cells = [str(point.references), number(point.tau, 3), both, f"{100 * point.winner:.0f}%", human]
            rows.append([metric, *cells])
    return "How stable the ranking of systems is as references are added", headers, rows, _after(headers)


def _stability(points: tuple[CurvePoint, ...]) -> str:
    """With how many references the ranking settles, metric by metric."""
    words = []
    for metric in dict.fromkeys(point.metric for point in points):
        mine = [point for point in points if point.metric == metric]
        most = mine[-1].references
        enough: int | None = None
        for point in reversed(mine):  # from the end: fewer references must not do by luck what more do not
            if point.tau < SETTLED or point.winner < SETTLED:
                break
            enough = point.references
        if enough is None or enough == most:
            words.append(f"by {metric} it still changes with the last of {most}")
        else:
            words.append(f"by {metric} it settles with {enough} of {most} references")
    return f"The ranking of the systems: {', '.join(words)} (τ with all references and same winner at least {SETTLED})."


def bands_part(found: Sequence[ScoreBands]) -> Part:
    """The table of all bands."""
    headers = ["metric", "criterion", "band", "ratings", "outputs", "by people", "by metric", "difference"]
    headers += ["beyond", "spread", "score"]
    rows = []
    for scores in found:
        for band in scores.bands:
            cells = [str(band.number), band_ratings(band), f"{band.n:,}"]
            cells += [number(band.human, 1), number(band.metric, 1), bounded(band.difference), bounded(band.beyond)]
            cells += [number(band.spread, 1), f"{band.score:.3g} ± {band.deviation:.2g}"]
            rows.append([scores.metric, scores.criterion, *cells])
    return BANDS, headers, rows, list(range(2, len(headers)))


def band_ratings(band: Band) -> str:
    low, high = f"{band.low:.3g}", f"{band.high:.3g}"
    return low if low == high else f"{low} to {high}" if band.low < 0 else f"{low}–{high}"


def bounded(estimate: Estimate) -> str:
    """A difference of percentiles with its interval in brackets."""
    return gained(estimate.estimate, estimate.low, estimate.high, 1, sign=True)
