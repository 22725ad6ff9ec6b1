"""The verdict of a running study, where its plan allows one to be seen; computed once for each state of the answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from nlgauge.errors import InputError
from nlgauge.report.study import headline
from nlgauge.study import watching
from nlgauge.study.analysis import analyse
from nlgauge.study.analysis.reading import material
from nlgauge.study.analysis.results import StudyResult
from nlgauge.study.service import Service


@dataclass(frozen=True)
class Seen:
    """What the researcher may see now. `result` is None where looking is refused, and `sentence` then says why."""

    sentence: str
    result: StudyResult | None
    ended: bool  # no answer that comes now can change what is concluded

    @property
    def headline(self) -> str:
        """The verdict in a few words."""
        return "" if self.result is None else headline(self.result)


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
            key = (self.service.status, *watching.version(self.service))
            if self._seen is None or key != self._key:
                self._seen, self._key = look(self.service), key
            return self._seen


def look(service: Service) -> Seen:
    """Analyse what is there; the analysis itself refuses to peek."""
    found = material(service)
    try:
        result = analyse(found.plan, found.judgements, found.texts, remarks=found.remarks)
    except InputError as error:
        return Seen(str(error), None, found.plan.closed)
    going_on = any(one.stopped is not None and not one.stopped.over for one in result.verdicts)
    return Seen(result.sentence, result, found.plan.closed or not going_on)
