"""The pages of every study that shows several texts beside each other: the texts, what stands above them, and a
question for each criterion.

The fields of a question begin with its place on the page (c0, c1 …), because a criterion's own name may be any text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from markupsafe import Markup

from nlgauge.io.exported import CANNOT
from nlgauge.study.file.study import Study, say
from nlgauge.study.model import Judgement, Text
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.parts import PART, part_of
from nlgauge.web import forms
from nlgauge.web.forms import Field, Mistake, Values
from nlgauge.web.language import Phrases
from nlgauge.web.protocols.base import Screen, reason_mistakes, sentences
from nlgauge.web.protocols.outputs import (
    OutputPages,
    around,
    belongs,
    beside,
    cannot_name,
    declines,
    declining_field,
    field_name,
    part_field,
    part_fields,
    sent_part,
)
from nlgauge.web.texts import rendered


class Control(ABC):
    """How one question is answered."""

    template: ClassVar[str]
    chosen: ClassVar[bool] = False  # one of several choices, to which “I cannot judge this” is added
    typed: ClassVar[bool] = False  # what was given can be taken back by the judge, in fields that are emptied

    @abstractmethod
    def names(self, name: str, study: Any) -> Mapping[str, tuple[str, ...]]:
        """The fields of a question, each with the values it takes."""

    @abstractmethod
    def read(self, form: Values, name: str, study: Any) -> Any:
        """The answer in fields that have no mistakes."""

    @abstractmethod
    def mistake(self, form: Values, name: str, study: Any) -> Mistake | None:
        """What lacks or is wrong."""

    @abstractmethod
    def written(self, answer: Any, name: str) -> dict[str, str]:
        """The fields with an answer."""

    @abstractmethod
    def told(self, answer: Any, study: Any, phrases: Phrases) -> str:
        """An answer in a few words."""

    @abstractmethod
    def values(self, name: str, study: Any, phrases: Phrases, form: Values) -> dict[str, Any]:
        """What the template shows of a question."""

    def given(self, form: Values, name: str, study: Any) -> dict[str, str]:
        """The fields as sent; what no field of ours can hold is as good as empty."""
        taken = self.names(name, study)
        sent = {field: forms.one(form, field).strip() for field in taken}
        return {field: value if value in taken[field] else "" for field, value in sent.items()}


class SeveralTexts(OutputPages):
    """Several texts and a question for each criterion; how a question is answered is left to the protocol."""

    count = "comparison_count"
    template = "comparison"

    @abstractmethod
    def control(self, study: Study) -> Control:
        """How a question is answered."""

    def standing(self, screen: Screen) -> list[dict[str, Any]]:
        """What stands above the texts."""
        return list(beside(screen, self.own(screen.study)))

    def read(self, form: Values, study: Study) -> dict[str, Any]:
        """The comparison for each criterion."""
        own, control = self.own(study), self.control(study)
        return {
            one.id: CANNOT if _declined(form, name, one, own) else control.read(form, name, own)
            for name, one in _asked(own, sent_part(form, own))
        }

    def mistakes(self, form: Values, study: Study, *, practice: bool) -> Iterator[Mistake]:
        """Questions without an answer, answers that cannot be; practice asks for no reasons."""
        own, control = self.own(study), self.control(study)
        for name, one in _asked(own, sent_part(form, own)):
            if not _declined(form, name, one, own):
                wrong = control.mistake(form, name, own)
                if wrong is not None:
                    yield wrong
            elif control.typed and (given := [*filter(control.given(form, name, own).get, control.names(name, own))]):
                yield Mistake(given[0], "error_cannot_judge", {})
        if not practice:
            yield from reason_mistakes(form, study)

    def written(self, answer: Any, study: Study) -> Values:
        """The answers, each in its fields."""
        own, control = self.own(study), self.control(study)
        found = {
            field: [value]
            for part in range(len(own.parts))
            for name, one in _asked(own, part)
            if one.id in answer
            for field, value in (
                {name if control.chosen else cannot_name(name): CANNOT}
                if answer[one.id] == CANNOT
                else control.written(answer[one.id], name)
            ).items()
        }
        return found | part_field(own, answer)

    def told(self, judgement: Judgement, study: Study, phrases: Phrases) -> str:
        """The answers in the order of the questions."""
        own, control = self.own(study), self.control(study)
        return "; ".join(
            phrases.say("cannot_judge") if given == CANNOT else control.told(given, own, phrases)
            for given in judgement.answer.values()
        )

    def fields(self, study: Study) -> Sequence[Field]:
        """The fields of each question."""
        own, control = self.own(study), self.control(study)
        found = []
        for number, one in enumerate(own.questions_asked, start=1):
            name, offered = field_name(number - 1), one.id in own.abstainable
            about = f"part of the answer to question {number}"
            for field, options in control.names(name, own).items():
                more = (CANNOT,) if offered and control.chosen else ()
                required = not offered or control.chosen
                found.append(Field(field, about, required=required, options=(*options, *more)))
            found += [declining_field(name, number)] if offered and not control.chosen else []
        return found + part_fields(own)

    def values(self, screen: Screen) -> dict[str, Any]:
        """The texts, the questions, the reasons."""
        study, shown, phrases, form = self.own(screen.study), screen.shown, screen.phrases, screen.form
        control = self.control(study)
        part = part_of(shown.texts[0], study)
        found = self.mistakes(form | {PART: [str(part)]}, study, practice=shown.practice) if form else ()
        wrong = sentences(found, phrases)
        asked = [
            {
                **control.values(name, study, phrases, screen.sent),
                "name": name,
                "question": say(one.question, phrases.code),
                "meaning": say(study.explanation(one), phrases.code),
                "mistake": next((said for place, said in wrong.items() if belongs(place, name)), ""),
                "cannot": one.id in study.abstainable,
                "declined": declines(screen.sent, name),
            }
            for number in study.order(shown.judge, shown.slot, part)
            for name, one in [(field_name(number), study.questions_asked[number])]
        ]
        marking = study.reasons.highlight != "no" and not shown.practice
        return {
            **around(screen, wrong, asked, marking=marking),
            "shown": self._shown(screen),
            "cards": list(_cards(screen, study)),
            "asked": asked,
            "part": part if len(study.parts) > 1 else None,
            "control": control.template,
        }

    looks = ("rating.css", "comparison.css")

    def given_for(self, given: Any, asked: Any, study: Any, phrases: Phrases) -> str:
        """The comparison."""
        return self.control(study).told(given, study, phrases)

    def wanted_for(self, wanted: float, within: float, asked: Any, phrases: Phrases) -> str:
        """The best text."""
        return phrases.say("gold_best", number=int(wanted))

    def _shown(self, screen: Screen) -> Markup:
        """What stands above the texts; without a picture, whose address is the judge's, the same for all."""
        shown, first = screen.shown, screen.shown.texts[0]
        values = {
            "caption": first.caption,
            "marked": "",
            "beside": self.standing(screen),
            "context": "" if _differ(shown.texts) else first.context,
        }
        key = None if first.image else (*(text.id for text in shown.texts), shown.panel)
        return screen.site.fragment("given.html", screen.phrases, values, key)


def _declined(form: Values, name: str, asked: Any, study: OutputStudy) -> bool:
    """Whether a question that may be declined is."""
    return asked.id in study.abstainable and declines(form, name)


def _differ(texts: Sequence[Text]) -> bool:
    """Whether each text has a context of its own."""
    return len({text.context for text in texts}) > 1


def _cards(screen: Screen, study: OutputStudy) -> Iterator[dict[str, Any]]:
    """The texts in their order on screen."""
    texts, phrases = screen.shown.texts, screen.phrases
    own = _differ(texts)
    for place, text in enumerate(texts):
        words = {
            "place": place,
            "words": rendered(text.text, study.render),
            "rendered": study.render != "plain",
            "context": text.context if own else "",
        }
        made = screen.site.fragment("compared.html", phrases, words, (place, text.id, own))
        yield {"place": place, "name": phrases.say("text_number", number=place + 1), "shown": made}


def _asked(study: OutputStudy, part: int) -> Iterator[tuple[str, Any]]:
    """The questions of a part, each with the beginning of its fields' names."""
    for number in study.parts[part]:
        yield field_name(number), study.questions_asked[number]
