"""Judges vetted by their past record: who did well enough before is let in, and the record may weight them.

A record says for each person, by the id of the recruiting platform, how many of so many answers with a known truth were
right: attention checks, damaged copies told, agreement with experts. The log keeps it under a hash of study and id, so
that no platform's id leaves the table that a request to be forgotten erases.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa

from nlgauge.errors import InputError
from nlgauge.io.files import StrPath
from nlgauge.io.rows import plain_number
from nlgauge.io.tables import chunks
from nlgauge.study.refusals import Refused
from nlgauge.study.service.discussion import Discussing
from nlgauge.study.store import tables

EVENT = "vetted"
SIZE = 8192
Unknown = Literal["admit", "refuse"]


@dataclass(frozen=True)
class Record:
    """A person's past: right answers of so many."""

    right: int
    asked: int

    @property
    def share(self) -> float:
        """Of right answers."""
        return self.right / self.asked


def read_record(path: StrPath) -> dict[str, Record]:
    """A file with the columns id, right and asked; every person once."""
    found: dict[str, Record] = {}
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
            if name in found:
                raise InputError(f"{place}: the person {name!r} occurs twice; add their records up")
            found[name] = Record(right, asked)
    if not found:
        raise InputError(f"{path} holds no record of a judge")
    return found


class Vetting(Discussing):
    """Who may take part, by what they did before."""

    def vet(self, record: Mapping[str, Record], *, least: float = 0.0, unknown: Unknown = "admit") -> int:
        """Put a record into the log; returns how many people it refuses from now on. A later record replaces it."""
        if not 0 <= least <= 1:
            raise InputError(f"the least share of right answers must lie between 0 and 1, not {least:g}")
        people = {self._hashed(name): [one.right, one.asked] for name, one in record.items()}
        with self.store.write() as connection:
            self._log(connection, EVENT, least=least, unknown=unknown, people=people)
        return sum(one.share < least for one in record.values())

    def register_platform(
        self,
        panel: str,
        platform: str,
        person: str,
        *,
        data: Mapping[str, str] | None = None,
        language: str = "",
        client: str = "",
        proven: bool = True,
    ) -> tuple[str, str]:
        """The judge whom a platform knows by an id, where the record admits them."""
        rules = self._vetted()
        if rules and not self._known_person(platform, person.strip()):
            own = rules["people"].get(self._hashed(person.strip()))
            low = own is not None and own[0] / own[1] < rules["least"]
            if low or (own is None and rules["unknown"] == "refuse"):
                raise Refused("vetted", "this study takes judges by their record in earlier ones")
        return super().register_platform(
            panel, platform, person, data=data, language=language, client=client, proven=proven
        )

    def records(self) -> dict[str, Record]:
        """The past of this study's judges, as far as the record knows them."""
        rules = self._vetted()
        if not rules:
            return {}
        ids = tables.platform_ids
        with self.store.read() as connection:
            rows = connection.execute(sa.select(ids.c.person, ids.c.judge).where(ids.c.study == self.id)).all()
        found = {row.judge: rules["people"].get(self._hashed(row.person)) for row in rows}
        return {judge: Record(*own) for judge, own in found.items() if own is not None}

    def persons(self) -> dict[str, str]:
        """The platform's id of each judge who came by one."""
        ids = tables.platform_ids
        with self.store.read() as connection:
            rows = connection.execute(sa.select(ids.c.person, ids.c.judge).where(ids.c.study == self.id)).all()
        return {row.judge: row.person for row in rows}

    def _vetted(self) -> dict[str, Any]:
        found = self.events(EVENT)
        return dict(found[-1]["data"]) if found else {}

    def _known_person(self, platform: str, person: str) -> bool:
        """Whether somebody is a judge already: nobody is sent away in the middle."""
        ids = tables.platform_ids
        with self.store.read() as connection:
            query = sa.select(ids.c.judge).where(
                ids.c.study == self.id, ids.c.platform == platform, ids.c.person == person
            )
            return connection.execute(query).first() is not None

    def _hashed(self, person: str) -> str:
        return hashlib.sha256(f"{self.frozen.digest}/{person}".encode()).hexdigest()
