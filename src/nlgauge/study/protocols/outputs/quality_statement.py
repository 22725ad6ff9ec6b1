"""What the design statement says of quality control in any study of outputs."""

from __future__ import annotations

from collections import Counter

from nlgauge.study.design import say
from nlgauge.study.frozen import Frozen
from nlgauge.study.protocols.outputs.file import OutputStudy

CHECKS = {"check": "attention checks", "degraded": "damaged copies", "repeat": "repeated texts"}
TESTS = {
    "signed-rank": "Wilcoxon's signed-rank test",
    "sign": "the sign test",
    "t": "Student's paired t test",
}


def quality_told(frozen: Frozen) -> str:
    """The screens that test the judges, how they are judged by, and the rule."""
    found = Counter(slot.triad for slot in frozen.slots)
    told = [f"{found[role]:,} {words}" for role, words in CHECKS.items() if found[role]]
    said = ", ".join(told) or "no attention checks, damaged copies or repeated texts"
    study = frozen.study
    if not isinstance(study, OutputStudy) or study.quality is None:
        return said
    quality, rule = study.quality, study.quality.rule
    parts = [said]
    if quality.attention:
        listed = "; ".join(
            f"“{' / '.join(one.shown)}” (passes with {', '.join(f'{k} {v:g}' for k, v in one.answer.items())})"
            for one in quality.attention
        )
        parts.append(f"attention checks in full: {listed}")
    if quality.degraded:
        parts.append(
            "a damaged copy has a run of words replaced by a run of an output for another input (1 of 1 word, 2 of 5, "
            "3 of 8, 4 of 15, 5 of 20, a quarter of more); judges are tested one-sided by "
            f"{TESTS[rule.test]} at {rule.alpha:g}"
        )
    named = ", ".join(rule.exclude)
    parts.append(
        f"rule fixed at launch: judges who fail {rule.failures} of {named} are left out"
        if rule.exclude
        else "rule fixed at launch: nobody is left out for failing a check"
    )
    return "; ".join(parts)


def screening_told(study: OutputStudy) -> str:
    """Who does not go on to the first text."""
    test = study.test
    if test is None:
        return "nobody is turned away: practice has no right answers"
    listed = "; ".join(
        f"“{say(one.text, 'en')}” (right: {say(one.options[one.answer - 1], 'en')}; of {len(one.options)} answers)"
        for one in test.questions
    )
    return (
        f"a comprehension test before the first text, {test.needed} of {len(test.questions)} answers right in at most "
        f"{test.attempts} attempts, else the study ends for the judge: {listed}"
    )
