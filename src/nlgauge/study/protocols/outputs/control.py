"""The checks of judges that any study of outputs can have, and the rule that follows from them.

A protocol says by `agrees` whether an answer is the one that a check asks for, and by `score` how good an answer calls
the text, as a share of the scale; what has no such number has no copies that could be tested.
A screen counts once, however many questions it asks: answers on one screen are no independent ratings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nlgauge.errors import InputError, as_called
from nlgauge.stats.carefulness import Check, attention, degraded, longest_run, repeats
from nlgauge.study.analysis.counting import sort
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement, Text
from nlgauge.study.protocols.outputs.abstaining import judged
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.gold import CHECK, Known, known_of
from nlgauge.study.protocols.outputs.quality import LEAST_REPEATS, Rule

TRIALS = 1000
Agrees = Callable[[Any, Known, Sequence[Text], OutputStudy], bool | None]
"""An answer, what is known of its screen, the texts there; None where nothing of that was asked."""
Score = Callable[[Judgement], float | None]
KINDS: Mapping[str, str] = {
    "attention checks": "attention",
    "degraded copies": "degraded",
    "repeated items": "repeats",
    "speed": "speed",
    "straight-lining": "straight-lining",
    "spread of ratings": "straight-lining",
    "one place on every scale": "straight-lining",
}
"""What the rule of the study file calls a check."""


@dataclass(frozen=True)
class Pair:
    """What a judge gave an output, and later its damaged copy or itself again, as shares of the scale."""

    judge: str
    original: float
    again: float
    degraded: bool


def rule_of(study: OutputStudy) -> Rule:
    """The study's rule, or the usual thresholds with nobody excluded."""
    return Rule() if study.quality is None else study.quality.rule


def missed(frozen: Frozen, study: OutputStudy, answers: Iterable[Judgement], agrees: Agrees) -> dict[str, list[bool]]:
    """For each judge, of each attention check answered whether it was missed in anything that it asks for."""
    found: dict[str, list[bool]] = {}
    for judgement in answers:
        shown = [frozen.text[text] for text in judgement.texts]
        check = known_of(study, shown[0]) if judgement.role == CHECK else None
        right = None if check is None else agrees(judgement.answer, check, shown, study)
        if right is not None:
            found.setdefault(judgement.judge, []).append(not right)
    return found


def pairs(frozen: Frozen, answers: Iterable[Judgement], score: Score) -> list[Pair]:
    """Copies and repeats beside their originals, each by one judge."""
    given = list(answers)
    first: dict[tuple[str, str], Judgement] = {}
    for judgement in given:
        if not judgement.role and not judgement.practice:
            first.setdefault((judgement.judge, judgement.texts[0]), judgement)
    found = []
    for judgement in given:
        if judgement.role not in ("degraded", "repeat"):
            continue
        original = first.get((judgement.judge, frozen.original.get(judgement.texts[0], judgement.texts[0])))
        before, after = (None if original is None else score(judged(original))), score(judged(judgement))
        if before is not None and after is not None:
            found.append(Pair(judgement.judge, before, after, judgement.role == "degraded"))
    return found


def copy_checks(found: Sequence[Pair], rule: Rule, *, seed: int) -> list[Check]:
    """The tests of damaged copies and of repeats, a judge at a time."""
    checks = []
    for judge in dict.fromkeys(pair.judge for pair in found):
        for kind in (True, False):
            own = [pair for pair in found if pair.judge == judge and pair.degraded == kind]
            before, after = [pair.original for pair in own], [pair.again for pair in own]
            if own and kind:
                checks.append(degraded(before, after, judge=judge, test=rule.test, alpha=rule.alpha))
            elif own:
                check = repeats(before, after, judge=judge, alpha=rule.repeats, trials=TRIALS, seed=seed)
                few = check.passed is not None and len(own) < LEAST_REPEATS
                note = f"fewer than {LEAST_REPEATS} repeats are no ground for a verdict"
                checks.append(replace(check, passed=None, notes=(*check.notes, note)) if few else check)
    return checks


def attention_checks(found: Mapping[str, Sequence[bool]], rule: Rule) -> list[Check]:
    """The share of missed attention checks, a judge at a time."""
    return [attention(list(flags), judge=judge, share=rule.attention) for judge, flags in found.items()]


@dataclass(frozen=True)
class Control:
    """The checks of a study by judges' own answers alone, without the others'."""

    frozen: Frozen
    study: OutputStudy
    agrees: Agrees
    score: Score

    def checks(self, judgements: Iterable[Judgement]) -> list[Check]:
        """All of every judge."""
        rule, seed, least = rule_of(self.study), self.study.seed, self.study.too_fast
        current = sort(list(judgements), "include").given
        current.sort(key=lambda one: (one.answered_at, one.id))
        checks = attention_checks(missed(self.frozen, self.study, current, self.agrees), rule)
        checks += copy_checks(pairs(self.frozen, current, self.score), rule, seed=seed)
        for judge in dict.fromkeys(judgement.judge for judgement in current):
            own = [judgement for judgement in current if judgement.judge == judge and not judgement.role]
            if not own:
                continue
            fast, method = sum(judgement.seconds < least for judgement in own) / len(own), f"answers under {least:g} s"
            checks.append(Check(judge, "speed", fast, math.nan, len(own), fast <= rule.speed, method=method))
            scores = [value for judgement in own if (value := self.score(judged(judgement))) is not None]
            if scores:
                checks.append(longest_run(scores, judge=judge, trials=TRIALS, seed=seed))
        return checks

    def record(self, judgements: Iterable[Judgement]) -> dict[str, tuple[int, int]]:
        """By judge, of answers with a known truth those that were right: checks met, copies rated below originals."""
        current = sort(list(judgements), "include").given
        found = missed(self.frozen, self.study, current, self.agrees)
        right = {judge: [not flag for flag in flags] for judge, flags in found.items()}
        for pair in pairs(self.frozen, current, self.score):
            if pair.degraded:
                right.setdefault(pair.judge, []).append(pair.again < pair.original)
        return {judge: (sum(flags), len(flags)) for judge, flags in right.items()}

    def excluded(self, judgements: Iterable[Judgement]) -> dict[str, str]:
        """Whom the rule leaves out, each with the reason."""
        return excluded_by(rule_of(self.study), failed_kinds(self.checks(judgements)))


def failed_kinds(checks: Iterable[Check]) -> dict[str, tuple[str, ...]]:
    """The kinds of checks that each judge failed."""
    found: dict[str, list[str]] = {}
    for check in checks:
        if check.passed is False:
            found.setdefault(check.judge, []).append(KINDS[check.check])
    return {judge: tuple(dict.fromkeys(kinds)) for judge, kinds in found.items()}


def excluded_by(rule: Rule, failed: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Whom the rule leaves out, each with the reason."""
    found = {}
    for judge, kinds in failed.items():
        named = [kind for kind in kinds if kind in rule.exclude]
        if len(named) >= rule.failures:
            found[judge] = f"failed by the study's rule: {', '.join(named)}"
    return found


def require_rule(study: OutputStudy) -> Rule:
    """The rule, where it leaves anybody out."""
    rule = rule_of(study)
    if not rule.exclude:
        raise InputError(
            f"the study's rule leaves nobody out, so {as_called('--by-rule', 'exclude_by_rule()')} has nothing to do: "
            "failures that exclude are named in the study file before launch (quality: {rule: {exclude: [...]}}); name "
            "a judge and a reason instead"
        )
    return rule
