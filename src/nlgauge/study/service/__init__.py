"""The verbs of a study in one place: what pages, commands, simulated judges and tests call.

    service = launch(study, folder, Store.at(folder))       # freezes, hashes, materialises, stores
    service = opened(folder, Store.at(folder))              # the same study later
    judge, token = service.register("public")
    step = service.step(judge)                              # consent, questions, practice, evaluation, done …
    service.answer(judge, step.evaluation.claim, 2)

`registering`, `testing`, `dealing`, `answering`, `reviewing` hold the judges' verbs, `running`, `excluding` and
`vetting` the researcher's, `discussing` those of both.
Every verb is one transaction.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from nlgauge.errors import InputError
from nlgauge.io.outputs import DATABASE, EARLIER
from nlgauge.study.file.study import Study
from nlgauge.study.launch import frozen as freezing
from nlgauge.study.launch import in_use
from nlgauge.study.launch.frozen import Frozen
from nlgauge.study.service.admin import Running
from nlgauge.study.service.context import unguessable
from nlgauge.study.service.dealing import slot_row
from nlgauge.study.store import Store, tables

__all__ = ["Service", "launch", "opened", "set_aside", "start"]


class Service(Running):
    """A launched study: every verb of judges and researcher."""


def launch(
    study: Study,
    folder: str | Path,
    store: Store,
    *,
    clock: Callable[[], float] = time.time,
    generator: Callable[[], str] = unguessable,
) -> Service:
    """Freeze a study, put it and its assignments into the store, and write `frozen.json`."""
    path = Path(folder) / freezing.FILE
    made = freezing.freeze(study, folder)
    if path.exists():
        before = freezing.read(folder)
        if store.holds(before.id):
            same = before.digest == made.digest
            raise InputError(
                f"{folder} was launched already{'' if same else ', with another design or other texts'}; "
                "judges' answers belong to that design: launch --fresh sets it aside and starts anew"
            )
    elif store.holds(made.id) and not (begun := Service(store, made, clock=clock, generator=generator)).judges():
        freezing.write(made, folder)  # an earlier launch ended between the database and the file
        return begun
    service = start(made, store, clock=clock, generator=generator)
    freezing.write(made, folder)
    return service


def start(
    frozen: Frozen,
    store: Store,
    *,
    clock: Callable[[], float] = time.time,
    generator: Callable[[], str] = unguessable,
    simulated: bool = False,
) -> Service:
    """Put a frozen study into a store, with its slots and links, in one transaction."""
    service = Service(store, frozen, clock=clock, generator=generator, simulated=simulated)
    if store.holds(frozen.id):
        raise InputError(
            f"the database already holds this study ({frozen.id}); change the seed to run the same design again"
        )
    with store.write() as connection:
        connection.execute(
            tables.studies.insert().values(
                id=frozen.id,
                digest=frozen.digest,
                title=frozen.study.called,
                status="closed" if frozen.study.imported else "open",
                kind="live",
                launched_at=clock(),
                frozen=frozen.to_dict(),
            )
        )
        for name, panel in frozen.study.panels.items():
            connection.execute(tables.panels.insert().values(study=frozen.id, name=name, evaluations=panel.evaluations))
            own = [slot for slot in frozen.slots if slot.panel == name]
            connection.execute(tables.slots.insert(), [slot_row(frozen.id, slot, panel.evaluations) for slot in own])
            if panel.kind == "people" and not frozen.study.imported:
                for number in range(1, panel.judges + 1 if panel.access == "links" else 1):
                    service._new_link(connection, name, "personal", number=number)
                if panel.access != "links":
                    service._new_link(connection, name, panel.access)
        service._log(connection, "launched", digest=frozen.digest)
    store.stock.take()
    return service


def opened(
    folder: str | Path,
    store: Store,
    *,
    clock: Callable[[], float] = time.time,
    generator: Callable[[], str] = unguessable,
    simulated: bool = False,
) -> Service:
    """A study that was launched before."""
    frozen = freezing.read(folder)
    if not store.holds(frozen.id):
        raise InputError(
            f"the database does not hold the study of {folder} ({frozen.id}); name the one it was launched in with --db"
        )
    return Service(store, frozen, clock=clock, generator=generator, simulated=simulated)


def set_aside(folder: str | Path) -> list[Path]:
    """Rename the database and the frozen design of an earlier launch, so that a fresh one can follow."""
    with in_use.alone(folder):
        return _set_aside(Path(folder))


def _set_aside(root: Path) -> list[Path]:
    moved: list[Path] = []
    files = [freezing.FILE, DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm"]
    present = [name for name in files if (root / name).exists()]
    number = 1
    while any((root / f"{EARLIER}{number}-{name}").exists() for name in files):
        number += 1
    for name in present:
        target = root / f"{EARLIER}{number}-{name}"
        try:
            (root / name).rename(target)
        except OSError as error:
            for path in moved:  # together, or not at all
                path.rename(root / path.name.split("-", 2)[2])
            raise InputError(f"cannot rename {root / name}: {error.strerror}; nothing was set aside") from None
        moved.append(target)
    return moved
