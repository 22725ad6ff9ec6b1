"""What the store tells for the statement: who came, how many questions and minutes each, what was left out.

Nothing here reads what was answered about the texts, so a statement may be made while a study runs: the agreement of
judges is what an analysis found and logged. That some could not be judged is counted over all systems together.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any

from nlgauge.io.exported import CANNOT
from nlgauge.study.analysis.counting import of_service
from nlgauge.study.analysis.sample import Sample, samples
from nlgauge.study.designs.imported import Imported
from nlgauge.study.model import Judgement, Slot, role_of
from nlgauge.study.protocols.triangle.analysis import digest
from nlgauge.study.service.context import added, excluded
from nlgauge.study.service.progress import STAGES
from nlgauge.study.statements.agreed import Agreed, logged

if TYPE_CHECKING:
    from nlgauge.study.service import Service


@dataclass(frozen=True)
class Spread:
    """Something that each judge has: mean, least and most."""

    mean: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread | None:
        """None where there are no values."""
        return cls(fmean(values), min(values), max(values)) if values else None

    def __str__(self) -> str:
        if self.least == self.most:
            return f"{self.mean:,.4g} each"
        return f"{_round(self.mean)} on average, from {_round(self.least)} to {_round(self.most)}"


def _round(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) or value >= 100 else f"{value:.1f}"


@dataclass(frozen=True)
class PanelFacts:
    """One panel."""

    name: str
    machine: bool
    stages: Mapping[str, int]  # judges by what became of them
    judges: int  # who gave answers that count
    answers: int
    each: Spread | None  # evaluations of a judge
    minutes: Spread | None  # on these evaluations, from showing to answer
    machine_told: str = ""  # which machine, as its runs were logged

    @property
    def registered(self) -> int:
        """All who came."""
        return sum(self.stages.values())


@dataclass(frozen=True)
class Facts:
    """A study in its store."""

    panels: tuple[PanelFacts, ...]
    status: str  # open, paused or closed
    complete: bool  # whether every planned evaluation was made
    simulated: bool
    imported: bool  # the answers were collected elsewhere
    first: float | None  # times of the first and the last answer; None: not known
    last: float | None
    timed: bool  # whether it is known how long answers took
    named: bool  # whether judges are people, or places in the lists of an imported file
    remarks: tuple[str, ...]  # what was said of imported files
    languages: Mapping[str, int]  # judges by the language they read
    samples: tuple[Sample, ...]  # what they said about themselves
    surplus: int
    corrected: int
    practice: int
    fast: int  # answers below the study's `too_fast`
    fast_judges: int  # half or more of whose answers were
    erased: int
    excluded: tuple[tuple[str, int], ...]  # judges left out, by reason
    readmitted: int  # times a judge was let in again
    untested: int  # judges who did not pass the comprehension test
    discussed: int  # rounds of discussion
    beside: str  # figures with and without the judges left out
    seen: Mapping[str, tuple[tuple[Slot, ...], ...]]  # by panel, for each judge: what was answered, in that order
    analysed: bool = False  # whether somebody looked at the results of these answers
    agreed: tuple[Agreed, ...] = ()  # the agreement that was found then
    wordings: tuple[tuple[str, str], ...] = ()  # what the wording did, by criterion
    read: Mapping[str, int] = field(default_factory=dict)  # judges whose answers count, by the wording they read
    added: Mapping[str, int] = field(default_factory=dict)  # judges who were added to each panel after the launch
    # by criterion that offers it: people's answers “I cannot judge this”, of all that count
    declined: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def people(self) -> tuple[PanelFacts, ...]:
        """Panels of people."""
        return tuple(panel for panel in self.panels if not panel.machine)

    @property
    def answered(self) -> bool:
        """Whether people gave answers."""
        return any(panel.answers for panel in self.people)


def gather(service: Service) -> Facts:
    """Everything at once."""
    from nlgauge.study.service.progress import is_machine

    study, progress = service.study, service.progress.report()
    plan = getattr(study, "plan", None)
    judges, judgements, events = service.people.judges(), service.judgements(), service.events()
    sorted_out = of_service(service, judgements)
    counted = sorted_out.given
    machines = {row["panel"] for row in judges if is_machine(study, row["panel"])}
    names = dict.fromkeys([*study.panels, *(row["panel"] for row in judges)])
    stages = {name: progress["panels"].get(name, {}).get("judges", {}) for name in names}
    by_panel = {name: [judgement for judgement in counted if judgement.panel == name] for name in names}
    people = [judgement for judgement in counted if judgement.panel not in machines]
    analysed = [judgement for judgement in sorted_out.counted if judgement.panel not in machines]
    times = [at for judgement in people for at in (judgement.shown_at, judgement.answered_at)]
    by_judge: dict[str, list[bool]] = defaultdict(list)
    for person in people:
        if person.known_seconds is not None:
            by_judge[person.judge].append(person.seconds < study.too_fast)
    imported = any(row["access"] == "import" for row in judges)
    timed = any(judgement.seconds > 0 for judgement in people)
    dated = timed and all(judgement.dated for judgement in people)
    done, planned = service.progress.planned_answers()
    out = excluded(events)
    agreed, wordings = logged(events, digest(judgements))
    ended = done >= planned or str(progress["status"]) == "closed"
    answering = {judgement.judge for judgement in people}
    languages = Counter(row["language"] for row in judges if row["id"] in answering and row["language"])
    return Facts(
        panels=tuple(
            _panel(name, stages[name], own, _machine(name, events, machines)) for name, own in by_panel.items()
        ),
        status=str(progress["status"]),
        complete=done >= planned,
        simulated=bool(progress["simulated"]),
        imported=imported,
        first=min(times, default=None) if dated else None,
        last=max(times, default=None) if dated else None,
        timed=timed,
        named=not (isinstance(plan, Imported) and plan.judges == "places"),
        remarks=tuple(
            remark for event in events if event["kind"] == "imported" for remark in event["data"].get("remarks", ())
        ),
        languages=dict(languages.most_common()),
        samples=samples(study, judges, service.people.personal()),
        surplus=sum(judgement.surplus and not judgement.practice for judgement in judgements),
        corrected=sum(bool(judgement.replaces) for judgement in judgements),
        practice=sum(judgement.practice for judgement in judgements),
        fast=sum(flag for flags in by_judge.values() for flag in flags) if timed else 0,
        fast_judges=sum(2 * sum(flags) >= len(flags) for flags in by_judge.values()) if timed else 0,
        erased=sum(event["data"].get("judgements", 0) for event in events if event["kind"] == "forgotten"),
        excluded=tuple(Counter(out.values()).items()),
        readmitted=sum(event["kind"] == "readmitted" for event in events),
        untested=sum(event["kind"] == "failed" and event["data"].get("reason") == "comprehension" for event in events),
        discussed=sum(event["kind"] == "discussion" for event in events),
        beside=service.protocol.with_and_without(service.frozen, judgements, out) if out and ended else "",
        seen={name: _seen(own) for name, own in by_panel.items()},
        analysed=any(event["kind"] == "analysed" for event in events),
        added=added(events),
        agreed=agreed,
        wordings=wordings,
        read=Counter({judgement.judge: judgement.wording for judgement in analysed}.values()),
        declined=_declined(analysed, getattr(study, "abstainable", frozenset())),
    )


def _declined(analysed: Sequence[Judgement], offered: frozenset[str]) -> dict[str, tuple[int, int]]:
    found: dict[str, list[bool]] = {}
    for judgement in analysed:
        for name, given in judgement.answer.items() if offered else ():
            if name in offered:
                found.setdefault(name, []).append(given == CANNOT)
    return {name: (sum(flags), len(flags)) for name, flags in found.items()}


def _machine(panel: str, events: Sequence[Mapping[str, Any]], machines: Collection[str]) -> str | None:
    """The machine of a panel with its settings: model, prompt, parameters; None for a panel of people."""
    if panel not in machines:
        return None
    runs = [event["data"] for event in events if event["kind"] == "machine-run" and event["data"]["panel"] == panel]
    if not runs:
        return ""
    settings = dict(runs[0]["settings"])
    kind = settings.pop("judge", "machine")
    prompt = settings.pop("prompt_sha256", "")
    given = settings.pop("parameters", {})
    told = [f"{name} {value}" for name, value in settings.items() if value not in ("", None, [], {}) and name != "like"]
    told += [f"{name} {value}" for name, value in given.items()]
    told += [f"prompt SHA-256 {prompt[:16]}…"] * bool(prompt)
    judges = len({run.get("number", 1) for run in runs})
    asked = f", asked {judges} times" if judges > 1 else ""
    return f"machine ({kind}: {', '.join(told)}{asked})"


def _seen(own: Sequence[Judgement]) -> tuple[tuple[Slot, ...], ...]:
    by_judge: dict[str, list[Slot]] = defaultdict(list)
    for given in sorted(own, key=lambda judgement: judgement.answered_at):
        by_judge[given.judge].append(Slot(given.slot, given.panel, given.number, 0, given.role, given.texts))
    return tuple(tuple(slots) for slots in by_judge.values())


def _panel(name: str, stages: Mapping[str, int], own: Sequence[Judgement], machine: str | None) -> PanelFacts:
    seconds: dict[str, list[float]] = defaultdict(list)
    for judgement in own:
        seconds[judgement.judge].append(judgement.seconds)
    took = [sum(values) / 60 for values in seconds.values()]
    return PanelFacts(
        name=name,
        machine=machine is not None,
        stages={stage: stages[stage] for stage in STAGES if stages.get(stage)},
        judges=len(seconds),
        answers=sum(not role_of(judgement.role) for judgement in own),
        each=Spread.of(list(map(len, seconds.values()))),
        minutes=Spread.of(took) if any(took) and machine is None else None,
        machine_told=machine or "",
    )
