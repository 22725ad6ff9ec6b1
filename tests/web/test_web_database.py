"""A database that fails in the middle: the site says to come again, whoever runs the statement."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import sqlalchemy as sa
from made import Visitor, heading
from starlette.testclient import TestClient

from nlgauge.study.service import Service
from nlgauge.web.language import load


def _most(service: Service, pages: int) -> None:
    """On every connection: none is kept, and those to come are told when they are opened."""
    service.store.close()
    sa.event.listen(
        service.store.engine, "connect", lambda made, _: made.execute(f"PRAGMA max_page_count={pages}")
    )


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
    assert browser.get("/health").status_code == 503
    service.store._begin = begin
    assert visitor.send("answer", {"answer": "1"}, page).status_code == 303


def test_the_file_is_no_database(tmp_path: Path) -> None:
    from nlgauge.errors import InputError
    from nlgauge.study.store import Store

    (tmp_path / "study.sqlite").write_bytes(b"not a database" * 1000)
    with pytest.raises(InputError, match="cannot be used: file is not a database"):
        Store.at(tmp_path)
