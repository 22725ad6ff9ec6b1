"""uvicorn's HTTP with two bounds that it lacks: how large the head of a request may be, and how long it may take.

Without them one connection could send header lines for ever, and each would be kept in memory.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from nlgauge.web.security import HEADERS

LARGEST_HEAD = 64 * 1024  # bytes of request line and header lines
HEAD_SECONDS = 30.0


class Bounded(HttpToolsProtocol):
    """A connection that is closed when the head of a request is too large or comes too slowly."""

    _seen = 0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Somebody connects; the first request is due."""
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """They went away."""
        self._head_is_there()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        self._expect_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """What follows is the body, which the application bounds."""
        self._head_is_there()
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        """Some bytes of requests."""
        super().data_received(data)
        if self._timer is not None:
            self._seen += len(data)
            if self._seen > LARGEST_HEAD:
                self._refuse("The request's head is too large.")

    def send_400_response(self, msg: str) -> None:
        """What cannot be read as HTTP is answered with the same headers as everything else."""
        lines = [
            b"HTTP/1.1 400 Bad Request",
            *(f"{name}: {value}".encode() for name, value in HEADERS.items()),
        ]
        lines += [b"content-type: text/plain; charset=utf-8", b"connection: close"]
        lines += [f"content-length: {len(msg)}".encode(), b"", msg.encode("ascii")]
        self.transport.write(b"\r\n".join(lines))
        self.transport.close()

    def _expect_head(self) -> None:
        self._head_is_there()
        self._timer = self.loop.call_later(HEAD_SECONDS, self._refuse, "The request came too slowly.")

    def _head_is_there(self) -> None:
        self._seen = 0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, why: str) -> None:
        self._head_is_there()
        if not self.transport.is_closing():
            self.send_400_response(why)
