"""A database that fails in the middle: the site says to come again, whoever runs the statement."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import made
import pytest
import sqlalchemy as sa
from made import Visitor, heading
from starlette.testclient import TestClient

from nlgauge.study.service import Service, opened
from nlgauge.study.store import Store
from nlgauge.web.app import Probe, create_app
from nlgauge.web.language import load
from nlgauge.web.security import Faults


def _most(service: Service, pages: int) -> None:
    """On every connection: none is kept, and those to come are told when they are opened."""
    service.store.close()
    sa.event.listen(service.store.engine, "connect", lambda made, _: made.execute(f"PRAGMA max_page_count={pages}"))


def test_a_full_disk_is_not_a_fault_of_the_site(service: Service, visitor: Visitor) -> None:
    visitor.practised()
    page = visitor.get().text
    before = len(service.judgements())
    _most(service, 1)  # not below what there is: the file cannot grow any more
    reason = "because of the wind " * 900
    sent = visitor.send("answer", {"answer": "1", "reason": reason}, page)
    assert sent.status_code == 503 and sent.headers["retry-after"] == "5"
    assert heading(sent.text) == load("en").say("busy_title")
    _most(service, 1_000_000)
    assert len(service.judgements()) == before
    assert visitor.send("answer", {"answer": "1", "reason": reason}, page).status_code == 303
    assert len(service.judgements()) == before + 1


def test_an_answer_that_may_not_be_on_disk_is_not_acknowledged(
    service: Service, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor.practised()
    page = visitor.get().text
    before = len(service.judgements())

    def broken(_: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    assert visitor.send("answer", {"answer": "1"}, page).status_code == 503
    monkeypatch.undo()
    assert visitor.send("answer", {"answer": "1"}, page).status_code == 303  # sent again, stored once
    assert len(service.judgements()) == before + 1


def test_a_lock_that_does_not_open(service: Service, browser: TestClient, visitor: Visitor) -> None:
    visitor.practised()
    page = visitor.get().text
    begin, service.store._begin = (
        service.store._begin,
        ("BEGIN NONSENSE", "BEGIN NONSENSE"),
    )  # the driver refuses
    assert visitor.send("answer", {"answer": "1"}, page).status_code == 503
    assert browser.get("/ready").status_code == 503
    assert browser.get("/health").json()["database"] == "does not answer"
    service.store._begin = begin
    assert visitor.send("answer", {"answer": "1"}, page).status_code == 303


def test_the_file_is_no_database(tmp_path: Path) -> None:
    from nlgauge.errors import InputError
    from nlgauge.study.store import Store

    (tmp_path / "study.sqlite").write_bytes(b"not a database" * 1000)
    with pytest.raises(InputError, match="cannot be used: file is not a database"):
        Store.at(tmp_path)


def test_another_program_that_holds_the_file_shuts_judges_out_for_seconds_and_health_answers(
    tmp_path: Path,
) -> None:
    """Eight forms at once wait together, not one after the other; what asks for no database answers meanwhile."""
    service = made.launched(tmp_path / "study")
    service.store.close()
    service = opened(tmp_path / "study", Store.at(tmp_path / "study", wait=1.0))
    with made.client(service, tmp_path / "study") as browser:
        visitors = [Visitor(browser, link) for link in made.links(service, "experts")[:4]]
        for visitor in visitors:
            visitor.practised()
        pages = [visitor.get().text for visitor in visitors]
        foreign = sqlite3.connect(tmp_path / "study" / "study.sqlite", isolation_level=None)
        foreign.execute("BEGIN EXCLUSIVE")
        begun = time.monotonic()
        with ThreadPoolExecutor(8) as pool:
            sent = [
                pool.submit(visitor.send, "answer", {"answer": "1"}, page)
                for _ in range(2)
                for visitor, page in zip(visitors, pages, strict=True)
            ]
            time.sleep(0.3)
            asked = time.monotonic()
            assert browser.get("/health").status_code == 200
            assert time.monotonic() - asked < 1.0
            answers = [one.result() for one in sent]
        assert time.monotonic() - begun < 5.0
        assert {one.status_code for one in answers} == {503}
        assert all(one.headers["retry-after"] and "<html" in one.text for one in answers)
        foreign.execute("ROLLBACK")
        foreign.close()
        assert visitors[0].send("answer", {"answer": "1"}, pages[0]).status_code == 303
        assert browser.get("/ready").json()["database"] == "answers"
    service.store.close()


def test_a_probe_that_another_overtakes_keeps_its_own_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first question is over; before its probe goes on, another has asked anew and waits."""
    service = made.launched(tmp_path / "s")
    probe = Probe(create_app(service, folder=tmp_path / "s", secret=made.SECRET).state.site)
    wait = asyncio.wait

    async def overtaken(asked: list[asyncio.Future[str]], timeout: float) -> Any:
        found = await wait(asked, timeout=timeout)
        probe._asked = asyncio.get_running_loop().create_future()
        return found

    monkeypatch.setattr(asyncio, "wait", overtaken)
    assert asyncio.run(probe.facts())["status"] == "open"
    service.store.close()


def test_two_causes_of_one_line_are_both_logged(caplog: pytest.LogCaptureFixture) -> None:
    faults = Faults(lambda: 0.0)
    for cause in ("database is locked", "disk I/O error", "database is locked"):
        try:
            raise sa.exc.OperationalError("SELECT 1", {}, Exception(cause))
        except sa.exc.OperationalError as error:
            faults.tell(error)
    assert len(caplog.records) == 2


def test_the_same_fault_is_logged_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    now = [0.0]
    faults = Faults(lambda: now[0])
    for _ in range(1_000):
        try:
            raise OSError("the database is away")
        except OSError as error:
            faults.tell(error)
    assert len(caplog.records) == 1 and caplog.records[0].exc_info
    now[0] = 61.0
    try:
        raise OSError("another place")
    except OSError as error:
        faults.tell(error)
    assert len(caplog.records) == 2
    assert sum(len(record.getMessage()) for record in caplog.records) < 200
