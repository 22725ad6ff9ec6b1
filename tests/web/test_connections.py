"""Bounds on connections: from one address, and altogether, so that silence shuts nobody out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn

from nlgauge.web import server
from nlgauge.web.connections import Bounded


class Wire(asyncio.Transport):
    """A connection from an address, which keeps what is sent."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self.address, self.sent, self.closed = address, b"", False
        self.protocol: Any = None

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return (self.address, 4000) if name in ("peername", "sockname") else default

    def write(self, data: Any) -> None:
        self.sent += bytes(data)

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self.protocol.connection_lost(None)

    abort = close

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


@pytest.fixture
def bounds(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(Bounded, "most", 6)
    monkeypatch.setattr(Bounded, "most_each", 3)
    yield
    assert not Bounded._every and not Bounded._silent and not Bounded._by_address


def connected(*addresses: str) -> list[Wire]:
    config = uvicorn.Config(lambda *_: None, ws="none", lifespan="off")
    config.load()
    made = []
    for address in addresses:
        wire = Wire(address)
        wire.protocol = Bounded(config, uvicorn.server.ServerState(), {}, asyncio.get_running_loop())
        wire.protocol.connection_made(wire)
        made.append(wire)
    return made


@pytest.mark.usefixtures("bounds")
def test_one_address_has_so_many_connections_and_a_proxy_of_this_machine_any_number() -> None:
    async def scene() -> None:
        wires = connected(*["192.0.2.1"] * 4, "192.0.2.2")
        assert [wire.closed for wire in wires] == [False, False, False, True, False]
        assert wires[3].sent.startswith(b"HTTP/1.1 429 ") and b"referrer-policy: no-referrer" in wires[3].sent
        wires[0].close()
        (again,) = connected("192.0.2.1")
        assert not again.closed
        for wire in (*wires, again):
            wire.close()
        local = connected(*["127.0.0.1"] * 3, "::1", "::ffff:127.0.0.1")
        assert not any(wire.closed for wire in local)
        for wire in local:
            wire.close()

    asyncio.run(scene())


@pytest.mark.usefixtures("bounds")
def test_where_all_are_in_use_the_longest_silent_one_makes_room() -> None:
    async def scene() -> None:
        wires = connected(*(f"192.0.2.{number}" for number in range(6)))
        wires[0].protocol._head_is_there()  # a request is being answered there
        (last,) = connected("198.51.100.1")
        assert [wire.closed for wire in wires] == [False, True, False, False, False, False]
        assert not last.closed
        for wire in (*wires, last):
            wire.close()

    asyncio.run(scene())


def test_the_limit_of_open_files_is_raised_as_far_as_it_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    class Limits:
        RLIMIT_NOFILE, RLIM_INFINITY = 7, -1
        now = (1_024, 4_096)

        def getrlimit(self, _: int) -> tuple[int, int]:
            return self.now

        def setrlimit(self, _: int, wanted: tuple[int, int]) -> None:
            self.now = wanted

    monkeypatch.setattr(server, "resource", limits := Limits())
    assert server.raise_limit() == 4_096 and limits.now == (4_096, 4_096)
    limits.now = (1_024, -1)
    assert server.raise_limit() == server.FILES and limits.now == (server.FILES, -1)
    limits.now = (500_000, 500_000)
    assert server.raise_limit() == 500_000 and limits.now == (500_000, 500_000)
