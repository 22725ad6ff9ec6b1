"""Machines in the analysis: which panels are theirs, and how far they agree with people.

A machine that judges n triads is one judge n times, not n judges. Its verdict therefore has the triad as its unit and
speaks of this machine and these texts; of readers it says nothing.

Agreement is looked at on the triads that both judged, in the same order on the screen. Beside the share of equal
choices (Clopper-Pearson) stand two values that chance would give: from how often each chose the three places, as in
Cohen's κ, and from how often each was right, if nothing but the odd text made them agree (who errs picks either other
text alike). Who is right more often is McNemar's question, by the exact sign test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats.discrimination.limits import limits
from nlgauge.stats.shares import sign_test
from nlgauge.study.freeze.frozen import machine_slots
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.triangle.analysis.plan import PanelPlan, Plan

if TYPE_CHECKING:
    from nlgauge.study.freeze.frozen import Frozen


@dataclass(frozen=True)
class MachineAgreement(Jsonable):
    """A machine beside a panel of people on the triads that both judged."""

    KEYS = "..., not judges"

    machine: str
    people: str
    n: int
    same: int
    estimate: float  # share of triads with the same choice
    low: float
    high: float
    level: float
    by_places: float  # what chance gives by how often each chose the three places
    by_correctness: float  # and by how often each was right
    kappa: float | None  # Cohen's, over the places; None where both always chose the same one
    both_right: int
    machine_only: int
    people_only: int
    neither: int
    p: float  # exact McNemar test: is one of them right more often?
    method: str
    judges: int  # people whose answers they are


def machine_panels(launched: Frozen, judgements: Sequence[Judgement]) -> tuple[PanelPlan, ...]:
    """The panels of machines that were set to a panel's triads after launch.

    A machine's slots carry names that follow from its panel's name, so an exported file shows them as well; answers of
    a panel that is neither planned nor such a copy are left to be refused.
    """
    strange: dict[str, Judgement] = {}
    for judgement in judgements:
        if judgement.panel not in launched.study.panels:
            strange.setdefault(judgement.panel, judgement)
    found = []
    for name, first in strange.items():
        for like in launched.study.panels:
            copied = machine_slots(launched, name, like)
            if any(slot.id == first.slot and slot.texts == first.texts for slot in copied):
                found.append(PanelPlan(name, 1, len(copied), machine=True))
                break
    return tuple(found)


def narrowed(plan: Plan, judgements: Sequence[Judgement], panel: str) -> tuple[Plan, tuple[Judgement, ...]]:
    """One panel only: the plan without the others, and not one of the others' answers."""
    names = [planned.name for planned in plan.panels]
    if panel not in names:
        raise InputError(f"there is no panel {panel!r} with answers; there are {', '.join(map(repr, names))}")
    return replace(plan, panels=(plan.panel(panel),)), tuple(own for own in judgements if own.panel == panel)


def agreements(
    plan: Plan, answers: Sequence[Judgement], people: Sequence[str], *, level: float = 0.95
) -> tuple[MachineAgreement, ...]:
    """Every machine beside every panel of people that judged the same triads."""
    found = []
    for machine in (panel.name for panel in plan.panels if panel.machine):
        # the evaluation that a machine's slot was copied from has the same number and texts
        own = {(answer.number, answer.texts): answer for answer in answers if answer.panel == machine}
        for panel in people:
            theirs = [answer for answer in answers if answer.panel == panel]
            pairs = [(match, answer) for answer in theirs if (match := own.get((answer.number, answer.texts)))]
            if pairs:
                found.append(agreement(machine, panel, pairs, level=level))
    return tuple(found)


def agreement(
    machine: str, people: str, pairs: Sequence[tuple[Judgement, Judgement]], *, level: float = 0.95
) -> MachineAgreement:
    """Pairs of a machine's and a person's judgement of the same triad."""
    n = len(pairs)
    ours, theirs = (Counter(judgement.answer for judgement in side) for side in zip(*pairs, strict=True))
    same = sum(machine.answer == person.answer for machine, person in pairs)
    low, high = limits(same, n, tail=(1 - level) / 2)
    right = [(machine.correct, person.correct) for machine, person in pairs]
    by_places = sum(ours[place] * theirs[place] for place in range(3)) / n**2
    first, second = (sum(column) / n for column in zip(*right, strict=True))
    machine_only, people_only = right.count((True, False)), right.count((False, True))
    return MachineAgreement(
        machine=machine,
        people=people,
        n=n,
        same=same,
        estimate=same / n,
        low=low,
        high=high,
        level=level,
        by_places=by_places,
        by_correctness=first * second + (1 - first) * (1 - second) / 2,
        kappa=None if by_places == 1 else (same / n - by_places) / (1 - by_places),
        both_right=right.count((True, True)),
        machine_only=machine_only,
        people_only=people_only,
        neither=right.count((False, False)),
        p=sign_test(machine_only, people_only),
        method="Clopper-Pearson interval over triads; exact McNemar test",
        judges=len({person.judge for _, person in pairs}),
    )
