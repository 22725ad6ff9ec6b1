"""Judges are left out of the analysis, and let in again: events with reasons, never a change of what they answered."""

from __future__ import annotations

from typing import Any

from nlgauge.errors import InputError
from nlgauge.study.refusals import Refused
from nlgauge.study.service.reviewing import Reviewing

LONGEST = 500  # characters of a reason


class Excluding(Reviewing):
    """What the researcher decides about judges; both analyses are shown."""

    def excluded(self) -> dict[str, str]:
        """Who is left out now, each with the reason."""
        with self.store.read() as connection:
            return self._excluded(connection)

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
