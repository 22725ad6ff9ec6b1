"""A step of a judge → what its page shows.

Nothing that is handed to a template here names a slot, triad, subject, input or text id: a page holds the claim, a
random name, and the three texts in their order on screen.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from markupsafe import Markup, escape

from nlgauge.study.addresses import in_ascii
from nlgauge.study.base import Evaluation, Step
from nlgauge.study.dealing import practice_claim
from nlgauge.study.design import say
from nlgauge.study.endings import wording
from nlgauge.study.frozen import explanation, practice_slot
from nlgauge.study.types import Judgement, Text, odd_position
from nlgauge.web import forms
from nlgauge.web.forms import Values
from nlgauge.web.language import Phrases, load
from nlgauge.web.marking import Span, split
from nlgauge.web.moulds import gap
from nlgauge.web.site import Site
from nlgauge.wording.direction import apart

REDIRECT_AFTER = 30  # seconds, time enough to copy the code


@dataclass(frozen=True)
class Page:
    """A template and its values.

    Where `same` is given, it and the language decide how the page looks but for the gaps that `late` fills.
    """

    template: str
    values: Mapping[str, Any]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    same: Hashable | None = None
    late: Mapping[str, str] = field(default_factory=dict)


def of_step(site: Site, link: str, step: Step, phrases: Phrases) -> Page:
    """The page for what a judge is to see next."""
    if step.evaluation is not None:
        return evaluation(site, link, step.evaluation, phrases, can_change=step.done > 0)
    if step.kind == "questions":
        return questions(site, phrases)
    if step.kind in ("done", "failed") or step.code or step.redirect:
        return ending(site, step, phrases)
    if step.kind == "instructions":
        return instructions(site, step, phrases)
    if step.kind == "consent":
        return consent(site, phrases)
    return Page("message.html", {"key": step.kind, "back": "", "leaving": step.kind == "paused"})


def consent(site: Site, phrases: Phrases, mistakes: Sequence[tuple[str, str]] = ()) -> Page:
    """What the judge agrees to."""
    asked = site.service.study.consent
    values = {
        "text": say(asked.text, phrases.code) if asked else "",
        "agree": say(asked.agree, phrases.code) if asked else "",
        "mistakes": mistakes,
    }
    return Page("consent.html", values, 422) if mistakes else Page("consent.html", values, same="consent")


def instructions(site: Site, step: Step, phrases: Phrases) -> Page:
    """What is to be done, before the first text."""
    values = {
        "text": say(site.service.study.instructions, phrases.code) or phrases.say("instructions_default"),
        "total": step.total,
        "practice": site.service.practice_total,
    }
    return Page("instructions.html", values, same=step.total)


def questions(site: Site, phrases: Phrases, form: Values | None = None) -> Page:
    """The questions about the judge; with a form, what was typed and what is wrong with it."""
    asked = site.service.study.questions
    wrong: dict[int, str] = {}
    for number, key, values in forms.personal_mistakes(forms.personal(form, asked), asked) if form else ():
        wrong[number] = phrases.say(key, **values)
    fields: list[dict[str, Any]] = [
        {
            "name": forms.field_name(number),
            "text": say(question.text, phrases.code),
            "type": question.type,
            "required": question.required,
            "options": [say(option, phrases.code) for option in question.options],
            "given": forms.one(form or {}, forms.field_name(number)),
            "mistake": wrong.get(number, ""),
        }
        for number, question in enumerate(asked)
    ]
    mistakes = [  # each with its question, whose direction may be another
        (
            field["name"] + ("-0" if field["type"] == "choice" else ""),
            f"{apart(field['text'], always=True)} {field['mistake']}",
        )
        for field in fields
        if field["mistake"]
    ]
    same = None if form else "questions"
    return Page(
        "questions.html", {"fields": fields, "mistakes": mistakes}, 422 if mistakes else 200, same=same
    )


def evaluation(
    site: Site,
    link: str,
    shown: Evaluation,
    phrases: Phrases,
    form: Values | None = None,
    *,
    can_change: bool = False,
) -> Page:
    """Three texts and the choice between them; with a form, what was chosen and written, and what lacks."""
    study = site.service.study
    purpose = "practice" if shown.practice else "answer"
    values = {
        **triad(site, link, shown, phrases, form, practice=shown.practice),
        "purpose": purpose,
        "claim": shown.claim,
        "number": shown.number,
        "total": shown.total,
        "change": can_change and not shown.practice and study.corrections == "allow",
        "instructions": say(study.instructions, phrases.code),
    }
    if form:
        return Page("evaluation.html", values, 422)
    late = {"claim": shown.claim}
    for text in values["texts"]:
        for name in ("section", "boxes"):
            late[f"{name}-{text['place']}"] = text[name]
            text[name] = gap(f"{name}-{text['place']}")
    same = (purpose, shown.number, shown.total, values["change"], *values["contexts"])
    return Page("evaluation.html", values, same=same, late=late)


def triad(
    site: Site,
    link: str,
    shown: Evaluation,
    phrases: Phrases,
    form: Values | None = None,
    *,
    practice: bool = False,
) -> dict[str, Any]:
    """The three texts with pictures, contexts and words to mark, all in the same form."""
    study = site.service.study
    marking = study.reasons.highlight != "no" and not practice
    spans = split([text.text for text in shown.texts]) if marking else [()] * len(shown.texts)
    ticked = frozenset((form or {}).get("mark", ()))
    asked = None if practice else study.reasons
    found = forms.answer_mistakes(form, asked) if form else ()
    wrong = {mistake.field: phrases.say(mistake.key, **mistake.values) for mistake in found}
    chosen = forms.choice(form) if form else None
    contexts, texts = _texts(site, link, shown, phrases)
    return {
        "question": say(study.question, phrases.code),
        "contexts": contexts,
        "texts": [
            {
                **values,
                "section": _section(site, phrases, text, values, chosen=place == chosen),
                "boxes": boxes(text.text, place, spans[place], ticked)
                if ticked
                else _unticked(text.text, place, spans[place]),
                "ticked": any(mark.startswith(f"{place}-") for mark in ticked),
            }
            for place, (text, values) in enumerate(zip(shown.texts, texts, strict=True))
        ],
        "reason": forms.one(form or {}, "reason"),
        "asks_reason": "no" if practice else study.reasons.text,
        "asks_marks": "no" if practice else study.reasons.highlight,
        "mistakes": list(wrong.items()),
        "wrong": wrong,
    }


def _texts(
    site: Site, link: str, shown: Evaluation, phrases: Phrases
) -> tuple[list[str], list[dict[str, Any]]]:
    """What stands above all texts, and what belongs to each."""
    own = {text.context for text in shown.texts}
    contexts = [say(site.service.study.context, phrases.code), *(own if len(own) == 1 else ())]
    texts = [
        {
            **numbered(phrases.code, place),
            "place": place,
            "words": text.text,
            "picture": site.url(f"/j/{link}/image/{shown.claim}/{place}") if text.image else "",
            "caption": text.caption,
            "context": text.context if len(own) > 1 else "",
        }
        for place, text in enumerate(shown.texts)
    ]
    return [context for context in contexts if context], texts


def _section(site: Site, phrases: Phrases, text: Text, values: Mapping[str, Any], *, chosen: bool) -> Markup:
    """One of the three texts. Without a picture, whose address is the judge's own, it is the same for every judge."""
    key = None if values["picture"] else (text, values["place"], values["context"], chosen)
    return site.fragment("text.html", phrases, {**values, "chosen": chosen}, key)


