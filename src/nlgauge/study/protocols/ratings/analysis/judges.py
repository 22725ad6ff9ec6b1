"""The judges of a panel: times, checks of care, lenience, weights; and the means without those who fail a check.

Who fails a check is named, and nobody is left out for that: exclusions are events of the study's log. The means are
shown with and without (`variants`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats.carefulness import (
    Check,
    SelfAgreement,
    entropy,
    longest_run,
    self_agreement,
    speed,
    spread,
)
from nlgauge.stats.judge_weights import precision_weights, weighted_system_means
from nlgauge.stats.multiple import holm
from nlgauge.stats.results import Estimate
from nlgauge.study.analysis.notes import Note, distinct, note
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.model import Judgement
from nlgauge.study.protocols.outputs.control import attention_checks, copy_checks, failed_kinds, rule_of
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.ratings.analysis.models import Models, fit
from nlgauge.study.protocols.ratings.analysis.rows import Column, Rated, sort_out
from nlgauge.study.protocols.ratings.file import rating_study

TRIALS = 1000
ALPHA = 0.05  # for the judges of a panel together
MOST = 40_000_000  # cells that may be exchanged for the test of spread
STRAIGHT = 8  # screens with one number for everything, no fewer, that are called straight-lining


@dataclass(frozen=True)
class JudgeRow(Jsonable):
    """One judge: how much, how fast, how high, which checks failed, and the weight by precision."""

    KEYS = "..., excluded or null, longest_run, entropy, missed = checks, copies, again"

    judge: str
    answers: int
    median_seconds: float
    mean: float  # of all ratings, as shares of their scales; of magnitudes the mean logarithm
    deviation: float
    flat_screens: float  # share of screens with the same place on every criterion's scale; NaN: one criterion
    weight: float  # NaN where precision cannot be told
    failed: tuple[str, ...]
    excluded: str = ""  # the reason, where the judge is left out
    longest_run: int | None = None  # of one answer, on any criterion; None: the order of answers is not known
    entropy: float = math.nan  # of the answers, as a share of the largest; the least of all criteria
    missed: tuple[int, int] | None = None  # attention checks missed, and shown
    copies: Check | None = None  # the test of damaged copies
    again: SelfAgreement | None = None  # with the first ratings of repeated texts

    @property
    def checks(self) -> dict[str, int] | None:
        """Attention checks."""
        return self.missed and {"missed": self.missed[0], "shown": self.missed[1]}


@dataclass(frozen=True)
class Judging(Jsonable):
    """The judges of one panel; of a machine nothing, which has neither times nor care."""

    KEYS = "panel, named, median_seconds = median, judges, failed, checks, without = _without, weighted, notes"

    panel: str
    judges: tuple[JudgeRow, ...] = ()
    checks: tuple[Check, ...] = ()  # those that failed
    without: Mapping[str, Models] = field(default_factory=dict)  # by criterion, without the judges who failed
    weighted: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)  # of each criterion
    seconds: tuple[float, ...] = ()  # of the answers whose time is known
    notes: tuple[Note, ...] = ()
    answers: int = 0  # screens that count
    named: bool = True  # whether judges are people; where they are not, nothing is said of single ones

    @property
    def failed(self) -> tuple[str, ...]:
        """Who failed a check."""
        return tuple(row.judge for row in self.judges if row.failed)

    @property
    def median(self) -> float:
        """Seconds of the middle answer."""
        return float(np.median(self.seconds)) if self.seconds else math.nan

    @property
    def _without(self) -> dict[str, Any]:
        return {name: models.means for name, models in self.without.items()}


def judged_by(
    rated: Rated,
    panels: Sequence[str],
    columns: Mapping[tuple[str, str], Column],
    study: OutputStudy,
    *,
    seed: int,
    excluded: Mapping[str, str],
) -> tuple[Judging, ...]:
    """Look at every judge of some panels, those left out among them; their ratings give no weights."""
    own = {name: [column for key, column in columns.items() if key[0] == name] for name in panels}
    return tuple(
        Judging(name)
        if name in rated.machines
        else _Bench(rated, name, study, seed, [*rated.of(name)], [*rated.answered(name)]).judging(own[name], excluded)
        for name in panels
    )


@dataclass(frozen=True)
class _Bench:
    """The judges of a panel, to be looked at."""

    rated: Rated
    panel: str
    study: OutputStudy
    seed: int
    own: list[Judgement]
    screens: list[Judgement]

    @cached_property
    def timed(self) -> list[Judgement]:
        """Screens whose time is known."""
        return [judgement for judgement in self.screens if judgement.known_seconds is not None]

    @cached_property
    def names(self) -> list[str]:
        """Who they are."""
        return list(dict.fromkeys(judgement.judge for judgement in self.own))

    def judging(self, columns: Sequence[Column], excluded: Mapping[str, str]) -> Judging:
        """Everything about them."""
        seconds = tuple(judgement.seconds for judgement in self.timed)
        if not self.rated.named:
            return Judging(self.panel, seconds=seconds, answers=len(self.screens), named=False)
        notes: list[Note] = []
        checks = self.checks(columns, notes)
        bad = tuple(check for check in checks if check.passed is False)
        weights, weighted = _weighted([column.without(excluded) for column in columns], notes)
        tested = {check.judge: check for check in checks if check.check == "degraded copies"}
        rows = tuple(
            replace(
                _row(self.rated, name, [given for given in self.own if given.judge == name], bad),
                weight=weights.get(name, math.nan),
                excluded=excluded.get(name, ""),
                copies=tested.get(name),
            )
            for name in self.names
        )
        failed = {row.judge for row in rows if row.failed}
        gone = {*failed, *excluded}
        rest = [column.without(gone) for column in columns] if failed and len(gone) < len(self.names) else []
        return Judging(
            panel=self.panel,
            judges=rows,
            checks=bad,
            without={column.criterion.id: fit(column, means_only=True) for column in rest if len(column)},
            weighted=weighted,
            seconds=seconds,
            notes=tuple(distinct(notes)),
            answers=len(self.screens),
        )

    def checks(self, columns: Sequence[Column], notes: list[Note]) -> list[Check]:
        """Every check of every judge."""
        rated, rule = self.rated, rule_of(self.study)
        times, who = [max(given.seconds, 0.0) for given in self.timed], [given.judge for given in self.timed]
        checks = [*speed(times, who, least=self.study.too_fast, share=rule.speed)] if times else []
        ordered = all(judgement.dated for judgement in self.own)
        notes += [note("times unknown")] * (not times) + [note("order unknown")] * (not ordered)
        for column in columns:
            checks += _straight(column, self.seed, notes, ordered=ordered)
        checks += _flat(rated, self.own) if columns else []
        checks += copy_checks([pair for pair in rated.copies if pair.judge in self.names], rule, seed=self.seed)
        return checks + attention_checks(
            {name: rated.missed[name] for name in rated.missed if name in self.names}, rule
        )


def failing(frozen: Frozen, judgements: Sequence[Judgement], kinds: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The kinds of checks, as the rule calls them, that each judge failed; others than `kinds` are not looked at."""
    study, rated = rating_study(frozen.study), sort_out(frozen, judgements)
    checks: list[Check] = []
    for panel in rated.panels:
        columns = [column for asked in rated.criteria if len(column := rated.column(asked, panel))]
        if columns:
            bench = _Bench(rated, panel, study, study.seed, [*rated.of(panel)], [*rated.answered(panel)])
            checks += bench.checks(columns if "straight-lining" in kinds else [], [])
    return failed_kinds(checks)


