"""What the researcher may watch while a study runs: who came, how far they are, how long they took.

No query here reads what was answered or where the odd text stood, so nothing on a page made from it can tell how the
study will end. Where a judge stands has one definition here, by which `study status`, the dashboard and the analysis
count. The stages exclude each other, so they add up to the judges who registered. What happened last and matters most
wins: whoever was forgotten is counted as that alone, also after having finished.
"""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from nlgauge.errors import counted
from nlgauge.study.file.study import Study
from nlgauge.study.model import Link
from nlgauge.study.service.arrivals import Arrivals
from nlgauge.study.service.context import ADDED, Context, added
from nlgauge.study.service.people import People
from nlgauge.study.store import tables

if TYPE_CHECKING:
    from nlgauge.study.service import Service

STAGES = ("in_progress", "finished", "failed", "withdrawn", "forgotten")  # a later one wins over those before it
ENDS = {"done": "finished", "failed": "failed", "withdrawn": "withdrawn", "forgotten": "forgotten"}  # by step
LOGGED = {"finished": "finished", "failed": "failed", "forgotten": "forgotten"}  # by event
LOGGED |= dict.fromkeys(("declined", "withdrew"), "withdrawn")

_judges = tables.judges
stage_column: sa.ColumnElement[str] = sa.case(
    (_judges.c.forgotten_at.is_not(None), "forgotten"),
    (_judges.c.withdrawn_at.is_not(None), "withdrawn"),
    (_judges.c.failed != "", "failed"),
    (_judges.c.finished_at.is_not(None), "finished"),
    else_="in_progress",
)
"""The same rule for the database; `stage_of` is it for the step that a judge is at."""

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


