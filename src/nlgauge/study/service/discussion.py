"""A discussion round: judges see where they differ, what the others answered, and judge these texts again.

The round is an event that names the texts; answers of the round are corrections in the store, so that the earlier one
is kept beside each, and the analysis compares both rounds. Nobody learns who answered what. A round opens when all
planned answers are there or the study is closed: before that it would move judgements that are still to come.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from nlgauge.errors import InputError
from nlgauge.study.model import Evaluation, Judgement, Round, Talk
from nlgauge.study.refusals import Refused
from nlgauge.study.service.context import Context
from nlgauge.study.service.progress import Progress
from nlgauge.study.store import tables

OPENED, ENDED = "discussion", "discussed"


class Discussion:
    """The round and its texts; its answers are stored by `Answers.rerate`."""

    def __init__(self, context: Context, progress: Progress) -> None:
        self.context, self.store, self.id = context, context.store, context.id
        self.progress = progress

    def current(self) -> Round | None:
        """The round that is open, or None."""
        with self.store.glance() as connection:
            return self.round(connection)

    def round(self, connection: sa.Connection) -> Round | None:
        """The same in a transaction."""
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

    def open(self, texts: Sequence[str], *, least: float, comments: bool = False) -> Round:
        """Open a discussion of some texts; each judge of one of them is asked again by their link."""
        done, planned = self.progress.planned_answers()
        if done < planned and self.progress.status != "closed":
            raise InputError(
                f"{done:,} of {planned:,} planned answers are there; a discussion would move those still to come: wait "
                "for the rest, or close the study (nlgauge study close)"
            )
        unknown = [name for name in texts if name not in self.context.frozen.text]
        if unknown or not texts:
            raise InputError("no text is to be discussed" if not texts else f"there is no text {unknown[0]!r}")
        before = len(self.context.events(OPENED))
        with self.store.write() as connection:
            if self.round(connection) is not None:
                raise Refused("stage", "a discussion is open already; end it first (study discuss DIR --end)")
            data: dict[str, Any] = {"round": before + 1, "texts": list(texts), "least": least}
            self.context.log(connection, OPENED, **data, comments=comments)
        return Round(before + 1, tuple(texts), comments)

    def end(self) -> None:
        """No more answers of the round are taken."""
        with self.store.write() as connection:
            current = self.round(connection)
            if current is None:
                raise Refused("stage", "no discussion is open; nothing was changed")
            self.context.log(connection, ENDED, round=current.number)

    def talk(self, judge: str, judgement: str = "") -> Talk | None:
        """The text that a judge is to discuss next, or that of an answer of theirs; None where there is none."""
        table = tables.judgements
        with self.store.read() as connection:
            current = self.round(connection)
            if current is None:
                return None
            own = connection.execute(
                sa.select(table)
                .where(table.c.study == self.id, table.c.judge == judge, table.c.practice.is_(False))
                .order_by(table.c.shown_at, table.c.seq)
            ).all()
            replaced = {row.replaces for row in own if row.replaces}
            standing = [row for row in own if row.id not in replaced and not row.role and not row.surplus]
            open_ = [row for row in standing if row.texts[0] in current.texts]
            left = [row for row in open_ if not row.key.startswith(round_key(current.number))]
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
            out = self.context.excluded(connection)
            rest = [row for row in beside if row.judge not in out and not row.role]
        now = {row.replaces for row in rest if row.key.startswith(round_key(current.number))}
        before = [row for row in rest if not row.key.startswith(round_key(current.number))]
        past = {row.replaces for row in before if row.replaces}
        answers = [row.answer for row in before if row.id not in past]
        said = [row.reason for row in rest if row.reason and (current.comments or row.replaces in now)]
        given, place = Judgement.from_dict(chosen._asdict()), (len(open_) - len(left) + 1, len(open_))
        told: dict[str, Any] = {"panel": given.panel, "judge": judge, "wording": given.wording}
        texts = self.context.shown(given.texts)
        shown = Evaluation(chosen.claim, given.slot, *place, texts, given.shown_at, **told)
        others, comments = tuple(sorted(answers, key=str)), tuple(dict.fromkeys(said))
        return Talk(given, shown, others, comments, current, number=shown.number, total=shown.total)


def round_key(number: int) -> str:
    """How the keys of a round's answers begin."""
    return f"talk{number}-"
