"""Several workers on one port: connections are shared out, a dead worker is replaced and takes nothing with it."""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from uvicorn import Config
from uvicorn.supervisors import multiprocess

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "study"))
import postgres_server
import study_load

from nlgauge.errors import InputError
from nlgauge.web.connections import supervisor
from nlgauge.web.server import listen


@pytest.mark.skipif(not hasattr(socket, "SO_REUSEPORT"), reason="the system has one socket for each port")
def test_each_worker_gets_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multiprocess.signal, "signal", lambda *given: None)  # pytest keeps its own
    bound = listen("127.0.0.1", 0)
    address = bound.getsockname()
    workers = supervisor(Config("made:up", workers=2), bound)
    sockets = [workers.sockets[0] for _ in range(2)]
    calls = [socket.create_connection(address) for _ in range(200)]
    taken = [0, 0]
    for number, one in enumerate(sockets):
        while select.select([one], [], [], 0)[0]:
            one.accept()[0].close()
            taken[number] += 1
    assert sum(taken) == 200 and min(taken) > 50  # an even coin: below 50 once in 10^13
    with pytest.raises(InputError, match="cannot be used"):  # a second site is still refused
        listen("127.0.0.1", address[1])
    for one in [*calls, *sockets, workers.place]:  # type: ignore[attr-defined]
        one.close()


@pytest.mark.slow
def test_a_dead_worker_is_replaced(tmp_path: Path) -> None:
    reason = postgres_server.why_not()
    if reason:
        pytest.skip(f"no PostgreSQL for this test: {reason}")
    (tmp_path / "postgres").mkdir()
    with postgres_server.server(tmp_path / "postgres") as db:
        study_load.launched(tmp_path / "s", db, 12).store.close()
        with study_load.served(tmp_path / "s", db, workers=3) as (url, group):
            assert all(_answers(url) for _ in range(30))
            workers = [path for path in _children(group) if b"spawn_main" in (path / "cmdline").read_bytes()]
            assert len(workers) == 3
            os.kill(int(workers[0].name), signal.SIGKILL)
            deadline = time.monotonic() + 30
            while sum(_answers(url) for _ in range(30)) < 30:
                assert time.monotonic() < deadline, "connections are still given to a worker that is dead"
                time.sleep(0.5)
            deadline = time.monotonic() + 30
            while len(_living(group)) < 3:
                assert time.monotonic() < deadline, "the dead worker was not replaced"
                time.sleep(0.2)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _children(group: int) -> list[Path]:
    return list(study_load._processes(group))


def _living(group: int) -> list[Path]:
    return [
        path
        for path in _children(group)
        if b"spawn_main" in (path / "cmdline").read_bytes() and "\nState:\tZ" not in (path / "status").read_text()
    ]
