"""The verbs of the researcher while a study runs: pause, resume, close, reopen, more judges; who looked at answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from nlgauge.errors import InputError
from nlgauge.study.model import Link
from nlgauge.study.refusals import Refused
from nlgauge.study.service.arrivals import Arrivals
from nlgauge.study.service.context import ADDED, Context
from nlgauge.study.service.dealing import Dealing
from nlgauge.study.service.discussion import OPENED
from nlgauge.study.service.progress import Progress
from nlgauge.study.store import tables

LOOKS = {
    "analysed": ("answers", "analysed"),
    "exported": ("answers", "exported"),
    OPENED: ("texts", "discussed"),
    "excluded": ("rule", "checked by the rule of exclusion"),
}
"""Events by which somebody has seen answers: what their data then hold, and how that is said."""


class Admin:
    """What the researcher does while a study runs."""

    def __init__(self, context: Context, arrivals: Arrivals, dealing: Dealing, progress: Progress) -> None:
        self.context, self.store, self.study, self.id = context, context.store, context.study, context.id
        self.arrivals, self.dealing, self.progress = arrivals, dealing, progress

    def pause(self) -> None:
        """Deal nothing new; evaluations on screen may still be answered."""
        self._change("paused", "paused")

    def resume(self) -> None:
        """Go on after a pause."""
        self._change("open", "resumed")

    def close(self) -> None:
        """End the study; answers that come later are stored as surplus."""
        self._change("closed", "closed")

    def reopen(self) -> None:
        """Take a study up again that was closed; the log keeps both.

        Refused once a test with a fixed number has been analysed: more answers after a look that was not planned would
        be a second chance, and nothing could tell how the risks changed.
        """
        if self.study.imported:
            raise Refused("closed", "this study was run elsewhere: nobody can be asked here")
        self._change("open", "reopened", closed=True)

    def note_analysis(
        self,
        *,
        answers: int,
        complete: bool,
        digest: str,
        agreement: Sequence[Mapping[str, Any]] = (),
        wordings: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Log that the result was looked at: after how many people's answers, and whether these were all planned.

        The same look again is no new event, so that a page may be reloaded. The agreement of judges that was found, and
        what wordings of the questions did, is logged for the design statement.
        """
        data: dict[str, Any] = {"answers": answers, "complete": complete, "digest": digest}
        if agreement:
            data["agreement"] = [dict(figure) for figure in agreement]
        if wordings:
            data["wordings"] = [dict(effect) for effect in wordings]
        log = tables.events
        analysed = sa.select(log.c.data).where(log.c.study == self.id, log.c.kind == "analysed")
        with self.store.write() as connection:
            last = connection.execute(analysed.order_by(log.c.seq.desc()).limit(1)).scalar_one_or_none()
            if last is None or any(last.get(name) != value for name, value in data.items()):
                self.context.log(connection, "analysed", **data)

    def note_export(self, *, judgements: int) -> bool:
        """Log that the judgements were taken out; says whether all planned answers were there."""
        done, planned = self.progress.planned_answers()
        complete, status = done >= planned, self.progress.status
        counts: dict[str, Any] = {"judgements": judgements, "answers": done, "planned": planned}
        with self.store.write() as connection:
            self.context.log(connection, "exported", **counts, complete=complete, status=status)
        return complete

    def _change(self, status: str, kind: str, *, closed: bool = False) -> None:
        table = tables.studies
        query = sa.select(table.c.status).where(table.c.id == self.id).with_for_update()
        with self.store.write() as connection:
            present = connection.execute(query).scalar_one()
            if (present == "closed") != closed and status != present:
                what = "closed; reopen it first" if present == "closed" else "not closed"
                raise Refused("closed", f"this study is {what}")
            if kind == "reopened" and present == "closed" and self.study.fixed:
                self._refuse_second_chance(connection)
            if present != status:
                connection.execute(table.update().where(table.c.id == self.id).values(status=status))
                self.context.log(connection, kind)

    def _refuse_second_chance(self, connection: sa.Connection) -> None:
        log = tables.events
        analysed = sa.select(log.c.data).where(log.c.study == self.id, log.c.kind == "analysed")
        if any(data.get("answers") for data in connection.execute(analysed).scalars()):
            raise Refused(
                "closed",
                "this study was closed and analysed, and stays closed: going on after an unplanned look would change "
                "the risks; launch a new study (launch --fresh), with planned looks if you want to look early",
            )

    def add_judges(self, panel: str, judges: int) -> list[Link]:
        """So many more judges of a panel than were planned: sheets that continue the design, and personal links where
        judges come by these. Refused once somebody has looked at the answers, or a rule of stopping fixes their number.
        """
        plan = self.context.panel(panel)
        if plan.kind != "people":
            raise InputError(f"{panel!r} is a panel of machines; judges are added to panels of people")
        if not 1 <= judges <= 100_000:
            raise InputError(f"the number of further judges must be between 1 and 100,000, not {judges}")
        if self.study.imported or not self.study.fixed:
            fixed = "its rule of stopping fixes the number of answers"
            why = "the study was run elsewhere" if self.study.imported else fixed
            raise InputError(f"no judges can be added: {why}")
        if self.progress.status == "closed":
            raise InputError("no judges can be added: the study is closed; open it again (nlgauge study reopen)")
        with self.store.write() as connection:
            looked = self._look_at_answers(connection)
            if looked:
                raise InputError(
                    f"no judges can be added: the answers were {looked} already, and going on in view of a result "
                    "changes the risks; launch a new study"
                )
            self.dealing.add_slots(connection, panel, judges * plan.evaluations)
            made = self.arrivals.further_links(connection, panel, judges) if plan.access == "links" else []
            self.context.log(connection, ADDED, panel=panel, judges=judges)
            return made

    def _look_at_answers(self, connection: sa.Connection) -> str:
        """How somebody has seen answers of people, by the log; empty where nobody has."""
        log = tables.events
        query = sa.select(log.c.kind, log.c.data).where(log.c.study == self.id, log.c.kind.in_(LOOKS))
        seen = (row.kind for row in connection.execute(query) if row.data.get(LOOKS[row.kind][0]))
        return next((LOOKS[kind][1] for kind in seen), "")
