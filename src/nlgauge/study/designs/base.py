"""What all designs share: the fields that are keys of the study file, the refusals, the order within a sheet.

A design is an endless sequence of sheets. The first n are the same however many are asked for, so that a continuation
for late judges is simply the sheets that follow, and any beginning of the sequence is as balanced as it can be.
"""

# ruff: noqa: RUF009 - `key` is `dataclasses.field` with words

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from nlgauge.arrays import Ints
from nlgauge.errors import InputError
from nlgauge.io.fields import key
from nlgauge.jsonable import Jsonable
from nlgauge.study.designs.draws import Draws
from nlgauge.study.designs.table import Table, plain

Order = Literal["random", "fixed", "listed"]
MOST_SHEETS = 1_000_000


@dataclass(frozen=True)
class Design(Jsonable, ABC):
    """Who sees what: the fields are keys of the study file."""

    KEYS = "kind, ..."

    kind: ClassVar[str]
    about: ClassVar[str]

    items_per_judge: int = key("screens for each judge; 0: all there are", default=0, least=0, most=100_000)
    order: Order = key(
        "of the items within a sheet: random for each judge, fixed (one random order for all), or as listed",
        default="random",
    )

    def sheets(self, items: int, systems: int, count: int, *, seed: int, panel: str = "", start: int = 0) -> Table:
        """The sheets from number `start` on, `count` of them."""
        for what, value, least in (("item", items, 1), ("system", systems, 1), ("sheet", count + start, 0)):
            if value < least:
                raise InputError(f"a design cannot have {value} {what}s; give at least {least}")
        if start < 0 or count < 0 or start + count > MOST_SHEETS:
            raise InputError(
                f"sheets {start} to {start + count} were asked for; a design has sheets 0 to {MOST_SHEETS:,}"
            )
        self.check(items, systems)
        item, shown = self._fill(items, systems, start + count, Draws(seed, panel))
        table = plain(items, systems, item, shown)
        return table if start == 0 else table.only(range(start, start + count))

    @abstractmethod
    def check(self, items: int, systems: int) -> None:
        """Refuse what cannot be."""

    @abstractmethod
    def complete(self, items: int, systems: int) -> int:
        """The number of sheets after which everything is balanced, and then after each as many; 0: never exactly."""

    def square(self, systems: int) -> int:
        """The number of sheets that balance the systems on the items of these sheets; 0: there is none."""
        return 0

    @abstractmethod
    def describe(self, items: int, systems: int) -> str:
        """The design in a sentence, for the statement of a study."""

    @abstractmethod
    def _fill(self, items: int, systems: int, count: int, draws: Draws) -> tuple[Ints, Ints]:
        """Items (sheets, screens) and systems (sheets, screens, places) of the first sheets."""

    def _each(self, most: int) -> int:
        """Screens of a sheet."""
        return self.items_per_judge or most

    def _at_most(self, most: int, why: str) -> None:
        if self.items_per_judge > most:
            raise InputError(
                f"items_per_judge is {self.items_per_judge}, but in the design {self.kind!r} {why}; give at most {most}"
            )

    def _in_order(self, item: Ints, items: int, draws: Draws) -> Ints:
        """Where each screen of each sheet comes from: the order in which a judge sees them.

        In random order a judge meets every item once before meeting any of them again.
        """
        chance = draws.shares("order", *item.shape)
        if self.order == "random":
            first = occurrence(item, chance)
        elif self.order == "fixed":
            first = np.argsort(draws.order("fixed order", items))[item]
        else:
            first = item
        found: Ints = np.argsort(first + chance, axis=1, kind="stable")
        return found


def occurrence(item: Ints, chance: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Ints:
    """For each screen how many screens of its sheet with the same item count as earlier, by chance."""
    count, each = item.shape
    if not item.size:
        return item
    by_item = np.argsort(item + chance, axis=1, kind="stable")
    ordered = np.take_along_axis(item, by_item, axis=1)
    place = np.broadcast_to(np.arange(each), (count, each))
    begins = np.concatenate([np.ones((count, 1), dtype=bool), ordered[:, 1:] != ordered[:, :-1]], axis=1)
    rank = place - np.maximum.accumulate(np.where(begins, place, 0), axis=1)
    found = np.empty_like(item)
    np.put_along_axis(found, by_item, rank, axis=1)
    return found


def in_order(order: Ints, item: Ints, shown: Ints) -> tuple[Ints, Ints]:
    """The screens of each sheet in the order given."""
    return np.take_along_axis(item, order, axis=1), np.take_along_axis(shown, order[:, :, None], axis=1)
