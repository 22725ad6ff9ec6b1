"""How a machine rates: {"q1": 4}, a number of the scale."""

from __future__ import annotations

from nlgauge.study.machine_judges.forms import Criteria, Form, Rated, Say, Work
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.ratings.file import rating_study


def form_of(study: OutputStudy) -> Form:
    """A number on the scale of each question."""
    return Rated(tuple(question.scale for question in rating_study(study).questions_asked))


def work_of(study: OutputStudy, language: str, say: Say) -> Work:
    """The questions of the study."""
    return Criteria(study, language, say, form_of(study))
