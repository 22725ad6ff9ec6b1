"""How the ratings of each system are distributed: numbers of each answer, or of ranges of a slider or of magnitudes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.jsonable import Jsonable
from nlgauge.study.protocols.ratings.analysis.rows import Column

MOST_POINTS = 11  # of which each is counted by itself; scales of more are cut into ranges like sliders
RANGES = 10


@dataclass(frozen=True)
class Spread(Jsonable):
    """The ratings of one system: how many fall on each value or into each range, and the ratings themselves."""

    KEYS = "system, n, counts, quartiles"

    system: str
    counts: tuple[int, ...]
    values: tuple[float, ...]

    @property
    def n(self) -> int:
        """Ratings of the system."""
        return len(self.values)

    @property
    def shares(self) -> tuple[float, ...]:
        """Per cent of the ratings on each value or in each range."""
        return tuple(100 * count / self.n for count in self.counts)

    @property
    def summary(self) -> tuple[float, ...]:
        """Lowest rating, quartiles, highest rating."""
        low, first, middle, third, high = np.percentile(self.values, (0, 25, 50, 75, 100)).tolist()
        return low, first, middle, third, high

    @property
    def quartiles(self) -> tuple[float, ...]:
        """First quartile, median and third quartile."""
        return self.summary[1:4]


@dataclass(frozen=True)
class Distribution(Jsonable):
    """The ratings of a criterion in one panel, as they enter the analysis; systems in the order asked for.

    Answers on a few points have `points`, all others `edges` of ranges, one more than ranges: each begins at its
    edge, and the last holds its end too.
    """

    KEYS = "points or null, edges or null, systems"

    points: tuple[float, ...]
    edges: tuple[float, ...]
    systems: tuple[Spread, ...]


def distribution(column: Column, systems: Sequence[str]) -> Distribution:
    """Count the ratings of each system."""
    points = column.criterion.values if column.criterion.points <= MOST_POINTS else ()
    edges = () if points else _edges(column)
    names = np.array(column.systems, dtype=object)
    found = []
    for system in systems:
        values = np.sort(column.values[names == system])
        counts = (
            [int(np.sum(np.isclose(values, point))) for point in points]
            if points
            else np.histogram(values, edges)[0].tolist()
        )
        found.append(Spread(system, tuple(counts), tuple(values.tolist())))
    return Distribution(points, edges, tuple(found))


def _edges(column: Column) -> tuple[float, ...]:
    """Equal ranges from end to end of the scale; of what has no ends, from the lowest rating to the highest."""
    low, high = column.criterion.bounds
    low = low if math.isfinite(low) else float(column.values.min())
    high = high if math.isfinite(high) else float(column.values.max())
    return tuple(np.linspace(low, high if high > low else low + 1, RANGES + 1).tolist())
