"""A small HTTP/1.1 client for many visitors at once: one kept-alive connection each, on asyncio's streams.

It does what a simulated judge and the load tests need and nothing else, because it shares the machine with the server
that it measures: no pool, no cookies, no redirects of its own. A request that was sent and not answered raises `Lost`
and is never repeated here, for only the visitor knows whether sending twice does harm.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from nlgauge.errors import InputError

LIMIT = 1 << 20  # bytes of a head or of one line
WAIT = 60.0  # seconds for an answer

Note = Callable[[str, str, int, float], None]
"""Told of every answer: method, path, status, seconds."""


class Lost(OSError):  # noqa: N818 - what happened to the request
    """The server could not be reached, or went away before it answered."""


@dataclass(frozen=True)
class Answer:
    """What the server sent; names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text; the site's pages are UTF-8."""
        return self.body.decode("utf-8", "replace")


class Client:
    """A connection to one site, opened when needed and kept."""

    def __init__(
        self,
        base: str,
        *,
        wait: float = WAIT,
        headers: Mapping[str, str] | None = None,
        note: Note | None = None,
    ) -> None:
        self.scheme, self.host, self.port, self.origin = site(base)
        self.wait, self.note = wait, note
        fixed = {"Host": self.origin.partition("//")[2], "Accept": "text/html", **(headers or {})}
        self._fixed = "".join(f"{name}: {value}\r\n" for name, value in fixed.items())
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def get(self, path: str) -> Answer:
        """Ask for a page."""
        return await self._request("GET", path, f"GET {path} HTTP/1.1\r\n{self._fixed}\r\n".encode())

    async def post(self, path: str, body: str) -> Answer:
        """Send a form, encoded already, with the headers by which a site knows that the form was its own."""
        sent = body.encode()
        head = (
            f"POST {path} HTTP/1.1\r\n{self._fixed}Origin: {self.origin}\r\nSec-Fetch-Site: same-origin\r\n"
            f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(sent)}\r\n\r\n"
        )
        return await self._request("POST", path, head.encode() + sent)

    async def _request(self, method: str, path: str, sent: bytes) -> Answer:
        begun = time.perf_counter()
        try:
            async with asyncio.timeout(self.wait):
                answer = await self._exchange(sent)
        except TimeoutError:
            self.drop()
            raise Lost(f"no answer from {self.origin} within {self.wait:g} s") from None
        except (OSError, EOFError) as error:  # EOFError: the connection ended before the answer did
            self.drop()
            raise Lost(f"{self.origin} went away: {error}") from None
        except BaseException:  # cancelled in the middle: what is left of this answer must not begin the next
            self.drop()
            raise
        if self.note is not None:
            self.note(method, path, answer.status, time.perf_counter() - begun)
        return answer

    async def _exchange(self, sent: bytes) -> Answer:
        if self._reader is None or self._writer is None or self._reader.at_eof():
            self.drop()
            self._reader, self._writer = await asyncio.open_connection(
                self.host, self.port, limit=LIMIT, ssl=True if self.scheme == "https" else None
            )
        self._writer.write(sent)
        status, headers = await _head(self._reader)
        while status < 200:  # "continue" and other announcements
            status, headers = await _head(self._reader)
        body = await _body(self._reader, status, headers)
        if headers.get("connection", "").lower() == "close" or _until_the_end(status, headers):
            self.drop()
        return Answer(status, headers, body)

    def drop(self) -> None:
        """Let go of the connection."""
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None


def site(base: str) -> tuple[str, str, int, str]:
    """Scheme, host, port and origin of an address."""
    try:
        parts = urlsplit(base)
        port = parts.port or {"http": 80, "https": 443}[parts.scheme]
    except (ValueError, KeyError):
        raise InputError(f"{base!r} is no address of a site; expected http://host:port") from None
    if not parts.hostname:
        raise InputError(f"{base!r} is no address of a site; expected http://host:port")
    return parts.scheme, parts.hostname, port, f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


async def _head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        lines = head[:-4].split("\r\n")
        status = int(lines[0].split(" ", 2)[1])
    except (ValueError, IndexError, asyncio.LimitOverrunError):
        raise ConnectionError("what it sent is not HTTP") from None
    headers = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    return status, headers


def _until_the_end(status: int, headers: Mapping[str, str]) -> bool:
    return status not in (204, 304) and "content-length" not in headers and "transfer-encoding" not in headers


async def _body(reader: asyncio.StreamReader, status: int, headers: Mapping[str, str]) -> bytes:
    if status in (204, 304):
        return b""
    try:
        if "chunked" in headers.get("transfer-encoding", "").lower():
            return await _chunks(reader)
        if "content-length" in headers:
            return await reader.readexactly(int(headers["content-length"]))
    except (ValueError, asyncio.LimitOverrunError):
        raise ConnectionError("what it sent is not HTTP") from None
    return await reader.read()


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    parts = []
    while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
        parts.append((await reader.readexactly(size + 2))[:-2])
    while await reader.readuntil(b"\r\n") != b"\r\n":  # headers after the body
        pass
    return b"".join(parts)
