"""Judgements that were collected elsewhere, as a finished study: imported, never run here.

types       one rating after the other, with its place in the file
tables      a table of ratings; sets: evaluation sets with lists of ratings
layouts     the files of published studies as their authors hand them out
describing  the study file: from a description that comes with nlgauge, or from what the command says
making      ratings as texts, evaluations and answers; storing: all of it in the study's folder, or nothing

The design is `found`: nothing was dealt here, the balance is what it was, times that no file holds stay unknown, and
no question is taken from the catalogue because a criterion happens to be called like one of its own.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from nlgauge.errors import InputError, shortened, suggest
from nlgauge.io.files import StrPath, readable
from nlgauge.study.exchange.importing import describing
from nlgauge.study.exchange.importing.layouts import LAYOUTS
from nlgauge.study.exchange.importing.making import make
from nlgauge.study.exchange.importing.sets import read_sets
from nlgauge.study.exchange.importing.storing import store_study
from nlgauge.study.exchange.importing.tables import read_table
from nlgauge.study.exchange.importing.types import MOST_CRITERIA, Source
from nlgauge.study.file import study as design
from nlgauge.study.launch import frozen as freezing
from nlgauge.study.protocols.magnitudes.file import EstimationStudy
from nlgauge.study.protocols.outputs.criteria import UNKNOWN
from nlgauge.study.protocols.ratings.file import RatingStudy
from nlgauge.study.service import Service
from nlgauge.study.service.launching import set_aside

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
        asked = (
            f"{UNKNOWN}: {_some(self.unknown)}; write the exact questions into study.yaml and import again (--fresh)"
        )
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
    options = {"--scale": bool(scales), "--protocol": protocol != "likert", "--title": bool(title)}
    text, study = _study(root, files, source, options, scales=scales, protocol=protocol, title=title)
    made, judgements = make(study, source.ratings)
    told = {
        "format": layout,
        "files": [Path(one).name for one in files],
        "sha256": [_digest(one) for one in files],
        "remarks": list(source.remarks),
        "skipped": dict(source.skipped),
    }
    with _set_aside(root) if fresh and root.is_dir() else nullcontext():
        service = store_study(root, text, made, judgements, told, db)
    unknown = tuple(one.id for one in study.questions_asked if not any(one.question.values()))
    judges = Counter(name for name, _ in {(one.panel, one.judge) for one in judgements})
    return Imported(service, source, unknown, dict(judges))


def _check_earlier(root: Path, *, fresh: bool) -> None:
    if not fresh:
        raise InputError(
            f"{root} holds a study already; import into another folder, or add --fresh to set an earlier import aside"
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
    criteria = {one.criterion for one in source.ratings}
    if len(criteria) > MOST_CRITERIA:
        raise InputError(
            f"{files[0]}: {len(criteria):,} different criteria, such as {shortened(min(criteria))}, cannot be one "
            "study's "
            f"(at most {MOST_CRITERIA:,}); name the column that holds the criterion (--column criterion=NAME)"
        )


def _some(names: Sequence[str], most: int = 12) -> str:
    """Some names, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def _only(source: Source, panel: str) -> Source:
    panels = list(dict.fromkeys(one.panel for one in source.ratings))
    if panel not in panels:
        raise InputError(f"the file has no panel {panel!r}; {suggest(panel, panels)}")
    return replace(source, ratings=tuple(one for one in source.ratings if one.panel == panel))


def _study(
    root: Path,
    files: Sequence[StrPath],
    source: Source,
    options: Mapping[str, bool],
    *,
    scales: Sequence[str],
    protocol: str,
    title: str,
) -> tuple[str | None, RatingStudy | EstimationStudy]:
    """The study, and its file where the folder has none."""
    given = [name for name, used in options.items() if used]
    if (root / design.FILE).exists():
        if given:
            raise InputError(f"{root / design.FILE} says it all; leave {given[0]} out, or change the file")
        return None, _found(design.load(root), root / design.FILE)
    if source.described:
        if given:
            raise InputError(f"{given[0]} belongs to tables and sets; the format brings its own description")
        values = describing.described(source.described)
    else:
        values = describing.plain(
            source,
            scales=describing.scales_of(scales),
            protocol=protocol,
            title=title or f"Imported from {Path(files[0]).name}",
        )
    text = describing.written(describing.completed(values, source), [Path(one).name for one in files])
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
