"""The site as an ASGI application: the only place where routes, middleware and error pages come together."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio.to_thread
import sqlalchemy as sa
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from nlgauge.study.model import clean
from nlgauge.study.refusals import Refused
from nlgauge.study.service import Service
from nlgauge.study.service.arrivals import BESIDE
from nlgauge.web import forms, judges
from nlgauge.web.forms import ANSWER, FORMS, OWN_FORMS, Field
from nlgauge.web.judges import STATUS, check_link, read_checked, refused, turned_away
from nlgauge.web.security import LARGEST_BODY, Guard, Stopped, folder_secret, sign, verify
from nlgauge.web.site import Site, agent

PROBE = 0.5  # seconds that the database has to answer a probe
THREADS = 12  # at work on the database at once; more wait their turn, without a connection
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def create_app(
    service: Service,
    *,
    folder: str | Path,
    secret: bytes | None = None,
    base: str = "",
    address: str = "",
    dashboard: bool = True,
    clock: Callable[[], float] | None = None,
) -> Starlette:
    """The judges' site and the dashboard of a launched study; `base` is where it is reached from outside.

    `address` is where it listens: without a base, links that are to be sent begin with it.
    """
    site = Site(
        service,
        Path(folder),
        secret or folder_secret(folder),
        base.rstrip("/"),
        dashboard,
        clock or service.context.clock,
        address=base.rstrip("/") or address,
    )
    app = Starlette(
        routes=routes(site),
        middleware=[Middleware(Guard, fault=_fault(site), prefix=site.prefix, https=base.startswith("https:"))],
        exception_handlers=_handlers(site),
        lifespan=_lifespan,
    )
    app.router.redirect_slashes = False  # it would name the host that the request claims
    app.state.site = site
    return app


def routes(site: Site) -> list[Any]:
    """The whole route table."""
    probe = Probe(site)
    found: list[Any] = [
        *judges.routes(site),  # first, because routes are tried one after another
        *arrivals(site),
        Route("/", _home(site), methods=["GET"]),
        Route("/health", probe.health, methods=["GET"]),
        Route("/ready", probe.ready, methods=["GET"]),
        Route("/static/{version}/{name}", _static(site), methods=["GET"]),
    ]
    # what the researcher's pages are called is nobody's business who cannot see them
    described = document(found, site.base, site.pages.fields(site.service.study))
    if site.dashboard:
        from nlgauge.web import dashboard

        found += dashboard.routes(site)
    return [*found, Route("/openapi.json", _openapi(described), methods=["GET"])]


@asynccontextmanager
async def _lifespan(app: ASGIApp) -> AsyncIterator[None]:
    anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
    yield


def _home(site: Site) -> Callable[[Request], Response]:
    def endpoint(request: Request) -> Response:
        """Says that a link is needed."""
        return site.render(request, "home.html")

    return endpoint


def _openapi(described: dict[str, Any]) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        """This document."""
        return JSONResponse(described)

    return endpoint


class Probe:
    """Asks the database how the study stands, for as long as a probe may take; one question at a time."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._asked: asyncio.Future[str] | None = None

    async def facts(self) -> dict[str, Any]:
        """What is known now; no status where the database does not answer in time."""
        if self._asked is None or self._asked.done():
            self._asked = asyncio.get_running_loop().run_in_executor(None, lambda: self.site.service.status)
            self._asked.add_done_callback(lambda done: done.cancelled() or done.exception())
        asked = self._asked  # while this waits, another probe may ask anew
        done, _ = await asyncio.wait([asked], timeout=PROBE)
        known = bool(done) and not asked.cancelled() and asked.exception() is None
        return {
            "status": asked.result() if known else None,
            "rehearsal": self.site.service.context.simulated,
            "database": "answers" if known else "does not answer",
        }

    async def health(self, request: Request) -> Response:
        """Whether the site answers; and its study's status, where the database answers too."""
        return JSONResponse(await self.facts())

    async def ready(self, request: Request) -> Response:
        """The same, with status 503 where the database does not answer."""
        facts = await self.facts()
        if facts["status"] is not None:
            return JSONResponse(facts)
        return JSONResponse(facts, 503, headers={"retry-after": "5"})


def _static(site: Site) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        """One of the site's own files; its hash is part of the address, so it may be kept for good."""
        name, version = request.path_params["name"], request.path_params["version"]
        if site.versions.get(name) != version:
            raise HTTPException(404)
        headers = {"cache-control": "public, max-age=31536000, immutable"}
        return Response(site.statics[name], headers=headers, media_type=TYPES.get(Path(name).suffix))

    return endpoint


def _handlers(site: Site) -> dict[Any, Any]:
    async def stopped(request: Request, error: Exception) -> Response:
        assert isinstance(error, Stopped)
        return judges.refused(site, request, error.code, error.status)

    async def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        code = {404: "notfound", 405: "method"}.get(error.status_code, "invalid")
        page = judges.refused(site, request, code, error.status_code)
        page.headers.update(error.headers or {})
        return page

    return {Stopped: stopped, HTTPException: http}


