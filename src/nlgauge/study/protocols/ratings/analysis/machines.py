"""A machine beside people on one criterion: correlations, agreement, and the ceiling that people set for each other.

Outputs are the units. The correlation is that of the machine's numbers with the means of the people, over outputs and
over systems. Krippendorff's alpha is given for the people alone and for people and machine together, each sample of
the machine as a judge: where the machine joins without loss, alpha does not fall. The ceiling and the alternative
annotator test are those of `nlgauge.stats.alternative`. A metric is on no scale of the study, so it has neither alpha
nor the test, which compare answers and not orders.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats.agreement.intervals import Limits
from nlgauge.stats.agreement.krippendorff import krippendorff
from nlgauge.stats.alternative import AlternativeTest, Ceiling, alternative_annotator, leave_one_out
from nlgauge.study.protocols.outputs.analysis.between import Pair, Related
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.machines import epsilon
from nlgauge.study.protocols.ratings.analysis.agreeing import scale_of
from nlgauge.study.protocols.ratings.analysis.rows import Column, Rated

NO_LIMITS = Limits("none")
"""Alpha's own limits stand with each panel's agreement."""


@dataclass(frozen=True)
class MachineBeside(Jsonable):
    """One machine beside one panel of people on one criterion."""

    KEYS = (
        "machine, people, criterion, outputs, systems, alpha_people, alpha_both, ceiling, "
        "alternative_annotator = alternative, undefined"
    )

    machine: str
    people: str
    criterion: str
    outputs: Related
    systems: Related
    alpha_people: float  # NaN where it has no value
    alpha_both: float
    ceiling: Ceiling | None
    alternative: AlternativeTest | None
    undefined: tuple[str, ...] = ()  # why something is not told


def beside_people(
    rated: Rated, study: OutputStudy, columns: Mapping[tuple[str, str], Column], pairs: tuple[Pair, ...]
) -> tuple[MachineBeside, ...]:
    """Every machine beside every panel of people that judged the same outputs."""
    found = []
    for pair in pairs:
        machine = next((name for name in (pair.first, pair.second) if name in rated.machines), "")
        people = pair.second if machine == pair.first else pair.first
        if not machine or people in rated.machines or pair.outputs.n < 3:
            continue
        own = [
            columns[key]
            for name in (people, machine)
            for key in columns
            if key[0] == name and columns[key].criterion.label == pair.where
        ]
        found.append(_beside(own[0], own[1], pair, study, measured=machine in rated.measured))
    return tuple(found)


def _beside(people: Column, machine: Column, pair: Pair, study: OutputStudy, *, measured: bool) -> MachineBeside:
    table, judges, samples = _shared(people, machine)
    mean = _mean_of(samples, people.criterion.points)
    why: list[str] = []
    alphas = [math.nan, math.nan]
    alternative = ceiling = None
    if measured:
        why.append("a metric is on no scale of the study: there is neither alpha nor the alternative annotator test")
    else:
        alphas = [_alpha(columns, people) for columns in (table, np.hstack([table, samples]))]
        try:
            nearness: Any = "equal" if people.criterion.points == 2 else "distance"
            eps = epsilon(study, people.panel)
            alternative = alternative_annotator(table, mean, judges=judges, nearness=nearness, epsilon=eps)
        except InputError as error:
            why.append(str(error))
    try:
        ceiling = leave_one_out(table, np.nanmean(samples, axis=1))
    except InputError as error:
        why.append(str(error))
    return MachineBeside(
        machine=machine.panel,
        people=people.panel,
        criterion=people.criterion.label,
        outputs=pair.outputs,
        systems=pair.systems,
        alpha_people=alphas[0],
        alpha_both=alphas[1],
        ceiling=ceiling,
        alternative=alternative,
        undefined=tuple(why),
    )


def _shared(people: Column, machine: Column) -> tuple[Array, list[str], Array]:
    """The outputs that both rated: people's table, their names, and the machine's samples."""
    (a, judges, first), (b, _, second) = people.table(), machine.table()
    place = {name: row for row, name in enumerate(b)}
    both = [(row, place[name]) for row, name in enumerate(a) if name in place]
    return first[[row for row, _ in both]], judges, second[[row for _, row in both]]


def _mean_of(samples: Array, points: int) -> Array:
    """The machine's answer from its samples: their mean, of yes and no what most of them say (the first of equals)."""
    means = np.nanmean(samples, axis=1)
    if points != 2:
        return np.asarray(means)
    first = np.array([row[np.isfinite(row)][0] for row in samples])
    middle = (np.nanmin(samples) + np.nanmax(samples)) / 2
    likely = np.where(means > middle, np.nanmax(samples), np.nanmin(samples))
    return np.asarray(np.where(np.isclose(means, middle), first, likely))


def _alpha(table: Array, column: Column) -> float:
    try:
        return krippendorff(table, scale_of(column), limits=NO_LIMITS).estimate
    except InputError:
        return math.nan
