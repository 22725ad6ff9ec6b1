"""Judges arrive: personal links, the open link, recruiting platforms; consent; questions about the judge.

A token has two parts: by the first the link is found, the second (128 random bits) is compared in constant time.
Answers to questions and the platforms' ids are kept in tables of their own, apart from the judgements.
"""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

import sqlalchemy as sa

from nlgauge.study.file.questionnaire import checked
from nlgauge.study.file.study import Study
from nlgauge.study.model import Link, clean
from nlgauge.study.refusals import Refused
from nlgauge.study.service.context import ADDED, Base, added
from nlgauge.study.store import queries, tables

SELECTOR = 12  # characters of a token that find the link; the others are compared
BESIDE = ("STUDY_ID", "SESSION_ID", "assignmentId", "hitId")  # what platforms add to a person's id

VISIT = ("SESSION_ID", "assignmentId")  # of these, what is one person's and one visit's
REGISTRATIONS = 1_000  # by a link that says no other number: those who never answer take no place
DAY = 86_400.0  # seconds


def wording_of(study: Study, number: int) -> str:
    """The wording that the n-th judge of a machine's panel reads: machines take turns."""
    return study.wordings[(number - 1) % len(study.wordings)] if study.wordings else ""


class Registering(Base):
    """What judges do before they see a text."""

    def follow(self, token: str, *, language: str = "", client: str = "") -> str:
        """The judge of a personal link, registered at the first visit."""
        with self.store.glance() as connection:
            link = self._link(connection, token)
        if link.kind != "personal":
            raise Refused("stage", "this is the open link: register first")
        if link.judge:
            return str(link.judge)
        with self.store.write() as connection:
            link = self._link(connection, token, lock=True)
            if link.judge:
                return str(link.judge)
            judge = self._register(connection, link.panel, "link", language, client)
            table = tables.links
            connection.execute(
                table.update().where(table.c.study == self.id, table.c.selector == link.selector).values(judge=judge)
            )
            return judge

    def panel_of(self, token: str) -> str:
        """The panel of an open link or of a platform's."""
        with self.store.glance() as connection:
            return self._panel_of(connection, token)

    def _panel_of(self, connection: sa.Connection, token: str) -> str:
        link = self._link(connection, token)
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

    def register(self, panel: str, *, access: str = "open", language: str = "", client: str = "") -> tuple[str, str]:
        """A new judge who came without a personal link, and the token of the link that is theirs from now on."""
        self._panel(panel)
        with self.store.write() as connection:
            self._room(connection, panel)
            if access == "open":
                self._refuse_flood(connection, panel)
            judge = self._register(connection, panel, access, language, client)
            return judge, self._new_link(connection, panel, "personal", judge).token

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
        self._panel(panel)
        person = clean(person).strip()
        if not person or len(person) > 256:
            raise Refused("invalid", "the platform's id must have between 1 and 256 characters")
        ids, links = tables.platform_ids, tables.links
        with self.store.write() as connection:
            self._alone(connection, f"{platform}/{person}")  # the same id twice at once
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
            judge = self._register(connection, panel, "platform", language, client)
            connection.execute(
                ids.insert().values(study=self.id, platform=platform, person=person, judge=judge, data=dict(data or {}))
            )
            return judge, self._new_link(connection, panel, "personal", judge).token

    def _link(self, connection: sa.Connection, token: str, *, lock: bool = False) -> Any:
        values = {"b_study": self.id, "b_selector": token[:SELECTOR]}
        query = queries.link_locked if lock else queries.link
        row = query.one(connection, values)
        secret = (row.secret if row is not None else "0" * 32).encode()
        same = hmac.compare_digest(secret, token[SELECTOR:].encode("utf-8", "replace"))
        if row is None or not same:
            raise Refused("unknown", "this link is not valid; check that it was copied whole")
        return row

    def _new_link(
        self, connection: sa.Connection, panel: str, kind: str, judge: str | None = None, number: int = 0
    ) -> Link:
        secret, selector = self.generator(), self.generator()[:SELECTOR]
        row: dict[str, Any] = {
            "study": self.id,
            "selector": selector,
            "secret": secret,
            "panel": panel,
            "kind": kind,
        }
        row |= {"judge": judge, "created_at": self.clock(), "number": number}
        queries.add_link.do(connection, row)
        return Link(selector + secret, panel, kind, judge, number)

    def _register(
        self,
        connection: sa.Connection,
        panel: str,
        access: str,
        language: str,
        client: str,
        *,
        wording: str | None = None,
    ) -> str:
        """A new judge; people are dealt a wording of the questions, a machine brings its own."""
        if access != "machine":
            self._check_kind(connection)
        if wording is None:
            wording = self._dealt_wording(connection, panel)
        judge = f"j{self.generator()[:16]}"
        values = {
            "study": self.id,
            "id": judge,
            "panel": panel,
            "access": "simulated" if self.simulated and access != "machine" else access,
            "language": language,
            "registered_at": self.clock(),
            "wording": wording,
        }
        queries.add_judge.do(connection, values)
        told = {"panel": panel, "access": access, "client": clean(client)[:500]}
        self._log(connection, "registered", judge, **told | ({"wording": wording} if wording else {}))
        return judge

    def _dealt_wording(self, connection: sa.Connection, panel: str) -> str:
        """The wording for a new judge of a panel: the one that fewest have, drawn by the seed where several do.

        So each two judges (three of three wordings …) are a block. Who left, failed, was excluded or went silent does
        not count: whoever takes their place takes their wording.
        """
        names = self.study.wordings
        if not names:
            return ""
        self._alone(connection, f"{panel}/wording")
        judges, slots, now = tables.judges, tables.slots, self.clock()
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
        out = self._excluded(connection)
        given = Counter(row.wording for row in there if row.id not in out)
        least = min(given[name] for name in names)
        few = [name for name in names if given[name] == least]
        return Random(f"{self.study.seed}/{panel}/wording/{every}").choice(few)

    def _check_kind(self, connection: sa.Connection) -> None:
        """Simulated and real answers never meet in one study."""
        kind = self._check_open(connection)
        if kind == "simulated" and not self.simulated:
            raise Refused(
                "simulated",
                "this study was rehearsed with simulated judges; launch it afresh for real ones: "
                "nlgauge study launch DIR --fresh",
            )
        if kind == "live" and self.simulated:
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
        if not self.places(connection, panel):
            raise Refused("full", "all evaluations of this study have been taken; thank you for coming")

    def places(self, connection: sa.Connection, panel: str, judge: str = "") -> bool:
        """Whether anything is left for a judge of a panel, as far as can be told now."""
        if self.study.extra == "continue":
            return True
        values = {"b_study": self.id, "b_judge": judge, "b_panel": panel, "b_now": self.clock()}
        return queries.any_slot.one(connection, values) is not None

    def _refuse_flood(self, connection: sa.Connection, panel: str) -> None:
        """Refuse more registrations by the open link or a platform's than are allowed: whoever knows it can send any
        number. Who has answered nothing counts for a day, so that nobody shuts the study for good."""
        asked, table, log = self._panel(panel), tables.judges, tables.events
        self._alone(connection, panel)
        query = sa.select(log.c.kind, log.c.data).where(log.c.study == self.id, log.c.kind == ADDED)
        more = added(dict(row) for row in connection.execute(query).mappings()).get(panel, 0)
        here = (
            (table.c.study == self.id)
            & (table.c.panel == panel)
            & (table.c.access.in_(("open", "platform", "simulated")))
            & ((table.c.answered > 0) | (table.c.registered_at > self.clock() - DAY))
        )
        most = asked.registrations or max(REGISTRATIONS, 20 * (asked.judges + more))
        if connection.execute(sa.select(sa.func.count()).select_from(table).where(here)).scalar_one() >= most:
            raise Refused("full", "as many people have registered by this link as it allows")

    def _alone(self, connection: sa.Connection, what: str) -> None:
        """Wait for others who register the same; SQLite has one writer anyway."""
        if self.store.engine.dialect.name == "postgresql":
            lock = sa.func.hashtextextended(f"{self.id}/{what}", 0)
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(lock)))

    def forgotten(self, judge: str) -> bool:
        """Whether everything about a judge was erased."""
        table = tables.judges
        query = sa.select(table.c.forgotten_at).where(table.c.study == self.id, table.c.id == judge)
        with self.store.glance() as connection:
            return connection.execute(query).scalar_one_or_none() is not None

    def consent(self, judge: str, agreed: bool) -> None:
        """What a judge answered to the consent page; who refuses is thanked and leaves."""
        with self.store.write() as connection:
            row = self._judge(connection, judge, lock=True)
            self._present(row)
            if row.consented_at is None and agreed:
                self._update_judge(connection, judge, consented_at=self.clock())
                self._log(connection, "consented", judge)
            elif not agreed:
                self._leave(connection, judge, "declined")

    def answer_questions(self, judge: str, answers: Mapping[str, str]) -> None:
        """Answers to the questions about the judge: kept apart from the judgements, erased on request."""
        stored = checked(self.study.questions, answers)
        with self.store.write() as connection:
            row = self._judge(connection, judge, lock=True)
            self._keep_answers(connection, row, "questions", stored)

    def answer_closing(self, judge: str, answers: Mapping[str, str]) -> None:
        """Answers to the questions at the end, after the last judgement; kept as those about the judge are."""
        stored = checked(self.study.closing, answers)
        with self.store.write() as connection:
            row = self._judge(connection, judge, lock=True)
            if not self.study.closing or row.finished_at is None:
                raise Refused("stage", "the questions at the end come after the last text")
            self._keep_answers(connection, row, "closing", stored)

    def _keep_answers(self, connection: sa.Connection, row: Any, kind: str, stored: Mapping[str, str]) -> None:
        """Store the answers to the `questions` or the `closing` ones of the study, once."""
        self._present(row)
        if getattr(row, f"{kind}_at") is not None:
            names = {question.id for question in getattr(self.study, kind)}
            known = self._personal(connection, row.id)
            if stored != {name: known[name] for name in known if name in names}:
                raise Refused("answered", "these questions have been answered; the answers were kept")
            return  # sent twice
        now = self.clock()
        for name, answer in stored.items():
            given = {"study": self.id, "judge": row.id, "question": name, "answer": answer, "at": now}
            queries.add_personal.do(connection, given)
        self._update_judge(connection, row.id, **{f"{kind}_at": now})
        self._log(connection, kind, row.id, answered=len(stored))

    def _personal(self, connection: sa.Connection, judge: str) -> dict[str, str]:
        """What a judge answered to the questions about them and at the end."""
        table = tables.personal
        mine = sa.select(table.c.question, table.c.answer).where(table.c.study == self.id, table.c.judge == judge)
        return {row.question: row.answer for row in connection.execute(mine)}

    def set_language(self, judge: str, language: str) -> None:
        """The language in which a judge reads the pages."""
        if language not in self.study.spoken:
            raise Refused("invalid", f"the study has no pages in {language!r}")
        with self.store.write() as connection:
            self._judge(connection, judge, lock=True)
            self._update_judge(connection, judge, language=language)
