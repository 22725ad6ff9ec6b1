"""The judges' routes: a personal link shows what the study's service says is next; forms store and lead back to it.

Every form answers 303 to the link itself, so that reload and back are harmless. A page that could not be granted is
shown in the judge's language with the right status, and with what was typed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import anyio
import anyio.to_thread
from starlette.concurrency import run_in_threadpool
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from nlgauge.study.file.endings import ending
from nlgauge.study.model import Judgement, Step
from nlgauge.study.refusals import Refused
from nlgauge.study.service.dealing import practice_number
from nlgauge.web import forms, pages
from nlgauge.web.language import Phrases
from nlgauge.web.protocols.base import Page, Screen
from nlgauge.web.protocols.gold import show_again
from nlgauge.web.security import Stopped, check_origin, check_token
from nlgauge.web.site import Site, agent

STATUS = {
    "unknown": 404,
    "foreign": 409,
    "stage": 409,
    "elsewhere": 409,
    "answered": 409,
    "closed": 410,
    "withdrawn": 410,
    "paused": 503,
    "full": 410,
    "invalid": 422,
    "simulated": 409,
    "vetted": 403,
}


class ShortNumber(IntegerConvertor):
    """A whole number in an address; Python reads none of more than 4,300 digits."""

    regex = "[0-9]{1,9}"


RETURNED = re.compile(r"/practice/[0-9]{1,3}|/leave|/change(/[0-9a-z]{1,64})?")  # pages that a change of language keeps
register_url_convertor("short", ShortNumber())
LINK = re.compile(r"[0-9a-f]{40,64}")
SLOW_THREADS = 64  # forms that may wait for another server at once; more queue


@dataclass
class Visit:
    """A request by a judge."""

    site: Site
    request: Request
    token: str
    judge: str
    form: forms.Values = field(default_factory=dict)

    @property
    def client(self) -> str:
        """What the browser says of itself."""
        return agent(self.request)

    @property
    def here(self) -> str:
        """What of the address follows the link, where it can be asked for again."""
        path: str = self.request.scope["path"]
        return path.partition(self.token)[2] if self.request.method == "GET" else ""

    @cached_property
    def phrases(self) -> Phrases:
        """In the judge's language."""
        return self.spoken(self.site.service.people.language_of(self.judge))

    def spoken(self, language: str) -> Phrases:
        """The phrases of a stored language; before one is stored, what the browser prefers."""
        return self.site.phrases.get(language) or self.site.choose(self.request)

    def back(self, path: str = "") -> Response:
        """Go on from the link."""
        return RedirectResponse(self.site.url(f"/j/{self.token}{path}"), 303)

    def show(self, page: Page, phrases: Phrases | None = None) -> Response:
        """A page with the link's forms."""
        return self.site.render(
            self.request,
            page.template,
            page.status,
            phrases=phrases or self.phrases,
            headers=page.headers,
            same=None if page.same is None else (page.same, self.here),
            late=page.late,
            link=f"/j/{self.token}",
            here=self.here,
            hidden=lambda purpose: self.site.form_token(self.token, purpose),
            **page.values,
        )


Handler = Callable[[Visit], Response]


def routes(site: Site) -> list[Route]:
    """The judges' part of the route table."""
    get: dict[str, Handler] = {
        "/j/{token}/practice/{number:short}": show_feedback,
        "/j/{token}/practice/{number:short}/again": show_again,
        "/j/{token}/change": show_changes,
        "/j/{token}/change/{change}": show_change,
        "/j/{token}/leave": show_leave,
        "/j/{token}/image/{claim}/{place:short}": show_picture,
    }
    post: dict[str, Handler] = {
        "answer": answer,
        "practice": practice,
        "consent": consent,
        "questions": questions,
        "closing": closing,
        "begin": begin,
        "comprehension": comprehension,
        "discussion": discussion,
        "change": change,
        "language": set_language,
        "leave": leave,
        **site.pages.posts,
    }
    there = {f"/j/{{token}}/{purpose}": (purpose, handler) for purpose, handler in post.items()}
    return [
        Route("/j/{token}", _next(site), methods=["GET"]),
        *(Route(path, _asked(site, handler), methods=["GET"]) for path, handler in get.items()),
        *(
            Route(path, _posted(site, handler, purpose, slow=purpose in site.pages.slow), methods=["POST"])
            for path, (purpose, handler) in there.items()
        ),
        # a form's address typed or reloaded leads back to the link, and so does a link with a slash too many
        *(
            Route(path, _asked(site, Visit.back), methods=["GET"])
            for path in ("/j/{token}/", *there)
            if path not in get
        ),
    ]


