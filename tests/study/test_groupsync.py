"""Commits that wait for the disk together."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from nlgauge.study.store.engine import GroupSync


class Slow(GroupSync):
    """A disk that takes its time and notes when it began."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.begun: list[float] = []

    def _synchronise(self) -> None:
        self.begun.append(time.monotonic())
        time.sleep(0.02)
        super()._synchronise()


def test_nobody_returns_before_a_later_synchronisation(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"")
    sync, late = Slow(log), []

    def commit() -> None:
        for _ in range(5):
            written = time.monotonic()
            sync.wait()
            left = time.monotonic()
            late.append(any(written <= begun <= left - 0.02 for begun in list(sync.begun)))

    threads = [threading.Thread(target=commit) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(late) == 50 and all(late)
    assert len(sync.begun) < 25  # shared


def test_a_fault_reaches_everybody_who_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"")
    sync, faults = GroupSync(log), []

    def broken(_: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)

    def commit() -> None:
        try:
            sync.wait()
        except OSError as error:
            faults.append(error)

    threads = [threading.Thread(target=commit) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(faults) == 5
    monkeypatch.undo()
    sync.wait()  # the disk is back


def test_a_log_that_is_gone_was_carried_over(tmp_path: Path) -> None:
    GroupSync(tmp_path / "none").wait()
    assert not (tmp_path / "none").exists()


def test_a_fault_is_everybody_s_although_the_next_attempt_succeeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Linux reports what could not be written once; who asks again hears that all is well."""
    log = tmp_path / "log"
    log.write_bytes(b"")
    sync = GroupSync(log)
    begun, go, calls, said = threading.Event(), threading.Event(), [0], []

    def once(_: int) -> None:
        calls[0] += 1
        if calls[0] == 1:  # keep the first busy until the others have asked
            begun.set()
            go.wait(10)
        elif calls[0] == 2:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", once)

    def commit() -> None:
        try:
            sync.wait()
            said.append("on disk")
        except OSError:
            said.append("lost")

    first = threading.Thread(target=commit)
    first.start()
    begun.wait(10)
    others = [threading.Thread(target=commit) for _ in range(4)]
    for thread in others:
        thread.start()
    while sync._asked < 5:
        time.sleep(0.001)
    go.set()
    for thread in (first, *others):
        thread.join(10)
    assert sorted(said) == ["lost"] * 4 + ["on disk"] and calls[0] == 2
    sync.wait()
    assert not sync._faults
