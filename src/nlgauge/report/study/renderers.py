"""The analysis of a study of any protocol on the terminal, as a page and for papers: the result says which."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from nlgauge.report.figures import Figure
from nlgauge.report.study import comparisons, ratings, ratings_text, triangle, triangle_text, words
from nlgauge.study.protocols import part_of
from nlgauge.study.protocols.comparisons.analysis.results import ComparisonResult
from nlgauge.study.protocols.ratings.analysis.results import RatingResult
from nlgauge.study.protocols.triangle.analysis.results import StudyResult
from nlgauge.wording.paper import Cell, Paper, Part

AnyResult = StudyResult | RatingResult | ComparisonResult
First = tuple[list[Part], set[Cell]]
"""A table of all criteria for a paper, with cells to be set in bold."""


@dataclass(frozen=True)
class Renderer:
    """How results of one kind are shown; a protocol with a kind of its own has it in its part `report`."""

    headline: Callable[[Any], str]  # the verdict in a few words
    sections: Callable[[Any], Markup]  # the content of the page, for pages with a frame of their own
    figures: Callable[[Any], list[Figure]]  # the plots of the page, in its order
    write: Callable[[Any, str | Path], Path]  # the page
    show: Callable[[Any, str], None]  # tables and sentences on standard output, in a form
    paper: Callable[[Any], Paper]  # the same for data frames, papers and notebooks


def renderer_of(result: Any) -> Renderer:
    """The renderer of a result's kind, or of a kind that it derives from."""
    for kind in type(result).__mro__:
        if kind in RENDERERS:
            return RENDERERS[kind]
    return part_of(result.protocol, "report").RENDERER


def _triangle_paper(result: StudyResult) -> Paper:
    notes = words.warnings(result)
    return Paper(triangle_text.parts(result), triangle_text.said(result, notes), notes, _rows(result))


def _rows(result: AnyResult) -> list[Any]:
    brief = words.in_json(result)["result"]
    return brief if isinstance(brief, list) else [brief]


@dataclass(frozen=True)
class _Tables:
    """Of a study of outputs."""

    parts: Callable[[Any], list[Part]]
    overview: Callable[[Any], First]

    def all(self, result: Any) -> list[Part]:
        return [*self.parts(result), *triangle_text.sample_parts(result.samples)]

    def show(self, result: Any, form: str) -> None:
        ratings_text.print_found(result, self.all(result), self.overview(result), form)

    def paper(self, result: Any) -> Paper:
        first, bold = self.overview(result)
        said = [text for _, text in words.sentences(result)]
        tables = [*first, *map(ratings_text.signed, self.all(result))]
        return Paper(tables, said, words.warnings(result), _rows(result), bold)


_RATINGS = _Tables(ratings_text.rating_parts, ratings_text.overview)
_COMPARISONS = _Tables(comparisons.comparison_parts, comparisons.overview)
RENDERERS: Mapping[type, Renderer] = {
    StudyResult: Renderer(
        headline=triangle.headline,
        sections=triangle.study_sections,
        figures=triangle.study_figures,
        write=triangle.write_study_report,
        show=lambda result, form: triangle_text.print_study(result),
        paper=_triangle_paper,
    ),
    RatingResult: Renderer(
        headline=ratings.headline,
        sections=ratings.rating_sections,
        figures=ratings.rating_figures,
        write=ratings.write_rating_report,
        show=_RATINGS.show,
        paper=_RATINGS.paper,
    ),
    ComparisonResult: Renderer(
        headline=comparisons.headline,
        sections=comparisons.comparison_sections,
        figures=comparisons.comparison_figures,
        write=comparisons.write_comparison_report,
        show=_COMPARISONS.show,
        paper=_COMPARISONS.paper,
    ),
}
