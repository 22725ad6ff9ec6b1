"""The verdict of a study, where its plan allows one to be seen; computed once for each state of the answers.

Looking is an event in the log, and of a test with a fixed number there is one look. So a verdict appears by itself only
when all planned answers are there and no more can come; a study that was closed early is analysed when the researcher
asks for it. Planned looks are paid for, and appear as they are reached.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from nlgauge.errors import InputError
from nlgauge.report.study.renderers import AnyResult, renderer_of
from nlgauge.report.study.words import sentence
from nlgauge.study.service import Service


@dataclass(frozen=True)
class Seen:
    """What the researcher may see now. `result` is None where there is nothing to see, and `sentence` says why."""

    sentence: str
    result: AnyResult | None
    ended: bool  # no answer that comes now can change what is concluded
    waiting: bool = False  # a look is possible, and has to be asked for

    @property
    def headline(self) -> str:
        """The verdict in a few words."""
        return "" if self.result is None else renderer_of(self.result).headline(self.result)


@dataclass
class Verdicts:
    """Remembers the last analysis: pages are asked for more often than answers come."""

    service: Service
    _lock: Lock = field(default_factory=Lock)
    _key: Any = None
    _seen: Seen | None = None

    def current(self) -> Seen:
        """The present verdict, or why there is none."""
        with self._lock:
            if self._seen is None or self._version() != self._key:
                before = self._version()[:-1]
                self._seen = look(self.service)
                self._key = (*before, self._version()[-1])  # the look itself is an event
            return self._seen

    def _version(self) -> tuple[Any, ...]:
        return (self.service.status, *self.service.progress.version())


def look(service: Service) -> Seen:
    """Analyse what is there, if that may be done unasked; the analysis itself refuses to peek."""
    closed = service.status == "closed"
    if service.study.fixed:
        done, planned = service.progress.planned_answers()
        if closed and done < planned and not looked_at(service):
            return Seen(
                f"The study was closed with {done:,} of {planned:,} planned answers. It can be analysed as it is, as "
                "an exploratory study; after that look it cannot be opened again.",
                None,
                True,
                waiting=done > 0,
            )
        if not closed and done >= planned and more_may_come(service):
            return Seen(
                "All planned answers are there, but the study admits further ones: close it to see the verdict.",
                None,
                False,
            )
    try:
        result = analyse_service(service)
    except InputError as error:
        said = str(error)
        return Seen(f"{said[:1].upper()}{said[1:]}.", None, closed)
    return Seen(sentence(result), result, closed or not result.going_on)


def analyse_service(service: Service) -> AnyResult:
    """The analysis of the study's protocol, logged."""
    found: AnyResult = service.protocol.analyse_service(service)
    return found


def looked_at(service: Service) -> bool:
    """Whether somebody has seen a result."""
    return any(event["data"].get("answers") for event in service.events("analysed"))


def more_may_come(service: Service) -> bool:
    """Whether answers beyond the planned ones would be analysed."""
    return service.study.extra == "continue" or service.study.surplus == "include"
