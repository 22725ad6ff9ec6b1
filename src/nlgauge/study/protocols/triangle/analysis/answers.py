"""Which judgements count: practice never, surplus by the rule fixed at launch, corrections for what they correct."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from nlgauge.errors import InputError
from nlgauge.study.analysis.counting import sort
from nlgauge.study.model import TRIADS, Judgement
from nlgauge.study.protocols.triangle.analysis.plan import Plan


@dataclass(frozen=True)
class Answers:
    """The judgements that count, in the order in which they were given, and what was set aside."""

    counted: tuple[Judgement, ...]
    practice: tuple[Judgement, ...]
    surplus: tuple[Judgement, ...]  # left out by the plan's rule
    corrected: int  # judgements that a correction has replaced

    def without(self, judges: Collection[str]) -> Answers:
        """The same without some judges' answers."""
        return replace(self, counted=tuple(judgement for judgement in self.counted if judgement.judge not in judges))

    def of(self, panel: str) -> tuple[Judgement, ...]:
        """The answers of one panel."""
        return tuple(judgement for judgement in self.counted if judgement.panel == panel)


def select(judgements: Sequence[Judgement], plan: Plan) -> Answers:
    """Apply the rules. A judgement that cannot be right (no such triad, texts missing, a lost original) is refused."""
    _check(judgements)
    found = sort(judgements, plan.surplus)
    counted = sorted(found.counted, key=lambda one: (one.answered_at, one.id))
    for judgement in found.counted:
        plan.panel(judgement.panel)
    practice, surplus = (tuple(found.aside.get(why, ())) for why in ("practice", "surplus"))
    answers = Answers(tuple(counted), practice, surplus, found.corrected)
    _check_replication(answers, plan)
    return answers


def _check(judgements: Sequence[Judgement]) -> None:
    seen: set[str] = set()
    for judgement in judgements:
        where = f"judgement {judgement.id!r}"
        if judgement.id in seen:
            raise InputError(f"{where} occurs twice; an export holds each judgement once")
        seen.add(judgement.id)
        if judgement.role not in TRIADS:
            raise InputError(f"{where} has the triad {judgement.role!r}; expected one of {', '.join(TRIADS)}")
        texts, items = len(judgement.texts), len(judgement.items)
        if texts != 3 or items != 3:
            raise InputError(f"{where} names {texts} texts and {items} items; expected three each")
        if judgement.answer not in (0, 1, 2):
            raise InputError(f"{where} has the answer {judgement.answer!r}; expected the position chosen: 0, 1 or 2")
        if not judgement.answered_at >= judgement.shown_at:
            times = f"{judgement.answered_at} < {judgement.shown_at}"
            raise InputError(f"{where} was answered before it was shown ({times}); check its times")


def _check_replication(answers: Answers, plan: Plan) -> None:
    for panel in plan.people:
        times = Counter(judgement.judge for judgement in answers.of(panel.name))
        for judge, most in times.most_common(1):
            gave = f"judge {judge!r} of panel {panel.name!r} gave {most} answers that count"
            if plan.goal == "similarity" and most > 1:
                raise InputError(
                    f"{gave}, but a similarity test needs one answer from each judge: repeated answers are not "
                    "independent and could hide a difference"
                )
            if most > panel.replication:
                allowed = f"where the plan allows {panel.replication}"
                raise InputError(f"{gave}, {allowed}; mark the others as surplus, or plan for replication")
