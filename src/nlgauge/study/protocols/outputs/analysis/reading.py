"""A study's judgements from its folder's database or an exported file, given to an analysis; what its log tells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError, option
from nlgauge.study.analysis.sample import samples
from nlgauge.study.exchange import export
from nlgauge.study.exchange.fit import Fit
from nlgauge.study.freeze import frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols import protocol_of
from nlgauge.study.protocols.outputs.analysis.results import OutputResult
from nlgauge.study.protocols.slice import Analysis
from nlgauge.study.protocols.triangle.analysis.reading import SIMULATED, log_remarks
from nlgauge.study.service import Service, opened
from nlgauge.study.service.context import ADDED, added
from nlgauge.study.store import FILE, Store


def exclusions(service: Service) -> Mapping[str, Any]:
    """Who is left out, with reasons."""
    return {"excluded": service.quality.excluded()}


def folder_by(
    analysis: Analysis,
    folder: str | Path,
    *,
    judgements: str | Path | None = None,
    db: str | None = None,
    closed: bool = False,
    **options: Any,
) -> OutputResult:
    """A study's folder by an analysis: of an export where one is named, else of the database."""
    launched = frozen.read(folder)
    if judgements is not None:
        rows = _exported(launched, judgements, folder)
        remarks = (SIMULATED,) if any(row.simulated for row in rows) else ()
        excluded = export.read_excluded(judgements)
        return analysis.analyse(launched, rows, closed=closed, remarks=remarks, excluded=excluded, **options)
    if db is None and not (Path(folder) / FILE).exists():
        raise InputError(
            f"{folder} holds no database {FILE}; name the one in use with {option('db')}, or an export with "
            f"{option('judgements')}"
        )
    service = opened(folder, Store.at(folder, db, create=False))
    if closed and service.status != "closed":
        raise InputError(
            f"{folder} is open, and answers may still come; end it first with: nlgauge study close {folder} "
            f"({option('closed')} is for exported files)"
        )
    return service_by(analysis, service, **options)


def service_by(analysis: Analysis, service: Service, **options: Any) -> OutputResult:
    """A launched study by an analysis; the log says so from now on."""
    judgements = tuple(service.judgements())
    done, planned = service.progress.planned_answers()
    remarks = list(log_remarks(service.events(), done))
    if service.progress.report()["simulated"]:
        remarks.append(SIMULATED)
    closed = service.status == "closed"
    there, wanted = service.progress.planned_answers(options.get("panel"))
    if added(service.events(ADDED)) and there < wanted and not closed:
        raise InputError(
            f"{there:,} of {wanted:,} planned answers are there, those of the judges who were added among them; wait "
            "for the rest, or close the study for good (nlgauge study close) and analyse it as it is"
        )
    known = getattr(analysis, "logged", exclusions)(service)
    result: OutputResult = analysis.analyse(
        service.frozen, judgements, closed=closed, remarks=remarks, **known, **options
    )
    panel = options.get("panel")
    said = samples(service.study, service.people.judges(), service.people.personal())
    result = replace(result, samples=tuple(sample for sample in said if panel in (None, sample.panel)))
    service.admin.note_analysis(
        answers=done,
        complete=done >= planned,
        digest=result.digest,
        agreement=list(_agreement(result)) if panel is None else (),
        wordings=[effect.logged() for effect in result.wordings] if panel is None else (),
    )
    return result


def _agreement(result: OutputResult) -> Iterator[dict[str, Any]]:
    """The agreement of each criterion in each panel, in figures that the design statement puts in words.

    `figures` are all that were found, `coefficient` and what follows Krippendorff's alpha, or the first that there is.
    """
    before = {
        (talk.panel, talk.criterion.id): talk.before
        for talk in getattr(result, "discussed", ())
        if isfinite(talk.before)
    }
    for part in result.parts:
        agreement, name = part.agreeing.agreement, getattr(part.criterion, "id", part.criterion.name)
        rows = () if agreement is None else agreement.rows
        coefficients = {row.key: row.coefficient for row in rows if row.coefficient is not None}
        figures = [value for found in coefficients.values() for value in (found.estimate, found.low, found.high)]
        logged: dict[str, Any] = {"panel": part.panel, "criterion": name, "name": part.criterion.name}
        if agreement is None or not coefficients:
            logged["cause"] = part.agreeing.cause
        else:
            head = coefficients.get("krippendorff", next(iter(coefficients.values())))
            told = {key: getattr(head, key) for key in ("estimate", "low", "high", "level")}
            logged |= {"coefficient": head.name} | {key: _rounded(value) for key, value in told.items()}
            logged |= {"n": head.n, "unit": agreement.unit, "judges": agreement.judges if part.named else None}
        if (part.panel, name) in before:
            logged["before"] = before[part.panel, name]
            figures.append(before[part.panel, name])
        yield logged | {"figures": [_rounded(value) for value in figures if isfinite(value)]}


def _rounded(value: float) -> float | None:
    """With six decimals; none where it is not defined."""
    return round(float(value), 6) if isfinite(value) else None


def _exported(launched: frozen.Frozen, judgements: str | Path, folder: str | Path) -> Sequence[Judgement]:
    rows = export.read(judgements, fault=Fit(launched).fault, protocol=protocol_of(launched.study.protocol))
    foreign = next((row for row in rows if row.study != launched.id), None)
    if foreign is not None:
        raise InputError(
            f"{judgements}: the judgement {foreign.id!r} belongs to the study {foreign.study!r}, not to "
            f"{launched.id!r} of {folder}; name the folder of that study"
        )
    return rows
