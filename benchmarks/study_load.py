"""Many judges at once on the judges' site, beside a bare page of the same server.

    python benchmarks/study_load.py                          300 judges at once, SQLite, one worker
    python benchmarks/study_load.py --db postgresql://… --judges 1000 --workers 4
    python benchmarks/study_load.py --keep                   the result is kept in benchmarks/results

Every judge does a whole study over HTTP on loopback without thinking: open link, consent, questions, instructions,
practice with feedback, evaluations. The yardstick is a page of the same server with one read of the same database, as
SQLAlchemy does it by itself, and a line of HTML, fetched by the same client with as many connections, before and after.
The client shares the machine with the server, so both figures are lower than a server of its own would reach; the
ratio is what is compared.

Checked afterwards: every answer that a judge saw acknowledged is in the store once, none is there twice, every
evaluation has one accepted answer, the triads are as planned.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import yaml

from nlgauge.study.file import study
from nlgauge.study.service import Service, launch
from nlgauge.study.store import Store
from nlgauge.web import rehearsal
from nlgauge.web.client import Client, Lost
from nlgauge.web.rehearsal import Traffic
from nlgauge.web.server import Settings, listen, serve, worker_app
from nlgauge.web.visitor import Visit, Visitor, read

HERE = Path(__file__).resolve().parent
BARE = 3_000  # bare pages fetched before and after
RESULTS = HERE / "results" / "study_load.json"
PAGE = HERE.parent / "docs" / "studies" / "load.md"
SENTENCE = "the wind turns north and showers cross the hills before noon while valleys stay dry until evening"


def write_study(folder: Path, judges: int, evaluations: int = 1, **changes: Any) -> None:
    """A study with all that a judge can meet, and made-up texts of some forty words."""
    random, words = Random(1), SENTENCE.split()

    def texts(name: str) -> list[str]:
        return [f"{name} {number}: {' '.join(random.choices(words, k=40))}." for number in range(40)]

    values = {
        "protocol": "triangle",
        "title": "Which of these forecasts is different?",
        "goal": "difference",
        "risks": {"alpha": 0.05, "beta": 0.05, "p_d": 0.3},
        "subjects": {"A": {"texts": texts("Forecast")}, "B": {"texts": texts("Outlook")}},
        "question": "Select the text that you think was written by a different author.",
        "instructions": "You will see three texts. Two were written by one author, one by another.",
        "consent": {
            "text": "We keep your answers and no name. You may stop at any time.",
            "agree": "I agree.",
        },
        "questions": [
            {
                "id": "reads",
                "text": "Do you read forecasts?",
                "options": ["daily", "never"],
                "required": True,
            },
            {"id": "age", "text": "How old are you?", "type": "number"},
        ],
        "panels": {"public": {"judges": judges, "evaluations": evaluations, "access": "open"}},
        "practice": 1,
        "reasons": {"text": "optional"},
        "seed": 7,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / study.FILE).write_text(yaml.safe_dump(values | changes, sort_keys=False), encoding="utf-8")


def launched(folder: Path, db: str | None, judges: int, evaluations: int = 1, **changes: Any) -> Service:
    """Such a study, launched for a rehearsal."""
    write_study(folder, judges, evaluations, **changes)
    service = launch(study.load(folder), folder, Store.at(folder, db))
    service.context.simulated = True
    return service


# ------------------------------------------------------------------------------------------------------------- server


def app() -> Any:
    """The site, and beside it the bare page, which the product does not have."""
    import sqlalchemy as sa
    from starlette.requests import Request
    from starlette.responses import HTMLResponse
    from starlette.routing import Route

    from nlgauge.study.store.tables import studies

    made = worker_app()
    service: Service = made.state.site.service
    query = sa.select(studies.c.title).where(studies.c.id == service.id)
    engine = sa.create_engine(service.store.engine.url)  # as one writes such a page, with no help from the study

    def bare(request: Request) -> HTMLResponse:
        with engine.connect() as connection:
            title = connection.execute(query).scalar_one()
        return HTMLResponse(f"<!doctype html><title>{title}</title><p>{title}</p>")

    made.routes.insert(0, Route("/bare", bare))
    return made


@contextmanager
def served(folder: Path, db: str | None = None, workers: int = 1) -> Iterator[tuple[str, int]]:
    """The site with the bare page, in processes of its own: its address and the first process's number."""
    settings = Settings(str(folder), db, port=0, workers=workers, rehearsal=True)
    process = subprocess.Popen(
        [sys.executable, str(HERE / "study_load.py"), "--serve", json.dumps(asdict(settings))],
        stdout=subprocess.PIPE,
        start_new_session=True,
        env=os.environ,
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().decode().strip()
        assert url, "the server did not start"
        rehearsal.run(rehearsal.answers(url))
        yield url, process.pid
    finally:
        rehearsal.stop(process)


def serve_here(settings: Settings) -> None:
    """What the server's process does."""
    bound = listen(settings.host, settings.port)
    print(f"http://{settings.host}:{bound.getsockname()[1]}", flush=True)
    serve(settings, bound, "study_load:app")


def _processes(group: int) -> Iterator[Path]:
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and os.getpgid(int(process.name)) == group:
                yield process
        except ProcessLookupError:  # gone meanwhile
            continue


def peak_memory(group: int) -> float:
    """The largest resident memory of each process of a group so far, added up, in MB."""
    found = ((process / "status").read_text().partition("VmHWM:")[2].split() for process in _processes(group))
    return sum(int(words[0]) for words in found if words) / 1024


def cpu_seconds(group: int) -> float:
    """The CPU time of a group's processes so far."""
    stats = ((process / "stat").read_text().rpartition(")")[2].split() for process in _processes(group))
    return sum(int(words[11]) + int(words[12]) for words in stats) / os.sysconf("SC_CLK_TCK")


# ------------------------------------------------------------------------------------------------------------- judges


@dataclass
class Crowd:
    """What the judges of a run saw."""

    traffic: Traffic = field(default_factory=Traffic)
    visits: list[Visit] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    @property
    def acknowledged(self) -> Counter[str]:
        """The claims of the answers that were acknowledged, practice left out."""
        sent = (one for visit in self.visits for one in visit.sent)
        return Counter(one.get("claim") for one in sent if one.path.endswith("/answer"))


async def judge(url: str, address: str, crowd: Crowd, seed: int, *, patience: float = 0.0) -> None:
    """One judge from the open link to the end, choosing at random."""
    random = Random(seed)
    client = Client(url, headers={"User-Agent": "load test"}, note=crowd.traffic.note)
    visitor = Visitor(client, lambda form, name, values: random.choice(values), random=random, patience=patience)
    try:
        crowd.visits.append(await visitor.visit(address))
    except Lost as error:
        crowd.lost.append(str(error))


async def all_judges(url: str, address: str, judges: int, seed: int) -> Crowd:
    """So many judges at once."""
    crowd = Crowd()
    begun = time.perf_counter()
    await asyncio.gather(*(judge(url, address, crowd, seed + number) for number in range(judges)))
    crowd.traffic.seconds = time.perf_counter() - begun
    return crowd


async def bare_pages(url: str, connections: int, pages: int) -> Traffic:
    """The bare page, so often in all, over so many connections."""
    traffic, left = Traffic(), iter(range(pages))

    async def fetch() -> None:
        client = Client(url, note=traffic.note)
        for _ in left:
            read((await client.get("/bare")).text)
        client.drop()

    begun = time.perf_counter()
    await asyncio.gather(*(fetch() for _ in range(connections)))
    traffic.seconds = time.perf_counter() - begun
    return traffic


def problems(service: Service, crowd: Crowd, *, killed: bool = False) -> list[str]:
    """What is not as it must be after a run: nothing, one hopes."""
    found = []
    statuses = crowd.traffic.statuses
    if any(status >= 400 for status in statuses) or crowd.lost:
        found.append(f"answers by status {statuses}, {len(crowd.lost)} lost: {crowd.lost[:1]}")
    stored = [one for one in service.judgements() if not one.practice]
    claims = _claims(service)
    acknowledged = crowd.acknowledged
    if missing := set(acknowledged) - set(claims):
        found.append(f"{len(missing)} acknowledged answers are not in the store")
    if twice := [claim for claim, number in claims.items() if number > 1]:
        found.append(f"{len(twice)} answers are in the store twice")
    if not killed and (len(stored) != len(acknowledged) or max(acknowledged.values(), default=1) > 1):
        found.append(f"{len(stored)} answers are stored, {sum(acknowledged.values())} were acknowledged")
    accepted = Counter(one.slot for one in stored if not one.surplus)
    if accepted and max(accepted.values()) > 1:
        found.append("an evaluation has two accepted answers")
    unfinished = [visit for visit in crowd.visits if visit.page.main or visit.status != 200]
    done = sum(row["finished_at"] is not None for row in service.people.judges())
    if unfinished or (not killed and done != len(crowd.visits)):
        found.append(f"{len(unfinished)} judges did not come to the end, {done} finished")
    progress = service.progress.report()["panels"]["public"]
    planned = Counter(slot.role for slot in service.frozen.slots)
    if not killed and progress["triads"] != {triad: planned[triad] for triad in progress["triads"]}:
        found.append(f"triads {progress['triads']}, planned {dict(planned)}")
    return found


def _claims(service: Service) -> Counter[str]:
    import sqlalchemy as sa

    from nlgauge.study.store.tables import judgements as table

    with service.store.read() as connection:
        query = sa.select(table.c.claim).where(table.c.study == service.id, table.c.practice.is_(False))
        return Counter(connection.execute(query).scalars())


# ---------------------------------------------------------------------------------------------------------------- run


def measured(
    folder: Path, db: str | None, judges: int, evaluations: int, workers: int, seed: int = 1
) -> tuple[dict[str, Any], list[str]]:
    """One run: bare pages, the judges, bare pages again; the figures, and what went wrong."""
    service = launched(folder, db, judges, evaluations, seed=seed)
    address = service.arrivals.links("public")[0].path
    with served(folder, db, workers) as (url, group):
        rehearsal.run(bare_pages(url, judges, BARE // 5))  # warm up
        marks = [cpu_seconds(group)]
        before = rehearsal.run(bare_pages(url, judges, BARE))
        marks.append(cpu_seconds(group))
        crowd = rehearsal.run(all_judges(url, address, judges, seed))
        marks.append(cpu_seconds(group))
        after = rehearsal.run(bare_pages(url, judges, BARE))
        marks.append(cpu_seconds(group))
        memory = peak_memory(group)
    wrong = problems(service, crowd)
    bare = [traffic.pages / traffic.seconds for traffic in (before, after)]
    if any(set(traffic.statuses) != {200} for traffic in (before, after)):
        wrong.append("the bare page failed")
    traffic = crowd.traffic
    rate = traffic.pages / traffic.seconds
    result = {
        "database": service.store.engine.dialect.name,
        "judges": judges,
        "evaluations": evaluations,
        "workers": workers,
        "bare_pages_s": sum(bare) / 2,
        "bare_pages_s_before_after": bare,
        "pages_s": rate,
        "requests_s": len(traffic.answers) / traffic.seconds,
        "ratio": rate / (sum(bare) / 2),
        **traffic.to_dict(),
        "memory_mb": memory,
        "cpu_ms_page": 1e3 * (marks[2] - marks[1]) / traffic.pages,
        "bare_cpu_ms_page": 1e3 * (marks[1] - marks[0] + marks[3] - marks[2]) / (2 * BARE),
        "judgements": len(service.judgements()),
    }
    service.store.close()
    return result, wrong


def table(results: list[dict[str, Any]]) -> str:
    """The figures as a Markdown table."""
    lines = [
        "| database | workers | judges at once | evaluations each | pages/s | requests/s | bare pages/s | ratio "
        "| median | 95 % | slowest | server memory | server CPU a page | a bare page |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for one in results:
        lines.append(
            f"| {one['database']} | {one['workers']} | {one['judges']:,} | {one['evaluations']} "
            f"| {one['pages_s']:.0f} | {one['requests_s']:.0f} | {one['bare_pages_s']:.0f} | {one['ratio']:.2f} "
            f"| {one['median_ms']:.0f} ms | {one['p95_ms']:.0f} ms | {one['slowest_ms']:.0f} ms "
            f"| {one['memory_mb']:.0f} MB | {one['cpu_ms_page']:.2f} ms | {one['bare_cpu_ms_page']:.2f} ms |"
        )
    return "\n".join(lines)


def page(kept: dict[str, Any]) -> str:
    """The page of the documentation."""
    return f"""# Many judges at once

Every judge does a whole study over HTTP on loopback without thinking: open link, consent, questions,
instructions, practice with feedback, evaluations. In these runs nothing failed, every acknowledged answer was
stored once, and the triads came out as planned. `python benchmarks/study_load.py` repeats them; `make load`
tests the same sizes, and that a server killed fifty times keeps what it acknowledged.

The yardstick is a bare page of the same server with one read of the same database by SQLAlchemy, fetched by the
same client over as many connections before and after. A displayed page of the study takes 1.8 requests, since
each form is sent and then leads to a page; the ratio counts displayed pages only. Client and server shared
{kept["cores"]} cores, so a server of its own gives more pages than this.

{table(kept["runs"])}

Python {kept["python"]}.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--judges", type=int, default=300)
    parser.add_argument("--evaluations", type=int, default=3)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--db", help="a PostgreSQL database that may be filled; default: SQLite")
    parser.add_argument("--keep", action="store_true", help=f"add the result to {RESULTS.name}")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        serve_here(Settings(**json.loads(arguments.serve)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        result, wrong = measured(Path(folder), arguments.db, arguments.judges, arguments.evaluations, arguments.workers)
    print(table([result]))
    for sentence in wrong:
        print(f"WRONG: {sentence}")
    if arguments.keep and not wrong:
        kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"runs": []}
        same = ("database", "judges", "evaluations", "workers")
        kept["runs"] = [run for run in kept["runs"] if any(run[key] != result[key] for key in same)] + [result]
        kept |= {"python": platform.python_version(), "cores": os.cpu_count()}
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n")
        PAGE.write_text(page(kept))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
