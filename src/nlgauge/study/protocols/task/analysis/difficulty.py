"""Each question by itself: how many answered it rightly, of which systems' texts, and whether guessing would do."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from nlgauge.jsonable import Jsonable
from nlgauge.stats.discrimination.limits import limits
from nlgauge.study.protocols.task.analysis.rows import Answers, Row

LEVEL = 0.95
METHOD = "Wilson's score limits with continuity correction, which take answers as independent"


@dataclass(frozen=True)
class Difficulty(Jsonable):
    """One question about one item."""

    KEYS = "..., share, below_chance, level, method"

    item: str
    question: str
    n: int
    right: int
    low: float
    high: float
    chance: float
    by_system: Mapping[str, float]

    level: ClassVar[float] = LEVEL
    method: ClassVar[str] = METHOD

    @property
    def share(self) -> float:
        """Of right answers."""
        return self.right / self.n

    @property
    def below_chance(self) -> bool:
        """Whether guessing would have done better."""
        return self.high < self.chance


def difficulty(answers: Answers) -> tuple[Difficulty, ...]:
    """Every question, the hardest first."""
    by_question: dict[tuple[str, str], list[Row]] = {}
    for row in answers.rows:
        by_question.setdefault((row.item, row.question), []).append(row)
    found = [_of(item, question, rows) for (item, question), rows in by_question.items()]
    return tuple(sorted(found, key=lambda one: (one.share, one.item, one.question)))


def _of(item: str, question: str, rows: Sequence[Row]) -> Difficulty:
    right = sum(row.right for row in rows)
    low, high = limits(right, len(rows), tail=(1 - LEVEL) / 2, method="score")
    systems = dict.fromkeys(row.system for row in rows)
    shares = {name: _share([row.right for row in rows if row.system == name]) for name in systems}
    return Difficulty(
        item=item,
        question=question,
        n=len(rows),
        right=right,
        low=low,
        high=high,
        chance=rows[0].chance,
        by_system=shares,
    )


def _share(right: Sequence[bool]) -> float:
    return sum(right) / len(right) if right else math.nan