@lru_cache(maxsize=64)
def numbered(language: str, place: int) -> Mapping[str, str]:
    """What is said about a text by its number."""
    say, number = load(language).say, place + 1
    return {
        "name": say("text_number", number=number),
        "choose_text": say("choose_text", number=number),
        "mark_text": say("mark_text", number=number),
        "picture_of": say("picture_of", number=number),
    }


def boxes(text: str, place: int, spans: Sequence[Span], ticked: frozenset[str] = frozenset()) -> Markup:
    """A box for each part of a text that can be marked."""
    lines = []
    for start, end in spans:
        value = f"{place}-{start}-{end}"
        tick = " checked" if value in ticked else ""
        box = f'<input type="checkbox" name="mark" value="{value}"{tick}>'
        lines.append(f"<label>{box}<span>{escape(text[start:end])}</span></label>")
    return Markup("\n".join(lines))


_unticked = lru_cache(maxsize=2_048)(boxes)  # most of a page's bytes, and the same for every judge


def feedback(
    site: Site,
    link: str,
    judgement: Judgement,
    number: int,
    phrases: Phrases,
    *,
    failed: bool,
    right: int,
) -> Page:
    """Whether a practice answer was right, why, and how many were; `failed` where the study ends here.

    The texts are shown once more with the odd one named: whoever is to learn from it must be able to look back.
    """
    service, odd = site.service, odd_position(judgement.triad)
    slot = practice_slot(service.frozen, number, judgement.judge)
    shown = Evaluation(
        practice_claim(judgement.judge, number),
        slot.id,
        number,
        service.practice_total,
        tuple(service.frozen.text[text] for text in judgement.texts),
        judgement.shown_at,
        practice=True,
    )
    contexts, texts = _texts(site, link, shown, phrases)
    return Page(
        "feedback.html",
        {
            "right": judgement.correct,
            "chosen": judgement.answer + 1,
            "odd": odd + 1,
            "contexts": contexts,
            "texts": texts,
            "explanation": say(explanation(service.frozen, slot), phrases.code),
            "number": number,
            "correct": right,
            "total": service.practice_total,
            "going_on": not failed,
        },
    )


def ending(site: Site, step: Step, phrases: Phrases) -> Page:
    """The end: thanks, the code, the way back."""
    study = site.service.study
    own = say(wording(study, step), phrases.code)
    values = {
        "key": step.kind,
        "text": own or phrases.say(step.kind),
        "completion": step.code,
        "redirect": step.redirect,
        "seconds": REDIRECT_AFTER,
        "change": step.kind == "done" and step.done > 0 and study.corrections == "allow",
    }
    headers = {"refresh": f"{REDIRECT_AFTER}; url={in_ascii(step.redirect)}"} if step.redirect else {}
    same = tuple(values.values())
    return Page("done.html", values, 200, headers, same)
