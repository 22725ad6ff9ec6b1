"""uvicorn's HTTP with bounds that it lacks: how large the head of a request may be, how long it may take, and how many
connections there may be, from one address and altogether.

Without them one connection could send header lines for ever, and each would be kept in memory; and some hundreds that
send nothing would take every file that the process may open. Where all connections are in use, the one that has been
silent for longest makes room. Connections of this machine are not counted by address: they come from a proxy.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from nlgauge.web.security import HEADERS

LARGEST_HEAD = 64 * 1024  # bytes of request line and header lines
HEAD_SECONDS = 30.0


class Bounded(HttpToolsProtocol):
    """A connection that is closed when the head of a request is too large or comes too slowly."""

    most = 65_536  # connections of this process
    most_each = 1_000  # of one address; 0: any number
    _every: ClassVar[dict[Bounded, None]] = {}
    _silent: ClassVar[dict[Bounded, None]] = {}  # whose request has not come yet, in order
    _by_address: ClassVar[Counter[str]] = Counter()
    _address = ""
    _seen = 0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Somebody connects; the first request is due."""
        super().connection_made(transport)
        address = (transport.get_extra_info("peername") or ("",))[0]
        self._address = "" if address.removeprefix("::ffff:").startswith(("127.", "::1")) else address
        self._every[self] = None
        self._by_address[self._address] += bool(self._address)
        self._expect_head()
        if 0 < self.most_each < self._by_address[self._address]:
            self._refuse("There are too many connections from this address.", "429 Too Many Requests")
        elif len(self._every) > self.most:
            next(iter(self._silent)).transport.abort()  # at the latest this one

    def connection_lost(self, exc: Exception | None) -> None:
        """They went away."""
        self._head_is_there()
        self._every.pop(self, None)
        self._by_address[self._address] -= bool(self._address)
        if not self._by_address[self._address]:
            del self._by_address[self._address]
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

    def send_400_response(self, msg: str, status: str = "400 Bad Request") -> None:
        """What cannot be read as HTTP is answered with the same headers as everything else."""
        lines = [
            f"HTTP/1.1 {status}".encode(),
            *(f"{name}: {value}".encode() for name, value in HEADERS.items()),
        ]
        lines += [b"content-type: text/plain; charset=utf-8", b"connection: close"]
        lines += [f"content-length: {len(msg)}".encode(), b"", msg.encode("ascii")]
        self.transport.write(b"\r\n".join(lines))
        self.transport.close()

    def _expect_head(self) -> None:
        self._head_is_there()
        self._silent[self] = None
        self._timer = self.loop.call_later(HEAD_SECONDS, self._refuse, "The request came too slowly.")

    def _head_is_there(self) -> None:
        self._seen = 0
        self._silent.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, why: str, status: str = "400 Bad Request") -> None:
        self._head_is_there()
        if not self.transport.is_closing():
            self.send_400_response(why, status)
