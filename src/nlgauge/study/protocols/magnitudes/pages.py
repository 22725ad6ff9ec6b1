"""The pages of magnitude estimation: a field for any number above 0, for one text or for each of several.

    magnitude  c0 = the number
    rankme     c0-0, c0-1 … = the number of the first text, of the second …

The standard, where there is one, stands above the texts with its value. Nothing needs a script.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nlgauge.study.file.study import Study
from nlgauge.study.protocols.magnitudes.answers import LONGEST, NUMBER, typed, written
from nlgauge.study.protocols.magnitudes.file import EstimationStudy, estimation_study
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.web import forms
from nlgauge.web.forms import Field, Mistake, Values
from nlgauge.web.language import Phrases
from nlgauge.web.protocols import gold
from nlgauge.web.protocols.base import Pages, Screen
from nlgauge.web.protocols.one_text import OneText
from nlgauge.web.protocols.outputs import field_name
from nlgauge.web.protocols.several_texts import Control, SeveralTexts
from nlgauge.web.site import Site
from nlgauge.wording.numbers import in_full

FAULTS = {
    "number": "error_magnitude",
    "positive": "error_magnitude_positive",
    "separators": "error_magnitude_separators",
}


def help_for(study: EstimationStudy, phrases: Phrases) -> str:
    """How numbers are meant."""
    if study.standard is None:
        one = study.per_screen == 1
        return phrases.say("magnitude_help") if one else phrases.say("magnitude_help_several")
    value = study.standard.value
    return phrases.say(
        "magnitude_help_standard", value=in_full(value), double=in_full(2 * value), half=in_full(value / 2)
    )


def standard_of(screen: Screen) -> list[dict[str, Any]]:
    """The standard as it stands beside the texts, where there is one."""
    standard = estimation_study(screen.study).standard_of(screen.shown.texts[0].beside)
    if standard is None:
        return []
    value, words = standard
    label = screen.phrases.say("magnitude_standard", value=in_full(value))
    empty: dict[str, Any] = {"own": False, "rows": [], "turns": [], "picture": ""}
    return [{"what": "standard", "label": label, "texts": [words], **empty}]


class Magnitude(OneText):
    """A number for one text."""

    def own(self, study: Study) -> EstimationStudy:
        """A magnitude study."""
        return estimation_study(study)

    def instructions(self, site: Site, phrases: Phrases) -> str:
        """What to do with a text."""
        return phrases.wording("magnitudes.instructions.magnitude")

    def value(self, given: str, asked: Any) -> NUMBER | None:
        """A number above 0."""
        found = typed(given)
        return None if isinstance(found, str) else found

    def fault(self, given: str, asked: Any) -> tuple[str, Mapping[str, str]]:
        """No number, none above 0, or one that can be read in two ways."""
        return FAULTS[str(typed(given))], {}

    def written_as(self, value: NUMBER) -> str:
        """A number as a form holds it."""
        return written(value)

    def wanted_for(self, wanted: float, within: float, asked: Any, phrases: Phrases) -> str:
        """The number, or those near enough; none is below 0."""
        return gold.between(wanted, within, low=0)

    def field(self, number: int, asked: Any) -> Field:
        """Any number."""
        return Field(field_name(number), f"the answer to question {number + 1}, a number above 0", most=LONGEST)

    def question(self, number: int, asked: Any, study: OutputStudy, phrases: Phrases) -> dict[str, Any]:
        """How the number is meant."""
        return {"magnitude": True, "help": help_for(estimation_study(study), phrases)}

    def standing(self, screen: Screen) -> list[dict[str, Any]]:
        """The standard."""
        return standard_of(screen)


class Numbers(Control):
    """A number for each text."""

    template = "magnitudes"
    typed = True

    def names(self, name: str, study: Any) -> Mapping[str, tuple[str, ...]]:
        """A field for each text; any number may stand there."""
        return {f"{name}-{place}": () for place in range(study.per_screen)}

    def given(self, form: Values, name: str, study: Any) -> dict[str, str]:
        """The fields as sent."""
        return {field: forms.one(form, field).strip() for field in self.names(name, study)}

    def read(self, form: Values, name: str, study: Any) -> Any:
        """The numbers in the order of the screen."""
        return [typed(given) for given in self.given(form, name, study).values()]

    def mistake(self, form: Values, name: str, study: Any) -> Mistake | None:
        """The first text without a number above 0."""
        for field, given in self.given(form, name, study).items():
            if not given:
                return Mistake(field, "error_magnitudes", {})
            found = typed(given)
            if isinstance(found, str):
                return Mistake(field, FAULTS[found], {})
        return None

    def written(self, answer: Any, name: str) -> dict[str, str]:
        """Each number in its field."""
        return {f"{name}-{place}": written(value) for place, value in enumerate(answer)}

    def told(self, answer: Any, study: Any, phrases: Phrases) -> str:
        """The numbers in the order of the screen."""
        return " ".join(map(written, answer))

    def values(self, name: str, study: Any, phrases: Phrases, form: Values) -> dict[str, Any]:
        """A field for each text."""
        return {
            "help": help_for(study, phrases),
            "rows": [
                {"field": field, "given": given, "wrong": not given or isinstance(typed(given), str)}
                for field, given in self.given(form, name, study).items()
            ],
        }


class Rankme(SeveralTexts):
    """A number for each of several texts."""

    def own(self, study: Study) -> EstimationStudy:
        """A magnitude study."""
        return estimation_study(study)

    def control(self, study: Study) -> Control:
        """Numbers."""
        return NUMBERS

    def instructions(self, site: Site, phrases: Phrases) -> str:
        """What to do with the texts."""
        return phrases.wording("magnitudes.instructions.rankme")

    def standing(self, screen: Screen) -> list[dict[str, Any]]:
        """The standard comes last, next to the texts."""
        return super().standing(screen) + standard_of(screen)


NUMBERS = Numbers()
PAGES: Mapping[str, Pages] = {"magnitude": Magnitude(), "rankme": Rankme()}
