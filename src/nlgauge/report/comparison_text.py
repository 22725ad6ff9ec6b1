"""The tables of a comparative study's analysis, for the terminal and for papers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from nlgauge.report.rating_text import (
    agreement_part,
    by_criteria,
    further_parts,
    related_part,
    three,
    variants_part,
)
from nlgauge.report.study_text import Part, p_cell
from nlgauge.report.wordings import wording_parts
from nlgauge.study.protocols.comparisons.analysis.judges import Judging
from nlgauge.study.protocols.comparisons.analysis.results import Comparison, ComparisonResult
from nlgauge.study.protocols.comparisons.analysis.sentences import number
from nlgauge.wording.paper import Cell


def overview(result: ComparisonResult) -> tuple[list[Part], set[Cell]]:
    """Systems by criteria, where there are several."""
    columns = {}
    for one in result.comparisons:
        found = one.models.clusters
        known = {} if found is None else {row.system: row.cluster for row in found.systems}
        columns[result.where(one)] = [
            (mean.system, number(mean.mean), number(mean.low), number(mean.high), known.get(mean.system, 0))
            for mean in one.models.means
        ]
    return by_criteria(result.HEAD, columns)


def comparison_parts(result: ComparisonResult) -> list[Part]:
    """The tables: strengths, differences, wins, places, other figures, agreement, panels, criteria, judges."""
    found = []
    for one in result.comparisons:
        where = result.where(one)
        found.append(strengths_part(one, where))
        if one.models.pairs:
            found.append(differences_part(one, where))
        found += [wins_part(one, where), places_part(one, where), beside_part(one, where)]
        if one.agreeing.agreement is not None:
            found.append(agreement_part(one, where))
    found += left_out_parts(result)
    if result.panels:
        found.append(related_part("Panels", result.panels))
    if result.criteria:
        found.append(related_part("Criteria", result.criteria))
    found += further_parts(result)
    for group in result.judging:
        found += [judges_part(group), *without_parts(result, group)] if group.judges else []
    return found + wording_parts(result)


def left_out_parts(result: ComparisonResult) -> list[Part]:
    """Strengths with and without the judges who are left out."""
    return [
        variants_part(one, result.where(result.comparison(one.criterion.id, one.panel)), number)
        for one in result.beside
    ]


def strengths_part(one: Comparison, where: str) -> Part:
    """Systems from best to worst."""
    ranked = {} if one.models.clusters is None else {row.system: row for row in one.models.clusters.systems}
    rows = []
    for mean in one.models.means:
        rank = ranked.get(mean.system)
        rows.append(
            [
                mean.system,
                *(number(value) for value in (mean.mean, mean.low, mean.high)),
                "-" if rank is None else str(rank.cluster),
                "-" if rank is None else f"{rank.rank_low}-{rank.rank_high}",
                three(mean.share),
                three(mean.expected_wins),
                f"{mean.games:,}",
                f"{mean.won:,}",
                f"{mean.tied:,}",
            ]
        )
    heads = ["system", "strength", "low", "high", "cluster", "ranks", "share", "expected wins"]
    return f"Strengths: {where}", [*heads, "comparisons", "won", "tied"], rows, list(range(1, 11))


def differences_part(one: Comparison, where: str) -> Part:
    """Every pair by the leading model."""
    rows = [
        [
            row.name,
            number(row.estimate),
            number(row.low),
            number(row.high),
            p_cell(row.p),
            p_cell(row.p_adjusted),
        ]
        for row in one.models.pairs
    ]
    return f"Differences: {where}", ["pair", "logits", "low", "high", "p", "p (Holm)"], rows, [1, 2, 3, 4, 5]


def wins_part(one: Comparison, where: str) -> Part:
    """Shares of points of the row against the column, and how often they met."""
    matrix = one.models.matrix
    met = matrix.wins + matrix.wins.T + matrix.ties
    rows = [
        [name, *(_win(share, int(count)) for share, count in zip(shares, counts, strict=True))]
        for name, shares, counts in zip(matrix.systems, matrix.share.tolist(), met.tolist(), strict=True)
    ]
    return (
        f"Wins of the row over the column: {where}",
        ["", *matrix.systems],
        rows,
        list(range(1, len(rows) + 1)),
    )


def _win(share: float, met: int) -> str:
    return "-" if math.isnan(share) else f"{share:.2f} ({met:,})"


def places_part(one: Comparison, where: str) -> Part:
    """How often the best text stood in each place."""
    places = one.places
    rows = [
        [str(place), f"{count:,}", three(count / places.n) if places.n else "n/a"]
        for place, count in enumerate(places.best, start=1)
    ]
    return f"Places of the best text: {where}", ["place", "answers", "share"], rows, [1, 2]


def beside_part(one: Comparison, where: str) -> Part:
    """Other models, counting, and ratings that depend on the order of the answers."""
    beside = one.models.beside
    counted = not math.isnan(one.best.counting)
    heads = ["system", *beside, *(["counting"] if counted else []), "TrueSkill", "Glicko-2", "Elo"]
    rows = []
    for mean in one.models.means:
        others = [by[mean.system] for by in beside.values()]
        rows.append(
            [
                mean.system,
                *(f"{number(o.estimate)} ({number(o.low)} to {number(o.high)})" for o in others),
                *([f"{mean.counting:+.2f}"] if counted else []),
                f"{mean.trueskill:.1f}",
                f"{mean.glicko2:.0f}",
                f"{mean.elo:.0f}",
            ]
        )
    return f"Other figures: {where}", heads, rows, list(range(1, len(heads)))


def judges_part(group: Judging) -> Part:
    """One row a judge."""
    rows = [
        [
            one.judge,
            f"{one.answers:,}",
            f"{one.median_seconds:.0f}",
            three(one.first),
            three(one.ties),
            three(one.alike),
            three(one.expected),
            ", ".join(one.failed) or "-",
        ]
        for one in group.judges
    ]
    heads = [
        "judge",
        "answers",
        "median s",
        "first place",
        "ties",
        "as the rest",
        "expected",
        "failed checks",
    ]
    return f"Judges: {group.panel}", heads, rows, [1, 2, 3, 4, 5, 6]


def without_parts(result: ComparisonResult, group: Judging) -> Sequence[Part]:
    """Strengths without the judges who failed a check, beside those with them."""
    found = []
    for criterion, models in group.without.items():
        one = result.comparison(criterion, group.panel)
        own = {mean.system: mean for mean in one.models.means}
        rows = [
            [
                mean.system,
                number(mean.mean),
                number(mean.low),
                number(mean.high),
                number(own[mean.system].mean),
            ]
            for mean in models.means
        ]
        heads = ["system", "strength", "low", "high", "with all judges"]
        found.append((f"Without judges who failed a check: {result.where(one)}", heads, rows, [1, 2, 3, 4]))
    return found
