"""Machines as judges: each has a panel and screens of its own, and chooses what to judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from nlgauge.errors import InputError
from nlgauge.study.freeze.frozen import machine_slots
from nlgauge.study.model import Evaluation
from nlgauge.study.refusals import Refused
from nlgauge.study.service.arrivals import Arrivals
from nlgauge.study.service.context import Context
from nlgauge.study.service.dealing import Dealing, slot_row
from nlgauge.study.store import queries, tables


class Machines:
    """What machine judges do instead of following a link."""

    def __init__(self, context: Context, arrivals: Arrivals, dealing: Dealing) -> None:
        self.context, self.store, self.study, self.id = context, context.store, context.study, context.id
        self.arrivals, self.dealing = arrivals, dealing

    def enlist(self, name: str, like: str, number: int = 1) -> str:
        """A machine as a judge: a panel of its own, `name`, with the very screens that `like` was planned with.

        Called again with the same name it gives the same judge, who goes on where it stopped. The screens are copied,
        not shared, so that a machine never takes an evaluation from people. A panel that the study file itself keeps
        for a machine has screens of its own, and `like` says nothing; where its judges have a sheet each, `number` says
        which of them.
        """
        planned = self.study.panels.get(name)
        if (planned is not None and planned.kind != "machine") or not 1 <= len(name) <= 64:
            raise InputError(f"{name!r} is the name of a panel of people, or longer than 64 characters; choose another")
        source = self.context.panel(like) if planned is None else planned
        with self.store.write() as connection:
            self.context.lock_panel(connection, like if planned is None else name)
            sheets = planned is not None and self.context.protocol.samples
            known = self._enlisted(connection, name, number if sheets else None)
            if known:
                return known
            panels = tables.panels
            if planned is None:
                copied = machine_slots(self.context.frozen, name, like)
                each = len(copied)
                connection.execute(panels.insert().values(study=self.id, name=name, evaluations=each))
                connection.execute(tables.slots.insert(), [slot_row(self.id, slot, each) for slot in copied])
            elif not sheets:  # one machine makes what was planned for several
                own = (panels.c.study == self.id) & (panels.c.name == name)
                each = source.judges * source.evaluations
                connection.execute(panels.update().where(own).values(evaluations=each))
            client = f"machine {name} {number}" if sheets else f"machine {name}"
            own_wording = self.study.wording_of(number)
            judge = self.arrivals.new_judge(connection, name, "machine", client=client, wording=own_wording)
            now, practised = self.context.clock(), self.context.practice_total
            self.context.update_judge(connection, judge, consented_at=now, questions_at=now, practised=practised)
            return judge

    def _enlisted(self, connection: sa.Connection, name: str, sheet: int | None) -> str:
        """The judge of a machine's panel, or of one of its sheets; empty where there is none yet."""
        judges, events = tables.judges, tables.events
        own = (judges.c.study == self.id) & (judges.c.panel == name)
        if sheet is None:
            return connection.execute(sa.select(judges.c.id).where(own)).scalar_one_or_none() or ""
        answers, slots = tables.judgements, tables.slots
        answered = (
            sa.select(answers.c.judge)
            .join(slots, (slots.c.study == answers.c.study) & (slots.c.id == answers.c.slot))
            .where(answers.c.study == self.id, slots.c.panel == name, slots.c.block == sheet)
            .limit(1)
        )  # answers that were imported brought no events with them
        known = connection.execute(answered).scalar_one_or_none()
        if known is not None:
            return str(known)
        came = sa.select(events.c.judge, events.c.data).where(events.c.study == self.id, events.c.kind == "registered")
        sought = f"machine {name} {sheet}"
        names = [row.judge for row in connection.execute(came) if row.data.get("client") == sought]
        return str(names[0]) if names else ""

    def take(self, judge: str, slot: str) -> Evaluation:
        """An evaluation of a machine's own panel, by name: what it cannot answer it may leave and go on with others.

        Taken again it is the same claim, so that two runs of one machine at once store one answer.
        """
        with self.context.locked(judge) as (connection, row):
            self.context.present(row)
            place = {"b_study": self.id, "b_slot": slot}
            held = queries.slot_locked.one(connection, place)
            if row.access != "machine" or held is None or held.panel != row.panel:
                raise Refused("foreign", "only a machine chooses what to judge, and only in its own panel")
            if held.judgement is not None:
                raise Refused("answered", "this evaluation has been answered; the answer was kept as it was")
            if held.claim is None or held.holder != judge:
                self.dealing.claim(connection, judge, held)
                held = queries.slot_locked.one(connection, place)
            claim = {"b_study": self.id, "b_claim": held.claim}
            shown_at, texts = queries.claim.one(connection, claim).shown_at, self.context.shown(held.texts)
            number, total, told = held.number, row.evaluations, {"panel": row.panel, "wording": row.wording}
            return Evaluation(held.claim, slot, number, total, texts, shown_at, **told)

    def note(self, kind: str, judge: str, data: Mapping[str, Any]) -> None:
        """Add to the log what the store itself cannot know, such as a machine's settings and replies."""
        values = {"study": self.id, "at": self.context.clock(), "kind": kind, "judge": judge, "data": dict(data)}
        with self.store.write() as connection:
            queries.add_event.do(connection, values)
