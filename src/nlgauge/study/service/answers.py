"""Answers: stored once, with what was on screen, never overwritten; corrections; what a judge may see of them again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from nlgauge.study.file.study import Reasons
from nlgauge.study.freeze.frozen import practice_slot
from nlgauge.study.model import Evaluation, Judgement, Receipt, Slot, Text, clean
from nlgauge.study.refusals import Refused
from nlgauge.study.service.context import Context
from nlgauge.study.service.dealing import Dealing, practice_claim
from nlgauge.study.service.discussion import Discussion, round_key
from nlgauge.study.service.turns import Turns
from nlgauge.study.store import queries, tables

LONGEST_REASON = 20_000
LONGEST_KEY = 128
TRY = ":"  # between the claim of a practice answer and the number of a further try
MOST_TRIES = 20


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


class Answers:
    """What judges do with the texts they see, and may see of it again."""

    def __init__(self, context: Context, dealing: Dealing, discussion: Discussion, turns: Turns) -> None:
        self.context, self.store, self.study, self.id = context, context.store, context.study, context.id
        self.dealing, self.discussion, self.turns = dealing, discussion, turns

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
            asked = self.context.ask_judge(connection, judge)
            values = {"b_study": self.id, "b_judge": judge, "b_key": key, "b_claim": claim}
            sent, shown = queries.by_key_or_claim.ask(connection, values), queries.claimed.ask(connection, values)
            row, given, claimed = asked.one(), sent.all(), shown.one()
            self.context.known(row)
            if known := next((row for row in given if row.key == key), None):
                if row.access == "machine":  # of two runs of a machine the first stands
                    return Receipt(Judgement.from_dict(known._asdict()), repeated=True)
                return self._replace(connection, row, known, (answer, reason, highlights), client=client)
            slot = _claimed(judge, claimed)
            if given:
                raise Refused("answered", "this evaluation has been answered; the answer was kept as it was")
            self.context.present(row)
            shown_texts = self.context.shown(slot.texts)
            measure = measured and row.access == "machine"
            check = self.context.protocol.check_measure if measure else self.context.protocol.check_answer
            answer = check(answer, shown_texts, self.study)
            answer = self._completed(connection, answer, shown_texts, judge=judge, claim=claim)
            texts = [text.text for text in shown_texts]
            words, spans = self._checked_reasons(texts, reason, highlights, asked=row.access != "machine")
            ours = slot.claim == claim or (slot.holder is None and slot.judgement is None)
            # in two windows a judge may answer what was dealt again and what was dealt instead: one of them counts
            surplus = not ours or row.status == "closed" or row.answered >= row.evaluations
            told: dict[str, Any] = {"reason": words, "highlights": spans, "surplus": surplus}
            stored = self._judgement(row, slot, answer, shown_at=slot.shown_at, client=client, **told)
            self.store_judgement(connection, stored, claim=claim, key=key, accepts=None if surplus else slot.id)
            if not surplus:
                place = {"b_study": self.id, "b_slot": slot.id, "b_judgement": stored.id}
                queries.fill.do(connection, {**place, "b_holder": judge, "b_claim": claim})
            self._progressed(connection, row)
            return Receipt(stored)

    def answer_practice(self, judge: str, number: int, answer: Any, *, client: str = "") -> Receipt:
        """An answer to a practice evaluation; the receipt says whether it was right."""
        if number not in self.context.frozen.rounds:
            raise Refused("unknown", f"there is no practice triad {number}")
        slot = practice_slot(self.context.frozen, number, judge)
        answer = self.context.protocol.check_answer(answer, self.context.shown(slot.texts), self.study)
        with self.store.write() as connection:
            key = practice_claim(judge, number)
            values = {"b_study": self.id, "b_judge": judge, "b_key": key, "b_claim": key}
            asked = self.context.ask_judge(connection, judge)
            sent, screen = queries.by_key.ask(connection, values), queries.claim.ask(connection, values)
            row, known, shown = asked.one(), sent.one(), screen.one()
            self.context.known(row)
            if known is not None:
                first = Judgement.from_dict(known._asdict())
                return self._try(connection, row, slot, answer=answer, first=first, client=client)
            self.context.present(row)
            if number != row.practised + 1:
                raise Refused("stage", f"the next practice triad is number {row.practised + 1}")
            if shown is None:
                raise Refused("stage", "this practice triad has not been shown yet")
            texts = self.context.shown(slot.texts)
            answer = self._completed(connection, answer, texts, judge=judge, claim=key)
            stored = self._judgement(row, slot, answer, shown_at=shown.shown_at, client=client, practice=True)
            self.store_judgement(connection, stored, claim=key, key=key)
            right = row.practice_correct + bool(self.context.protocol.right(self.context.frozen, stored))
            failed = number == self.context.practice_total and right < self.context.protocol.required(self.study)
            ended = "practice" if failed else ""
            self.context.update_judge(connection, judge, practised=number, practice_correct=right, failed=ended)
            if failed:
                self.context.log(connection, "failed", judge, reason="practice", correct=right)
            return Receipt(stored)

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
        with self.context.locked(judge) as (connection, row):
            before = self._by_id(connection, judge, judgement)
            if before is None or before.practice:
                raise Refused("unknown", "there is no such answer of this judge")
            return self._replace(connection, row, before, (answer, reason, highlights), client=client)

    def rerate(self, judge: str, judgement: str, answer: Any, *, comment: str = "", client: str = "") -> Receipt:
        """A judge's answer after the discussion, the same or another; both are kept."""
        with self.context.locked(judge) as (connection, row):
            self.context.present(row)
            current = self.discussion.round(connection)
            key = f"{round_key(current.number if current else 0)}{judgement}"
            sent = queries.by_key.one(connection, {"b_study": self.id, "b_judge": judge, "b_key": key})
            if sent is not None:
                known = Judgement.from_dict(sent._asdict())
                now = self.context.protocol.check_answer(answer, self.context.shown(known.texts), self.study)
                if (now, self.checked_words(comment)) != (known.answer, known.reason):
                    raise Refused("answered", "this text has been discussed; the answer was kept as it was")
                return Receipt(known, repeated=True)
            if current is None:
                raise Refused("closed", "the discussion has ended; the answer given before was kept")
            given = self._by_id(connection, judge, judgement)
            if given is None or given.practice or given.role or given.texts[0] not in current.texts:
                raise Refused("unknown", "there is no such answer of this judge to be discussed")
            if given.key.startswith(round_key(current.number)):
                raise Refused("answered", "this text has been discussed; the answer was kept as it was")
            answer = self.context.protocol.check_answer(answer, self.context.shown(given.texts), self.study)
            words, before = self.checked_words(comment), Judgement.from_dict(given._asdict())
            stored = self._again(row, before, answer, client=client, reason=words, highlights=before.highlights)
            self.store_judgement(connection, stored, claim=given.claim, key=key)
            return Receipt(stored)

    def shown(self, judge: str, claim: str) -> Evaluation:
        """The texts that were shown to a judge under a claim, practice or not."""
        with self.store.read() as connection:
            row = self.context.judge(connection, judge)
            values = {"b_study": self.id, "b_claim": claim}
            shown = queries.claim.one(connection, values)
            if shown is None or shown.judge != judge:
                raise Refused("unknown", "this page does not belong to an evaluation of this judge")
            if shown.dealt == 0:
                number = int(claim.rpartition("-p")[2])
                texts: tuple[str, ...] = practice_slot(self.context.frozen, number, judge).texts
                total, practice = self.context.practice_total, True
            else:
                slot = queries.slot_texts.one(connection, {"b_study": self.id, "b_slot": shown.slot})
                texts, number, total, practice = tuple(slot.texts), row.answered + 1, row.evaluations, False
        known = {"claim": claim, "slot": shown.slot, "shown_at": shown.shown_at, "practice": practice}
        return self.context.evaluation(row, texts, number=number, total=total, **known)

    def feedback(self, judge: str, number: int) -> Feedback | None:
        """What a judge answered to a practice triad, and how that went; None where they have not."""
        if number not in self.context.frozen.rounds:  # anything may stand in an address
            return None
        with self.store.glance() as connection:
            values = {"b_study": self.id, "b_judge": judge}
            given = {row.key: Judgement.from_dict(row._asdict()) for row in queries.practised.all(connection, values)}
            row = self.context.judge(connection, judge)
        made = [given.get(practice_claim(judge, k)) for k in range(1, number + 1)]
        if made[-1] is None:
            return None
        right = [self.context.protocol.right(self.context.frozen, answer) for answer in made if answer]
        claim = practice_claim(judge, number)
        tries = [key for key in given if key == claim or key.startswith(f"{claim}{TRY}")]
        return Feedback(
            given[max(tries, key=try_number)],
            right=sum(map(bool, right)),
            failed=bool(row.failed),
            language=str(row.language),
            known=sum(verdict is not None for verdict in right),
            again=self._may_try(row, number) and len(tries) < MOST_TRIES,
            retried=len(tries) > 1,
        )

    def given(self, judge: str) -> list[tuple[Judgement, str]]:
        """The answers of a judge as they stand now, oldest first, each with the claim it was given under.

        Practice is left out, and so is what a correction replaced.
        """
        table = tables.judgements
        mine = self._of(judge).where(table.c.practice.is_(False)).order_by(table.c.shown_at, table.c.seq)
        with self.store.read() as connection:
            rows = connection.execute(mine).all()
        replaced = {row.replaces for row in rows if row.replaces}
        return [(Judgement.from_dict(row._asdict()), row.claim) for row in rows if row.id not in replaced]

    def _may_try(self, row: Any, number: int) -> bool:
        """Whether a judge who was told the right answer may try the last practice screen again."""
        begun = row.answered or row.failed or row.withdrawn_at is not None
        return self.context.protocol.tries and row.practised == number and not begun

    def _try(
        self, connection: sa.Connection, row: Any, slot: Slot, *, answer: Any, first: Judgement, client: str
    ) -> Receipt:
        """A further try of a practice screen: kept beside the first, which alone counts as right or wrong."""
        claim, values = practice_claim(row.id, slot.number), {"b_study": self.id, "b_judge": row.id}
        tries = [row for row in queries.practised.all(connection, values) if row.slot == slot.id]
        last = Judgement.from_dict(max(tries, key=lambda row: try_number(row.key))._asdict())
        if self.context.protocol.corrected(answer, last.answer) == last.answer:
            return Receipt(last, repeated=True)
        if not self._may_try(row, slot.number):
            if self.context.protocol.corrected(answer, first.answer) == first.answer:
                return Receipt(first, repeated=True)
            raise Refused("answered", "this practice triad has been answered; the answer was kept")
        self.context.present(row)
        if len(tries) >= MOST_TRIES:
            raise Refused("answered", "this practice screen was tried often enough; go on")
        answer = self.context.protocol.corrected(answer, first.answer)
        stored = self._judgement(row, slot, answer, shown_at=last.answered_at, client=client, practice=True)
        self.store_judgement(connection, stored, claim=claim, key=f"{claim}{TRY}{len(tries) + 1}")
        return Receipt(stored)

    def _progressed(self, connection: sa.Connection, row: Any) -> None:
        """Count an answer; at the last one what is still kept for the judge returns, else the next is dealt."""
        answered = row.answered + 1
        if answered >= row.evaluations:
            self.context.update_judge(connection, row.id, answered=answered, finished_at=self.context.clock())
            self.context.log(connection, "finished", row.id)
            self._graded(connection, row)
            self.context.free(connection, row.id)
            return
        self.context.update_judge(connection, row.id, answered=answered)
        self.dealing.deal_on(connection, row)

    def _graded(self, connection: sa.Connection, row: Any) -> None:
        """A judge who fails by the study's rule ends as such; every answer stays, and is analysed with the others."""
        if not self.study.graded or row.access == "machine":
            return
        own = [Judgement.from_dict(given._asdict()) for given in connection.execute(self._of(row.id))]
        reason = self.context.protocol.fails(self.context.frozen, own)
        if reason:
            self.context.update_judge(connection, row.id, failed="checks")
            self.context.log(connection, "failed", row.id, reason="checks", why=reason)

    def _replace(
        self,
        connection: sa.Connection,
        row: Any,
        first: Any,
        given: tuple[Any, str, Sequence[Sequence[int]]],
        *,
        client: str,
    ) -> Receipt:
        """Another answer where one stands: answer, reason and highlights. What changes nothing is not stored again; a
        form that comes once more after its answer was corrected does not undo the correction."""
        answer, reason, highlights = given
        chain = self._chain(connection, first)
        *replaced, before = [Judgement.from_dict(link._asdict()) for link in chain]
        shown = self.context.shown(before.texts)
        answer = self.context.protocol.check_answer(answer, shown, self.study)
        words, spans = self._checked_reasons([text.text for text in shown], reason, highlights)

        def same(earlier: Judgement) -> bool:
            now = self.context.protocol.corrected(answer, earlier.answer)
            return (now, words, spans) == (earlier.answer, earlier.reason, earlier.highlights)

        if same(before):
            return Receipt(before, repeated=True)
        if any(map(same, replaced)):
            raise Refused("answered", "this answer was changed afterwards; the later answer was kept")
        if self.study.corrections != "allow":
            raise Refused("answered", "this evaluation has been answered; the answer was kept as it was")
        self.context.present(row)
        if row.status == "closed":
            raise Refused("closed", "this study is closed; the answer given before was kept")
        answer = self.context.protocol.corrected(answer, before.answer)
        stored = self._again(row, before, answer, client=client, reason=words, highlights=spans)
        self.store_judgement(connection, stored, claim=chain[-1].claim, key=f"correct-{before.id}"[:LONGEST_KEY])
        return Receipt(stored)

    def _chain(self, connection: sa.Connection, first: Any) -> list[Any]:
        """An answer and its corrections, the newest last."""
        later, chain = self._of(first.judge), [first]
        while newer := connection.execute(later.where(tables.judgements.c.replaces == chain[-1].id)).first():
            chain.append(newer)
        return chain

    def _completed(
        self, connection: sa.Connection, answer: Any, shown: Sequence[Text], *, judge: str, claim: str
    ) -> Any:
        """The answer with the record of its showing, where the protocol keeps one."""
        if not self.context.protocol.records:
            return answer
        return self.context.protocol.completed(answer, self.turns.recorded(connection, judge, claim), shown, self.study)

    def _by_id(self, connection: sa.Connection, judge: str, judgement: str) -> Any:
        """A judge's answer; None where there is none of that name."""
        return connection.execute(self._of(judge).where(tables.judgements.c.id == judgement)).one_or_none()

    def _of(self, judge: str) -> sa.Select[Any]:
        """Every answer of a judge, practice and corrections included."""
        table = tables.judgements
        return sa.select(table).where(table.c.study == self.id, table.c.judge == judge)

    def _again(self, row: Any, given: Judgement, answer: Any, **more: Any) -> Judgement:
        """An answer that is given now in place of another."""
        place = Slot(given.slot, given.panel, given.number, 0, given.role, given.texts)
        kept: dict[str, Any] = {"shown_at": given.shown_at, "surplus": given.surplus, "replaces": given.id}
        return self._judgement(row, place, answer, **kept, **more)

    def _judgement(self, row: Any, slot: Any, answer: Any, *, shown_at: float, client: str, **more: Any) -> Judgement:
        """An answer that is given now."""
        return Judgement(
            id=f"a{self.context.generator()[:20]}",
            study=self.id,
            panel=row.panel,
            judge=row.id,
            slot=slot.id,
            number=slot.number,
            role=slot.role,
            texts=tuple(slot.texts),
            items=tuple(self.context.frozen.text[text].item for text in slot.texts),
            answer=answer,
            shown_at=shown_at,
            answered_at=max(self.context.clock(), shown_at),  # a clock that was put back must not spoil the analysis
            language=row.language,
            client=clean(client)[:500],
            wording=row.wording,
            **more,
        )

    def store_judgement(
        self, connection: sa.Connection, judgement: Judgement, *, claim: str, key: str, accepts: str | None = None
    ) -> None:
        """Add a judgement under its claim and the key of its submission; `accepts`: the slot that it fills."""
        values = {**judgement.to_dict(), "claim": claim, "key": key, "accepts": accepts}
        queries.add_judgement.do(connection, values)

    def checked_words(self, reason: str) -> str:
        """What was written, where it is not too long."""
        words = clean(reason).strip()
        if len(words) > LONGEST_REASON:
            raise Refused("invalid", f"the reason is longer than {LONGEST_REASON:,} characters; shorten it")
        return words

    def _checked_reasons(
        self, texts: Sequence[str], reason: str, highlights: Sequence[Sequence[int]], *, asked: bool = True
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


def _claimed(judge: str, claimed: Any) -> Any:
    """What was shown under a claim, with its slot, locked; refused where it was not shown to this judge."""
    if claimed is None:  # no claim, or a practice triad
        raise Refused("unknown", "this page does not belong to an evaluation of this study")
    if claimed.shown_to != judge:
        raise Refused("foreign", "this evaluation was given to another judge")
    return claimed


def try_number(key: str) -> int:
    """Which try of a practice screen was stored under a key."""
    number = key.rpartition(TRY)[2]
    return int(number) if TRY in key else 1
