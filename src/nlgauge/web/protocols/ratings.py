"""The pages of single-text ratings: the text, what stands beside it, and a question for each criterion.

A field is named by its question's place on the page (c0, c1 …), because a criterion's own name may be any text. A
slider is a native range input beside a number field; the number is what is sent, so an untouched slider is no answer,
and without scripts the number is typed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from markupsafe import Markup

from nlgauge.study.base import Evaluation
from nlgauge.study.design import Study, say
from nlgauge.study.protocols.outputs.criteria import Worded
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.parts import PART, asked_about, part_of
from nlgauge.study.protocols.ratings.criteria import NUMBER, Asked
from nlgauge.study.protocols.ratings.file import RatingStudy, rating_study
from nlgauge.study.types import Judgement, Text
from nlgauge.web import forms
from nlgauge.web.forms import Field, Mistake, Values
from nlgauge.web.language import Phrases
from nlgauge.web.moulds import gap
from nlgauge.web.protocols.base import Page, Pages, reason_mistakes
from nlgauge.web.protocols.outputs import (
    field_name,
    marks,
    part_field,
    part_fields,
    reason_words,
    sent_part,
    single,
    told_with,
)
from nlgauge.web.site import Site

LONGEST = 40  # characters of a number


class OneText(Pages):
    """One text and a question for each criterion; how a question is answered is left to the protocol."""

    count = "rating_count"
    styles: ClassVar[tuple[str, ...]] = ()  # beside those of ratings
    scripts: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def own(self, study: Study) -> OutputStudy:
        """The study, of the protocol's own kind."""

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

    def standing(self, study: OutputStudy, shown: Evaluation, phrases: Phrases) -> list[dict[str, Any]]:
        """What stands next to the text after all that the study file shows."""
        return []

    def amount(self, study: Study, total: int) -> int:
        """Texts, whatever the number of their pages."""
        return self.own(study).screens(total)

    def read(self, form: Values, study: Study) -> dict[str, NUMBER]:
        """The number given for each criterion."""
        found = {}
        for number, one in _asked(form, self.own(study)):
            value = self.value(forms.one(form, field_name(number)).strip(), one)
            if value is not None:
                found[one.id] = value
        return found

    def mistakes(self, form: Values, study: Study, *, practice: bool) -> Iterator[Mistake]:
        """Questions without an answer, numbers off the scale; practice asks for no reasons."""
        for number, one in _asked(form, self.own(study)):
            given = forms.one(form, field_name(number)).strip()
            if not given:
                yield Mistake(self.control(number, one), "error_required", {})
            elif self.value(given, one) is None:
                yield Mistake(self.control(number, one), *self.fault(given, one))
        if not practice:
            yield from reason_mistakes(form, study)

    def written(self, answer: Any, study: Study) -> Values:
        """The numbers, each in its field."""
        own = self.own(study)
        found = {
            field_name(number): [self.written_as(answer[one.id])]
            for number, one in enumerate(own.questions_asked)
            if one.id in answer
        }
        return found | part_field(own, answer)

    def told(self, judgement: Judgement, study: Study, phrases: Phrases) -> str:
        """The numbers in the order of the questions."""
        return ", ".join(self.written_as(value) for value in judgement.answer.values())

    def fields(self, study: Study) -> Sequence[Field]:
        """A field for each question."""
        own = self.own(study)
        found = [self.field(number, one) for number, one in enumerate(own.questions_asked)]
        return found + part_fields(own)

    def change(self, site: Site, link: str, shown: Evaluation, phrases: Phrases, form: Values) -> Page:
        """The text again, with what was answered."""
        return Page("rating_change.html", self._values(site, link, shown, phrases, form))

    def evaluation(
        self,
        site: Site,
        link: str,
        shown: Evaluation,
        phrases: Phrases,
        form: Values | None = None,
        *,
        can_change: bool = False,
    ) -> Page:
        """One text; with a form, what was answered and what lacks."""
        study = site.service.study
        purpose = "practice" if shown.practice else "answer"
        values = {
            **self._values(site, link, shown, phrases, form),
            "purpose": purpose,
            "claim": shown.claim,
            "number": shown.number,
            "total": shown.total,
            "change": can_change and not shown.practice and study.corrections == "allow",
            "instructions": say(study.instructions, phrases.code),
        }
        if form:
            done = values["mistakes"] or not self.unfinished(form)
            return Page("rating_page.html", values, 422 if done else 200)
        late = {"claim": shown.claim, "shown": values["shown"], "work": values["work"]}
        values["work"] = gap("work")
        for text in values["texts"]:
            late["boxes"] = text["boxes"]
            text["boxes"] = gap("boxes")
        same = (purpose, shown.number, shown.total, values["change"], values["part"])
        return Page("rating_page.html", values, same=same, late=late)

    def shown(self, site: Site, link: str, shown: Evaluation, phrases: Phrases) -> Markup:
        """What is rated, with what stands beside it."""
        study = self.own(site.service.study)
        return single(site, link, shown, study, phrases, last=self.standing(study, shown, phrases))

    def _values(
        self, site: Site, link: str, shown: Evaluation, phrases: Phrases, form: Values | None
    ) -> dict[str, Any]:
        study = self.own(site.service.study)
        practice = shown.practice
        (text,) = shown.texts
        part = part_of(text, study)
        found = self.mistakes(form | {PART: [str(part)]}, study, practice=practice) if form else ()
        wrong = {mistake.field: phrases.say(mistake.key, **mistake.values) for mistake in found}
        asked = [
            {
                "points": [],
                "magnitude": False,
                **self.question(number, one, study, phrases),
                "name": field_name(number),
                "question": say(one.question, phrases.code),
                "given": forms.one(form or {}, field_name(number)).strip(),
                "mistake": wrong.get(self.control(number, one), ""),
            }
            for number, one in asked_about(text, study)
        ]
        marking = study.reasons.highlight != "no" and not practice and bool(text.text.strip())
        return {
            "contexts": [words for words in (say(study.context, phrases.code),) if words],
            "shown": self.shown(site, link, shown, phrases),
            "work": self._work(site, shown, text, phrases, form, wrong),
            "styles": self.styles,
            "scripts": self.scripts,
            "asked": asked,
            "part": part if len(study.parts) > 1 else None,
            "sliders": any(not one["points"] and not one["magnitude"] for one in asked),
            "texts": marks(text, phrases, form) if marking else [],
            "reason_words": reason_words(phrases.code),
            "reason": forms.one(form or {}, "reason"),
            "asks_reason": "no" if practice else study.reasons.text,
            "asks_marks": study.reasons.highlight if marking else "no",
            "mistakes": [
                (place, told_with(place, sentence, asked)) for place, sentence in wrong.items()
            ],  # each with its question, whose direction may be another
            "wrong": wrong,
        }

    def _work(
        self,
        site: Site,
        shown: Evaluation,
        text: Text,
        phrases: Phrases,
        form: Values | None,
        wrong: Mapping[str, str],
    ) -> str:
        """What is to be done to the text before the questions, where there is anything."""
        return ""


