"""The page of a comparative study: strengths with limits, who beats whom, places, agreement, judges, tables, sentences.

One file that loads nothing and needs no script; it computes nothing of its own.
"""

from __future__ import annotations

import math
from pathlib import Path

from nlgauge.report.comparison_text import comparison_parts, left_out_parts
from nlgauge.report.figures import Figure, grid
from nlgauge.report.markup import section
from nlgauge.report.matrix import matrix
from nlgauge.report.ratings import (
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
from nlgauge.report.scatter import scatter
from nlgauge.report.study import said_section
from nlgauge.report.svg import Marked, Panel, Row, mark
from nlgauge.report.wordings import wording_figures, wordings_section
from nlgauge.stats.discrimination.limits import limits
from nlgauge.stats.discrimination.wording import people
from nlgauge.study.protocols.comparisons.analysis.results import Comparison, ComparisonResult
from nlgauge.study.protocols.comparisons.analysis.sentences import number

KINDS = {"pairwise": "Pairwise preferences", "ranking": "Rankings", "best-worst": "Best–worst choices"}


def write_comparison_report(result: ComparisonResult, path: str | Path) -> Path:
    """Write the page and return its path."""
    return write_page(result.title or "Comparative study", comparison_sections(result), path)


def headlines(result: ComparisonResult) -> list[str]:
    """A sentence for each criterion in each panel of people (of machines where there are no people)."""
    crews = {group.panel for group in result.judging if group.judges}
    return [_headline(one, result) for one in result.comparisons if one.panel in crews or not crews]


def headline(result: ComparisonResult) -> str:
    """The same in one line."""
    return " ".join(headlines(result))


def _headline(one: Comparison, result: ComparisonResult) -> str:
    """The strongest system, and whether it is told from the others."""
    models, where = one.models, result.where(one)
    if models.reason:
        return f"Nothing is said about the order for {where}: {models.reason}."
    top = () if models.clusters is None else models.clusters.groups[0]
    if len(top) == 1:
        return f"{top[0]} is preferred to all other systems for {where}."
    if models.clusters is not None and len(models.clusters.groups) > 1:
        rest = sum(map(len, models.clusters.groups[1:]))
        return f"{', '.join(top)} are preferred to the other system{'s' * (rest > 1)} for {where}."
    return f"No significant order of the systems was found for {where}; {one.best.system} is strongest."


def comparison_sections(result: ComparisonResult) -> str:
    """The content of the page."""
    judges = sum(len(group.judges) for group in result.judging)
    about = f"{KINDS[result.protocol]}; {answers(result.n)} of {people(judges)}."
    parts = [
        _strengths(result),
        _wins(result),
        _places(result),
        agreement(result),
        wordings_section(result),
        panels(result, "strengths"),
        _judges(result),
        said_section(result.samples),
        with_and_without(left_out_parts(result), result.excluded, "strengths"),
        tables(comparison_parts(result)),
        sentences(result),
    ]
    return whole_page(result.title or "Comparative study", about, finding(result, headlines(result)), parts)


def comparison_figures(result: ComparisonResult) -> list[Figure]:
    """The plots of the page, in its order."""
    return [
        *_strength_figures(result),
        *_win_figures(result),
        *_place_figures(result),
        *agreement_figures(result),
        *wording_figures(result),
        *panel_figures(result, "strengths"),
        *_judge_figures(result),
    ]


def _strength_figures(result: ComparisonResult) -> list[Figure]:
    return [_strength_figure(one, result.where(one)) for one in result.comparisons if not one.models.reason]


def _strengths(result: ComparisonResult) -> str:
    return section(
        "How strong the systems are",
        "Log odds of being preferred, which sum to 0, with 95 % limits that hold for other judges and items where "
        "there are several of both. The diamond marks the first cluster.",
        grid(_strength_figures(result)),
    )


def _strength_figure(one: Comparison, where: str) -> Figure:
    top = set() if one.models.clusters is None else set(one.models.clusters.groups[0])
    rows = []
    for mean in one.models.means:
        known = math.isfinite(mean.low)
        about = f"{mean.system}: {number(mean.mean)}"
        about += f", from {number(mean.low)} to {number(mean.high)}" if known else ""
        low, high = (mean.low, mean.high) if known else (None, None)
        shape = "best" if mean.system in top else "dot"
        rows.append(Row(mean.system, mean.mean, low, high, number(mean.mean), shape, about))
    drawing = Panel(
        rows,
        title=f"Strengths for {where}",
        desc="; ".join(row.about for row in rows),
        axis="strength (log odds of being preferred), 95 % limits",
        zero=True,
    ).draw()
    keys = [(mark("best"), "first cluster")] if top else []
    return Figure("strengths", where, f"{answers(one.n)} by {people(one.judges)}", drawing, keys)


def _win_figures(result: ComparisonResult) -> list[Figure]:
    return [
        Figure(
            "wins",
            result.where(one),
            f"{100 * one.tied:.0f} % ties",
            matrix(
                one.models.matrix.systems,
                one.models.matrix.share.tolist(),
                title=f"Who beats whom for {result.where(one)}",
            ),
        )
        for one in result.comparisons
    ]


def _wins(result: ComparisonResult) -> str:
    return section(
        "Who beats whom",
        "The share of its comparisons with the column's system that the row's system won, a tie as half.",
        grid(_win_figures(result)),
    )


def _place_figures(result: ComparisonResult) -> list[Figure]:
    figures = []
    for one in result.comparisons:
        if not one.places.n:
            continue
        rows = []
        for place, count in enumerate(one.places.best, start=1):
            share = count / one.places.n
            low, high = limits(count, one.places.n, tail=0.025)
            about = f"place {place}: {100 * share:.0f} % of the best texts, from {100 * low:.0f} to {100 * high:.0f} %"
            rows.append(Row(f"place {place}", share, low, high, f"{100 * share:.0f} %", "dot", about))
        drawing = Marked(
            rows,
            mark=1 / len(rows),
            name="no bias",
            title=f"Places of the best text for {result.where(one)}",
            desc="; ".join(row.about for row in rows),
            axis="share of the best texts, exact 95 % limits",
        ).draw()
        figures.append(Figure("places", result.where(one), "share of best texts by place", drawing))
    return figures


def _places(result: ComparisonResult) -> str:
    return section("Does the place on the screen matter?", "", grid(_place_figures(result)))


def _judge_figures(result: ComparisonResult) -> list[Figure]:
    figures = []
    for group in result.judging:
        known = [one for one in group.judges if not math.isnan(one.alike)]
        if len(known) > 1:
            drawing, _ = scatter(
                [one.median_seconds for one in known],
                [one.alike for one in known],
                x_name="median seconds to answer",
                y_name="preferences as the rest (share)",
                labels=[one.judge for one in known],
                title=f"Judges of the panel {group.panel}",
            )
            aside = f"{people(len(known))}: time and agreement"
            figures.append(Figure("judges", group.panel, aside, drawing))
    return figures


def _judges(result: ComparisonResult) -> str:
    return section("Judges", "", grid(_judge_figures(result)))
