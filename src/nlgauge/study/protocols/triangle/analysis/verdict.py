"""The verdict of one panel: the exact test for the stated goal, and whether it holds for other texts and for people.

The exact binomial is the verdict. Beside it stand the paper's formula, the same test with texts as clusters, and for
judges who answered several times the beta-binomial model. Power is that of the plan's p_d, never of the observed share,
which would only be the p-value in other clothes (Hoenig and Heisey 2001).

For which texts does it hold: those shown, or also others of the same kinds? Judges are dealt texts at random, so for
the texts shown the exact binomial test is right. For other texts the inputs are a sample too: answers that share an
input are not independent (`stats.discrimination.clustered`). Where few inputs were shown, the conclusion is limited to
them, whatever the figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats.discrimination.clustered import Clustered, clustered
from nlgauge.stats.discrimination.replicated import Replicated, beta_binomial
from nlgauge.stats.discrimination.stagewise import Adjusted
from nlgauge.stats.discrimination.testing import DiscriminationTest, test
from nlgauge.stats.discrimination.wording import MINIMUM, Kind
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.triangle.analysis.looks import Stopped, follow, in_view_of_looks
from nlgauge.study.protocols.triangle.analysis.plan import PanelPlan, Plan

FEW = 10  # inputs, or trios of inputs, below which a conclusion is about the texts shown only


@dataclass(frozen=True)
class Scope(Jsonable):
    """How far the verdict reaches. `test` is None where every two answers share an input."""

    KEYS = "texts, inputs, trios, few, beyond, test"

    texts: int
    inputs: int
    trios: int
    few: bool
    concluded: bool  # of the texts shown
    beyond: bool  # the conclusion also holds for other texts
    test: Clustered | None


@dataclass(frozen=True)
class Verdict(Jsonable):
    """What one panel shows. `test` is None while a sequential plan goes on."""

    KEYS = (
        "panel, machine, judges, answers, correct, planned_answers = planned, concluded, *figures, "
        "p_d_limit_by_the_papers_formula = paper_limit, texts_as_clusters = scope, beta_binomial = replicated, "
        "sequential = stopped, in_view_of_the_looks = adjusted"
    )

    panel: str
    machine: bool
    judges: int
    answers: int
    correct: int
    planned: int  # answers
    stopped: Stopped | None
    test: DiscriminationTest | None = None
    paper_limit: float | None = None  # of p_d by the paper's formula: lower for a difference, upper for similarity
    scope: Scope | None = None
    replicated: Replicated | None = None
    adjusted: Adjusted | None = None  # p and limits in view of the looks of a sequential plan
    by_judge: tuple[tuple[str, int, int], ...] = ()  # (judge, correct, answers) where some answered several times
    authors: tuple[str, ...] = ()  # whose texts were compared
    p_d: float | None = None  # as planned
    left_out: int = 0  # answers of judges who are left out
    closed: bool = False  # the study was closed

    @property
    def concluded(self) -> bool:
        """Whether the panel shows what the study was to show."""
        if self.stopped is not None:
            return self.test is not None and self.stopped.state == self.test.goal
        return self.test is not None and self.test.concluded

    @property
    def p_value(self) -> float | None:
        """Of the exact test."""
        return None if self.test is None else self.test.p_value

    @property
    def p_in_view_of_looks(self) -> float | None:
        """Of the goal, where a sequential plan allows for its looks."""
        if self.adjusted is None or self.test is None:
            return None
        return self.adjusted.p_difference if self.test.goal == "difference" else self.adjusted.p_similarity

    @property
    def figures(self) -> dict[str, Any] | None:
        """Those of the test, without what the verdict says itself."""
        if self.test is None:
            return None
        dropped = ("goal", "protocol", "correct", "judges", "answers", "concluded", "sentence", "warnings")
        return {key: value for key, value in self.test.to_dict().items() if key not in dropped}


@dataclass(frozen=True)
class Exclusion:
    """One panel with and without the judges who are left out."""

    panel: str
    left_out: Mapping[str, str]  # with reasons
    every: Verdict
    kept: Verdict

    @property
    def same(self) -> bool:
        """Whether both conclude the same."""
        return self.every.concluded == self.kept.concluded


def judge(plan: Plan, panel: PanelPlan, answers: Sequence[Judgement], *, left_out: int = 0) -> Verdict:
    """The verdict from the answers that count; `left_out` more were given by judges who do not."""
    stopped = None if panel.machine else follow(plan, panel, answers)  # looks were planned for people
    used = answers if stopped is None or not stopped.over else answers[: stopped.used]
    by_judge = Counter(judgement.judge for judgement in used)
    x, n = sum(judgement.correct for judgement in used), len(used)
    repeated = max(by_judge.values(), default=0) > 1 and not panel.machine
    nothing = Verdict(
        panel=panel.name,
        machine=panel.machine,
        judges=len(by_judge),
        answers=n,
        correct=x,
        planned=panel.answers,
        stopped=stopped,
        authors=tuple(plan.subjects.values()),
        p_d=plan.p_d,
        left_out=left_out,
        closed=plan.closed,
    )
    if n == 0 or (stopped is not None and not stopped.over):
        return nothing
    options: dict[str, Any] = {"goal": plan.goal, "alpha": plan.alpha, "beta": plan.beta, "p_d": plan.p_d}
    each = set(by_judge.values())
    if repeated and len(each) == 1:
        found = test(x, len(by_judge), per_judge=each.pop(), planned=panel.judges, **options)
    else:  # one answer each; or unequal numbers, which are pooled as they are
        found = test(x, n, planned=panel.answers, **options)
    found = replace(found, authors=nothing.authors, study=_kind(plan, panel, n, stopped) or found.study)
    right = Counter(judgement.judge for judgement in used if judgement.correct)
    tally = tuple((name, right[name], k) for name, k in by_judge.items())
    concluded = found.concluded if stopped is None else stopped.state == plan.goal
    paper = replicated = None
    with suppress(InputError):  # all or none correct: the formula has no spread
        limits = test(x, n, method="normal", **options).p_d
        paper = limits.low if plan.goal == "difference" else limits.high
    if repeated:
        with suppress(InputError):  # one judge only: nobody to compare with
            replicated = beta_binomial([x for _, x, _ in tally], [n for _, _, n in tally])
    return replace(
        nothing,
        test=found,
        paper_limit=paper,
        scope=scope(plan, used, concluded, machine=panel.machine),
        replicated=replicated,
        adjusted=None if stopped is None else in_view_of_looks(plan, panel, stopped),
        by_judge=tally if repeated else (),
    )


def _kind(plan: Plan, panel: PanelPlan, answers: int, stopped: Stopped | None) -> Kind | None:
    """What a study is that its number of answers alone does not tell."""
    if panel.machine:
        whole = "one machine; goal and risks were planned for people"
        few = f"{answers:,} of {panel.answers:,} triads were judged"
        return Kind("exploratory", few if answers < panel.answers else whole)
    if stopped is None:
        return None
    if plan.closed and stopped.state == "undecided":
        return Kind("exploratory", "the study was closed before its rule of stopping had come to a conclusion")
    if stopped.used < (least := MINIMUM[plan.goal]):
        return Kind("exploratory", f"fewer than the {least} answers recommended for a {plan.goal} test")
    return Kind("confirmatory", "goal, risks and rule of stopping were fixed beforehand and followed")


def scope(plan: Plan, answers: Sequence[Judgement], concluded: bool, *, machine: bool = False) -> Scope:
    """The test with inputs as clusters; texts of one input share its topic and belong together.

    The answers of a machine are all by one judge: what they share is the texts alone.
    """
    inputs = len({item for judgement in answers for item in judgement.items})
    trios = len({frozenset(judgement.items) for judgement in answers})
    few = min(inputs, trios) < FEW
    judges = [judgement.judge for judgement in answers]
    found = None
    with suppress(InputError):
        found = clustered(
            [judgement.correct for judgement in answers],
            [judgement.items for judgement in answers],
            goal=plan.goal,
            risk=plan.risk,
            p_d=plan.p_d,
            judges=judges if len(set(judges)) < len(judges) and not machine else None,
        )
    return Scope(
        texts=len({text for judgement in answers for text in judgement.texts}),
        inputs=inputs,
        trios=trios,
        few=few,
        concluded=concluded,
        beyond=concluded and not few and found is not None and found.concluded and not machine,
        test=found,
    )


def exclusions(
    plan: Plan, answers: Sequence[Judgement], kept: Sequence[Verdict], excluded: Mapping[str, str]
) -> tuple[Exclusion, ...]:
    """Each panel that somebody is left out of; `answers` are those of all judges, `kept` the verdicts without them."""
    verdicts = {verdict.panel: verdict for verdict in kept}
    found = []
    for panel in plan.panels:
        own = [judgement for judgement in answers if judgement.panel == panel.name]
        out = {name: why for name, why in excluded.items() if any(judgement.judge == name for judgement in own)}
        if out and panel.name in verdicts:
            found.append(Exclusion(panel.name, out, judge(plan, panel, own), verdicts[panel.name]))
    return tuple(found)
