"""The comprehension test before the first text: each attempt is an event, and so is passing.

Whoever uses up the attempts is thanked and goes; no evaluation was kept for them, so nothing has to return. The page
asks by attempt, so that a form sent twice is one attempt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from nlgauge.study.refusals import Refused
from nlgauge.study.service.arrivals import Registering
from nlgauge.study.store import queries

ATTEMPT, PASSED, FAILED = "comprehension", "understood", "comprehension"


@dataclass(frozen=True)
class Attempt:
    """How one attempt went."""

    number: int
    right: int
    passed: bool
    failed: bool  # it was the last, and not passed


class Testing(Registering):
    """What judges do to show that they understood the task."""

    def attempts(self, judge: str) -> int:
        """How often a judge has tried."""
        with self.store.glance() as connection:
            return len(self._attempts(connection, judge))

    def answer_test(self, judge: str, attempt: int, answers: Sequence[int]) -> Attempt | None:
        """One attempt: the number of the option chosen for each question, from 1. None: it was sent before."""
        test = self.study.test
        if test is None:
            raise Refused("stage", "this study has no test")
        whole = all(isinstance(one, int) and not isinstance(one, bool) for one in answers)
        if len(answers) != len(test.questions) or not whole:
            raise Refused("invalid", "every question of the test must be answered")
        if any(not 1 <= one <= len(asked.options) for one, asked in zip(answers, test.questions, strict=True)):
            raise Refused("invalid", "an answer of the test is none of its options")
        with self.store.write() as connection:
            row = self._judge(connection, judge, lock=True)
            self._present(row)
            made = self._attempts(connection, judge)
            if row.failed or PASSED in made or attempt <= len(made):
                return None
            if attempt != len(made) + 1:
                raise Refused("stage", f"the next attempt is number {len(made) + 1}")
            right = sum(one == asked.answer for one, asked in zip(answers, test.questions, strict=True))
            passed, last = right >= test.needed, attempt >= test.attempts
            told: dict[str, Any] = {"attempt": attempt, "right": right, "of": len(answers)}
            self._log(connection, ATTEMPT, judge, **told, answers=list(answers))
            if passed:
                self._log(connection, PASSED, judge, attempt=attempt)
            elif last:
                self._update_judge(connection, judge, failed=FAILED)
                self._log(connection, "failed", judge, reason=FAILED, correct=right)
            return Attempt(attempt, right, passed, last and not passed)

    def _attempts(self, connection: sa.Connection, judge: str) -> list[str]:
        """The kinds of a judge's events about the test: an attempt each, and whether one was passed."""
        values = {"b_study": self.id, "b_judge": judge}
        return [row.kind for row in queries.tested.all(connection, values)]

    def _understood(self, connection: sa.Connection, row: Any) -> bool:
        """Whether the test, if there is one, lies behind a judge. Who has practised or answered has passed it."""
        if self.study.test is None or row.practised or row.answered or row.access in ("machine", "import"):
            return True
        return PASSED in self._attempts(connection, row.id)
