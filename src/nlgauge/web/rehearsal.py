"""`nlgauge study simulate --http`: simulated judges who go through the real site, page by page, form by form.

The judges are those of `study/simulation.py` and the protocol, and the way through the site is that of `visitor.py`.
Who wrote a text is not in the page, nor may it be: a judge who is to perceive it looks the page's claim up in the
store, beside which the simulation runs. Time is real here, so judges answer at once unless told to think, and one who
drops out leaves by the link that says so; what is left open would return only after the study's timeout.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, TypeVar
from urllib.parse import urlsplit

import orjson

from nlgauge.errors import InputError, option
from nlgauge.io.outputs import DATABASE, EARLIER, FROZEN, SITE_KEY
from nlgauge.jsonable import Jsonable
from nlgauge.study.file import study
from nlgauge.study.model import SIMULATED, Evaluation, Link
from nlgauge.study.protocols.base import Crowd
from nlgauge.study.service import Service, launch
from nlgauge.study.simulation import MOST_WAVES, Outcome, summary
from nlgauge.study.store import Store, queries
from nlgauge.web.client import Client, Lost
from nlgauge.web.forms import field_name
from nlgauge.web.protocols import pages_of
from nlgauge.web.visitor import Form, Visit, Visitor

START = 30.0  # seconds that a server may take to start
PATIENCE = 20.0  # and those that a judge keeps trying when it does not answer

T = TypeVar("T")


@dataclass
class Traffic(Jsonable):
    """What the site had to do: every answer with its method, path, status and seconds."""

    KEYS = "seconds, requests, pages, statuses, *times"

    seconds: float = 0.0
    answers: list[tuple[str, str, int, float]] = field(default_factory=list)

    def note(self, method: str, path: str, status: int, seconds: float) -> None:
        """Keep one answer."""
        self.answers.append((method, path, status, seconds))

    @property
    def statuses(self) -> dict[int, int]:
        """How many answers had which status."""
        return dict(sorted(Counter(status for _, _, status, _ in self.answers).items()))

    @property
    def pages(self) -> int:
        """How many pages were shown: redirects after a form are none."""
        return sum(not 300 <= status < 400 for _, _, status, _ in self.answers)

    @property
    def requests(self) -> int:
        """How many requests were answered."""
        return len(self.answers)

    @property
    def times(self) -> dict[str, float]:
        """Milliseconds within which half of the answers came, 95 % of them, and all."""
        return {
            "median_ms": 1e3 * self.percentile(0.5),
            "p95_ms": 1e3 * self.percentile(0.95),
            "slowest_ms": 1e3 * self.percentile(1.0),
        }

    def percentile(self, share: float) -> float:
        """The time within which so many of the answers came."""
        times = sorted(seconds for *_, seconds in self.answers)
        return times[min(len(times) - 1, int(share * len(times)))] if times else 0.0

    def __str__(self) -> str:
        """In one sentence."""
        half, most, every = self.times.values()
        return (
            f"The site answered {self.requests:,} requests with {self.pages:,} pages in {self.seconds:.1f} s: "
            f"half of them within {half:.0f} ms, 95 % within {most:.0f} ms, all within {every:.0f} ms."
        )


def rehearse(
    service: Service, url: str, pool: Crowd, *, seed: int, judges: int | None = None, at_once: int = 20
) -> tuple[Outcome, Traffic]:
    """Send judges to a site until every evaluation is made, or `judges` of each panel have finished."""
    check(service, url)
    pool.check_wordings(service.study)
    outcome, traffic = Outcome(), Traffic()
    begun = time.perf_counter()
    for name, panel in service.study.panels.items():
        if panel.kind == "people":
            visits = _Visits(service, url, name, pool, Random(f"{seed}/{name}"), traffic)
            run(_panel(visits, judges, at_once, outcome))
    traffic.seconds = time.perf_counter() - begun
    if faults := sum(number for status, number in traffic.statuses.items() if status >= 500):
        raise InputError(f"the site failed on {faults:,} of {len(traffic.answers):,} requests; its log says why")
    outcome.panels = summary(service)
    return outcome, traffic


def check(service: Service, url: str) -> None:
    """Refuse to send simulated judges where real ones are, or to a site that takes them for real."""
    people = any(
        row["access"] != "machine" for row in service.people.judges()
    )  # machines judge beside real and simulated
    if people and not service.progress.report()["simulated"]:
        raise InputError(f"this study has real judges; simulate a copy of it, or use {option('scratch')}")
    if service.status == "paused":
        raise InputError("this study is paused and takes no new judges: nlgauge study resume")
    try:
        answer = run(Client(url, wait=START).get(urlsplit(url).path.rstrip("/") + "/health"))
        told = orjson.loads(answer.body)
        rehearsal = bool(told["rehearsal"])
    except Lost as error:
        raise InputError(f"no site answers at {url}: {error}") from None
    except (ValueError, KeyError, TypeError):
        raise InputError(f"what answers at {url} is no study's site") from None
    if not rehearsal:
        raise InputError(f"the site at {url} takes every judge for a real one; serve the study with --rehearsal")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end, on uvloop where it is installed: the client shares the machine with the server."""
    try:
        import uvloop

        factory: Callable[[], asyncio.AbstractEventLoop] | None = uvloop.new_event_loop
    except ModuleNotFoundError:
        factory = None
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(work)


