"""What was fixed at launch and binds the analysis: goal, risks, panels, use of surplus answers, rule of stopping."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats.discrimination import checks
from nlgauge.stats.discrimination.sequential import SPENDING

if TYPE_CHECKING:
    from nlgauge.study.file.study import Study, Subject
    from nlgauge.study.protocols.triangle.file import TriangleStudy

SURPLUS = ("exclude", "include")
STOPPING = ("fixed", "wald", "looks")
WORDS_PER_MINUTE = 600.0  # nobody reads three texts attentively at this speed; skimming begins at about 400


@dataclass(frozen=True)
class PanelPlan(Jsonable):
    """One panel: how many judges, how many answers of each; machines are kept apart from people."""

    KEYS = "..., answers"

    name: str
    judges: int
    replication: int = 1
    machine: bool = False

    @property
    def answers(self) -> int:
        """Answers planned."""
        return self.judges * self.replication


@dataclass(frozen=True)
class Stopping(Jsonable):
    """When the study may be looked at: once at the end (`fixed`), after every answer (`wald`), or at planned looks.

    The numbers of `looks` and `most` are answers of one panel; Wald's test ends with the panel's planned answers at the
    latest, or after `most` where that is fewer.
    """

    kind: str = "fixed"
    looks: tuple[int, ...] = ()
    spending: str = "obrien-fleming"
    most: int | None = None


@dataclass(frozen=True)
class Plan(Jsonable):
    """The plan of a triangle study as its analysis needs it. `closed`: no more answers will come."""

    KEYS = "goal, alpha, beta, p_d, panels, surplus, stopping, closed"

    goal: str
    alpha: float
    beta: float
    p_d: float
    panels: tuple[PanelPlan, ...]
    surplus: str = "exclude"
    stopping: Stopping = field(default_factory=Stopping)
    closed: bool = False
    title: str = ""
    subjects: Mapping[str, str] = field(default_factory=lambda: {"A": "A", "B": "B"})
    too_fast: float = 3.0  # seconds
    words_per_minute: float = WORDS_PER_MINUTE
    protocol: str = "triangle"

    def __post_init__(self) -> None:
        checks.goal(self.goal)
        for name in ("alpha", "beta"):
            checks.risk(getattr(self, name), name)
        checks.share(self.p_d)
        checks.one_of(self.surplus, SURPLUS, "rule for surplus answers")
        checks.one_of(self.stopping.kind, STOPPING, "rule of stopping")
        checks.one_of(self.stopping.spending, SPENDING, "spending function")
        if not self.panels:
            raise InputError("the plan names no panel; give at least one with its number of judges")
        if len({panel.name for panel in self.panels}) < len(self.panels):
            raise InputError("two panels of the plan have the same name; give each its own")
        for panel in self.panels:
            checks.judges(panel.judges, f"the number of judges of panel {panel.name!r}")
            checks.judges(panel.replication, f"the answers per judge of panel {panel.name!r}")
            if panel.replication > 1 and self.goal == "similarity" and not panel.machine:
                raise InputError(
                    f"panel {panel.name!r} plans {panel.replication} answers of each judge, but a similarity test "
                    "needs one answer from each: repeated answers are not independent and could hide a difference; ask "
                    "more judges, or test for a difference"
                )
        if self.stopping.kind == "looks" and not self.stopping.looks:
            raise InputError("a plan with looks must say after how many answers they are, for example 24, 48, 72")

    @property
    def risk(self) -> float:
        """The risk of the wrong conclusion that the test itself bounds: α for a difference, β for similarity."""
        return self.alpha if self.goal == "difference" else self.beta

    @property
    def people(self) -> tuple[PanelPlan, ...]:
        """The panels of people."""
        return tuple(panel for panel in self.panels if not panel.machine)

    @classmethod
    def of_study(cls, study: Study, *, closed: bool = False, added: Mapping[str, int] | None = None) -> Plan:
        """The plan in a study file, which must be a triangle test's, with judges `added` to panels since the launch."""
        from nlgauge.study.protocols.triangle.file import triangle_study

        study = triangle_study(study)
        return cls(
            goal=study.goal,
            alpha=study.risks.alpha,
            beta=study.risks.beta,
            p_d=study.risks.p_d,
            panels=tuple(
                PanelPlan(name, 1, panel.judges * panel.evaluations, machine=True)
                if panel.kind == "machine"
                else PanelPlan(name, panel.judges + (added or {}).get(name, 0), panel.evaluations)
                for name, panel in study.panels.items()
            ),
            surplus=study.surplus,
            stopping=_stopping(study),
            closed=closed,
            title=study.called,
            subjects={key: _name(key, subject) for key, subject in study.subjects.items()},
            too_fast=study.too_fast,
        )

    def panel(self, name: str) -> PanelPlan:
        """The panel of that name."""
        for panel in self.panels:
            if panel.name == name:
                return panel
        raise InputError(
            f"there are answers of a panel {name!r} that the plan does not name; it names "
            f"{', '.join(repr(panel.name) for panel in self.panels)}"
        )


def _stopping(study: TriangleStudy) -> Stopping:
    rule = study.sequential
    if rule is None:
        return Stopping()
    return Stopping("wald") if rule.plan == "wald" else Stopping("looks", rule.looks, rule.spending)


def _name(key: str, subject: Subject) -> str:
    return subject.name or subject.system or (_reference(subject.reference) if subject.reference else key)


def _reference(number: int) -> str:
    return "references" if number == 1 else f"references {number}"
