"""What a judge may see again: texts that were shown to them, and the answers they gave."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from nlgauge.study.launch.frozen import practice_slot
from nlgauge.study.model import Evaluation, Judgement
from nlgauge.study.refusals import Refused
from nlgauge.study.service.answers import MOST_TRIES, TRY, Answering, try_number
from nlgauge.study.service.dealing import practice_claim
from nlgauge.study.store import queries, tables


@dataclass(frozen=True)
class Feedback:
    """What is said after a practice answer."""

    judgement: Judgement  # of several tries the last
    right: int  # of the first tries so far
    failed: bool
    language: str
    known: int = 0  # answers so far that could be right
    again: bool = False  # whether it may be tried once more
    retried: bool = False  # whether the judgement is a further try


class Reviewing(Answering):
    """Reads only; nothing here deals or stores."""

    def language_of(self, judge: str) -> str:
        """The language in which a judge reads the pages."""
        with self.store.glance() as connection:
            return str(self._judge(connection, judge).language)

    def judge_of(self, token: str) -> str | None:
        """The judge of a personal link, where one has registered; registers nobody."""
        with self.store.glance() as connection:
            found = self._link(connection, token).judge
        return None if found is None else str(found)

    def invited(self, token: str) -> str:
        """The panel of a link of any kind, whether anybody followed it or not; registers nobody."""
        with self.store.read() as connection:
            return str(self._link(connection, token).panel)

    def shown(self, judge: str, claim: str) -> Evaluation:
        """The texts that were shown to a judge under a claim, practice or not."""
        with self.store.read() as connection:
            row = self._judge(connection, judge)
            values = {"b_study": self.id, "b_claim": claim}
            found = queries.claim.one(connection, values)
            if found is None or found.judge != judge:
                raise Refused("unknown", "this page does not belong to an evaluation of this judge")
            if found.dealt == 0:
                number = int(claim.rpartition("-p")[2])
                texts: tuple[str, ...] = practice_slot(self.frozen, number, judge).texts
                total, practice = self.practice_total, True
            else:
                slot = queries.slot_texts.one(connection, {"b_study": self.id, "b_slot": found.slot})
                texts, number, total, practice = tuple(slot.texts), row.answered + 1, row.evaluations, False
        return Evaluation(
            claim,
            found.slot,
            number,
            total,
            self._shown(texts),
            found.shown_at,
            practice=practice,
            panel=row.panel,
            judge=judge,
            wording=row.wording,
        )

    def feedback(self, judge: str, number: int) -> Feedback | None:
        """What a judge answered to a practice triad, and how that went; None where they have not."""
        if number not in self.frozen.rounds:  # anything may stand in an address
            return None
        with self.store.glance() as connection:
            values = {"b_study": self.id, "b_judge": judge}
            given = {row.key: Judgement.from_dict(row._asdict()) for row in queries.practised.all(connection, values)}
            row = self._judge(connection, judge)
        made = [given.get(practice_claim(judge, k)) for k in range(1, number + 1)]
        if made[-1] is None:
            return None
        found = [self.protocol.right(self.frozen, one) for one in made if one]
        claim = practice_claim(judge, number)
        tries = [key for key in given if key == claim or key.startswith(f"{claim}{TRY}")]
        return Feedback(
            given[max(tries, key=try_number)],
            sum(map(bool, found)),
            failed=bool(row.failed),
            language=str(row.language),
            known=sum(one is not None for one in found),
            again=self._may_try(row, number) and len(tries) < MOST_TRIES,
            retried=len(tries) > 1,
        )

    def answers(self, judge: str) -> list[tuple[Judgement, str]]:
        """The answers of a judge as they stand now, oldest first, each with the claim it was given under.

        Practice is left out, and so is what a correction replaced.
        """
        table = tables.judgements
        mine = sa.select(table).where(table.c.study == self.id, table.c.judge == judge, table.c.practice.is_(False))
        with self.store.read() as connection:
            rows = connection.execute(mine.order_by(table.c.shown_at, table.c.seq)).all()
        replaced = {row.replaces for row in rows if row.replaces}
        return [(Judgement.from_dict(row._asdict()), row.claim) for row in rows if row.id not in replaced]
