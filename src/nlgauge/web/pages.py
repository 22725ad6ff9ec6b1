"""A step of a judge → what its page shows; what is judged, and how, is shown by the protocol's own pages.

Nothing that is handed to a template here or there names a slot, triad, subject, input or text id: a page holds the
claim, a random name, and the texts in their order on screen. Pictures are only files that the study froze, inside its
folder, of kinds that cannot carry a script.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError
from nlgauge.study.file.endings import in_ascii, wording
from nlgauge.study.file.study import Question, say
from nlgauge.study.freeze.texts import image_path
from nlgauge.study.model import Step, Talk
from nlgauge.web import forms
from nlgauge.web.forms import Values
from nlgauge.web.language import Phrases
from nlgauge.web.protocols.base import Page, Screen
from nlgauge.web.site import Site
from nlgauge.wording.languages import apart

REDIRECT_AFTER = 30  # seconds, time enough to copy the code


def of_step(site: Site, link: str, step: Step, phrases: Phrases) -> Page:
    """The page for what a judge is to see next."""
    if step.evaluation is not None:
        screen = Screen(site, link, step.evaluation, phrases, can_change=step.done > 0)
        return site.pages.evaluation(screen)
    if step.kind == "questions":
        return questions(site, phrases)
    if step.kind == "closing":
        return closing(site, phrases)
    if step.kind == "comprehension":
        return comprehension(site, site.service.people.attempts(step.judge) + 1, phrases)
    if step.talk is not None:
        return discussion(site, link, step.talk, phrases)
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
        "practice": site.service.context.practice_total,
    }
    return Page("instructions.html", values, same=step.total)


def questions(site: Site, phrases: Phrases, form: Values | None = None) -> Page:
    """The questions about the judge; with a form, what was typed and what is wrong with it."""
    return _asked("questions.html", site.service.study.questions, phrases, form)


def closing(site: Site, phrases: Phrases, form: Values | None = None) -> Page:
    """The questions at the end."""
    study = site.service.study
    return _asked("closing.html", study.closing, phrases, form, values={"change": study.corrections == "allow"})


def leave(site: Site, phrases: Phrases, *, asks: bool, form: Values | None = None) -> Page:
    """Whether to leave for good; who has judged texts may answer the questions at the end before."""
    asked = site.service.study.closing if asks else ()
    return _asked("leave.html", asked, phrases, form, leaving=True)


def _asked(
    template: str,
    asked: Sequence[Question],
    phrases: Phrases,
    form: Values | None,
    *,
    leaving: bool = False,
    values: Mapping[str, Any] | None = None,
) -> Page:
    """Questions put to the judge on a page of their own; who leaves must answer none."""
    wrong: dict[int, str] = {}
    answers = forms.personal(form or {}, asked)
    for number, key, more in forms.personal_mistakes(answers, asked, leaving=leaving) if form else ():
        wrong[number] = phrases.say(key, **more)
    fields: list[dict[str, Any]] = [
        {
            "name": forms.field_name(number),
            "text": say(question.text, phrases.code),
            "type": question.type,
            "required": question.required and not leaving,
            "options": [say(option, phrases.code) for option in question.options],
            "points": _points(question, phrases) if question.type == "scale" else (),
            "given": answers[question.id],
            "mistake": wrong.get(number, ""),
        }
        for number, question in enumerate(asked)
    ]
    mistakes = [  # each with its question, whose direction may be another
        (
            field["name"] + ("" if field["type"] in ("text", "number") else "-0"),
            f"{apart(field['text'], always=True)} {field['mistake']}",
        )
        for field in fields
        if field["mistake"]
    ]
    shown = {"fields": fields, "mistakes": mistakes, **(values or {})}
    return Page(template, shown, 422 if mistakes else 200, same=None if form else (template, bool(asked)))


def _points(question: Question, phrases: Phrases) -> list[tuple[str, str]]:
    """The points of a scale, the ends with their words."""
    words = {1: say(question.low, phrases.code), question.points: say(question.high, phrases.code)}
    return [(str(point), words.get(point, "")) for point in range(1, question.points + 1)]


def comprehension(site: Site, attempt: int, phrases: Phrases, form: Values | None = None) -> Page:
    """The test before the first text; with a form, what was chosen and what lacks."""
    test = site.service.study.test
    assert test is not None
    fields = []
    for number, asked in enumerate(test.questions):
        given = forms.one(form, forms.field_name(number)) if form else ""
        lacks = form is not None and forms.option(given, len(asked.options)) is None
        fields.append(
            {
                "name": forms.field_name(number),
                "text": say(asked.text, phrases.code),
                "options": [say(option, phrases.code) for option in asked.options],
                "given": given,
                "mistake": phrases.say("error_required") if lacks else "",
            }
        )
    mistakes = [
        (f"{field['name']}-0", f"{apart(str(field['text']), always=True)} {field['mistake']}")
        for field in fields
        if field["mistake"]
    ]
    study = site.service.study
    values = {
        "fields": fields,
        "mistakes": mistakes,
        "attempt": attempt,
        "number_words": phrases.number(attempt),
        "total_words": phrases.number(test.attempts),
        "instructions": say(study.instructions, phrases.code) or site.pages.instructions(site, phrases),
    }
    return Page("comprehension.html", values, 422 if mistakes else 200)


def discussion(site: Site, link: str, talk: Talk, phrases: Phrases, form: Values | None = None) -> Page:
    """A text on which judges differ, with the answers of all, and the questions once more."""
    study = site.service.study.worded(talk.shown.wording)
    before = site.pages.written(talk.given.answer, study)
    page = site.pages.change(Screen(site, link, talk.shown, phrases, form or before))
    mistakes = [value for value in page.values["mistakes"] if value[0] not in ("reason", "marks")]
    values = {
        **page.values,
        "mistakes": mistakes if form else [],
        "asks_reason": "no",
        "asks_marks": "no",
        "texts": [],
        "earlier": list(site.pages.answers_told(talk.given.answer, talk.others, study, phrases)),
        "comments": talk.comments,
        "comment": forms.one(form or {}, "comment"),
        "change_id": talk.given.id,
        "number": talk.number,
        "total": talk.total,
        "number_words": phrases.number(talk.number),
        "total_words": phrases.number(talk.total),
    }
    return Page("discussion.html", values, 422 if form and mistakes else 200)


def _said_at_the_end(step: Step, phrases: Phrases) -> str:
    """The pages' own words; who fails reads what was not passed."""
    if step.kind == "failed" and step.failed == "comprehension":
        return phrases.say("failed_comprehension")
    if step.kind == "failed" and step.failed == "checks":
        return phrases.say("failed_checks")
    return phrases.say(step.kind)


