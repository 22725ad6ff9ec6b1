"""Screens beside those that count: warm-up, attention checks, damaged copies, repeats.

Warm-up screens come first and are the same items for everybody, each with the systems in turn. The others are spread
evenly: the sheet is cut into as many equal stretches as there are screens of a sort, and one stands in each, drawn at
random. A repeat comes at least `gap` screens after its original, a damaged copy (the "bad reference" of direct
assessment, Graham, Baldwin, Moffat and Zobel 2013) at least as far before or after it; no screen is copied twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nlgauge.arrays import Ints
from nlgauge.errors import InputError, counted
from nlgauge.io.fields import key
from nlgauge.study.designs.draws import Draws
from nlgauge.study.designs.table import Role, Table


@dataclass(frozen=True)
class Extras:
    """What a sheet holds beside the screens that count."""

    warm_up: int = key("screens before the first that counts; never analysed", default=0, least=0, most=100)
    attention: int = key("attention checks in a sheet", default=0, least=0, most=100)
    degraded: int = key("damaged copies of screens of the sheet", default=0, least=0, most=1000)
    repeats: int = key("screens of the sheet that come again", default=0, least=0, most=1000)
    gap: int = key("screens at least from an original to its repeat or copy", default=10, least=1, most=10_000)

    def insert(
        self, table: Table, *, seed: int, panel: str = "", warm_ups: int | None = None, checks: int | None = None
    ) -> Table:
        """The same sheets with the additional screens; `warm_ups` and `checks` are the numbers of those there are."""
        if (table.role != Role.MAIN).any():
            raise InputError("the sheets have additional screens already; insert all kinds at once")
        warm_ups = self.warm_up if warm_ups is None else warm_ups
        checks = self.attention if checks is None else checks
        self.check(table.screens, warm_ups=warm_ups, checks=checks)
        if not len(table):
            return table
        draws = Draws(seed, panel)
        inner = self._spread(table, checks, draws)
        return self._warmed(inner, warm_ups, draws) if self.warm_up else inner

    def check(self, screens: int, *, warm_ups: int | None = None, checks: int | None = None) -> None:
        """Refuse what does not fit sheets of so many screens that count."""
        warm_ups = self.warm_up if warm_ups is None else warm_ups
        checks = self.attention if checks is None else checks
        if warm_ups < self.warm_up:
            raise InputError(f"warm_up is {self.warm_up}, but there are {warm_ups} warm-up items; give more of them")
        if checks < self.attention:
            raise InputError(f"attention is {self.attention}, but there are {checks} checks; write more of them")
        sheet = f"a sheet of {counted(screens, 'screen')}"
        if self.repeats > max(screens + 1 - self.gap, 0):
            raise InputError(
                f"{counted(self.repeats, 'repeat')} at least {counted(self.gap, 'screen')} after "
                f"{_theirs(self.repeats)} not fit {sheet}; {_remedy(screens + 1 - self.repeats, 'repeats')}"
            )
        if self.degraded and self.degraded + self.repeats > _room(screens, self.gap):
            gap = next((g for g in range(self.gap, 0, -1) if self.degraded + self.repeats <= _room(screens, g)), 0)
            raise InputError(
                f"{counted(self.degraded, 'damaged copy', 'damaged copies')} at least {counted(self.gap, 'screen')} "
                f"from {_theirs(self.degraded)} not fit {sheet}; {_remedy(gap, 'copies')}"
            )

    def _spread(self, table: Table, checks: int, draws: Draws) -> Table:
        """The main screens with the others between them."""
        count, each, last = len(table), table.screens, int(table.number.max()) + 1
        rows = table.number

        def stretches(word: str, number: int, first: int) -> Ints:
            """After which main screen each stands: one in each of `number` equal stretches from `first` on."""
            chance = draws.shares(word, last, number)[rows]
            found: Ints = first + ((np.arange(number) + chance) * (each - first) / max(number, 1)).astype(np.int64)
            return found

        repeated = stretches("repeats", self.repeats, self.gap - 1)
        damaged = stretches("degraded", self.degraded, 0)
        checked = stretches("attention", self.attention, 0)
        originals = self._originals(each, repeated, damaged, draws.bits("originals", last, each)[rows])
        copies = originals.shape[1]

        after = np.concatenate([repeated, damaged, checked], axis=1)
        chance = draws.shares("between", last, after.shape[1])[rows]
        place = np.concatenate(
            [np.broadcast_to(np.arange(each, dtype=float), (count, each)), after + 0.25 + chance / 2], axis=1
        )
        order = np.argsort(place, axis=1, kind="stable")
        position = np.argsort(order, axis=1, kind="stable")  # of every main and additional screen

        names = draws.order("checks", max(checks, 1))
        check = names[(rows[:, None] * self.attention + np.arange(self.attention)) % max(checks, 1)]
        item = np.concatenate([table.item, np.take_along_axis(table.item, originals, 1), check], axis=1)
        nothing = np.full((count, self.attention, table.per_screen), -1, dtype=np.int64)
        shown = np.concatenate(
            [table.shown, np.take_along_axis(table.shown, originals[:, :, None], 1), nothing], axis=1
        )
        roles = [Role.MAIN] * each + [Role.REPEAT] * self.repeats + [Role.DEGRADED] * self.degraded
        role = np.broadcast_to(np.array(roles + [Role.ATTENTION] * self.attention, dtype=np.int64), item.shape)
        original = np.full(item.shape, -1, dtype=np.int64)
        original[:, each : each + copies] = np.take_along_axis(position, originals, axis=1)
        item, role, original = (np.take_along_axis(array, order, axis=1) for array in (item, role, original))
        shown = np.take_along_axis(shown, order[:, :, None], axis=1)
        return replace(table, item=item, shown=shown, role=role, original=original)

    def _originals(self, each: int, repeated: Ints, damaged: Ints, chance: Ints) -> Ints:
        """The main screens that are repeated and damaged, none twice; `check` has made sure that there are enough.

        The first repeat has the smallest choice, so that serving the repeats in order never runs out.
        """
        main, worst = np.arange(each), np.uint64(2**64 - 1)
        free = np.ones(chance.shape, dtype=bool)
        found = np.empty((len(chance), self.repeats + self.degraded), dtype=np.int64)
        every = np.arange(len(chance))
        for number, after in enumerate(np.concatenate([repeated, damaged], axis=1).T):
            far = main <= after[:, None] + 1 - self.gap
            if number >= self.repeats:
                far |= main >= after[:, None] + self.gap
            chosen = np.argmin(np.where(far & free, chance >> np.uint64(1), worst), axis=1)
            free[every, chosen] = False
            found[:, number] = chosen
        return found

    def _warmed(self, table: Table, warm_ups: int, draws: Draws) -> Table:
        """With the warm-up screens before the others."""
        count, number = len(table), np.arange(self.warm_up)
        names = draws.order("warm-up systems", table.systems)
        turn = table.number[:, None, None] + number[:, None] + np.arange(table.per_screen)
        item = np.broadcast_to(number, (count, self.warm_up))
        nothing = np.full((count, self.warm_up), -1, dtype=np.int64)
        original = np.where(table.original >= 0, table.original + self.warm_up, -1)
        return replace(
            table,
            item=np.concatenate([item, table.item], axis=1),
            shown=np.concatenate([names[turn % table.systems], table.shown], axis=1),
            role=np.concatenate([np.full_like(nothing, Role.WARM_UP), table.role], axis=1),
            original=np.concatenate([nothing, original], axis=1),
        )


def _room(screens: int, gap: int) -> int:
    """The screens that are far enough from a copy wherever it stands, at the least."""
    after = np.arange(screens)
    return int((np.maximum(after + 2 - gap, 0) + np.maximum(screens - after - gap, 0)).min())


def _theirs(copies: int) -> str:
    return "its original does" if copies == 1 else "their originals do"


def _remedy(gap: int, what: str) -> str:
    return f"give a gap of at most {gap}, or fewer {what}" if gap > 0 else f"give fewer {what}"
