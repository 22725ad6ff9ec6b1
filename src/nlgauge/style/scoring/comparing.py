"""Do the directions differ, and how do the measures go together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from nlgauge import stats
from nlgauge.stats.correlation import correlate, correlate_with_interval
from nlgauge.stats.correlation.levels import Correlation
from nlgauge.stats.exact import fisher
from nlgauge.stats.results import nulls
from nlgauge.style.forms import ARROW, direction_of
from nlgauge.style.scoring.judged import Judged, Sample, Settings, by_place, limited
from nlgauge.style.scoring.posing import GOLD
from nlgauge.style.scoring.table import Table

FEW = 5  # points below which no correlation over rows of a table is given


@dataclass(frozen=True)
class Asymmetry:
    """A system's compliancy in two opposite directions: their articles differ, so that nothing is paired."""

    system: str
    directions: tuple[str, str]
    complied: tuple[int, int]
    of: tuple[int, int]
    low: float
    high: float
    p: float  # Fisher's exact test
    p_adjusted: float = math.nan  # by Holm over the systems and pairs of directions; gold stands apart

    @property
    def difference(self) -> float:
        """The first direction's share less the second's."""
        return self.complied[0] / self.of[0] - self.complied[1] / self.of[1]

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return nulls(
            {
                "system": self.system,
                "directions": list(self.directions),
                "complied": list(self.complied),
                "of": list(self.of),
                "difference": self.difference,
                "low": self.low,
                "high": self.high,
                "p": self.p,
                "p_adjusted": self.p_adjusted,
            }
        )


@dataclass(frozen=True)
class Together:
    """How two measures go together over single outputs, or over the rows of a table."""

    first: str
    second: str
    pearson: Correlation
    spearman: Correlation
    binary: bool  # both are 0 or 1: Pearson's r is the phi coefficient

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        limits = {
            name: nulls({"estimate": found.estimate, "low": found.low, "high": found.high})
            for name, found in (("pearson", self.pearson), ("spearman", self.spearman))
        }
        told = {"first": self.first, "second": self.second, "n": self.pearson.n, "phi": self.binary}
        return {**told, **limits}


def opposite(directions: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of directions between the same two sources."""
    return [
        (direction, other)
        for direction, other in combinations(directions, 2)
        if other == direction_of(*reversed(direction.split(ARROW)))
    ]


def asymmetries_of(judged: Judged, settings: Settings) -> tuple[Asymmetry, ...]:
    """Every system and gold, in every two opposite directions."""
    pairs = opposite(judged.directions)
    found = [
        _asymmetry(system, sample, judged, pair, settings)
        for pair in pairs
        for system, sample in judged.samples.items()
    ]
    if found:
        adjusted = stats.holm([asymmetry.p for asymmetry in found]).tolist()
        found = [replace(asymmetry, p_adjusted=p) for asymmetry, p in zip(found, adjusted, strict=True)]
    if judged.gold is not None:
        found += [_asymmetry(GOLD, judged.gold, judged, pair, settings) for pair in pairs]
    return tuple(found)


def _asymmetry(system: str, sample: Sample, judged: Judged, pair: tuple[str, str], settings: Settings) -> Asymmetry:
    passed = by_place(sample, "compliancy", len(judged.directions))
    first, second = (passed[judged.directions.index(direction)] for direction in pair)
    _, low, high = limited([first, second], (1.0, -1.0), settings)
    return Asymmetry(system, pair, (first[0], second[0]), (first[1], second[1]), low, high, fisher(*first, *second))


def correlations_of(judged: Judged, settings: Settings) -> tuple[Together, ...]:
    """Every two measures over the outputs of all systems; intervals from draws of items, systems together."""
    items = list(dict.fromkeys(item for sample in judged.samples.values() for item in sample.items))
    places = {item: place for place, item in enumerate(items)}
    names = [name for name in judged.measures if name != "compliancy"]
    scores = {name: np.full((len(judged.samples), len(items)), np.nan) for name in names}
    for number, (system, sample) in enumerate(judged.samples.items()):
        where = [places[item] for item in sample.items]
        for name in names:
            scores[name][number, where] = judged.segments(system, name)
    binary = {name for name in names if name in ("hh", "ah", "main")}
    found = []
    for first, second in combinations(names, 2):
        both = {
            statistic: correlate_with_interval(
                scores[first],
                scores[second],
                statistic=statistic,
                draws=settings.draws,
                seed=settings.seed,
                confidence=settings.level,
            )
            if len(items) > 1
            else correlate(scores[first], scores[second], statistic=statistic)
            for statistic in (("pearson",) if {first, second} <= binary else ("pearson", "spearman"))
        }
        # ranks of 0 and 1 are a change of scale, so that Spearman's is Pearson's
        spearman = both.get("spearman", both["pearson"])
        left, right = (judged.single[name].name if name in judged.single else name for name in (first, second))
        found.append(Together(left, right, both["pearson"], spearman, {first, second} <= binary))
    return tuple(found)


def correlations_of_table(table: Table) -> tuple[Together, ...]:
    """The same over the rows of systems and directions, where single outputs are not known; Fisher's intervals."""
    rows = [row for row in table.rows if row.direction in table.directions]
    found = []
    for first, second in combinations([name for name in table.measures if name != "compliancy"], 2):
        known = [row for row in rows if {first, second} <= row.values.keys()]
        if len(known) < FEW:
            continue
        xs, ys = ([row.values[name].value for row in known] for name in (first, second))
        pearson, spearman = (
            correlate_with_interval([xs], [ys], statistic=statistic, interval="fisher")
            for statistic in ("pearson", "spearman")
        )
        found.append(Together(first, second, pearson, spearman, binary=False))
    return tuple(found)
