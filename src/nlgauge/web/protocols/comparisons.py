"""The pages of comparisons: the texts beside each other, what stands above them, and a question for each criterion.

A field is named by its question's place on the page (c0, c1 …), because a criterion's own name may be any text:

    pairwise    c0 = a, b or tie; with degrees a-1, b-2 …
    ranking     c0-0, c0-1 … = the rank of the first text, of the second …
    best-worst  c0-best, c0-worst = the place of a text

Everything is native controls, so that nothing needs a script.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from markupsafe import Markup

from nlgauge.study.base import Evaluation
from nlgauge.study.design import Study, say
from nlgauge.study.protocols.comparisons.answers import SIDES, TIE, competition, rank_fault
from nlgauge.study.protocols.comparisons.file import (
    ComparisonStudy,
    PairwiseStudy,
    RankingStudy,
    comparison_study,
)
from nlgauge.study.protocols.comparisons.phrases import INSTRUCTIONS
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.parts import PART, part_of
from nlgauge.study.types import Judgement, Text
from nlgauge.web import forms
from nlgauge.web.forms import Field, Mistake, Values
from nlgauge.web.language import Phrases
from nlgauge.web.marking import split
from nlgauge.web.moulds import gap
from nlgauge.web.protocols.base import Page, Pages, boxes, reason_mistakes, unticked
from nlgauge.web.protocols.outputs import (
    beside,
    field_name,
    part_field,
    part_fields,
    reason_words,
    sent_part,
    told_with,
)
from nlgauge.web.site import Site
from nlgauge.wording.direction import apart


class Control(ABC):
    """How one question is answered."""

    template: ClassVar[str]

    @abstractmethod
    def names(self, name: str, study: ComparisonStudy) -> Mapping[str, tuple[str, ...]]:
        """The fields of a question, each with the values it takes."""

    @abstractmethod
    def read(self, form: Values, name: str, study: ComparisonStudy) -> Mapping[str, Any]:
        """The answer in fields that have no mistakes."""

    @abstractmethod
    def mistake(self, form: Values, name: str, study: ComparisonStudy) -> Mistake | None:
        """What lacks or is wrong."""

    @abstractmethod
    def written(self, answer: Mapping[str, Any], name: str) -> dict[str, str]:
        """The fields with an answer."""

    @abstractmethod
    def told(self, answer: Mapping[str, Any], study: ComparisonStudy, phrases: Phrases) -> str:
        """An answer in a few words."""

    @abstractmethod
    def values(self, name: str, study: ComparisonStudy, phrases: Phrases, form: Values) -> dict[str, Any]:
        """What the template shows of a question."""

    def given(self, form: Values, name: str, study: ComparisonStudy) -> dict[str, str]:
        """The fields as sent; what no field of ours can hold is as good as empty."""
        taken = self.names(name, study)
        sent = {field: forms.one(form, field).strip() for field in taken}
        return {field: value if value in taken[field] else "" for field, value in sent.items()}


class Preference(Control):
    """One of two texts, or neither."""

    template = "preference"

    def _choices(self, study: ComparisonStudy) -> tuple[str, ...]:
        """From the first text, most of all, to the second."""
        assert isinstance(study, PairwiseStudy)
        degrees = range(len(study.strength), 0, -1)
        first = tuple(f"a-{degree}" for degree in degrees) or ("a",)
        second = tuple(f"b-{degree}" for degree in reversed(degrees)) or ("b",)
        return (*first, *((TIE,) if study.ties else ()), *second)

    def names(self, name: str, study: ComparisonStudy) -> Mapping[str, tuple[str, ...]]:
        """One field."""
        return {name: self._choices(study)}

    def read(self, form: Values, name: str, study: ComparisonStudy) -> Mapping[str, Any]:
        """A side, with its degree where degrees are asked for."""
        side, _, degree = forms.one(form, name).strip().partition("-")
        strong = isinstance(study, PairwiseStudy) and bool(study.strength)
        return {"preference": side} | ({"strength": int(degree or 0)} if strong else {})

    def mistake(self, form: Values, name: str, study: ComparisonStudy) -> Mistake | None:
        """No choice."""
        return None if self.given(form, name, study)[name] else Mistake(f"{name}-0", "error_required", {})

    def written(self, answer: Mapping[str, Any], name: str) -> dict[str, str]:
        """The choice."""
        degree = f"-{answer['strength']}" if answer.get("strength") else ""
        return {name: f"{answer['preference']}{degree}"}

    def told(self, answer: Mapping[str, Any], study: ComparisonStudy, phrases: Phrases) -> str:
        """What stands beside the choice."""
        return self._label(self.written(answer, "")[""], study, phrases)

    def values(self, name: str, study: ComparisonStudy, phrases: Phrases, form: Values) -> dict[str, Any]:
        """The choices with their words."""
        return {
            "choices": [(value, self._label(value, study, phrases)) for value in self._choices(study)],
            "given": self.given(form, name, study)[name],
        }

    def _label(self, value: str, study: ComparisonStudy, phrases: Phrases) -> str:
        side, _, degree = value.partition("-")
        if side == TIE:
            return phrases.say("preference_tie")
        text = phrases.say("text_number", number=1 + SIDES.index(side))
        if not degree:
            return text
        assert isinstance(study, PairwiseStudy)
        words = say(study.strength[int(degree) - 1], phrases.code)
        return joined(text, words, phrases)


class Ranks(Control):
    """A rank for each text."""

    template = "ranks"

    def names(self, name: str, study: ComparisonStudy) -> Mapping[str, tuple[str, ...]]:
        """A field for each text."""
        ranks = tuple(str(rank + 1) for rank in range(study.per_screen))
        return {f"{name}-{place}": ranks for place in range(study.per_screen)}

    def read(self, form: Values, name: str, study: ComparisonStudy) -> Mapping[str, Any]:
        """The ranks in the order of the screen."""
        return {"ranks": competition([int(rank) for rank in self.given(form, name, study).values()])}

    def mistake(self, form: Values, name: str, study: ComparisonStudy) -> Mistake | None:
        """A text without a rank, or ranks that make no order."""
        assert isinstance(study, RankingStudy)
        given = self.given(form, name, study)
        open_ = next((field for field, rank in given.items() if not rank), None)
        if open_ is not None:
            return Mistake(open_, "error_ranks", {})
        wrong = rank_fault([int(rank) for rank in given.values()], ties=study.ties)
        return Mistake(f"{name}-0", RANK_MISTAKES[wrong], {}) if wrong else None

    def written(self, answer: Mapping[str, Any], name: str) -> dict[str, str]:
        """Each rank in its field."""
        return {f"{name}-{place}": str(rank) for place, rank in enumerate(answer["ranks"])}

    def told(self, answer: Mapping[str, Any], study: ComparisonStudy, phrases: Phrases) -> str:
        """The ranks in the order of the screen."""
        return " ".join(map(str, answer["ranks"]))

    def values(self, name: str, study: ComparisonStudy, phrases: Phrases, form: Values) -> dict[str, Any]:
        """A list of ranks for each text."""
        assert isinstance(study, RankingStudy)
        given = self.given(form, name, study)
        return {
            "help": phrases.say("ranking_help_ties") if study.ties else phrases.say("ranking_help"),
            "rows": [
                (field, phrases.say("text_number", number=place + 1), given[field], ranks)
                for place, (field, ranks) in enumerate(self.names(name, study).items())
            ],
        }


class Extremes(Control):
    """The best and the worst text."""

    template = "extremes"

    def names(self, name: str, study: ComparisonStudy) -> Mapping[str, tuple[str, ...]]:
        """Two fields."""
        places = tuple(map(str, range(study.per_screen)))
        return {f"{name}-best": places, f"{name}-worst": places}

    def read(self, form: Values, name: str, study: ComparisonStudy) -> Mapping[str, Any]:
        """Two places."""
        best, worst = self.given(form, name, study).values()
        return {"best": int(best), "worst": int(worst)}

    def mistake(self, form: Values, name: str, study: ComparisonStudy) -> Mistake | None:
        """A column without a choice, or the same text in both."""
        best, worst = self.given(form, name, study).values()
        if not (best and worst):
            return Mistake(f"{name}-{'worst' if best else 'best'}-0", "error_extremes", {})
        return Mistake(f"{name}-worst-{worst}", "error_extremes_same", {}) if best == worst else None

    def written(self, answer: Mapping[str, Any], name: str) -> dict[str, str]:
        """Each place in its field."""
        return {f"{name}-{end}": str(answer[end]) for end in ("best", "worst")}

    def told(self, answer: Mapping[str, Any], study: ComparisonStudy, phrases: Phrases) -> str:
        """Both texts by their number."""
        texts = {end: phrases.say("text_number", number=answer[end] + 1) for end in ("best", "worst")}
        return ", ".join(joined(label, texts[end], phrases) for end, label in _ends(phrases).items())

    def values(self, name: str, study: ComparisonStudy, phrases: Phrases, form: Values) -> dict[str, Any]:
        """A row for each text, a column for each end."""
        given = self.given(form, name, study)
        return {
            "help": phrases.say("extremes_help"),
            "ends": [(end, label, given[f"{name}-{end}"]) for end, label in _ends(phrases).items()],
            "rows": [(str(k), phrases.say("text_number", number=k + 1)) for k in range(study.per_screen)],
        }


RANK_MISTAKES = {"shared": "error_ranks_shared", "first": "error_ranks_first"}


def _ends(phrases: Phrases) -> Mapping[str, str]:
    """What both columns are called."""
    return {"best": phrases.say("best"), "worst": phrases.say("worst")}


def joined(name: str, words: str, phrases: Phrases) -> str:
    """Two short texts beside each other, each in its own direction."""
    return f"{name} · {apart(words, always=phrases.direction == 'rtl')}"


CONTROLS: Mapping[str, Control] = {"pairwise": Preference(), "ranking": Ranks(), "best-worst": Extremes()}


class SeveralTexts(Pages):
    """Several texts and a question for each criterion; how a question is answered is left to the protocol."""

    count = "comparison_count"

    @abstractmethod
    def own(self, study: Study) -> Any:
        """The study, of the protocol's own kind: with the number of texts on a screen."""

    @abstractmethod
    def control(self, study: Study) -> Control:
        """How a question is answered."""

    def standing(
        self, study: OutputStudy, shown: Evaluation, phrases: Phrases, picture: str
    ) -> list[dict[str, Any]]:
        """What stands above the texts."""
        return list(beside(study, shown.panel, shown.texts[0], phrases, picture))

    def read(self, form: Values, study: Study) -> dict[str, Any]:
        """The comparison for each criterion."""
        own, control = self.own(study), self.control(study)
        return {one.id: control.read(form, name, own) for name, one in _asked(own, sent_part(form, own))}

    def mistakes(self, form: Values, study: Study, *, practice: bool) -> Iterator[Mistake]:
        """Questions without an answer, answers that cannot be; practice asks for no reasons."""
        own, control = self.own(study), self.control(study)
        for name, _ in _asked(own, sent_part(form, own)):
            wrong = control.mistake(form, name, own)
            if wrong is not None:
                yield wrong
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
            for field, value in control.written(answer[one.id], name).items()
        }
        return found | part_field(own, answer)

    def told(self, judgement: Judgement, study: Study, phrases: Phrases) -> str:
        """The answers in the order of the questions."""
        own, control = self.own(study), self.control(study)
        return "; ".join(control.told(given, own, phrases) for given in judgement.answer.values())

    def fields(self, study: Study) -> Sequence[Field]:
        """The fields of each question."""
        own, control = self.own(study), self.control(study)
        return [
            Field(field, f"part of the answer to question {number}", options=options)
            for number in range(1, len(own.questions_asked) + 1)
            for field, options in control.names(field_name(number - 1), own).items()
        ] + part_fields(own)

    def change(self, site: Site, link: str, shown: Evaluation, phrases: Phrases, form: Values) -> Page:
        """The texts again, with what was answered."""
        return Page("comparison_change.html", self._values(site, link, shown, phrases, form))

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
        """The texts of one input; with a form, what was answered and what lacks."""
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
            return Page("comparison_page.html", values, 422)
        late = {"claim": shown.claim, "shown": values["shown"]}
        for text in values["texts"]:
            name = f"boxes-{text['place']}"
            late[name] = text["boxes"]
            text["boxes"] = gap(name)
        marked = tuple(text["place"] for text in values["texts"])  # a text without words has none to mark
        same = (purpose, shown.number, shown.total, values["change"], marked, values["part"])
        return Page("comparison_page.html", values, same=same, late=late)

    def _values(
        self, site: Site, link: str, shown: Evaluation, phrases: Phrases, form: Values | None
    ) -> dict[str, Any]:
        study = self.own(site.service.study)
        control, practice = self.control(study), shown.practice
        part = part_of(shown.texts[0], study)
        found = self.mistakes(form | {PART: [str(part)]}, study, practice=practice) if form else ()
        wrong = {mistake.field: phrases.say(mistake.key, **mistake.values) for mistake in found}
        asked = [
            {
                "help": "",
                **control.values(name, study, phrases, form or {}),
                "name": name,
                "question": say(one.question, phrases.code),
                "mistake": next((said for place, said in wrong.items() if _of(name, place)), ""),
            }
            for name, one in _asked(study, part)
        ]
        marking = study.reasons.highlight != "no" and not practice
        return {
            "contexts": [words for words in (say(study.context, phrases.code),) if words],
            "shown": self._shown(site, link, shown, study, phrases),
            "asked": asked,
            "part": part if len(study.parts) > 1 else None,
            "control": control.template,
            "texts": _marks(shown.texts, phrases, form) if marking else [],
            "reason_words": reason_words(phrases.code),
            "reason": forms.one(form or {}, "reason"),
            "asks_reason": "no" if practice else study.reasons.text,
            "asks_marks": study.reasons.highlight if marking else "no",
            "mistakes": [
                (place, _told(place, sentence, asked)) for place, sentence in wrong.items()
            ],  # each with its question, whose direction may be another
            "wrong": wrong,
        }

    def _shown(
        self, site: Site, link: str, shown: Evaluation, study: OutputStudy, phrases: Phrases
    ) -> Markup:
        """The texts and what stands above them; without a picture, whose address is the judge's, the same for all."""
        first = shown.texts[0]
        picture = site.url(f"/j/{link}/image/{shown.claim}/0") if first.image else ""
        own = {text.context for text in shown.texts}
        values = {
            "caption": first.caption,
            "beside": self.standing(study, shown, phrases, picture),
            "context": first.context if len(own) == 1 else "",
            "texts": [
                (
                    phrases.say("text_number", number=place + 1),
                    text.text,
                    text.context if len(own) > 1 else "",
                )
                for place, text in enumerate(shown.texts)
            ],
        }
        key = None if picture else (*(text.id for text in shown.texts), shown.panel)
        return site.fragment("compared.html", phrases, values, key)


