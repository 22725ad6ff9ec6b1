"""What happens between the showing of a text and its answer: turns of a conversation, that a text was read.

Each is an event of the kind `turn` under the claim it belongs to, stored before anything is shown of it, so that a page
that is loaded again shows the same. A protocol that keeps such a record (`Protocol.records`) puts it into the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy as sa

from nlgauge.study.freeze.frozen import practice_slot
from nlgauge.study.model import TURN
from nlgauge.study.refusals import Refused
from nlgauge.study.service.context import Context
from nlgauge.study.store import queries, tables

TOLD = ("claim", "role", "seconds")  # of an entry in an exported log: what was said stays in the answers
Entry = dict[str, Any]
Maker = Callable[[list[Entry]], Entry | None]
"""What to add to a record, in view of what it holds; None: nothing."""


class Turns:
    """The record of each showing."""

    def __init__(self, context: Context) -> None:
        self.context, self.store, self.id = context, context.store, context.id

    def record(self, judge: str, claim: str) -> list[Entry]:
        """What has happened since a claim was shown, oldest first, each entry with its time."""
        with self.store.glance() as connection:
            return self.recorded(connection, judge, claim)

    def record_of(self, claim: str) -> list[Entry]:
        """The same for a claim that is known to be on its judge's screen."""
        with self.store.glance() as connection:
            shown = queries.claim.one(connection, {"b_study": self.id, "b_claim": claim})
            return [] if shown is None else self.recorded(connection, shown.judge, claim)

    def add_record(self, judge: str, claim: str, make: Maker) -> list[Entry]:
        """Add an entry to the record of what a judge has on screen; gives the record as it is then.

        Refused where the page is another judge's, was answered, or the study has ended: a record is closed by then.
        """
        with self.context.locked(judge) as (connection, row):
            shown = queries.claim.one(connection, {"b_study": self.id, "b_claim": claim})
            if shown is None or shown.judge != judge:
                raise Refused("unknown", "this page does not belong to an evaluation of this judge")
            values = {"b_study": self.id, "b_judge": judge, "b_key": claim, "b_claim": claim}
            if queries.by_key_or_claim.all(connection, values):
                raise Refused("answered", "this evaluation has been answered; nothing more can be added to it")
            self.context.present(row)
            if row.status == "closed":
                raise Refused("closed", "this study is closed; nothing more can be added")
            before = self.recorded(connection, judge, claim)
            entry = make(before)
            if entry is None:
                return before
            at = self.context.clock()
            self.context.log(connection, TURN, judge, claim=claim, **entry)
            self.context.keep(connection, judge)
            return [*before, {**entry, "at": at}]

    def shown_texts(self) -> dict[str, str]:
        """The subject of the first text under every claim that has a record."""
        claims, slots = tables.claims, tables.slots
        subjects = {}
        with self.store.read() as connection:
            query = (
                sa.select(claims.c.id, slots.c.texts)
                .join(slots, (slots.c.study == claims.c.study) & (slots.c.id == claims.c.slot))
                .where(claims.c.study == self.id)
            )
            for claim, texts in connection.execute(query):
                subjects[str(claim)] = self.context.frozen.text[texts[0]].subject
            practice = sa.select(claims.c.id, claims.c.judge).where(claims.c.study == self.id, claims.c.dealt == 0)
            for claim, judge in connection.execute(practice):
                number = int(claim.rpartition("-p")[2])
                slot = practice_slot(self.context.frozen, number, judge)
                subjects[str(claim)] = self.context.frozen.text[slot.texts[0]].subject
        return subjects

    def recorded(self, connection: sa.Connection, judge: str, claim: str) -> list[Entry]:
        """The same as `record` in a transaction."""
        table = tables.events
        query = (
            sa.select(table.c.at, table.c.data)
            .where(table.c.study == self.id, table.c.kind == TURN, table.c.judge == judge)
            .order_by(table.c.seq)
        )
        return [
            {**{name: value for name, value in data.items() if name != "claim"}, "at": at}
            for at, data in connection.execute(query)
            if data["claim"] == claim
        ]

    def erase(self, connection: sa.Connection, judge: str) -> None:
        """What a judge said belongs to the judge: of a record only that there was one is kept."""
        table = tables.events
        own = (table.c.study == self.id) & (table.c.kind == TURN) & (table.c.judge == judge)
        for seq, data in connection.execute(sa.select(table.c.seq, table.c.data).where(own)).all():
            connection.execute(table.update().where(table.c.seq == seq).values(data=told(data)))


def told(data: Mapping[str, Any]) -> dict[str, Any]:
    """An entry without what was said."""
    return {name: data[name] for name in TOLD if name in data}
