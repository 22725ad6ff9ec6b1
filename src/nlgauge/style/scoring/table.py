"""A table of scores of style transfer: a row for each system and direction, averages, gold, orders of the systems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nlgauge.jsonable import Jsonable

AVERAGE = "average"
MEASURES = ("hh", "ah", "main", "compliancy")


@dataclass(frozen=True)
class Value(Jsonable):
    """A score, with its interval where there is one."""

    KEYS = "value, *limits"

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def limits(self) -> dict[str, float | None]:
        """Both, where there are any."""
        return {} if self.low is None else {"low": self.low, "high": self.high}


@dataclass(frozen=True)
class Row(Jsonable):
    """A system in one direction, or on average over all."""

    KEYS = "*told, *values"

    system: str
    direction: str
    values: Mapping[str, Value]
    n: int | None = None

    @property
    def told(self) -> dict[str, Any]:
        """What the row is about."""
        known = {"system": self.system, "direction": self.direction, "n": self.n}
        return {key: value for key, value in known.items() if value is not None}


@dataclass(frozen=True)
class Table(Jsonable):
    """All rows: of each system its directions and then its average."""

    KEYS = "directions, measures, rows, gold, groups, orders"

    measures: tuple[str, ...]
    directions: tuple[str, ...]
    rows: tuple[Row, ...]
    gold: tuple[Row, ...] = ()
    groups: Mapping[str, str] = field(default_factory=dict)  # system -> what its training data are called
    places: Mapping[str, int] = field(default_factory=dict)  # measure -> decimals, where not three
    lower: frozenset[str] = frozenset()  # measures of which less is better

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, in the order of the rows."""
        return tuple(dict.fromkeys(row.system for row in self.rows))

    def value(self, system: str, direction: str, measure: str) -> float:
        """One score; NaN where there is none."""
        for row in (*self.rows, *self.gold):
            if (row.system, row.direction) == (system, direction) and measure in row.values:
                return row.values[measure].value
        return math.nan

    def orders(self) -> dict[str, tuple[str, ...]]:
        """By each measure the systems, best average first; without those that have none."""
        found = {}
        for measure in self.measures:
            own = {system: self.value(system, AVERAGE, measure) for system in self.systems}
            known = [system for system in own if math.isfinite(own[system])]
            sign = 1 if measure in self.lower else -1
            found[measure] = tuple(sorted(known, key=lambda system: sign * own[system]))
        return found


def with_averages(rows: Sequence[Row], measures: Sequence[str]) -> list[Row]:
    """The rows, each system's followed by the mean of its directions."""
    found: list[Row] = []
    for system in dict.fromkeys(row.system for row in rows):
        own = [row for row in rows if row.system == system]
        means = {
            measure: Value(math.fsum(row.values[measure].value for row in own) / len(own))
            for measure in measures
            if all(measure in row.values for row in own)
        }
        found += [*own, Row(system, AVERAGE, means)]
    return found