def _fault(site: Site) -> Callable[[Request, Exception], Response]:
    def page(request: Request, error: Exception) -> Response:
        """The database cannot be reached or is overrun: come again. Anything else is a fault of ours."""
        if isinstance(error, sa.exc.OperationalError | sa.exc.TimeoutError):
            busy = judges.refused(site, request, "busy", 503)
            busy.headers["retry-after"] = "5"
            return busy
        return judges.refused(site, request, "fault", 500)

    return page


VERSION = "1"  # of the addresses and forms; which program serves them is nobody's business
PARAMETERS = {
    "token": {"type": "string", "description": "the link's secret, 44 hexadecimal digits"},
    "number": {"type": "integer", "minimum": 0},
    "place": {"type": "integer", "minimum": 0},
}
PAGE = "text/html"
KINDS = {  # what a route gives where it gives no page
    "/health": ("application/json",),
    "/ready": ("application/json",),
    "/openapi.json": ("application/json",),
    "/static/{version}/{name}": ("text/css", "text/javascript", "image/svg+xml"),
    "/j/{token}/image/{claim}/{place}": ("image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"),
    "/dashboard/links.csv": ("text/csv",),
    "/dashboard/links.txt": ("text/plain",),
    "/dashboard/report/{digest}.css": ("text/css",),
}
DOWNLOADS = ("text/csv", "application/x-ndjson", "application/vnd.apache.parquet")
ANSWERS = {
    "200": "a page, or a picture",
    "303": "stored; go on there",
    "400": "the platform's id is missing",
    "403": "the form was not sent from a page of this site",
    "404": "no such link or page",
    "405": "this address does not accept that kind of request",
    "408": "the form came too slowly",
    "409": "not now: another step is next, or it was answered before",
    "410": "the study has ended for this judge, or for all",
    "413": f"more than {LARGEST_BODY:,} bytes, or too many fields",
    "415": "not a form as browsers send it",
    "422": "something in the form lacks or does not fit; the page shows it again",
    "429": "too many attempts to log in; Retry-After says when the next is checked",
    "503": "the study is paused",
}


def document(routes: Sequence[Any], base: str, answer: Sequence[Field] = (ANSWER,)) -> dict[str, Any]:
    """OpenAPI 3.1 of every route that is described by its function's docstring; `answer`: the fields of an answer."""
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        if not isinstance(route, Route) or not route.include_in_schema:
            continue
        path = re.sub(r":\w+(?=\})", "", route.path)
        for method in sorted((route.methods or set()) - {"HEAD"}):
            paths.setdefault(path, {})[method.lower()] = _operation(route, path, method, answer)
    return {
        "openapi": "3.1.0",
        "info": {"title": "nlgauge study", "version": VERSION},
        "servers": [{"url": base or "/"}],
        "paths": paths,
    }


def _operation(route: Route, path: str, method: str, answer: Sequence[Field]) -> dict[str, Any]:
    names = re.findall(r"\{(\w+)\}", path)
    found: dict[str, Any] = {
        "summary": (route.endpoint.__doc__ or "").strip().partition("\n")[0],
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": PARAMETERS.get(name, {"type": "string"})}
            for name in names
        ],
        "responses": {
            status: {"description": words, **_content(path, method, status)} for status, words in ANSWERS.items()
        },
    }
    purpose = "register" if path.startswith("/o/") else path.rpartition("/")[2]
    if method == "POST":
        named = {**FORMS, **OWN_FORMS}.get(purpose, ()) if path.startswith(("/j/", "/o/")) else ()
        fields = [field for name in named for field in (answer if name is ANSWER else (name,))]
        found["requestBody"] = {"content": {"application/x-www-form-urlencoded": {"schema": _schema(fields)}}}
    return found


def _content(path: str, method: str, status: str) -> dict[str, Any]:
    """The media types of an answer; a redirect has none."""
    if status == "303":
        return {}
    kinds: tuple[str, ...] = (PAGE,)
    if status == "200":
        kinds = (PAGE, *DOWNLOADS) if (path, method) == ("/dashboard/export", "POST") else KINDS.get(path, kinds)
    return {"content": {kind: {} for kind in kinds}}


def _schema(fields: Sequence[Field]) -> Mapping[str, Any]:
    return {
        "type": "object",
        "properties": {field.name: _field(field) for field in fields},
        "required": [field.name for field in fields if field.required],
    }


def _field(field: Field) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "string", "description": field.about}
    if field.options:
        found["enum"] = list(field.options)
    elif field.pattern:
        found["pattern"] = field.pattern
    else:
        found["maxLength"] = field.most
    return {"type": "array", "items": found, "description": field.about} if field.many else found


PLATFORMS = {"PROLIFIC_PID": "prolific", "workerId": "mturk", "id": "platform"}
KNOWN = 180 * 86_400  # seconds that a browser is known as a person's
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"


def arrivals(site: Site) -> list[Route]:
    """The links by which judges arrive who have none of their own: the open link, and a recruiting platform's."""
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
