"""Amounts without a model: permutation tests within items and bootstrap limits over items.

Penalties, numbers of errors and edits are skewed, start at 0 and vary more where they are larger, none of which a
linear model knows. Where it does not matter which system wrote a text, the signs of the items' differences are fair
coins; items drawn anew give limits that stay above 0. This is how WMT tests its error annotations. It speaks of other
items and takes the judges as they are: a judge who favours a system favours it on every item.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats.multiple import holm
from nlgauge.stats.permutation import compare_judgements
from nlgauge.stats.resample import bootstrap
from nlgauge.stats.results import Interval, PairedTest
from nlgauge.study.protocols.ratings.analysis.rows import Column


@dataclass(frozen=True)
class ByItems(Jsonable):
    """Systems' means with limits of the bootstrap over items; pairs by permutation, p-values corrected by Holm."""

    KEYS = "systems = means, pairs = rows"

    means: dict[str, Interval]
    pairs: dict[tuple[str, str], tuple[PairedTest, float]]

    @property
    def p(self) -> dict[frozenset[str], float]:
        """Corrected p-values of the pairs."""
        return {frozenset(pair): p for pair, (_, p) in self.pairs.items()}

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The pairs with their tests."""
        return [{"name": f"{a} - {b}"} | test.to_dict() | {"p_adjusted": p} for (a, b), (test, p) in self.pairs.items()]


def by_items(column: Column, *, level: float) -> ByItems | None:
    """None where the values are no amounts, or systems share too few items."""
    systems, items = list(dict.fromkeys(column.systems)), list(dict.fromkeys(column.items))
    if not column.criterion.amount or len(systems) < 2:
        return None
    of = column.output_means()
    table = {name: np.array([of.get((item, name), math.nan) for item in items]) for name in systems}
    try:
        tests = {(a, b): compare_judgements(table[a], table[b], level=level) for a, b in combinations(systems, 2)}
    except InputError:
        return None
    adjusted = holm([check.p for check in tests.values()])
    means = {name: _limits(row[np.isfinite(row)], level) for name, row in table.items()}
    return ByItems(means, {pair: (one, float(p)) for (pair, one), p in zip(tests.items(), adjusted, strict=True)})


def _limits(values: np.ndarray[Any, np.dtype[np.float64]], level: float) -> Interval:
    rows = np.stack([values, np.ones_like(values)], axis=1)
    return bootstrap(rows, lambda totals: totals[..., 0] / totals[..., 1], level=level)
