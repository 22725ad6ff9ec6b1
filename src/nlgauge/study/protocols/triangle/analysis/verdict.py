"""The verdict of one panel: the exact test for the stated goal, and whether it holds for other texts and for people.

The exact binomial is the verdict. Beside it stand the paper's formula, the same test with texts as clusters
(`clusters`), and for judges who answered several times the beta-binomial model. Power is that of the plan's p_d,
never of the observed share, which would only be the p-value in other clothes (Hoenig and Heisey 2001).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from nlgauge.errors import InputError
from nlgauge.stats.discrimination.replicated import Replicated, beta_binomial
from nlgauge.stats.discrimination.stagewise import Adjusted
from nlgauge.stats.discrimination.testing import DiscriminationTest, compared, test
from nlgauge.stats.discrimination.wording import MINIMUM, Kind, people, percent
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.triangle.analysis.clusters import Scope, scope
from nlgauge.study.protocols.triangle.analysis.looks import Stopped, follow, in_view_of_looks
from nlgauge.study.protocols.triangle.analysis.machines import kind_of, machine_sentence, notes_on
from nlgauge.study.protocols.triangle.analysis.plan import PanelPlan, Plan
from nlgauge.study.protocols.triangle.analysis.wording import p_text


@dataclass(frozen=True)
class Verdict:
    """What one panel shows. `test` is None while a sequential plan goes on."""

    panel: str
    machine: bool
    judges: int
    answers: int
    correct: int
    planned: int  # answers
    test: DiscriminationTest | None
    paper_limit: float | None  # of p_d by the paper's formula: lower for a difference, upper for similarity
    scope: Scope | None
    replicated: Replicated | None
    stopped: Stopped | None
    adjusted: Adjusted | None = None  # p and limits in view of the looks of a sequential plan
    by_judge: tuple[tuple[str, int, int], ...] = ()  # (judge, correct, answers) where some answered several times
    notes: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()  # whose texts were compared
    p_d: float | None = None  # as planned

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
    def sentence(self) -> str:
        """What may be written in a paper."""
        if self.machine:
            return "" if self.test is None else machine_sentence(self.panel, self.test, self.scope)
        parts = []
        if self.stopped is not None:
            if self.authors:
                parts.append(f"The triangle test{compared(self.authors).removeprefix(' that')}.")
            parts.append(self.stopped.sentence)
            if self.test is not None:
                parts.append(_estimated(self.test, self.adjusted))
        if self.test is not None and self.stopped is None:
            parts.append(_said(self))
        if self.test is not None and self.scope is not None and (self.stopped is None or self.stopped.over):
            parts.append(self.scope.sentence)
        if self.replicated is not None:
            parts.append(_beside(self.replicated))
        return " ".join(part for part in parts if part)

    @property
    def sensitivity(self) -> str:
        """d′, and the power for the plan's p_d; nothing of a machine, nor where looks decide when to stop."""
        found = self.test
        if found is None or self.machine or self.stopped is not None:
            return ""
        d = found.d_prime
        said = (
            f"d′ is estimated as {_number(d.estimate)} ({_number(d.low)} to {_number(d.high)}, each limit with "
            f"{percent((1 + d.level) / 2)} confidence)"
        )
        if found.power is None:
            return f"{said}."
        said += f". With {found.answers:,} answers "
        if found.goal == "similarity":
            return f"{said}texts without any difference pass with probability {found.power:.3f}."
        return f"{said}the power for the planned p_d of {percent(self.p_d or 0.0)} is {found.power:.3f}."

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "panel": self.panel,
            "machine": self.machine,
            "judges": self.judges,
            "answers": self.answers,
            "correct": self.correct,
            "planned_answers": self.planned,
            "concluded": self.concluded,
            **({} if self.test is None else _figures(self.test)),
            "p_d_limit_by_the_papers_formula": self.paper_limit,
            "texts_as_clusters": None if self.scope is None else self.scope.to_dict(),
            "beta_binomial": None if self.replicated is None else self.replicated.to_dict(),
            "sequential": None if self.stopped is None else self.stopped.to_dict(),
            "in_view_of_the_looks": None if self.adjusted is None else self.adjusted.to_dict(),
            "sentence": self.sentence,
            "sensitivity": self.sensitivity,
            "warnings": list(self.notes),
        }