def ending(site: Site, step: Step, phrases: Phrases) -> Page:
    """The end: thanks, the code, the way back."""
    study = site.service.study
    own = say(wording(study, step), phrases.code)
    values = {
        "key": step.kind,
        "text": own or _said_at_the_end(step, phrases),
        "completion": step.code,
        "redirect": step.redirect,
        "seconds": REDIRECT_AFTER,
        "change": step.kind == "done" and step.done > 0 and study.corrections == "allow",
    }
    headers = {"refresh": f"{REDIRECT_AFTER}; url={in_ascii(step.redirect)}"} if step.redirect else {}
    same = tuple(values.values())
    return Page("done.html", values, 200, headers, same)


LOG = logging.getLogger("nlgauge.web")
SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def picture(folder: Path, name: str, frozen: str) -> tuple[bytes, str] | None:
    """A picture and its type by its first bytes; None where it is not the one with that SHA-256 any more, or none."""
    try:
        content = image_path(folder, name, "a text").read_bytes()
    except (InputError, OSError):
        content = b""
    kind = sniffed(content)
    if kind is None or hashlib.sha256(content).hexdigest() != frozen:
        LOG.warning("the picture %s is not the one that was frozen at launch; judges do not see it", name)
        return None
    return content, kind


def sniffed(content: bytes) -> str | None:
    """The type that the first bytes show; what a file is called does not count."""
    for signature, kind in SIGNATURES:
        if content.startswith(signature):
            return kind
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    if content[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    return None
