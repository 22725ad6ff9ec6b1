"""What the keys of a triangle test allow one by one, but not together; each with the place of the key."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from nlgauge.errors import counted, unquoted
from nlgauge.study.file.contradictions import subject_problems
from nlgauge.study.protocols.triangle.file import Practice, Sequential, TriangleStudy


def contradictions(study: TriangleStudy) -> Iterator[tuple[str, str]]:
    """The place of a key and what is wrong there, for everything that is."""
    for name, value in dataclasses.asdict(study.risks).items():
        if not 0 < value < 1:
            yield f"risks.{name}", f"risks.{name} must lie between 0 and 1, not {value:g}; write 5 % as 0.05"
    if set(study.subjects) != {"A", "B"}:
        yield "subjects", f"subjects must be A and B, not {', '.join(map(unquoted, study.subjects))}; name them so"
    for name, subject in study.subjects.items():
        yield from subject_problems(f"subjects.{name}", subject)
    for name, panel in study.panels.items():
        if study.goal == "similarity" and panel.evaluations > 1 and panel.kind == "people":
            yield (
                f"panels.{name}.evaluations",
                "repeated evaluations are not allowed in a test of similarity: one judge's answers are not "
                "independent, and too little variation would pass for similarity; ask more judges, or set the "
                "goal to difference",
            )
    yield from _practice_problems(study.practice)
    if study.sequential is not None:
        yield from _look_problems(study, study.sequential)


def _practice_problems(practice: Practice) -> Iterator[tuple[str, str]]:
    for number, example in enumerate(practice.examples, start=1):
        if len(example.texts) != 3:
            path = f"practice.examples.{number}.texts"
            yield path, f"a practice triad has three texts, not {len(example.texts)}; add or remove texts"
    if practice.items and len(practice.items) < 3 * practice.triads:
        yield (
            "practice.items",
            f"{counted(practice.triads, 'practice triad')} need {3 * practice.triads} inputs, not "
            f"{len(practice.items)}; name more, or lower triads",
        )
    total = practice.triads + len(practice.examples)
    if practice.required > total:
        there = f"there {'is' if total == 1 else 'are'} {counted(total, 'practice triad')}"
        yield "practice.required", f"practice.required is {practice.required}, but {there}; lower it, or add triads"


def _look_problems(study: TriangleStudy, plan: Sequential) -> Iterator[tuple[str, str]]:
    if study.corrections == "allow":
        yield (
            "corrections",
            "corrections cannot be allowed in a sequential study: a correction that comes after a look would change "
            "a look that has been made",
        )
    if plan.plan == "wald":
        yield from _wald_problems(study, plan)
        return
    if not plan.looks or any(late <= early for early, late in zip(plan.looks, plan.looks[1:], strict=False)):
        yield "sequential.looks", "sequential.looks must be a list of increasing numbers of answers, such as [30, 60]"
        return
    for name, panel in study.panels.items():
        if panel.judges * panel.evaluations != plan.looks[-1]:
            yield (
                "sequential.looks",
                f"the last look comes after {plan.looks[-1]} answers, but the panel {name} gives "
                f"{panel.judges * panel.evaluations}; make the last look the number of all answers",
            )


def _wald_problems(study: TriangleStudy, plan: Sequential) -> Iterator[tuple[str, str]]:
    if plan.looks:
        yield "sequential.looks", "Wald's test looks after every answer; leave sequential.looks out"
    if study.risks.alpha + study.risks.beta >= 1:
        yield "risks", "Wald's test needs risks α and β that add up to less than 1; lower one of them"
    for name, panel in study.panels.items():
        if panel.evaluations > 1 and panel.kind == "people":
            yield (
                f"panels.{name}.evaluations",
                "repeated evaluations are not allowed in Wald's test: it may end with similarity, for which one "
                "judge's answers are not independent; ask more judges, or plan looks (sequential: {looks: [...]})",
            )
