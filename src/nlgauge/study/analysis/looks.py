"""When a study may be looked at, and what a sequential plan says so far.

A test with a fixed number of judges is made once, when the planned number has answered: looking earlier and stopping
when one likes what one sees multiplies the risk. A plan with looks (Lan and DeMets) or Wald's test has paid for its
looks in advance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nlgauge.errors import InputError
from nlgauge.stats.discrimination.sequential import group_sequential, sequential
from nlgauge.study.analysis.plan import PanelPlan, Plan
from nlgauge.study.types import Judgement


@dataclass(frozen=True)
class Stopped:
    """Where a sequential test stands. `state` is difference, similarity, continue, futile or undecided."""

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

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return dict(vars(self))


def refuse_peeking(plan: Plan, panel: PanelPlan, answers: Sequence[Judgement]) -> None:
    """A fixed-n test is refused until the planned answers are there, or the study was closed."""
    missing = panel.answers - len(answers)
    if plan.stopping.kind != "fixed" or plan.closed or missing <= 0:
        return
    raise InputError(
        f"panel {panel.name!r} has {len(answers):,} of {panel.answers:,} planned answers: a test with a fixed number "
        "may be looked at only when it is complete, because stopping or going on in view of the result multiplies the "
        "risk of a wrong conclusion; wait for the rest, close the study for good and analyse it as it is (--closed), "
        "or plan looks (sequential) before launch"
    )


def follow(plan: Plan, answers: Sequence[Judgement]) -> Stopped | None:
    """What the sequential plan says of the answers in the order in which they came; None for a fixed number."""
    if plan.stopping.kind == "fixed":
        return None
    right = [one.correct for one in answers]
    found = _wald(plan, right) if plan.stopping.kind == "wald" else _looks(plan, right)
    if found.over or not plan.closed:
        return found
    return Stopped(
        found.rule, "undecided", len(right), sum(right), None,
        f"The study was closed after {len(right):,} answers, before its rule of stopping had come to a conclusion.",
    )  # fmt: skip


def _wald(plan: Plan, right: list[bool]) -> Stopped:
    rule = sequential(plan.alpha, plan.beta, plan.p_d, most=plan.stopping.most)
    state, used = rule.follow(right) if right else ("continue", 0)
    correct = sum(right[:used])
    heads = {
        "difference": "Wald's sequential test ended with a difference",
        "similarity": f"Wald's sequential test ended with similarity (p_d below {100 * plan.p_d:g} %)",
        "undecided": "Wald's sequential test ended undecided at its largest number of answers",
        "continue": "Wald's sequential test goes on",
    }
    sentence = (
        f"{heads[state]} after {used:,} answers, {correct:,} of them correct (α = {rule.null.difference:.4f} and "
        f"β = {rule.alternative.similarity:.4f} really run)."
    )
    if used < len(right):
        sentence += f" The {len(right) - used:,} answers that came after it are not part of the test."
    return Stopped("wald", state, used, correct, None, sentence)


def _looks(plan: Plan, right: list[bool]) -> Stopped:
    rule = group_sequential(
        plan.stopping.looks, plan.risk, plan.p_d, goal=plan.goal, spending=plan.stopping.spending
    )
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
                "looks", plan.goal, used, correct, None,
                f"The planned look after {used:,} answers found {correct:,} correct, where {at_least} "
                f"{look.critical:,} conclude {'a difference' if plan.goal == 'difference' else 'similarity'}; the "
                f"looks together run a risk of {rule.looks[-1].spent:.4f} (at most {plan.risk:g}).",
            )  # fmt: skip
    coming = next((look.judges for look in rule.looks if look.judges > len(right)), None)
    if coming is None:
        return Stopped(
            "looks", "undecided", used, correct, None,
            f"At the last planned look, after {used:,} answers, {correct:,} were correct, which does not conclude "
            f"{'a difference' if plan.goal == 'difference' else 'similarity'} (risk at most {plan.risk:g}).",
        )  # fmt: skip
    seen = (
        f"The look after {used:,} answers ({correct:,} correct) did not end the study"
        if used
        else "No look yet"
    )
    return Stopped(
        "looks", "continue", used, correct, coming,
        f"{seen}; {len(right):,} answers are there, the next planned look is after {coming:,}.",
    )  # fmt: skip
