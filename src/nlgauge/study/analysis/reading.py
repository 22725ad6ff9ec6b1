"""Plan, judgements and texts of a study's folder: from its database, or from an exported file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nlgauge.errors import InputError
from nlgauge.study import export, frozen
from nlgauge.study.analysis.plan import Plan
from nlgauge.study.service import Service, opened
from nlgauge.study.store import FILE, Store
from nlgauge.study.types import Judgement, Text

EXPORTED = "exported"  # the kind of event that a download of the judgements leaves


@dataclass(frozen=True)
class Material:
    """What `analyse` takes."""

    plan: Plan
    judgements: tuple[Judgement, ...]
    texts: tuple[Text, ...]
    remarks: tuple[str, ...] = ()


def read_study(
    folder: str | Path, *, judgements: str | Path | None = None, db: str | None = None, closed: bool = False
) -> Material:
    """The plan is that of the frozen design. A study that was closed in its database counts as closed.

    `judgements` names an exported file to be read in place of the database; `closed` says that no more will come.
    """
    launched = frozen.read(folder)
    if judgements is not None:
        rows = export.read(judgements)
        foreign = next((one for one in rows if one.study != launched.id), None)
        if foreign is not None:
            raise InputError(
                f"{judgements}: the judgement {foreign.id!r} belongs to the study {foreign.study!r}, not to "
                f"{launched.id!r} of {folder}; name the folder of that study"
            )
        return Material(Plan.of_study(launched.study, closed=closed), tuple(rows), launched.texts)
    if db is None and not (Path(folder) / FILE).exists():
        raise InputError(
            f"{folder} holds no database {FILE}; name the one in use with --db, or an export with --judgements"
        )
    return material(opened(folder, Store.at(folder, db)), closed=closed)


def material(service: Service, *, closed: bool = False) -> Material:
    """What the database holds of a launched study, with what its log says against believing the result."""
    remarks = []
    if service.events("reopened"):
        remarks.append(
            "the study was closed and opened again: if that was done in view of the answers, the risks are not those "
            "stated"
        )
    early = [event["data"] for event in service.events(EXPORTED) if event["data"].get("early")]
    if early:
        remarks.append(
            f"the answers were exported before the study had ended ({_times(len(early))}, first with "
            f"{early[0]['judgements']:,} judgements): if going on or stopping was decided in view of them, the risks "
            "are not those stated"
        )
    if service.progress()["simulated"]:
        remarks.append("the judges are simulated: this is a rehearsal and shows nothing about the texts")
    plan = Plan.of_study(service.study, closed=closed or service.status == "closed")
    return Material(plan, tuple(service.judgements()), service.frozen.texts, tuple(remarks))


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"