def _flat(rated: Rated, own: Sequence[Judgement]) -> list[Check]:
    """Judges who give every criterion the same place on every screen; one criterion says nothing."""
    flat: dict[str, list[bool]] = {}
    for judgement in own if len(rated.criteria) > 1 else ():
        flat.setdefault(judgement.judge, []).append(_is_flat(rated, judgement))
    return [
        Check(
            judge=judge,
            check="one place on every scale",
            estimate=float(np.mean(found)),
            p=math.nan,
            n=len(found),
            passed=not all(found) if len(found) >= STRAIGHT else None,
            method="share of screens with one place on every scale",
        )
        for judge, found in flat.items()
    ]


def _is_flat(rated: Rated, one: Judgement) -> bool:
    row = _shares(rated, one, scored=False)  # straight-lining is in what the hand does
    return len(row) > 1 and float(np.ptp(row)) < 1e-9


def _row(rated: Rated, name: str, own: Sequence[Judgement], bad: Sequence[Check]) -> JudgeRow:
    every = np.concatenate([_shares(rated, judgement, scored=True) for judgement in own])
    flat = [_is_flat(rated, judgement) for judgement in own]
    lines = [
        [float(judgement.answer[asked.id]) for judgement in own if asked.id in judgement.answer] or [0.0]
        for asked in rated.criteria
    ]
    points = [len(asked.values) or 11 for asked in rated.criteria]
    again = [(pair.original, pair.again) for pair in rated.copies if pair.judge == name and not pair.degraded]
    known, missed = own[0].known_seconds is not None, rated.missed.get(name)
    return JudgeRow(
        judge=name,
        answers=len(own),
        median_seconds=float(np.median([judgement.seconds for judgement in own])) if known else math.nan,
        mean=float(every.mean()) if len(every) else math.nan,  # who could judge nothing has no mean
        deviation=float(every.std(ddof=1)) if len(every) > 1 else math.nan,
        flat_screens=float(np.mean(flat)) if len(rated.criteria) > 1 else math.nan,
        weight=math.nan,
        failed=tuple(dict.fromkeys(check.check for check in bad if check.judge == name)),
        longest_run=max(map(_longest, lines)) if all(judgement.dated for judgement in own) else None,
        entropy=min(map(entropy, lines, points)),
        missed=None if missed is None else (sum(missed), len(missed)),
        again=self_agreement(*zip(*again, strict=True)) if again else None,
    )


