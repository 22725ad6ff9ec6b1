"""What the design statement says of quality control in any study of outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from nlgauge.errors import counted
from nlgauge.study.file.study import say
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.gold import Known, rightable

CHECKS = {
    "check": ("attention check", "attention checks"),
    "degraded": ("damaged copy", "damaged copies"),
    "repeat": ("repeated text", "repeated texts"),
}
TESTS = {
    "signed-rank": "Wilcoxon's signed-rank test",
    "sign": "the sign test",
    "t": "Student's paired t test",
}


def quality_told(frozen: Frozen) -> str:
    """The screens that test the judges, how they are judged by, and the rule."""
    found = Counter(slot.role for slot in frozen.slots)
    told = [counted(found[role], *words) for role, words in CHECKS.items() if found[role]]
    said = ", ".join(told) or "no attention checks, damaged copies or repeated texts"
    study = frozen.study
    if not isinstance(study, OutputStudy) or study.quality is None:
        return said
    quality, rule = study.quality, study.quality.rule
    parts = [said]
    if quality.attention:
        listed = "; ".join(known_told(attention.shown, attention, "passes with") for attention in quality.attention)
        parts.append(
            f"attention checks in full: {listed}; each judge gets {quality.extras.attention}, at places drawn by the "
            f"seed, and whoever misses {100 * rule.attention:g} % of them or more fails"
        )
    if quality.degraded:
        parts.append(
            "a damaged copy has a run of words replaced by a run of an output for another input (1 of 1 word, 2 of 5, "
            "3 of 8, 4 of 15, 5 of 20, a quarter of more); judges are tested one-sided by "
            f"{TESTS[rule.test]} at {rule.alpha:g}"
        )
    named = ", ".join(rule.exclude)
    parts.append(
        f"rule fixed at launch: judges who fail {counted(rule.failures, 'kind')} of check or more ({named}) are left "
        "out"
        if rule.exclude
        else "rule fixed at launch: nobody is left out for failing a check"
    )
    return "; ".join(parts)


def known_told(texts: Sequence[str], known: Known, how: str) -> str:
    """Texts with the answer that is known about them."""
    said = [f"{name} {value:.10g}" for name, value in known.answer.items()]
    said += [f"within {known.within:.10g}"] if known.within else []
    said += ["no errors"] if known.errors == () else [f"error “{error.words}”" for error in known.errors or ()]
    said += [f"edit “{edit}”" for edit in known.edits]
    said += [f"pattern {known.pattern}"] if known.pattern else []
    said += [f"“{say(check.text, 'en')}” {check.answer}" for check in known.ask]
    return f"“{' / '.join(texts)}” ({how} {', '.join(said)})"


def screening_told(study: OutputStudy) -> str:
    """Who does not go on to the first text."""
    test, required = study.test, study.practice.required
    turned = (
        f"judges with fewer than {required} of {sum(rightable(study))} practice answers right are not asked further"
        if required
        else ""
    )
    if test is None:
        if any(rightable(study)):
            return turned or "nobody is turned away for practice answers"
        return "nobody is turned away: practice has no right answers"
    listed = "; ".join(
        f"“{say(asked.text, 'en')}” (right: {say(asked.options[asked.answer - 1], 'en')}; "
        f"of {len(asked.options)} answers)"
        for asked in test.questions
    )
    return (f"{turned}; " if turned else "") + (
        f"a comprehension test before the first text, {test.needed} of {len(test.questions)} answers right in at most "
        f"{test.attempts} attempts, else the study ends for the judge: {listed}"
    )
