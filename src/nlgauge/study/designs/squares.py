"""Each judge sees each item once, with one system: repeated Latin squares, Williams squares, random systems.

Latin: Belz and Reiter (2006, section 3) showed their 21 non-experts 21 forecasts each in repeated Latin squares, their
nine experts a random system's forecast for each of 18 dates. Williams (1949) arranged the treatments of a Latin square
so that each follows each other one equally often: one square where their number is even, two where it is odd.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import Literal

import numpy as np

from nlgauge.arrays import Ints
from nlgauge.errors import InputError
from nlgauge.io.fields import key
from nlgauge.study.designs.base import Design, in_order
from nlgauge.study.designs.draws import Draws, deal


@dataclass(frozen=True)
class _OncePerItem(Design):
    """No judge sees an item twice."""

    same_items: bool = key(
        "where a judge does not see all items: whether all judges see the same, drawn once", default=False
    )

    def check(self, items: int, systems: int) -> None:
        self._at_most(items, f"a judge sees each of the {items} items at most once")

    def _items(self, items: int, groups: int, draws: Draws) -> Ints:
        """The items of each group of sheets, in random order and equally often."""
        each = self._each(items)
        if self.same_items or each == items:
            chosen = draws.order("items", items)[:each]
            return chosen[draws.order("item order", groups, each)]
        return deal([np.arange(items)], 1, each, groups, draws)[0]

    def _rounds(self, items: int, square: int) -> int:
        each = self._each(items)
        return square if self.same_items else square * (items // gcd(items, each))

    def _seen(self, items: int) -> str:
        each = self._each(items)
        which, same = ("each", "") if each == items else (str(each), ", all judges the same" * self.same_items)
        return f"each judge sees {which} of the {items} items once{same}"

    def _outputs(self, items: int) -> str:
        return "each output" if self._each(items) == items else "each output of its items"


@dataclass(frozen=True)
class Latin(_OncePerItem):
    """Repeated Latin squares: with v systems, v judges see every text of their items exactly once."""

    kind = "latin"
    about = "repeated Latin squares: each judge sees each item once, a square of judges each text once"

    def complete(self, items: int, systems: int) -> int:
        return self._rounds(items, self.square(systems))

    def square(self, systems: int) -> int:
        return systems

    def describe(self, items: int, systems: int) -> str:
        low, rest = divmod(self._each(items), systems)
        times = f"{low} or {low + 1} times" if rest else f"{low} time{'s' * (low != 1)}"
        return (
            f"Repeated Latin squares of {systems} judges: {self._seen(items)} and each of the {systems} systems "
            f"{times}; within a complete square {self._outputs(items)} is judged once."
        )

    def _fill(self, items: int, systems: int, count: int, draws: Draws) -> tuple[Ints, Ints]:
        each, squares = self._each(items), -(-count // systems)
        columns = np.repeat(self._items(items, squares, draws), systems, axis=0)[:count]
        names = np.repeat(draws.order("systems", squares, systems), systems, axis=0)[:count]
        first = np.repeat(draws.below("first row", systems, squares, 1), systems, axis=0)[:count]
        rows = np.tile(_steps(systems, each % systems), squares)[:count, None]
        turn = (first + rows + np.arange(each)) % systems
        shown = np.take_along_axis(names, turn, axis=1)[:, :, None]
        return in_order(self._in_order(columns, items, draws), columns, shown)


def _steps(systems: int, surplus: int) -> Ints:
    """The rows of a cyclic square in the order that evens out, from judge to judge, which systems come once more.

    >>> _steps(6, 3).tolist()
    [0, 3, 1, 4, 2, 5]
    """
    surplus = surplus or 1
    row = np.arange(systems)
    return (row * surplus + row * gcd(surplus, systems) // systems) % systems


@dataclass(frozen=True)
class RandomText(_OncePerItem):
    """A random system's output for each item."""

    kind = "random"
    about = "a random system's output for each item"

    systems: Literal["balanced", "drawn"] = key(
        "balanced: each judge sees each system equally often, give or take one; drawn: pure chance",
        default="balanced",
    )

    def complete(self, items: int, systems: int) -> int:
        return 0

    def describe(self, items: int, systems: int) -> str:
        how = (
            f"each judge sees each of the {systems} systems equally often, give or take one"
            if self.systems == "balanced"
            else f"each of the {systems} systems is drawn with the same chance"
        )
        return f"A randomly chosen output for each item: {self._seen(items)}; {how}."

    def _fill(self, items: int, systems: int, count: int, draws: Draws) -> tuple[Ints, Ints]:
        each = self._each(items)
        item = self._items(items, count, draws)
        if self.systems == "drawn":
            shown = draws.below("systems", systems, count, each)
        else:
            # the items are in random order; the systems that come once more go on from judge to judge
            item = np.take_along_axis(item, draws.order("items of systems", count, each), axis=1)
            turn = np.arange(count)[:, None] * (each % systems) + np.arange(each)
            shown = draws.order("systems", systems)[turn % systems]
        return in_order(self._in_order(item, items, draws), item, shown[:, :, None])