def _asked(site: Site, handler: Handler) -> Callable[[Request], Response]:
    def endpoint(request: Request) -> Response:
        return _visit(site, request, handler)

    endpoint.__doc__ = handler.__doc__
    return endpoint


def _next(site: Site) -> Callable[[Request], object]:
    async def endpoint(request: Request) -> Response:
        """The page of a personal link: what comes next.

        Most often one read of some ten microseconds: with an embedded database, where a reader waits for nobody, that
        is done here. Passing it to a thread and back would cost more than the page.
        """
        found = _look(site, request)
        return found if found is not None else await run_in_threadpool(_visit, site, request, show)

    return endpoint


def _posted(site: Site, handler: Handler, purpose: str, *, slow: bool = False) -> Callable[[Request], object]:
    # what waits for another server must not keep the threads that everybody's pages need
    waiting = anyio.CapacityLimiter(SLOW_THREADS) if slow else None

    async def endpoint(request: Request) -> Response:
        form = await read_checked(site, request, request.path_params["token"], purpose)
        return await anyio.to_thread.run_sync(_visit, site, request, handler, form, limiter=waiting)

    endpoint.__doc__ = handler.__doc__
    return endpoint


async def read_checked(site: Site, request: Request, link: str, purpose: str) -> forms.Values | Stopped:
    """A form that came from a page of this site, or why it is not taken."""
    try:
        check_origin(request.method, request.headers, site.base)
        form = await forms.read(request)
        check_token(site.secret, form, link, purpose)
    except Stopped as stopped:
        return stopped
    return form


def _visit(site: Site, request: Request, handler: Handler, form: forms.Values | Stopped | None = None) -> Response:
    """Find the judge of a link and do what was asked; what cannot be granted is said in the judge's language."""
    token, judge = request.path_params["token"], None
    try:
        check_link(token)
        if isinstance(form, Stopped):
            judge = site.service.arrivals.judge_of(token)
            raise form
        judge = site.follow(token, request)
        if form is None and site.service.people.forgotten(judge):  # a form of theirs is refused by every verb
            judge = None
            raise Refused("unknown", "this link is not valid any more")
        return handler(Visit(site, request, token, judge, form or {}))
    except (Refused, Stopped) as error:
        if judge is None and isinstance(error, Refused) and error.code == "closed":
            # invited, but too late: the way back is that of everybody else whom the end of the study met
            panel = site.service.arrivals.invited(token)
            return turned_away(site, request, error, panel, "link", site.choose(request))
        status = error.status if isinstance(error, Stopped) else STATUS.get(error.code, 409)
        link = f"/j/{token}" if judge else ""
        phrases = Visit(site, request, token, judge).phrases if judge else None
        return refused(site, request, error.code, status, link=link, phrases=phrases)


def check_link(token: str) -> None:
    """What cannot be a link is refused without asking the database."""
    if LINK.fullmatch(token) is None:
        raise Refused("unknown", "this link is not valid; check that it was copied whole")


def refused(
    site: Site, request: Request, code: str, status: int, *, link: str = "", phrases: Phrases | None = None
) -> Response:
    """A page that says plainly what happened."""
    return site.render(request, "message.html", status, phrases=phrases, key=code, back=link, leaving=False)


def turned_away(site: Site, request: Request, refusal: Refused, panel: str, access: str, phrases: Phrases) -> Response:
    """The same for somebody who was not registered: where the study is full or closed, with the way back."""
    code, redirect = ending(site.service.study, panel, access, refusal.code)
    if not (code or redirect):
        return refused(site, request, refusal.code, STATUS[refusal.code], phrases=phrases)
    step = Step(refusal.code, "", panel, phrases.code, code=code, redirect=redirect)
    page = pages.ending(site, step, phrases)
    status = STATUS[refusal.code]
    return site.render(request, page.template, status, phrases=phrases, headers=page.headers, **page.values)


# ------------------------------------------------------------------------------------------------ a judge's pages


def show(visit: Visit) -> Response:
    """The page of a personal link: what comes next."""
    return _show_step(visit, visit.site.service.dealing.step(visit.judge, greet=True))


def _show_step(visit: Visit, step: Step) -> Response:
    phrases = visit.spoken(step.language)
    return visit.show(pages.of_step(visit.site, visit.token, step, phrases), phrases)


