"""What has nothing to do with the systems: places on the screen, ties, circles; and whether judges agree.

The exact test of the first place takes answers as independent. Places are balanced over systems by the design, so that
without a bias each place holds the best text as often as any other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nlgauge.agreement import Scale
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats.shares import binomial_test
from nlgauge.stats.skill.graph import Triads, majority_triads, triads
from nlgauge.study.protocols.comparisons.analysis.rows import Column
from nlgauge.study.protocols.comparisons.analysis.strengths import Matrix
from nlgauge.study.protocols.outputs.analysis.agreeing import CHANCE, Agreeing, Suspects, agreeing_on

ENOUGH = 20  # pairs that a judge shares with others, from which carelessness can be told from bad luck


@dataclass(frozen=True)
class Places(Jsonable):
    """How often the single best text stood in each place, and the exact test of the first place."""

    KEYS = "best_by_place = best, n, first, p, method"

    best: tuple[int, ...]
    p: float
    method: str = "exact binomial test, two-sided"

    @property
    def n(self) -> int:
        """Answers with a single best text."""
        return sum(self.best)

    @property
    def first(self) -> float:
        """Share of these in which it stood first."""
        return self.best[0] / self.n if self.n else float("nan")

    def __str__(self) -> str:
        if not self.n:
            return "no answer names a single best text"
        chance = 100 / len(self.best)
        return (
            f"the text in the first place was best in {self.best[0]:,} of {self.n:,} answers "
            f"({100 * self.first:.0f} %; {chance:.0f} % expected)"
        )


def places_of(column: Column, judge: str | None = None) -> Places:
    """The places of the best texts, of all judges or one; screens of fewer texts than others are left out."""
    counts = [0] * column.places
    for screen in column.screens:
        if judge in (None, screen.judge) and len(screen.systems) == column.places and screen.best is not None:
            counts[screen.best] += 1
    return Places(tuple(counts), binomial_test(counts[0], sum(counts), 1 / column.places))


@dataclass(frozen=True)
class Circles(Jsonable):
    """Circular triads within a judge and item, and between systems by the majority."""

    KEYS = "within_judges = judges, between_systems = systems"

    judges: Triads | None  # None: rankings have no circles
    systems: Triads


def circles_of(column: Column, matrix: Matrix) -> Circles:
    """Of two texts at a time; within a screen of several an answer cannot be circular."""
    between = majority_triads(matrix.share)
    if column.protocol != "pairwise":
        return Circles(None, between)
    told: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for screen in column.screens:
        if screen.best is not None:
            pair = screen.systems[screen.best], screen.systems[1 - screen.best]
            told.setdefault((screen.judge, screen.item), []).append(pair)
    return Circles(sum((triads(pairs) for pairs in told.values()), Triads(0, 0)), between)


def agreeing_of(column: Column) -> Agreeing:
    """Agreement on pairs of outputs that several judges compared."""
    units, judges, table = column.table()
    tied = bool((table == 0).any())
    scale: Scale = "ordinal" if tied else "nominal"
    values = (-1.0, 0.0, 1.0) if tied else (-1.0, 1.0)
    shared = np.count_nonzero(~np.isnan(table), axis=1) > 1
    each = np.count_nonzero(~np.isnan(table[shared]), axis=0)
    suspects: Suspects = "judges" if np.median(each) >= ENOUGH else "none"
    if not shared.any():
        return Agreeing(None, None, InputError("no pair of outputs was compared by two judges"))
    return agreeing_on(
        units,
        judges,
        table,
        scale,
        CHANCE,
        name=column.criterion.name,
        values=values,
        unit="pairs of outputs",
        what="preferences",
        answers="preferences",
        suspects=suspects,
    )
