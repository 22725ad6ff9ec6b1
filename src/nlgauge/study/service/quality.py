"""Quality control by what judges did: their past record vets them, and the researcher leaves judges out with a reason.

Exclusions are events, never a change of what was answered. A record says for each person, by the id of the recruiting
platform, how many of so many answers with a known truth were right: attention checks, damaged copies told, agreement
with experts. The log keeps it under a hash of study and id, so that no platform's id leaves the table that a request to
be forgotten erases.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from nlgauge.errors import InputError, option
from nlgauge.io.files import StrPath
from nlgauge.io.rows import plain_number
from nlgauge.io.tables import chunks
from nlgauge.study.refusals import Refused
from nlgauge.study.service.context import Context
from nlgauge.study.store import tables

EVENT = "vetted"
SIZE = 8192
LONGEST = 500  # characters of a reason
Unknown = Literal["admit", "refuse"]


@dataclass(frozen=True)
class Record:
    """A person's past: right answers of so many."""

    right: int
    asked: int

    @property
    def share(self) -> float:
        """The share of right answers."""
        return self.right / self.asked


def read_record(path: StrPath) -> dict[str, Record]:
    """A file with the columns id, right and asked; every person once."""
    record: dict[str, Record] = {}
    for chunk in chunks(path, SIZE, any_header=True, each="person"):
        for number, row in enumerate(chunk.rows):
            place = chunk.at(number)
            if not isinstance(row, dict) or not {"id", "right", "asked"} <= set(row):
                raise InputError(f"{place}: expected the columns id, right and asked of a record of judges")
            name = str(row["id"]).strip()
            try:
                plain_number(row["right"]), plain_number(row["asked"])
                right, asked = int(row["right"]), int(row["asked"])
            except (TypeError, ValueError):
                raise InputError(f"{place}: right and asked must be whole numbers") from None
            if not name or not 0 <= right <= asked or not asked:
                raise InputError(f"{place}: expected an id, and right answers from 0 to asked, with asked at least 1")
            if name in record:
                raise InputError(f"{place}: the person {name!r} occurs twice; add their records up")
            record[name] = Record(right, asked)
    if not record:
        raise InputError(f"{path} holds no record of a judge")
    return record


class Quality:
    """Who may take part, and who is left out of the analysis."""

    def __init__(self, context: Context) -> None:
        self.context, self.store, self.id = context, context.store, context.id

    def vet(self, record: Mapping[str, Record], *, least: float = 0.0, unknown: Unknown = "admit") -> int:
        """Put a record into the log; returns how many people it refuses from now on. A later record replaces it."""
        if not 0 <= least <= 1:
            raise InputError(f"the least share of right answers must lie between 0 and 1, not {least:g}")
        people = {self._hashed(name): [past.right, past.asked] for name, past in record.items()}
        with self.store.write() as connection:
            self.context.log(connection, EVENT, least=least, unknown=unknown, people=people)
        return sum(past.share < least for past in record.values())

    def admit(self, platform: str, person: str) -> None:
        """Refuse a new judge whom a platform knows by this id, where the record does not admit them."""
        rules = self._vetted()
        if rules and not self._known_person(platform, person.strip()):
            past = rules["people"].get(self._hashed(person.strip()))
            low = past is not None and past[0] / past[1] < rules["least"]
            if low or (past is None and rules["unknown"] == "refuse"):
                raise Refused("vetted", "this study takes judges by their record in earlier ones")

    def records(self) -> dict[str, Record]:
        """The past of this study's judges, as far as the record knows them."""
        rules = self._vetted()
        if not rules:
            return {}
        persons = self.context.persons().items()
        known = {judge: rules["people"].get(self._hashed(person)) for judge, person in persons}
        return {judge: Record(*past) for judge, past in known.items() if past is not None}

    def _vetted(self) -> dict[str, Any]:
        events = self.context.events(EVENT)
        return dict(events[-1]["data"]) if events else {}

    def _known_person(self, platform: str, person: str) -> bool:
        """Whether somebody is a judge already: nobody is sent away in the middle."""
        ids = tables.platform_ids
        with self.store.read() as connection:
            query = sa.select(ids.c.judge).where(
                ids.c.study == self.id, ids.c.platform == platform, ids.c.person == person
            )
            return connection.execute(query).first() is not None

    def _hashed(self, person: str) -> str:
        return hashlib.sha256(f"{self.context.frozen.digest}/{person}".encode()).hexdigest()

    def excluded(self) -> dict[str, str]:
        """Who is left out now, each with the reason."""
        with self.store.read() as connection:
            return self.context.excluded(connection)

    def exclude(self, judge: str, reason: str, *, rule: bool = False) -> None:
        """Leave a judge out of the analysis; what they answered stays stored."""
        self._decide("excluded", judge, reason, rule=rule)

    def readmit(self, judge: str, reason: str) -> None:
        """Let a judge in again who was left out."""
        self._decide("readmitted", judge, reason)

    def exclude_by_rule(self) -> dict[str, str]:
        """Leave out everybody whom the rule of the study file leaves out; those left out before stay so."""
        before = self.excluded()
        out = self.context.protocol.rule_excludes(self.context.frozen, self.context.judgements())
        fresh = {judge: reason for judge, reason in out.items() if judge not in before}
        for judge, reason in fresh.items():
            self.exclude(judge, reason, rule=True)
        return fresh

    def _decide(self, kind: str, judge: str, reason: str, *, rule: bool = False) -> None:
        words = reason.strip()
        if not words or len(words) > LONGEST or not words.isprintable():
            raise InputError(
                f"a reason of 1 to {LONGEST} characters on one line is needed, because the analysis and the statement "
                f"tell it ({option('reason')} …)"
            )
        with self.context.locked(judge) as (connection, _):
            out = judge in self.context.excluded(connection)
            if out == (kind == "excluded"):
                how = "left out already" if out else "not left out"
                raise Refused("stage", f"the judge {judge} is {how}; nothing was changed")
            data: dict[str, Any] = {"reason": words} | ({"rule": True} if rule else {})
            self.context.log(connection, kind, judge, **data)