def _look(site: Site, request: Request) -> Response | None:
    """The same page where it takes a read and nothing else, else None."""
    token = request.path_params["token"]
    judge = site.followed(token)
    if judge is None or not site.service.store.embedded:
        return None
    try:
        step = site.service.dealing.look(judge, greet=True)
    except Refused:
        return None  # said on a page of its own
    if step is None or step.kind == "withdrawn":  # or forgotten: whose link is none any more
        return None
    return _show_step(Visit(site, request, token, judge), step)


def show_feedback(visit: Visit) -> Response:
    """Whether a practice answer was right."""
    number = visit.request.path_params["number"]
    given = visit.site.service.answers.feedback(visit.judge, number)
    if given is None or not visit.site.service.protocol.feedback(visit.site.service.study):
        return visit.back()
    phrases = visit.spoken(given.language)
    page = visit.site.pages.feedback(visit.site, visit.token, given, number, phrases)
    return visit.back() if page is None else visit.show(page, phrases)


def show_leave(visit: Visit) -> Response:
    """Asks whether to leave for good."""
    return visit.show(pages.leave(visit.site, visit.phrases, asks=visit.site.service.dealing.closes(visit.judge)))


def show_changes(visit: Visit) -> Response:
    """The answers that can be changed."""
    if visit.site.service.study.corrections != "allow":
        return visit.back()
    given = visit.site.service.answers.given(visit.judge)
    study, told = visit.site.service.study, visit.site.pages.told
    listed = [
        (number, judgement.id, told(judgement, study, visit.phrases))
        for number, (judgement, _) in enumerate(given, start=1)
    ]
    return visit.show(Page("changes.html", {"answers": listed[::-1]}))


def show_change(visit: Visit) -> Response:
    """One answer to be changed, with its texts."""
    if visit.site.service.study.corrections != "allow":
        return visit.back()
    given, claim, number = _given(visit, visit.request.path_params["change"])
    before: forms.Values = {
        **visit.site.pages.written(given.answer, visit.site.service.study),
        "reason": [given.reason],
        "mark": [f"{place}-{start}-{end}" for place, start, end in given.highlights],
    }
    return _change_page(visit, given, claim, number, before)


def _change_page(
    visit: Visit, given: Judgement, claim: str, number: int, form: forms.Values, status: int = 200
) -> Response:
    shown = visit.site.service.answers.shown(visit.judge, claim)
    page = visit.site.pages.change(Screen(visit.site, visit.token, shown, visit.phrases, form))
    values = {**page.values, "purpose": "change", "change_id": given.id, "number": number}
    return visit.show(Page(page.template, values, status))


def _given(visit: Visit, wanted: str) -> tuple[Judgement, str, int]:
    for number, (judgement, claim) in enumerate(visit.site.service.answers.given(visit.judge), start=1):
        if judgement.id == wanted:
            return judgement, claim, number
    raise Refused("unknown", "there is no such answer of this judge")


def show_picture(visit: Visit) -> Response:
    """The picture of a text, by its place on screen."""
    place = visit.request.path_params["place"]
    texts = visit.site.service.answers.shown(visit.judge, forms.checked_name(visit.request.path_params["claim"])).texts
    name = (texts[place].image or "") if 0 <= place < len(texts) else ""
    frozen = visit.site.service.frozen.images.get(name)
    found = pages.picture(visit.site.folder, name, frozen) if frozen else None
    if found is None:
        raise Stopped(404, "notfound")
    return Response(found[0], media_type=found[1])


# ------------------------------------------------------------------------------------------------ a judge's forms


def consent(visit: Visit) -> Response:
    """Agree and take part, or not."""
    agreed = forms.one(visit.form, "agree")
    asked = visit.site.service.study.consent
    if agreed not in ("yes", "no") or (agreed == "yes" and asked and asked.agree and "ticked" not in visit.form):
        mistakes = [("ticked", visit.phrases.say("error_agree"))]
        return visit.show(pages.consent(visit.site, visit.phrases, mistakes))
    visit.site.service.people.consent(visit.judge, agreed == "yes")
    return visit.back()


def questions(visit: Visit) -> Response:
    """Answers to the questions about the judge."""
    asked = visit.site.service.study.questions
    answers = forms.personal(visit.form, asked)
    if any(forms.personal_mistakes(answers, asked)):
        return visit.show(pages.questions(visit.site, visit.phrases, visit.form))
    visit.site.service.people.answer_questions(visit.judge, answers)
    return visit.back()


def closing(visit: Visit) -> Response:
    """Answers to the questions at the end."""
    asked = visit.site.service.study.closing
    answers = forms.personal(visit.form, asked)
    if any(forms.personal_mistakes(answers, asked)):
        return visit.show(pages.closing(visit.site, visit.phrases, visit.form))
    visit.site.service.people.answer_closing(visit.judge, answers)
    return visit.back()


