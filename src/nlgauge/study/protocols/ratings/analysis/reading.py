"""A rating study's judgements from its folder's database or an exported file, and what its log tells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError
from nlgauge.study import export, frozen
from nlgauge.study.analysis.reading import SIMULATED, log_remarks
from nlgauge.study.fitting import Fit
from nlgauge.study.protocols import protocol_of
from nlgauge.study.protocols.ratings.analysis import analyse
from nlgauge.study.protocols.ratings.analysis.results import RatingResult
from nlgauge.study.service import Service, opened
from nlgauge.study.store import FILE, Store
from nlgauge.study.types import Judgement


def analyse_folder(
    folder: str | Path,
    *,
    judgements: str | Path | None = None,
    db: str | None = None,
    closed: bool = False,
    seed: int = 12345,
    panel: str | None = None,
    unit: bool = False,
    how: Callable[..., RatingResult] = analyse,
) -> RatingResult:
    """The analysis of a study's folder; see `analyse`. `how`: by another protocol whose answers are numbers."""
    launched = frozen.read(folder)
    if judgements is not None:
        rows = _exported(launched, judgements, folder)
        remarks = (SIMULATED,) if any(one.client.startswith(export.SIMULATED) for one in rows) else ()
        return how(launched, rows, closed=closed, unit=unit, panel=panel, seed=seed, remarks=remarks)
    if db is None and not (Path(folder) / FILE).exists():
        raise InputError(
            f"{folder} holds no database {FILE}; name the one in use with --db, or an export with --judgements"
        )
    service = opened(folder, Store.at(folder, db, create=False))
    if closed and service.status != "closed":
        raise InputError(
            f"{folder} is open, and answers may still come; end it first with: nlgauge study close {folder} "
            "(--closed is for exported files)"
        )
    return analyse_service(service, seed=seed, panel=panel, unit=unit, how=how)


def analyse_service(
    service: Service,
    *,
    seed: int = 12345,
    panel: str | None = None,
    unit: bool = False,
    how: Callable[..., RatingResult] = analyse,
    **_: Any,
) -> RatingResult:
    """The analysis of a launched study; its log says so from now on."""
    judgements = tuple(service.judgements())
    done, planned = service.planned_answers()
    remarks = list(log_remarks(service.events(), done))
    if service.progress()["simulated"]:
        remarks.append(SIMULATED)
    result = how(
        service.frozen,
        judgements,
        closed=service.status == "closed",
        unit=unit,
        panel=panel,
        seed=seed,
        remarks=remarks,
    )
    service.note_analysis(answers=done, complete=done >= planned, digest=result.digest)
    return result


def _exported(launched: frozen.Frozen, judgements: str | Path, folder: str | Path) -> Sequence[Judgement]:
    rows = export.read(judgements, fault=Fit(launched).fault, protocol=protocol_of(launched.study.protocol))
    foreign = next((one for one in rows if one.study != launched.id), None)
    if foreign is not None:
        raise InputError(
            f"{judgements}: the judgement {foreign.id!r} belongs to the study {foreign.study!r}, not to "
            f"{launched.id!r} of {folder}; name the folder of that study"
        )
    return rows
