"""Plan, judgements and texts of a study's folder, from its database or from an exported file; what its log tells; and
the verdict while it runs.

An analysis of a database is an event in the log, as closing, opening again and exporting are. What the reader must know
of them (a look that was not planned, answers taken out early or erased) goes into the result as remarks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError, counted, option
from nlgauge.jsonable import Jsonable
from nlgauge.stats.discrimination.wording import people
from nlgauge.study.analysis.counting import sort
from nlgauge.study.analysis.sample import samples
from nlgauge.study.exchange import export
from nlgauge.study.exchange.fit import Fit
from nlgauge.study.file.study import Study
from nlgauge.study.freeze import frozen
from nlgauge.study.model import Judgement, Text
from nlgauge.study.protocols import protocol_of
from nlgauge.study.protocols.triangle.analysis import analyse, biases
from nlgauge.study.protocols.triangle.analysis.answers import select
from nlgauge.study.protocols.triangle.analysis.looks import Stopped, follow, why_not_yet
from nlgauge.study.protocols.triangle.analysis.machines import machine_panels
from nlgauge.study.protocols.triangle.analysis.plan import Plan
from nlgauge.study.protocols.triangle.analysis.results import Attendance, StudyResult, turnouts
from nlgauge.study.protocols.triangle.file import triangle_study
from nlgauge.study.service import Service, opened
from nlgauge.study.service.context import ADDED, added
from nlgauge.study.service.context import excluded as excluded_now
from nlgauge.study.service.progress import STAGES, from_log
from nlgauge.study.store import FILE, Store

COMPLETE = "the answers are complete: analyse the study (nlgauge study analyse)"
SIMULATED = "the judges are simulated: this is a rehearsal and shows nothing about the texts"


@dataclass(frozen=True)
class Material:
    """What `analyse` takes, and the service it comes from (None: a file)."""

    plan: Plan
    judgements: tuple[Judgement, ...]
    texts: tuple[Text, ...]
    remarks: tuple[str, ...] = ()
    service: Service | None = None
    attendance: Attendance | None = None
    study: Study | None = None
    excluded: Mapping[str, str] = field(default_factory=dict)  # judges left out, with reasons
    erased: str = ""  # answers that were erased at the judges' request, in words


def read_study(
    folder: str | Path, *, judgements: str | Path | None = None, db: str | None = None, closed: bool = False
) -> Material:
    """The plan is that of the frozen design. A study that was closed in its database counts as closed.

    `judgements` names an exported file to be read in place of the database; `closed` says that no more will come, which
    a database says itself.
    """
    launched = frozen.read(folder)
    if judgements is not None:
        rows = export.read(judgements, fault=Fit(launched).fault, protocol=protocol_of(launched.study.protocol))
        foreign = next((judgement for judgement in rows if judgement.study != launched.id), None)
        if foreign is not None:
            raise InputError(
                f"{judgements}: the judgement {foreign.id!r} belongs to the study {foreign.study!r}, not to "
                f"{launched.id!r} of {folder}; name the folder of that study"
            )
        plan = _plan(launched, rows, closed=closed)
        return Material(
            plan,
            tuple(rows),
            launched.texts,
            remarks=(SIMULATED,) if any(judgement.simulated for judgement in rows) else (),
            attendance=replace(_attendance(launched), unknown="exported"),
            study=launched.study,
            excluded=export.read_excluded(judgements),
        )
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
    return material(service)


def material(service: Service) -> Material:
    """The material of a launched study."""
    judgements = tuple(service.judgements())
    events = service.events()
    plan = _plan(service.frozen, judgements, closed=service.status == "closed", added=added(events))
    progress = service.progress.report()
    counts = {name: numbers["judges"] for name, numbers in progress["panels"].items()}
    logged = from_log(events)
    judges = service.people.judges()
    unlogged = any(row["access"] == "import" and row["id"] not in logged for row in judges)
    if not unlogged:  # the log knows also those who never answered, whom an export of answers does not hold
        for name in counts:
            reached = Counter(stage for panel, stage in logged.values() if panel == name)
            counts[name] = {"registered": reached.total(), **{stage: reached[stage] for stage in STAGES}}
    said = log_remarks(events, _people(plan, judgements), fixed=plan.stopping.kind == "fixed")
    attendance = replace(
        _attendance(service.frozen),
        panels=turnouts(plan, counts),
        known=True,
        unknown="imported" if unlogged else "",
        samples=samples(service.study, judges, service.people.personal()),
    )
    return Material(
        plan=plan,
        judgements=judgements,
        texts=service.frozen.texts,
        remarks=(*said, SIMULATED) if progress["simulated"] else tuple(said),
        service=service,
        attendance=attendance,
        study=service.study,
        excluded=excluded_now(events),
        erased=erased(events),
    )


def analyse_material(
    found: Material, *, seed: int = 12345, draws: int = biases.DRAWS, panel: str | None = None
) -> StudyResult:
    """Analyse; where the material comes from a database, its log says so from now on."""
    result = analyse(
        found.plan,
        found.judgements,
        found.texts,
        seed=seed,
        draws=draws,
        remarks=found.remarks,
        panel=panel,
        attendance=found.attendance,
        excluded=found.excluded,
    )
    if found.study is not None:
        result = replace(
            result, file=triangle_study(found.study), simulated=SIMULATED in found.remarks, erased=found.erased
        )
    if found.service is not None:
        shown = [verdict for verdict in result.verdicts if verdict.test is not None and not verdict.machine]
        planned = sum(panel.answers for panel in found.plan.people)
        answers = _people(found.plan, found.judgements) if shown else 0
        found.service.admin.note_analysis(answers=answers, complete=answers >= planned, digest=result.digest)
    return result


def analyse_service(service: Service, *, seed: int = 12345, draws: int = biases.DRAWS) -> StudyResult:
    """The analysis of a launched study, logged."""
    return analyse_material(material(service), seed=seed, draws=draws)


def _people(plan: Plan, judgements: Sequence[Judgement]) -> int:
    """How many answers of people count."""
    names = {panel.name for panel in plan.people}
    return sum(judgement.panel in names for judgement in sort(judgements, plan.surplus).counted)


def log_remarks(events: Sequence[Mapping[str, Any]], answers: int, *, fixed: bool = True) -> list[str]:
    """What the log tells that a reader of the result must know; `fixed`: the number of answers was, beforehand."""
    risks = (
        "if that was done in view of the answers, the risks are not those stated"
        if fixed
        else "the rule of stopping was fixed beforehand, so what it concludes keeps its risks"
    )
    said = []
    by_kind: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for event in events:
        by_kind[event["kind"]].append(event)
    for panel, number in added(events).items():
        were = "was" if number == 1 else "were"
        said.append(f"{people(number)} {were} added to the panel {panel} after the launch, before anybody saw answers")
    if "reopened" in by_kind:
        said.append(f"the study was closed and opened again: {risks}")
    others = (event for event in by_kind["analysed"] if event["data"].get("answers") not in (None, 0, answers))
    before = next(others, None)
    if before is not None and fixed:
        said.append(
            f"UNPLANNED LOOK: the study was analysed on {_day(before)} with {before['data']['answers']:,} answers and "
            f"is analysed now with {answers:,}; a test with a fixed number allows one look, so the risks are not "
            "those stated"
        )
    early = [
        event
        for event in by_kind["exported"]
        for told in [event["data"]]
        if not told.get("complete") and told.get("answers") and told.get("status") != "closed"
    ]
    if early:
        times = "once" if len(early) == 1 else f"{len(early):,} times"
        first = early[0]["data"]
        said.append(
            f"answers were exported {times} before the study was complete (first on {_day(early[0])}, "
            f"{first['answers']:,} of {first['planned']:,}): if somebody looked at them and acted on it, the risks are "
            "not those stated"
        )
    said += [remark for event in by_kind["imported"] for remark in event["data"].get("remarks", ())]
    return [*said, gone] if (gone := erased(events)) else said


def erased(events: Sequence[Mapping[str, Any]]) -> str:
    """How many answers were erased at the judges' request; empty where none was."""
    gone = [number for event in events if event["kind"] == "forgotten" if (number := event["data"].get("judgements"))]
    if not gone:
        return ""
    return f"{counted(sum(gone), 'judgement')} of {people(len(gone))} erased at the judges' request"