def begin(visit: Visit) -> Response:
    """Go on from the instructions to the first text."""
    visit.site.service.dealing.begin(visit.judge)
    return visit.back()


def comprehension(visit: Visit) -> Response:
    """Answers to the test before the first text."""
    service, test = visit.site.service, visit.site.service.study.test
    attempt = forms.option(forms.one(visit.form, "attempt"), test.attempts if test is not None else 0)
    if test is None or attempt is None:
        return visit.back()
    given = [
        forms.option(forms.one(visit.form, forms.field_name(number)), len(asked.options))
        for number, asked in enumerate(test.questions)
    ]
    chosen = [value for value in given if value is not None]
    if len(chosen) < len(given):
        return visit.show(pages.comprehension(visit.site, attempt, visit.phrases, visit.form))
    service.people.answer_test(visit.judge, attempt, chosen)
    return visit.back()


def discussion(visit: Visit) -> Response:
    """An answer after the discussion, with a comment."""
    service, wanted = visit.site.service, forms.name(visit.form, "change")
    if _mistaken(visit, practice=True):
        talk = service.discussion.talk(visit.judge, wanted)
        if talk is None:
            return visit.back()
        return visit.show(pages.discussion(visit.site, visit.token, talk, visit.phrases, visit.form))
    now = visit.site.pages.read(visit.form, service.study)
    comment = forms.one(visit.form, "comment")
    service.answers.rerate(visit.judge, wanted, now, comment=comment, client=visit.client)
    return visit.back()


def practice(visit: Visit) -> Response:
    """An answer for practice."""
    claim, service = forms.name(visit.form, "claim"), visit.site.service
    number = practice_number(visit.judge, claim)
    if number is None or _mistaken(visit, practice=True):
        return _evaluation_again(visit, claim)
    given = visit.site.pages.read(visit.form, service.study)
    service.answers.answer_practice(visit.judge, number, given, client=visit.client)
    return visit.back(f"/practice/{number}" if service.protocol.feedback(service.study) else "")


def answer(visit: Visit) -> Response:
    """The answer to what is on screen, with reasons."""
    claim, service = forms.name(visit.form, "claim"), visit.site.service
    if _mistaken(visit):
        return _evaluation_again(visit, claim)
    given = visit.site.pages.read(visit.form, service.study)
    service.answers.answer(visit.judge, claim, given, **_reasons(visit), client=visit.client)
    return visit.back()


def _mistaken(visit: Visit, *, practice: bool = False) -> bool:
    pages, study = visit.site.pages, visit.site.service.study
    return pages.unfinished(visit.form) or any(pages.mistakes(visit.form, study, practice=practice))


def _evaluation_again(visit: Visit, claim: str) -> Response:
    """What was sent, and what is wrong with it."""
    shown = visit.site.service.answers.shown(visit.judge, claim)
    screen = Screen(visit.site, visit.token, shown, visit.phrases, visit.form)
    return visit.show(visit.site.pages.evaluation(screen))


def _reasons(visit: Visit) -> dict[str, Any]:
    """What was written and marked, as far as the study asks for it."""
    asked = visit.site.service.study.reasons
    return {
        "reason": forms.one(visit.form, "reason") if asked.text != "no" else "",
        "highlights": forms.marks(visit.form) if asked.highlight != "no" else (),
    }


def change(visit: Visit) -> Response:
    """Another answer in place of one given before."""
    wanted, service = forms.name(visit.form, "change"), visit.site.service
    if _mistaken(visit):
        given, claim, number = _given(visit, wanted)
        return _change_page(visit, given, claim, number, visit.form, 422)
    now = visit.site.pages.read(visit.form, service.study)
    service.answers.correct(visit.judge, wanted, now, **_reasons(visit), client=visit.client)
    return visit.back()


def set_language(visit: Visit) -> Response:
    """Read on in another language."""
    visit.site.service.people.set_language(visit.judge, forms.one(visit.form, "language"))
    here = forms.one(visit.form, "here")
    return visit.back(here if RETURNED.fullmatch(here) else "")


def leave(visit: Visit) -> Response:
    """Leave for good."""
    asked = visit.site.service.study.closing
    answers = forms.personal(visit.form, asked)
    if any(forms.personal_mistakes(answers, asked, leaving=True)):
        return visit.show(pages.leave(visit.site, visit.phrases, asks=True, form=visit.form))
    visit.site.service.people.withdraw(visit.judge, answers)
    return visit.back()
