"""The links by which judges arrive who have none of their own: the open link, and a recruiting platform's."""

from __future__ import annotations

from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from nlgauge.study.model import clean
from nlgauge.study.refusals import Refused
from nlgauge.study.service.arrivals import BESIDE
from nlgauge.web import forms
from nlgauge.web.judges import STATUS, check_link, read_checked, refused, turned_away
from nlgauge.web.security import Stopped, sign, verify
from nlgauge.web.site import Site, agent

PLATFORMS = {"PROLIFIC_PID": "prolific", "workerId": "mturk", "id": "platform"}
KNOWN = 180 * 86_400  # seconds that a browser is known as a person's
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"


def routes(site: Site) -> list[Route]:
    """The addresses of these links."""
    return [
        Route("/o/{token}", _open(site), methods=["GET", "POST"]),
        Route("/p/{token}", _platform(site), methods=["GET"]),
    ]


def _open(site: Site) -> Callable[[Request], object]:
    async def endpoint(request: Request) -> Response:
        """The open link: GET greets, POST registers a new judge and leads to a link of their own."""
        token = request.path_params["token"]
        if request.method != "POST":
            return await run_in_threadpool(_greet, site, request, token)
        form = await read_checked(site, request, token, "register")
        if isinstance(form, Stopped):
            raise form
        return await run_in_threadpool(_register, site, request, token, form)

    return endpoint


def _greet(site: Site, request: Request, link: str) -> Response:
    try:
        check_link(link)
        panel = site.service.arrivals.panel_of(link)
    except Refused as refusal:
        return refused(site, request, refusal.code, STATUS[refusal.code])
    try:
        site.service.arrivals.welcome(link)
    except Refused as refusal:
        return turned_away(site, request, refusal, panel, "open", site.choose(request))
    token = site.form_token(link, "register")
    return site.render(request, "welcome.html", same="welcome", late={"open": f"/o/{link}", "register": token})


def _register(site: Site, request: Request, token: str, form: forms.Values) -> Response:
    wanted = forms.one(form, "language")
    language = wanted if wanted in site.phrases else site.choose(request).code
    try:
        check_link(token)
        panel = site.service.arrivals.panel_of(token)
    except Refused as refusal:
        return refused(site, request, refusal.code, STATUS[refusal.code], phrases=site.phrases[language])
    try:
        _, own = site.service.arrivals.register(panel, language=language, client=agent(request))
    except Refused as refusal:
        return turned_away(site, request, refusal, panel, "open", site.phrases[language])
    return RedirectResponse(site.url(f"/j/{own}"), 303)


def _platform(site: Site) -> Callable[[Request], Response]:
    def endpoint(request: Request) -> Response:
        """A recruiting platform's link: the same person is the same judge.

        A platform's id is known to others, so it leads back to the judge's link only with the cookie that was set at
        the first visit, or with the same session of the platform.
        """
        query = request.query_params
        try:
            check_link(request.path_params["token"])
            panel = site.service.arrivals.panel_of(request.path_params["token"])
            if query.get("assignmentId") == PREVIEW:
                return refused(site, request, "preview", 200)
            name = next((name for name in PLATFORMS if query.get(name, "").strip("{}% ")), None)
            if name is None or "{%" in query[name]:  # a placeholder that no platform filled in
                raise Stopped(400, "missing_id")
        except Refused as refusal:
            return refused(site, request, refusal.code, STATUS[refusal.code])
        person = (PLATFORMS[name], clean(query[name]).strip())
        cookie = f"nlgauge_{site.service.id[:8]}_{sign(site.secret, *person)[:16]}"
        try:
            _, own = site.service.arrivals.register_platform(
                panel,
                PLATFORMS[name],
                query[name],
                data={key: clean(query[key])[:256] for key in BESIDE if key in query},
                language=site.choose(request).code,
                client=agent(request),
                proven=verify(site.secret, request.cookies.get(cookie, ""), "platform", *person),
            )
        except Refused as refusal:
            if refusal.code == "elsewhere":
                return refused(site, request, refusal.code, STATUS[refusal.code])
            return turned_away(site, request, refusal, panel, "platform", site.choose(request))
        answer = RedirectResponse(site.url(f"/j/{own}"), 303)
        answer.set_cookie(
            cookie,
            sign(site.secret, "platform", *person),
            max_age=KNOWN,
            path=site.url("/p"),
            secure=site.base.startswith("https:"),
            httponly=True,
            samesite="lax",  # it comes with a link of the platform's page
        )
        return answer

    return endpoint
