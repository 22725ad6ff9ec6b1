"""Several workers on one port, each with a socket of its own.

Where workers wait at one common socket, whoever wakes first takes every connection that is there: of 1,000 judges who
came at once one worker had twice as many as another, and the last of its judges waited longest. With a socket for each
(SO_REUSEPORT) the system shares connections out evenly.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence

from uvicorn import Config
from uvicorn.supervisors import Multiprocess

BACKLOG = 2048


def supervisor(config: Config, bound: socket.socket) -> Multiprocess:
    """What starts the workers and replaces those that die; takes over the port of a bound socket."""
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
