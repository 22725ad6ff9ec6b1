"""Meta-evaluation on the terminal: the table of metrics by criteria, and the parts of a report."""

from __future__ import annotations

import math
from collections.abc import Sequence

from nlgauge.meta.belz_reiter import BelzReiter
from nlgauge.meta.references import REFERENCES, CurvePoint, Rated
from nlgauge.meta.report import MetaReport, ScoreBands
from nlgauge.meta.results import legend, table_cells
from nlgauge.report.text import print_lines, print_parts
from nlgauge.stats.correlation.bands import Band
from nlgauge.stats.correlation.judges import SingleJudge
from nlgauge.stats.correlation.statistic import STATISTICS
from nlgauge.stats.results import Estimate
from nlgauge.wording.numbers import ALPHA, gained, number, p_value
from nlgauge.wording.paper import Paper, Part
from nlgauge.wording.receipts import folded
from nlgauge.wording.tables import ARROWS

MOST_TESTS = 15
SETTLED = 0.95  # agreement with the ranking by all references from which on a ranking is called settled
BANDS = "Over- and underscoring: percentiles of metrics beside those of people"
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
    found: list[Part] = []
    if report.belz_reiter:
        found += belz_parts(report.belz_reiter)
    several = len(report.table.statistics) > 1 or bool(found) or bool(report.rated or report.curve or report.bands)
    for statistic in report.table.statistics:
        heading = f"Metrics against people: {STATISTICS[statistic].words}" if several else ""
        headers, rows = table_cells(report.table, statistic)
        found.append((heading, headers, rows, _after(headers)))
    if report.rated:
        found += rated_parts(report.rated)
    if report.curve:
        found.append(curve_part(report.curve))
    if report.bands:
        found.append(bands_part(report.bands))
    return found


def _after(headers: list[str], first: int = 1) -> list[int]:
    return list(range(first, len(headers)))


def closing(report: MetaReport) -> list[str]:
    """What stands under the tables."""
    table = report.table
    more = [report.belz_reiter.sentence()] if report.belz_reiter else []
    more += [_stability(report.curve)] if report.curve else []
    more += [*filter(None, (bands.sentence() for bands in report.bands)), HOW] if report.bands else []
    said = [
        legend(table),
        "",
        table.sentence(),
        *more,
        *report.warnings,
        *(f"note: {text}" for text in all_notes(report)),
    ]
    return [*said, "", *folded(table.receipts.values())] if table.receipts else said


def all_notes(report: MetaReport) -> list[str]:
    """What the reader of any part must know."""
    return [*(report.belz_reiter.notes if report.belz_reiter else ()), *report.table.notes]


def belz_parts(report: BelzReiter) -> list[Part]:
    """Scores and ranks, the matrix, and the differences that are not significant."""
    headers = ["system", *(f"{column.name} {ARROWS[column.direction]}" for column in report.columns)]
    rows = []
    for place, system in enumerate(report.systems):
        cells = [
            f"{number(column.values[place], column.places)} ({column.ranks[place] or '-'})" for column in report.columns
        ]
        rows.append([system, *cells])
    names = [column.name for column in report.columns]
    matrix = [
        [
            row,
            *(
                number(cell.of_means, 3) + (f" ({number(cell.estimate, 3)})" if math.isfinite(cell.estimate) else "")
                for cell in _cells(report, row, names)
            ),
        ]
        for row in names
    ]
    tests = [
        [test.by, f"{test.first} − {test.second}", f"{test.delta:+.4g}", p_value(test.p), p_value(test.p_adjusted)]
        for test in report.tests
        if not test.p_adjusted <= ALPHA
    ]
    found: list[Part] = [
        ("Scores and ranks", headers, rows, _after(headers)),
        (
            "Pearson's r of the systems' scores; in brackets the mean r of single judges or runs (rows) with the mean "
            "(columns)",
            ["", *names],
            matrix,
            _after(["", *names]),
        ),
    ]
    if tests:
        heading = "Differences between systems that are not significant"
        if len(tests) > MOST_TESTS:
            heading += f" ({MOST_TESTS} of {len(tests)}; --json has all)"
            tests = tests[:MOST_TESTS]
        found.append((heading, ["by", "systems", "difference", "p", "p (Holm)"], tests, [2, 3, 4]))
    return found


def _cells(report: BelzReiter, row: str, names: list[str]) -> list[SingleJudge]:
    return [report.matrix[row, name] for name in names]


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
    rows = [
        [
            point.metric,
            str(point.references),
            number(point.tau, 3),
            number(point.agreement, 3) if not math.isnan(point.agreement) else "",
            f"{100 * point.winner:.0f}%",
            number(point.human, 3) if not math.isnan(point.human) else "",
        ]
        for metric in dict.fromkeys(point.metric for point in points)
        for point in points
        if point.metric == metric
    ]
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
    rows = [
        [
            scores.metric,
            scores.criterion,
            str(band.number),
            band_ratings(band),
            f"{band.n:,}",
            number(band.human, 1),
            number(band.metric, 1),
            bounded(band.difference),
            bounded(band.beyond),
            number(band.spread, 1),
            f"{band.score:.3g} ± {band.deviation:.2g}",
        ]
        for scores in found
        for band in scores.bands
    ]
    return BANDS, headers, rows, list(range(2, len(headers)))


def band_ratings(band: Band) -> str:
    low, high = f"{band.low:.3g}", f"{band.high:.3g}"
    return low if low == high else f"{low} to {high}" if band.low < 0 else f"{low}–{high}"


def bounded(estimate: Estimate) -> str:
    """A difference of percentiles with its interval in brackets."""
    return gained(estimate.estimate, estimate.low, estimate.high, 1, sign=True)
