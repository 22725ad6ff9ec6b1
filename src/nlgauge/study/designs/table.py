"""The table of a design: which judge slot sees what, in which order, as whole numbers.

A *sheet* is everything one judge sees, a *screen* one page of it: an item with one or several systems' outputs. Sheets
are dealt in the order of their numbers, and one that a judge abandons goes back to the pool; `next_sheet` says which
comes next. Items, systems and sheets are counted from 0 here, from 1 on paper.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

import numpy as np

from nlgauge.arrays import Ints
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.wording.tables import plain_table


class Role(IntEnum):
    """What a screen is there for; only the main ones are analysed as judgements of systems."""

    MAIN = 0
    WARM_UP = 1  # the item is a number among the warm-up items
    ATTENTION = 2  # the item is a number among the attention checks; there is no system
    DEGRADED = 3  # a damaged copy of another screen of the sheet
    REPEAT = 4  # another screen of the sheet again


ARRAYS = ("number", "item", "shown", "role", "original")  # of a table
MARKS = {Role.MAIN: "", Role.WARM_UP: "w", Role.ATTENTION: "c", Role.DEGRADED: "d", Role.REPEAT: "r"}


@dataclass(frozen=True)
class Screen:
    """One page of a sheet."""

    sheet: int
    position: int
    role: Role
    item: int
    systems: tuple[int, ...]  # from the first place on the screen to the last
    original: int | None = None  # position of the screen that is repeated or damaged

    def __str__(self) -> str:
        return f"{MARKS[self.role]}{self.item + 1}{''.join(letters(system) for system in self.systems)}"


@dataclass(frozen=True, eq=False)
class Table(Jsonable):
    """Sheets of equal length: arrays of sheets × screens."""

    items: int
    systems: int
    number: Ints  # (sheets,) the sheets' numbers
    item: Ints  # (sheets, screens)
    shown: Ints  # (sheets, screens, places) systems; -1 where there is none
    role: Ints  # (sheets, screens)
    original: Ints  # (sheets, screens) -1 where there is none

    def __post_init__(self) -> None:
        for name in ARRAYS:
            getattr(self, name).flags.writeable = False

    def __len__(self) -> int:
        return len(self.number)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    @property
    def screens(self) -> int:
        """Screens of a sheet."""
        return int(self.item.shape[1])

    @property
    def per_screen(self) -> int:
        """Outputs of a screen."""
        return int(self.shown.shape[2])

    @property
    def main(self) -> tuple[Ints, Ints]:
        """Items and systems of the screens that count, sheets × screens (× places), in the order seen."""
        chosen = self.role == Role.MAIN
        each = int(chosen[0].sum()) if len(self) else 0
        items = self.item[chosen].reshape(len(self), each)
        return items, self.shown[chosen].reshape(len(self), each, self.per_screen)

    def only(self, sheets: Iterable[int]) -> Table:
        """Some sheets by their numbers, for example those that were completed."""
        place = {int(number): row for row, number in enumerate(self.number)}
        try:
            rows = np.array([place[int(sheet)] for sheet in sheets], dtype=np.int64)
        except KeyError as error:
            raise InputError(
                f"the table holds no sheet {error.args[0]}; it has {len(self)} sheets, counted from 0"
            ) from None
        return replace(self, **{name: getattr(self, name)[rows] for name in ARRAYS})

    def sheet(self, number: int) -> list[Screen]:
        """The screens of one sheet in the order seen."""
        return list(self.only([number]).rows())

    def rows(self) -> Iterator[Screen]:
        """Every screen, sheet by sheet."""
        for number, *columns in zip(*(getattr(self, name).tolist() for name in ARRAYS), strict=True):
            for position, (item, shown, role, original) in enumerate(zip(*columns, strict=True)):
                systems = tuple(system for system in shown if system >= 0)
                yield Screen(number, position, Role(role), item, systems, original if original >= 0 else None)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Table:
        """The table that `to_dict` wrote."""
        arrays = [np.array(values[name], dtype=np.int64) for name in ARRAYS]
        return cls(values["items"], values["systems"], *arrays)

    def __str__(self) -> str:
        by_sheet: dict[int, list[str]] = {int(number): [] for number in self.number}
        for screen in self.rows():
            by_sheet[screen.sheet].append(str(screen))
        headers = ["sheet", *(str(position + 1) for position in range(self.screens))]
        return plain_table(headers, [[str(number + 1), *cells] for number, cells in by_sheet.items()])


def plain(items: int, systems: int, item: Ints, shown: Ints) -> Table:
    """A table of main screens only."""
    count, each = item.shape
    return Table(
        items=items,
        systems=systems,
        number=np.arange(count, dtype=np.int64),
        item=item.astype(np.int64),
        shown=shown.astype(np.int64),
        role=np.zeros((count, each), dtype=np.int64),
        original=np.full((count, each), -1, dtype=np.int64),
    )


def letters(system: int) -> str:
    """A system's short name in printed tables: A … Z, then AA.

    >>> letters(0), letters(25), letters(26)
    ('A', 'Z', 'AA')
    """
    name = ""
    while system >= 0:
        name = chr(ord("A") + system % 26) + name
        system = system // 26 - 1
    return name


def next_sheet(completed: Collection[int], held: Collection[int]) -> int:
    """The sheet for the next judge: the first that nobody completed or has in hand.

    Whatever was abandoned comes first, so that the completed sheets are the first ones but for those in hand.

    >>> next_sheet({0, 1, 3}, {2})
    4
    >>> next_sheet({0, 1, 3}, set())
    2
    """
    taken = {*completed, *held}
    return next(number for number in range(len(taken) + 1) if number not in taken)
