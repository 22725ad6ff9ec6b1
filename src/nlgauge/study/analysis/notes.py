"""What a reader of an analysis must know, as facts: the words for them are made last, in `report.study.notes`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from nlgauge.jsonable import Jsonable


class Named(Protocol):
    """A criterion by its name."""

    @property
    def name(self) -> str:
        """As it is called."""
        ...

    @property
    def known(self) -> bool:
        """Whether anybody can read what was asked."""
        ...


@dataclass(frozen=True)
class Note(Jsonable):
    """One thing to know before the figures are believed.

    `kind` says which, `where` is the criterion it is said of, `panel` whose answers, where there are several panels;
    `values` are numbers and names, never sentences; only what was refused or remarked elsewhere is a text.
    """

    KEYS = "note = kind, where if any, panel if any, values"

    kind: str
    where: str = ""
    panel: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    known: bool = True  # whether anybody can read what was asked

    def at(self, criterion: Named, panel: str = "") -> Note:
        """The same, said of a criterion."""
        return replace(self, where=criterion.name, known=criterion.known, panel=panel)


def note(kind: str, /, **values: Any) -> Note:
    """A note with its values.

    >>> note("few judges", judges=3).values["judges"]
    3
    """
    return Note(kind, values=values)


def distinct(notes: Iterable[Note]) -> Iterator[Note]:
    """Each note once."""
    told: list[Note] = []
    for each in notes:
        if each not in told:
            told.append(each)
            yield each
