"""How the task is framed: families of systems, such as translation and summarisation, under different training data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from nlgauge import stats
from nlgauge.engine.pairing import comparisons
from nlgauge.errors import InputError, option, suggest
from nlgauge.results import Comparison
from nlgauge.stats.multiple import trials_for
from nlgauge.style.scoring.judged import TRIALS, Judged, Settings, beside, common, mean_of
from nlgauge.style.scoring.table import AVERAGE, MEASURES, Table

ANY = "any data"
Named = Mapping[str, Sequence[str]]
Key = tuple[str, str]  # family, training data


@dataclass(frozen=True)
class Framing:
    """Families under each training data: mean scores over their systems, and tests of what differs in one thing."""

    families: dict[str, tuple[str, ...]]
    data: dict[str, tuple[str, ...]]
    means: Mapping[Key, Mapping[str, float]]  # average over directions and systems, by measure
    systems: Mapping[Key, tuple[str, ...]]
    tests: tuple[Comparison, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "families": {name: list(own) for name, own in self.families.items()},
            "data": {name: list(own) for name, own in self.data.items()},
            "means": [
                {"family": key[0], "data": key[1], "systems": list(self.systems[key]), **means}
                for key, means in self.means.items()
            ],
            "tests": [test.to_dict() for test in self.tests],
        }


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
