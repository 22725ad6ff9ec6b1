"""Judgements that were exported, stored again in a copy of their study: all of a file or nothing of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import sqlalchemy as sa

from nlgauge.errors import InputError
from nlgauge.study.analysis.counting import fills
from nlgauge.study.file.study import Study
from nlgauge.study.freeze.frozen import machine_slots
from nlgauge.study.model import Judgement, Slot
from nlgauge.study.service import Service
from nlgauge.study.service.dealing import slot_row
from nlgauge.study.service.progress import is_machine
from nlgauge.study.store import reason, tables


def load_into(service: Service, judgements: Sequence[Judgement]) -> int:
    """Store judgements that were exported from the same study; those already there are passed over.

    So are those of judges who were forgotten since: an old file must not bring back what was erased.

    All or nothing: a judgement that belongs to another study, or that differs from the one stored under its id, refuses
    the whole. Returns how many were added.
    """
    known = {judgement.id: judgement for judgement in service.judgements()}
    _check_together(judgements, known)
    gone = {row["id"] for row in service.people.judges() if row["forgotten_at"] is not None}
    fresh = []
    for judgement in judgements:
        if judgement.judge in gone:
            continue
        if judgement.study != service.id:
            raise InputError(
                f"the judgement {judgement.id} belongs to the study {judgement.study}, not to {service.id}; "
                "import into a folder that holds that study's frozen.json"
            )
        if judgement.id not in known:
            fresh.append(judgement)
        elif known[judgement.id] != judgement:
            raise InputError(f"the judgement {judgement.id} is stored already, and differs; nothing was imported")
    try:
        _load(service, fresh, known.values())
    except sa.exc.IntegrityError as error:
        raise InputError(
            f"the file contradicts itself or what is stored ({reason(error)}); nothing was imported"
        ) from None
    return len(fresh)


def erased(service: Service, judgements: Sequence[Judgement]) -> int:
    """How many of these judgements were erased with their judges, and so will not be stored again."""
    gone = {row["id"] for row in service.people.judges() if row["forgotten_at"] is not None}
    known = {judgement.id for judgement in service.judgements()}
    return sum(judgement.judge in gone and judgement.id not in known for judgement in judgements)


def _check_together(judgements: Sequence[Judgement], known: Mapping[str, Judgement]) -> None:
    """Each judgement once, and every correction with what it corrects."""
    for name, number in Counter(judgement.id for judgement in judgements).items():
        if number > 1:
            raise InputError(f"the judgement {name} occurs {number} times; an export holds each once")
    there = {judgement.id: judgement for judgement in judgements} | dict(known)
    for judgement in judgements:
        if not judgement.replaces:
            continue
        before = there.get(judgement.replaces)
        own = before is not None and (before.judge, before.slot) == (judgement.judge, judgement.slot)
        if before is None or before.id == judgement.id or not own:
            raise InputError(
                f"the judgement {judgement.id} corrects {judgement.replaces}, which is not there or not its own; "
                "nothing was imported"
            )
    for judgement in judgements:
        chain, before = {judgement.id}, there.get(judgement.replaces)
        while before is not None:
            if before.id in chain:
                raise InputError(f"the corrections of the judgement {before.id} go in a circle; nothing was imported")
            chain.add(before.id)
            before = there.get(before.replaces)


def _check_numbers(study: Study, judgements: Iterable[Judgement]) -> None:
    """No judge with more answers that count than the plan has for each: there would be no analysis of them."""
    given = Counter((judgement.panel, judgement.judge) for judgement in judgements if fills(judgement))
    for (panel, judge), number in given.items():
        planned = study.panels.get(panel)
        if planned is not None and planned.kind == "people" and number > planned.evaluations:
            raise InputError(
                f"the judge {judge} of panel {panel} gave {number} answers that count, but the plan has "
                f"{planned.evaluations} for each judge; nothing was imported"
            )


def _load(service: Service, fresh: Sequence[Judgement], known: Iterable[Judgement]) -> None:
    with service.store.write() as connection:
        _add_slots(service, connection, fresh)
        _add_judges(service, connection, fresh)
        slots = tables.slots
        accepted = sa.select(slots.c.id).where(slots.c.study == service.id, slots.c.judgement.is_not(None))
        taken = set(connection.execute(accepted).scalars())
        for judgement in fresh:
            _add(service, connection, judgement, taken)
        _check_numbers(service.study, [*known, *fresh])
        if any(judgement.simulated for judgement in fresh):
            table = tables.studies
            connection.execute(table.update().where(table.c.id == service.id).values(kind="simulated"))
        if fresh:
            service.context.log(connection, "imported", judgements=len(fresh))


def _add(service: Service, connection: sa.Connection, judgement: Judgement, taken: set[str]) -> None:
    counts = fills(judgement)
    if counts and judgement.slot in taken:
        raise InputError(
            f"the judgement {judgement.id} answers the evaluation {judgement.slot}, which has an answer already; "
            "nothing was imported"
        )
    name, accepts = f"import-{judgement.id}", judgement.slot if counts else None
    service.answers.store_judgement(connection, judgement, claim=name, key=name, accepts=accepts)
    if counts:
        taken.add(judgement.slot)
        table = tables.slots
        connection.execute(
            table.update()
            .where(table.c.study == service.id, table.c.id == judgement.slot)
            .values(judgement=judgement.id, holder=judgement.judge, dealt=table.c.dealt + 1)
        )


def _add_judges(service: Service, connection: sa.Connection, judgements: Sequence[Judgement]) -> None:
    """Rows for judges that the store does not know, as far along as their judgements show."""
    table = tables.judges
    known = set(connection.execute(sa.select(table.c.id).where(table.c.study == service.id)).scalars())
    by_judge: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        by_judge.setdefault(judgement.judge, []).append(judgement)
    for judge, own in by_judge.items():
        if judge in known:
            continue
        answers = [judgement for judgement in own if not judgement.practice and not judgement.replaces]
        done = len(answers) >= service.context.evaluations(connection, own[0].panel)
        tries = sorted((given for given in own if given.practice), key=lambda given: given.answered_at)
        first = {given.slot: given for given in reversed(tries)}  # of several tries of a screen the first counts
        practised, began = len(first), min(given.shown_at for given in own)
        right = sum(bool(service.protocol.right(service.frozen, judgement)) for judgement in first.values())
        required = service.protocol.required(service.study)
        failed = practised and practised >= service.context.practice_total and right < required
        connection.execute(
            table.insert().values(
                study=service.id,
                id=judge,
                panel=own[0].panel,
                access="machine" if is_machine(service.study, own[0].panel) else "import",
                language=own[-1].language,
                registered_at=began,
                consented_at=began,
                questions_at=began,
                practised=practised,
                practice_correct=right,
                failed="practice" if failed and not answers else "",
                wording=own[-1].wording,
                answered=len(answers),
                finished_at=max(judgement.answered_at for judgement in own) if done else None,
            )
        )


def _add_slots(service: Service, connection: sa.Connection, judgements: Sequence[Judgement]) -> None:
    """Slots that were added for late judges in the store the judgements come from."""
    known = {slot.id: slot for slot in (*service.context.slots(connection), *service.frozen.practice)}
    practice = {slot.id for slot in service.frozen.practice}
    for judgement in judgements:
        slot = known.get(judgement.slot)
        if slot is None and _add_machine(service, connection, judgement):
            known |= {slot.id: slot for slot in service.context.slots(connection)}
            slot = known.get(judgement.slot)
        if slot is None:
            if judgement.practice or judgement.panel not in service.study.panels:
                raise InputError(f"the study has no evaluation {judgement.slot!r} (judgement {judgement.id})")
            _check_texts(service, judgement)
            each = service.context.evaluations(connection, judgement.panel)
            number, block = judgement.number, service.protocol.block(judgement.number, each)
            slot = Slot(judgement.slot, judgement.panel, number, block, judgement.role, judgement.texts)
            connection.execute(tables.slots.insert().values(**slot_row(service.id, slot, each)))
            known[slot.id] = slot
        if (slot.role, slot.texts) != (judgement.role, judgement.texts):
            raise InputError(
                f"the judgement {judgement.id} shows other texts than the evaluation {judgement.slot} does; "
                "nothing was imported"
            )
        _check_texts(service, judgement)
        fits = judgement.panel in service.study.panels if judgement.practice else judgement.panel == slot.panel
        if judgement.practice != (slot.id in practice) or not fits:
            raise InputError(
                f"the judgement {judgement.id} does not belong to the evaluation {judgement.slot}: one is practice or "
                "another panel's; nothing was imported"
            )


def _check_texts(service: Service, judgement: Judgement) -> None:
    text = service.frozen.text
    if any(name not in text for name in judgement.texts):
        raise InputError(f"the judgement {judgement.id} names a text that the study does not have")
    if tuple(text[name].item for name in judgement.texts) != judgement.items:
        raise InputError(f"the judgement {judgement.id} names other items than its texts have")


def _add_machine(service: Service, connection: sa.Connection, judgement: Judgement) -> bool:
    """The panel of a machine, where the judgement is one's: its slots are copies of a panel's of people."""
    for name in service.study.panels:
        copied = machine_slots(service.frozen, judgement.panel, name)
        if any(s.id == judgement.slot and s.texts == judgement.texts for s in copied):
            panel = {"study": service.id, "name": judgement.panel, "evaluations": len(copied)}
            connection.execute(tables.panels.insert().values(panel))
            connection.execute(tables.slots.insert(), [slot_row(service.id, slot, len(copied)) for slot in copied])
            return True
    return False
