"""The judges as people: consent, questions about them, the comprehension test, leaving, being forgotten.

Answers to questions are kept in a table of their own, apart from the judgements. Each attempt at the comprehension test
is an event, and so is passing; the page asks by attempt, so that a form sent twice is one attempt. Whoever uses up the
attempts is thanked and goes; no evaluation was kept for them, so nothing has to return.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from nlgauge.errors import InputError
from nlgauge.study.file.questionnaire import checked
from nlgauge.study.model import clean
from nlgauge.study.refusals import Refused
from nlgauge.study.service.arrivals import Arrivals
from nlgauge.study.service.context import Context
from nlgauge.study.service.turns import Turns
from nlgauge.study.store import queries, tables

ATTEMPT, PASSED, FAILED = "comprehension", "understood", "comprehension"


@dataclass(frozen=True)
class Attempt:
    """How one attempt went."""

    number: int
    right: int
    passed: bool
    failed: bool  # it was the last, and not passed


class People:
    """What is known of judges and asked of them before and after they judge."""

    def __init__(self, context: Context, arrivals: Arrivals, turns: Turns) -> None:
        self.context, self.store, self.study, self.id = context, context.store, context.study, context.id
        self.arrivals, self.turns = arrivals, turns

    def consent(self, judge: str, agreed: bool) -> None:
        """What a judge answered to the consent page; who refuses is thanked and leaves."""
        with self.context.locked(judge) as (connection, row):
            self.context.present(row)
            if row.consented_at is None and agreed:
                self.context.update_judge(connection, judge, consented_at=self.context.clock())
                self.context.log(connection, "consented", judge)
            elif not agreed:
                self._leave(connection, judge, "declined")

    def set_language(self, judge: str, language: str) -> None:
        """The language in which a judge reads the pages."""
        if language not in self.study.spoken:
            raise Refused("invalid", f"the study has no pages in {language!r}")
        with self.context.locked(judge) as (connection, _):
            self.context.update_judge(connection, judge, language=language)

    def language_of(self, judge: str) -> str:
        """The language in which a judge reads the pages."""
        with self.store.glance() as connection:
            return str(self.context.judge(connection, judge).language)

    def answer_questions(self, judge: str, answers: Mapping[str, str]) -> None:
        """Answers to the questions about the judge: kept apart from the judgements, erased on request."""
        stored = checked(self.study.questions, answers)
        with self.context.locked(judge) as (connection, row):
            self._keep_answers(connection, row, "questions", stored)

    def answer_closing(self, judge: str, answers: Mapping[str, str]) -> None:
        """Answers to the questions at the end, after the last judgement; kept as those about the judge are."""
        stored = checked(self.study.closing, answers)
        with self.context.locked(judge) as (connection, row):
            if not self.study.closing or row.finished_at is None:
                raise Refused("stage", "the questions at the end come after the last text")
            self._keep_answers(connection, row, "closing", stored)

    def _keep_answers(self, connection: sa.Connection, row: Any, kind: str, stored: Mapping[str, str]) -> None:
        """Store the answers to the `questions` or the `closing` ones of the study, once."""
        self.context.present(row)
        if getattr(row, f"{kind}_at") is not None:
            names = {question.id for question in getattr(self.study, kind)}
            known = self._personal(connection, row.id)
            if stored != {name: known[name] for name in known if name in names}:
                raise Refused("answered", "these questions have been answered; the answers were kept")
            return  # sent twice
        now = self.context.clock()
        for name, answer in stored.items():
            given = {"study": self.id, "judge": row.id, "question": name, "answer": answer, "at": now}
            queries.add_personal.do(connection, given)
        self.context.update_judge(connection, row.id, **{f"{kind}_at": now})
        self.context.log(connection, kind, row.id, answered=len(stored))

    def _personal(self, connection: sa.Connection, judge: str) -> dict[str, str]:
        """What a judge answered to the questions about them and at the end."""
        table = tables.personal
        mine = sa.select(table.c.question, table.c.answer).where(table.c.study == self.id, table.c.judge == judge)
        return {row.question: row.answer for row in connection.execute(mine)}

    def attempts(self, judge: str) -> int:
        """How often a judge has tried the comprehension test."""
        with self.store.glance() as connection:
            return len(self._attempts(connection, judge))

    def answer_test(self, judge: str, attempt: int, answers: Sequence[int]) -> Attempt | None:
        """An attempt at the test: the number of the option chosen for each question, from 1; None: sent before."""
        test = self.study.test
        if test is None:
            raise Refused("stage", "this study has no test")
        whole = all(isinstance(answer, int) and not isinstance(answer, bool) for answer in answers)
        if len(answers) != len(test.questions) or not whole:
            raise Refused("invalid", "every question of the test must be answered")
        if any(not 1 <= answer <= len(asked.options) for answer, asked in zip(answers, test.questions, strict=True)):
            raise Refused("invalid", "an answer of the test is none of its options")
        with self.context.locked(judge) as (connection, row):
            self.context.present(row)
            made = self._attempts(connection, judge)
            if row.failed or PASSED in made or attempt <= len(made):
                return None
            if attempt != len(made) + 1:
                raise Refused("stage", f"the next attempt is number {len(made) + 1}")
            right = sum(answer == asked.answer for answer, asked in zip(answers, test.questions, strict=True))
            passed, last = right >= test.needed, attempt >= test.attempts
            given = list(answers)
            self.context.log(connection, ATTEMPT, judge, attempt=attempt, right=right, of=len(given), answers=given)
            if passed:
                self.context.log(connection, PASSED, judge, attempt=attempt)
            elif last:
                self.context.update_judge(connection, judge, failed=FAILED)
                self.context.log(connection, "failed", judge, reason=FAILED, correct=right)
            return Attempt(attempt, right, passed, last and not passed)

    def _attempts(self, connection: sa.Connection, judge: str) -> list[str]:
        """The kinds of a judge's events about the test: an attempt each, and whether one was passed."""
        values = {"b_study": self.id, "b_judge": judge}
        return [row.kind for row in queries.tested.all(connection, values)]

    def understood(self, connection: sa.Connection, row: Any) -> bool:
        """Whether the test, if there is one, lies behind a judge. Who has practised or answered has passed it."""
        if self.study.test is None or row.practised or row.answered or row.access in ("machine", "import"):
            return True
        return PASSED in self._attempts(connection, row.id)

    def withdraw(self, judge: str, closing: Mapping[str, str] | None = None) -> None:
        """A judge leaves; what is kept for them returns, what they answered stays unless they ask to be forgotten.

        `closing`: what they answered to the questions at the end before they went; none of these is required then.
        """
        stored = checked(self.study.closing, closing or {}, leaving=True)
        with self.context.locked(judge) as (connection, row):
            if row.withdrawn_at is None:
                if stored and row.answered and row.closing_at is None:
                    self._keep_answers(connection, row, "closing", stored)
                self._leave(connection, judge, "withdrew")

    def _leave(self, connection: sa.Connection, judge: str, how: str) -> None:
        self.context.free(connection, judge)
        self.context.update_judge(connection, judge, withdrawn_at=self.context.clock())
        self.context.log(connection, how, judge)

    def forgotten(self, judge: str) -> bool:
        """Whether everything about a judge was erased."""
        table = tables.judges
        query = sa.select(table.c.forgotten_at).where(table.c.study == self.id, table.c.id == judge)
        with self.store.glance() as connection:
            return connection.execute(query).scalar_one_or_none() is not None

    def judges(self, panel: str | None = None) -> list[dict[str, Any]]:
        """The judges, without anything personal."""
        table = tables.judges
        query = sa.select(table).where(table.c.study == self.id).order_by(table.c.registered_at, table.c.id)
        if panel is not None:
            query = query.where(table.c.panel == panel)
        with self.store.read() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def persons(self) -> dict[str, str]:
        """The platform's id of each judge who came by one."""
        return self.context.persons()

    def personal(self) -> dict[str, dict[str, str]]:
        """Answers to the questions about the judge, by judge and question."""
        table = tables.personal
        answers: dict[str, dict[str, str]] = {}
        with self.store.read() as connection:
            for row in connection.execute(sa.select(table).where(table.c.study == self.id)):
                answers.setdefault(row.judge, {})[row.question] = row.answer
        return answers

    def find_judge(self, name: str) -> str:
        """A judge by id, by the token of a link, or by a platform's id (those who ask to be forgotten know one)."""
        ids, name = tables.platform_ids, clean(name)
        with self.store.read() as connection:
            known = connection.execute(
                sa.select(tables.judges.c.id).where(tables.judges.c.study == self.id, tables.judges.c.id == name)
            ).scalar_one_or_none()
            mine = sa.select(ids.c.judge).where(ids.c.study == self.id, ids.c.person == name).distinct()
            people = connection.execute(mine).scalars().all()
            if known is None and len(people) == 1:
                known = people[0]
            if known is None:
                token = name.rstrip("/").rpartition("/")[2]
                try:
                    known = self.arrivals.link(connection, token).judge
                except Refused:
                    known = None
        if known is None:
            raise Refused("unknown", f"no judge is known by {name!r}: give the judge's id, link or platform id")
        return str(known)

    def forget(self, judge: str, *, answers: bool = False) -> dict[str, int]:
        """Erase what identifies a judge; with `answers` their judgements too. The log keeps that it was done.

        Erased: answers about the judge, platform ids, the link, the browser's name, reasons in words. Without `answers`
        the choices stay, under a number that nothing leads to any more; with it the slots return to the pool.
        """
        stored = tables.judgements
        with self.context.locked(judge) as (connection, row):
            mine = (stored.c.study == self.id) & (stored.c.judge == judge)
            counts = {"personal": 0, "platform_ids": 0, "links": 0, "judgements": 0}
            for table in (tables.personal, tables.platform_ids, tables.links):
                of_judge = (table.c.study == self.id) & (table.c.judge == judge)
                counts[table.name] = int(connection.execute(table.delete().where(of_judge)).rowcount)
            if answers:
                table = tables.slots
                filled = (table.c.study == self.id) & table.c.judgement.in_(sa.select(stored.c.id).where(mine))
                empty = dict.fromkeys(("judgement", "holder", "claim", "expires_at"))
                connection.execute(table.update().where(filled).values(empty))
                counts["judgements"] = int(connection.execute(stored.delete().where(mine)).rowcount)
            else:
                connection.execute(stored.update().where(mine).values(reason="", client=""))
                if self.context.protocol.records:
                    for seq, answer in connection.execute(sa.select(stored.c.seq, stored.c.answer).where(mine)).all():
                        rest = self.context.protocol.impersonal(answer)
                        connection.execute(stored.update().where(stored.c.seq == seq).values(answer=rest))
            log = tables.events
            came = (log.c.study == self.id) & (log.c.judge == judge) & (log.c.kind == "registered")
            connection.execute(log.update().where(came).values(data={"panel": row.panel, "access": row.access}))
            self.turns.erase(connection, judge)
            self.context.free(connection, judge)
            now, left = self.context.clock(), 0 if answers else row.answered
            gone = {"forgotten_at": now, "withdrawn_at": row.withdrawn_at or now}
            self.context.update_judge(connection, judge, **gone, language="", answered=left)
            self.context.log(connection, "forgotten", judge, **counts)
            return counts

    def forget_expired(self) -> list[str]:
        """Forget every judge who registered longer ago than the study file's retention period; returns whom."""
        days = self.study.ethics.retention_days
        if not days:
            raise InputError("the study file states no retention period (ethics: retention_days)")
        limit = self.context.clock() - 86_400 * days
        old = [row["id"] for row in self.judges() if row["forgotten_at"] is None and row["registered_at"] < limit]
        for judge in old:
            self.forget(judge)
        return old
