"""What a machine is shown, and what it answers.

A machine sees what stands on a person's screen and nothing else: no subject, no id of a text or input, no triad. A
metric is also handed the reference and the source that its panel is shown (`Sheet.beside`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any, Protocol, TypeVar

from nlgauge.study.model import Text


@dataclass(frozen=True)
class Shown:
    """One of the texts as shown."""

    text: str
    caption: str = ""
    context: str = ""


@dataclass(frozen=True)
class Beside:
    """Something that stands beside the texts: what it is, its heading, and its parts as a page shows them."""

    what: str  # source, reference, table, history …
    heading: str
    parts: tuple[str, ...]
    value: Any = field(default=None, hash=False)  # as it is kept
    of: int | None = None  # the place of the text that it belongs to, where not to all


@dataclass(frozen=True)
class Sheet:
    """The texts of a screen in their order, and what stands beside them."""

    texts: tuple[Shown, ...]
    beside: tuple[Beside, ...] = ()
    # as the study keeps them, to check answers by; no machine is handed what else they hold
    kept: tuple[Text, ...] = field(default=(), repr=False, compare=False)

    @classmethod
    def of(cls, texts: Sequence[Text]) -> Sheet:
        """What of these texts may be shown to a machine. Pictures are not sent."""
        return cls(tuple(Shown(text.text, text.caption, text.context) for text in texts), kept=tuple(texts))

    @property
    def checked(self) -> Sequence[Any]:
        """The texts that an answer is checked against."""
        return self.kept or self.texts

    def held(self, what: str, place: int = 0) -> Beside | None:
        """What stands beside the text at a place, by its kind."""
        return next((found for found in self.beside if found.what == what and found.of in (None, place)), None)


@dataclass(frozen=True)
class Choice:
    """A machine's answer as the protocol has it (in a triangle test the position chosen), or None and why there is
    none."""

    answer: Any
    client: str  # which machine, kept with the judgement
    reason: str = ""
    tied: bool = False  # several texts were as good, and one of them was drawn
    why_not: str = ""  # refused, unreadable
    replies: tuple[Mapping[str, Any], ...] = ()  # as they came, for the log
    measured: bool = False  # numbers on a scale of the machine's own
    scores: tuple[float, ...] = ()  # of the texts, where these stand for the answer; the higher the better
    probabilities: tuple[float, ...] = ()  # of two texts: that the first is better, the second, neither


class Judge(Protocol):
    """A machine that can take part in a study."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """What makes it this judge: a panel is answered with one set of settings from beginning to end."""

    @property
    def circumstances(self) -> Mapping[str, Any]:
        """What else is worth keeping of a run: addresses, versions, the prompt in full."""

    @property
    def side_by_side(self) -> int:
        """How many sheets it can be asked about at the same time."""

    def prepare(self, sheets: Sequence[Sheet]) -> None:
        """All sheets of the panel, before the first is to be judged."""

    def decide(self, sheet: Sheet) -> Choice:
        """The answer to a sheet."""


T = TypeVar("T")


def decided(machine: Judge, work: Iterator[tuple[T, Sheet]]) -> Iterator[tuple[T, Choice]]:
    """The machine's choices as they come; the store is only touched by the thread that asks for them."""
    if machine.side_by_side <= 1:
        for place, sheet in work:
            yield place, machine.decide(sheet)
        return
    yield from _side_by_side(machine, work)


def _side_by_side(machine: Judge, work: Iterator[tuple[T, Sheet]]) -> Iterator[tuple[T, Choice]]:
    """Several sheets at once. After a failure nothing new is begun, and what is under way is still taken in."""
    to_do: SimpleQueue[tuple[T, Sheet] | None] = SimpleQueue()
    made: SimpleQueue[tuple[T, Choice | BaseException]] = SimpleQueue()

    def labour() -> None:
        while (job := to_do.get()) is not None:
            try:
                made.put((job[0], machine.decide(job[1])))
            except BaseException as error:  # handed to the thread that waits for it
                made.put((job[0], error))

    for _ in range(machine.side_by_side):
        threading.Thread(target=labour, daemon=True).start()
    under_way, failure = 0, None
    try:
        while True:
            while failure is None and under_way < machine.side_by_side and (job := next(work, None)):
                to_do.put(job)
                under_way += 1
            if not under_way:
                break
            place, result = made.get()
            under_way -= 1
            if isinstance(result, BaseException):
                failure = failure or result
            else:
                yield place, result
    finally:
        for _ in range(machine.side_by_side):
            to_do.put(None)
    if failure is not None:
        raise failure
