"""Which answers to a study of outputs count: practice and warm-up never, surplus by the rule fixed at launch."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.io.exported import SURPLUS
from nlgauge.study.analysis.counting import sort
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.outputs.abstaining import all_declined, judged
from nlgauge.study.protocols.outputs.control import missed
from nlgauge.study.protocols.outputs.criteria import UNKNOWN
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.machines import machines_of
from nlgauge.study.protocols.outputs.protocol import output_protocol


class Worded:
    """A criterion by its name and question."""

    id: str
    name: str
    question: str

    @property
    def known(self) -> bool:
        """Whether anybody can read what was asked."""
        return bool(self.question)

    @property
    def label(self) -> str:
        """Its name wherever it is shown; a question that nobody knows is said each time."""
        return self.name if self.known else f"{self.name} ({UNKNOWN})"


def first_wording(question: Mapping[str, str]) -> str:
    """What was asked, in the first language that tells it."""
    return next((text.strip() for text in question.values() if text.strip()), "")


@dataclass(frozen=True)
class Numbers:
    """The answers of one panel to one criterion, as they enter the analysis: high is good."""

    criterion: Any
    panel: str
    values: Array
    systems: tuple[str, ...]  # of each answer, as the rest
    items: tuple[str, ...]
    judges: tuple[str, ...]


@dataclass(frozen=True)
class Given:
    """A study's answers, sorted out."""

    criteria: tuple[Any, ...]
    panels: tuple[str, ...]
    systems: tuple[str, ...]
    counted: tuple[Judgement, ...]  # in the order in which they were given, without what could not be judged
    aside: Mapping[str, int]
    planned: Mapping[str, int] = field(default_factory=dict)  # answers that count, by panel
    names: Mapping[str, str] = field(default_factory=dict)  # of systems
    subject: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # item and system of a text
    machines: frozenset[str] = frozenset()  # panels of machines
    declined: Mapping[str, frozenset[str]] = field(default_factory=dict)  # by judgement: what could not be judged
    missed: Mapping[str, Sequence[bool]] = field(default_factory=dict)  # by judge: whether each attention check was

    @property
    def judges(self) -> set[str]:
        """Who gave an answer that counts."""
        return {judgement.judge for judgement in self.counted}

    def of(self, panel: str) -> tuple[Judgement, ...]:
        """The answers of one panel."""
        return tuple(judgement for judgement in self.counted if judgement.panel == panel)

    def without(self, judges: Collection[str]) -> Self:
        """The same without some judges' answers; what is planned stays planned."""
        return replace(self, counted=tuple(judgement for judgement in self.counted if judgement.judge not in judges))


def sorted_out(
    frozen: Frozen, study: OutputStudy, criteria: tuple[Any, ...], judgements: Sequence[Judgement], panel: str | None
) -> tuple[Given, list[Judgement]]:
    """The answers of all panels, people before machines, or of the one that is named; and the answers with a role."""
    machines, authors = machines_of(frozen, study, judgements), study.authors
    known = (*(name for name in frozen.study.panels if name not in machines), *machines)
    if panel is not None and panel not in known:
        raise InputError(f"the study has no panel {panel!r}; it has {', '.join(map(repr, known))}")
    panels = known if panel is None else (panel,)
    given, extra, aside = _told_apart(frozen, judgements, panels)
    planned = {name: sum(slot.panel == name and not slot.role for slot in frozen.slots) for name in panels}
    found = Given(
        criteria=criteria,
        panels=panels,
        systems=tuple(authors),
        counted=tuple(map(judged, given)),
        aside=aside,
        planned=planned | {name: machines[name] for name in panels if name in machines},
        names={name: called or name for name, called in authors.items()},
        subject={text.id: (text.item, authors.get(text.subject) or text.subject) for text in frozen.texts},
        machines=frozenset(machines),
        declined=all_declined(given),
        missed=missed(frozen, study, extra, output_protocol(study).agrees),
    )
    return found, extra


def _told_apart(
    frozen: Frozen, judgements: Sequence[Judgement], panels: Sequence[str]
) -> tuple[list[Judgement], list[Judgement], dict[str, int]]:
    """Judgements that count, in the order in which they were given; those with a role; how many were set aside."""
    sorted_ = sort(judgements, frozen.study.surplus)
    current = [judgement for judgement in sorted_.standing if judgement.panel in panels or judgement.practice]
    current.sort(key=lambda one: (one.answered_at, one.id))
    for judgement in current:
        lost = next((text for text in judgement.texts if text not in frozen.text), None)
        if lost is not None:
            raise InputError(f"judgement {judgement.id!r} judges the text {lost!r}, which the study does not have")
    reasons = sorted_.reasons
    aside = dict.fromkeys(("practice", "warmup", "check", "degraded", "repeat", SURPLUS), 0)
    for judgement in current:
        if why := reasons[judgement.id]:
            aside["practice" if judgement.practice else why] += 1
    counted = [judgement for judgement in current if not reasons[judgement.id]]
    extra = [judgement for judgement in current if reasons[judgement.id] not in ("", SURPLUS)]
    return counted, extra, aside | {"corrected": sorted_.corrected}
