"""The analysis of a study of any protocol on the terminal and as a page: the result says which."""

from __future__ import annotations

from pathlib import Path

from nlgauge.report import rating_text, ratings, study, study_text
from nlgauge.study.analysis.results import StudyResult
from nlgauge.study.protocols.ratings.analysis.results import RatingResult

AnyResult = StudyResult | RatingResult


def headline(result: AnyResult) -> str:
    """The verdict in a few words."""
    return ratings.headline(result) if isinstance(result, RatingResult) else study.headline(result)


def study_sections(result: AnyResult) -> str:
    """The content of the page, for pages with a frame of their own."""
    return (
        ratings.rating_sections(result) if isinstance(result, RatingResult) else study.study_sections(result)
    )


def write_study_report(result: AnyResult, path: str | Path) -> Path:
    """Write the page and return its path."""
    if isinstance(result, RatingResult):
        return ratings.write_rating_report(result, path)
    return study.write_study_report(result, path)


def print_study(result: AnyResult, form: str = "text") -> None:
    """Tables and sentences on standard output."""
    if not isinstance(result, RatingResult):
        study_text.print_study(result)
    elif form == "text":
        rating_text.print_rating_study(result)
    else:
        rating_text.print_for_paper(result, form)
