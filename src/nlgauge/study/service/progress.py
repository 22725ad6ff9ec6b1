"""What the researcher may watch while a study runs: who came, how far they are, how long they took.

No query here reads what was answered or where the odd text stood, so nothing on a page made from it can tell how the
study will end.
"""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import sqlalchemy as sa

from nlgauge.study.model import Link
from nlgauge.study.service import Service
from nlgauge.study.service.stages import in_words, stage_of
from nlgauge.study.store import tables

ON_THE_WAY = ("consent", "questions", "practice", "evaluation")  # stages of a judge who has more to do


@dataclass(frozen=True)
class Answered:
    """That somebody answered, and when."""

    panel: str
    judge: str
    shown_at: float
    answered_at: float

    @property
    def seconds(self) -> float:
        """From the first showing to the answer."""
        return self.answered_at - self.shown_at


@dataclass(frozen=True)
class Pace:
    """How long answers took, in seconds."""

    seconds: tuple[float, ...]  # sorted
    low: float
    median: float
    high: float
    fast: int  # below the study's `too_fast`


@dataclass(frozen=True)
class Seat:
    """One judge, by the number that stands for the person."""

    judge: str
    panel: str
    access: str
    language: str
    stage: str  # consent, questions, practice, evaluation, done, failed, withdrawn, closed, forgotten
    answered: int
    registered_at: float
    last_seen: float
    median: float | None  # seconds
    fast: int
    machine: bool = False

    @property
    def reached(self) -> str:
        """The stage in words, as everywhere else, and how far on the way."""
        counted = in_words(stage_of(self.stage))
        return f"{counted}: {self.stage}" if self.stage in ON_THE_WAY else counted


@dataclass(frozen=True)
class LinkState:
    """A personal link and what became of it: not visited, begun, done, failed, withdrawn."""

    link: Link
    state: str


def answered(service: Service) -> list[Answered]:
    """Every answer but practice and corrections, in the order of arrival."""
    table = tables.judgements
    query = (
        sa.select(table.c.panel, table.c.judge, table.c.shown_at, table.c.answered_at)
        .where(table.c.study == service.id, table.c.practice.is_(False), table.c.replaces == "")
        .order_by(table.c.answered_at)
    )
    with service.store.read() as connection:
        return [Answered(*row) for row in connection.execute(query)]


def pace(answers: Iterable[Answered], too_fast: float) -> Pace | None:
    """Quartiles of the times; None where nobody answered."""
    seconds = sorted(one.seconds for one in answers)
    if not seconds:
        return None
    low, median, high = statistics.quantiles(seconds, n=4, method="inclusive") if len(seconds) > 1 else seconds * 3
    return Pace(tuple(seconds), low, median, high, sum(value < too_fast for value in seconds))


def seats(service: Service, answers: Sequence[Answered]) -> list[Seat]:
    """The judges in the order in which they came."""
    by_judge: dict[str, list[float]] = defaultdict(list)
    given: Counter[str] = Counter()
    last = _last_shown(service)
    for one in answers:
        given[one.judge] += 1
        if one.answered_at > 0:  # of an imported answer the time may not be known
            by_judge[one.judge].append(one.seconds)
        last[one.judge] = max(last.get(one.judge, 0.0), one.answered_at)
    status, found = service.status, []
    for row in service.judges():
        own = by_judge.get(row["id"], [])
        times = (row["registered_at"], row["consented_at"], row["questions_at"], row["finished_at"])
        found.append(
            Seat(
                row["id"],
                row["panel"],
                row["access"],
                row["language"],
                stage(service, row, status),
                given[row["id"]],
                row["registered_at"],
                max([last.get(row["id"], 0.0), *(at for at in times if at is not None)]),
                statistics.median(own) if own else None,
                sum(value < service.study.too_fast for value in own),
                is_machine(service, row["panel"]),
            )
        )
    return found


def is_machine(service: Service, panel: str) -> bool:
    """Whether a panel is a machine's: one that the study file keeps for it, or one that came later."""
    plan = service.study.panels.get(panel)
    return plan is None or plan.kind == "machine"


def stage(service: Service, row: dict[str, Any], status: str) -> str:
    """How far a judge is; the same rule that deals the pages."""
    if row["forgotten_at"] is not None:
        return "forgotten"
    return service._stage(SimpleNamespace(**row, status=status))


def link_states(service: Service, panel: str | None = None) -> list[LinkState]:
    """The links that are to be sent, with what became of the personal ones."""
    status, links = service.status, service.links(panel)  # refuses a panel that there is not
    stages = {row["id"]: stage(service, row, status) for row in service.judges(panel)}
    found = []
    for link in links:
        if link.judge is None:
            state = "not visited"
        else:
            known = stages.get(link.judge, "forgotten")
            state = "begun" if known in (*ON_THE_WAY, "closed") else known
        found.append(LinkState(link, state))
    return found


def used_up(service: Service) -> dict[str, int]:
    """Panels that lack answers though every personal link was used to its end, so that nobody is left: how many."""
    if service.status == "closed":
        return {}
    progress, found = service.progress()["panels"], {}
    for name, panel in service.study.panels.items():
        missing = progress[name]["planned"] - progress[name]["done"]
        if panel.kind == "people" and panel.access == "links" and missing > 0:
            states = [one.state for one in link_states(service, name)]
            if states and not {"not visited", "begun"} & set(states):
                found[name] = missing
    return found


def launched_at(service: Service) -> float:
    """When the study was launched in this store."""
    table = tables.studies
    with service.store.read() as connection:
        query = sa.select(table.c.launched_at).where(table.c.id == service.id)
        return float(connection.execute(query).scalar_one())


def database(service: Service) -> str:
    """Where the answers are kept, without a password."""
    url = service.store.engine.url
    if url.get_backend_name() == "sqlite":
        return f"SQLite, {url.database or 'in memory'}"
    return f"PostgreSQL, {url.render_as_string(hide_password=True)}"


def _last_shown(service: Service) -> dict[str, float]:
    table = tables.claims
    query = (
        sa.select(table.c.judge, sa.func.max(table.c.shown_at))
        .where(table.c.study == service.id)
        .group_by(table.c.judge)
    )
    with service.store.read() as connection:
        return {str(judge): float(at) for judge, at in connection.execute(query)}


def version(service: Service) -> tuple[Any, ...]:
    """Changes whenever an analysis could come out otherwise."""
    stored, log = tables.judgements, tables.events
    kinds = ("analysed", "closed", "closing", "exported", "forgotten", "imported", "reopened")
    with service.store.read() as connection:
        answers = connection.execute(
            sa.select(sa.func.count(), sa.func.max(stored.c.seq)).where(stored.c.study == service.id)
        ).one()
        last = connection.execute(
            sa.select(sa.func.max(log.c.seq)).where(log.c.study == service.id, log.c.kind.in_(kinds))
        ).scalar_one()
    return (*answers, last)
