"""PostgreSQL is told to look through the tables: after the launch, and whenever as much was written as before."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import sqlalchemy as sa
from studies import Clock, launched

from nlgauge.study.store import Store, engine


def test_rows_are_known_after_a_launch(tmp_path: Path, clock: Clock, store: Store) -> None:
    if store.engine.dialect.name != "postgresql":
        pytest.skip("only PostgreSQL keeps such statistics")
    launched(tmp_path / "s", clock, store)
    with store.read() as connection:
        rows = connection.execute(sa.text("SELECT reltuples FROM pg_class WHERE relname = 'slots'")).scalar_one()
    assert rows >= 12


def test_looks_come_ever_more_rarely(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    stock, looks = store.stock, []
    monkeypatch.setattr(stock, "take", lambda: looks.append(stock._written))
    stock._written, stock._due = 0, engine.FIRST
    for _ in range(2_000):
        stock.written()
    deadline = time.monotonic() + 10
    expected = 4 if stock.active else 0  # after 200, 400, 800 and 1,600
    while len(looks) < expected and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(looks) == expected


def test_a_look_that_fails_stops_nobody(store: Store) -> None:
    store.stock.names = "no_such_table"
    store.stock.take()
    with store.read() as connection:
        assert connection.execute(sa.text("SELECT 1")).scalar_one() == 1
