"""How a machine classifies: {"q1": 2} or {"q1": "guardian"}, the number or the name of a class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nlgauge.study.file.study import say as worded
from nlgauge.study.machine_judges.forms import Criteria, Form, Rated, Say, Work, number_in
from nlgauge.study.protocols.classification.file import class_study
from nlgauge.study.protocols.outputs.file import OutputStudy


@dataclass(frozen=True)
class Classed(Rated):
    """A class by its number or its name."""

    scores = measures = False
    names: tuple[str, ...]
    abouts: tuple[Mapping[str, str], ...]

    def choices(self, place: int, language: str, say: Say) -> str:
        """A line for each class, with what is said of it."""
        labels = [worded(label, language) for label in self.scales[place].labels]
        abouts = [worded(about, language) for about in self.abouts]
        return "\n".join(
            f"{number} = {label}" + (f": {about}" if about else "")
            for number, (label, about) in enumerate(zip(labels, abouts, strict=True), start=1)
        )

    def read(self, value: Any) -> Any:
        """The number; a name is left to the study's own check."""
        return value if value in self.names else number_in(value)


def form_of(study: OutputStudy) -> Form:
    """One of the classes, with what judges are told of each."""
    own = class_study(study)
    shown = own.definitions == "shown"
    abouts: tuple[Mapping[str, str], ...] = tuple(
        (known.description if shown else None) or {} for known in own.classes.values()
    )
    return Classed(tuple(question.scale for question in own.questions_asked), own.names, abouts)


def work_of(study: OutputStudy, language: str, say: Say) -> Work:
    """The questions of the study."""
    return Criteria(study, language, say, form_of(study))