def _asked(form: Values, study: OutputStudy) -> list[tuple[int, Worded]]:
    """The questions of the page that a form came from, with their numbers."""
    return [(number, study.questions_asked[number]) for number in study.parts[sent_part(form, study)]]


class Ratings(OneText):
    """Points, a slider, or yes and no."""

    def own(self, study: Study) -> RatingStudy:
        """A rating study."""
        return rating_study(study)

    def instructions(self, site: Site, phrases: Phrases) -> str:
        """What to do with a text."""
        return phrases.say("rating_instructions")

    def value(self, given: str, asked: Asked) -> NUMBER | None:
        """A number on the scale; it may be written with a decimal comma."""
        try:
            value = float(given.replace(",", ".")) if 0 < len(given) <= LONGEST else None
        except ValueError:
            return None
        return None if value is None else asked.scale.place(value)

    def fault(self, given: str, asked: Asked) -> tuple[str, Mapping[str, str]]:
        """Off the scale."""
        return "error_range", {"least": f"{asked.scale.low:g}", "most": f"{asked.scale.high:g}"}

    def written_as(self, value: NUMBER) -> str:
        """A number as a form holds it."""
        return repr(value)

    def answers_told(
        self, own: Any, others: Sequence[Any], study: Study, phrases: Phrases
    ) -> Iterator[dict[str, str]]:
        """The numbers, those of the others from the lowest on, so that nothing tells whose they are."""
        for one in rating_study(study).questions_asked:
            rest = sorted(answer[one.id] for answer in others if one.id in answer)
            yield {
                "question": say(one.question, phrases.code),
                "own": _told(one, own.get(one.id), phrases),
                "others": ", ".join(_told(one, value, phrases) for value in rest) or "–",
            }

    def field(self, number: int, asked: Asked) -> Field:
        """Points are options."""
        return Field(
            field_name(number),
            f"the answer to question {number + 1}, from {asked.scale}",
            options=tuple(map(repr, asked.scale.values)),
            most=LONGEST,
        )

    def control(self, number: int, asked: Asked) -> str:
        """The first point, or the number beside a slider."""
        return f"{field_name(number)}-0" if asked.scale.points else field_name(number)

    def question(self, number: int, asked: Asked, study: OutputStudy, phrases: Phrases) -> dict[str, Any]:
        """The scale."""
        scale, last = asked.scale, (asked.scale.points or 2) - 1
        least, most = f"{scale.low:g}", f"{scale.high:g}"
        labels = [say(scale.label(place), phrases.code) for place in range(last + 1)]
        return {
            "points": [(repr(value), label) for value, label in zip(scale.values, labels, strict=False)],
            "every": all(labels),
            "numbers": scale.points > 2 or not all(labels),
            "ends": (labels[0], labels[-1]),
            "least": least,
            "most": most,
            "step": f"{scale.step:g}",
            "range": phrases.say("slider_number", least=least, most=most),
        }


def _told(asked: Asked, value: NUMBER | None, phrases: Phrases) -> str:
    """An answer as judges read it: of two labelled answers the label, else the number."""
    if value is None:
        return "–"
    values = asked.scale.values
    label = (
        say(asked.scale.label(values.index(value)), phrases.code)
        if len(values) == 2 and value in values
        else ""
    )
    return label or repr(value)


PAGES = Ratings()
