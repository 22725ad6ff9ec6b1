"""What keeps the site safe: headers on every answer, small bodies, forms that come from this site and nowhere else.

A judge's link is a secret in the address, so no address is ever handed on (`Referrer-Policy: no-referrer`, no
resource of another host) and no page is stored by a browser or proxy. A form carries a token, HMAC-SHA256 over the
link and the purpose of the form; where the browser says which site a form comes from, that is checked too.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import secrets
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nlgauge.errors import InputError
from nlgauge.io.outputs import SITE_KEY

LOG = logging.getLogger("nlgauge.web")
LARGEST_BODY = 512 * 1024  # a reason of 20,000 characters takes at most 240 KB as browsers write it
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "x-robots-tag": "noindex, nofollow",
    "cache-control": "no-store",
}
QUIET = 60.0  # seconds between two tracebacks of one fault: a database that is away fails every request
SAFE = ("GET", "HEAD", "OPTIONS")


class Stopped(Exception):  # noqa: N818 - what happened, as Refused
    """A request that goes no further: the status and the name of the phrases that say why."""

    def __init__(self, status: int, code: str) -> None:
        super().__init__(code)
        self.status, self.code = status, code


class Faults:
    """Logs a fault with its traceback, and the same one again only after a while, with how many there were."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._told: dict[tuple[type, str, int, str], tuple[float, int]] = {}  # when last, and how many since

    def tell(self, error: Exception) -> None:
        """Log it, unless the same was logged a moment ago."""
        last = error.__traceback__
        while last is not None and last.tb_next is not None:
            last = last.tb_next
        where = ("", 0) if last is None else (last.tb_frame.f_code.co_filename, last.tb_lineno)
        cause = str(getattr(error, "orig", ""))[:80]  # what a database said: every fault of one has the same line
        fault = (type(error), *where, cause)
        at, more = self._told.get(fault, (-QUIET, 0))
        if self.clock() - at < QUIET:
            self._told[fault] = (at, more + 1)
            return
        if len(self._told) > 1_000:
            self._told.clear()
        self._told[fault] = (self.clock(), 0)
        again = f" (and {more:,} more in this way since it was last told)" if more else ""
        LOG.error("a request failed%s", again, exc_info=error)


class Guard:
    """Outermost layer: security headers on every answer, the prefix of a proxy understood, a page for every fault.

    A fault is logged without the address, which is a judge's credential. `fault` makes the page for one.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        fault: Callable[[Request, Exception], Response],
        prefix: str = "",
        https: bool = False,
    ) -> None:
        self.app, self.prefix, self.fault = app, prefix, fault
        self.faults = Faults()
        strict = {"strict-transport-security": "max-age=31536000"} if https else {}
        self.headers = [(name.encode(), value.encode()) for name, value in (HEADERS | strict).items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers to what the inner layers answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if self.prefix:
            scope["root_path"] = self.prefix
        begun = False

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                own = {name for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *((name, value) for name, value in self.headers if name not in own),
                ]
            await send(message)

        try:
            await self.app(scope, receive, guarded)
        except ClientDisconnect:
            return  # gone before the form was read whole
        except Exception as error:
            self.faults.tell(error)
            if begun:
                raise
            await self._page(scope, error)(scope, receive, guarded)

    def _page(self, scope: Scope, error: Exception) -> Response:
        try:
            return self.fault(Request(scope), error)
        except Exception:  # what failed may be what every page needs
            LOG.exception("the page for a failed request cannot be made")
            return PlainTextResponse("The site has a fault. Please try again later.", 500)


def check_origin(method: str, headers: Headers, base: str) -> None:
    """Refuse a form that another site sends.

    Pages are served with `no-referrer`, so browsers name the origin of our own forms as `null`; those recent enough
    say `Sec-Fetch-Site: same-origin` beside it, for the others the form's token decides.
    """
    if method in SAFE:
        return
    site = headers.get("sec-fetch-site")
    if site is not None:
        if site not in ("same-origin", "none"):
            raise Stopped(403, "origin")
        return
    origin = headers.get("origin", "null")
    if origin != "null" and not _is_here(origin, headers.get("host", ""), base):
        raise Stopped(403, "origin")


def _is_here(origin: str, host: str, base: str) -> bool:
    """Whether an origin is the stated address of the site, or else the host that the form was sent to."""
    try:
        sender, own = urlsplit(origin), urlsplit(base)
    except ValueError:
        return False
    if sender.netloc == own.netloc:
        return sender.netloc != "" and sender.scheme == own.scheme
    return sender.scheme in ("http", "https") and sender.netloc == host


def sign(secret: bytes, *parts: str) -> str:
    """An HMAC-SHA256 over some words, as 64 hexadecimal digits."""
    return hmac.new(secret, "\x1f".join(parts).encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def verify(secret: bytes, signature: str, *parts: str) -> bool:
    """Whether `sign` made this signature; compared in constant time."""
    return hmac.compare_digest(sign(secret, *parts).encode(), signature.encode("utf-8", "replace"))


def form_token(secret: bytes, link: str, purpose: str) -> str:
    """The hidden token of a form."""
    return sign(secret, "form", link, purpose)


def check_token(secret: bytes, form: Mapping[str, list[str]], link: str, purpose: str) -> None:
    """Refuse a form without the token that its page held."""
    given = form.get("token", [])
    if len(given) != 1 or not verify(secret, given[0], "form", link, purpose):
        raise Stopped(403, "token")


def folder_secret(folder: str | Path) -> bytes:
    """The secret of a study's site: made once, readable by its owner only, the same for every worker."""
    path = Path(folder) / SITE_KEY
    if not path.exists():
        made = path.with_name(f".{SITE_KEY}.{os.getpid()}.{secrets.token_hex(4)}")
        try:
            with open(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
                out.write(secrets.token_hex(32))
                out.flush()
                os.fsync(out.fileno())
            try:
                os.link(made, path)  # fails where another process was first: its secret serves
            except FileExistsError:
                pass
            finally:
                made.unlink()
        except OSError as error:
            raise InputError(f"cannot write {path}: {error.strerror}") from None
    try:
        value = bytes.fromhex(path.read_text().strip())
    except (OSError, ValueError):
        value = b""
    if len(value) < 32:
        raise InputError(f"{path} does not hold the site's secret; remove it, a new one will be made")
    return value