async def _panel(visits: _Visits, judges: int | None, at_once: int, outcome: Outcome) -> None:
    """Waves of judges: whoever leaves is made up for in the next."""
    (done, failed, left), came = visits.ended(), 0
    begun = done
    goal = None if judges is None else done + judges
    for _ in range(MOST_WAVES):
        size = visits.missing() if goal is None else goal - done
        if size <= 0:
            break
        gate = asyncio.Semaphore(at_once)
        wave = [visits.one(number, gate) for number in range(came, came + size)]
        came += size
        ended = await asyncio.gather(*wave)
        outcome.speeders += sum(judge.speeder for judge, _ in ended)
        outcome.dropped += sum(visit.left for _, visit in ended)
        before, done = done, visits.ended()[0]
        outcome.finished += done - before
        if done == before and not any(visit.left for _, visit in ended):
            break  # nobody got further: all were turned away, or failed the practice
    now = visits.ended()
    failed, left = now[1] - failed, now[2] - left
    outcome.judges += visits.registered()
    outcome.failed += failed
    outcome.left += left
    outcome.turned_away += came - (done - begun) - failed - left


class _Visits:
    """Visits to one panel of a study."""

    def __init__(self, service: Service, url: str, panel: str, pool: Crowd, random: Random, traffic: Traffic) -> None:
        self.service, self.url, self.panel, self.pool = service, url, panel, pool
        self.random, self.traffic = random, traffic
        self.base = url.rstrip("/")
        self.before = self._judges()["registered"]
        self.links: list[Link] = []

    def missing(self) -> int:
        """How many judges the plan still needs."""
        found = self.service.progress.report()["panels"][self.panel]
        left = int(found["planned"]) - int(found["done"])
        return -(-left // self.service.study.panels[self.panel].evaluations)

    def ended(self) -> tuple[int, int, int]:
        """How many finished, failed the practice, left."""
        found = self._judges()
        return found["finished"], found["failed"], found["withdrawn"]

    def registered(self) -> int:
        return int(self._judges()["registered"] - self.before)

    def _judges(self) -> dict[str, int]:
        found: dict[str, int] = self.service.progress.report()["panels"][self.panel]["judges"]
        return found

    async def one(self, number: int, gate: asyncio.Semaphore) -> tuple[_Judge, Visit]:
        """One judge from the link to the end."""
        judge = _Judge(self.service, self.panel, self.pool, Random(self.random.random()))
        address = self._address(number)
        headers = {"User-Agent": judge.client, "Accept-Language": judge.language}
        client = Client(self.url, headers=headers, note=self.traffic.note)
        visitor = Visitor(
            client,
            judge.choose,
            write=judge.write,
            random=judge.random,
            leaves=judge.leaves,
            thinks=judge.thinks,
            patience=PATIENCE,
        )
        async with gate:
            try:
                return judge, await visitor.visit(self.base + address)
            except Lost as error:
                raise InputError(f"the site stopped answering: {error}") from None

    def _address(self, number: int) -> str:
        access = self.service.study.panels[self.panel].access
        if not self.links:
            found = self.service.arrivals.links(self.panel)
            self.links = [link for link in found if link.kind != "personal" or link.judge is None][::-1]
        if access == "links":
            if not self.links:
                self.links = self.service.arrivals.more_links(self.panel, 10)[::-1]
            return self.links.pop().path
        link = self.links[0]
        return f"/o/{link.token}" if access == "open" else f"/p/{link.token}?PROLIFIC_PID=simulated-{number}"


class _Judge:
    """What one simulated judge does with a form."""

    def __init__(self, service: Service, panel: str, pool: Crowd, random: Random) -> None:
        self.service, self.pool, self.random = service, pool, random
        self.speeder = random.random() < pool.speeders
        self.client = f"{SIMULATED} {'speeder' if self.speeder else 'judge'}"
        self.language = random.choice(service.study.spoken)
        self.rater = pool.rater(service, panel, random)
        self.pages = pages_of(service.study.protocol)
        self.claim = self.counted = ""
        self.fields: Mapping[str, str] = {}
        each = service.study.panels[panel].evaluations
        self.leaves_at = random.randrange(each) if random.random() < pool.dropouts else -1
        self.answered = 0

    def leaves(self, form: Form) -> bool:
        """Whether it goes away with this evaluation on screen."""
        return form.last == "answer" and self.answered == self.leaves_at

    def thinks(self, form: Form) -> float:
        """Seconds until the form is sent."""
        if not self.pool.seconds or not form.hidden("claim"):
            return 0.0
        if self.speeder:
            return min(self.pool.seconds / 20, self.random.uniform(0.5, 2))
        return self.pool.seconds * self.random.lognormvariate(0, 0.5)

    def choose(self, form: Form, name: str, values: list[str]) -> str:
        """What the judge answers; in forms that show no texts, anything."""
        wanted = self._tested(name) if form.last == "comprehension" else self._answer(form).get(name)
        return wanted if wanted in values else self.random.choice(values)

    def _tested(self, name: str) -> str | None:
        """The right answer to a question of the comprehension test, of those who read."""
        test = self.service.study.test
        if test is None or self.speeder or self.rater.careless:
            return None
        return {field_name(number): str(one.answer) for number, one in enumerate(test.questions)}.get(name)

    def write(self, form: Form, name: str) -> str | None:
        """The number to be typed into a field, where that is part of the answer."""
        return self._answer(form).get(name)

    def _answer(self, form: Form) -> Mapping[str, str]:
        """The answer to what a form shows, by field: thought of once for each showing."""
        claim = form.hidden("claim")
        if claim and form.last == "answer" and claim != self.counted:
            self.answered, self.counted = self.answered + 1, claim
        if claim and claim != self.claim:
            given, _ = self.rater.answer(lambda: on_screen(self.service, claim), hasty=self.speeder)
            self.claim, self.fields = claim, self.pages.filled(given, self.service.study)
        return self.fields if claim else {}


def on_screen(service: Service, claim: str) -> Evaluation:
    """What a page shows, with its subjects: known to the store, not to the page."""
    with service.store.read() as connection:
        row = queries.claim.one(connection, {"b_study": service.id, "b_claim": claim})
    return service.answers.shown(row.judge, claim)


# ------------------------------------------------------------------------------------------------------------- server


def copied(folder: str | Path, target: str | Path) -> Service:
    """A copy of a study's folder, launched for a rehearsal that leaves no trace."""
    skipped = shutil.ignore_patterns(f"{DATABASE}*", FROZEN, SITE_KEY, f"{EARLIER}*")
    shutil.copytree(folder, target, ignore=skipped, dirs_exist_ok=True)
    service = launch(study.load(target), target, Store.at(target))
    service.context.simulated = True
    return service


@contextmanager
def site(folder: str | Path, db: str | None = None, *, workers: int = 1) -> Iterator[str]:
    """The address of a study's site, served in rehearsal by a process of its own for as long as the block lasts."""
    command = [sys.executable, "-m", "nlgauge", "study", "serve", str(folder), "--port", "0", "--json"]
    command += ["--rehearsal", "--workers", str(workers), *(["--db", db] if db else [])]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, start_new_session=True, env=os.environ
        )
        try:
            yield _address(process)
        finally:
            stop(process)
            errors.seek(0)
            sys.stderr.write(errors.read().decode("utf-8", "replace"))


def _address(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    told = b""
    for line in process.stdout:
        told += line
        if line == b"}\n":
            break
    else:
        raise InputError("the site did not start; what it said stands above")
    base = str(orjson.loads(told)["base"])
    run(answers(base))
    return base


async def answers(url: str, wait: float = START) -> float:
    """Wait until a site answers; the seconds that took."""
    begun = time.monotonic()
    client = Client(url, wait=wait)
    while True:
        try:
            await client.get("/health")
            client.drop()
            return time.monotonic() - begun
        except Lost:
            if time.monotonic() - begun > wait:
                raise InputError(f"the site at {url} does not answer") from None
        await asyncio.sleep(0.01)


def stop(process: subprocess.Popen[bytes], wait: float = 10.0) -> None:
    """End a server that was started in a session of its own, workers included."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(wait)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
