"""The verbs of a study in one place: what pages, commands, simulated judges and tests call.

    service = launch(study, folder, Store.at(folder))       # freezes, hashes, materialises, stores
    service = opened(folder, Store.at(folder))              # the same study later
    judge, token = service.arrivals.register("public")
    step = service.dealing.step(judge)                      # consent, questions, practice, evaluation, done …
    service.answers.answer(judge, step.evaluation.claim, 2)

A `Service` holds parts; each is a class of its own over one `Context`, and is handed the parts that it calls:

context     the store, the frozen study, the clock, and the small queries that all share
turns       what happens between showing and answer
quality     records of earlier work, exclusions
arrivals    links, registering
people      consent, questions, the comprehension test, leaving, being forgotten
progress    who stands where, and how long they took
discussion  a round in which judges see where they differ
dealing     what a judge sees next
answers     answers, corrections, feedback
machines    judges that are programs
admin       pause, resume, close, more judges

Every verb is one transaction.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Unpack

from nlgauge.errors import InputError, option
from nlgauge.study.file.study import Study
from nlgauge.study.freeze import frozen as freezing
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement, Slot
from nlgauge.study.service.admin import Admin
from nlgauge.study.service.answers import Answers
from nlgauge.study.service.arrivals import Arrivals
from nlgauge.study.service.context import Context, Means
from nlgauge.study.service.dealing import Dealing, slot_row
from nlgauge.study.service.discussion import Discussion
from nlgauge.study.service.machines import Machines
from nlgauge.study.service.people import People
from nlgauge.study.service.progress import Progress
from nlgauge.study.service.quality import Quality
from nlgauge.study.service.turns import Turns
from nlgauge.study.store import Store, tables

__all__ = ["Service", "launch", "opened", "start"]


class Service:
    """A launched study in a store, by its parts; what nearly everybody asks for stands here as well."""

    def __init__(self, store: Store, frozen: Frozen, **means: Unpack[Means]) -> None:
        self.context = context = Context(store, frozen, **means)
        self.store, self.frozen, self.study, self.id = store, frozen, frozen.study, frozen.id
        self.protocol = context.protocol
        self.turns, self.quality = Turns(context), Quality(context)
        self.arrivals = Arrivals(context, self.quality)
        self.people = People(context, self.arrivals, self.turns)
        self.progress = Progress(context, self.arrivals, self.people)
        self.discussion = Discussion(context, self.progress)
        self.dealing = Dealing(context, self.people, self.discussion)
        self.answers = Answers(context, self.dealing, self.discussion, self.turns)
        self.machines = Machines(context, self.arrivals, self.dealing)
        self.admin = Admin(context, self.arrivals, self.dealing, self.progress)

    @property
    def status(self) -> str:
        """open, paused or closed."""
        return self.progress.status

    def judgements(self) -> list[Judgement]:
        """Every judgement in the order of arrival, practice, surplus and corrections included."""
        return self.context.judgements()

    def events(self, kind: str | None = None) -> list[dict[str, Any]]:
        """The log, oldest first; of one kind where one is named."""
        return self.context.events(kind)

    def slots(self, panel: str | None = None) -> list[Slot]:
        """The evaluations to be made, of one panel or all, those added later included."""
        with self.store.read() as connection:
            return self.context.slots(connection, panel)


def launch(study: Study, folder: str | Path, store: Store, **means: Unpack[Means]) -> Service:
    """Freeze a study, put it and its assignments into the store, and write `frozen.json`."""
    path = Path(folder) / freezing.FILE
    made = freezing.freeze(study, folder)
    if path.exists():
        before = freezing.read(folder)
        if store.holds(before.id):
            same = before.digest == made.digest
            raise InputError(
                f"{folder} was launched already{'' if same else ', with another design or other texts'}; "
                f"judges' answers belong to that design: launch {option('fresh')} sets it aside and starts anew"
            )
    elif store.holds(made.id) and not (begun := Service(store, made, **means)).people.judges():
        freezing.write(made, folder)  # an earlier launch ended between the database and the file
        return begun
    service = start(made, store, **means)
    freezing.write(made, folder)
    return service


def start(frozen: Frozen, store: Store, **means: Unpack[Means]) -> Service:
    """Put a frozen study into a store, with its slots and links, in one transaction."""
    service = Service(store, frozen, **means)
    if store.holds(frozen.id):
        raise InputError(
            f"the database already holds this study ({frozen.id}); change the seed to run the same design again"
        )
    with store.write() as connection:
        connection.execute(
            tables.studies.insert().values(
                id=frozen.id,
                digest=frozen.digest,
                title=frozen.study.called,
                status="closed" if frozen.study.imported else "open",
                kind="live",
                launched_at=service.context.clock(),
                frozen=frozen.to_dict(),
            )
        )
        for name, panel in frozen.study.panels.items():
            connection.execute(tables.panels.insert().values(study=frozen.id, name=name, evaluations=panel.evaluations))
            rows = [slot_row(frozen.id, slot, panel.evaluations) for slot in frozen.slots if slot.panel == name]
            connection.execute(tables.slots.insert(), rows)
            if panel.kind == "people" and not frozen.study.imported:
                for number in range(1, panel.judges + 1 if panel.access == "links" else 1):
                    service.arrivals.new_link(connection, name, "personal", number=number)
                if panel.access != "links":
                    service.arrivals.new_link(connection, name, panel.access)
        service.context.log(connection, "launched", digest=frozen.digest)
    store.stock.take()
    return service


def opened(folder: str | Path, store: Store, **means: Unpack[Means]) -> Service:
    """A study that was launched before."""
    frozen = freezing.read(folder)
    if not store.holds(frozen.id):
        raise InputError(
            f"the database does not hold the study of {folder} ({frozen.id}); name the one it was launched in with "
            f"{option('db')}"
        )
    return Service(store, frozen, **means)
