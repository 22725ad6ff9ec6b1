"""An imported study in its folder: the study file, the frozen design and the database, all of them or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from nlgauge.errors import InputError
from nlgauge.io.write import atomic_file
from nlgauge.study.file.study import FILE
from nlgauge.study.launch import frozen as freezing
from nlgauge.study.launch.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.service import Service, start
from nlgauge.study.service.launching import FILES
from nlgauge.study.store import Store, file_of, tables

ROWS = 2_000  # in one statement


def store_study(
    folder: Path,
    text: str | None,
    frozen: Frozen,
    judgements: Sequence[Judgement],
    told: Mapping[str, Any],
    db: str | None = None,
) -> Service:
    """Write the folder; `text` is the study file where there is none yet, `told` what the log says of the import."""
    with _or_nothing(folder, file_of(folder, db)):
        store = Store.at(folder, db)
        held = store.holds(frozen.id)
        try:
            service = start(frozen, store)
            with store.write() as connection:
                _add_judges(connection, frozen, judgements)
                _add_answers(connection, judgements)
                service.context.log(connection, "imported", judgements=len(judgements), **told)
            if text is not None:
                with atomic_file(folder / FILE, own=True) as out:
                    out.write(text.encode("utf-8"))
            freezing.write(frozen, folder)
        except BaseException:
            if not held:
                _take_out(store, frozen.id)
            store.close()  # some systems do not remove a file that is open
            raise
    return service


def _take_out(store: Store, study: str) -> None:
    """Nothing of the study stays in a database that others share."""
    with suppress(sa.exc.SQLAlchemyError), store.write() as connection:
        for table in (tables.judgements, tables.events, tables.slots, tables.panels, tables.judges):
            connection.execute(table.delete().where(table.c.study == study))
        connection.execute(tables.studies.delete().where(tables.studies.c.id == study))


def _add_judges(connection: sa.Connection, frozen: Frozen, judgements: Sequence[Judgement]) -> None:
    """Rows for the judges; when they came is not known."""
    answered: dict[tuple[str, str], int] = {}
    for one in judgements:
        answered[one.judge, one.panel] = answered.get((one.judge, one.panel), 0) + 1
    rows = [
        {
            "study": frozen.id,
            "id": judge,
            "panel": panel,
            "access": "import",
            "registered_at": 0.0,
            "consented_at": 0.0,
            "questions_at": 0.0,
            "answered": number,
            "finished_at": 0.0,
        }
        for (judge, panel), number in answered.items()
    ]
    connection.execute(tables.judges.insert(), rows)


def _add_answers(connection: sa.Connection, judgements: Sequence[Judgement]) -> None:
    slots = tables.slots
    filled = (
        slots.update()
        .where(slots.c.study == sa.bindparam("b_study"), slots.c.id == sa.bindparam("b_slot"))
        .values(judgement=sa.bindparam("b_judgement"), holder=sa.bindparam("b_judge"), dealt=1)
    )
    for first in range(0, len(judgements), ROWS):
        part = judgements[first : first + ROWS]
        connection.execute(
            tables.judgements.insert(),
            [
                one.to_dict()
                | {"texts": list(one.texts), "items": list(one.items), "claim": one.id, "key": one.id}
                | {"accepts": one.slot}
                for one in part
            ],
        )
        connection.execute(
            filled,
            [{"b_study": one.study, "b_slot": one.slot, "b_judgement": one.id, "b_judge": one.judge} for one in part],
        )


@contextmanager
def _or_nothing(folder: Path, database: Path | None) -> Iterator[None]:
    """Whatever was not there before is removed where the import fails."""
    fresh = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder {folder} cannot be made: {error.strerror}") from None
    made = [folder / name for name in (FILE, freezing.FILE) if not (folder / name).exists()]
    if database is not None and not database.exists():
        made += [database.with_name(database.name + end) for end in FILES]
    try:
        yield
    except BaseException:
        for path in made:
            with suppress(OSError):
                path.unlink(missing_ok=True)
        if fresh:
            with suppress(OSError):
                folder.rmdir()
        raise
