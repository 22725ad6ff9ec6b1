"""What `check` says of the plan: judges against the risks, replication, and what a rule of stopping costs and gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nlgauge.stats import discrimination
from nlgauge.stats.discrimination.sequential import Sequential, enough
from nlgauge.stats.discrimination.wording import MINIMUM, people
from nlgauge.study.checks.findings import Finding
from nlgauge.study.file.study import Panel
from nlgauge.study.model import TRIADS, Judgement
from nlgauge.study.protocols.triangle.analysis.answers import select
from nlgauge.study.protocols.triangle.analysis.looks import follow, rule_of
from nlgauge.study.protocols.triangle.analysis.plan import Plan
from nlgauge.study.protocols.triangle.file import TriangleStudy

FIGURES = ("first", "stable", "n", "min_correct", "max_correct", "power", "keeps_risks")  # of a plan, in a finding


def check_plan(study: TriangleStudy, lines: Mapping[str, int]) -> Iterator[Finding]:
    """The number of judges against the plan."""
    risks = study.risks
    for name, panel in study.panels.items():
        if panel.kind != "people":
            continue
        line = lines.get(f"panels.{name}", 0)
        n = panel.judges * panel.evaluations
        several = panel.evaluations > 1
        if study.sequential is not None:
            yield from _rule(study, name, line)
        else:
            # what the plan says of judges holds of answers where one gives several; recommendations stay with judges
            unit = "answer" if several else "judge"
            plan = discrimination.plan(risks.alpha, risks.beta, risks.p_d, goal=study.goal, judges=n, unit=unit)
            figures = {key: value for key, value in plan.to_dict().items() if key in FIGURES}
            each = " (each answer counted as a judge's)" * several
            for warning in plan.warnings:
                yield Finding("risk", "judges", f"panel {name}{each}: {warning}", line, figures)
            yield Finding("note", "plan", f"panel {name}{each}: {plan.sentence}", line, figures)
        if several:
            yield from _replication(name, panel, line)


def _rule(study: TriangleStudy, name: str, line: int) -> Iterator[Finding]:
    """What a rule of stopping runs and gives: computed from every course it can take."""
    plan = Plan.of_study(study)
    panel = plan.panel(name)
    rule = rule_of(plan, panel)
    if rule is None:
        return
    least, asked = MINIMUM[study.goal], 1 - (plan.beta if study.goal == "difference" else plan.alpha)
    if isinstance(rule, Sequential):
        power = rule.alternative.difference if study.goal == "difference" else rule.null.similarity
        remedy = f"{enough(rule, study.goal):,} answers would do; Wald's test takes fewer on average, but may take more"
    else:
        power = rule.looks[-1].power
        remedy = "add answers to the last look"
    figures = {"power": power, "answers": panel.answers}
    yield Finding("note", "plan", f"panel {name}: {rule.sentence}", line, figures)
    if power < asked - 1e-9:
        yield Finding(
            "risk",
            "judges",
            f"panel {name}: with at most {panel.answers:,} answers the rule reaches the right conclusion with "
            f"probability {power:.3f}, below the {asked:g} asked; otherwise it ends undecided; {remedy}",
            line,
            figures,
        )
    if panel.answers < least:
        recommended = f"at least {least} judges are recommended for a {study.goal} test"
        yield Finding("risk", "judges", f"panel {name}: {recommended}", line)


def _replication(name: str, panel: Panel, line: int) -> Iterator[Finding]:
    n = panel.judges * panel.evaluations
    yield Finding(
        "risk",
        "replication",
        f"panel {name}: {people(panel.judges)} with {panel.evaluations} evaluations each: the {n} answers are not "
        "independent where judges differ, so the verdict is also given by the beta-binomial model, and the "
        "conclusion is about these judges rather than people in general",
        line,
        {"judges": panel.judges, "evaluations": panel.evaluations},
    )
    if panel.evaluations % len(TRIADS):
        yield Finding(
            "risk",
            "replication",
            f"panel {name}: {panel.evaluations} evaluations a judge are no multiple of six, so that no judge "
            f"sees all six triads equally often; {_near_six(panel.evaluations)} would be balanced",
            line,
        )


def _near_six(number: int) -> str:
    below, above = number // 6 * 6, -(-number // 6) * 6
    return f"{below} or {above}" if below else str(above)


def concluded_in(study: TriangleStudy, name: str, judgements: Sequence[Judgement]) -> tuple[bool, int, int]:
    """Whether a panel's answers reach the goal, with the answers that decide it and how many of them are correct."""
    plan = Plan.of_study(study)
    answers = select([judgement for judgement in judgements if judgement.panel in study.panels], plan).of(name)
    stopped = follow(plan, plan.panel(name), answers)
    if stopped is not None:
        return stopped.state == plan.goal, stopped.used, stopped.correct
    correct, n = sum(judgement.correct for judgement in answers), len(answers)
    found = discrimination.test(correct, n, goal=plan.goal, alpha=plan.alpha, beta=plan.beta, p_d=plan.p_d)
    return found.concluded, n, correct
