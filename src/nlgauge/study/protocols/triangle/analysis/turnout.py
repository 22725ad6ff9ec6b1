"""Who stands behind the answers, panel by panel, and who does not: failed, left, were forgotten, never came.

Whoever does not pass the practice is not asked, so a panel that was screened speaks of people who pass: p_d is their
share, not that of everybody who came. Leaving is no accident either; a reader must see how many are missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nlgauge.stats.discrimination.wording import people
from nlgauge.study.analysis.sample import Sample
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.triangle.analysis.plan import PanelPlan, Plan

UNKNOWN = (
    "an exported file holds answers alone: how many judges registered, declined or left without answering is known to "
    "the study's database only"
)

IMPORTED = "judges were imported with their answers: those who registered and never answered are not counted among them"


@dataclass(frozen=True)
class Turnout:
    """What became of the judges of one panel; the stages exclude each other and add up to `registered`."""

    panel: str
    planned: int
    registered: int
    in_progress: int
    finished: int
    failed: int  # the practice
    withdrawn: int  # declined to take part, or left
    forgotten: int  # on request or after the retention period, whatever they had done before

    @property
    def sentence(self) -> str:
        """In words, for the section on participants."""
        erased = f"{self.forgotten:,} {'was' if self.forgotten == 1 else 'were'} forgotten"
        return (
            f"Panel {self.panel}: {people(self.registered)} registered ({self.planned:,} planned): {self.finished:,} "
            f"finished, {self.failed:,} failed the practice, {self.withdrawn:,} declined or withdrew, "
            f"{erased}, {self.in_progress:,} did not come to an end."
        )

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return vars(self) | {"sentence": self.sentence}


@dataclass(frozen=True)
class Attendance:
    """The turnout of every panel of people (none: the answers come from a file) and the rule of screening."""

    panels: tuple[Turnout, ...] = ()
    required: int = 0  # correct practice answers without which nobody goes on
    practice: int = 0  # practice triads
    known: bool = False
    note: str = ""  # what the numbers leave out
    samples: tuple[Sample, ...] = ()  # what the judges said about themselves, where they were asked

    def of(self, plan: Plan) -> Attendance:
        """Of the plan's panels alone."""
        names = {panel.name for panel in plan.people}
        return replace(
            self,
            panels=tuple(one for one in self.panels if one.panel in names),
            samples=tuple(one for one in self.samples if one.panel in names),
        )

    @property
    def screening(self) -> str:
        """What the practice keeps the conclusion from."""
        if not self.required or (self.known and not self.panels):
            return ""
        failed = sum(one.failed for one in self.panels)
        who = f"{people(failed)} who had" if self.known else "judges who had"
        return (
            f"screened by practice: {who} fewer than {self.required} of {self.practice} practice triads right were not "
            "asked further; p_d is the share among those who pass, and the conclusion is limited to them"
        )

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "panels": [one.to_dict() for one in self.panels] if self.known else None,
            "practice": self.practice,
            "required": self.required,
            "screening": self.screening or None,
            "note": self.note or None,
            "sample": [one.to_dict() for one in self.samples] if self.known else None,
        }


def turnouts(plan: Plan, counts: Mapping[str, Mapping[str, int]]) -> tuple[Turnout, ...]:
    """From the judges of each panel by stage."""
    return tuple(
        Turnout(panel.name, panel.judges, **counts[panel.name]) for panel in plan.people if panel.name in counts
    )


def missing(plan: Plan, answers: Mapping[str, Sequence[Judgement]]) -> tuple[str, ...]:
    """Planned panels without answers, and those with fewer than planned in a study that was closed early."""
    return tuple(note for panel in plan.panels if (note := _missing(plan, panel, len(answers[panel.name]))))


def _missing(plan: Plan, panel: PanelPlan, number: int) -> str:
    what = "machine" if panel.machine else "panel"
    if plan.stopping.kind != "fixed" and not plan.closed:
        return ""  # still to come
    if not number:
        return (
            f"the {what} {panel.name} was planned with {panel.answers:,} answers and has none: nothing is said about "
            "it, and the verdict leaves it out"
        )
    if plan.closed and plan.stopping.kind == "fixed" and number < panel.answers and not panel.machine:
        return f"the panel {panel.name} has {number:,} of the {panel.answers:,} answers that were planned"
    return ""
