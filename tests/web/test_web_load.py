"""Many judges at once, and a server that is killed: no error, nothing lost, nothing twice, the balance kept.

`NLGAUGE_LOAD=full` (make load) runs the sizes that are promised: 300 judges at once on SQLite, 1,000 on PostgreSQL with
four workers, 50 kills. The sizes here are those that a test run can spare.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "study"))
import postgres_server
import study_load

from nlgauge.study.store import FILE
from nlgauge.web import rehearsal

FULL = os.environ.get("NLGAUGE_LOAD") == "full"
SHARE = 0.3  # of the bare page's rate
AT_ONCE = 30  # judges while the server is killed

pytestmark = [pytest.mark.slow, pytest.mark.alone]


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    reason = postgres_server.why_not()
    if reason:
        pytest.skip(f"no PostgreSQL for this test: {reason}")
    with postgres_server.server(tmp_path_factory.mktemp("postgres")) as url:
        yield url


def loaded(folder: Path, db: str | None, judges: int, evaluations: int, workers: int) -> tuple[list[str], float]:
    """What went wrong in the runs, and the best rate as a share of the bare page's: again where other work got in.

    At full size displayed pages are counted. A small run is mostly start and end, so there every answer counts.
    """
    counted = "pages_s" if FULL else "requests_s"
    wrong: list[str] = []
    best = 0.0
    for attempt in range(3):
        result, found = study_load.measured(folder / str(attempt), db, judges, evaluations, workers, seed=attempt)
        print(study_load.table([result]))
        wrong += found
        best = max(best, result[counted] / result["bare_pages_s"])
        if wrong or best >= SHARE:
            break
    return wrong, best


def test_judges_at_once_on_sqlite(tmp_path: Path) -> None:
    wrong, share = loaded(tmp_path, None, 300 if FULL else 100, 3, 1)
    assert wrong == []
    assert share >= SHARE


def test_judges_at_once_on_postgresql_with_four_workers(tmp_path: Path, postgres: str) -> None:
    wrong, share = loaded(tmp_path, postgres, 1_000 if FULL else 120, 3 if FULL else 1, 4)
    assert wrong == []
    assert share >= SHARE


class Mortal:
    """A site that is killed and started again on the same port."""

    def __init__(self, folder: Path, port: int) -> None:
        self.command = [sys.executable, "-m", "nlgauge", "study", "serve", str(folder), "--port", str(port)]
        self.url = f"http://127.0.0.1:{port}"
        self.starts: list[float] = []
        self.log = open(folder / "serve.log", "wb")  # noqa: SIM115 - open as long as the server is

    async def start(self) -> None:
        begun = time.monotonic()
        self.process = subprocess.Popen(
            [*self.command, "--rehearsal", "--no-dashboard"],
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
            env=os.environ,
        )
        await rehearsal.answers(self.url)
        self.starts.append(time.monotonic() - begun)

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def close(self) -> None:
        if self.process.poll() is None:
            self.kill()
        self.log.close()


async def killed_again_and_again(site: Mortal, address: str, kills: int, seed: int) -> study_load.Crowd:
    """Judges come one after another, several at once, until the last kill; whoever has begun then comes to the end."""
    crowd, random, over = study_load.Crowd(), Random(seed), False
    numbers = iter(range(1_000_000))

    async def chair() -> None:
        while not over:
            await study_load.judge(site.url, address, crowd, seed + next(numbers), patience=600)

    await site.start()
    chairs = [asyncio.create_task(chair()) for _ in range(AT_ONCE)]
    for _ in range(kills):
        await asyncio.sleep(random.uniform(0.0, 1.2))
        site.kill()
        await site.start()
    over = True
    await asyncio.gather(*chairs)
    return crowd


def test_a_killed_server_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    kills = 50 if FULL else 12
    service = study_load.launched(tmp_path, None, 100 * kills, 3)
    site = Mortal(tmp_path, free_port())
    try:
        crowd = rehearsal.run(killed_again_and_again(site, service.arrivals.links("public")[0].path, kills, seed=1))
    finally:
        site.close()
    lost = sum(visit.lost for visit in crowd.visits)
    acknowledged = crowd.acknowledged
    stored = sum(not one.practice for one in service.judgements())
    print(
        f"{kills} kills, {len(crowd.visits)} judges, {lost} requests lost, {len(acknowledged)} answers acknowledged, "
        f"{stored} stored; a start takes {sorted(site.starts)[len(site.starts) // 2]:.2f} s in the middle, "
        f"{max(site.starts):.2f} s at most"
    )
    assert study_load.problems(service, crowd, killed=True) == []
    assert lost >= kills and len(acknowledged) > kills  # the kills met judges at work
    # all who came did all they were given, those in the middle included; a registration may have been lost, and the
    # person then registered again
    finished = [row for row in service.people.judges() if row["finished_at"] is not None]
    assert len(finished) == len(crowd.visits)
    assert stored == 3 * len(finished)
    service.store.close()
    with sqlite3.connect(tmp_path / FILE) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        twice = "SELECT slot FROM judgements WHERE practice = 0 AND surplus = 0 GROUP BY slot HAVING count(*) > 1"
        assert database.execute(twice).fetchall() == []


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
