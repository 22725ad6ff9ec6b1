"""A step of a judge → what its page shows; what is judged, and how, is shown by the protocol's own pages.

Nothing that is handed to a template here or there names a slot, triad, subject, input or text id: a page holds the
claim, a random name, and the texts in their order on screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nlgauge.study.addresses import in_ascii
from nlgauge.study.base import Step
from nlgauge.study.design import say
from nlgauge.study.endings import wording
from nlgauge.web import forms
from nlgauge.web.forms import Values
from nlgauge.web.language import Phrases
from nlgauge.web.protocols.base import Page
from nlgauge.web.site import Site
from nlgauge.wording.direction import apart

REDIRECT_AFTER = 30  # seconds, time enough to copy the code


def of_step(site: Site, link: str, step: Step, phrases: Phrases) -> Page:
    """The page for what a judge is to see next."""
    if step.evaluation is not None:
        return site.pages.evaluation(site, link, step.evaluation, phrases, can_change=step.done > 0)
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
        "text": say(site.service.study.instructions, phrases.code) or site.pages.instructions(site, phrases),
        "count": phrases.say(site.pages.count, total=site.pages.amount(site.service.study, step.total)),
        "total": step.total,
        "required": site.service.protocol.required(site.service.study),
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
