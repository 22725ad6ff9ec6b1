"""A machine goes through a study: enlisted in a panel of its own, shown each screen, answering by the same verbs.

The log holds, for every run, the machine's settings, prompt and versions (`machine-run`), every reply of a language
model as it came (`machine-reply`), every screen left open (`machine-unanswered`) and the counts at the end
(`machine-end`). A panel is answered with one set of settings: other settings need another panel. Where a panel has
several judges (`run_panel`), each is the same machine asked once more, with a sheet of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nlgauge import __version__
from nlgauge.errors import InputError, option
from nlgauge.jsonable import Jsonable
from nlgauge.study.machine_judges.base import Choice, Judge, Sheet, decided
from nlgauge.study.model import MEASURED, Evaluation, Slot, clean
from nlgauge.study.refusals import Refused
from nlgauge.study.service import Service

RUN, REPLY, UNANSWERED, END = "machine-run", "machine-reply", "machine-unanswered", "machine-end"


@dataclass
class Outcome(Jsonable):
    """What a run did; `done` and `left` are those of the panel, the others of this run."""

    KEYS = "..., complete"

    panel: str
    like: str
    judge: str
    planned: int
    done: int = 0
    left: int = 0
    answered: int = 0
    refused: int = 0
    unreadable: int = 0
    tied: int = 0
    retries: int = 0
    pictures: int = 0  # texts whose picture a machine does not see
    cut: int = 0  # texts longer than the encoder takes
    seconds: float = 0.0
    what: str = "triads"  # what the panel judges

    def __add__(self, other: Outcome) -> Outcome:
        """Two judges of one panel together."""
        added = {name: getattr(self, name) + getattr(other, name) for name in COUNTS}
        return replace(self, judge=f"{self.judge}, {other.judge}", **added)

    @property
    def complete(self) -> bool:
        """Whether the panel is done."""
        return self.left == 0


COUNTS = ("planned", "done", "left", "answered", "refused", "unreadable", "tied", "retries", "cut", "seconds")
Show = Callable[[Evaluation], Sheet]
"""What of an evaluation a machine is shown."""


def plainly(evaluation: Evaluation) -> Sheet:
    """The texts and nothing beside them."""
    return Sheet.of(evaluation.texts)


def run_panel(
    service: Service,
    make: Callable[[int], Judge],
    *,
    name: str,
    language: str = "",
    limit: int | None = None,
    show: Show = plainly,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Every judge of a panel that the study file keeps for a machine, one after the other; `make` makes the n-th."""
    found: Outcome | None = None
    judges = service.study.panels[name].judges if service.protocol.samples else 1
    for number in range(1, judges + 1):
        before = 0 if found is None else found.answered + found.refused + found.unreadable
        left = None if limit is None else limit - before
        if left is not None and left <= 0 and found is not None:
            rest = [slot for slot in service.slots(name) if slot.block >= number]
            still = len(_open(service, name, rest))
            planned, done = found.planned + len(rest), found.done + len(rest) - still
            return replace(found, planned=planned, left=found.left + still, done=done)

        def heard(done: int, total: int, before: int = before) -> None:
            if progress is not None:
                progress(before + done, before + total)

        how: dict[str, Any] = {"language": language, "limit": left, "show": show, "progress": heard}
        one = run(service, make(number), like=name, name=name, number=number, **how)
        found = one if found is None else found + one
    assert found is not None, "a panel has a judge"
    return found


