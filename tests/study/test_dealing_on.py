"""The answer to one evaluation of a sheet deals the next in the same transaction."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from studies import Clock, launched

from nlgauge.study.model import Evaluation
from nlgauge.study.service import Service
from nlgauge.study.store import Store


def _writes(service: Service, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Each transaction that writes from now on leaves a mark."""
    found, write = [], service.store.write

    @contextmanager
    def counted() -> Iterator[Any]:
        found.append("write")
        with write() as connection:
            yield connection

    monkeypatch.setattr(service.store, "write", counted)
    return found


def _launched(tmp_path: Path, clock: Clock, store: Store) -> tuple[Service, str]:
    panels = {"public": {"judges": 4, "evaluations": 3, "access": "open"}}
    service = launched(tmp_path / "s", clock, store, panels=panels)
    return service, service.arrivals.register("public")[0]


def _shown(service: Service, judge: str) -> Evaluation:
    shown = service.dealing.step(judge).evaluation
    assert shown is not None
    return shown


def test_the_page_after_an_answer_only_reads(
    tmp_path: Path, clock: Clock, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    service, judge = _launched(tmp_path, clock, store)
    first = _shown(service, judge)
    clock.minutes(2)
    service.answers.answer(judge, first.claim, 0)
    marks = _writes(service, monkeypatch)
    second = _shown(service, judge)
    assert marks == [] and second.number == 2 and second.claim != first.claim
    assert second.shown_at == clock.now
    service.answers.answer(judge, second.claim, 0)
    third = _shown(service, judge)
    service.answers.answer(judge, third.claim, 0)
    assert service.dealing.step(judge).kind == "done" and marks == ["write"] * 2
    assert len({first.slot, second.slot, third.slot}) == 3


def test_what_is_open_in_another_window_stays_open(tmp_path: Path, clock: Clock, store: Store) -> None:
    service, judge = _launched(tmp_path, clock, store)
    first = _shown(service, judge)
    service.answers.answer(judge, first.claim, 0)
    second = _shown(service, judge)
    assert service.answers.answer(judge, first.claim, 0).repeated  # sent again from the first window
    assert _shown(service, judge).claim == second.claim


def test_a_pause_deals_nothing_on(tmp_path: Path, clock: Clock, store: Store) -> None:
    service, judge = _launched(tmp_path, clock, store)
    first = _shown(service, judge)
    service.admin.pause()
    service.answers.answer(judge, first.claim, 0)
    assert service.dealing.step(judge).kind == "paused"
    service.admin.resume()
    assert _shown(service, judge).number == 2


def test_sheets_are_kept_in_order_and_what_others_left_comes_first(tmp_path: Path, clock: Clock, store: Store) -> None:
    """Whole sheets, one judge each, in order; a sheet that was left is dealt before a fresh one."""
    service, first = _launched(tmp_path, clock, store)
    second = service.arrivals.register("public")[0]
    sheets = {judge: [] for judge in (first, second)}  # type: dict[str, list[int]]
    for judge in (first, second):
        shown = _shown(service, judge)
        sheets[judge].append(_number(shown))
        assert _shown(service, judge) == shown  # seen again, nothing more is kept
    service.people.withdraw(first)
    third = service.arrivals.register("public")[0]
    for judge in (second, third):
        for _ in range(3):
            shown = _shown(service, judge)
            sheets.setdefault(judge, []).append(_number(shown))
            service.answers.answer(judge, shown.claim, 0)
    assert {(number - 1) // 3 for number in sheets[second]} == {1}
    assert {(number - 1) // 3 for number in sheets[third]} == {0}


def _number(shown: Evaluation) -> int:
    return int(shown.slot.rpartition("-")[2])