def _longest(values: Sequence[float]) -> int:
    """The longest run of one answer."""
    return max((len(list(group)) for _, group in groupby(values)), default=0)


def _shares(rated: Rated, one: Judgement, *, scored: bool) -> Array:
    """The answers of a screen as shares of their scales, as given or turned round where high is bad."""
    return np.array(
        [
            asked.share(value, scored=scored)
            for asked in rated.criteria
            if (value := one.answer.get(asked.id)) is not None
        ]
    )


def _straight(column: Column, seed: int, notes: list[Note], *, ordered: bool = True) -> list[Check]:
    """Runs of one answer in time, and ratings that vary less than others' of the same outputs; Holm over judges."""
    if column.criterion.points == 2 or column.criterion.measure:
        return []  # of two answers, and of texts without an error, long runs and a small spread are no wonder
    found = _runs(column, seed) if ordered else []
    _, judges, table = column.table()
    if len(judges) < 2 or not (np.count_nonzero(~np.isnan(table), axis=1) > 1).any():
        return found
    if table.size * TRIALS > MOST * 10:
        notes.append(note("spread untested"))
        return found
    return [*found, *spread(table, judges, trials=TRIALS, seed=seed)]


def _runs(column: Column, seed: int) -> list[Check]:
    who = np.array(column.judges, dtype=object)
    found = [
        longest_run(column.values[who == judge], judge=judge, trials=TRIALS, seed=seed)
        for judge in dict.fromkeys(column.judges)
    ]
    tested = [check for check in found if math.isfinite(check.p)]
    adjusted = holm([check.p for check in tested])
    return [
        *(check for check in found if not math.isfinite(check.p)),
        *(
            replace(judge, p=float(p), passed=bool(p >= ALPHA), method=f"{judge.method}, Holm")
            for judge, p in zip(tested, adjusted, strict=True)
        ),
    ]


def _weighted(columns: Sequence[Column], notes: list[Note]) -> tuple[dict[str, float], dict[str, dict[str, Estimate]]]:
    """Weights by precision, the mean over criteria of each judge's; means with the weights of their own criterion."""
    sums: dict[str, list[float]] = {}
    means: dict[str, dict[str, Estimate]] = {}
    for column in columns:
        _, judges, table = column.table()
        try:
            own = dict(zip(judges, precision_weights(table).tolist(), strict=True))
            means[column.criterion.id] = weighted_system_means(
                ratings=column.values, systems=column.systems, items=column.items, judges=column.judges, weights=own
            )
        except InputError as error:
            notes.append(note("no weights", reason=str(error)))
            continue
        for judge, weight in own.items():
            sums.setdefault(judge, []).append(weight)
    return {judge: float(np.mean(values)) for judge, values in sums.items()}, means