def run(
    service: Service,
    machine: Judge,
    *,
    like: str,
    name: str,
    language: str = "",
    limit: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    show: Show = plainly,
    number: int = 1,
) -> Outcome:
    """Answer what is open in the machine's panel, at most `limit` screens; `progress` hears how many of how many.

    `number` says which of the panel's judges it is, where they have a sheet each.
    """
    if not service.protocol.machines:
        raise InputError(
            f"machines cannot judge in a study of the protocol {service.study.protocol}: its judges hold the "
            "conversations that they rate, and a machine would rate its own"
        )
    begun = time.monotonic()
    settings = {**machine.settings, "like": like, "language": language}
    _same_as_before(service, name, settings, number)
    judge = service.machines.enlist(name, like, number)
    if language:
        service.people.set_language(judge, language)
    slots = service.slots(name)
    if name in service.study.panels and service.protocol.samples:
        slots = [slot for slot in slots if slot.block == number]
    to_do = _open(service, name, slots)
    known = service.frozen.text
    shown = {slot.id: tuple(known[text] for text in slot.texts) for slot in slots}
    texts = [text for own in shown.values() for text in own]
    outcome = Outcome(name, like, judge, len(slots), done=len(slots) - len(to_do), left=len(to_do))
    outcome.what = "triads" if service.protocol.kinds else "screens"
    outcome.pictures = len({text.id for text in texts if text.image})
    if not to_do:
        return outcome
    whole = [Evaluation("", slot, 0, 0, own, 0.0, panel=name) for slot, own in shown.items()]
    machine.prepare([show(evaluation) for evaluation in whole])
    outcome.cut = int(getattr(getattr(machine, "encoder", machine), "cut", 0))
    about = {"panel": name, "number": number, "settings": settings, "open": len(to_do), "nlgauge": __version__}
    seen = {"pictures": outcome.pictures, "cut": outcome.cut}
    service.machines.note(RUN, judge, {**about, **seen, **machine.circumstances})
    try:
        chosen = to_do[:limit]
        for evaluation, choice in decided(machine, _sheets(service, judge, chosen, show)):
            _store(service, judge, evaluation, choice, outcome)
            if progress is not None:
                progress(outcome.answered + outcome.refused + outcome.unreadable, len(chosen))
    finally:
        outcome.left = len(_open(service, name, slots))  # other runs of the same machine may have helped
        outcome.done = len(slots) - outcome.left
        outcome.seconds = round(time.monotonic() - begun, 3)
        service.machines.note(END, judge, outcome.to_dict())
        getattr(machine, "close", lambda: None)()
    return outcome


def _open(service: Service, name: str, slots: Sequence[Slot]) -> list[str]:
    """The screens of a panel that have no answer yet."""
    answered = {
        judgement.slot for judgement in service.judgements() if judgement.panel == name and not judgement.surplus
    }
    return [slot.id for slot in slots if slot.id not in answered]


def _same_as_before(service: Service, name: str, settings: dict[str, Any], number: int) -> None:
    """One panel, one machine: answers of two would be told for those of one."""
    for event in service.events(RUN):
        if event["data"]["panel"] != name or event["data"].get("number", 1) != number:
            continue
        before = event["data"]["settings"]
        other = [key for key in {**before, **settings} if before.get(key) != settings.get(key)]
        if other:
            was, now = (_short(values.get(other[0])) for values in (before, settings))
            raise InputError(
                f"the panel {name!r} was begun with {other[0]} {was}, not {now}; a panel is one machine from "
                f"beginning to end: give this one a name of its own with {option('name')}"
            )


def _short(value: object) -> str:
    text = str(value)
    return f"{text[:24]}…" if len(text) > 24 else text


def _sheets(service: Service, judge: str, slots: Iterable[str], show: Show) -> Iterator[tuple[Evaluation, Sheet]]:
    """Each screen is taken when its turn has come, so that its times are right."""
    for slot in slots:
        try:
            evaluation = service.machines.take(judge, slot)
        except Refused as refusal:
            if refusal.code != "answered":  # by another run of the same machine
                raise
            continue
        yield evaluation, show(evaluation)


def _store(service: Service, judge: str, evaluation: Evaluation, choice: Choice, outcome: Outcome) -> None:
    """First what was said, then what follows from it: no answer is without its reply."""
    place = {"slot": evaluation.slot, "claim": evaluation.claim}
    for reply in choice.replies:
        kept = {key: clean(value) if isinstance(value, str) else value for key, value in reply.items()}
        service.machines.note(REPLY, judge, place | kept)
        outcome.retries += int(reply.get("tries", 1)) - 1
    if choice.answer is None:
        service.machines.note(UNANSWERED, judge, place | {"why": choice.why_not})
        outcome.refused += choice.why_not == "refused"
        outcome.unreadable += choice.why_not != "refused"
        return
    client = clean(f"{MEASURED}{choice.client}" if choice.measured else choice.client)
    told: dict[str, Any] = {"reason": choice.reason, "client": client, "measured": choice.measured}
    answer = service.answers.answer(judge, evaluation.claim, choice.answer, **told)
    if answer.repeated:  # another run of the same machine was faster, and its answer is the one that was kept
        return
    outcome.tied += choice.tied
    outcome.answered += 1
