"""Judgements that were collected elsewhere, as a finished study: imported, never run here.

types    one rating after the other, with its place in the file
tables   a table of ratings, and evaluation sets with lists of ratings
layouts  the files of published studies as their authors hand them out
making   ratings as texts, evaluations and answers, and the study file where the folder has none

The design is `imported`: nothing was dealt here, the balance is what it was, times that no file holds stay unknown, and
no question is taken from the catalogue because a criterion happens to be called like one of its own.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from nlgauge.errors import InputError, option, shortened, suggest
from nlgauge.io.files import StrPath, readable
from nlgauge.io.write import atomic_file
from nlgauge.study.exchange.importing.layouts import LAYOUTS
from nlgauge.study.exchange.importing.making import completed, described, make, plain, scales_of, written
from nlgauge.study.exchange.importing.tables import read_sets, read_table
from nlgauge.study.exchange.importing.types import MOST_CRITERIA, Source
from nlgauge.study.file import study as design
from nlgauge.study.file.study import FILE
from nlgauge.study.freeze import frozen as freezing
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.magnitudes.file import EstimationStudy
from nlgauge.study.protocols.outputs.criteria import UNKNOWN
from nlgauge.study.protocols.ratings.file import RatingStudy
from nlgauge.study.service import Service, start
from nlgauge.study.service.launching import FILES, set_aside
from nlgauge.study.store import Store, file_of, tables

__all__ = ["Imported", "import_study"]


@dataclass(frozen=True)
class Imported:
    """A study that was imported, and what its files held."""

    service: Service
    source: Source
    unknown: tuple[str, ...]  # criteria whose question nobody knows
    judges: Mapping[str, int]  # by panel

    @property
    def warnings(self) -> list[str]:
        """What must be known before the study is used."""
        again = f"write the exact questions into study.yaml and import again ({option('fresh')})"
        asked = f"{UNKNOWN}: {_some(self.unknown)}; {again}"
        return [*([asked] if self.unknown else []), *self.source.remarks]


def import_study(
    folder: str | Path,
    files: Sequence[StrPath],
    layout: str,
    *,
    panel: str | None = None,
    columns: Mapping[str, str] | None = None,
    scales: Sequence[str] = (),
    protocol: str = "likert",
    title: str = "",
    db: str | None = None,
    fresh: bool = False,
) -> Imported:
    """Read the files and make the study in its folder; nothing is left behind where something is wrong.

    `panel` names the only panel to be imported. A study file in the folder describes the study; without one it is the
    description of the published study, or what `scales`, `protocol` and `title` say. `fresh` sets aside what was
    imported there before, for example because the exact questions have been found since.
    """
    root = Path(folder)
    if (root / freezing.FILE).exists():
        _check_earlier(root, fresh=fresh)
    elif not fresh:
        design.refuse_broken_off(root)
    source = _read(files, layout, columns)
    _check_criteria(source, files)
    if panel is not None:
        source = _only(source, panel)
    text, study = _study(root, files, source, scales=scales, protocol=protocol, title=title)
    made, judgements = make(study, source.ratings)
    told = {
        "format": layout,
        "files": [Path(file).name for file in files],
        "sha256": [_digest(file) for file in files],
        "remarks": list(source.remarks),
        "skipped": dict(source.skipped),
    }
    with _set_aside(root) if fresh and root.is_dir() else nullcontext():
        service = store_study(root, text, made, judgements, told, db)
    unknown = tuple(criterion.id for criterion in study.questions_asked if not any(criterion.question.values()))
    judges = Counter(name for name, _ in {(judgement.panel, judgement.judge) for judgement in judgements})
    return Imported(service, source, unknown, dict(judges))


def _check_earlier(root: Path, *, fresh: bool) -> None:
    if not fresh:
        raise InputError(
            f"{root} holds a study already; import into another folder, or add {option('fresh')} to set an earlier "
            "import aside"
        )
    if not freezing.read(root).study.imported:
        raise InputError(f"{root} holds a study that was run here; import into another folder")


@contextmanager
def _set_aside(root: Path) -> Iterator[None]:
    """What was imported before, put back where the import fails."""
    moved = set_aside(root)
    try:
        yield
    except BaseException:
        for path in moved:
            path.rename(root / path.name.split("-", 2)[2])
        raise


def _read(files: Sequence[StrPath], layout: str, columns: Mapping[str, str] | None) -> Source:
    if layout not in LAYOUTS:
        raise InputError(f"there is no format {layout!r}; {suggest(layout, LAYOUTS)}")
    if columns and layout not in ("table", "set"):
        raise InputError("--column belongs to tables and evaluation sets (--format table or set)")
    if columns:
        return read_table(files, columns) if layout == "table" else read_sets(files, columns=columns)
    return LAYOUTS[layout](files)


def _check_criteria(source: Source, files: Sequence[StrPath]) -> None:
    criteria = {rating.criterion for rating in source.ratings}
    if len(criteria) > MOST_CRITERIA:
        raise InputError(
            f"{files[0]}: {len(criteria):,} different criteria, such as {shortened(min(criteria))}, cannot be one "
            f"study's (at most {MOST_CRITERIA:,}); name the column that holds the criterion (--column criterion=NAME)"
        )


def _some(names: Sequence[str], most: int = 12) -> str:
    """Some names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def _only(source: Source, panel: str) -> Source:
    panels = list(dict.fromkeys(rating.panel for rating in source.ratings))
    if panel not in panels:
        raise InputError(f"the file has no panel {panel!r}; {suggest(panel, panels)}")
    return replace(source, ratings=tuple(rating for rating in source.ratings if rating.panel == panel))