class Progress:
    """Counts and times, of the whole study, its panels and its judges."""

    def __init__(self, context: Context, arrivals: Arrivals, people: People) -> None:
        self.context, self.store, self.study, self.id = context, context.store, context.study, context.id
        self.arrivals, self.people = arrivals, people

    @property
    def status(self) -> str:
        """open, paused or closed."""
        table = tables.studies
        with self.store.read() as connection:
            return str(connection.execute(sa.select(table.c.status).where(table.c.id == self.id)).scalar_one())

    def report(self) -> dict[str, Any]:
        """How far the study is, by panel and triad; says nothing about who was right."""
        slots, judges, stored = tables.slots, tables.judges, tables.judgements
        now = self.context.clock()
        with self.store.read() as connection:
            status = connection.execute(
                sa.select(tables.studies.c.status, tables.studies.c.kind).where(tables.studies.c.id == self.id)
            ).one()
            cells = connection.execute(
                sa.select(
                    slots.c.panel,
                    slots.c.role,
                    sa.func.count().label("planned"),
                    sa.func.count(slots.c.judgement).label("done"),
                    sa.func.sum(_times(slots.c.judgement.is_(None) & (slots.c.expires_at >= now))).label("open"),
                    sa.func.sum(_times(slots.c.judgement.is_(None) & (slots.c.expires_at < now))).label("stale"),
                )
                .where(slots.c.study == self.id)
                .group_by(slots.c.panel, slots.c.role)
            ).all()
            stage = stage_column.label("stage")
            each = sa.select(judges.c.panel, stage).where(judges.c.study == self.id).subquery()
            numbers = sa.select(each.c.panel, each.c.stage, sa.func.count()).group_by(each.c.panel, each.c.stage)
            people: dict[str, dict[str, int]] = {}
            for panel, reached, number in connection.execute(numbers):
                people.setdefault(panel, {})[reached] = int(number)
            late = connection.execute(
                sa.select(stored.c.panel, sa.func.count().label("number"))
                .where(stored.c.study == self.id, stored.c.surplus.is_(True), stored.c.replaces == "")
                .group_by(stored.c.panel)
            ).all()
            surplus = {row.panel: int(row.number) for row in late}
        panels = {}
        for name in dict.fromkeys([*self.study.panels, *(cell.panel for cell in cells)]):
            own = [cell for cell in cells if cell.panel == name]
            kinds = self.context.protocol.kinds
            panels[name] = _panel_progress(kinds, own, people.get(name, {}), surplus.get(name, 0))
        head = {"study": self.id, "title": self.study.called, "status": status.status}
        return {**head, "simulated": status.kind == "simulated", "panels": panels}

    def planned_answers(self, only: str | None = None) -> tuple[int, int]:
        """How many of the answers planned for people, or for one panel of them, are there, and are to be."""
        panels, more = self.report()["panels"], added(self.context.events(ADDED))
        done = planned = 0
        for name, panel in self.study.panels.items():
            if panel.kind == "people" and only in (None, name):
                judges = panel.judges + more.get(name, 0)
                # judges of a study that was imported gave as many answers as they gave
                number = panels[name]["done"] if self.study.imported else judges * panel.evaluations
                done, planned = done + min(panels[name]["done"], number), planned + number
        return done, planned

    def answered(self) -> list[Answered]:
        """Every answer but practice and corrections, in the order of arrival."""
        table = tables.judgements
        query = (
            sa.select(table.c.panel, table.c.judge, table.c.shown_at, table.c.answered_at)
            .where(table.c.study == self.id, table.c.practice.is_(False), table.c.replaces == "")
            .order_by(table.c.answered_at)
        )
        with self.store.read() as connection:
            return [Answered(*row) for row in connection.execute(query)]

    def seats(self) -> list[Seat]:
        """The judges in the order in which they came."""
        by_judge: dict[str, list[float]] = defaultdict(list)
        given: Counter[str] = Counter()
        last = self._last_shown()
        for answer in self.answered():
            given[answer.judge] += 1
            if answer.answered_at > 0:  # of an imported answer the time may not be known
                by_judge[answer.judge].append(answer.seconds)
            last[answer.judge] = max(last.get(answer.judge, 0.0), answer.answered_at)
        status, seats = self.status, []
        for row in self.people.judges():
            seconds = by_judge.get(row["id"], [])
            times = (row["registered_at"], row["consented_at"], row["questions_at"], row["finished_at"])
            seats.append(
                Seat(
                    judge=row["id"],
                    panel=row["panel"],
                    access=row["access"],
                    language=row["language"],
                    stage=self._stage(row, status),
                    answered=given[row["id"]],
                    registered_at=row["registered_at"],
                    last_seen=max([last.get(row["id"], 0.0), *(at for at in times if at is not None)]),
                    median=statistics.median(seconds) if seconds else None,
                    fast=sum(value < self.study.too_fast for value in seconds),
                    machine=is_machine(self.study, row["panel"]),
                )
            )
        return seats

    def _stage(self, row: dict[str, Any], status: str) -> str:
        """How far a judge is; the same rule that deals the pages."""
        if row["forgotten_at"] is not None:
            return "forgotten"
        return self.context.stage(SimpleNamespace(**row, status=status))

    def link_states(self, panel: str | None = None) -> list[LinkState]:
        """The links that are to be sent, with what became of the personal ones."""
        status, links = self.status, self.arrivals.links(panel)  # refuses a panel that there is not
        stages = {row["id"]: self._stage(row, status) for row in self.people.judges(panel)}
        states = []
        for link in links:
            known = "not visited" if link.judge is None else stages.get(link.judge, "forgotten")
            states.append(LinkState(link, "begun" if known in (*ON_THE_WAY, "closed") else known))
        return states

    def used_up(self) -> dict[str, int]:
        """Panels that lack answers though every personal link was used to its end, so that nobody is left: how many."""
        if self.status == "closed":
            return {}
        progress, used = self.report()["panels"], {}
        for name, panel in self.study.panels.items():
            missing = progress[name]["planned"] - progress[name]["done"]
            if panel.kind == "people" and panel.access == "links" and missing > 0:
                states = {link.state for link in self.link_states(name)}
                if states and not {"not visited", "begun"} & states:
                    used[name] = missing
        return used

    def launched_at(self) -> float:
        """When the study was launched in this store."""
        table = tables.studies
        with self.store.read() as connection:
            query = sa.select(table.c.launched_at).where(table.c.id == self.id)
            return float(connection.execute(query).scalar_one())

    def _last_shown(self) -> dict[str, float]:
        table = tables.claims
        query = sa.select(table.c.judge, sa.func.max(table.c.shown_at)).where(table.c.study == self.id)
        with self.store.read() as connection:
            return {str(judge): float(at) for judge, at in connection.execute(query.group_by(table.c.judge))}

    def version(self) -> tuple[Any, ...]:
        """Changes whenever an analysis could come out otherwise."""
        stored, log = tables.judgements, tables.events
        kinds = ("analysed", "closed", "closing", "exported", "forgotten", "imported", "reopened")
        with self.store.read() as connection:
            given = sa.select(sa.func.count(), sa.func.max(stored.c.seq)).where(stored.c.study == self.id)
            last = sa.select(sa.func.max(log.c.seq)).where(log.c.study == self.id, log.c.kind.in_(kinds))
            return (*connection.execute(given).one(), connection.execute(last).scalar_one())


