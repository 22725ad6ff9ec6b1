"""How balanced a table of sheets is: what was planned, or with `table.only(completed)` what was realised.

Only main screens count. Carry-over is which system a judge sees next; additional screens between are passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from nlgauge.arrays import Ints
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.study.designs.table import Role, Table
from nlgauge.wording.numbers import count as counted
from nlgauge.wording.tables import plain_table

WORDS = {
    "cells": "judgements of an output (item × system)",
    "judges": "screens of a judge with a system",
    "positions": "judges who see a system at a position",
    "places": "screens with a system in a place",
    "carry_over": "times a system follows another",
    "pairs": "screens with two systems together",
}
SAID = {
    "cells": "each output was judged {}",
    "judges": "each judge saw each system {}",
    "pairs": "every two systems stood together {}",
    "carry_over": "each system followed each other one {}",
    "places": "each system stood {} in each place on the screen",
    "positions": "each system stood {} at each position",
}


@dataclass(frozen=True, eq=False)
class Balance(Jsonable):
    """Counts over sheets."""

    KEYS = "sheets, screens, per_screen, spreads, worst, overlap, extras, ..."

    sheets: int
    screens: int  # that count, in a sheet
    per_screen: int
    cells: Ints  # (items, systems)
    judges: Ints  # (sheets, systems)
    positions: Ints  # (screens, systems)
    places: Ints  # (places, systems): places on the screen
    carry_over: Ints  # (systems, systems): the row's system, then the column's
    pairs: Ints  # (systems, systems): λ
    overlap: Mapping[int, int]  # number of judges: number of screens (an item with its systems) that so many saw
    judges_per_item: Ints  # (items,): judges who saw the item with whatever systems
    extras: Mapping[str, int]  # additional screens by role

    @property
    def spreads(self) -> dict[str, tuple[int, int]]:
        """Least and most of each family of counts that applies."""
        systems = self.cells.shape[1]
        families: dict[str, Ints] = {"cells": self.cells, "judges": self.judges, "positions": self.positions}
        if self.per_screen > 1:
            families["places"] = self.places
            families["pairs"] = self.pairs[np.triu_indices(systems, 1)]
        elif systems > 1 and self.screens > 1:
            families["carry_over"] = self.carry_over[~np.eye(systems, dtype=bool)]
        return {name: (int(f.min()), int(f.max())) for name, f in families.items() if f.size}

    @property
    def worst(self) -> tuple[str, int] | None:
        """The family whose counts differ most, and by how much; None without sheets."""
        sizes = {name: high - low for name, (low, high) in self.spreads.items()} if self.sheets else {}
        return max(sizes.items(), key=lambda entry: entry[1], default=None)

    def __str__(self) -> str:
        if self.worst is None:
            return "No sheets."
        items, systems = self.cells.shape
        head = (
            f"{counted(self.sheets)} sheets of {counted(self.screens)} screens: {counted(items)} items, "
            f"{counted(systems)} systems, {counted(self.per_screen)} on a screen."
        )
        rows = [[WORDS[name], str(low), str(high), str(high - low)] for name, (low, high) in self.spreads.items()]
        name, size = self.worst
        most = "Every count is equal." if not size else f"Largest difference: {size} ({WORDS[name]})."
        overlaps = ", ".join(f"{screens:,} by {judges}" for judges, screens in self.overlap.items())
        tail = [most, f"Screens by number of judges: {overlaps}."]
        if self.extras:
            tail.append(f"Not analysed: {', '.join(f'{n} {role}' for role, n in self.extras.items())}.")
        table = plain_table(["count", "least", "most", "difference"], rows, right=(1, 2, 3))
        return "\n".join([head, table, *tail])

    def sentence(self) -> str:
        """One sentence for the statement of a study."""
        spreads = self.spreads
        parts = [text.format(_times(*spreads[name])) for name, text in SAID.items() if name in spreads]
        return f"Over {counted(self.sheets)} sheets {', '.join(parts)}."


def _times(low: int, high: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(low, f"{low} times") if low == high else f"{low} to {high} times"


def balance(table: Table) -> Balance:
    """The counts of a table."""
    if not isinstance(table, Table):
        raise InputError("balance takes the table of a design, as its method `sheets` gives it")
    item, shown = table.main
    sheets, screens, size = shown.shape
    items, systems = table.items, table.systems

    def counts(first: Ints, rows: int, second: Ints, columns: int) -> Ints:
        index = np.broadcast_to(first, second.shape) * columns + second
        return np.bincount(index.ravel(), minlength=rows * columns).reshape(rows, columns)

    pairs = np.zeros((systems, systems), dtype=np.int64)
    for one, other in combinations(range(size), 2):
        pairs += counts(shown[:, :, one], systems, shown[:, :, other], systems)
    follows = counts(shown[:, :-1, 0], systems, shown[:, 1:, 0], systems) if size == 1 else np.zeros_like(pairs)
    sheet = np.arange(sheets)[:, None]
    seen = counts(sheet, sheets, item, items) if sheets else np.zeros((0, items), dtype=np.int64)
    return Balance(
        sheets=sheets,
        screens=screens,
        per_screen=size,
        cells=counts(item[:, :, None], items, shown, systems),
        judges=counts(sheet[:, :, None], sheets, shown, systems),
        positions=counts(np.arange(screens)[:, None], screens, shown, systems),
        places=counts(np.arange(size), size, shown, systems),
        carry_over=follows,
        pairs=pairs + pairs.T,
        overlap=_overlap(item, shown, systems),
        judges_per_item=(seen > 0).sum(axis=0),
        extras={
            role.name.lower().replace("_", "-"): int(number)
            for role in Role
            if role != Role.MAIN and (number := (table.role == role).sum())
        },
    )


def _overlap(item: Ints, shown: Ints, systems: int) -> dict[int, int]:
    """How many screens, taken as an item with a set of systems, were seen how often."""
    if not item.size:
        return {}
    rows = np.concatenate([item[:, :, None], np.sort(shown, axis=2)], axis=2).reshape(item.size, -1)
    if (systems + 1) ** shown.shape[2] * (int(item.max()) + 1) < 2**62:  # one number each, which sorts faster
        rows = rows @ (systems ** np.arange(rows.shape[1] - 1, -1, -1))[:, None]
        _, seen = np.unique(rows, return_counts=True)
    else:
        _, seen = np.unique(rows, axis=0, return_counts=True)
    judges, screens = np.unique(seen, return_counts=True)
    return dict(zip(judges.tolist(), screens.tolist(), strict=True))
