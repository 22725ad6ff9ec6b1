"""Answers: stored once, with what was on screen, never overwritten; corrections; leaving the study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from nlgauge.study.file.questionnaire import checked
from nlgauge.study.file.study import Reasons
from nlgauge.study.launch.frozen import practice_slot
from nlgauge.study.model import Judgement, Receipt, Slot, Text, clean
from nlgauge.study.refusals import Refused
from nlgauge.study.service.dealing import practice_claim
from nlgauge.study.service.turns import Recording
from nlgauge.study.store import queries, tables
from nlgauge.study.store.queries import Reply

LONGEST_REASON = 20_000
LONGEST_KEY = 128
TRY = ":"  # between the claim of a practice answer and the number of a further try
MOST_TRIES = 20


class Answering(Recording):
    """What judges do with the texts they see."""

    def answer_practice(self, judge: str, number: int, answer: Any, *, client: str = "") -> Receipt:
        """An answer to a practice evaluation; the receipt says whether it was right."""
        if number not in self.frozen.rounds:
            raise Refused("unknown", f"there is no practice triad {number}")
        slot = practice_slot(self.frozen, number, judge)
        answer = self.protocol.check_answer(answer, self._shown(slot.texts), self.study)
        with self.store.write() as connection:
            key = practice_claim(judge, number)
            values = {"b_study": self.id, "b_judge": judge, "b_key": key, "b_claim": key}
            asked = self._ask_judge(connection, judge)
            sent, screen = queries.by_key.ask(connection, values), queries.claim.ask(connection, values)
            row, known, shown = asked.one(), sent.one(), screen.one()
            self._known(row)
            if known is not None:
                first = Judgement.from_dict(known._asdict())
                return self._try(connection, row, slot, answer, first, client=client)
            self._present(row)
            if number != row.practised + 1:
                raise Refused("stage", f"the next practice triad is number {row.practised + 1}")
            if shown is None:
                raise Refused("stage", "this practice triad has not been shown yet")
            answer = self._completed(connection, judge, key, answer, self._shown(slot.texts))
            stored = self._judgement(row, slot, answer, shown.shown_at, self.clock(), client=client, practice=True)
            self._store(connection, stored, claim=key, key=key)
            right = row.practice_correct + bool(self.protocol.right(self.frozen, stored))
            failed = number == self.practice_total and right < self.protocol.required(self.study)
            self._update_judge(
                connection,
                judge,
                practised=number,
                practice_correct=right,
                failed="practice" if failed else "",
            )
            if failed:
                self._log(connection, "failed", judge, reason="practice", correct=right)
            return Receipt(stored)

    def _may_try(self, row: Any, number: int) -> bool:
        """Whether a judge who was told the right answer may try the last practice screen again."""
        begun = row.answered or row.failed or row.withdrawn_at is not None
        return self.protocol.tries and row.practised == number and not begun

    def _try(
        self, connection: sa.Connection, row: Any, slot: Slot, answer: Any, first: Judgement, *, client: str
    ) -> Receipt:
        """A further try of a practice screen: kept beside the first, which alone counts as right or wrong."""
        claim, values = practice_claim(row.id, slot.number), {"b_study": self.id, "b_judge": row.id}
        tries = [one for one in queries.practised.all(connection, values) if one.slot == slot.id]
        last = Judgement.from_dict(max(tries, key=lambda one: try_number(one.key))._asdict())
        if self.protocol.corrected(answer, last.answer) == last.answer:
            return Receipt(last, repeated=True)
        if not self._may_try(row, slot.number):
            if self.protocol.corrected(answer, first.answer) == first.answer:
                return Receipt(first, repeated=True)
            raise Refused("answered", "this practice triad has been answered; the answer was kept")
        self._present(row)
        if len(tries) >= MOST_TRIES:
            raise Refused("answered", "this practice screen was tried often enough; go on")
        answer = self.protocol.corrected(answer, first.answer)
        stored = self._judgement(row, slot, answer, last.answered_at, self.clock(), client=client, practice=True)
        self._store(connection, stored, claim=claim, key=f"{claim}{TRY}{len(tries) + 1}")
        return Receipt(stored)

    def answer(
        self,
        judge: str,
        claim: str,
        answer: Any,
        *,
        reason: str = "",
        highlights: Sequence[Sequence[int]] = (),
        key: str = "",
        client: str = "",
        measured: bool = False,
    ) -> Receipt:
        """Store a judge's answer to the texts shown under a claim. The same submission twice is stored once; another
        one is a correction where the study allows these, else it is refused.

        `measured`: a machine's number that is on no scale of the study, such as a metric's.
        """
        key = (key or claim)[:LONGEST_KEY]
        with self.store.write() as connection:
            asked = self._ask_judge(connection, judge)
            sent = self._given(connection, judge, key, claim)
            shown = queries.claimed.ask(connection, {"b_study": self.id, "b_claim": claim})
            row, given, found = asked.one(), sent.all(), shown.one()
            self._known(row)
            if known := next((one for one in given if one.key == key), None):
                if row.access == "machine":  # of two runs of a machine the first stands
                    return Receipt(Judgement.from_dict(known._asdict()), repeated=True)
                return self._replace(connection, row, known, (answer, reason, highlights), client=client)
            slot = self._claimed(judge, found)
            if given:
                raise Refused("answered", "this evaluation has been answered; the answer was kept as it was")
            self._present(row)
            shown_texts = self._shown(slot.texts)
            measure = measured and row.access == "machine"
            check = self.protocol.check_measure if measure else self.protocol.check_answer
            answer = check(answer, shown_texts, self.study)
            answer = self._completed(connection, judge, claim, answer, shown_texts)
            texts = [text.text for text in shown_texts]
            words, spans = self._checked_reasons(texts, reason, highlights, asked=row.access != "machine")
            ours = slot.claim == claim or (slot.holder is None and slot.judgement is None)
            # in two windows a judge may answer what was dealt again and what was dealt instead: one of them counts
            surplus = not ours or row.status == "closed" or row.answered >= row.evaluations
            stored = self._judgement(
                row,
                slot,
                answer,
                slot.shown_at,
                self.clock(),
                client=client,
                reason=words,
                highlights=spans,
                surplus=surplus,
            )
            self._store(connection, stored, claim=claim, key=key, accepts=None if surplus else slot.id)
            if not surplus:
                place = {"b_study": self.id, "b_slot": slot.id, "b_judgement": stored.id}
                queries.fill.do(connection, {**place, "b_holder": judge, "b_claim": claim})
            self._progressed(connection, row)
            return Receipt(stored)

    def _claimed(self, judge: str, found: Any) -> Any:
        """What was shown under a claim of this judge, with its slot, locked."""
        if found is None:  # no claim, or a practice triad
            raise Refused("unknown", "this page does not belong to an evaluation of this study")
        if found.shown_to != judge:
            raise Refused("foreign", "this evaluation was given to another judge")
        return found

    def _given(self, connection: sa.Connection, judge: str, key: str, claim: str) -> Reply:
        """What this judge has sent under this key or for this claim."""
        values = {"b_study": self.id, "b_judge": judge, "b_key": key, "b_claim": claim}
        return queries.by_key_or_claim.ask(connection, values)

    def _progressed(self, connection: sa.Connection, row: Any) -> None:
        """Count an answer; at the last one what is still kept for the judge returns, else the next is dealt."""
        answered = row.answered + 1
        if answered >= row.evaluations:
            self._update_judge(connection, row.id, answered=answered, finished_at=self.clock())
            self._log(connection, "finished", row.id)
            self._graded(connection, row)
            self._free(connection, row.id)
            return
        self._update_judge(connection, row.id, answered=answered)
        self._deal_on(connection, row)

    def _graded(self, connection: sa.Connection, row: Any) -> None:
        """A judge who fails by the study's rule ends as such; every answer stays, and is analysed with the others."""
        if not self.study.graded or row.access == "machine":
            return
        table = tables.judgements
        rows = connection.execute(sa.select(table).where(table.c.study == self.id, table.c.judge == row.id))
        reason = self.protocol.fails(self.frozen, [Judgement.from_dict(one._asdict()) for one in rows])
        if reason:
            self._update_judge(connection, row.id, failed="checks")
            self._log(connection, "failed", row.id, reason="checks", why=reason)

    def correct(
        self,
        judge: str,
        judgement: str,
        answer: Any,
        *,
        reason: str = "",
        highlights: Sequence[Sequence[int]] = (),
        client: str = "",
    ) -> Receipt:
        """Change an answer: a new judgement that names the one it replaces; both are kept."""
        if self.study.corrections != "allow":
            raise Refused("answered", "answers cannot be changed in this study")
        table = tables.judgements
        with self.store.write() as connection:
            row = self._judge(connection, judge, lock=True)
            found = connection.execute(
                sa.select(table).where(table.c.study == self.id, table.c.judge == judge, table.c.id == judgement)
            ).one_or_none()
            if found is None or found.practice:
                raise Refused("unknown", "there is no such answer of this judge")
            return self._replace(connection, row, found, (answer, reason, highlights), client=client)

    def _replace(
        self,
        connection: sa.Connection,
        row: Any,
        found: Any,
        given: tuple[Any, str, Sequence[Sequence[int]]],
        *,
        client: str,
    ) -> Receipt:
        """Another answer where one stands: answer, reason and highlights. What changes nothing is not stored again; a
        form that comes once more after its answer was corrected does not undo the correction."""
        answer, reason, highlights = given
        chain = self._chain(connection, found)
        *replaced, before = [Judgement.from_dict(one._asdict()) for one in chain]
        shown = self._shown(before.texts)
        answer = self.protocol.check_answer(answer, shown, self.study)
        words, spans = self._checked_reasons([text.text for text in shown], reason, highlights)

        def same(one: Judgement) -> bool:
            now = self.protocol.corrected(answer, one.answer)
            return (now, words, spans) == (one.answer, one.reason, one.highlights)

        if same(before):
            return Receipt(before, repeated=True)
        if any(map(same, replaced)):
            raise Refused("answered", "this answer was changed afterwards; the later answer was kept")
        if self.study.corrections != "allow":
            raise Refused("answered", "this evaluation has been answered; the answer was kept as it was")
        self._present(row)
        if row.status == "closed":
            raise Refused("closed", "this study is closed; the answer given before was kept")
        slot = Slot(before.slot, before.panel, before.number, 0, before.role, before.texts)
        stored = self._judgement(
            row,
            slot,
            self.protocol.corrected(answer, before.answer),
            before.shown_at,
            self.clock(),
            client=client,
            reason=words,
            highlights=spans,
            surplus=before.surplus,
            replaces=before.id,
        )
        self._store(connection, stored, claim=chain[-1].claim, key=f"correct-{before.id}"[:LONGEST_KEY])
        return Receipt(stored)

    def _chain(self, connection: sa.Connection, found: Any) -> list[Any]:
        """An answer and its corrections, the newest last."""
        table = tables.judgements
        later = sa.select(table).where(table.c.study == self.id, table.c.judge == found.judge)
        chain = [found]
        while newer := connection.execute(later.where(table.c.replaces == chain[-1].id)).first():
            chain.append(newer)
        return chain

    def withdraw(self, judge: str, closing: Mapping[str, str] | None = None) -> None:
        """A judge leaves; what is kept for them returns, what they answered stays unless they ask to be forgotten.

        `closing`: what they answered to the questions at the end before they went; none of these is required then.
        """
        stored = checked(self.study.closing, closing or {}, leaving=True)
        with self.store.write() as connection:
            row = self._judge(connection, judge, lock=True)
            if row.withdrawn_at is None:
                if stored and row.answered and row.closing_at is None:
                    self._keep_answers(connection, row, "closing", stored)
                self._leave(connection, judge, "withdrew")

    def closes(self, judge: str) -> bool:
        """Whether a judge who leaves now can be asked the questions at the end: who has judged, and was not asked."""
        with self.store.glance() as connection:
            row = self._judge(connection, judge)
        return bool(row.answered) and row.withdrawn_at is None and self._closes(row)

    def _completed(self, connection: sa.Connection, judge: str, claim: str, answer: Any, shown: Sequence[Text]) -> Any:
        """The answer with the record of its showing, where the protocol keeps one."""
        if not self.protocol.records:
            return answer
        return self.protocol.completed(answer, self._record(connection, judge, claim), shown, self.study)

    def _by_key(self, connection: sa.Connection, judge: str, key: str) -> Judgement | None:
        values = {"b_study": self.id, "b_judge": judge, "b_key": key}
        row = queries.by_key.one(connection, values)
        return None if row is None else Judgement.from_dict(row._asdict())

    def _judgement(
        self,
        row: Any,
        slot: Any,
        answer: Any,
        shown_at: float,
        answered_at: float,
        *,
        client: str,
        **more: Any,
    ) -> Judgement:
        return Judgement(
            id=f"a{self.generator()[:20]}",
            study=self.id,
            panel=row.panel,
            judge=row.id,
            slot=slot.id,
            number=slot.number,
            role=slot.role,
            texts=tuple(slot.texts),
            items=tuple(self.frozen.text[text].item for text in slot.texts),
            answer=answer,
            shown_at=shown_at,
            answered_at=max(answered_at, shown_at),  # a clock that was put back must not spoil the analysis
            language=row.language,
            client=clean(client)[:500],
            wording=row.wording,
            **more,
        )

    def _store(
        self,
        connection: sa.Connection,
        judgement: Judgement,
        *,
        claim: str,
        key: str,
        accepts: str | None = None,
    ) -> None:
        values = {**judgement.to_dict(), "claim": claim, "key": key, "accepts": accepts}
        queries.add_judgement.do(connection, values)

    def checked_words(self, reason: str) -> str:
        """What was written, where it is not too long."""
        words = clean(reason).strip()
        if len(words) > LONGEST_REASON:
            raise Refused("invalid", f"the reason is longer than {LONGEST_REASON:,} characters; shorten it")
        return words

    def _checked_reasons(
        self,
        texts: Sequence[str],
        reason: str,
        highlights: Sequence[Sequence[int]],
        *,
        asked: bool = True,
    ) -> tuple[str, tuple[tuple[int, int, int], ...]]:
        """What was given, where it fits the texts; what is required of people need not be there where not `asked`."""
        required = self.study.reasons if asked else Reasons()
        words = self.checked_words(reason)
        if required.text == "required" and not words:
            raise Refused("invalid", "a reason is asked for; write one")
        spans = []
        for span in highlights:
            if len(span) != 3 or not all(isinstance(n, int) for n in span):
                raise Refused("invalid", "a highlight is a text's place, a beginning and an end")
            place, start, end = span
            if not (0 <= place < len(texts) and 0 <= start < end <= len(texts[place])):
                raise Refused("invalid", "a highlight lies outside the texts shown")
            spans.append((place, start, end))
        if required.highlight == "required" and not spans:
            raise Refused("invalid", "mark the words that gave it away")
        return words, tuple(sorted(set(spans)))


def try_number(key: str) -> int:
    """Which try of a practice screen was stored under a key."""
    number = key.rpartition(TRY)[2]
    return int(number) if TRY in key else 1
