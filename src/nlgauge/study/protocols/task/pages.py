"""The pages of tasks: a text, and questions about it; beside it, or after it was hidden.

Which questions there are depends on the text, so a page sends along how each is answered (`asked`): choice.4, text,
number. A field is named by its question's place (a0, a1 …). What a form says of its questions is checked against the
text's own when the answer is stored. Nothing of the key is on a page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from starlette.responses import Response

from nlgauge.study.file.study import Study, say
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.task.file import task_study
from nlgauge.study.protocols.task.layout import posed_about
from nlgauge.study.protocols.task.protocol import READ, SURE, said
from nlgauge.study.protocols.task.questions import LONGEST_ANSWER, Posed, number_in
from nlgauge.study.service.answers import Feedback
from nlgauge.web import forms
from nlgauge.web.forms import Field, Mistake, Values
from nlgauge.web.judges import Visit
from nlgauge.web.language import Phrases
from nlgauge.web.protocols import gold
from nlgauge.web.protocols.base import Page, Pages, Screen, heading, reason_mistakes, sentences
from nlgauge.web.protocols.outputs import around, contexts, single
from nlgauge.web.site import Site
from nlgauge.wording.numbers import in_full

ASKED = re.compile(r"(choice\.[0-9]{1,3}|text|number)( (choice\.[0-9]{1,3}|text|number)){0,199}", re.ASCII)
CONFIDENCE = "sure"


class Tasks(Pages):
    """One text and questions about it."""

    count = "task_count"

    @property
    def posts(self) -> Mapping[str, Callable[[Visit], Response]]:
        """That the text was read."""
        return {"read": self.has_read}

    def instructions(self, site: Site, phrases: Phrases) -> str:
        """What to do with a text."""
        hidden = task_study(site.service.study).hide_text
        return phrases.say("task_instructions_hidden") if hidden else phrases.say("task_instructions")

    def read(self, form: Values, study: Study) -> dict[str, Any]:
        """What was answered, in the order of the page."""
        found: dict[str, Any] = {"answers": [_given(form, number, kind) for number, kind in enumerate(_kinds(form))]}
        if task_study(study).confidence:
            found["confidence"] = int(forms.one(form, CONFIDENCE))
        return found

    def mistakes(self, form: Values, study: Study, *, practice: bool) -> Iterator[Mistake]:
        """Questions without an answer, and words where a number is asked for."""
        for number, kind in enumerate(_kinds(form)):
            words, control = forms.one(form, _name(number)).strip(), _control(number, kind)
            if not words:
                yield Mistake(control, "error_required", {})
            elif kind == "text" and len(words) > LONGEST_ANSWER:
                yield Mistake(control, "error_long", {"most": LONGEST_ANSWER})
            elif _given(form, number, kind) is None:
                yield Mistake(control, "error_number" if kind == "number" else "error_option", {})
        if task_study(study).confidence and forms.one(form, CONFIDENCE) not in map(str, SURE):
            yield Mistake(f"{CONFIDENCE}-0", "error_required", {})
        if not practice:
            yield from reason_mistakes(form, study)

    def written(self, answer: Any, study: Study) -> Values:
        """The answers, each in its field."""
        found: Values = {}
        for number, given in enumerate(answer["answers"].values()):
            (value,) = given.values()
            found[_name(number)] = [value if isinstance(value, str) else repr(value)]
        if "confidence" in answer:
            found[CONFIDENCE] = [str(answer["confidence"])]
        return found

    def told(self, judgement: Judgement, study: Study, phrases: Phrases) -> str:
        """The first answers, as they were given; of a choice its number."""
        given = [next(iter(reply.values())) for reply in judgement.answer["answers"].values()]
        words = [str(value + 1) if isinstance(value, int) else f"{value}" for value in given]
        return ", ".join(word if len(word) <= 30 else f"{word[:30]}…" for word in words[:5])

    def fields(self, study: Study) -> Sequence[Field]:
        """A field for each question; how many depends on the text."""
        sure = [Field(CONFIDENCE, "how sure the judge is", options=tuple(map(str, SURE)))]
        return [
            Field("asked", "how each question is answered, from the page", most=2_000),
            Field("a0", "the answer to the first question; a1, a2 … to the others", most=LONGEST_ANSWER),
            *(sure if task_study(study).confidence else []),
        ]

    def change(self, screen: Screen) -> Page:
        """The questions again, with what was answered."""
        asked = " ".join(_kind(posed) for posed in posed_about(screen.shown.texts[0]))
        given = replace(screen, form={"asked": [asked], **screen.sent})
        return Page("task_change.html", self._values(given))

    def evaluation(self, screen: Screen) -> Page:
        """One text and its questions, or first the text alone; with a form, what was answered and what lacks."""
        study, head = task_study(screen.study), heading(screen)
        record = screen.site.service.turns.record_of(screen.shown.claim) if study.hide_text else ()
        if study.hide_text and not any(event["role"] == READ for event in record):
            text, above = single(screen, study), contexts(study, screen.phrases)
            return Page("task_read.html", {**head, "contexts": above, "shown": text, "mistakes": []})
        return Page("task_page.html", {**head, **self._values(screen)}, 422 if screen.form else 200)

    def feedback(self, site: Site, link: str, given: Feedback, number: int, phrases: Phrases) -> Page | None:
        """Whether a practice answer was right; nothing where no answer was known."""
        screen = gold.answered(site, link, given, number, phrases)
        (text,), answers = screen.shown.texts, given.judgement.answer["answers"]
        rows = [
            (say(posed.text, phrases.code), _words(posed, answers[posed.id], phrases), _right(posed, phrases))
            for posed in posed_about(text)
        ]
        shown = {"shown": single(screen, task_study(screen.study)), "styles": ("rating.css", "task.css")}
        return gold.page(screen, given, rows, shown)

    def has_read(self, visit: Visit) -> Response:
        """Go on from the text to the questions; the text is not shown again."""
        claim, service = forms.name(visit.form, "claim"), visit.site.service
        if task_study(service.study).hide_text:
            service.turns.add_record(visit.judge, claim, lambda record: None if record else {"role": READ})
        return visit.back()

    def _values(self, screen: Screen) -> dict[str, Any]:
        study, shown, phrases, form = task_study(screen.study), screen.shown, screen.phrases, screen.form
        (text,) = shown.texts
        questions = posed_about(text)
        kinds = [_kind(posed) for posed in questions]
        if form is not None and forms.one(form, "asked") != " ".join(kinds):
            form = {**form, "asked": [" ".join(kinds)]}  # the page that is shown is that of the text
        found = self.mistakes(form, study, practice=shown.practice) if form else ()
        wrong = sentences(found, phrases)
        asked = [_question(number, one, phrases, form, wrong) for number, one in enumerate(questions)]
        ends = {SURE[0]: phrases.say("task_sure_low"), SURE[-1]: phrases.say("task_sure_high")}
        sure = {
            "name": CONFIDENCE,
            "question": phrases.say("task_confidence"),
            "given": forms.one(form or {}, CONFIDENCE),
            "mistake": wrong.get(f"{CONFIDENCE}-0", ""),
            "points": [(str(value), ends.get(value, "")) for value in SURE],
        }
        marking = study.reasons.highlight != "no" and not shown.practice and bool(text.text.strip())
        return {
            **around(screen, wrong, [*asked, sure], marking=marking),
            "shown": "" if study.hide_text else single(screen, study),
            "kinds": " ".join(kinds),
            "asked": asked,
            "sure": sure if study.confidence else None,
        }


def _words(question: Posed, given: Mapping[str, Any], phrases: Phrases) -> str:
    """An answer as judges read it."""
    return in_full(given["number"]) if "number" in given else said(question, given, phrases.code)


def _right(question: Posed, phrases: Phrases) -> str:
    """The answer of the key."""
    if question.type == "choice":
        return say(question.options[question.place], phrases.code)
    if question.type == "number":
        return gold.between(question.number, question.tolerance)
    return question.accepted[0]


def _name(number: int) -> str:
    """The name of a question's field."""
    return f"a{number}"


