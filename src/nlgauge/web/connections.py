"""uvicorn's connections: bounds for each, and a socket for each worker."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar

from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.supervisors import Multiprocess

from nlgauge.web.security import HEADERS

LARGEST_HEAD = 64 * 1024  # bytes of request line and header lines
HEAD_SECONDS = 30.0


class Bounded(HttpToolsProtocol):
    """HTTP with bounds that uvicorn lacks: how large the head of a request may be, how long it may take, and how many
    connections there may be, from one address and altogether.

    Without them one connection could send header lines for ever, and each would be kept in memory; and some hundreds
    that send nothing would take every file that the process may open. Where all connections are in use, the one that
    has been silent for longest makes room. Connections of this machine are not counted by address: they come from a
    proxy.
    """

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


BACKLOG = 2048


def supervisor(config: Config, bound: socket.socket) -> Multiprocess:
    """What starts the workers and replaces those that die; takes over the port of a bound socket.

    Where workers wait at one common socket, whoever wakes first takes every connection that is there: of 1,000 judges
    who came at once one worker had twice as many as another, and the last of its judges waited longest. With a socket
    for each (SO_REUSEPORT) the system shares connections out evenly.
    """
    if not hasattr(socket, "SO_REUSEPORT"):
        return Multiprocess(config, sockets=[bound])
    family, address = bound.family, bound.getsockname()
    bound.close()  # without the option on it, none beside it could have the port
    return _Workers(config, _reserved(family, address))


def _reserved(family: int, address: Sequence[object]) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    made.bind(tuple(address))
    return made


class _Workers(Multiprocess):
    """Gives a new socket to each new worker. `place` keeps the port; it does not listen, so it gets no connection."""

    def __init__(self, config: Config, place: socket.socket) -> None:
        self.place = place
        self._handed: list[socket.socket] = []
        super().__init__(config, [])

    @property
    def sockets(self) -> list[socket.socket]:
        """What the next worker listens at."""
        made = _reserved(self.place.family, self.place.getsockname())
        made.listen(BACKLOG)
        self._handed.append(made)
        return [made]

    @sockets.setter
    def sockets(self, given: list[socket.socket]) -> None:
        """Set by uvicorn to what it was given: nothing."""

    def init_processes(self) -> None:
        """Start all workers."""
        super().init_processes()
        self._let_go()

    def keep_subprocess_alive(self) -> None:
        """Replace those that died."""
        super().keep_subprocess_alive()
        self._let_go()

    def _let_go(self) -> None:
        """A worker has its socket from its start on; kept here it would get connections when the worker is gone."""
        while self._handed:
            self._handed.pop().close()
