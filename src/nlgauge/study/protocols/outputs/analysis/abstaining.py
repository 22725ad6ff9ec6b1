"""“I cannot judge this”: how often it was answered, of which systems' outputs, and whether systems differ in it.

Such answers count in no mean, model or agreement. If one system's outputs are harder to judge than another's, what is
left is no random part of what was shown, and means of it can mislead: hence the test. A screen of several texts counts
for each of their systems.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge.jsonable import Jsonable
from nlgauge.stats.permutation import relabelling_test
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.outputs.analysis.rows import Given

ALPHA = 0.05
METHOD = "permutation of systems within items"


@dataclass(frozen=True)
class Declined(Jsonable):
    """One criterion in one panel."""

    KEYS = "panel, criterion = criterion.id, cannot_judge = cannot, asked, systems = shares, p, test"

    panel: str
    criterion: Any
    systems: Mapping[str, tuple[int, int]]  # answers that say so, of all that were asked for
    cannot: int
    asked: int
    p: float | None  # None where nothing can be tested

    def share(self, system: str) -> float:
        """Of a system's answers."""
        cannot, asked = self.systems[system]
        return cannot / asked

    @property
    def shares(self) -> list[dict[str, Any]]:
        """By system."""
        return [
            {"system": name, "cannot_judge": cannot, "asked": asked, "share": cannot / asked}
            for name, (cannot, asked) in self.systems.items()
        ]

    @property
    def test(self) -> str | None:
        """What `p` is of."""
        return METHOD if self.p is not None else None


def declined_in(
    found: Given, offered: frozenset[str], *, seed: int, screens: Sequence[Judgement] | None = None
) -> tuple[Declined, ...]:
    """Every criterion that offers it, by panel; `screens` are what was answered at once, where that is more than one
    text."""
    return tuple(
        counted
        for panel in found.panels
        if panel not in found.machines
        for asked in found.criteria
        if asked.id in offered
        for counted in _declined(found, panel, asked, seed, found.counted if screens is None else screens)
    )


def _declined(found: Given, panel: str, criterion: Any, seed: int, screens: Sequence[Judgement]) -> Iterator[Declined]:
    cells: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])

    def flags(judgements: Sequence[Judgement]) -> Iterator[tuple[Judgement, bool]]:
        for judgement in judgements:
            cannot = criterion.id in found.declined.get(judgement.id, ())
            if judgement.panel == panel and (cannot or criterion.id in judgement.answer):
                yield judgement, cannot

    for judgement, cannot in flags(found.counted):
        for text in judgement.texts:
            cell = cells[found.subject[text]]
            cell[0] += cannot
            cell[1] += 1
    if not cells:
        return
    items = list(dict.fromkeys(item for item, _ in cells))
    systems = list(dict.fromkeys(system for _, system in cells))
    table = np.zeros((2, len(items), len(systems)))
    for (item, system), cell in cells.items():
        table[:, items.index(item), systems.index(system)] = cell
    totals = table.sum(axis=1).astype(int).tolist()
    every = [cannot for _, cannot in flags(screens)]
    yield Declined(
        panel=panel,
        criterion=criterion,
        systems={name: (totals[0][place], totals[1][place]) for place, name in enumerate(systems)},
        cannot=sum(every),
        asked=len(every),
        p=relabelling_test(table[0], table[1], seed=seed) if sum(every) else None,
    )
