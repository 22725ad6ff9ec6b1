"""The judges of a panel: times, checks of care, lenience, weights; and the means without those who fail a check.

Nobody is left out of the analysis here: who fails a check is named, and the means are shown with and without.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nlgauge.errors import InputError
from nlgauge.stats.carefulness import Check, degraded, longest_run, repeats, speed, spread
from nlgauge.stats.judge_weights import precision_weights, weighted_system_means
from nlgauge.stats.mixed.results import nulls
from nlgauge.stats.multiple import holm
from nlgauge.stats.results import Estimate
from nlgauge.study.protocols.ratings.analysis.models import Models, fit
from nlgauge.study.protocols.ratings.analysis.rows import Array, Column, Rated
from nlgauge.study.types import Judgement

TRIALS = 1000
ALPHA = 0.05  # for the judges of a panel together
MOST = 40_000_000  # cells that may be exchanged for the test of spread
STRAIGHT = 8  # screens with one number for everything, no fewer, that are called straight-lining


@dataclass(frozen=True)
class JudgeRow:
    """One judge: how much, how fast, how high, which checks failed, and the weight by precision."""

    judge: str
    answers: int
    median_seconds: float
    mean: float  # of all ratings, as shares of their scales; of magnitudes the mean logarithm
    deviation: float
    flat_screens: float  # share of screens with the same place on every criterion's scale; NaN: one criterion
    weight: float  # NaN where precision cannot be told
    failed: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return nulls(vars(self) | {"failed": list(self.failed)})


@dataclass(frozen=True)
class Judging:
    """The judges of one panel."""

    panel: str
    judges: tuple[JudgeRow, ...]
    checks: tuple[Check, ...]  # those that failed
    without: Mapping[str, Models]  # by criterion, without the judges who failed; empty where nobody did
    weighted: Mapping[str, Mapping[str, Estimate]]  # by criterion and system, judges weighted by precision
    seconds: tuple[float, ...]
    notes: tuple[str, ...] = ()

    @property
    def failed(self) -> tuple[str, ...]:
        """Who failed a check."""
        return tuple(one.judge for one in self.judges if one.failed)

    @property
    def answers(self) -> int:
        """Screens that count."""
        return sum(one.answers for one in self.judges)

    @property
    def median(self) -> float:
        """Seconds of the middle answer."""
        return float(np.median(self.seconds)) if self.seconds else math.nan

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "panel": self.panel,
            "median_seconds": None if math.isnan(self.median) else self.median,
            "judges": [one.to_dict() for one in self.judges],
            "failed": list(self.failed),
            "checks": [one.to_dict() for one in self.checks],
            "without": {
                name: [one.to_dict() for one in models.means] for name, models in self.without.items()
            },
            "weighted": {
                name: {system: one.to_dict() for system, one in by.items()}
                for name, by in self.weighted.items()
            },
            "notes": list(self.notes),
        }


def judging(rated: Rated, panel: str, columns: Sequence[Column], *, too_fast: float, seed: int) -> Judging:
    """Look at every judge of a panel."""
    own, screens = rated.of(panel), rated.answered(panel)
    names = list(dict.fromkeys(one.judge for one in own))
    notes: list[str] = []
    times = [max(one.seconds, 0.0) for one in screens]
    checks = [*speed(times, [one.judge for one in screens], least=too_fast)]
    for column in columns:
        checks += _straight(column, seed, notes)
    checks += _copies(rated, set(names), seed)
    bad = [one for one in checks if one.passed is False]
    weights, weighted = _weighted(columns, notes)
    rows = tuple(_row(rated, name, [one for one in own if one.judge == name], bad, weights) for name in names)
    failed = [row.judge for row in rows if row.failed]
    without = {}
    if failed and len(failed) < len(names):
        for column in columns:
            rest = column.without(failed)
            if len(rest):
                without[column.criterion.id] = fit(rest)
    seconds = tuple(one.seconds for one in screens)
    return Judging(panel, rows, tuple(bad), without, weighted, seconds, tuple(dict.fromkeys(notes)))


def _row(
    rated: Rated, name: str, own: Sequence[Judgement], bad: Sequence[Check], weights: Mapping[str, float]
) -> JudgeRow:
    every = np.concatenate([_shares(rated, one, scored=True) for one in own])
    several = len(rated.criteria) > 1
    given = [_shares(rated, one, scored=False) for one in own]  # straight-lining is in what the hand does
    flat = [len(row) > 1 and float(np.ptp(row)) < 1e-9 for row in given]
    failed = [one.check for one in bad if one.judge == name]
    if several and all(flat) and len(flat) >= STRAIGHT:
        failed.append("one place on every scale")
    return JudgeRow(
        name,
        len(own),
        float(np.median([one.seconds for one in own])),
        float(every.mean()),
        float(every.std(ddof=1)) if len(every) > 1 else math.nan,
        float(np.mean(flat)) if several else math.nan,
        weights.get(name, math.nan),
        tuple(dict.fromkeys(failed)),
    )


def _shares(rated: Rated, one: Judgement, *, scored: bool) -> Array:
    """The answers of a screen as shares of their scales, as given or turned round where high is bad."""
    return np.array(
        [
            asked.share(value, scored=scored)
            for asked in rated.criteria
            if (value := one.answer.get(asked.id)) is not None
        ]
    )


def _straight(column: Column, seed: int, notes: list[str]) -> list[Check]:
    """Runs of one answer in time, and ratings that vary less than others' of the same outputs; Holm over judges."""
    if column.criterion.points == 2:
        return []  # of two answers long runs and a small spread are no wonder
    found = _runs(column, seed)
    _, judges, table = column.table()
    if len(judges) < 2 or not (np.count_nonzero(~np.isnan(table), axis=1) > 1).any():
        return found
    if table.size * TRIALS > MOST * 10:
        notes.append(
            f"{column.criterion.name}: too many judges and outputs to test the spread of each judge's ratings"
        )
        return found
    return [*found, *spread(table, judges, trials=TRIALS, seed=seed)]