def williams_rows(size: int) -> Ints:
    """The rows of a Williams square (two squares for an odd number) of 0 … size - 1.

    >>> williams_rows(4).tolist()
    [[0, 1, 3, 2], [1, 2, 0, 3], [2, 3, 1, 0], [3, 0, 2, 1]]
    """
    first = zigzag(size)
    bases = [first] if size % 2 == 0 or size == 1 else [first, first[::-1]]
    shift = np.arange(size)[:, None]
    return np.concatenate([(base + shift) % size for base in bases])


def zigzag(size: int) -> Ints:
    """0, 1, -1, 2, -2, … modulo the size: the differences of neighbours are all different where the size is even.

    >>> zigzag(5).tolist()
    [0, 1, 4, 2, 3]
    """
    place = np.arange(size)
    return np.where(place % 2 == 1, (place + 1) // 2, -(place // 2)) % size


@dataclass(frozen=True)
class Williams(_OncePerItem):
    """Latin squares in which each system follows each other one equally often.

    A sheet is one row after another; what follows at the seam of two rows is evened out over the squares. The judges of
    a square see the items in one order, so that it remains a Latin square of items, and the next square in another.
    """

    kind = "williams"
    about = "Latin squares in which each system follows each other system equally often"

    def check(self, items: int, systems: int) -> None:
        super().check(items, systems)
        if systems < 2:
            raise InputError("the design 'williams' orders systems, and there is only one; give at least 2")

    def complete(self, items: int, systems: int) -> int:
        return self._rounds(items, self.square(systems))

    def square(self, systems: int) -> int:
        return systems * (1 + systems % 2)

    def describe(self, items: int, systems: int) -> str:
        squares = f"squares of {systems} judges" if systems % 2 == 0 else f"pairs of squares of {systems} judges"
        return (
            f"Williams squares ({squares}): {self._seen(items)}; within a square {self._outputs(items)} is judged once "
            f"and each system stands once at each position, and each follows each other system equally often."
        )

    def _fill(self, items: int, systems: int, count: int, draws: Draws) -> tuple[Ints, Ints]:
        each, squares = self._each(items), -(-count // systems)
        columns = self._items(items, squares, draws)
        if self.order != "random":
            columns = np.take_along_axis(columns, self._in_order(columns, items, draws), axis=1)
        item = np.repeat(columns, systems, axis=0)[:count]
        column = self._columns(systems, squares, -(-each // systems), draws)[:, :each]
        row = draws.order("rows", squares, systems).reshape(-1, 1)[:count]
        turn = (row + np.repeat(column, systems, axis=0)[:count]) % systems
        return item, draws.order("systems", systems)[turn][:, :, None]

    @staticmethod
    def _columns(systems: int, squares: int, rows: int, draws: Draws) -> Ints:
        """The first sheet of each square; the others are shifted by one each.

        A seam whose neighbours differ by d gives, over the sheets of the square, each ordered pair that differs by d
        once; d runs through all differences in turn.
        """
        base = zigzag(systems)
        two = np.array([base, base[::-1] if systems % 2 else base])
        bases = two[np.arange(squares) % 2]
        seams = max(rows - 1, 0)
        turn = np.arange(squares * seams).reshape(squares, seams) % (systems - 1)
        differences = 1 + draws.order("seams", systems - 1)[turn]
        # a row begins where the last one ended, plus d
        steps = bases[:, -1:] - bases[:, :1] + differences
        starts = np.concatenate([np.zeros((squares, 1), dtype=np.int64), np.cumsum(steps, axis=1)], axis=1)
        found: Ints = (starts[:, :, None] + bases[:, None, :]).reshape(squares, rows * systems) % systems
        return found
