"""Judges arrive: personal links, the open link, recruiting platforms.

A token has two parts: by the first the link is found, the second (128 random bits) is compared in constant time. The
platforms' ids are kept in a table of their own, apart from the judgements.
"""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

import sqlalchemy as sa

from nlgauge.errors import InputError
from nlgauge.study.model import Link, clean
from nlgauge.study.refusals import Refused
from nlgauge.study.service.context import ADDED, Context, added
from nlgauge.study.service.quality import Quality
from nlgauge.study.store import queries, tables

SELECTOR = 12  # characters of a token that find the link; the others are compared
BESIDE = ("STUDY_ID", "SESSION_ID", "assignmentId", "hitId")  # what platforms add to a person's id

VISIT = ("SESSION_ID", "assignmentId")  # of these, what is one person's and one visit's
REGISTRATIONS = 1_000  # by a link that says no other number: those who never answer take no place
DAY = 86_400.0  # seconds


class Arrivals:
    """Links, and the judges who come by them."""

    def __init__(self, context: Context, quality: Quality) -> None:
        self.context, self.store, self.study, self.id = context, context.store, context.study, context.id
        self.quality = quality

    def follow(self, token: str, *, language: str = "", client: str = "") -> str:
        """The judge of a personal link, registered at the first visit."""
        with self.store.glance() as connection:
            link = self.link(connection, token)
        if link.kind != "personal":
            raise Refused("stage", "this is the open link: register first")
        if link.judge:
            return str(link.judge)
        with self.store.write() as connection:
            link = self.link(connection, token, lock=True)
            if link.judge:
                return str(link.judge)
            judge = self.new_judge(connection, link.panel, "link", language=language, client=client)
            links = tables.links
            own = (links.c.study == self.id) & (links.c.selector == link.selector)
            connection.execute(links.update().where(own).values(judge=judge))
            return judge

    def panel_of(self, token: str) -> str:
        """The panel of an open link or of a platform's."""
        with self.store.glance() as connection:
            return self._panel_of(connection, token)

    def _panel_of(self, connection: sa.Connection, token: str) -> str:
        link = self.link(connection, token)
        if link.kind == "personal":
            raise Refused("stage", "this is a personal link, not the open one")
        return str(link.panel)

    def welcome(self, token: str) -> str:
        """The panel of an open link, where a new judge may come now."""
        with self.store.glance() as connection:
            panel = self._panel_of(connection, token)
            self._check_open(connection)
            self._room(connection, panel)
            return panel

    def judge_of(self, token: str) -> str | None:
        """The judge of a personal link, where one has registered; registers nobody."""
        with self.store.glance() as connection:
            judge = self.link(connection, token).judge
        return None if judge is None else str(judge)

    def invited(self, token: str) -> str:
        """The panel of a link of any kind, whether anybody followed it or not; registers nobody."""
        with self.store.read() as connection:
            return str(self.link(connection, token).panel)

    def register(self, panel: str, *, access: str = "open", language: str = "", client: str = "") -> tuple[str, str]:
        """A new judge who came without a personal link, and the token of the link that is theirs from now on."""
        self.context.panel(panel)
        with self.store.write() as connection:
            self._room(connection, panel)
            if access == "open":
                self._refuse_flood(connection, panel)
            judge = self.new_judge(connection, panel, access, language=language, client=client)
            return judge, self.new_link(connection, panel, "personal", judge).token

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
        """The judge whom a recruiting platform knows by an id; the same id is the same judge.

        Ids are no secrets. Who comes again without having `proven` to be the same person (a cookie, on the site) must
        bring the same session or assignment of the platform as at first, which only the platform and they know.
        """
        self.quality.admit(platform, person)
        self.context.panel(panel)
        person = clean(person).strip()
        if not person or len(person) > 256:
            raise Refused("invalid", "the platform's id must have between 1 and 256 characters")
        ids, links = tables.platform_ids, tables.links
        with self.store.write() as connection:
            self.context.alone(connection, f"{platform}/{person}")  # the same id twice at once
            known = connection.execute(
                sa.select(links, ids.c.data)
                .join(ids, (ids.c.study == links.c.study) & (ids.c.judge == links.c.judge))
                .where(ids.c.study == self.id, ids.c.platform == platform, ids.c.person == person)
            ).one_or_none()
            if known is not None:
                same = [key for key in VISIT if known.data.get(key)]
                if not proven and not any(known.data[key] == (data or {}).get(key) for key in same):
                    raise Refused("elsewhere", "who has this id began before, in another browser: go on there")
                return str(known.judge), known.selector + known.secret
            self._room(connection, panel)
            self._refuse_flood(connection, panel)
            judge = self.new_judge(connection, panel, "platform", language=language, client=client)
            came = {"study": self.id, "platform": platform, "person": person, "judge": judge, "data": dict(data or {})}
            connection.execute(ids.insert().values(came))
            return judge, self.new_link(connection, panel, "personal", judge).token

    def links(self, panel: str | None = None) -> list[Link]:
        """The links to send: personal ones by number, and open ones."""
        table = tables.links
        query = sa.select(table).where(table.c.study == self.id, (table.c.number > 0) | (table.c.kind != "personal"))
        query = query.order_by(table.c.panel, table.c.kind, table.c.number)
        if panel is not None:
            self.context.panel(panel)
            query = query.where(table.c.panel == panel)
        with self.store.read() as connection:
            return [
                Link(row.selector + row.secret, row.panel, kind=row.kind, judge=row.judge, number=row.number)
                for row in connection.execute(query)
            ]

    def more_links(self, panel: str, count: int) -> list[Link]:
        """Make further personal links for a panel."""
        self.context.panel(panel)
        if not 1 <= count <= 100_000:
            raise InputError(f"the number of links must be between 1 and 100,000, not {count}")
        with self.store.write() as connection:
            self.context.lock_panel(connection, panel)
            return self.further_links(connection, panel, count)

    def further_links(self, connection: sa.Connection, panel: str, count: int) -> list[Link]:
        """The same in a transaction."""
        table = tables.links
        own = (table.c.study == self.id) & (table.c.panel == panel)
        first = (connection.execute(sa.select(sa.func.max(table.c.number)).where(own)).scalar_one() or 0) + 1
        made = [self.new_link(connection, panel, "personal", number=number) for number in range(first, first + count)]
        self.context.log(connection, "links", panel=panel, count=count)
        return made

    def link(self, connection: sa.Connection, token: str, *, lock: bool = False) -> Any:
        """The row of a link, refused where the token is none."""
        values = {"b_study": self.id, "b_selector": token[:SELECTOR]}
        query = queries.link_locked if lock else queries.link
        row = query.one(connection, values)
        secret = (row.secret if row is not None else "0" * 32).encode()
        same = hmac.compare_digest(secret, token[SELECTOR:].encode("utf-8", "replace"))
        if row is None or not same:
            raise Refused("unknown", "this link is not valid; check that it was copied whole")
        return row

    def new_link(
        self, connection: sa.Connection, panel: str, kind: str, judge: str | None = None, number: int = 0
    ) -> Link:
        """Make a link to a panel."""
        secret, selector = self.context.generator(), self.context.generator()[:SELECTOR]
        row: dict[str, Any] = {"study": self.id, "selector": selector, "secret": secret, "panel": panel, "kind": kind}
        row |= {"judge": judge, "created_at": self.context.clock(), "number": number}
        queries.add_link.do(connection, row)
        return Link(selector + secret, panel, kind=kind, judge=judge, number=number)

    def new_judge(
        self, connection: sa.Connection, panel: str, access: str, *, client: str, language: str = "", wording: str = ""
    ) -> str:
        """A new judge; people are dealt a wording of the questions, a machine brings its own."""
        if access != "machine":
            self._check_kind(connection)
            wording = self._dealt_wording(connection, panel)
        judge = f"j{self.context.generator()[:16]}"
        kind = "simulated" if self.context.simulated and access != "machine" else access
        values: dict[str, Any] = {"study": self.id, "id": judge, "panel": panel, "access": kind, "language": language}
        values |= {"registered_at": self.context.clock(), "wording": wording}
        queries.add_judge.do(connection, values)
        data = {"panel": panel, "access": access, "client": clean(client)[:500]}
        self.context.log(connection, "registered", judge, **data | ({"wording": wording} if wording else {}))
        return judge

    def _dealt_wording(self, connection: sa.Connection, panel: str) -> str:
        """The wording for a new judge of a panel: the one that fewest have, drawn by the seed where several do.

        So each two judges (three of three wordings …) are a block. Who left, failed, was excluded or went silent does
        not count: whoever takes their place takes their wording.
        """
        names = self.study.wordings
        if not names:
            return ""
        self.context.alone(connection, f"{panel}/wording")
        judges, slots, now = tables.judges, tables.slots, self.context.clock()
        own = (judges.c.study == self.id) & (judges.c.panel == panel)
        every = connection.execute(sa.select(sa.func.count()).select_from(judges).where(own)).scalar_one()
        holds = sa.exists().where(slots.c.study == self.id, slots.c.holder == judges.c.id, slots.c.expires_at > now)
        there = connection.execute(
            sa.select(judges.c.id, judges.c.wording).where(
                own,
                judges.c.withdrawn_at.is_(None),
                judges.c.forgotten_at.is_(None),
                judges.c.failed == "",
                judges.c.finished_at.is_not(None) | (judges.c.registered_at > now - 60 * self.study.timeout) | holds,
            )
        ).all()
        out = self.context.excluded(connection)
        given = Counter(row.wording for row in there if row.id not in out)
        least = min(given[name] for name in names)
        few = [name for name in names if given[name] == least]
        return Random(f"{self.study.seed}/{panel}/wording/{every}").choice(few)

    def _check_kind(self, connection: sa.Connection) -> None:
        """Simulated and real answers never meet in one study."""
        kind = self._check_open(connection)
        if kind == "simulated" and not self.context.simulated:
            raise Refused(
                "simulated",
                "this study was rehearsed with simulated judges; launch it afresh for real ones: "
                "nlgauge study launch DIR --fresh",
            )
        if kind == "live" and self.context.simulated:
            # the first of several that come at once marks the study, the others wait and see it marked
            if queries.study_locked.one(connection, {"b_study": self.id}).kind == "simulated":
                return
            judges = tables.judges
            people = (judges.c.study == self.id) & (judges.c.access != "machine")
            if connection.execute(sa.select(judges.c.id).where(people).limit(1)).first():
                raise Refused("simulated", "this study has real judges; simulate a copy of it, or use --scratch")
            table = tables.studies
            connection.execute(table.update().where(table.c.id == self.id).values(kind="simulated"))

    def _check_open(self, connection: sa.Connection) -> str:
        """Refuse a new judge of a study that is closed or paused; says whether its judges are real."""
        kind, status = queries.study.one(connection, {"b_study": self.id})
        if status == "closed":
            raise Refused("closed", "this study is closed")
        if status == "paused":  # before anybody spends time on questions and practice
            raise Refused("paused", "this study is paused; please come again later")
        return str(kind)

    def _room(self, connection: sa.Connection, panel: str) -> None:
        """Refuse a judge for whom nothing is left, before they spend time on questions."""
        if not self.context.places(connection, panel):
            raise Refused("full", "all evaluations of this study have been taken; thank you for coming")

    def _refuse_flood(self, connection: sa.Connection, panel: str) -> None:
        """Refuse more registrations by the open link or a platform's than are allowed: whoever knows it can send any
        number. Who has answered nothing counts for a day, so that nobody shuts the study for good."""
        asked, table, log = self.context.panel(panel), tables.judges, tables.events
        self.context.alone(connection, panel)
        query = sa.select(log.c.kind, log.c.data).where(log.c.study == self.id, log.c.kind == ADDED)
        more = added(dict(row) for row in connection.execute(query).mappings()).get(panel, 0)
        here = (
            (table.c.study == self.id)
            & (table.c.panel == panel)
            & (table.c.access.in_(("open", "platform", "simulated")))
            & ((table.c.answered > 0) | (table.c.registered_at > self.context.clock() - DAY))
        )
        most = asked.registrations or max(REGISTRATIONS, 20 * (asked.judges + more))
        if connection.execute(sa.select(sa.func.count()).select_from(table).where(here)).scalar_one() >= most:
            raise Refused("full", "as many people have registered by this link as it allows")