def _runs(column: Column, seed: int) -> list[Check]:
    who = np.array(column.judges, dtype=object)
    found = [
        longest_run(column.values[who == judge], judge=judge, trials=TRIALS, seed=seed)
        for judge in dict.fromkeys(column.judges)
    ]
    tested = [one for one in found if math.isfinite(one.p)]
    adjusted = holm([one.p for one in tested])
    return [
        *(one for one in found if not math.isfinite(one.p)),
        *(
            replace(one, p=float(p), passed=bool(p >= ALPHA), method=f"{one.method}, Holm")
            for one, p in zip(tested, adjusted, strict=True)
        ),
    ]


def _copies(rated: Rated, names: set[str], seed: int) -> list[Check]:
    """Damaged copies and repeats, all criteria of a judge together."""
    found = []
    for judge in sorted({one.judge for one in rated.copies} & names):
        own = [one for one in rated.copies if one.judge == judge]
        bad = [(one.original, one.again) for one in own if one.degraded]
        again = [(one.original, one.again) for one in own if not one.degraded]
        if bad:
            found.append(degraded(*zip(*bad, strict=True), judge=judge))
        if again:
            found.append(repeats(*zip(*again, strict=True), judge=judge, trials=TRIALS, seed=seed))
    return found


def _weighted(
    columns: Sequence[Column], notes: list[str]
) -> tuple[dict[str, float], dict[str, dict[str, Estimate]]]:
    """Weights by precision, the mean over criteria of each judge's; means with the weights of their own criterion."""
    sums: dict[str, list[float]] = {}
    means: dict[str, dict[str, Estimate]] = {}
    for column in columns:
        _, judges, table = column.table()
        try:
            own = dict(zip(judges, precision_weights(table).tolist(), strict=True))
            means[column.criterion.id] = weighted_system_means(
                column.values, column.systems, column.items, column.judges, own
            )
        except InputError as error:
            notes.append(f"judges have no weights: {error}")
            continue
        for judge, weight in own.items():
            sums.setdefault(judge, []).append(weight)
    return {judge: float(np.mean(values)) for judge, values in sums.items()}, means