def watch(service: Service) -> dict[str, Any]:
    """The progress of every panel with the median time of an answer, and when the study was launched and last answered.

    Times of accepted answers only; answers themselves are not read.
    """
    report, stored = service.progress.report(), tables.judgements
    query = sa.select(stored.c.panel, stored.c.shown_at, stored.c.answered_at)
    with service.store.read() as connection:
        accepted = (stored.c.study == service.id) & stored.c.accepts.is_not(None)
        times = connection.execute(query.where(accepted)).all()
    seconds: dict[str, list[float]] = {}
    for panel, shown, answered in times:
        seconds.setdefault(panel, []).append(answered - shown)
    for name, panel in report["panels"].items():
        panel["median_seconds"] = statistics.median(seconds[name]) if seconds.get(name) else None
    last = max((answered for _, _, answered in times), default=None)
    remarks = [
        f"Panel {name}: every link is used up and {counted(missing, 'answer is', 'answers are')} missing, so that "
        f"nobody is left to wait for; make further links: nlgauge study links DIR --panel {name} --more N"
        for name, missing in service.progress.used_up().items()
    ]
    remarks += service.protocol.watched(service)
    report |= {"launched_at": service.progress.launched_at(), "last_answer_at": last}
    return report | ({"remarks": remarks} if remarks else {})


def pace(answers: Iterable[Answered], too_fast: float) -> Pace | None:
    """Quartiles of the times; None where nobody answered."""
    seconds = sorted(answer.seconds for answer in answers)
    if not seconds:
        return None
    low, median, high = statistics.quantiles(seconds, n=4, method="inclusive") if len(seconds) > 1 else seconds * 3
    fast = sum(value < too_fast for value in seconds)
    return Pace(tuple(seconds), low=low, median=median, high=high, fast=fast)


def is_machine(study: Study, panel: str) -> bool:
    """Whether a panel is a machine's: one that the study file keeps for it, or one that came later."""
    plan = study.panels.get(panel)
    return plan is None or plan.kind == "machine"


def stage_of(step: str) -> str:
    """The stage to which a step (consent, practice, done …) belongs."""
    return ENDS.get(step, "in_progress")


def from_log(events: Iterable[Mapping[str, Any]]) -> dict[str, tuple[str, str]]:
    """Panel and stage of every judge whose coming is in the log: the same numbers where only the log was taken over."""
    stages: dict[str, tuple[str, str]] = {}
    for event in events:
        judge, stage = event["judge"], LOGGED.get(event["kind"], "in_progress")
        if event["kind"] == "registered":
            stages[judge] = (event["data"]["panel"], stage)
        elif judge in stages:
            panel, before = stages[judge]
            stages[judge] = (panel, max(before, stage, key=STAGES.index))
    return stages


def in_words(stage: str) -> str:
    """A stage as it is shown to people."""
    return stage.replace("_", " ")


def _times(condition: sa.ColumnElement[bool]) -> sa.Case[int]:
    return sa.case((condition, 1), else_=0)


def _panel_progress(kinds: Sequence[str], cells: list[Any], people: dict[str, int], surplus: int) -> dict[str, Any]:
    by_triad = {cell.role: cell for cell in cells}
    return {
        "planned": sum(cell.planned for cell in cells),
        "done": sum(cell.done for cell in cells),
        "open": sum(cell.open or 0 for cell in cells),
        "stale": sum(cell.stale or 0 for cell in cells),
        "surplus": surplus,
        "triads": {triad: by_triad[triad].done if triad in by_triad else 0 for triad in kinds},
        "judges": {"registered": sum(people.values()), **{name: people.get(name, 0) for name in STAGES}},
    }
