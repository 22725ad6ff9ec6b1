"""The statement of a study's folder, launched or not, and statements written as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import orjson

from nlgauge.errors import InputError
from nlgauge.io.files import readable
from nlgauge.study.file import study as design
from nlgauge.study.freeze import frozen
from nlgauge.study.service import opened
from nlgauge.study.statements.build import statement_of
from nlgauge.study.statements.facts import Facts, gather
from nlgauge.study.statements.heds import Datasheet, datasheet
from nlgauge.study.statements.keys import Stated
from nlgauge.study.statements.types import Statement
from nlgauge.study.store import Store


@dataclass(frozen=True)
class Read:
    """A statement with everything it was made of."""

    statement: Statement
    frozen: frozen.Frozen
    stated: Stated
    facts: Facts | None

    @property
    def datasheet(self) -> Datasheet:
        """The same as a datasheet."""
        return datasheet(self.frozen, self.statement, self.stated, self.facts)


def read(folder: str | Path, db: str | None = None) -> Read:
    """What the folder tells: the design as launched with what the database holds, or else the plan of the study file.

    What a person stated is read from the study file as it is now, since it is no part of the design.
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"there is no folder {folder}; make a study with: nlgauge study new")
    if not (root / frozen.FILE).exists():
        study = design.load(folder)
        plan = frozen.freeze(study, folder)
        return Read(statement_of(plan, study.statement), plan, study.statement, None)
    launched = frozen.read(folder)
    stated = design.load(folder).statement if (root / design.FILE).exists() else Stated()
    store = Store.at(folder, db, create=False)
    try:
        facts = gather(opened(folder, store))
    finally:
        store.close()
    return Read(statement_of(launched, stated, facts), launched, stated, facts)


def load(path: str | Path) -> Statement:
    """The statement of a folder, or one that was written as JSON."""
    source = Path(path)
    if source.is_dir():
        return read(source).statement
    with readable(source):
        content = source.read_bytes()
    try:
        values = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise InputError(f"{source} is not valid JSON ({error})") from None
    if not isinstance(values, dict):
        raise InputError(f"{source} is no design statement; expected one object")
    return Statement.from_dict(values, str(source))