def judge(plan: Plan, panel: PanelPlan, answers: Sequence[Judgement], *, left_out: int = 0) -> Verdict:
    """The verdict from the answers that count; `left_out` more were given by judges who do not."""
    stopped = None if panel.machine else follow(plan, panel, answers)  # looks were planned for people
    used = answers if stopped is None or not stopped.over else answers[: stopped.used]
    by_judge = Counter(one.judge for one in used)
    x, n = sum(one.correct for one in used), len(used)
    repeated = max(by_judge.values(), default=0) > 1 and not panel.machine
    common: dict[str, Any] = {
        "panel": panel.name,
        "machine": panel.machine,
        "judges": len(by_judge),
        "answers": n,
        "correct": x,
        "planned": panel.answers,
        "stopped": stopped,
        "authors": tuple(plan.subjects.values()),
        "p_d": plan.p_d,
    }
    if n == 0 or (stopped is not None and not stopped.over):
        nothing = ("no answer counts yet",) if n == 0 else ()
        return Verdict(**common, test=None, paper_limit=None, scope=None, replicated=None, notes=nothing)
    options: dict[str, Any] = {"goal": plan.goal, "alpha": plan.alpha, "beta": plan.beta, "p_d": plan.p_d}
    each = set(by_judge.values())
    if repeated and len(each) == 1:
        found = test(x, len(by_judge), per_judge=each.pop(), planned=panel.judges, **options)
    else:  # one answer each; or unequal numbers, which are pooled as they are
        found = test(x, n, planned=panel.answers, **options)
    found = replace(found, authors=common["authors"])
    notes = list(found.notes)
    if stopped is not None:
        found = replace(found, study=_kind(plan, stopped))
        notes.append(
            "the figures called exact are those of a test with this fixed number and not adjusted for the looks; those "
            "in view of the looks are. A study that stops when the count is extreme exaggerates its estimate a little"
        )
    if panel.machine:
        found = replace(found, study=kind_of(panel, n))
        notes = list(notes_on(panel, found))
    elif plan.closed and n + left_out < panel.answers:
        notes.append(
            f"the study was closed with {n + left_out:,} of {panel.answers:,} planned answers: if it was closed in "
            "view of the answers, the risks are not those stated"
        )
    right = Counter(one.judge for one in used if one.correct)
    tally = tuple((name, right[name], k) for name, k in by_judge.items())
    return Verdict(
        **common,
        test=found,
        paper_limit=_paper(x, n, options),
        scope=scope(
            plan,
            used,
            found.concluded if stopped is None else stopped.state == plan.goal,
            machine=panel.machine,
        ),
        replicated=_model(tally) if repeated else None,
        adjusted=None if stopped is None else in_view_of_looks(plan, panel, stopped),
        by_judge=tally if repeated else (),
        notes=tuple(notes),
    )


def _kind(plan: Plan, stopped: Stopped) -> Kind:
    """A sequential study ends when its rule says so, not at a fixed number."""
    least = MINIMUM[plan.goal]
    if plan.closed and stopped.state == "undecided":
        return Kind("exploratory", "the study was closed before its rule of stopping had come to a conclusion")
    if stopped.used < least:
        return Kind("exploratory", f"fewer than the {least} answers recommended for a {plan.goal} test")
    return Kind("confirmatory", "goal, risks and rule of stopping were fixed beforehand and followed")


def _model(tally: Sequence[tuple[str, int, int]]) -> Replicated | None:
    try:
        return beta_binomial([x for _, x, _ in tally], [n for _, _, n in tally])
    except InputError:  # one judge only: nobody to compare with
        return None


def _paper(x: int, n: int, options: dict[str, Any]) -> float | None:
    try:
        found = test(x, n, method="normal", **options)
    except InputError:  # all or none correct: the formula has no spread
        return None
    return found.p_d.low if options["goal"] == "difference" else found.p_d.high


def _figures(found: DiscriminationTest) -> dict[str, Any]:
    kept = found.to_dict()
    dropped = ("goal", "protocol", "correct", "judges", "answers", "concluded", "sentence", "warnings")
    return {key: value for key, value in kept.items() if key not in dropped}


def _estimated(found: DiscriminationTest, looks: Adjusted | None) -> str:
    if found.per_judge > 1 or looks is None:  # a share of people cannot be read off pooled answers
        return ""
    p = looks.p_difference if found.goal == "difference" else looks.p_similarity
    return (
        f"An estimated {percent(found.p_d.estimate)} of people perceive a difference (in view of the looks, by the "
        f"stage-wise order: at least {percent(looks.low)}, at most {percent(looks.high)}, {p_text(p)})."
    )


def _said(verdict: Verdict) -> str:
    """The sentence of the test; where judges gave unequal numbers of answers, one that says so."""
    found = verdict.test
    if found is None or verdict.judges == verdict.answers or found.per_judge > 1:
        return "" if found is None else found.sentence
    counts = [n for _, _, n in verdict.by_judge]
    how = f"{p_text(found.p_value)}, α = {found.risk:g}"
    claim = (
        f"There is a perceptible difference (exact binomial, {how}: {found.evidence} evidence of difference)."
        if found.concluded
        else f"No perceptible difference was shown (exact binomial, {how}), which is not evidence that there is none."
    )
    return (
        f"In the triangle test{compared(found.authors)}, {found.correct:,} of {verdict.answers:,} answers "
        f"({people(verdict.judges)}, {min(counts)} to {max(counts)} answers each) "
        f"were correct ({percent(found.correct / verdict.answers)}; "
        f"guessing gives 33.3 %). {claim}"
    )


def _beside(model: Replicated) -> str:
    interval = f"{percent(model.p_d.level)} interval {percent(model.p_d.low)} to {percent(model.p_d.high)}"
    differ = "differ" if model.dispersion_p <= 0.05 else "were not shown to differ"
    return (
        f"The answers of one judge are not independent; by the beta-binomial model {percent(model.p_d.estimate)} of "
        f"people perceive a difference ({interval}; likelihood ratio against guessing, "
        f"{p_text(model.difference_p)}), and judges {differ} from each other "
        f"({p_text(model.dispersion_p)})."
    )


def _number(value: float) -> str:
    return f"{value:.2f}" if math.isfinite(value) else "no limit"
