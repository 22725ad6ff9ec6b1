"""What the judges' verbs and the researcher's share: the store, the clock, the generator of names, and small values."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import sqlalchemy as sa

from nlgauge.study.launch.frozen import Frozen
from nlgauge.study.model import Judgement, Slot
from nlgauge.study.protocols import protocol_of
from nlgauge.study.refusals import Refused
from nlgauge.study.store import Store, queries, tables
from nlgauge.study.store.queries import Prepared, Reply

ADDED = "judges added"  # event


def added(events: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many judges were added to each panel after the launch, by the log."""
    found: dict[str, int] = {}
    for event in events:
        if event["kind"] == ADDED:
            data = event["data"]
            found[data["panel"]] = found.get(data["panel"], 0) + data["judges"]
    return found


def excluded(events: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Who is left out as the log has it now, each with the reason."""
    found: dict[str, str] = {}
    for event in events:
        if event["kind"] == "excluded" and event["judge"]:
            found[event["judge"]] = str(event["data"].get("reason") or "no reason given")
        elif event["kind"] == "readmitted":
            found.pop(event["judge"], None)
    return found


def unguessable() -> str:
    """128 random bits, fit for an address."""
    return secrets.token_hex(16)


class Base:
    """A launched study in a store."""

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

    @cached_property
    def practice_total(self) -> int:
        """How many practice evaluations there are."""
        return len(self.frozen.rounds)

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

    def slots(self, panel: str | None = None) -> list[Slot]:
        """The evaluations to be made, those added later included."""
        with self.store.read() as connection:
            return self._slots(connection, panel)

    # ------------------------------------------------------------------------------------------ for the verbs

    def _excluded(self, connection: sa.Connection) -> dict[str, str]:
        table = tables.events
        query = sa.select(table.c.kind, table.c.judge, table.c.data).where(
            table.c.study == self.id, table.c.kind.in_(("excluded", "readmitted"))
        )
        rows = connection.execute(query.order_by(table.c.seq)).mappings()
        return excluded(dict(row) for row in rows)

    def _slots(self, connection: sa.Connection, panel: str | None = None) -> list[Slot]:
        table = tables.slots
        columns = (table.c.id, table.c.panel, table.c.number, table.c.block, table.c.role, table.c.texts)
        query = sa.select(*columns).where(table.c.study == self.id).order_by(table.c.panel, table.c.number)
        if panel:
            query = query.where(table.c.panel == panel)
        return [Slot(*row[:5], tuple(row[5])) for row in connection.execute(query)]

    def _log(self, connection: sa.Connection, kind: str, judge: str | None = None, **data: Any) -> None:
        values = {"study": self.id, "at": self.clock(), "kind": kind, "judge": judge, "data": data}
        queries.add_event.do(connection, values)

    def _judge(
        self, connection: sa.Connection, judge: str, *, lock: bool = False, query: Prepared = queries.judge
    ) -> Any:
        """A judge's row with the study's status and the panel's evaluations; locked, so that two windows take turns."""
        return self._known(self._ask_judge(connection, judge, queries.judge_locked if lock else query).one())

    def _ask_judge(self, connection: sa.Connection, judge: str, query: Prepared = queries.judge_locked) -> Reply:
        return query.ask(connection, {"b_study": self.id, "b_judge": judge})

    def _known(self, row: Any) -> Any:
        if row is None:
            raise Refused("unknown", "there is no such judge in this study")
        return row

    def _update_judge(self, connection: sa.Connection, judge: str, **values: Any) -> None:
        bound = {f"v_{name}": value for name, value in values.items()}
        changes = queries.judge_update(tuple(values))
        changes.do(connection, {"b_study": self.id, "b_judge": judge, **bound})

    def _free(self, connection: sa.Connection, judge: str) -> None:
        """Give back every slot that is kept for a judge and not answered."""
        queries.free.do(connection, {"b_study": self.id, "b_judge": judge})

    def _panel(self, name: str) -> Any:
        if name not in self.study.panels:
            raise Refused(
                "unknown",
                f"the study has no panel {name!r}; it has {', '.join(self.study.panels)}",
            )
        return self.study.panels[name]

    def _evaluations(self, connection: sa.Connection, panel: str) -> int:
        """How many evaluations a judge of a panel makes; a panel of a machine may have been added after launch."""
        table = tables.panels
        query = sa.select(table.c.evaluations).where(table.c.study == self.id, table.c.name == panel)
        return int(connection.execute(query).scalar_one())

    def _leave(self, connection: sa.Connection, judge: str, how: str) -> None:
        self._free(connection, judge)
        self._update_judge(connection, judge, withdrawn_at=self.clock())
        self._log(connection, how, judge)

    def _present(self, row: Any) -> None:
        if row.forgotten_at is not None or row.withdrawn_at is not None:
            raise Refused("withdrawn", "you have left this study; nothing more can be answered")
