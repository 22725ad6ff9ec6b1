"""Plan, judgements and texts of a study's folder: from its database, or from an exported file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from nlgauge.errors import InputError
from nlgauge.study import export, frozen
from nlgauge.study.analysis.machines import machine_panels
from nlgauge.study.analysis.plan import Plan
from nlgauge.study.service import opened
from nlgauge.study.store import FILE, Store
from nlgauge.study.types import Judgement, Text


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
        return Material(_plan(launched, rows, closed=closed), tuple(rows), launched.texts)
    if db is None and not (Path(folder) / FILE).exists():
        raise InputError(
            f"{folder} holds no database {FILE}; name the one in use with --db, or an export with --judgements"
        )
    service = opened(folder, Store.at(folder, db))
    over = closed or service.status == "closed"
    remarks = []
    if service.events("reopened"):
        remarks.append(
            "the study was closed and opened again: if that was done in view of the answers, the risks are not those "
            "stated"
        )
    if service.progress()["simulated"]:
        remarks.append("the judges are simulated: this is a rehearsal and shows nothing about the texts")
    rows = service.judgements()
    return Material(_plan(launched, rows, closed=over), tuple(rows), launched.texts, tuple(remarks))


def _plan(launched: frozen.Frozen, rows: Sequence[Judgement], *, closed: bool) -> Plan:
    """What was planned, and the panels of machines that came later."""
    plan = Plan.of_study(launched.study, closed=closed)
    return replace(plan, panels=(*plan.panels, *machine_panels(launched, rows)))
