"""The site as an ASGI application: the only place where routes, middleware and error pages come together."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio.to_thread
import sqlalchemy as sa
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from nlgauge.study.service import Service
from nlgauge.web import arriving, judges
from nlgauge.web.openapi import document
from nlgauge.web.security import Guard, Stopped, folder_secret
from nlgauge.web.site import Site

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
        *arriving.routes(site),
        Route("/", _home(site), methods=["GET"]),
        Route("/health", _health(probe), methods=["GET"]),
        Route("/ready", _ready(probe), methods=["GET"]),
        Route("/static/{version}/{name}", _static(site), methods=["GET"]),
    ]
    # what the researcher's pages are called is nobody's business who cannot see them
    described = document(found, site.base, site.pages.fields(site.service.study))
    if site.dashboard and importlib.util.find_spec("nlgauge.web.dashboard") is not None:
        found += importlib.import_module("nlgauge.web.dashboard").routes(site)
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


def _health(probe: Probe) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        """Whether the site answers; and its study's status, where the database answers too."""
        return JSONResponse(await probe.facts())

    return endpoint


def _ready(probe: Probe) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        """The same, with status 503 where the database does not answer."""
        facts = await probe.facts()
        if facts["status"] is not None:
            return JSONResponse(facts)
        return JSONResponse(facts, 503, headers={"retry-after": "5"})

    return endpoint


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
