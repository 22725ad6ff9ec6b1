"""Who the judges are, as far as the study knows it, and forgetting them."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from nlgauge.errors import InputError
from nlgauge.study.model import clean
from nlgauge.study.refusals import Refused
from nlgauge.study.service.qualification import Vetting
from nlgauge.study.store import tables


class Forgetting(Vetting):
    """What is kept of judges, and its end."""

    def judges(self, panel: str | None = None) -> list[dict[str, Any]]:
        """The judges, without anything personal."""
        table = tables.judges
        query = sa.select(table).where(table.c.study == self.id).order_by(table.c.registered_at, table.c.id)
        if panel is not None:
            query = query.where(table.c.panel == panel)
        with self.store.read() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def personal(self) -> dict[str, dict[str, str]]:
        """Answers to the questions about the judge, by judge and question."""
        table = tables.personal
        found: dict[str, dict[str, str]] = {}
        with self.store.read() as connection:
            for row in connection.execute(sa.select(table).where(table.c.study == self.id)):
                found.setdefault(row.judge, {})[row.question] = row.answer
        return found

    def find_judge(self, name: str) -> str:
        """A judge by id, by the token of a link, or by a platform's id (those who ask to be forgotten know one)."""
        ids, name = tables.platform_ids, clean(name)
        with self.store.read() as connection:
            known = connection.execute(
                sa.select(tables.judges.c.id).where(tables.judges.c.study == self.id, tables.judges.c.id == name)
            ).scalar_one_or_none()
            people = (
                connection.execute(
                    sa.select(ids.c.judge).where(ids.c.study == self.id, ids.c.person == name).distinct()
                )
                .scalars()
                .all()
            )
            if known is None and len(people) == 1:
                known = people[0]
            if known is None:
                token = name.rstrip("/").rpartition("/")[2]
                try:
                    known = self._link(connection, token).judge
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
        with self.store.write() as connection:
            row = self._judge(connection, judge, lock=True)
            mine = (stored.c.study == self.id) & (stored.c.judge == judge)
            counts = {
                "personal": self._erase(connection, tables.personal, judge),
                "platform_ids": self._erase(connection, tables.platform_ids, judge),
                "links": self._erase(connection, tables.links, judge),
                "judgements": 0,
            }
            if answers:
                table = tables.slots
                kept = sa.select(stored.c.id).where(mine)
                connection.execute(
                    table.update()
                    .where(table.c.study == self.id, table.c.judgement.in_(kept))
                    .values(judgement=None, holder=None, claim=None, expires_at=None)
                )
                counts["judgements"] = int(connection.execute(stored.delete().where(mine)).rowcount)
            else:
                connection.execute(stored.update().where(mine).values(reason="", client=""))
                if self.protocol.records:
                    for seq, answer in connection.execute(sa.select(stored.c.seq, stored.c.answer).where(mine)).all():
                        rest = self.protocol.impersonal(answer)
                        connection.execute(stored.update().where(stored.c.seq == seq).values(answer=rest))
            log = tables.events
            connection.execute(
                log.update()
                .where(log.c.study == self.id, log.c.judge == judge, log.c.kind == "registered")
                .values(data={"panel": row.panel, "access": row.access})
            )
            self._erase_records(connection, judge)
            self._free(connection, judge)
            now = self.clock()
            left = 0 if answers else row.answered
            self._update_judge(
                connection,
                judge,
                forgotten_at=now,
                withdrawn_at=row.withdrawn_at or now,
                language="",
                answered=left,
            )
            self._log(connection, "forgotten", judge, **counts)
            return counts

    def forget_expired(self) -> list[str]:
        """Forget every judge who registered longer ago than the study file's retention period; returns whom."""
        days = self.study.ethics.retention_days
        if not days:
            raise InputError("the study file states no retention period (ethics: retention_days)")
        limit = self.clock() - 86_400 * days
        old = [row["id"] for row in self.judges() if row["forgotten_at"] is None and row["registered_at"] < limit]
        for judge in old:
            self.forget(judge)
        return old

    def _erase(self, connection: sa.Connection, table: sa.Table, judge: str) -> int:
        done = connection.execute(table.delete().where(table.c.study == self.id, table.c.judge == judge))
        return int(done.rowcount)
