"""How a machine estimates: {"q1": 120}, a number above 0; of several texts a list, one for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nlgauge.study.machine_judges.forms import Criteria, Form, Say, Work, number_in
from nlgauge.study.protocols.magnitudes.file import RankmeStudy, estimation_study
from nlgauge.study.protocols.outputs.file import OutputStudy


@dataclass(frozen=True)
class Estimating(Form):
    """Numbers in proportion; scores of a metric are in none."""

    scores = False
    several: bool
    standard: float | None

    def choices(self, place: int, language: str, say: Say) -> str:
        """How numbers are meant, as the page says it."""
        if self.standard is None:
            return say("magnitude_help_several") if self.several else say("magnitude_help")
        value, double, half = (f"{example:.10g}" for example in (self.standard, 2 * self.standard, self.standard / 2))
        return say("magnitude_help_standard", value=value, double=double, half=half)

    def told(self, place: int, texts: int) -> str:
        """Above 0."""
        if self.several:
            return f"a list of {texts} numbers above 0: for text 1, for text 2 and so on"
        return "a number above 0"

    def read(self, value: Any) -> Any:
        """A number, or as many as texts."""
        if not self.several:
            return number_in(value)
        if not isinstance(value, list):
            raise ValueError("no list of numbers")
        return [number_in(part) for part in value]


def form_of(study: OutputStudy) -> Form:
    """Numbers in proportion, to a standard where there is one."""
    standard = estimation_study(study).standard
    return Estimating(isinstance(study, RankmeStudy), None if standard is None else standard.value)


def work_of(study: OutputStudy, language: str, say: Say) -> Work:
    """The questions of the study."""
    return Criteria(study, language, say, form_of(study))
