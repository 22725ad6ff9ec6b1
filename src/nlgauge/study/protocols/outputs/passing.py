"""Before launch: which share of careful judges, and of judges who do not read, would pass the checks of a study.

Where an answer is right or wrong the shares are exact (a sum of unequal chances); tests of ratings are simulated with
the judges of `study simulate`. A careful judge answers a check right with `CARE`; one who does not read answers at
random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from nlgauge.stats.carefulness import share_passing
from nlgauge.study.checks.findings import Finding
from nlgauge.study.file.study import Comprehension
from nlgauge.study.protocols.outputs.quality import Rule

CARE = 0.95
KEEP = 0.9  # of careful judges, below which a rule costs too many
LET = 0.5  # of judges who do not read, above which it tells too little


@dataclass(frozen=True)
class Passing:
    """The shares of judges who pass something."""

    careful: float
    guessing: float


def right_answers(chances: Sequence[float], needed: int, *, attempts: int = 1) -> Passing:
    """Of answers with a known truth, `needed` must be right; `chances` are those of an answer at random."""
    careful = share_passing([max(CARE, chance) for chance in chances], needed, attempts=attempts)
    return Passing(careful, share_passing(chances, needed, attempts=attempts))


def attention(chances: Sequence[float], shown: int, share: float) -> Passing:
    """Attention checks: whoever misses `share` of those shown fails. Each judge gets some of them, taken as alike."""
    mean = sum(chances) / len(chances)
    missed = next(number for number in range(shown + 2) if number >= share * shown - 1e-9)
    return right_answers([mean] * shown, shown - missed + 1)


def kept(rule: Rule, by: Mapping[str, Passing]) -> Passing:
    """Who stays by the rule: whoever fails fewer than `failures` of what excludes, each by itself."""
    named = [by[kind] for kind in rule.exclude if kind in by]

    def share(of: Callable[[Passing], float]) -> float:
        total = 0.0
        for passed in product((True, False), repeat=len(named)):
            if passed.count(False) < rule.failures:
                chance = 1.0
                for name, right in zip(named, passed, strict=True):
                    chance *= of(name) if right else 1 - of(name)
                total += chance
        return total

    return Passing(share(lambda one: one.careful), share(lambda one: one.guessing))


def passing_finding(what: str, found: Passing, line: int, *, remedy: str, sent_away: bool) -> Finding:
    """The shares, in a sentence that begins with `what`; a risk where careful judges are lost or guessers pass."""
    costly, blind = sent_away and found.careful < KEEP, sent_away and found.guessing > LET
    return Finding(
        "risk" if costly or blind else "note",
        "passing",
        f"{what} {percent(found.careful)} of careful judges and {percent(found.guessing)} of those who answer at random"
        + (f"; {remedy}" if costly or blind else ""),
        line,
        {"careful": round(found.careful, 4), "guessing": round(found.guessing, 4)},
    )


def percent(share: float) -> str:
    """A share as people read it: none and all are kept for what is certain.

    >>> percent(0.9996), percent(0.304), percent(0.001), percent(1.0)
    ('over 99 %', '30 %', 'under 1 %', '100 %')
    """
    if 0 < share < 0.005:
        return "under 1 %"
    return "over 99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


def comprehension_findings(test: Comprehension | None, lines: Mapping[str, int]) -> Iterator[Finding]:
    """What the comprehension test tells."""
    if test is None or not test.questions:
        return
    chances = [1 / len(multiple_choice.options) for multiple_choice in test.questions]
    found = right_answers(chances, test.needed, attempts=test.attempts)
    yield passing_finding(
        f"the comprehension test ({test.needed} of {len(test.questions)} right, {test.attempts} "
        f"{'attempt' if test.attempts == 1 else 'attempts'}) is passed by",
        found,
        lines.get("quality.comprehension", 0) or lines.get("quality", 0),
        remedy=(
            "write more questions or more options"
            if found.guessing > LET
            else "allow another attempt, or ask for fewer right answers (required)"
        ),
        sent_away=True,
    )