def _control(number: int, kind: str) -> str:
    """The id of the first control of a question."""
    return f"{_name(number)}-0" if kind.startswith("choice") else _name(number)


def _kind(question: Posed) -> str:
    """How a question is answered, as a page sends it along."""
    return f"choice.{len(question.options)}" if question.type == "choice" else question.type


def _kinds(form: Values) -> list[str]:
    """How the questions of a form are answered; nothing where it does not say."""
    given = forms.one(form, "asked")
    return given.split(" ") if ASKED.fullmatch(given) else []


def _given(form: Values, number: int, kind: str) -> dict[str, Any] | None:
    words = forms.one(form, _name(number)).strip()
    if kind == "text":
        return {"text": words}
    if kind == "number":
        value = number_in(words)
        return None if value is None else {"number": value}
    most = int(kind.partition(".")[2])
    plain = words.isascii() and words.isdigit() and len(words) < 4
    return {"choice": int(words)} if plain and int(words) < most else None


def _question(
    number: int, one: Posed, phrases: Phrases, form: Values | None, wrong: Mapping[str, str]
) -> dict[str, Any]:
    """One question as the template shows it; its key stays here."""
    return {
        "name": _name(number),
        "type": one.type,
        "question": say(one.text, phrases.code),
        "options": [say(option, phrases.code) for option in one.options],
        "given": forms.one(form or {}, _name(number)),
        "longest": LONGEST_ANSWER,
        "mistake": wrong.get(_control(number, _kind(one)), ""),
    }


PAGES = Tasks()
