"""The whole analysis as one frozen value, and who stands behind the answers; the words are made in `report.study`.

Whoever does not pass the practice is not asked, so a panel that was screened speaks of people who pass: p_d is their
share, not that of everybody who came. Leaving is no accident either; a reader must see how many are missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from nlgauge.jsonable import Jsonable
from nlgauge.study.analysis.sample import Sample
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.triangle.analysis.biases import Check, Haste
from nlgauge.study.protocols.triangle.analysis.machines import MachineAgreement
from nlgauge.study.protocols.triangle.analysis.panels import Panels
from nlgauge.study.protocols.triangle.analysis.plan import Plan
from nlgauge.study.protocols.triangle.analysis.texts import ItemEffects, Reasons
from nlgauge.study.protocols.triangle.analysis.verdict import Exclusion, Verdict
from nlgauge.study.protocols.triangle.file import TriangleStudy


@dataclass(frozen=True)
class Turnout(Jsonable):
    """What became of the judges of one panel; the stages exclude each other and add up to `registered`."""

    panel: str
    planned: int
    registered: int
    in_progress: int
    finished: int
    failed: int  # the practice
    withdrawn: int  # declined to take part, or left
    forgotten: int  # on request or after the retention period, whatever they had done before


@dataclass(frozen=True)
class Attendance:
    """The turnout of every panel of people (none: the answers come from a file) and the rule of screening."""

    panels: tuple[Turnout, ...] = ()
    required: int = 0  # correct practice answers without which nobody goes on
    practice: int = 0  # practice triads
    known: bool = False
    unknown: Literal["", "exported", "imported"] = ""  # why the numbers leave out those who never answered
    samples: tuple[Sample, ...] = ()  # what the judges said about themselves, where they were asked

    def of(self, plan: Plan) -> Attendance:
        """Of the plan's panels alone."""
        names = {panel.name for panel in plan.people}
        return replace(
            self,
            panels=tuple(turnout for turnout in self.panels if turnout.panel in names),
            samples=tuple(sample for sample in self.samples if sample.panel in names),
        )

    @property
    def screened(self) -> bool:
        """Whether practice kept judges from going on."""
        return bool(self.required) and not (self.known and not self.panels)


@dataclass(frozen=True)
class Missing:
    """A planned panel without answers, or with fewer than planned in a study that was closed early."""

    panel: str
    machine: bool
    planned: int
    answers: int


@dataclass(frozen=True)
class StudyResult:
    """The analysis of a study with the triangle protocol. `n` counts the answers behind the verdicts on people."""

    plan: Plan
    verdicts: tuple[Verdict, ...]
    panels: Panels | None
    checks: tuple[Check, ...]
    haste: Haste | None
    items: ItemEffects | None
    reasons: Reasons | None
    practice: int  # judgements set aside
    surplus: int
    corrected: int
    study: str
    digest: str  # of the judgements analysed
    seed: int
    remarks: tuple[str, ...] = ()
    missing: tuple[Missing, ...] = ()
    machines: tuple[MachineAgreement, ...] = ()  # each beside the people who judged the same triads
    attendance: Attendance | None = None  # None: nothing is known of the judges but their answers
    exclusions: tuple[Exclusion, ...] = ()  # panels with and without the judges who are left out
    course: tuple[bool, ...] = ()  # correct or not, in the order in which people answered
    file: TriangleStudy | None = None  # the study file, where it is at hand
    simulated: bool = False  # the judges were
    erased: str = ""  # answers that were erased at the judges' request

    @property
    def goal(self) -> str:
        """What the study was to show."""
        return self.plan.goal

    @property
    def n(self) -> int:
        """Answers that count, by people (by machines where there are no people)."""
        people = [verdict.answers for verdict in self.verdicts if not verdict.machine]
        return sum(people) if people else sum(verdict.answers for verdict in self.verdicts)

    @property
    def leading(self) -> Verdict:
        """The verdict of the first panel of people."""
        return next((verdict for verdict in self.verdicts if not verdict.machine), self.verdicts[0])

    @property
    def concluded(self) -> bool:
        """Whether the goal was reached: by the one panel, or by the panels of people together."""
        if self.panels is not None and self.panels.together is not None and self.plan.stopping.kind == "fixed":
            return self.panels.together.concluded
        people = [verdict for verdict in self.verdicts if not verdict.machine] or list(self.verdicts)
        return all(verdict.concluded for verdict in people)

    @property
    def going_on(self) -> bool:
        """Whether a rule of stopping waits for more answers."""
        return any(verdict.stopped is not None and not verdict.stopped.over for verdict in self.verdicts)


def turnouts(plan: Plan, counts: Mapping[str, Mapping[str, int]]) -> tuple[Turnout, ...]:
    """From the judges of each panel by stage."""
    return tuple(
        Turnout(panel.name, panel.judges, **counts[panel.name]) for panel in plan.people if panel.name in counts
    )


def missing(plan: Plan, answers: Mapping[str, Sequence[Judgement]]) -> tuple[Missing, ...]:
    """Planned panels without answers, and those with fewer than planned in a study that was closed early."""
    fixed = plan.stopping.kind == "fixed"
    if not fixed and not plan.closed:
        return ()  # still to come
    found = [Missing(panel.name, panel.machine, panel.answers, len(answers[panel.name])) for panel in plan.panels]
    return tuple(
        panel
        for panel in found
        if not panel.answers or (plan.closed and fixed and panel.answers < panel.planned and not panel.machine)
    )
