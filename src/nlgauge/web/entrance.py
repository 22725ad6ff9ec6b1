"""The way into the dashboard: pages to set the password, to log in and out; and the door that every other page has.

A handler gets the request, its form and the session, and is called in a thread. Before it is reached, a POST must come
from this site, from a session, and with that session's token.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any
from urllib.parse import urlsplit

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from nlgauge.errors import NlgaugeError
from nlgauge.study.refusals import Refused
from nlgauge.web import forms, login
from nlgauge.web.forms import Values
from nlgauge.web.login import Gate, Session, Vault
from nlgauge.web.security import Stopped, check_origin, check_token, form_token
from nlgauge.web.site import Site

THREADS = 3
FORM = "dashboard"  # the purpose of its forms' tokens
STOPPED = {
    "token": "This form was not sent from the page it belongs to, or that page is older than your login.",
    "origin": "This form was sent from another site.",
    "large": "The form is too large.",
    "type": "The form has another encoding than browsers use.",
}
UNREADABLE = "The form is not one of this page's: a field is there twice, or it came too slowly."
STATUS = {"unknown": 404, "invalid": 422}

Handler = Callable[["Visit"], Response]
Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True)
class Visit:
    """A request with its form, and whose it is."""

    request: Request
    form: Values
    session: Session | None

    def one(self, name: str) -> str:
        """The value of a field."""
        return forms.one(self.form, name)


class Entrance:
    """Login, and the door before every page of the dashboard."""

    def __init__(self, site: Site) -> None:
        self.site, self.vault = site, Vault(site.folder)
        self.gate = Gate(site.service.store, site.service.id, site.clock)
        # Cookies are shared by all ports of a host: two studies on one machine must not log each other out.
        self.cookie, self.device = f"nlgauge_{site.service.id[:8]}", f"nlgauge_{site.service.id[:8]}_known"

    @cached_property
    def limiter(self) -> anyio.CapacityLimiter:
        """Threads of its own: whoever guesses passwords or waits for an analysis takes none from the judges."""
        return anyio.CapacityLimiter(THREADS)

    def routes(self) -> list[Route]:
        """The pages that are open to everybody."""
        return [
            self.route("/dashboard/login", self.show_login, open_=True),
            self.route("/dashboard/login", self.log_in, "POST", open_=True),
            self.route("/dashboard/setup/{code}", self.show_setup, open_=True),
            self.route("/dashboard/setup/{code}", self.set_up, "POST", open_=True),
            self.route("/dashboard/logout", self.log_out, "POST"),
        ]

    # ------------------------------------------------------------------------------------------------- the door

    def route(self, path: str, handler: Handler, method: str = "GET", *, open_: bool = False) -> Route:
        """A route whose handler is reached through the door; `open_` ones by everybody."""
        return Route(path, self._endpoint(handler, open_), methods=[method], name=f"{method} {path}")

    def _endpoint(self, handler: Handler, open_: bool) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            try:
                check_origin(request.method, request.headers, self.site.base)
                form = await forms.read(request, 64 * 1024) if request.method == "POST" else {}
            except Stopped as stopped:
                return self.problem(request, stopped.status, STOPPED.get(stopped.code, UNREADABLE))
            answer = partial(self._answer, handler, request, form, open_)
            return await anyio.to_thread.run_sync(answer, limiter=self.limiter)

        endpoint.__doc__ = handler.__doc__  # for the OpenAPI document
        return endpoint

    def _answer(self, handler: Handler, request: Request, form: Values, open_: bool) -> Response:
        session = self.session(request)
        if session is None and not open_:
            return self.redirect("/login")
        try:
            if request.method == "POST" and session is not None and not open_:
                check_token(self.site.secret, form, session.id, FORM)
            return handler(Visit(request, form, session))
        except Stopped as stopped:
            return self.problem(request, stopped.status, STOPPED.get(stopped.code, UNREADABLE), session)
        except Refused as refused:
            return self.problem(request, STATUS.get(refused.code, 409), str(refused), session)
        except NlgaugeError as error:
            return self.problem(request, 422, str(error), session)

    def session(self, request: Request) -> Session | None:
        """Who asks, if the cookie is right and nobody has logged out with it."""
        given = request.cookies.get(self.cookie, "")
        if not given:
            return None
        found = login.read_session(self.site.secret, self.vault.password(), given, self.site.clock())
        return None if found is None or self.gate.has_left(found) else found

    # ---------------------------------------------------------------------------------------------------- pages

    def page(
        self,
        visit: Visit,
        template: str,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        **values: Any,
    ) -> HTMLResponse:
        """A page of the dashboard."""
        session = visit.session
        token = "" if session is None else form_token(self.site.secret, session.id, FORM)
        return self.site.render(
            visit.request,
            f"dashboard/{template}",
            status,
            headers=headers,
            token=token,
            inside=session is not None,
            now=self.site.clock(),
            **values,
        )

    def problem(self, request: Request, status: int, why: str, session: Session | None = None) -> Response:
        """A page that says in a sentence what cannot be done."""
        said = why[:1].upper() + why[1:] + ("" if why.endswith(".") else ".")
        return self.page(Visit(request, {}, session), "problem.html", status, why=said, here="")

    def redirect(self, path: str = "") -> RedirectResponse:
        """Go on with a page of the dashboard."""
        return RedirectResponse(self.site.url(f"/dashboard{path}"), 303)

    # ---------------------------------------------------------------------------------------------------- login

    def show_login(self, visit: Visit) -> Response:
        """The form; who is inside already goes on."""
        if visit.session is not None:
            return self.redirect()
        return self._login_page(visit)

    def log_in(self, visit: Visit) -> Response:
        """Check the password, unless somebody has guessed too often."""
        self._check_visitor(visit, "login")
        device = login.read_device(self.site.secret, visit.request.cookies.get(self.device, ""))
        wait = self.gate.admit(device)
        if wait > 0:
            return self._wait_page(visit, wait)
        stored = self.vault.password()
        if not login.fits(visit.one("password"), stored):
            return self._login_page(visit, 403, wrong=True, wait=_seconds(self.gate.wait(device)))
        self.gate.entered(device)
        return self._enter(stored)

    def log_out(self, visit: Visit) -> Response:
        """End the session, here and for every copy of its cookie."""
        if visit.session is not None:
            self.gate.leave(visit.session)
        response = self.redirect("/login")
        response.delete_cookie(self.cookie, path=self._path, secure=self._https, httponly=True, samesite="strict")
        return response

    def check_password(self, visit: Visit, password: str) -> float:
        """For somebody inside who sets another password: 0 where the present one is right, else seconds to wait."""
        device = login.read_device(self.site.secret, visit.request.cookies.get(self.device, ""))
        wait = self.gate.admit(device)
        if wait > 0:
            return wait
        if not login.fits(password, self.vault.password()):
            return max(1.0, self.gate.wait(device))
        self.gate.entered(device)
        return 0.0

    # --------------------------------------------------------------------------------------------------- set-up

    def show_setup(self, visit: Visit) -> Response:
        """The form to set the password with the code that was printed."""
        code = visit.request.path_params["code"]
        if not self.vault.code_fits(code):
            return self._no_code(visit)
        return self._setup_page(visit)

    def set_up(self, visit: Visit) -> Response:
        """Set the password and go in."""
        code = visit.request.path_params["code"]
        if not self.vault.code_fits(code):
            return self._no_code(visit)
        self._check_visitor(visit, "setup")
        password = visit.one("password")
        wrong = login.problem_with(password, visit.one("again"), self.site.service.study.title.values())
        if wrong:
            return self._setup_page(visit, 422, wrong)
        if not self.vault.use_code(code, password):
            return self._no_code(visit)
        return self._enter(self.vault.password())

    def _setup_page(self, visit: Visit, status: int = 200, wrong: str = "") -> Response:
        return self._with_visitor(visit, "setup", "setup.html", status, wrong=wrong, rules=login.RULES)

    def _no_code(self, visit: Visit) -> Response:
        why = (
            "This set-up address is not valid, or was used already. nlgauge study serve DIR --reset-password prints a "
            "new one."
        )
        return self.problem(visit.request, 404, why)

    # -------------------------------------------------------------------------------------------------- cookies

    @property
    def _path(self) -> str:
        return self.site.url("/dashboard")

    @property
    def _https(self) -> bool:
        return urlsplit(self.site.base).scheme == "https"

    def _set(self, response: Response, name: str, value: str, seconds: float) -> None:
        response.set_cookie(
            name,
            value,
            max_age=int(seconds),
            path=self._path,
            secure=self._https,
            httponly=True,
            samesite="strict",
        )

    def _enter(self, stored: str) -> Response:
        """A fresh session: whatever cookie a browser had before opens nothing."""
        _, cookie = login.new_session(self.site.secret, stored, self.site.clock())
        response = self.redirect()
        self._set(response, self.cookie, cookie, login.SESSION_SECONDS)
        self._set(response, self.device, login.new_device(self.site.secret), login.DEVICE_SECONDS)
        response.delete_cookie(
            f"{self.cookie}_form", path=self._path, secure=self._https, httponly=True, samesite="strict"
        )
        return response

    def renew(self, response: Response) -> None:
        """A session under a password that was just set."""
        _, cookie = login.new_session(self.site.secret, self.vault.password(), self.site.clock())
        self._set(response, self.cookie, cookie, login.SESSION_SECONDS)

    def _with_visitor(
        self, visit: Visit, purpose: str, template: str, status: int = 200, **values: Any
    ) -> HTMLResponse:
        """A form for somebody without a session: its token belongs to a cookie that is set with it."""
        headers = values.pop("headers", None)
        nonce = visit.request.cookies.get(f"{self.cookie}_form", "")  # kept, for forms open in other tabs
        if len(nonce) != 32:
            nonce = secrets.token_hex(16)
        form = form_token(self.site.secret, nonce, f"{FORM} {purpose}")
        outside = Visit(visit.request, visit.form, None)
        response = self.page(outside, template, status, headers, form=form, here="", **values)
        self._set(response, f"{self.cookie}_form", nonce, 3600.0)
        return response

    def _check_visitor(self, visit: Visit, purpose: str) -> None:
        nonce = visit.request.cookies.get(f"{self.cookie}_form", "")
        check_token(self.site.secret, visit.form, nonce, f"{FORM} {purpose}")
        if not nonce:
            raise Stopped(403, "token")

    def _login_page(self, visit: Visit, status: int = 200, wrong: bool = False, wait: int = 0) -> Response:
        return self._with_visitor(visit, "login", "login.html", status, wrong=wrong, wait=wait, locked=False)

    def _wait_page(self, visit: Visit, wait: float) -> Response:
        seconds = _seconds(wait)
        headers = {"retry-after": str(seconds)}
        return self._with_visitor(
            visit, "login", "login.html", 429, headers=headers, wrong=False, wait=seconds, locked=True
        )


def _seconds(wait: float) -> int:
    return math.ceil(wait)
