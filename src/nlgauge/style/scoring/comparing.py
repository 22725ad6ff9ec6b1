"""Do the directions differ, and how do the measures go together."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from nlgauge import stats
from nlgauge.engine.pairing import comparisons
from nlgauge.errors import InputError, option, suggest
from nlgauge.jsonable import Jsonable
from nlgauge.results import Comparison
from nlgauge.stats.correlation import correlate, correlate_with_interval
from nlgauge.stats.correlation.levels import Correlation
from nlgauge.stats.multiple import trials_for
from nlgauge.stats.shares import fisher
from nlgauge.style.forms import ARROW, direction_of
from nlgauge.style.scoring.judged import TRIALS, Judged, Sample, Settings, beside, by_place, common, limited, mean_of
from nlgauge.style.scoring.posing import GOLD
from nlgauge.style.scoring.table import AVERAGE, MEASURES, Table

FEW = 5  # points below which no correlation over rows of a table is given


@dataclass(frozen=True)
class Asymmetry(Jsonable):
    """A system's compliancy in two opposite directions: their articles differ, so that nothing is paired."""

    KEYS = "system, directions, complied, of, difference, low, high, p, p_adjusted"

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


@dataclass(frozen=True)
class Together(Jsonable):
    """How two measures go together over single outputs, or over the rows of a table."""

    KEYS = "first, second, n = pearson.n, phi = binary, *limits"

    first: str
    second: str
    pearson: Correlation
    spearman: Correlation
    binary: bool  # both are 0 or 1: Pearson's r is the phi coefficient

    @property
    def limits(self) -> dict[str, dict[str, float]]:
        """Both coefficients."""
        both = {"pearson": self.pearson, "spearman": self.spearman}
        return {name: {"estimate": r.estimate, "low": r.low, "high": r.high} for name, r in both.items()}


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
    return Asymmetry(
        system=system,
        directions=pair,
        complied=(first[0], second[0]),
        of=(first[1], second[1]),
        low=low,
        high=high,
        p=fisher(*first, *second),
    )


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


# How the task is framed: families of systems, such as translation and summarisation, under different training data.


ANY = "any data"
Named = Mapping[str, Sequence[str]]
Key = tuple[str, str]  # family, training data


@dataclass(frozen=True)
class Framing(Jsonable):
    """Families under each training data: mean scores over their systems, and tests of what differs in one thing."""

    KEYS = "families, data, means = rows, tests"

    families: dict[str, tuple[str, ...]]
    data: dict[str, tuple[str, ...]]
    means: Mapping[Key, Mapping[str, float]]  # average over directions and systems, by measure
    systems: Mapping[Key, tuple[str, ...]]
    tests: tuple[Comparison, ...] = ()

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The means with their systems."""
        return [
            {"family": family, "data": data, "systems": self.systems[family, data], **means}
            for (family, data), means in self.means.items()
        ]


def check(named: Named, systems: Sequence[str], kind: str) -> dict[str, tuple[str, ...]]:
    """The systems of each family, or under each training data: each in one of them."""
    known: dict[str, str] = {}
    for name, own in named.items():
        for system in own:
            if system not in systems:
                raise InputError(f"{option(kind, name)}: there is no system {system!r}; {suggest(system, systems)}")
            if system in known:
                raise InputError(f"{option(kind, name)}: {system} is of {known[system]} already; name it once")
            known[system] = name
    return {name: tuple(own) for name, own in named.items()}


def framing_of_table(table: Table, families: Named, data: Named) -> Framing:
    """The means alone, from a table of scores."""
    own = check(families, table.systems, "family")
    under = check(data, table.systems, "data") if data else {ANY: table.systems}
    cells = _cells(own, under)
    means = {
        key: {
            measure: float(np.mean([table.value(system, AVERAGE, measure) for system in systems]))
            for measure in table.measures
        }
        for key, systems in cells.items()
    }
    return Framing(own, under, means, cells)


def framing_of(judged: Judged, table: Table, families: Named, data: Named, settings: Settings) -> Framing:
    """With paired tests: families under the same data, and data for the same family.

    A family's score of an item is the mean of its systems'. Holm's correction is over the tests of a measure.
    """
    found = framing_of_table(table, families, data)
    pairs = [
        (key, other) for other, key in combinations(found.systems, 2) if (key[0] == other[0]) != (key[1] == other[1])
    ]
    samples = common(judged)
    if not pairs or len(next(iter(samples.values())).items) < 2:
        return found
    many, trials = len(judged.directions), settings.trials or trials_for(len(pairs), TRIALS)
    rows = {
        (key, measure): np.mean([beside(samples[system], measure, many) for system in systems], axis=0)
        for key, systems in found.systems.items()
        for measure in MEASURES
    }
    tested = stats.paired_tests(
        rows,
        {key: mean_of(judged.measures[key[1]], many) for key in rows},
        [((key, measure), (other, measure)) for measure in MEASURES for key, other in pairs],
        trials=trials,
        seed=settings.seed,
        level=settings.level,
        interval_trials=settings.draws,
        family=lambda pair: pair[0][1],
    )
    tests: list[Comparison] = []
    for measure in MEASURES:
        outcomes = [tested[(key, measure), (other, measure)] for key, other in pairs]
        named = [(_named(key, found), _named(other, found)) for key, other in pairs]
        tests += comparisons(f"{measure}, {AVERAGE}", named, outcomes, test="ar")
    return Framing(found.families, found.data, found.means, found.systems, tuple(tests))


def _cells(families: dict[str, tuple[str, ...]], data: Mapping[str, Sequence[str]]) -> dict[Key, tuple[str, ...]]:
    """The systems of each family under each training data, where there are any."""
    return {
        (family, under): systems
        for under, trained in data.items()
        for family, own in families.items()
        if (systems := tuple(system for system in own if system in trained))
    }


def _named(key: Key, found: Framing) -> str:
    return key[0] if list(found.data) == [ANY] else f"{key[0]}, {key[1]}"
