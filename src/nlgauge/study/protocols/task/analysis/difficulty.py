"""Each question by itself: how many answered it rightly, of which systems' texts, and whether guessing would do."""

from __future__ import annotations

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
    found = [_of(*about, rows) for about, rows in by_question.items()]
    return tuple(sorted(found, key=lambda one: (one.share, one.item, one.question)))


def _of(item: str, question: str, rows: Sequence[Row]) -> Difficulty:
    right: dict[str, list[bool]] = {}
    for row in rows:
        right.setdefault(row.system, []).append(row.right)
    count = sum(map(sum, right.values()))
    low, high = limits(count, len(rows), tail=(1 - LEVEL) / 2, method="score")
    shares = {name: sum(own) / len(own) for name, own in right.items()}
    return Difficulty(item, question, len(rows), count, low, high, chance=rows[0].chance, by_system=shares)
