"""A discussion round: judges see where they differ, what the others answered, and judge these texts again.

The round is an event that names the texts; answers of the round are corrections in the store, so that the earlier one
is kept beside each, and the analysis compares both rounds. Nobody learns who answered what. A round opens when all
planned answers are there or the study is closed: before that it would move judgements that are still to come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from nlgauge.errors import InputError
from nlgauge.study.model import Evaluation, Judgement, Receipt, Round, Slot, Step, Talk
from nlgauge.study.refusals import Refused
from nlgauge.study.service.quality import Excluding
from nlgauge.study.store import tables

OPENED, ENDED = "discussion", "discussed"


class Discussing(Excluding):
    """The verbs of a discussion."""

    def discussion(self) -> Round | None:
        """The round that is open, or None."""
        with self.store.glance() as connection:
            return self._round(connection)

    def _round(self, connection: sa.Connection) -> Round | None:
        table = tables.events
        rows = connection.execute(
            sa.select(table.c.kind, table.c.data)
            .where(table.c.study == self.id, table.c.kind.in_((OPENED, ENDED)))
            .order_by(table.c.seq.desc())
            .limit(1)
        ).all()
        if not rows or rows[0].kind == ENDED:
            return None
        data = rows[0].data
        return Round(int(data["round"]), tuple(data["texts"]), bool(data.get("comments")))

    def _open_round(self, texts: Sequence[str], *, least: float, comments: bool) -> Round:
        unknown = [name for name in texts if name not in self.frozen.text]
        if unknown or not texts:
            raise InputError("no text is to be discussed" if not texts else f"there is no text {unknown[0]!r}")
        before = len(self.events(OPENED))
        with self.store.write() as connection:
            if self._round(connection) is not None:
                raise Refused("stage", "a discussion is open already; end it first (study discuss DIR --end)")
            data: dict[str, Any] = {"round": before + 1, "texts": list(texts), "least": least}
            self._log(connection, OPENED, **data, comments=comments)
        return Round(before + 1, tuple(texts), comments)

    def end_discussion(self) -> None:
        """No more answers of the round are taken."""
        with self.store.write() as connection:
            found = self._round(connection)
            if found is None:
                raise Refused("stage", "no discussion is open; nothing was changed")
            self._log(connection, ENDED, round=found.number)

    def look(self, judge: str, *, greet: bool = False) -> Step | None:
        """What a judge is to see next: who has finished and has texts to discuss sees these."""
        step = super().look(judge, greet=greet)
        if step is None or step.kind != "done" or not self.protocol.again:
            return step
        talk = self.talk(judge)
        return step if talk is None else replace(step, kind="discussion", talk=talk)

    def talk(self, judge: str, judgement: str = "") -> Talk | None:
        """The text that a judge is to discuss next, or that of an answer of theirs; None where there is none."""
        table = tables.judgements
        with self.store.read() as connection:
            found = self._round(connection)
            if found is None:
                return None
            own = connection.execute(
                sa.select(table)
                .where(table.c.study == self.id, table.c.judge == judge, table.c.practice.is_(False))
                .order_by(table.c.shown_at, table.c.seq)
            ).all()
            replaced = {row.replaces for row in own if row.replaces}
            open_ = [
                row
                for row in own
                if row.id not in replaced and not row.role and row.texts[0] in found.texts and not row.surplus
            ]
            left = [row for row in open_ if not row.key.startswith(_key(found.number))]
            chosen = next((row for row in left if judgement in ("", row.id)), None)
            if chosen is None:
                return None
            beside = connection.execute(
                sa.select(table)
                .where(
                    table.c.study == self.id,
                    sa.cast(table.c.texts, sa.String).contains(chosen.texts[0], autoescape=True),
                    table.c.judge != judge,
                    table.c.practice.is_(False),
                )
                .order_by(table.c.id)
            ).all()
            out = self._excluded(connection)
            rest = [row for row in beside if row.judge not in out and not row.role]
        now = {row.replaces for row in rest if row.key.startswith(_key(found.number))}
        before = [row for row in rest if not row.key.startswith(_key(found.number))]
        past = {row.replaces for row in before if row.replaces}
        answers = [row.answer for row in before if row.id not in past]
        said = [row.reason for row in rest if row.reason and (found.comments or row.replaces in now)]
        shown = Evaluation(
            chosen.claim,
            chosen.slot,
            len(open_) - len(left) + 1,
            len(open_),
            self._shown(chosen.texts),
            chosen.shown_at,
            panel=chosen.panel,
            judge=judge,
            wording=chosen.wording,
        )
        return Talk(
            Judgement.from_dict(chosen._asdict()),
            shown,
            tuple(sorted(answers, key=str)),
            tuple(dict.fromkeys(said)),
            found,
            shown.number,
            shown.total,
        )

    def rerate(self, judge: str, judgement: str, answer: Any, *, comment: str = "", client: str = "") -> Receipt:
        """A judge's answer after the discussion, the same or another; both are kept."""
        table = tables.judgements
        with self.store.write() as connection:
            row = self._judge(connection, judge, lock=True)
            self._present(row)
            found = self._round(connection)
            key = f"{_key(found.number if found else 0)}{judgement}"
            known = self._by_key(connection, judge, key)
            if known is not None:
                now = self.protocol.check_answer(answer, self._shown(known.texts), self.study)
                if (now, self.checked_words(comment)) != (known.answer, known.reason):
                    raise Refused("answered", "this text has been discussed; the answer was kept as it was")
                return Receipt(known, repeated=True)
            if found is None:
                raise Refused("closed", "the discussion has ended; the answer given before was kept")
            given = connection.execute(
                sa.select(table).where(table.c.study == self.id, table.c.judge == judge, table.c.id == judgement)
            ).one_or_none()
            if given is None or given.practice or given.role or given.texts[0] not in found.texts:
                raise Refused("unknown", "there is no such answer of this judge to be discussed")
            if given.key.startswith(_key(found.number)):
                raise Refused("answered", "this text has been discussed; the answer was kept as it was")
            shown = self._shown(given.texts)
            answer = self.protocol.check_answer(answer, shown, self.study)
            words = self.checked_words(comment)
            slot = Slot(given.slot, given.panel, given.number, 0, given.role, tuple(given.texts))
            stored = self._judgement(
                row,
                slot,
                answer,
                given.shown_at,
                self.clock(),
                client=client,
                reason=words,
                highlights=tuple((int(a), int(b), int(c)) for a, b, c in given.highlights),
                surplus=given.surplus,
                replaces=judgement,
            )
            self._store(connection, stored, claim=given.claim, key=key)
            return Receipt(stored)


def _key(number: int) -> str:
    """How the keys of a round's answers begin."""
    return f"talk{number}-"
