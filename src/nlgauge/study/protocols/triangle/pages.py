"""The pages of a triangle test: three texts in the same form, the choice between them, and what practice taught."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from markupsafe import Markup

from nlgauge.study.file.study import Study, say
from nlgauge.study.freeze.frozen import practice_slot
from nlgauge.study.model import Judgement, Text, odd_position
from nlgauge.study.protocols.triangle.file import triangle_study
from nlgauge.study.protocols.triangle.practice import explanation
from nlgauge.study.service.answers import Feedback
from nlgauge.web import forms
from nlgauge.web.forms import ANSWER, Field, Mistake, Values
from nlgauge.web.language import Phrases
from nlgauge.web.moulds import gap
from nlgauge.web.protocols import gold
from nlgauge.web.protocols.base import Page, Pages, Screen, boxes, heading, sentences, unticked
from nlgauge.web.site import Site
from nlgauge.web.texts import split


class Triangle(Pages):
    """Three texts and the choice between them."""

    count = "instructions_count"

    def read(self, form: Values, study: Study) -> int | None:
        """The place of the text chosen."""
        return forms.choice(form)

    def mistakes(self, form: Values, study: Study, *, practice: bool) -> Iterable[Mistake]:
        """What lacks; practice asks for no reasons."""
        return forms.answer_mistakes(form, None if practice else study.reasons)

    def written(self, answer: Any, study: Study) -> Values:
        """The choice."""
        return {"answer": [str(answer)]}

    def told(self, judgement: Judgement, study: Study, phrases: Phrases) -> str:
        """Which text was chosen."""
        return phrases.say("text_number", number=judgement.answer + 1)

    def fields(self, study: Study) -> Sequence[Field]:
        """The place of the text chosen."""
        return (ANSWER,)

    def change(self, screen: Screen) -> Page:
        """The three texts again, with what was chosen."""
        return Page("change.html", triad(screen))

    def evaluation(self, screen: Screen) -> Page:
        """Three texts and the choice between them; with a form, what was chosen and written, and what lacks."""
        shown, values = screen.shown, {**triad(screen), **heading(screen)}
        if screen.form:
            return Page("evaluation.html", values, 422)
        late = {"claim": shown.claim}
        for text in values["texts"]:
            for name in ("section", "boxes"):
                late[f"{name}-{text['place']}"] = text[name]
                text[name] = gap(f"{name}-{text['place']}")
        same = (values["purpose"], shown.number, shown.total, values["change"], *values["contexts"])
        return Page("evaluation.html", values, same=same, late=late)

    def feedback(self, site: Site, link: str, given: Feedback, number: int, phrases: Phrases) -> Page:
        """Whether a practice answer was right, why, and how many were.

        The texts are shown once more with the odd one named: whoever is to learn from it must be able to look back.
        """
        judgement, service = given.judgement, site.service
        screen = gold.answered(site, link, given, number, phrases)
        contexts, texts = _texts(screen)
        slot = practice_slot(service.frozen, number, judgement.judge)
        return Page(
            "feedback.html",
            {
                "right": judgement.correct,
                "chosen": judgement.answer + 1,
                "odd": odd_position(judgement.role) + 1,
                "contexts": contexts,
                "texts": texts,
                "explanation": say(explanation(service.frozen, slot), phrases.code),
                "number": number,
                "correct": given.right,
                "total": service.context.practice_total,
                "going_on": not given.failed,
            },
        )


def triad(screen: Screen) -> dict[str, Any]:
    """The three texts with pictures, contexts and words to mark, all in the same form."""
    study, shown, phrases, form = screen.study, screen.shown, screen.phrases, screen.form
    practice = shown.practice
    marking = study.reasons.highlight != "no" and not practice
    spans = split([text.text for text in shown.texts]) if marking else [()] * len(shown.texts)
    ticked = frozenset((form or {}).get("mark", ()))
    asked = None if practice else study.reasons
    found = forms.answer_mistakes(form, asked) if form else ()
    wrong = sentences(found, phrases)
    chosen = forms.choice(form) if form else None
    contexts, texts = _texts(screen)
    return {
        "question": say(triangle_study(study).question, phrases.code),
        "contexts": contexts,
        "texts": [
            {
                **values,
                "section": _section(screen, text, values, chosen=place == chosen),
                "boxes": boxes(text.text, place, spans[place], ticked)
                if ticked
                else unticked(text.text, place, spans[place]),
                "ticked": any(mark.startswith(f"{place}-") for mark in ticked),
            }
            for place, (text, values) in enumerate(zip(shown.texts, texts, strict=True))
        ],
        "reason_words": reason_words(phrases),
        "reason": forms.one(screen.sent, "reason"),
        "asks_reason": "no" if practice else study.reasons.text,
        "asks_marks": "no" if practice else study.reasons.highlight,
        "mistakes": list(wrong.items()),
        "wrong": wrong,
    }


def _texts(screen: Screen) -> tuple[list[str], list[dict[str, Any]]]:
    """What stands above all texts, and what belongs to each."""
    shown, phrases = screen.shown, screen.phrases
    own = {text.context for text in shown.texts}
    contexts = [say(screen.study.context, phrases.code), *(own if len(own) == 1 else ())]
    texts = [
        {
            **numbered(phrases, place),
            "place": place,
            "words": text.text,
            "picture": screen.picture(place),
            "caption": text.caption,
            "context": text.context if len(own) > 1 else "",
        }
        for place, text in enumerate(shown.texts)
    ]
    return [context for context in contexts if context], texts


def _section(screen: Screen, text: Text, values: Mapping[str, Any], *, chosen: bool) -> Markup:
    """One of the three texts. Without a picture, whose address is the judge's own, it is the same for every judge."""
    key = None if values["picture"] else (text, values["place"], values["context"], chosen)
    return screen.site.fragment("text.html", screen.phrases, {**values, "chosen": chosen}, key)


@lru_cache(maxsize=16)
def reason_words(phrases: Phrases) -> Mapping[str, str]:
    """How reasons are asked for."""
    say = phrases.say
    return {"title": say("mark_title"), "help": say("mark_help"), "label": say("reason_label")}


@lru_cache(maxsize=64)
def numbered(phrases: Phrases, place: int) -> Mapping[str, str]:
    """What is said about a text by its number."""
    say, number = phrases.say, place + 1
    return {
        "name": say("text_number", number=number),
        "choose_text": say("choose_text", number=number),
        "mark_text": say("mark_text", number=number),
        "picture_of": say("picture_of", number=number),
    }


PAGES = Triangle()
