"""The whole analysis as one frozen value: verdicts, what limits them, and the sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nlgauge.study.protocols.triangle.analysis.biases import Check
from nlgauge.study.protocols.triangle.analysis.exclusions import Exclusion
from nlgauge.study.protocols.triangle.analysis.haste import Haste
from nlgauge.study.protocols.triangle.analysis.items import ItemEffects
from nlgauge.study.protocols.triangle.analysis.machines import MachineAgreement
from nlgauge.study.protocols.triangle.analysis.panels import Panels
from nlgauge.study.protocols.triangle.analysis.plan import Plan
from nlgauge.study.protocols.triangle.analysis.reasons import Reasons
from nlgauge.study.protocols.triangle.analysis.turnout import Attendance
from nlgauge.study.protocols.triangle.analysis.verdict import Verdict


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
    machines: tuple[MachineAgreement, ...] = ()  # each beside the people who judged the same triads
    attendance: Attendance | None = None  # None: nothing is known of the judges but their answers
    method: str = ""  # participants and method in words, where the study file is at hand
    exclusions: tuple[Exclusion, ...] = ()  # panels with and without the judges who are left out
    course: tuple[bool, ...] = ()  # correct or not, in the order in which people answered

    @property
    def goal(self) -> str:
        """What the study was to show."""
        return self.plan.goal

    @property
    def n(self) -> int:
        """Answers that count, by people (by machines where there are no people)."""
        people = [one.answers for one in self.verdicts if not one.machine]
        return sum(people) if people else sum(one.answers for one in self.verdicts)

    @property
    def leading(self) -> Verdict:
        """The verdict of the first panel of people."""
        return next((one for one in self.verdicts if not one.machine), self.verdicts[0])

    @property
    def concluded(self) -> bool:
        """Whether the goal was reached: by the one panel, or by the panels of people together."""
        if self.panels is not None and self.panels.together is not None and self.plan.stopping.kind == "fixed":
            return self.panels.together.concluded
        people = [one for one in self.verdicts if not one.machine] or list(self.verdicts)
        return all(one.concluded for one in people)

    @property
    def sentences(self) -> tuple[tuple[str, str], ...]:
        """Sentences to paste, each under a heading."""
        several = len(self.verdicts) > 1
        parts = [
            (
                f"Verdict of the {'machine' if one.machine else 'panel'} {one.panel}" if several else "Verdict",
                one.sentence,
            )
            for one in self.verdicts
        ]
        parts += [
            (f"Sensitivity of the panel {one.panel}" if several else "Sensitivity", one.sensitivity)
            for one in self.verdicts
        ]
        if self.panels is not None:
            parts.append(("Panels", self.panels.sentence))
        if self.attendance is not None and self.attendance.panels:
            parts.append(("Judges", " ".join(one.sentence for one in self.attendance.panels)))
        parts += [(f"Exclusions: {one.panel}" if several else "Exclusions", one.sentence) for one in self.exclusions]
        parts += [(f"The machine {one.machine} beside {one.people}", one.sentence) for one in self.machines]
        if self.haste is not None:
            parts.append(("Times", self.haste.sentence))
        parts += [(one.question, one.sentence) for one in self.checks if one.p is not None]
        if self.items is not None:
            parts.append(("Texts", self.items.sentence))
        if self.reasons is not None:
            parts.append(("Reasons", self.reasons.sentence))
        return tuple((heading, text) for heading, text in parts if text)

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        said = [
            f"{f'Panel {one.panel}: ' if len(self.verdicts) > 1 and not one.machine else ''}{one.sentence}"
            for one in self.verdicts
        ]
        if self.panels is not None:
            said.append(self.panels.sentence)
        return " ".join(said)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the reader must know before believing the verdict."""
        notes: list[str] = list(self.remarks)
        if self.attendance is not None and self.attendance.screening:
            notes.append(self.attendance.screening)
        for one in self.verdicts:
            head = f"panel {one.panel}: " if len(self.verdicts) > 1 else ""
            notes += [head + note for note in one.notes]
            if one.test is not None and one.test.study.name == "exploratory":
                notes.append(f"{head}exploratory: {one.test.study.reason}")
            if one.scope is not None and one.scope.few:
                notes.append(f"{head}few texts: the conclusion is limited to the {one.scope.texts:,} texts shown")
        if self.panels is not None:
            notes += self.panels.notes
        notes += [
            f"panel {one.panel}: the conclusion changes with the judges who are left out; report both"
            for one in self.exclusions
            if not one.same
        ]
        notes += [f"{one.machine} beside {one.people}: {note}" for one in self.machines for note in one.notes]
        notes += [one.sentence for one in self.checks if one.found]
        if self.items is not None and self.items.odd:
            notes.append(f"{len(self.items.odd)} texts are odd whoever wrote them; see the table of texts")
        if self.haste is not None and self.haste.fast_judges:
            notes.append(self.haste.warning)
        if self.reasons is not None and self.reasons.lost_marks:
            notes.append(f"{self.reasons.lost_marks:,} marks lie outside the texts at hand and were left out")
        return tuple(dict.fromkeys(notes))

    @property
    def going_on(self) -> bool:
        """Whether a rule of stopping waits for more answers."""
        return any(one.stopped is not None and not one.stopped.over for one in self.verdicts)

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form of `study analyse`."""
        return {
            "protocol": self.plan.protocol,
            "goal": self.goal,
            "n": self.n,
            "result": self.leading.to_dict() | {"concluded": self.concluded},
            "sentence": self.sentence,
            "warnings": list(self.warnings),
            "study": self.study,
            "plan": self.plan.to_dict(),
            "verdicts": [one.to_dict() for one in self.verdicts],
            "panels": None if self.panels is None else self.panels.to_dict(),
            "judges": None if self.attendance is None else self.attendance.to_dict(),
            "machines": [one.to_dict() for one in self.machines],
            "excluded": {name: why for one in self.exclusions for name, why in one.left_out.items()},
            "with_and_without": [one.to_dict() for one in self.exclusions],
            "checks": [one.to_dict() for one in self.checks],
            "times": None if self.haste is None else self.haste.to_dict(),
            "texts": None if self.items is None else self.items.to_dict(),
            "reasons": None if self.reasons is None else self.reasons.to_dict(),
            "set_aside": {"practice": self.practice, "surplus": self.surplus, "corrected": self.corrected},
            "method": self.method,
            "digest": self.digest,
            "seed": self.seed,
        }
