"""The analysis of a study of any protocol on the terminal and as a page: the result says which."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from nlgauge.report.figures import Figure
from nlgauge.report.study import comparisons, ratings, ratings_text, triangle, triangle_text, words
from nlgauge.report.study import comparisons as comparison_text
from nlgauge.study.protocols.comparisons.analysis.results import ComparisonResult
from nlgauge.study.protocols.ratings.analysis.results import RatingResult
from nlgauge.study.protocols.triangle.analysis.results import StudyResult
from nlgauge.wording.paper import Cell, Paper, Part

AnyResult = StudyResult | RatingResult | ComparisonResult


def headline(result: AnyResult) -> str:
    """The verdict in a few words."""
    if isinstance(result, RatingResult):
        return ratings.headline(result)
    if isinstance(result, ComparisonResult):
        return comparisons.headline(result)
    return triangle.headline(result)


def study_sections(result: AnyResult) -> Markup:
    """The content of the page, for pages with a frame of their own."""
    if isinstance(result, RatingResult):
        return ratings.rating_sections(result)
    if isinstance(result, ComparisonResult):
        return comparisons.comparison_sections(result)
    return triangle.study_sections(result)


def study_figures(result: AnyResult) -> list[Figure]:
    """The plots of the page, in its order."""
    if isinstance(result, RatingResult):
        return ratings.rating_figures(result)
    if isinstance(result, ComparisonResult):
        return comparisons.comparison_figures(result)
    return triangle.study_figures(result)


def write_study_report(result: AnyResult, path: str | Path) -> Path:
    """Write the page and return its path."""
    if isinstance(result, RatingResult):
        return ratings.write_rating_report(result, path)
    if isinstance(result, ComparisonResult):
        return comparisons.write_comparison_report(result, path)
    return triangle.write_study_report(result, path)


def print_study(result: AnyResult, form: str = "text") -> None:
    """Tables and sentences on standard output."""
    if isinstance(result, StudyResult):
        triangle_text.print_study(result)
    else:
        ratings_text.print_found(result, *_tables(result), form)


def study_paper(result: AnyResult) -> Paper:
    """The same for data frames, papers and notebooks."""
    brief, notes = words.in_json(result)["result"], words.warnings(result)
    rows = brief if isinstance(brief, list) else [brief]
    if isinstance(result, StudyResult):
        return Paper(triangle_text.parts(result), triangle_text.said(result, notes), notes, rows)
    parts, (first, bold) = _tables(result)
    said = [text for _, text in words.sentences(result)]
    return Paper([*first, *map(ratings_text.signed, parts)], said, notes, rows, bold)


def _tables(result: RatingResult | ComparisonResult) -> tuple[list[Part], tuple[list[Part], set[Cell]]]:
    """The tables of a study of outputs; for a paper one of all criteria comes first, with cells to be set in bold."""
    if isinstance(result, RatingResult):
        found, first = ratings_text.rating_parts(result), ratings_text.overview(result)
    else:
        found, first = comparison_text.comparison_parts(result), comparison_text.overview(result)
    return [*found, *triangle_text.sample_parts(result.samples)], first
