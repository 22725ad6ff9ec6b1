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
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from nlgauge.errors import InputError
from nlgauge.stats.discrimination.sequential import GroupSequential, Sequential, group_sequential, sequential
from nlgauge.stats.discrimination.stagewise import Adjusted, adjusted
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.triangle.analysis.plan import PanelPlan, Plan

ADVICE = {
    "difference": "Stop now: a difference is concluded.",
    "similarity": "Stop now: similarity is concluded.",
    "undecided": "Stop now: the last planned answer is there, and nothing is concluded.",
    "continue": "Go on.",
}
TIGHTER = 0.9  # by which Wald's nominal risks shrink where the real ones exceed what was stated


@dataclass(frozen=True)
class Stopped:
    """Where a sequential test stands. `state` is difference, similarity, undecided or continue."""

    rule: str
    state: str
    used: int  # answers that the rule has looked at
    correct: int
    next_look: int | None
    sentence: str

    @property
    def over(self) -> bool:
        """Whether the rule has come to an end."""
        return self.state != "continue"

    @property
    def advice(self) -> str:
        """What to do now."""
        return ADVICE[self.state]

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return vars(self) | {"advice": self.advice}


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


def refuse_peeking(plan: Plan, panel: PanelPlan, answers: Sequence[Judgement]) -> None:
    """A fixed-n test is refused until the planned answers are there, or the study was closed."""
    reason = why_not_yet(plan, panel, len(answers))
    if reason:
        raise InputError(reason)


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
    right = [one.correct for one in answers]
    found = _wald(plan, rule, right) if isinstance(rule, Sequential) else _looks(plan, rule, right)
    if found.over or not plan.closed:
        return found
    return Stopped(
        found.rule,
        "undecided",
        len(right),
        sum(right),
        None,
        f"The study was closed after {len(right):,} answers, before its rule of stopping had come to a conclusion.",
    )


def in_view_of_looks(plan: Plan, panel: PanelPlan, stopped: Stopped) -> Adjusted | None:
    """p and limits that allow for the looks; None for a fixed number, or without answers."""
    rule = rule_of(plan, panel)
    if rule is None or stopped.used == 0:
        return None
    return adjusted(rule, stopped.correct, stopped.used, risk=plan.risk, p_d=plan.p_d)


def _wald(plan: Plan, rule: Sequential, right: list[bool]) -> Stopped:
    state, used = rule.follow(right) if right else ("continue", 0)
    correct = sum(right[:used])
    heads = {
        "difference": "Wald's sequential test ended with a difference",
        "similarity": f"Wald's sequential test ended with similarity (p_d below {100 * plan.p_d:g} %)",
        "undecided": "Wald's sequential test ended undecided, with neither conclusion, at the last planned answer,",
        "continue": "Wald's sequential test goes on",
    }
    sentence = (
        f"{heads[state]} after {used:,} answers, {correct:,} of them correct (risks really run: "
        f"α = {rule.null.difference:.4f}, β = {rule.alternative.similarity:.4f}; at most {rule.most:,} answers)."
    )
    if state == "continue":
        low, high = rule.bounds(used + 1)
        ends = [
            f"{what} at {count:,} or {more} correct"
            for what, count, more, possible in (
                ("a difference", high, "more", high <= used + 1),
                ("similarity", low, "fewer", low >= 0),
            )
            if possible
        ]
        end = " and ".join(ends) if ends else "nothing yet"
        sentence += f" The next answer, number {used + 1:,}, would conclude {end}."
    return Stopped("wald", state, used, correct, None, sentence + _later(len(right) - used))


def _later(number: int) -> str:
    return f" The {number:,} answers that came after it are not part of the test." if number else ""


def _looks(plan: Plan, rule: GroupSequential, right: list[bool]) -> Stopped:
    used = correct = 0
    for look in rule.looks:
        if len(right) < look.judges:
            break
        used, correct = look.judges, sum(right[: look.judges])
        if look.critical is not None and (
            correct >= look.critical if plan.goal == "difference" else correct <= look.critical
        ):
            at_least = "at least" if plan.goal == "difference" else "at most"
            return Stopped(
                "looks",
                plan.goal,
                used,
                correct,
                None,
                f"The planned look after {used:,} answers found {correct:,} correct, where {at_least} "
                f"{look.critical:,} conclude {'a difference' if plan.goal == 'difference' else 'similarity'}; the "
                f"looks together run a risk of {rule.looks[-1].spent:.4f} (at most {plan.risk:g})."
                + _later(len(right) - used),
            )
    coming = next((look.judges for look in rule.looks if look.judges > len(right)), None)
    if coming is None:
        return Stopped(
            "looks",
            "undecided",
            used,
            correct,
            None,
            f"At the last planned look, after {used:,} answers, {correct:,} were correct, which does not conclude "
            f"{'a difference' if plan.goal == 'difference' else 'similarity'} (risk at most {plan.risk:g})."
            + _later(len(right) - used),
        )
    seen = f"The look after {used:,} answers ({correct:,} correct) did not end the study" if used else "No look yet"
    return Stopped(
        "looks",
        "continue",
        used,
        correct,
        coming,
        f"{seen}; {len(right):,} answers are there, the next planned look is after {coming:,}.",
    )
