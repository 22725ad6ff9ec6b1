"""Many judges at once, and programs that die: no slot is given twice, no acknowledged answer is lost or doubled."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from studies import launched

from nlgauge.study.refusals import Refused
from nlgauge.study.service import Service, opened
from nlgauge.study.store import Store

THREADS = 12
KILLS = 5


def at_once(work: Callable[[int], None], number: int = THREADS) -> None:
    """Run something in several threads that start together; what any of them raises is raised."""
    barrier, failures = threading.Barrier(number), []

    def run(which: int) -> None:
        barrier.wait()
        try:
            work(which)
        except BaseException as error:  # handed to the test below
            failures.append(error)

    threads = [threading.Thread(target=run, args=(which,)) for which in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def whole_study(service: Service, judge: str) -> str | None:
    """Take a judge through, submitting every answer twice; the id of the answer, or None where all was taken."""
    step = service.dealing.step(judge)
    if step.evaluation is None:
        return None
    first = service.answers.answer(judge, step.evaluation.claim, 1)
    assert service.answers.answer(judge, step.evaluation.claim, 1).judgement == first.judgement
    return first.judgement.id


def test_no_slot_is_given_twice_and_no_answer_is_lost(tmp_path: Path, store: Store) -> None:
    service = launched(
        tmp_path / "s",
        time.time,
        store,
        panels={"public": {"judges": 48, "access": "open"}},
    )
    acknowledged: list[str] = []
    turned_away: list[int] = []

    def work(which: int) -> None:
        for _ in range(5):
            try:
                judge, _ = service.arrivals.register("public")
            except Refused as refusal:
                assert refusal.code == "full"
                turned_away.append(which)
                continue
            done = whole_study(service, judge)
            acknowledged.append(done) if done else turned_away.append(which)

    at_once(work)
    found = service.judgements()
    assert len(found) == len(acknowledged) == 48
    assert len(turned_away) == 12
    assert {one.id for one in found} == set(acknowledged)
    assert max(Counter(one.slot for one in found).values()) == 1
    assert set(service.progress.report()["panels"]["public"]["triads"].values()) == {8}


def test_one_judge_in_many_windows_has_one_evaluation(tmp_path: Path, store: Store) -> None:
    service = launched(tmp_path / "s", time.time, store)
    judge, _ = service.arrivals.register("public")
    claims, answers = [], []

    def look(_: int) -> None:
        evaluation = service.dealing.step(judge).evaluation
        assert evaluation is not None
        claims.append(evaluation.claim)

    at_once(look)
    assert len(set(claims)) == 1

    def answer(which: int) -> None:
        try:
            answers.append(service.answers.answer(judge, claims[0], which % 3, key=f"window {which}").judgement.id)
        except Refused as refusal:
            assert refusal.code == "answered"

    at_once(answer)
    assert len(answers) == len(service.judgements()) == 1


def test_one_link_and_one_platform_id_are_one_judge(tmp_path: Path, store: Store) -> None:
    service = launched(
        tmp_path / "s",
        time.time,
        store,
        panels={"public": {"judges": 2}, "crowd": {"judges": 6, "access": "platform"}},
    )
    token = service.arrivals.links("public")[0].token
    by_link: list[str] = []
    by_platform: list[tuple[str, str]] = []
    at_once(lambda _: by_link.append(service.arrivals.follow(token)))
    at_once(lambda _: by_platform.append(service.arrivals.register_platform("crowd", "prolific", "p1")))
    assert len(set(by_link)) == len(set(by_platform)) == 1
    assert len(service.people.judges()) == 2


def test_replicated_judges_at_once(tmp_path: Path, store: Store) -> None:
    service = launched(
        tmp_path / "s",
        time.time,
        store,
        panels={"experts": {"judges": 6, "evaluations": 6, "access": "open"}},
    )

    def work(_: int) -> None:
        judge, _token = service.arrivals.register("experts")
        while (step := service.dealing.step(judge)).evaluation is not None:
            service.answers.answer(judge, step.evaluation.claim, 0)

    at_once(work, 6)
    found = service.judgements()
    assert len({one.slot for one in found}) == len(found) == 36
    for judge in {one.judge for one in found}:
        assert len({one.role for one in found if one.judge == judge}) == 6


def test_late_judges_at_once_get_one_continuation(tmp_path: Path, store: Store) -> None:
    service = launched(
        tmp_path / "s",
        time.time,
        store,
        extra="continue",
        panels={"public": {"judges": 6, "access": "open"}},
    )

    def work(_: int) -> None:
        judge, _token = service.arrivals.register("public")
        assert whole_study(service, judge)

    at_once(work)
    done = service.progress.report()["panels"]["public"]
    assert (done["done"], set(done["triads"].values())) == (12, {2})


WORKER = """
import sys, time
from nlgauge.study.service import opened
from nlgauge.study.store import Store
from nlgauge.study.refusals import Refused
folder = sys.argv[1]
service = opened(folder, Store.at(folder))
while True:
    try:
        judge, _ = service.arrivals.register("public")
    except Refused:
        break
    step = service.dealing.step(judge)
    if step.evaluation is None:
        break
    stored = service.answers.answer(judge, step.evaluation.claim, 1).judgement
    print(stored.id, flush=True)  # acknowledged
