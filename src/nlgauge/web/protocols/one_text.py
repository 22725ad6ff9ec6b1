"""The pages of every study that shows one text at a time: the text, what stands beside it, and a question for each
criterion.

A field is named by its question's place on the page (c0, c1 …), because a criterion's own name may be any text.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from markupsafe import Markup

from nlgauge.io.exported import CANNOT
from nlgauge.study.file.study import Study, say
from nlgauge.study.model import Judgement, Text
from nlgauge.study.protocols.outputs.criteria import Worded
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.parts import PART, part_of
from nlgauge.web import forms
from nlgauge.web.forms import Field, Mistake, Values
from nlgauge.web.language import Phrases
from nlgauge.web.protocols import gold
from nlgauge.web.protocols.base import Screen, reason_mistakes, sentences
from nlgauge.web.protocols.outputs import (
    OutputPages,
    around,
    cannot_name,
    declines,
    declining_field,
    field_name,
    part_field,
    part_fields,
    sent_part,
    single,
)

NUMBER = int | float


class OneText(OutputPages):
    """One text and a question for each criterion; how a question is answered is left to the protocol."""

    count = "rating_count"
    template = "rating"
    late = ("shown", "work")
    styles: ClassVar[tuple[str, ...]] = ()  # beside those of ratings
    scripts: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def value(self, given: str, asked: Any) -> NUMBER | None:
        """The answer that a field holds; None where it holds none."""

    @abstractmethod
    def fault(self, given: str, asked: Any) -> tuple[str, Mapping[str, str]]:
        """The phrase that says what is wrong with a field that is not empty, and its values."""

    @abstractmethod
    def written_as(self, value: NUMBER) -> str:
        """A number as a form holds it: the shortest that is read back equal."""

    @abstractmethod
    def field(self, number: int, asked: Any) -> Field:
        """The field of a question."""

    @abstractmethod
    def question(self, number: int, asked: Any, study: OutputStudy, phrases: Phrases) -> dict[str, Any]:
        """What the template shows of a question, beyond its words."""

    def control(self, number: int, asked: Any) -> str:
        """The id of the first control of a question."""
        return field_name(number)

    def chosen(self, asked: Any) -> bool:
        """Whether a question is answered by one of several choices, to which “I cannot judge this” is added."""
        return False

    def standing(self, screen: Screen) -> list[dict[str, Any]]:
        """What stands next to the text after all that the study file shows."""
        return []

    def amount(self, study: Study, total: int) -> int:
        """Texts, whatever the number of their pages."""
        own: OutputStudy = self.own(study)
        return own.screens(total)

    def read(self, form: Values, study: Study) -> dict[str, Any]:
        """The number given for each criterion, or that it cannot be judged."""
        found: dict[str, Any] = {}
        own = self.own(study)
        for number, one in _asked(form, own):
            value = self.value(forms.one(form, field_name(number)).strip(), one)
            if one.id in own.abstainable and declines(form, field_name(number)):
                found[one.id] = CANNOT
            elif value is not None:
                found[one.id] = value
        return found

    def mistakes(self, form: Values, study: Study, *, practice: bool) -> Iterator[Mistake]:
        """Questions without an answer, numbers off the scale; practice asks for no reasons."""
        own = self.own(study)
        for number, one in _asked(form, own):
            given = forms.one(form, field_name(number)).strip()
            if one.id in own.abstainable and declines(form, field_name(number)):
                if given not in ("", CANNOT):
                    yield Mistake(self.control(number, one), "error_cannot_judge", {})
            elif not given:
                yield Mistake(self.control(number, one), "error_required", {})
            elif self.value(given, one) is None:
                yield Mistake(self.control(number, one), *self.fault(given, one))
        if not practice:
            yield from reason_mistakes(form, study)

    def written(self, answer: Any, study: Study) -> Values:
        """The numbers, each in its field."""
        own = self.own(study)
        found = {}
        for number, one in enumerate(own.questions_asked):
            name = field_name(number)
            if answer.get(one.id) == CANNOT:
                found[name if self.chosen(one) else cannot_name(name)] = [CANNOT]
            elif one.id in answer:
                found[name] = [self.written_as(answer[one.id])]
        return found | part_field(own, answer)

    def told(self, judgement: Judgement, study: Study, phrases: Phrases) -> str:
        """The numbers in the order of the questions."""
        return ", ".join(
            phrases.say("cannot_judge") if value == CANNOT else self.written_as(value)
            for value in judgement.answer.values()
        )

    def fields(self, study: Study) -> Sequence[Field]:
        """A field for each question."""
        own = self.own(study)
        found = []
        for number, one in enumerate(own.questions_asked):
            field, offered = self.field(number, one), one.id in own.abstainable
            if offered and self.chosen(one):
                found.append(replace(field, options=(*field.options, CANNOT)))
            elif offered:
                found += [replace(field, required=False), declining_field(field.name, number + 1)]
            else:
                found.append(field)
        return found + part_fields(own)

    def given_for(self, given: Any, asked: Any, study: Any, phrases: Phrases) -> str:
        """The number."""
        return self.written_as(given)

    def wanted_for(self, wanted: float, within: float, asked: Any, phrases: Phrases) -> str:
        """The number, or those near enough."""
        return gold.between(wanted, within)

    def shown_again(self, screen: Screen) -> Mapping[str, Any]:
        """The text."""
        return {"shown": self.shown(screen)}

    def shown(self, screen: Screen) -> Markup:
        """What is rated, with what stands beside it."""
        return single(screen, self.own(screen.study), last=self.standing(screen))

    def values(self, screen: Screen) -> dict[str, Any]:
        """The text, what is to be done to it, the questions, the reasons."""
        study, shown, phrases, form = self.own(screen.study), screen.shown, screen.phrases, screen.form
        (text,) = shown.texts
        part = part_of(text, study)
        found = self.mistakes(form | {PART: [str(part)]}, study, practice=shown.practice) if form else ()
        wrong = sentences(found, phrases)
        asked = [
            {
                "points": [],
                "abouts": [],
                "magnitude": False,
                **self.question(number, criterion, study, phrases),
                "name": field_name(number),
                "question": say(criterion.question, phrases.code),
                "meaning": say(study.explanation(criterion), phrases.code),
                "given": forms.one(screen.sent, field_name(number)).strip(),
                "mistake": wrong.get(self.control(number, criterion), ""),
                "cannot": criterion.id in study.abstainable,
                "declined": declines(screen.sent, field_name(number)),
            }
            for number in study.order(shown.judge, shown.slot, part)
            for criterion in [study.questions_asked[number]]
        ]
        marking = study.reasons.highlight != "no" and not shown.practice and bool(text.text.strip())
        return {
            **around(screen, wrong, [*self.work_asked(phrases), *asked], marking=marking),
            "shown": self.shown(screen),
            "work": self.work(screen, text, wrong),
            "styles": self.styles,
            "scripts": self.scripts,
            "asked": asked,
            "part": part if len(study.parts) > 1 else None,
        }

    def work_asked(self, phrases: Phrases) -> Sequence[Mapping[str, str]]:
        """The questions of that work, each with the beginning of its controls' ids: a list of what lacks names them."""
        return ()

    def work(self, screen: Screen, text: Text, wrong: Mapping[str, str]) -> str:
        """What is to be done to the text before the questions, where there is anything."""
        return ""


def _asked(form: Values, study: OutputStudy) -> list[tuple[int, Worded]]:
    """The questions of the page that a form came from, with their numbers."""
    return [(number, study.questions_asked[number]) for number in study.parts[sent_part(form, study)]]
