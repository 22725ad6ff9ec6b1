"""The verbs of the researcher: links, progress, pause, resume, close, extend, release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from nlgauge.errors import InputError
from nlgauge.study.launch.frozen import machine_slots
from nlgauge.study.model import Evaluation, Link, Round, Slot
from nlgauge.study.refusals import Refused
from nlgauge.study.service.arrivals import wording_of
from nlgauge.study.service.context import ADDED, added
from nlgauge.study.service.dealing import slot_row
from nlgauge.study.service.discussion import OPENED
from nlgauge.study.service.personal import Forgetting
from nlgauge.study.service.stages import STAGES, stage_column
from nlgauge.study.store import queries, tables

LOOKS = {
    "analysed": ("answers", "analysed"),
    "exported": ("answers", "exported"),
    OPENED: ("texts", "discussed"),
    "excluded": ("rule", "checked by the rule of exclusion"),
}
"""Events by which somebody has seen answers: what their data then hold, and how that is said."""


class Running(Forgetting):
    """What the researcher does while a study runs."""

    @property
    def status(self) -> str:
        """open, paused or closed."""
        table = tables.studies
        with self.store.read() as connection:
            return str(connection.execute(sa.select(table.c.status).where(table.c.id == self.id)).scalar_one())

    def pause(self) -> None:
        """Deal nothing new; evaluations on screen may still be answered."""
        self._change("paused", "paused")

    def resume(self) -> None:
        """Go on after a pause."""
        self._change("open", "resumed")

    def close(self) -> None:
        """End the study; answers that come later are stored as surplus."""
        self._change("closed", "closed")

    def discuss(self, texts: Sequence[str], *, least: float, comments: bool = False) -> Round:
        """Open a discussion of some texts; each judge of one of them is asked again by their link."""
        done, planned = self.planned_answers()
        if done < planned and self.status != "closed":
            raise InputError(
                f"{done:,} of {planned:,} planned answers are there; a discussion would move those still to come: wait "
                "for the rest, or close the study (nlgauge study close)"
            )
        return self._open_round(texts, least=least, comments=comments)

    def reopen(self) -> None:
        """Take a study up again that was closed; the log keeps both.

        Refused once a test with a fixed number has been analysed: more answers after a look that was not planned would
        be a second chance, and nothing could tell how the risks changed.
        """
        if self.study.imported:
            raise Refused("closed", "this study was run elsewhere: nobody can be asked here")
        self._change("open", "reopened", closed=True)

    def note_analysis(
        self,
        *,
        answers: int,
        complete: bool,
        digest: str,
        agreement: Sequence[Mapping[str, Any]] = (),
        wordings: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Log that the result was looked at: after how many people's answers, and whether these were all planned.

        The same look again is no new event, so that a page may be reloaded. The agreement of judges that was found, and
        what wordings of the questions did, is logged for the design statement.
        """
        data: dict[str, Any] = {"answers": answers, "complete": complete, "digest": digest}
        if agreement:
            data["agreement"] = [dict(one) for one in agreement]
        if wordings:
            data["wordings"] = [dict(one) for one in wordings]
        log = tables.events
        with self.store.write() as connection:
            last = connection.execute(
                sa.select(log.c.data)
                .where(log.c.study == self.id, log.c.kind == "analysed")
                .order_by(log.c.seq.desc())
                .limit(1)
            ).scalar_one_or_none()
            if last is None or any(last.get(name) != value for name, value in data.items()):
                self._log(connection, "analysed", **data)

    def note_export(self, *, judgements: int) -> bool:
        """Log that the judgements were taken out; says whether all planned answers were there."""
        done, planned = self.planned_answers()
        complete, status = done >= planned, self.status
        counts: dict[str, Any] = {"judgements": judgements, "answers": done, "planned": planned}
        with self.store.write() as connection:
            self._log(connection, "exported", **counts, complete=complete, status=status)
        return complete

    def planned_answers(self, only: str | None = None) -> tuple[int, int]:
        """How many of the answers planned for people, or for one panel of them, are there, and are to be."""
        panels, more = self.progress()["panels"], added(self.events(ADDED))
        done = planned = 0
        for name, panel in self.study.panels.items():
            if panel.kind == "people" and only in (None, name):
                found = self.study.imported  # judges there gave as many answers as they gave
                judges = panel.judges + more.get(name, 0)
                number = panels[name]["done"] if found else judges * panel.evaluations
                done, planned = done + min(panels[name]["done"], number), planned + number
        return done, planned

    def _change(self, status: str, kind: str, *, closed: bool = False) -> None:
        table = tables.studies
        with self.store.write() as connection:
            present = connection.execute(
                sa.select(table.c.status).where(table.c.id == self.id).with_for_update()
            ).scalar_one()
            if (present == "closed") != closed and status != present:
                what = "closed; reopen it first" if present == "closed" else "not closed"
                raise Refused("closed", f"this study is {what}")
            if kind == "reopened" and present == "closed" and self.study.fixed:
                self._refuse_second_chance(connection)
            if present != status:
                connection.execute(table.update().where(table.c.id == self.id).values(status=status))
                self._log(connection, kind)

    def _refuse_second_chance(self, connection: sa.Connection) -> None:
        log = tables.events
        looked = connection.execute(
            sa.select(log.c.data).where(log.c.study == self.id, log.c.kind == "analysed")
        ).scalars()
        if any(data.get("answers") for data in looked):
            raise Refused(
                "closed",
                "this study was closed and analysed, and stays closed: going on after an unplanned look would change "
                "the risks; launch a new study (launch --fresh), with planned looks if you want to look early",
            )

    # ---------------------------------------------------------------------------------------------------- links

    def links(self, panel: str | None = None) -> list[Link]:
        """The links to send: personal ones by number, and open ones."""
        table = tables.links
        query = (
            sa.select(table)
            .where(table.c.study == self.id)
            .where(sa.or_(table.c.number > 0, table.c.kind != "personal"))
            .order_by(table.c.panel, table.c.kind, table.c.number)
        )
        if panel is not None:
            self._panel(panel)
            query = query.where(table.c.panel == panel)
        with self.store.read() as connection:
            return [
                Link(row.selector + row.secret, row.panel, row.kind, row.judge, row.number)
                for row in connection.execute(query)
            ]

    def more_links(self, panel: str, count: int) -> list[Link]:
        """Make further personal links for a panel."""
        self._panel(panel)
        if not 1 <= count <= 100_000:
            raise InputError(f"the number of links must be between 1 and 100,000, not {count}")
        with self.store.write() as connection:
            self._lock_panel(connection, panel)
            return self._further_links(connection, panel, count)

    def _further_links(self, connection: sa.Connection, panel: str, count: int) -> list[Link]:
        table = tables.links
        last = connection.execute(
            sa.select(sa.func.max(table.c.number)).where(table.c.study == self.id, table.c.panel == panel)
        ).scalar_one()
        first = (last or 0) + 1
        made = [self._new_link(connection, panel, "personal", number=number) for number in range(first, first + count)]
        self._log(connection, "links", panel=panel, count=count)
        return made

    # -------------------------------------------------------------------------------------------------- dealing

    def extend(self, panel: str, judges: int) -> list[Slot]:
        """Evaluations for so many more judges: the balanced continuation of what there is."""
        each = self._panel(panel).evaluations
        if not 1 <= judges <= 100_000:
            raise InputError(f"the number of further judges must be between 1 and 100,000, not {judges}")
        with self.store.write() as connection:
            return self._continue(connection, panel, judges * each)

    def add_judges(self, panel: str, judges: int) -> list[Link]:
        """So many more judges of a panel than were planned: sheets that continue the design, and personal links where
        judges come by these. Refused once somebody has looked at the answers, or a rule of stopping fixes their number.
        """
        plan = self._panel(panel)
        if plan.kind != "people":
            raise InputError(f"{panel!r} is a panel of machines; judges are added to panels of people")
        if not 1 <= judges <= 100_000:
            raise InputError(f"the number of further judges must be between 1 and 100,000, not {judges}")
        if self.study.imported or not self.study.fixed:
            why = (
                "the study was run elsewhere"
                if self.study.imported
                else "its rule of stopping fixes the number of answers"
            )
            raise InputError(f"no judges can be added: {why}")
        if self.status == "closed":
            raise InputError("no judges can be added: the study is closed; open it again (nlgauge study reopen)")
        with self.store.write() as connection:
            looked = self._look_at_answers(connection)
            if looked:
                raise InputError(
                    f"no judges can be added: the answers were {looked} already, and going on in view of a result "
                    "changes the risks; launch a new study"
                )
            self._continue(connection, panel, judges * plan.evaluations)
            made = self._further_links(connection, panel, judges) if plan.access == "links" else []
            self._log(connection, ADDED, panel=panel, judges=judges)
            return made

    def _look_at_answers(self, connection: sa.Connection) -> str:
        """How somebody has seen answers of people, by the log; empty where nobody has."""
        log = tables.events
        query = sa.select(log.c.kind, log.c.data).where(log.c.study == self.id, log.c.kind.in_(LOOKS))
        seen = (row.kind for row in connection.execute(query) if row.data.get(LOOKS[row.kind][0]))
        return next((LOOKS[kind][1] for kind in seen), "")

    def release(self) -> int:
        """Return abandoned evaluations to the pool at once (dealing does the same when it needs one)."""
        table = tables.slots
        with self.store.write() as connection:
            stale = (
                sa.select(table.c.id)
                .where(
                    table.c.study == self.id,
                    table.c.judgement.is_(None),
                    table.c.expires_at < self.clock(),
                )
                .with_for_update(skip_locked=True)  # somebody is answering or being dealt such a slot
            )
            done = connection.execute(
                table.update()
                .where(table.c.study == self.id, table.c.id.in_(stale))
                .values(holder=None, claim=None, expires_at=None)
            )
            if done.rowcount:
                self._log(connection, "released", slots=int(done.rowcount))
            return int(done.rowcount)

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
        source = self._panel(like) if planned is None else planned
        with self.store.write() as connection:
            self._lock_panel(connection, like if planned is None else name)
            sheets = planned is not None and self.protocol.samples
            known = self._enlisted(connection, name, number if sheets else None)
            if known:
                return known
            panels = tables.panels
            if planned is None:
                copied = machine_slots(self.frozen, name, like)
                each = len(copied)
                connection.execute(panels.insert().values(study=self.id, name=name, evaluations=each))
                connection.execute(tables.slots.insert(), [slot_row(self.id, slot, each) for slot in copied])
            elif not sheets:  # one machine makes what was planned for several
                own = (panels.c.study == self.id) & (panels.c.name == name)
                each = source.judges * source.evaluations
                connection.execute(panels.update().where(own).values(evaluations=each))
            called = f"machine {name} {number}" if sheets else f"machine {name}"
            judge = self._register(connection, name, "machine", "", called, wording=wording_of(self.study, number))
            now = self.clock()
            self._update_judge(connection, judge, consented_at=now, questions_at=now, practised=self.practice_total)
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
        with self.store.write() as connection:
            row = self._judge(connection, judge, lock=True)
            self._present(row)
            place = {"b_study": self.id, "b_slot": slot}
            held = queries.slot_locked.one(connection, place)
            if row.access != "machine" or held is None or held.panel != row.panel:
                raise Refused("foreign", "only a machine chooses what to judge, and only in its own panel")
            if held.judgement is not None:
                raise Refused("answered", "this evaluation has been answered; the answer was kept as it was")
            if held.claim is None or held.holder != judge:
                self._claim(connection, judge, held)
                held = queries.slot_locked.one(connection, place)
            claim = {"b_study": self.id, "b_claim": held.claim}
            shown = queries.claim.one(connection, claim)
            return Evaluation(
                held.claim,
                slot,
                held.number,
                row.evaluations,
                self._shown(held.texts),
                shown.shown_at,
                panel=row.panel,
                wording=row.wording,
            )

    def note(self, kind: str, judge: str, data: Mapping[str, Any]) -> None:
        """Add to the log what the store itself cannot know, such as a machine's settings and replies."""
        values = {"study": self.id, "at": self.clock(), "kind": kind, "judge": judge, "data": dict(data)}
        with self.store.write() as connection:
            queries.add_event.do(connection, values)

    # ------------------------------------------------------------------------------------------------- progress

    def progress(self) -> dict[str, Any]:
        """How far the study is, by panel and triad; says nothing about who was right."""
        slots, judges, stored = tables.slots, tables.judges, tables.judgements
        now = self.clock()
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
                    sa.func.sum(_one(slots.c.judgement.is_(None) & (slots.c.expires_at >= now))).label("open"),
                    sa.func.sum(_one(slots.c.judgement.is_(None) & (slots.c.expires_at < now))).label("stale"),
                )
                .where(slots.c.study == self.id)
                .group_by(slots.c.panel, slots.c.role)
            ).all()
            stage = stage_column.label("stage")
            each = sa.select(judges.c.panel, stage).where(judges.c.study == self.id).subquery()
            counted = sa.select(each.c.panel, each.c.stage, sa.func.count()).group_by(each.c.panel, each.c.stage)
            people: dict[str, dict[str, int]] = {}
            for panel, reached, number in connection.execute(counted):
                people.setdefault(panel, {})[reached] = int(number)
            late = connection.execute(
                sa.select(stored.c.panel, sa.func.count().label("number"))
                .where(stored.c.study == self.id, stored.c.surplus.is_(True), stored.c.replaces == "")
                .group_by(stored.c.panel)
            ).all()
            surplus = {row.panel: int(row.number) for row in late}
        return {
            "study": self.id,
            "title": self.study.called,
            "status": status.status,
            "simulated": status.kind == "simulated",
            "panels": {
                name: _panel_progress(
                    self.protocol.kinds,
                    [cell for cell in cells if cell.panel == name],
                    people.get(name, {}),
                    surplus.get(name, 0),
                )
                for name in dict.fromkeys([*self.study.panels, *(cell.panel for cell in cells)])
            },
        }


def _one(condition: sa.ColumnElement[bool]) -> sa.Case[int]:
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
        "judges": {
            "registered": sum(people.values()),
            **{name: people.get(name, 0) for name in STAGES},
        },
    }
