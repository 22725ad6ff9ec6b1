"""What a judge sees next, and the dealing of evaluations.

A judge who comes back gets the same evaluation again. Otherwise slots whose judge went away come first, then the next
in order, so that the balance of the plan is kept over *completed* evaluations. Where a judge makes several, a whole
sheet is kept for them. A kept slot whose judge was not heard of for the study's timeout may be dealt again; until that
happens the first judge's answer still counts, afterwards it is stored as surplus.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import sqlalchemy as sa

from nlgauge.errors import InputError
from nlgauge.study.designs.triangle import seat_of
from nlgauge.study.file.endings import judge_ending
from nlgauge.study.freeze.frozen import practice_slot
from nlgauge.study.model import Evaluation, Slot, Step
from nlgauge.study.service.context import Context
from nlgauge.study.service.discussion import Discussion
from nlgauge.study.service.people import People
from nlgauge.study.store import queries, tables
from nlgauge.study.store.queries import Reply


@dataclass(frozen=True)
class Held:
    """A slot that a judge has on screen."""

    id: str
    claim: str
    texts: tuple[str, ...]
    shown_at: float


class Dealing:
    """The way of a judge through the study."""

    def __init__(self, context: Context, people: People, discussion: Discussion) -> None:
        self.context, self.store, self.study, self.id = context, context.store, context.study, context.id
        self.people, self.discussion = people, discussion

    def step(self, judge: str, *, greet: bool = False) -> Step:
        """What a judge is to see next; deals an evaluation where one is due.

        With `greet` the instructions come before the first text, until `begin` was called: whatever opens a link
        unasked (mail scanners do) is then dealt nothing, and the time on the first text is without theirs.
        """
        return self.look(judge, greet=greet) or self._deal(judge)

    def look(self, judge: str, *, greet: bool = False) -> Step | None:
        """The same where nothing has to be written for it, by one or two reads; else None."""
        step = self._look(judge, greet=greet)
        if step is None or step.kind != "done" or not self.context.protocol.again:
            return step
        talk = self.discussion.talk(judge)  # who has finished may be asked again
        return step if talk is None else replace(step, kind="discussion", talk=talk)

    def _look(self, judge: str, *, greet: bool) -> Step | None:
        with self.store.glance() as connection:
            row = self.context.judge(connection, judge, query=queries.standing)
            stage = self._due(row)
            if stage in ("practice", "evaluation") and row.held_id is None:
                stage = stage if self.people.understood(connection, row) else "comprehension"
            first = self._first_shown(connection, row) if stage == "practice" and _begun(row) else None
            held = _held(row) if stage == "evaluation" else None
            # not only when the first evaluation is due: what comes before it would be for nothing
            waits = stage in ("consent", "questions", "comprehension", "practice") or (
                stage == "evaluation" and not _begun(row)
            )
            full = waits and held is None and not self.context.places(connection, row.panel, judge)
        if row.status == "paused" and waits and held is None:
            return self._step(row, "paused")
        if full:
            return self._step(row, "full")
        if greet and stage in ("comprehension", "practice", "evaluation") and not _begun(row):
            return self._step(row, "instructions")
        if stage == "practice":
            return None if first is None else self._step(row, stage, self._practice_evaluation(row, first))
        if stage != "evaluation":
            return self._step(row, stage)
        if held is not None and row.held_expires_at > self.context.clock() + 30 * self.study.timeout:
            return self._step(row, stage, self._evaluation(held, row))
        return None

    def begin(self, judge: str) -> None:
        """The judge has read the instructions and goes on to the first text."""
        with self.context.locked(judge) as (connection, row):
            self.context.present(row)
            if row.begun_at is None:
                self.context.update_judge(connection, judge, begun_at=self.context.clock())
                self.context.log(connection, "began", judge)
                if self.context.stage(row) == "practice" and self.people.understood(connection, row):
                    self._note_practice(connection, row)  # the page that follows shows it

    def closes(self, judge: str) -> bool:
        """Whether a judge who leaves now can be asked the questions at the end: who has judged, and was not asked."""
        with self.store.glance() as connection:
            row = self.context.judge(connection, judge)
        return bool(row.answered) and row.withdrawn_at is None and self._closes(row)

    def extend(self, panel: str, judges: int) -> list[Slot]:
        """Evaluations for so many more judges: the balanced continuation of what there is."""
        each = self.context.panel(panel).evaluations
        if not 1 <= judges <= 100_000:
            raise InputError(f"the number of further judges must be between 1 and 100,000, not {judges}")
        with self.store.write() as connection:
            return self.add_slots(connection, panel, judges * each)

    def release(self) -> int:
        """Return abandoned evaluations to the pool at once (dealing does the same when it needs one)."""
        table = tables.slots
        with self.store.write() as connection:
            stale = sa.select(table.c.id).where(
                table.c.study == self.id, table.c.judgement.is_(None), table.c.expires_at < self.context.clock()
            )
            stale = stale.with_for_update(skip_locked=True)  # somebody is answering or being dealt such a slot
            returned = table.update().where(table.c.study == self.id, table.c.id.in_(stale))
            done = connection.execute(returned.values(holder=None, claim=None, expires_at=None))
            if done.rowcount:
                self.context.log(connection, "released", slots=int(done.rowcount))
            return int(done.rowcount)

    def _due(self, row: Any) -> str:
        """What a judge is to see: where they stand, or the questions at the end before the thanks."""
        stage = self.context.stage(row)
        ended = stage in ("done", "failed") and row.finished_at is not None
        return "closing" if ended and self._closes(row) else stage

    def _closes(self, row: Any) -> bool:
        """Whether a judge who has done everything else has questions at the end to answer."""
        person = row.access not in ("machine", "import")
        return bool(self.study.closing) and row.closing_at is None and person and row.status != "closed"

    def _step(self, row: Any, kind: str, evaluation: Evaluation | None = None) -> Step:
        code, redirect = judge_ending(self.study, row, kind)
        ended = {"code": code, "redirect": redirect, "failed": row.failed}
        return Step(kind, row.id, row.panel, row.language, row.answered, row.evaluations, evaluation, **ended)

    def _first_shown(self, connection: sa.Connection, row: Any) -> float | None:
        values = {"b_study": self.id, "b_claim": practice_claim(row.id, row.practised + 1)}
        claim = queries.claim.one(connection, values)
        return None if claim is None else float(claim.shown_at)

    def _practice_evaluation(self, row: Any, shown_at: float) -> Evaluation:
        """The next practice triad."""
        number = row.practised + 1
        slot, claim = practice_slot(self.context.frozen, number, row.id), practice_claim(row.id, number)
        shown = {"claim": claim, "slot": slot.id, "shown_at": shown_at, "practice": True}
        return self.context.evaluation(row, slot.texts, number=number, total=self.context.practice_total, **shown)

    def _note_practice(self, connection: sa.Connection, row: Any) -> float:
        """When the next practice triad was first shown: now, unless it was before."""
        shown_at = self._first_shown(connection, row)
        if shown_at is None:
            shown_at, name = self.context.clock(), practice_claim(row.id, row.practised + 1)
            values = {"study": self.id, "id": name, "slot": name, "judge": row.id, "dealt": 0}
            queries.add_claim.do(connection, {**values, "shown_at": shown_at})
        return shown_at

    def _evaluation(self, held: Any, row: Any) -> Evaluation:
        shown = {"claim": held.claim, "slot": held.id, "shown_at": held.shown_at}
        return self.context.evaluation(row, held.texts, number=row.answered + 1, total=row.evaluations, **shown)

    def _deal(self, judge: str) -> Step:
        """An evaluation for a judge: the one kept for them, for a while longer, or the next."""
        with self.store.write() as connection:
            asked = self.context.ask_judge(connection, judge)
            screen = queries.open_claim.ask(connection, {"b_study": self.id, "b_judge": judge})
            row, held = asked.one(), screen.one()
            stage = self._due(self.context.known(row))
            if stage in ("practice", "evaluation") and held is None:
                stage = stage if self.people.understood(connection, row) else "comprehension"
            if stage == "practice":
                shown_at = self._note_practice(connection, row)
                return self._step(row, stage, self._practice_evaluation(row, shown_at))
            if stage != "evaluation":
                return self._step(row, stage)
            if held is not None:
                self.context.keep(connection, judge)
            elif row.status == "paused":
                return self._step(row, "paused")
            else:
                chosen = self._choose(connection, row)
                if chosen is None and self.study.extra == "continue":
                    self.add_slots(connection, row.panel, row.evaluations - row.answered)
                    chosen = self._choose(connection, row)
                if chosen is None and row.answered:  # did what there was to do
                    self.context.update_judge(connection, judge, finished_at=self.context.clock())
                    self.context.log(connection, "finished", judge, answered=row.answered)
                    return self._step(row, "closing" if self._closes(row) else "done")
                if chosen is None:
                    return self._step(row, "full")
                held = self.claim(connection, judge, chosen)
            return self._step(row, stage, self._evaluation(held, row))

    def deal_on(self, connection: sa.Connection, row: Any) -> None:
        """Deal the next evaluation of a sheet in the transaction of an answer; everything else is left to `step`.

        The page that follows an answer is asked for at once, and then only reads.
        """
        self.context.keep(connection, row.id)
        if row.evaluations == 1 or row.status != "open":
            return
        seen = self._ask_seen(connection, row.id)
        values = {"b_study": self.id, "b_judge": row.id, "b_panel": row.panel}
        kept = queries.own_slots.ask(connection, values)
        had = seen.all()
        left = _unanswered(kept.all(), had)
        if left and not any(slot.claim for slot in left):  # one may be open in another window
            self.claim(connection, row.id, self.context.protocol.next_slot(self.context.frozen, left, had))

    def _choose(self, connection: sa.Connection, row: Any) -> Any:
        """The slot to deal next, kept for this judge together with the rest of its sheet."""
        values = {"b_study": self.id, "b_judge": row.id, "b_panel": row.panel, "b_now": self.context.clock()}
        if row.evaluations == 1:
            returned = queries.returned_slot.one(connection, values)
            return returned or queries.next_slot.one(connection, values)
        had = self._ask_seen(connection, row.id).all() if row.answered else []
        slots = self._candidates(connection, values, row.evaluations, had)
        if not slots:
            return None
        best = self.context.protocol.next_slot(self.context.frozen, slots, had)
        if best.holder == row.id:  # the whole sheet is kept already
            self.context.keep(connection, row.id)
            return best
        sheet = [best] + [slot for slot in slots if slot.seat == best.seat and slot.id != best.id]
        place = {"b_study": self.id, "b_holder": row.id, "b_expires": self.context.expiry()}
        if len(sheet) == row.evaluations and not row.answered:
            numbers = [slot.number for slot in sheet]
            place |= {"b_panel": row.panel, "b_first": min(numbers), "b_last": max(numbers)}
            queries.hold_sheet.do(connection, place)
        else:
            for slot in sheet[: row.evaluations - row.answered]:
                queries.hold.do(connection, {**place, "b_slot": slot.id})
        return best

    def _ask_seen(self, connection: sa.Connection, judge: str) -> Reply:
        return queries.seen.ask(connection, {"b_study": self.id, "b_judge": judge})

    def _candidates(
        self, connection: sa.Connection, values: dict[str, Any], total: int, had: Sequence[Any]
    ) -> list[Any]:
        """Own slots, else those that others left, else the next that nobody has had, whole sheets of them.

        Each is found by an index, however many slots there are. Of the fresh slots a few suffice: any eleven in a row
        hold a whole block of the six triads. Slots that others left are locked, and those that are locked already
        skipped: a late answer is on its way to them. Nothing but dealing touches fresh ones, and panels are dealt one
        judge at a time.
        """
        own = _unanswered(queries.own_slots.all(connection, values), had)
        if own:
            return own
        self.context.lock_panel(connection, values["b_panel"])
        overdue = queries.expired_slots.ask(connection, values)
        bound = {**values, "b_few": total * (1 + -(-queries.FRESH // total))}  # whole sheets
        free = queries.free_slots.ask(connection, bound)
        expired, next_free = overdue.all(), free.all()
        untouched = [slot for sheet in _untouched(next_free, total) for slot in sheet]
        if not expired and len(untouched) == len(next_free):
            return untouched
        left = expired + queries.returned_slots.all(connection, bound)
        return _unanswered(left, had) or queries.fresh_slots.all(connection, bound)

    def claim(self, connection: sa.Connection, judge: str, slot: Any) -> Held:
        """Note that a slot is shown to a judge from now on."""
        claim, dealt, now = f"c{self.context.generator()[:20]}", slot.dealt + 1, self.context.clock()
        place = {"b_study": self.id, "b_slot": slot.id, "b_holder": judge, "b_claim": claim}
        queries.deal.do(connection, {**place, "b_dealt": dealt, "b_expires": self.context.expiry()})
        shown = {"study": self.id, "id": claim, "slot": slot.id, "judge": judge, "dealt": dealt}
        queries.add_claim.do(connection, {**shown, "shown_at": now})
        return Held(slot.id, claim, tuple(slot.texts), now)

    def add_slots(self, connection: sa.Connection, panel: str, count: int) -> list[Slot]:
        """Add a balanced continuation; the panel is locked, so that two at once continue each other."""
        self.context.lock_panel(connection, panel)
        before, each = self.context.slots(connection, panel), self.context.evaluations(connection, panel)
        added = self.context.protocol.more(self.context.frozen, panel, count, each=each, before=before)
        connection.execute(tables.slots.insert(), [slot_row(self.id, slot, each) for slot in added])
        self.context.log(connection, "extended", panel=panel, slots=[slot.id for slot in added])
        return added


def _held(row: Any) -> Held | None:
    """What a judge has on screen, as `standing` tells."""
    if row.held_id is None:
        return None
    return Held(row.held_id, row.held_claim, tuple(row.held_texts), row.held_shown_at)


def _untouched(free: Sequence[Any], total: int) -> Iterator[list[Any]]:
    """Of free slots in the order of their sheets, those sheets that are whole and of which none was ever dealt."""
    for _, sheet in groupby(free, key=lambda slot: slot.seat):
        slots = list(sheet)
        if len(slots) == total and not any(slot.dealt for slot in slots):
            yield slots


def _unanswered(slots: Sequence[Any], had: Sequence[Any]) -> list[Any]:
    """Of some slots those that a judge has not answered."""
    answered = {slot for slot, _ in had}
    return [slot for slot in slots if slot.id not in answered]


def _begun(row: Any) -> bool:
    return row.begun_at is not None or row.practised > 0 or row.answered > 0


def practice_claim(judge: str, number: int) -> str:
    """The name under which the first showing of a practice triad is noted."""
    return f"{judge}-p{number}"


def practice_number(judge: str, claim: str) -> int | None:
    """The number in such a name of this judge's; None where it is no such name."""
    name, _, number = claim.rpartition("-p")
    return int(number) if name == judge and re.fullmatch("[1-9][0-9]{0,3}", number) else None


def slot_row(study: str, slot: Slot, per_judge: int) -> dict[str, Any]:
    """A slot as the store keeps it, dealt to nobody yet."""
    return {
        "study": study,
        "id": slot.id,
        "panel": slot.panel,
        "number": slot.number,
        "block": slot.block,
        "seat": seat_of(slot.number, per_judge),
        "role": slot.role,
        "texts": list(slot.texts),
        "dealt": 0,
    }
