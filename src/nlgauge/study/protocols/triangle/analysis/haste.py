"""Judges who answered faster than anyone can read. They stay in the verdict; it is shown without them too.

An answer is too fast when it came before the seconds that the plan names, or when reading the three texts in that time
would take more than 600 words a minute (silent reading runs at about 240; Brysbaert 2019). A judge is too fast when
half of the answers are.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nlgauge.stats.discrimination.binomial import at_least, at_most, within
from nlgauge.stats.discrimination.protocols import find
from nlgauge.stats.discrimination.wording import people
from nlgauge.study.model import Judgement, Text
from nlgauge.study.protocols.triangle.analysis.plan import Plan
from nlgauge.study.protocols.triangle.analysis.wording import p_text
from nlgauge.text.tokenizers import words
from nlgauge.wording.numbers import at_most_seconds


@dataclass(frozen=True)
class Haste:
    """Times of the answers, and the judges who were too fast."""

    seconds: tuple[float, ...]
    median: float
    fast_answers: int
    fast_judges: tuple[str, ...]
    correct_without: int
    answers_without: int
    p_without: float | None  # the exact test without those judges
    changes: bool  # whether the conclusion is another without them
    sentence: str

    @property
    def warning(self) -> str:
        """What the fast judges mean for the verdict."""
        number = len(self.fast_judges)
        who = "1 judge was" if number == 1 else f"{number:,} judges were"
        if not self.answers_without:
            return f"{who} too fast, and nobody else answered: without them there is no test"
        effect = "changes" if self.changes else "does not change"
        return f"{who} too fast; leaving them out {effect} the exact test's conclusion"

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form; single times are left to the export."""
        return {key: value for key, value in vars(self).items() if key != "seconds"} | {
            "fast_judges": list(self.fast_judges)
        }


def haste(plan: Plan, answers: Sequence[Judgement], texts: Mapping[str, Text]) -> Haste | None:
    """None where nobody answered."""
    if not answers:
        return None
    fast: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for one in answers:
        fast[one.panel, one.judge].append(_too_fast(plan, one, texts))
    judges = {key for key, flags in fast.items() if 2 * sum(flags) >= len(flags) and any(flags)}
    rest = [one for one in answers if (one.panel, one.judge) not in judges]
    x, n = sum(one.correct for one in rest), len(rest)
    p = _p(plan, x, n) if judges and n else None
    everyone = _p(plan, sum(one.correct for one in answers), len(answers))
    changes = bool(judges) and (p is None or bool(within(p, plan.risk)) != bool(within(everyone, plan.risk)))
    seconds = tuple(one.seconds for one in answers)
    total = sum(sum(flags) for flags in fast.values())
    return Haste(
        seconds,
        statistics.median(seconds),
        total,
        tuple(sorted(judge for _, judge in judges)),
        x,
        n,
        p,
        changes,
        _sentence(statistics.median(seconds), len(judges), len(fast), x, n, p),
    )


def _p(plan: Plan, x: int, n: int) -> float:
    asked = find(plan.protocol)
    if plan.goal == "difference":
        return float(at_least(x, n, asked.guess))
    return float(at_most(x, n, asked.from_p_d(plan.p_d)))


def _too_fast(plan: Plan, one: Judgement, texts: Mapping[str, Text]) -> bool:
    if one.seconds < plan.too_fast:
        return True
    if any(text not in texts for text in one.texts):
        return False
    read = sum(len(words(texts[text].text)) for text in one.texts)
    return one.seconds * plan.words_per_minute / 60 < read


def _sentence(median: float, fast: int, judges: int, x: int, n: int, p: float | None) -> str:
    head = f"Half of the answers took {at_most_seconds(median)}"
    if not fast:
        return f"{head}; no judge was too fast to have read the texts."
    rest = (
        "nobody is left without them" if p is None else f"without them {x:,} of {n:,} answers are correct, {p_text(p)}"
    )
    were = "was" if fast == 1 else "were"
    return f"{head}; {fast:,} of {people(judges)} {were} too fast to have read the texts ({rest})."
