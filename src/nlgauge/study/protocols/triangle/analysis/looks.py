"""When a study may be looked at, and what a sequential plan says so far.

A test with a fixed number of judges is made once, when the planned number has answered: looking earlier and stopping
when one likes what one sees multiplies the risk. A plan with looks (Lan and DeMets) or Wald's test has paid for its
looks in advance. Each panel follows the rule by itself, over its answers in the order in which they were completed;
what comes after the rule has ended is kept, and is no part of the test.

Wald's bounds may run risks a little above those stated (at most α / (1 − β)); then they are computed for smaller ones,
until the risks really run, with the end after the planned answers, are at most those stated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from nlgauge.jsonable import Jsonable
from nlgauge.stats.discrimination.sequential import GroupSequential, Sequential, group_sequential, sequential
from nlgauge.stats.discrimination.stagewise import Adjusted, adjusted
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.triangle.analysis.plan import PanelPlan, Plan

TIGHTER = 0.9  # by which Wald's nominal risks shrink where the real ones exceed what was stated


@dataclass(frozen=True)
class Stopped(Jsonable):
    """Where a sequential test stands. `state` is difference, similarity, undecided or continue."""

    KEYS = "rule, state, used, correct, next_look"

    rule: str  # wald or looks
    state: str
    used: int  # answers that the rule has looked at
    correct: int
    given: int  # answers that are there
    goal: str
    p_d: float  # as planned
    next_look: int | None = None
    critical: int | None = None  # of the look that ended it: correct answers that conclude
    risks: tuple[float, ...] = ()  # really run: α and β of Wald's test, or the one of all looks
    stated: float = 0.0  # the risk that the looks may run at most
    most: int = 0  # answers of Wald's test
    bounds: tuple[int, int] = (0, 0)  # correct answers at which the next one would conclude similarity, a difference
    closed: bool = False  # whether the study was closed before the rule had come to a conclusion

    @property
    def over(self) -> bool:
        """Whether the rule has come to an end."""
        return self.state != "continue"


def why_not_yet(plan: Plan, panel: PanelPlan, answers: int, *, expected: bool = True) -> str:
    """Why a fixed-n test may not be looked at; nothing where it may. `expected`: somebody is left to answer."""
    if plan.stopping.kind != "fixed" or plan.closed or answers >= panel.answers:
        return ""
    return (
        f"panel {panel.name!r} has {answers:,} of {panel.answers:,} planned answers: a test with a fixed number "
        "may be looked at only when it is complete, because stopping or going on in view of the result multiplies the "
        f"risk of a wrong conclusion; {'wait for the rest' if expected else 'ask more judges'}, close the study for "
        "good (nlgauge study close) and analyse it as it is, or plan looks (sequential) before launch"
    )


def rule_of(plan: Plan, panel: PanelPlan) -> Sequential | GroupSequential | None:
    """The rule of stopping with its counts; None for a fixed number."""
    if plan.stopping.kind == "fixed":
        return None
    if plan.stopping.kind == "wald":
        most = min(panel.answers, plan.stopping.most or panel.answers)
        return _wald_rule(plan.alpha, plan.beta, plan.p_d, most)
    return group_sequential(plan.stopping.looks, plan.risk, plan.p_d, goal=plan.goal, spending=plan.stopping.spending)


@lru_cache(maxsize=64)
def _wald_rule(alpha: float, beta: float, p_d: float, most: int) -> Sequential:
    nominal_alpha, nominal_beta = alpha, beta
    while True:
        rule = sequential(nominal_alpha, nominal_beta, p_d, most=most)
        if rule.null.difference > alpha:
            nominal_alpha *= TIGHTER
        elif rule.alternative.similarity > beta:
            nominal_beta *= TIGHTER
        else:
            return rule


def follow(plan: Plan, panel: PanelPlan, answers: Sequence[Judgement]) -> Stopped | None:
    """What the sequential plan says of the answers in the order in which they came; None for a fixed number."""
    rule = rule_of(plan, panel)
    if rule is None:
        return None
    right = [judgement.correct for judgement in answers]
    found = _wald(plan, rule, right) if isinstance(rule, Sequential) else _looks(plan, rule, right)
    if found.over or not plan.closed:
        return found
    return replace(found, state="undecided", used=len(right), correct=sum(right), next_look=None, closed=True)


def in_view_of_looks(plan: Plan, panel: PanelPlan, stopped: Stopped) -> Adjusted | None:
    """p and limits that allow for the looks; None for a fixed number, or without answers."""
    rule = rule_of(plan, panel)
    if rule is None or stopped.used == 0:
        return None
    return adjusted(rule, stopped.correct, stopped.used, risk=plan.risk, p_d=plan.p_d)


def _wald(plan: Plan, rule: Sequential, right: list[bool]) -> Stopped:
    state, used = rule.follow(right) if right else ("continue", 0)
    return replace(
        _stopped(plan, "wald", state, used, right),
        risks=(rule.null.difference, rule.alternative.similarity),
        most=rule.most or 0,
        bounds=rule.bounds(used + 1) if state == "continue" else (0, 0),
    )


def _looks(plan: Plan, rule: GroupSequential, right: list[bool]) -> Stopped:
    used, state, critical, coming = 0, "undecided", None, None
    for look in rule.looks:
        if len(right) < look.judges:
            state, coming = "continue", look.judges
            break
        used, correct = look.judges, sum(right[: look.judges])
        if look.critical is not None and (
            correct >= look.critical if plan.goal == "difference" else correct <= look.critical
        ):
            state, critical = plan.goal, look.critical
            break
    found, risks = _stopped(plan, "looks", state, used, right), (rule.looks[-1].spent,)
    return replace(found, next_look=coming, critical=critical, risks=risks, stated=plan.risk)


def _stopped(plan: Plan, rule: str, state: str, used: int, right: list[bool]) -> Stopped:
    return Stopped(rule, state, used, sum(right[:used]), len(right), plan.goal, p_d=plan.p_d)