def _asked(study: OutputStudy, part: int) -> Iterator[tuple[str, Any]]:
    """The questions of a part, each with the beginning of its fields' names."""
    for number in study.parts[part]:
        yield field_name(number), study.questions_asked[number]


def _of(name: str, place: str) -> bool:
    """Whether a control belongs to a question."""
    return place == name or place.startswith(f"{name}-")


def _told(place: str, sentence: str, asked: Sequence[Mapping[str, Any]]) -> str:
    name = next((one["name"] for one in asked if _of(one["name"], place)), "")
    return told_with(name or place, sentence, asked)


def _marks(texts: Sequence[Text], phrases: Phrases, form: Values | None) -> list[dict[str, Any]]:
    """The words of the texts to be marked."""
    ticked = frozenset((form or {}).get("mark", ()))
    spans = split([text.text for text in texts])
    return [
        {
            "place": place,
            "mark_text": phrases.say("mark_text", number=place + 1),
            "boxes": boxes(text.text, place, spans[place], ticked)
            if ticked
            else unticked(text.text, place, spans[place]),
            "ticked": any(mark.startswith(f"{place}-") for mark in ticked),
        }
        for place, text in enumerate(texts)
        if text.text.strip()
    ]


class Comparisons(SeveralTexts):
    """Preferences, rankings, best and worst."""

    def own(self, study: Study) -> ComparisonStudy:
        """A comparative study."""
        return comparison_study(study)

    def control(self, study: Study) -> Control:
        """By protocol."""
        return CONTROLS[study.protocol]

    def instructions(self, site: Site, phrases: Phrases) -> str:
        """What to do with the texts."""
        return INSTRUCTIONS[site.service.study.protocol][phrases.code]


PAGES = Comparisons()