def _attendance(launched: frozen.Frozen) -> Attendance:
    """Whom the practice keeps out."""
    return Attendance(required=triangle_study(launched.study).practice.required, practice=len(launched.rounds))


def _day(event: Mapping[str, Any]) -> str:
    return datetime.fromtimestamp(event["at"], UTC).strftime("%Y-%m-%d")


def _plan(
    launched: frozen.Frozen, rows: Sequence[Judgement], *, closed: bool, added: Mapping[str, int] | None = None
) -> Plan:
    """What was planned, with judges added later, and the panels of machines that came later."""
    plan = Plan.of_study(launched.study, closed=closed, added=added)
    return replace(plan, panels=(*plan.panels, *machine_panels(launched, rows)))


@dataclass(frozen=True)
class LivePanel(Jsonable):
    """One panel of people: how many answers count, and what the rule says of them (None: there is no rule)."""

    KEYS = "panel = name, answers, planned, sequential = stopped"

    name: str
    answers: int
    planned: int
    stopped: Stopped | None


@dataclass(frozen=True)
class Live:
    """Whether the result may be looked at now, and if so what it is; `reason` says why not."""

    allowed: bool
    reason: str
    panels: tuple[LivePanel, ...]

    @property
    def stop(self) -> bool:
        """Whether the rule of every panel has ended: nobody more needs to be asked."""
        return self.allowed and all(panel.stopped is not None and panel.stopped.over for panel in self.panels)


def live(plan: Plan, judgements: Sequence[Judgement], stuck: Collection[str] = ()) -> Live:
    """Where a running study stands, as far as its plan allows to look; of panels `stuck` nobody is left to answer."""
    known = {panel.name for panel in plan.people}
    answers = select([judgement for judgement in judgements if judgement.panel in known], plan)
    panels = tuple(
        LivePanel(panel.name, len(own), panel.answers, follow(plan, panel, own))
        for panel in plan.people
        for own in [answers.of(panel.name)]
    )
    if plan.stopping.kind != "fixed":
        return Live(True, "", panels)
    reasons = (
        why_not_yet(plan, panel, there.answers, expected=panel.name not in stuck)
        for panel, there in zip(plan.people, panels, strict=True)
    )
    return Live(False, next(filter(None, reasons), COMPLETE), panels)


def live_verdict(service: Service) -> Live:
    """The same for a launched study."""
    closed = service.status == "closed"
    if service.study.protocol != "triangle":
        done, planned = service.progress.planned_answers()
        open_ = f"{done:,} of {planned:,} planned answers are there; the study is analysed when it is complete"
        return Live(False, COMPLETE if closed or done >= planned else open_, ())
    plan = Plan.of_study(service.study, closed=closed, added=added(service.events(ADDED)))
    return live(plan, service.judgements(), service.progress.used_up())