def _study(
    root: Path, files: Sequence[StrPath], source: Source, *, scales: Sequence[str], protocol: str, title: str
) -> tuple[str | None, RatingStudy | EstimationStudy]:
    """The study, and its file where the folder has none."""
    options = {"scale": bool(scales), "protocol": protocol != "likert", "title": bool(title)}
    given = [option(name) for name, used in options.items() if used]
    if (root / design.FILE).exists():
        if given:
            raise InputError(f"{root / design.FILE} says it all; leave {given[0]} out, or change the file")
        return None, _found(design.load(root), root / design.FILE)
    if source.described:
        if given:
            raise InputError(f"{given[0]} belongs to tables and sets; the format brings its own description")
        values = described(source.described)
    else:
        title = title or f"Imported from {Path(files[0]).name}"
        values = plain(source, scales=scales_of(scales), protocol=protocol, title=title)
    text = written(completed(values, source), [Path(file).name for file in files])
    with tempfile.TemporaryDirectory() as aside:
        (Path(aside) / design.FILE).write_text(text, encoding="utf-8")
        study, problems, _ = design.inspect(aside)
        if study is None or problems:
            raise InputError(f"{files[0]}: no study file can be made of its ratings, because {problems[0].message}")
        return text, _found(study, Path(design.FILE))


def _found(study: design.Study, path: Path) -> RatingStudy | EstimationStudy:
    if not isinstance(study, RatingStudy | EstimationStudy):
        raise InputError(
            f"{path}: ratings can be imported into likert, continuous, binary, magnitude and rankme studies, not into "
            f"{study.protocol}"
        )
    if not study.imported:
        raise InputError(
            f"{path} describes a study that is to be run here; for one that was run elsewhere write design: imported"
        )
    return study


def _digest(path: StrPath) -> str:
    with readable(path):
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()


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
    unknown = dict.fromkeys(("registered_at", "consented_at", "questions_at", "finished_at"), 0.0)
    answered = Counter((judgement.judge, judgement.panel) for judgement in judgements)
    rows = [
        {"study": frozen.id, "id": judge, "panel": panel, "access": "import", "answered": number, **unknown}
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
        part = [judgement.to_dict() for judgement in judgements[first : first + ROWS]]
        stored = [{**row, "claim": row["id"], "key": row["id"], "accepts": row["slot"]} for row in part]
        connection.execute(tables.judgements.insert(), stored)
        names = {"b_study": "study", "b_slot": "slot", "b_judgement": "id", "b_judge": "judge"}
        connection.execute(filled, [{bound: row[name] for bound, name in names.items()} for row in part])


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
