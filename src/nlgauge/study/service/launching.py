"""A launch in a study's folder: all of it or nothing.

A disk that is full, or a folder that may not be written to, shows itself only on the way. What was made until then is
removed, and with `fresh` the earlier launch, which had been set aside, is put back in its place.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from nlgauge.errors import InputError
from nlgauge.io.outputs import BESIDE, DATABASE, EARLIER
from nlgauge.study.file.study import Study, refuse_broken_off
from nlgauge.study.freeze import frozen, in_use
from nlgauge.study.freeze.pictures import picture
from nlgauge.study.service import Service, launch
from nlgauge.study.store import Store, file_of

FILES = ("", *BESIDE)  # of SQLite, by what their names end with


def launch_whole(
    study: Study, folder: str | Path, db: str | None = None, *, fresh: bool = False
) -> tuple[Service, list[Path]]:
    """The launched study, and the files of an earlier launch that were set aside."""
    with in_use.launching(folder):
        if not (fresh or db):
            refuse_broken_off(folder)
        moved = set_aside(folder) if fresh else []
        with _or_nothing(Path(folder), file_of(folder, db), moved):
            store = Store.at(folder, db)
            try:
                service = launch(study, folder, store)
                for name in service.frozen.images:
                    picture(Path(folder) / name)  # who sees a broken one knows which text is odd
                return service, moved
            except BaseException:
                store.close()  # some systems do not remove a file that is open
                raise


@contextmanager
def _or_nothing(root: Path, database: Path | None, moved: Sequence[Path]) -> Iterator[None]:
    design = root / frozen.FILE
    made = [] if design.exists() else [design]
    if database is not None and not database.exists():
        made += [database.with_name(database.name + end) for end in FILES]
    try:
        yield
    except BaseException:
        if database is None or not _has_judges(database):  # where somebody has come already, nothing is removed
            for path in made:
                with suppress(OSError):
                    path.unlink(missing_ok=True)
            for path in moved:
                with suppress(OSError):
                    path.rename(root / path.name.split("-", 2)[2])
        raise


def _has_judges(database: Path) -> bool:
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as found:
        return found.execute("SELECT 1 FROM judges LIMIT 1").fetchone() is not None
    return False


def set_aside(folder: str | Path) -> list[Path]:
    """Rename the database and the frozen design of an earlier launch, so that a fresh one can follow."""
    with in_use.alone(folder):
        return _set_aside(Path(folder))


def _set_aside(root: Path) -> list[Path]:
    moved: list[Path] = []
    files = [frozen.FILE, DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm"]
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
