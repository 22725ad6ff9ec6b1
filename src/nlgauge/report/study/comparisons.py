"""The tables of a comparative study's analysis, for the terminal and for papers.

Who beats whom as a small inline SVG: a square for each pair, darker the larger the row's share of points.

Every square holds its figure, so that nothing is told by colour alone; systems have letters where names have no room.

The page of a comparative study: strengths with limits, who beats whom, places, agreement, judges, tables, sentences.

One file that loads nothing and needs no script; it computes nothing of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from nlgauge.report.components import grid, section
from nlgauge.report.figures import Figure
from nlgauge.report.scatter import scatter
from nlgauge.report.study.comparisons_words import number
from nlgauge.report.study.ratings import (
    agreement,
    agreement_figures,
    answers,
    finding,
    panel_figures,
    panels,
    sentences,
    tables,
    whole_page,
    with_and_without,
    write_page,
)
from nlgauge.report.study.ratings_text import (
    agreement_parts,
    by_criteria,
    by_system,
    further_parts,
    ranks,
    related_parts,
    variants_part,
)
from nlgauge.report.study.triangle import said_section
from nlgauge.report.study.triangle_text import Part, p_cell
from nlgauge.report.study.wordings import wording_figures, wording_parts, wordings_section
from nlgauge.report.svg import FONT, WIDTH, Drawing, Marked, Panel, Row, axis_title, mark, put, shorten, text_width
from nlgauge.stats.discrimination.limits import limits
from nlgauge.stats.discrimination.wording import people
from nlgauge.study.designs.table import letters
from nlgauge.study.protocols.comparisons.analysis.judges import Judging
from nlgauge.study.protocols.comparisons.analysis.results import Comparison, ComparisonResult
from nlgauge.wording.markup import element, joined
from nlgauge.wording.numbers import counts, figure, figures
from nlgauge.wording.paper import Cell


def overview(result: ComparisonResult) -> tuple[list[Part], set[Cell]]:
    """Systems by criteria, where there are several."""
    columns = {}
    for comparison in result.comparisons:
        cells = {mean.system: [*map(number, (mean.mean, mean.low, mean.high))] for mean in comparison.models.means}
        columns[result.where(comparison)] = (cells, by_system(comparison.models.clusters))
    return by_criteria("Strengths", columns)


def comparison_parts(result: ComparisonResult) -> list[Part]:
    """The tables: strengths, differences, wins, places, other figures, agreement, panels, criteria, judges."""
    found = []
    for comparison in result.comparisons:
        where = result.where(comparison)
        found.append(strengths_part(comparison, where))
        found += [differences_part(comparison, where)] if comparison.models.pairs else []
        found += [wins_part(comparison, where), places_part(comparison, where), beside_part(comparison, where)]
        found += agreement_parts(comparison, where)
    found += left_out_parts(result)
    found += [*related_parts("Panels", result.panels), *related_parts("Criteria", result.criteria)]
    found += further_parts(result)
    for group in result.judging:
        found += [judges_part(group), *without_parts(result, group)] if group.judges else []
    return found + wording_parts(result)


def left_out_parts(result: ComparisonResult) -> list[Part]:
    """Strengths with and without the judges who are left out."""
    return [
        variants_part(beside, result.where(result.comparison(beside.criterion.id, beside.panel)), number)
        for beside in result.beside
    ]


def strengths_part(comparison: Comparison, where: str) -> Part:
    """Systems from best to worst."""
    ranked = by_system(comparison.models.clusters)
    rows = [
        [
            *(mean.system, number(mean.mean), number(mean.low), number(mean.high), *ranks(ranked.get(mean.system))),
            *figures(mean.share, mean.expected_wins),
            *counts(mean.games, mean.won, mean.tied),
        ]
        for mean in comparison.models.means
    ]
    heads = ["system", "strength", "low", "high", "cluster", "ranks", "share", "expected wins"]
    return f"Strengths: {where}", [*heads, "comparisons", "won", "tied"], rows, list(range(1, 11))


def differences_part(comparison: Comparison, where: str) -> Part:
    """Every pair by the leading model."""
    rows = [
        [row.name, *map(number, (row.estimate, row.low, row.high)), p_cell(row.p), p_cell(row.p_adjusted)]
        for row in comparison.models.pairs
    ]
    return f"Differences: {where}", ["pair", "logits", "low", "high", "p", "p (Holm)"], rows, [1, 2, 3, 4, 5]


def wins_part(comparison: Comparison, where: str) -> Part:
    """Shares of points of the row against the column, and how often they met."""
    matrix = comparison.models.matrix
    met = matrix.wins + matrix.wins.T + matrix.ties
    rows = []
    for name, shares, games in zip(matrix.systems, matrix.share.tolist(), met.tolist(), strict=True):
        pairs = zip(shares, games, strict=True)
        rows.append([name, *("-" if math.isnan(share) else f"{share:.2f} ({int(n):,})" for share, n in pairs)])
    return f"Wins of the row over the column: {where}", ["", *matrix.systems], rows, list(range(1, len(rows) + 1))


def places_part(comparison: Comparison, where: str) -> Part:
    """How often the best text stood in each place."""
    places = comparison.places
    rows = [
        [str(place), f"{count:,}", figure(count / places.n if places.n else math.nan)]
        for place, count in enumerate(places.best, start=1)
    ]
    return f"Places of the best text: {where}", ["place", "answers", "share"], rows, [1, 2]


def beside_part(comparison: Comparison, where: str) -> Part:
    """Other models, counting, and ratings that depend on the order of the answers."""
    beside = comparison.models.beside
    counted = not math.isnan(comparison.best.counting)
    heads = ["system", *beside, *(["counting"] if counted else []), "TrueSkill", "Glicko-2", "Elo"]
    rows = []
    for mean in comparison.models.means:
        others = [by[mean.system] for by in beside.values()]
        cells = [f"{number(o.estimate)} ({number(o.low)} to {number(o.high)})" for o in others]
        cells += [f"{mean.counting:+.2f}"] if counted else []
        rows.append([mean.system, *cells, f"{mean.trueskill:.1f}", f"{mean.glicko2:.0f}", f"{mean.elo:.0f}"])
    return f"Other figures: {where}", heads, rows, list(range(1, len(heads)))


def judges_part(group: Judging) -> Part:
    """One row a judge."""
    rows = [
        [
            *(judge.judge, f"{judge.answers:,}", f"{judge.median_seconds:.0f}"),
            *figures(judge.first, judge.ties, judge.alike, judge.expected),
            ", ".join(judge.failed) or "-",
        ]
        for judge in group.judges
    ]
    heads = ["judge", "answers", "median s", "first place", "ties", "as the rest", "expected", "failed checks"]
    return f"Judges: {group.panel}", heads, rows, [1, 2, 3, 4, 5, 6]


def without_parts(result: ComparisonResult, group: Judging) -> Sequence[Part]:
    """Strengths without the judges who failed a check, beside those with them."""
    found = []
    for criterion, models in group.without.items():
        comparison = result.comparison(criterion, group.panel)
        whole = {mean.system: mean.mean for mean in comparison.models.means}
        rows = [
            [mean.system, *map(number, (mean.mean, mean.low, mean.high, whole[mean.system]))] for mean in models.means
        ]
        heads = ["system", "strength", "low", "high", "with all judges"]
        found.append((f"Without judges who failed a check: {result.where(comparison)}", heads, rows, [1, 2, 3, 4]))
    return found


NAMES = 120.0  # the widest name beside a row
LARGEST = 46.0  # of a square
FAINTEST, RANGE = 0.04, 0.46  # opacity of a share of 0, and what a share of 1 adds: figures stay readable on it


def matrix(names: Sequence[str], shares: Sequence[Sequence[float]], *, title: str) -> Drawing:
    """The drawing; a share that is NaN has no colour."""
    n = len(names)
    rows = [f"{letters(k)} {name}" for k, name in enumerate(names)]
    left = min(NAMES, max(text_width(row) for row in rows)) + 14
    size = min(LARGEST, (WIDTH - left - 4) / n)
    places = 2 if size >= 30 else 1 if size >= 22 else 0
    body, told = [], []
    for k in range(n):
        body.append(put("tick on", left + (k + 0.5) * size, 15, letters(k), anchor="middle"))
        body.append(put("label", 2, 22 + (k + 0.5) * size + 4, shorten(rows[k], left - 8)))
        for m, share in enumerate(shares[k]):
            x, y = left + m * size, 22 + k * size
            box = {"x": x + 1, "y": y + 1, "width": size - 2, "height": size - 2, "rx": 3}
            if k == m or math.isnan(share):
                body.append(element("rect", class_="cell none", **box))
                continue
            told.append(f"{names[k]} over {names[m]}: {share:.2f}")
            shade = element("rect", class_="cell", fill_opacity=f"{FAINTEST + RANGE * share:.2f}", **box)
            words = f"{share:.{places}f}" if places else ""
            number = put("on", x + size / 2, y + size / 2 + FONT / 3, words, anchor="middle")
            body.append(element("g", element("title", told[-1]), shade, number))
    words = "share of comparisons that the row's system won against the column's"
    name, height = axis_title(words, (0.0, WIDTH), 22 + n * size + 8)
    return Drawing(joined([*body, name]), height, title, "; ".join(told))


STRENGTHS = (
    "Log odds of being preferred, which sum to 0, with 95 % limits that hold for other judges and items where there "
    "are several of both. The diamond marks the first cluster."
)
KINDS = {"pairwise": "Pairwise preferences", "ranking": "Rankings", "best-worst": "Best–worst choices"}


def write_comparison_report(result: ComparisonResult, path: str | Path) -> Path:
    """Write the page and return its path."""
    return write_page(result.title or "Comparative study", comparison_sections(result), path)


def headlines(result: ComparisonResult) -> list[str]:
    """A sentence for each criterion in each panel of people (of machines where there are no people)."""
    crews = {group.panel for group in result.judging if group.judges}
    return [
        _headline(comparison, result) for comparison in result.comparisons if comparison.panel in crews or not crews
    ]


def headline(result: ComparisonResult) -> str:
    """The same in one line."""
    return " ".join(headlines(result))


def _headline(comparison: Comparison, result: ComparisonResult) -> str:
    """The strongest system, and whether it is told from the others."""
    models, where = comparison.models, result.where(comparison)
    if models.reason:
        return f"Nothing is said about the order for {where}: {models.reason}."
    top = () if models.clusters is None else models.clusters.groups[0]
    if len(top) == 1:
        return f"{top[0]} is preferred to all other systems for {where}."
    if models.clusters is not None and len(models.clusters.groups) > 1:
        rest = sum(map(len, models.clusters.groups[1:]))
        return f"{', '.join(top)} are preferred to the other system{'s' * (rest > 1)} for {where}."
    return f"No significant order of the systems was found for {where}; {comparison.best.system} is strongest."


def comparison_sections(result: ComparisonResult) -> Markup:
    """The content of the page."""
    judges = sum(len(group.judges) for group in result.judging)
    about = f"{KINDS[result.protocol]}; {answers(result.n)} of {people(judges)}."
    share = "The share of its comparisons with the column's system that the row's system won, a tie as half."
    parts = [
        section("How strong the systems are", STRENGTHS, grid(_strength_figures(result))),
        section("Who beats whom", share, grid(_win_figures(result))),
        section("Does the place on the screen matter?", "", grid(_place_figures(result))),
        agreement(result),
        wordings_section(result),
        panels(result, "strengths"),
        section("Judges", "", grid(_judge_figures(result))),
        said_section(result.samples),
        with_and_without(left_out_parts(result), result.excluded, "strengths"),
        tables(comparison_parts(result)),
        sentences(result),
    ]
    return whole_page(result.title or "Comparative study", about, finding(result, headlines(result)), parts)


def comparison_figures(result: ComparisonResult) -> list[Figure]:
    """The plots of the page, in its order."""
    first = [*_strength_figures(result), *_win_figures(result), *_place_figures(result), *agreement_figures(result)]
    return [*first, *wording_figures(result), *panel_figures(result, "strengths"), *_judge_figures(result)]


def _strength_figure(comparison: Comparison, where: str) -> Figure:
    clusters, rows = comparison.models.clusters, []
    for mean in comparison.models.means:
        text = number(mean.mean)
        known = f", from {number(mean.low)} to {number(mean.high)}" if math.isfinite(mean.low) else ""
        look = "best" if clusters is not None and mean.system in clusters.groups[0] else "dot"
        about = f"{mean.system}: {text}{known}"
        rows.append(Row(mean.system, mean.mean, mean.low, mean.high, text=text, shape=look, about=about))
    axis = "strength (log odds of being preferred), 95 % limits"
    drawing = Panel(rows, title=f"Strengths for {where}", axis=axis, zero=True).draw()
    keys = [(mark("best"), "first cluster")] if clusters is not None else []
    return Figure("strengths", where, f"{answers(comparison.n)} by {people(comparison.judges)}", drawing, legend=keys)


def _strength_figures(result: ComparisonResult) -> list[Figure]:
    told = [comparison for comparison in result.comparisons if not comparison.models.reason]
    return [_strength_figure(comparison, result.where(comparison)) for comparison in told]


def _win_figures(result: ComparisonResult) -> list[Figure]:
    figures = []
    for comparison in result.comparisons:
        where, found = result.where(comparison), comparison.models.matrix
        drawing = matrix(found.systems, found.share.tolist(), title=f"Who beats whom for {where}")
        figures.append(Figure("wins", where, f"{100 * comparison.tied:.0f} % ties", drawing))
    return figures


def _place_figures(result: ComparisonResult) -> list[Figure]:
    figures = []
    for comparison in result.comparisons:
        where, total = result.where(comparison), comparison.places.n
        rows = []
        for place, count in enumerate(comparison.places.best if total else (), start=1):
            low, high = limits(count, total, tail=0.025)
            text = f"{100 * count / total:.0f} %"
            about = f"place {place}: {text} of the best texts, from {100 * low:.0f} to {100 * high:.0f} %"
            rows.append(Row(f"place {place}", count / total, low, high, text=text, about=about))
        if rows:
            title, axis = f"Places of the best text for {where}", "share of the best texts, exact 95 % limits"
            drawing = Marked(rows, mark=1 / len(rows), name="no bias", title=title, axis=axis).draw()
            figures.append(Figure("places", where, "share of best texts by place", drawing))
    return figures


def _judge_figures(result: ComparisonResult) -> list[Figure]:
    figures = []
    for group in result.judging:
        known = [judge for judge in group.judges if not math.isnan(judge.alike)]
        if len(known) > 1:
            drawing, _ = scatter(
                [judge.median_seconds for judge in known],
                [judge.alike for judge in known],
                x_name="median seconds to answer",
                y_name="preferences as the rest (share)",
                labels=[judge.judge for judge in known],
                title=f"Judges of the panel {group.panel}",
            )
            aside = f"{people(len(known))}: time and agreement"
            figures.append(Figure("judges", group.panel, aside, drawing))
    return figures
