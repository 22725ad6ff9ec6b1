"""The verdict while a study runs: refused for a fixed number of judges, allowed where the rule of stopping pays for it.

Reads and writes nothing: a plan and judgements come in (`live`), or a service that holds both (`live_verdict`). What is
shown are the answers up to the last planned look and nothing after it, however many more have come.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from nlgauge.study.model import Judgement
from nlgauge.study.protocols.triangle.analysis.answers import select
from nlgauge.study.protocols.triangle.analysis.looks import Stopped, follow, why_not_yet
from nlgauge.study.protocols.triangle.analysis.plan import Plan
from nlgauge.study.service import Service
from nlgauge.study.service.context import ADDED, added


@dataclass(frozen=True)
class LivePanel:
    """One panel of people: how many answers count, and what the rule says of them (None: there is no rule)."""

    name: str
    answers: int
    planned: int
    stopped: Stopped | None

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        rule = None if self.stopped is None else self.stopped.to_dict()
        return {"panel": self.name, "answers": self.answers, "planned": self.planned, "sequential": rule}


@dataclass(frozen=True)
class Live:
    """Whether the result may be looked at now, and if so what it is; `reason` says why not."""

    allowed: bool
    reason: str
    panels: tuple[LivePanel, ...]

    @property
    def stop(self) -> bool:
        """Whether the rule of every panel has ended: nobody more needs to be asked."""
        return self.allowed and all(one.stopped is not None and one.stopped.over for one in self.panels)

    @property
    def sentence(self) -> str:
        """The verdict, or why there is none."""
        if not self.allowed:
            return self.reason
        said = []
        for one in self.panels:
            if one.stopped is not None:
                head = f"Panel {one.name}: " if len(self.panels) > 1 else ""
                said.append(f"{head}{one.stopped.advice} {one.stopped.sentence}")
        return " ".join(said)

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "allowed": self.allowed,
            "stop": self.stop,
            "sentence": self.sentence,
            "panels": [one.to_dict() for one in self.panels] if self.allowed else [],
        }


def live(plan: Plan, judgements: Sequence[Judgement], stuck: Collection[str] = ()) -> Live:
    """Where a running study stands, as far as its plan allows to look; of panels `stuck` nobody is left to answer."""
    known = {panel.name for panel in plan.people}
    answers = select([one for one in judgements if one.panel in known], plan)
    panels = tuple(
        LivePanel(
            panel.name,
            len(answers.of(panel.name)),
            panel.answers,
            follow(plan, panel, answers.of(panel.name)),
        )
        for panel in plan.people
    )
    if plan.stopping.kind != "fixed":
        return Live(True, "", panels)
    reasons = (
        why_not_yet(plan, panel, one.answers, expected=panel.name not in stuck)
        for panel, one in zip(plan.people, panels, strict=True)
    )
    reason = next((text for text in reasons if text), "")
    return Live(False, reason or "the answers are complete: analyse the study (nlgauge study analyse)", panels)


def live_verdict(service: Service) -> Live:
    """The same for a launched study."""
    if service.study.protocol != "triangle":
        return Live(False, _fixed(service), ())
    more = added(service.events(ADDED))
    plan = Plan.of_study(service.study, closed=service.status == "closed", added=more)
    return live(plan, service.judgements(), service.progress.used_up())


def _fixed(service: Service) -> str:
    done, planned = service.progress.planned_answers()
    if done < planned and service.status != "closed":
        return f"{done:,} of {planned:,} planned answers are there; the study is analysed when it is complete"
    return "the answers are complete: analyse the study (nlgauge study analyse)"
