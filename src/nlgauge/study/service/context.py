"""What the parts of the service share: the store, the clock, the generator of names, and small queries."""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypedDict

import sqlalchemy as sa

from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Evaluation, Judgement, Slot, Text
from nlgauge.study.protocols import protocol_of
from nlgauge.study.refusals import Refused
from nlgauge.study.store import Store, queries, tables
from nlgauge.study.store.queries import Prepared, Reply

ADDED = "judges added"  # event


def added(events: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many judges were added to each panel after the launch, by the log."""
    numbers: Counter[str] = Counter()
    for event in events:
        if event["kind"] == ADDED:
            numbers[event["data"]["panel"]] += event["data"]["judges"]
    return dict(numbers)


def excluded(events: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Who is left out as the log has it now, each with the reason."""
    reasons: dict[str, str] = {}
    for event in events:
        if event["kind"] == "excluded" and event["judge"]:
            reasons[event["judge"]] = str(event["data"].get("reason") or "no reason given")
        elif event["kind"] == "readmitted":
            reasons.pop(event["judge"], None)
    return reasons


def unguessable() -> str:
    """128 random bits, fit for an address."""
    return secrets.token_hex(16)


class Means(TypedDict, total=False):
    """What a service tells the time and makes names by, and whether its judges are simulated."""

    clock: Callable[[], float]
    generator: Callable[[], str]
    simulated: bool


class Context:
    """A launched study in a store: what every part of the service stands on."""

    def __init__(
        self,
        store: Store,
        frozen: Frozen,
        *,
        clock: Callable[[], float] = time.time,
        generator: Callable[[], str] = unguessable,
        simulated: bool = False,
    ) -> None:
        self.store, self.frozen, self.clock, self.generator = store, frozen, clock, generator
        self.study, self.id, self.simulated = frozen.study, frozen.id, simulated
        self.protocol = protocol_of(self.study.protocol)
        self.practice_total = len(frozen.rounds)

    def judgements(self) -> list[Judgement]:
        """Every judgement in the order of arrival, practice, surplus and corrections included."""
        table = tables.judgements
        with self.store.read() as connection:
            rows = connection.execute(sa.select(table).where(table.c.study == self.id).order_by(table.c.seq))
            return [Judgement.from_dict(dict(row)) for row in rows.mappings()]

    def events(self, kind: str | None = None) -> list[dict[str, Any]]:
        """The log, oldest first."""
        table = tables.events
        query = sa.select(table).where(table.c.study == self.id).order_by(table.c.seq)
        if kind:
            query = query.where(table.c.kind == kind)
        with self.store.read() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def persons(self) -> dict[str, str]:
        """The platform's id of each judge who came by one."""
        ids = tables.platform_ids
        with self.store.read() as connection:
            rows = connection.execute(sa.select(ids.c.person, ids.c.judge).where(ids.c.study == self.id)).all()
        return {row.judge: row.person for row in rows}

    def excluded(self, connection: sa.Connection) -> dict[str, str]:
        """Who is left out of the analysis now, each with the reason."""
        table = tables.events
        query = sa.select(table.c.kind, table.c.judge, table.c.data).where(
            table.c.study == self.id, table.c.kind.in_(("excluded", "readmitted"))
        )
        rows = connection.execute(query.order_by(table.c.seq)).mappings()
        return excluded(dict(row) for row in rows)

    def slots(self, connection: sa.Connection, panel: str | None = None) -> list[Slot]:
        """The evaluations to be made, those added later included."""
        table = tables.slots
        columns = (table.c.id, table.c.panel, table.c.number, table.c.block, table.c.role, table.c.texts)
        query = sa.select(*columns).where(table.c.study == self.id).order_by(table.c.panel, table.c.number)
        if panel:
            query = query.where(table.c.panel == panel)
        return [Slot(*row[:5], tuple(row[5])) for row in connection.execute(query)]

    def log(self, connection: sa.Connection, kind: str, judge: str | None = None, **data: Any) -> None:
        """Add an event."""
        values = {"study": self.id, "at": self.clock(), "kind": kind, "judge": judge, "data": data}
        queries.add_event.do(connection, values)

    def judge(
        self, connection: sa.Connection, judge: str, *, lock: bool = False, query: Prepared = queries.judge
    ) -> Any:
        """A judge's row with the study's status and the panel's evaluations; locked, so that two windows take turns."""
        return self.known(self.ask_judge(connection, judge, queries.judge_locked if lock else query).one())

    @contextmanager
    def locked(self, judge: str) -> Iterator[tuple[sa.Connection, Any]]:
        """A transaction that writes, with a judge's row, locked."""
        with self.store.write() as connection:
            yield connection, self.judge(connection, judge, lock=True)

    def ask_judge(self, connection: sa.Connection, judge: str, query: Prepared = queries.judge_locked) -> Reply:
        """The same, sent but not read yet; `known` is then to be called."""
        return query.ask(connection, {"b_study": self.id, "b_judge": judge})

    def known(self, row: Any) -> Any:
        """A judge's row, refused where there is none."""
        if row is None:
            raise Refused("unknown", "there is no such judge in this study")
        return row

    def update_judge(self, connection: sa.Connection, judge: str, **values: Any) -> None:
        """Set some columns of a judge's row."""
        bound = {f"v_{name}": value for name, value in values.items()}
        changes = queries.judge_update(tuple(values))
        changes.do(connection, {"b_study": self.id, "b_judge": judge, **bound})

    def free(self, connection: sa.Connection, judge: str) -> None:
        """Give back every slot that is kept for a judge and not answered."""
        queries.free.do(connection, {"b_study": self.id, "b_judge": judge})

    def panel(self, name: str) -> Any:
        """A panel of the study file."""
        if name not in self.study.panels:
            raise Refused("unknown", f"the study has no panel {name!r}; it has {', '.join(self.study.panels)}")
        return self.study.panels[name]

    def evaluations(self, connection: sa.Connection, panel: str) -> int:
        """How many evaluations a judge of a panel makes; a panel of a machine may have been added after launch."""
        table = tables.panels
        query = sa.select(table.c.evaluations).where(table.c.study == self.id, table.c.name == panel)
        return int(connection.execute(query).scalar_one())

    def present(self, row: Any) -> None:
        """Refuse what a judge sends who has left."""
        if row.forgotten_at is not None or row.withdrawn_at is not None:
            raise Refused("withdrawn", "you have left this study; nothing more can be answered")

    def places(self, connection: sa.Connection, panel: str, judge: str = "") -> bool:
        """Whether anything is left for a judge of a panel, as far as can be told now."""
        if self.study.extra == "continue":
            return True
        values = {"b_study": self.id, "b_judge": judge, "b_panel": panel, "b_now": self.clock()}
        return queries.any_slot.one(connection, values) is not None

    def stage(self, row: Any) -> str:
        """Where a judge stands: consent, questions, practice, evaluation, done, failed, withdrawn or closed."""
        if row.forgotten_at is not None or row.withdrawn_at is not None:
            return "withdrawn"
        if row.failed:
            return "failed"
        if row.finished_at is not None:
            return "done"
        if row.status == "closed":
            return "closed"
        if self.study.consent is not None and row.consented_at is None:
            return "consent"
        if self.study.questions and row.questions_at is None:
            return "questions"
        return "practice" if row.practised < self.practice_total else "evaluation"

    def shown(self, texts: Sequence[str]) -> tuple[Text, ...]:
        """Texts by their ids."""
        return tuple(self.frozen.text[text] for text in texts)

    def evaluation(self, row: Any, texts: Sequence[str], **shown: Any) -> Evaluation:
        """What is shown to the judge of a row: some texts, and the other fields of an evaluation."""
        return Evaluation(texts=self.shown(texts), panel=row.panel, judge=row.id, wording=row.wording, **shown)

    def keep(self, connection: sa.Connection, judge: str) -> None:
        """Keep what is kept for a judge for a while longer."""
        queries.keep.do(connection, {"b_study": self.id, "b_judge": judge, "b_expires": self.expiry()})

    def expiry(self) -> float:
        """Until when a slot is kept that is dealt now."""
        return self.clock() + 60 * self.study.timeout

    def lock_panel(self, connection: sa.Connection, panel: str) -> None:
        """Panels are dealt one judge at a time; in SQLite whoever writes is alone anyway."""
        if self.store.engine.dialect.name != "sqlite":
            queries.panel_locked.do(connection, {"b_study": self.id, "b_panel": panel})

    def alone(self, connection: sa.Connection, what: str) -> None:
        """Wait for others who do the same; SQLite has one writer anyway."""
        if self.store.engine.dialect.name == "postgresql":
            lock = sa.func.hashtextextended(f"{self.id}/{what}", 0)
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(lock)))
