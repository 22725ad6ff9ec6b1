"""Judges are left out of the analysis, and let in again: events with reasons, never a change of what they answered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from nlgauge.errors import InputError
from nlgauge.study import store as tables
from nlgauge.study.refusals import Refused
from nlgauge.study.reviewing import Reviewing

LONGEST = 500  # characters of a reason


def excluded(events: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Who is left out as the log has it now, each with the reason."""
    found: dict[str, str] = {}
    for event in events:
        if event["kind"] == "excluded" and event["judge"]:
            found[event["judge"]] = str(event["data"].get("reason") or "no reason given")
        elif event["kind"] == "readmitted":
            found.pop(event["judge"], None)
    return found


class Excluding(Reviewing):
    """What the researcher decides about judges; both analyses are shown."""

    def excluded(self) -> dict[str, str]:
        """Who is left out now, each with the reason."""
        with self.store.read() as connection:
            return self._excluded(connection)

    def _excluded(self, connection: sa.Connection) -> dict[str, str]:
        table = tables.events
        query = sa.select(table.c.kind, table.c.judge, table.c.data).where(
            table.c.study == self.id, table.c.kind.in_(("excluded", "readmitted"))
        )
        rows = connection.execute(query.order_by(table.c.seq)).mappings()
        return excluded(dict(row) for row in rows)

    def exclude(self, judge: str, reason: str, *, rule: bool = False) -> None:
        """Leave a judge out of the analysis; what they answered stays stored."""
        self._decide("excluded", judge, reason, rule=rule)

    def readmit(self, judge: str, reason: str) -> None:
        """Let a judge in again who was left out."""
        self._decide("readmitted", judge, reason)

    def exclude_by_rule(self) -> dict[str, str]:
        """Leave out everybody whom the rule of the study file leaves out; those left out before stay so."""
        before = self.excluded()
        found = self.protocol.rule_excludes(self.frozen, self.judgements())
        fresh = {judge: reason for judge, reason in found.items() if judge not in before}
        for judge, reason in fresh.items():
            self.exclude(judge, reason, rule=True)
        return fresh

    def _decide(self, kind: str, judge: str, reason: str, *, rule: bool = False) -> None:
        words = reason.strip()
        if not words or len(words) > LONGEST or not words.isprintable():
            raise InputError(
                f"a reason of 1 to {LONGEST} characters on one line is needed, because the analysis and the statement "
                "tell it (--reason …)"
            )
        with self.store.write() as connection:
            self._judge(connection, judge, lock=True)
            out = judge in self._excluded(connection)
            if out == (kind == "excluded"):
                raise Refused(
                    "stage",
                    f"the judge {judge} is {'left out already' if out else 'not left out'}; nothing was changed",
                )
            data: dict[str, Any] = {"reason": words} | ({"rule": True} if rule else {})
            self._log(connection, kind, judge, **data)