"""


@pytest.mark.slow
def test_a_killed_program_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    store = Store(f"sqlite:///{folder / 'study.sqlite'}")
    launched(
        folder,
        time.time,
        store,
        panels={"public": {"judges": 3000, "access": "open"}},
        timeout=0.1,
    )
    store.close()
    acknowledged: list[str] = []
    for moment in range(KILLS):
        worker = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(folder)], stdout=subprocess.PIPE, text=True, env=os.environ
        )
        assert worker.stdout is not None
        lines = [worker.stdout.readline() for _ in range(2 + moment)]
        time.sleep(0.003 * moment)
        worker.send_signal(signal.SIGKILL)
        lines += worker.stdout.readlines()
        worker.wait()
        acknowledged += [line.strip() for line in lines if line.endswith("\n")]
    service = opened(folder, Store.at(folder))
    found = [one.id for one in service.judgements()]
    assert len(found) == len(set(found))
    assert set(acknowledged) <= set(found)
    assert len(acknowledged) >= KILLS * 2
    # one answer at most per kill was stored without its acknowledgement having been read
    assert len(found) - len(acknowledged) <= KILLS
    dealt = service.progress.report()["panels"]["public"]
    assert dealt["done"] == len(found)


def test_a_program_killed_between_claim_and_answer(tmp_path: Path) -> None:
    """The slot stays with its judge, is dealt again after the timeout, and the answer counts once."""
    folder = tmp_path / "s"
    folder.mkdir()
    first = Store(f"sqlite:///{folder / 'study.sqlite'}")
    service = launched(folder, time.time, first)
    judge, token = service.arrivals.register("public")
    code = (
        "import sys, os, signal\nfrom nlgauge.study.service import opened\nfrom nlgauge.study.store import Store\n"
        "s = opened(sys.argv[1], Store.at(sys.argv[1]))\n"
        "print(s.dealing.step(sys.argv[2]).evaluation.claim, flush=True)\nos.kill(os.getpid(), signal.SIGKILL)"
    )
    died = subprocess.run([sys.executable, "-c", code, str(folder), judge], capture_output=True, text=True, check=False)
    assert died.returncode == -signal.SIGKILL
    again = opened(folder, Store.at(folder))
    step = again.dealing.step(again.arrivals.follow(token))
    assert step.evaluation is not None and step.evaluation.claim == died.stdout.strip()
    again.answers.answer(judge, step.evaluation.claim, 0)
    assert len(again.judgements()) == 1
