"""Judges beyond the plan, where each makes several evaluations: what is added for them is what they still need."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from studies import Clock, launched

from nlgauge.study.service import Service
from nlgauge.study.store import Store


def answer(service: Service, judge: str, most: int = 99) -> int:
    """Answer what is dealt, at most so many; says how many."""
    done = 0
    while done < most and (step := service.dealing.step(judge)).kind == "evaluation":
        assert step.evaluation is not None
        service.answers.answer(judge, step.evaluation.claim, 0)
        done += 1
    return done


@pytest.mark.parametrize("each", [2, 3, 5, 7])
def test_nothing_is_left_over_when_all_have_finished(tmp_path: Path, clock: Clock, store: Store, each: int) -> None:
    panels = {"public": {"judges": 2, "evaluations": each, "access": "open"}}
    service = launched(tmp_path / "s", clock, store, extra="continue", panels=panels)
    random = Random(each)
    for _ in range(4):
        judge, _ = service.arrivals.register("public")
        answer(service, judge, random.randrange(1, each))
        service.people.withdraw(judge)
        judge, _ = service.arrivals.register("public")
        assert answer(service, judge) == each and service.dealing.step(judge).kind == "done"
    while service.progress.report()["panels"]["public"]["done"] < 2 * each:  # the plan itself is not yet done
        assert answer(service, service.arrivals.register("public")[0]) == each
    judge, _ = service.arrivals.register("public")
    assert answer(service, judge) == each
    found = service.progress.report()["panels"]["public"]
    assert found["done"] == found["planned"]
    triads = found["triads"].values()
    assert max(triads) - min(triads) <= 1


def test_several_late_judges_at_once_get_whole_sheets(tmp_path: Path, clock: Clock, store: Store) -> None:
    panels = {"public": {"judges": 1, "evaluations": 3, "access": "open"}}
    service = launched(tmp_path / "s", clock, store, extra="continue", panels=panels)
    early, _ = service.arrivals.register("public")
    answer(service, early, 1)
    service.people.withdraw(early)
    late = [service.arrivals.register("public")[0] for _ in range(5)]
    for _ in range(3):
        for judge in late:
            assert answer(service, judge, 1) == 1
    assert all(service.dealing.step(judge).kind == "done" for judge in late)
    shown = Counter(one.slot for one in service.judgements())
    assert set(shown.values()) == {1}
    found = service.progress.report()["panels"]["public"]
    assert found["done"] == found["planned"] == 16
