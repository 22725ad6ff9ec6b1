"""Every text, or every set of texts, judged equally often, split over the judges: crossed, overlap, blocks, pairs.

All four go through items × treatments round by round (see `draws.deal`). A treatment is a set of systems that stand
together on a screen; the places within it follow the rows of a Williams square, another row each time.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, gcd

import numpy as np

from nlgauge.arrays import Ints
from nlgauge.errors import InputError
from nlgauge.io.fields import key
from nlgauge.study.designs.base import Design, in_order
from nlgauge.study.designs.blocks import Blocks, blocks, turns
from nlgauge.study.designs.draws import Draws, deal
from nlgauge.study.designs.squares import williams_rows, zigzag


@dataclass(frozen=True)
class _Shared(Design):
    """Rounds of all cells of items × sets of systems."""

    @abstractmethod
    def blocks(self, systems: int) -> Blocks:
        """The sets of systems that may stand on a screen."""

    def check(self, items: int, systems: int) -> None:
        cells = min(len(members) for members in self._rounds(items)) * self._sets(systems)
        self._at_most(cells, f"a judge would see a screen twice: a round has {cells:,}")

    def complete(self, items: int, systems: int) -> int:
        cells = sum(len(members) for members in self._rounds(items)) * self._sets(systems)
        return cells // gcd(cells, self._screens(items, systems))

    def _rounds(self, items: int) -> Sequence[Ints]:
        """The items of each round."""
        return [np.arange(items)]

    def _sets(self, systems: int) -> int:
        """The number of screens for an item."""
        return len(self.blocks(systems).sets)

    def _own_sets(self, items: int, systems: int, draws: Draws) -> Ints:
        """The sets for each item, (items, sets)."""
        sets = self.blocks(systems).sets
        return np.tile(turns(sets, systems, draws.shares("sets", len(sets))), (items, 1))

    def _screens(self, items: int, systems: int) -> int:
        return self._each(min(len(members) for members in self._rounds(items)) * self._sets(systems))

    def _fill(self, items: int, systems: int, count: int, draws: Draws) -> tuple[Ints, Ints]:
        each = self._screens(items, systems)
        item, treatment, before = deal(self._rounds(items), self._sets(systems), each, count, draws)
        sets = draws.order("systems", systems)[self.blocks(systems).sets]
        chosen = sets[self._own_sets(items, systems, draws)[item, treatment]]
        rows = williams_rows(sets.shape[1])
        # an item's sets all follow the same row, other items other rows, and the next time the next row
        row = (np.argsort(draws.order("round 0", items))[item] + before) % len(rows)
        shown = np.take_along_axis(chosen, rows[row], axis=2)
        return in_order(self._in_order(item, items, draws), item, shown)

    def _screens_said(self, items: int, systems: int) -> str:
        each = self._screens(items, systems)
        return f"each judge sees {each:,} screen{'s' * (each != 1)}"

    def _rounds_said(self, items: int, systems: int) -> str:
        whole = self.complete(items, systems)
        return "each judge completes a round" if whole == 1 else f"every {whole:,} judges complete a round"


@dataclass(frozen=True)
class Crossed(_Shared):
    """All systems for all items."""

    kind = "crossed"
    about = "all systems for all items, split over the judges or all for each"

    per_screen: int = key("outputs on a screen", default=1, least=1, most=100)

    def blocks(self, systems: int) -> Blocks:
        return blocks(systems, self.per_screen)

    def describe(self, items: int, systems: int) -> str:
        return (
            f"Crossed: all {systems} systems for all {items} items, {self.blocks(systems)}; "
            f"{self._screens_said(items, systems)}, and {self._rounds_said(items, systems)}."
        )


@dataclass(frozen=True)
class Overlap(_Shared):
    """Each text for a few judges, a share of the items for more; nobody can tell which."""

    kind = "overlap"
    about = "each text for a few judges, and a share of the items for more of them, mixed among the others"

    per_screen: int = key("outputs on a screen", default=1, least=1, most=100)
    judges_per_item: int = key("judges for each screen of an item", default=1, least=1, most=1000)
    shared: float = key("share of the items that more judges see", default=0.2, least=0, most=1)
    shared_judges: int = key("judges for each screen of a shared item", default=2, least=1, most=1000)

    def blocks(self, systems: int) -> Blocks:
        return blocks(systems, self.per_screen)

    def check(self, items: int, systems: int) -> None:
        if self.shared and self.shared_judges < self.judges_per_item:
            raise InputError(
                f"shared_judges is {self.shared_judges}, fewer than judges_per_item ({self.judges_per_item}); "
                "shared items are those that more judges see"
            )
        if self.shared and self.shared_judges > self.judges_per_item and items * self.shared < 0.5:
            raise InputError(
                f"a share of {self.shared:g} of {items} items is none; give a larger share, or 0 for no overlap"
            )
        rounds = self._rounds(items)
        least = min(len(members) for members in rounds) * self._sets(systems)
        self._at_most(
            least,
            f"{len(rounds)} judges are to see a shared item and nobody twice, which leaves {least:,} screens a judge",
        )

    def _shared_items(self, items: int) -> int:
        return int(items * self.shared + 0.5) if self.shared_judges > self.judges_per_item else 0

    def _rounds(self, items: int) -> Sequence[Ints]:
        """A round for each judge of a shared item; the other items are in `judges_per_item` of them.

        Which items are shared is a matter of their random names, see `_fill`.
        """
        shared = self._shared_items(items)
        if not shared:
            return [np.arange(items)]
        rounds, others = self.shared_judges, np.arange(shared, items)
        return [
            np.concatenate([np.arange(shared), others[(number - others) % rounds < self.judges_per_item]])
            for number in range(rounds)
        ]

    def complete(self, items: int, systems: int) -> int:
        cells = sum(len(members) for members in self._rounds(items)) * self._sets(systems)
        if not self._shared_items(items):
            cells *= self.judges_per_item
        return cells // gcd(cells, self._screens(items, systems))

    def describe(self, items: int, systems: int) -> str:
        shared = self._shared_items(items)
        mixed = f" {shared} of the {items} items, chosen at random and mixed among the others, by {self.shared_judges};"
        more = mixed if shared else ""
        whom = f"{self.judges_per_item} judge{'s' * (self.judges_per_item != 1)}"
        return (
            f"Random with overlap: each text is seen by {whom},{more} {self._screens_said(items, systems)} "
            f"({self.blocks(systems)})."
        )

    def _fill(self, items: int, systems: int, count: int, draws: Draws) -> tuple[Ints, Ints]:
        item, shown = super()._fill(items, systems, count, draws)
        return draws.order("shared items", items)[item], shown


@dataclass(frozen=True)
class Incomplete(_Shared):
    """Balanced incomplete blocks: a few of the systems on each screen, every two together equally often."""

    kind = "bibd"
    about = "balanced incomplete blocks: a few systems on a screen, every two together equally often"

    per_screen: int = key("systems on a screen; 0: all of them", default=4, least=0, most=100)
    sets: int = key(
        "different sets of systems; 0: as many as the smallest balanced design has", default=0, least=0, most=10_000
    )

    def blocks(self, systems: int) -> Blocks:
        if self.per_screen == 1:
            raise InputError("per_screen is 1: the design 'bibd' compares; give at least 2, or take 'crossed'")
        return blocks(systems, self.per_screen or systems, self.sets)

    def describe(self, items: int, systems: int) -> str:
        made = str(self.blocks(systems))
        return (
            f"{made[0].upper()}{made[1:]}; {self._screens_said(items, systems)}, and every "
            f"{self.complete(items, systems):,} judges see each set for each of the {items} items."
        )


@dataclass(frozen=True)
class Pairs(_Shared):
    """Two systems on a screen, each equally often on the left."""

    kind = "pairs"
    about = "two systems on a screen: all pairs for each item, or a balanced choice that connects all systems"

    pairs_per_item: int = key("pairs for each item; 0: all", default=0, least=0, most=4950)

    def blocks(self, systems: int) -> Blocks:
        if systems < 2:
            raise InputError("the design 'pairs' compares two systems, and there is only one; give at least 2")
        return blocks(systems, 2, comb(systems, 2))

    def _sets(self, systems: int) -> int:
        most = len(self.blocks(systems).sets)
        if self.pairs_per_item and not systems - 1 <= self.pairs_per_item <= most:
            raise InputError(
                f"pairs_per_item is {self.pairs_per_item}, but {systems} systems are connected by {systems - 1} "
                f"pairs or more and have {most}; give a number from {systems - 1} to {most}, or 0 for all"
            )
        return self.pairs_per_item or most

    def _own_sets(self, items: int, systems: int, draws: Draws) -> Ints:
        each = self._sets(systems)
        if each == len(self.blocks(systems).sets):
            return super()._own_sets(items, systems, draws)
        return pairings(self.blocks(systems).sets, systems, each, items, draws)

    def describe(self, items: int, systems: int) -> str:
        each, most = self._sets(systems), len(self.blocks(systems).sets)
        which = f"all {most} pairs" if each == most else f"{each} of the {most} pairs, which connect all systems,"
        return (
            f"Pairs: {which} of the {systems} systems for each of the {items} items, sides balanced; "
            f"{self._screens_said(items, systems)}, and {self._rounds_said(items, systems)}."
        )


PERIOD = 600  # items after which the choice begins again


def pairings(sets: Ints, systems: int, each: int, items: int, draws: Draws) -> Ints:
    """For each item the numbers of its pairs, (items, each); `sets` are all pairs.

    The pairs connect all systems, each system and each pair equally often: an item's pairs begin with a path through
    all systems (a zigzag, Walecki's decomposition of the complete graph into paths); the rest are the pairs used least
    so far among systems that the item does not have more often than others.
    """
    number = np.zeros((systems, systems), dtype=np.int64)
    number[sets[:, 0], sets[:, 1]] = number[sets[:, 1], sets[:, 0]] = np.arange(len(sets))
    paths = _paths(systems, number)
    used = np.zeros(len(sets))
    found = np.empty((min(items, PERIOD), each), dtype=np.int64)
    for item in range(len(found)):
        chance = draws.shares(f"pairs {item}", len(sets) + 1)
        path = paths[int(np.argmin(used[paths].sum(axis=1) + chance[: len(paths)]))]
        chosen = np.zeros(len(sets), dtype=bool)
        chosen[path] = True
        degree = np.bincount(sets[path].ravel(), minlength=systems)
        for _ in range(each - len(path)):
            too_often = np.maximum(degree[sets].max(axis=1) - degree.min() - 1, 0)
            cost = 1e6 * too_often + used + degree[sets].sum(axis=1) + chance[:-1]
            best = int(np.argmin(np.where(chosen, np.inf, cost)))
            chosen[best] = True
            degree[sets[best]] += 1
        used[chosen] += 1
        found[item] = np.flatnonzero(chosen)[draws.order(f"pair order {item}", each)]
    return found[draws.order("pairs of items", items) % len(found)]


def _paths(systems: int, number: Ints) -> Ints:
    """Paths through all systems, as numbers of pairs, which together hold each pair equally often.

    The zigzag shifted through half of the systems holds each pair once where their number is even; where it is odd,
    shifted through all of them, twice.
    """
    shifts = systems // 2 if systems % 2 == 0 else systems
    path = (zigzag(systems) + np.arange(shifts)[:, None]) % systems
    found: Ints = number[path[:, :-1], path[:, 1:]]
    return found
