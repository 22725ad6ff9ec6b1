"""The judges of a panel: times, checks of care, lenience, weights; and the means without those who fail a check.

Who fails a check is named, and nobody is left out for that: exclusions are events of the study's log. The means are
shown with and without (`variants`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
from nlgauge.study.protocols.outputs.quality import Rule
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
    """The judges of one panel."""

    KEYS = "panel, named, median_seconds = median, judges, failed, checks, without = _without, weighted, notes"

    panel: str
    judges: tuple[JudgeRow, ...]
    checks: tuple[Check, ...]  # those that failed
    without: Mapping[str, Models]  # by criterion, without the judges who failed; empty where nobody did
    weighted: Mapping[str, Mapping[str, Estimate]]  # by criterion and system, judges weighted by precision
    seconds: tuple[float, ...]  # of the answers whose time is known
    notes: tuple[Note, ...] = ()
    answers: int = 0  # screens that count
    named: bool = True  # whether judges are people; where they are not, nothing is said of single ones

    @property
    def failed(self) -> tuple[str, ...]:
        """Who failed a check."""
        return tuple(judge_row.judge for judge_row in self.judges if judge_row.failed)

    @property
    def median(self) -> float:
        """Seconds of the middle answer."""
        return float(np.median(self.seconds)) if self.seconds else math.nan

    @property
    def _without(self) -> dict[str, Any]:
        return {name: models.means for name, models in self.without.items()}


def judging(
    rated: Rated,
    panel: str,
    columns: Sequence[Column],
    *,
    too_fast: float,
    seed: int,
    rule: Rule | None = None,
    excluded: Mapping[str, str] | None = None,
) -> Judging:
    """Look at every judge of a panel, those left out among them; their ratings give no weights."""
    rule, out = rule or Rule(), excluded or {}
    own, screens = rated.of(panel), rated.answered(panel)
    timed = [judgement for judgement in screens if judgement.known_seconds is not None]
    seconds = tuple(judgement.seconds for judgement in timed)
    if not rated.named:
        return Judging(
            panel=panel,
            judges=(),
            checks=(),
            without={},
            weighted={},
            seconds=seconds,
            answers=len(screens),
            named=False,
        )
    names = list(dict.fromkeys(judgement.judge for judgement in own))
    notes: list[Note] = []
    checks = _checks(rated, panel, columns, notes, too_fast=too_fast, seed=seed, rule=rule)
    bad = [check for check in checks if check.passed is False]
    weights, weighted = _weighted([column.without(out) for column in columns], notes)
    tested = {check.judge: check for check in checks if check.check == "degraded copies"}
    rows = tuple(
        replace(
            _row(
                rated=rated,
                name=name,
                own=[judgement for judgement in own if judgement.judge == name],
                bad=bad,
                weights=weights,
            ),
            excluded=out.get(name, ""),
            copies=tested.get(name),
        )
        for name in names
    )
    failed = [row.judge for row in rows if row.failed]
    without = {}
    gone = {*failed, *out}
    if failed and len(gone) < len(names):
        for column in columns:
            rest = column.without(gone)
            if len(rest):
                without[column.criterion.id] = fit(rest, means_only=True)
    return Judging(
        panel=panel,
        judges=rows,
        checks=tuple(bad),
        without=without,
        weighted=weighted,
        seconds=seconds,
        notes=tuple(distinct(notes)),
        answers=len(screens),
    )


def _checks(
    rated: Rated,
    panel: str,
    columns: Sequence[Column],
    notes: list[Note],
    *,
    too_fast: float,
    seed: int,
    rule: Rule,
) -> list[Check]:
    """Every check of every judge of a panel."""
    own = rated.of(panel)
    names = {judgement.judge for judgement in own}
    timed = [judgement for judgement in rated.answered(panel) if judgement.known_seconds is not None]
    times, who = [max(judgement.seconds, 0.0) for judgement in timed], [judgement.judge for judgement in timed]
    checks = [*speed(times, who, least=too_fast, share=rule.speed)] if timed else []
    if not timed:
        notes.append(note("times unknown"))
    ordered = all(judgement.dated for judgement in own)
    if not ordered:
        notes.append(note("order unknown"))
    for column in columns:
        checks += _straight(column, seed, notes, ordered=ordered)
    checks += _flat(rated, own) if columns else []
    checks += copy_checks([pair for pair in rated.copies if pair.judge in names], rule, seed=seed)
    return checks + attention_checks({judge: rated.missed[judge] for judge in rated.missed if judge in names}, rule)


def failing(frozen: Frozen, judgements: Sequence[Judgement], kinds: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The kinds of checks, as the rule calls them, that each judge failed; others than `kinds` are not looked at."""
    study = rating_study(frozen.study)
    rated = sort_out(frozen, judgements)
    checks: list[Check] = []
    for panel in rated.panels:
        columns = [rated.column(asked, panel) for asked in rated.criteria]
        columns = [column for column in columns if len(column)]
        if columns:
            lines = columns if "straight-lining" in kinds else []
            checks += _checks(rated, panel, lines, [], too_fast=study.too_fast, seed=study.seed, rule=rule_of(study))
    return failed_kinds(checks)


def _flat(rated: Rated, own: Sequence[Judgement]) -> list[Check]:
    """Judges who give every criterion the same place on every screen; one criterion says nothing."""
    found = []
    for judge in dict.fromkeys(judgement.judge for judgement in own) if len(rated.criteria) > 1 else ():
        flat = [_is_flat(rated, judgement) for judgement in own if judgement.judge == judge]
        enough = len(flat) >= STRAIGHT
        found.append(
            Check(
                judge=judge,
                check="one place on every scale",
                estimate=float(np.mean(flat)),
                p=math.nan,
                n=len(flat),
                passed=not all(flat) if enough else None,
                method="share of screens with one place on every scale",
            )
        )
    return found


def _is_flat(rated: Rated, one: Judgement) -> bool:
    row = _shares(rated, one, scored=False)  # straight-lining is in what the hand does
    return len(row) > 1 and float(np.ptp(row)) < 1e-9


def _row(
    rated: Rated, name: str, own: Sequence[Judgement], bad: Sequence[Check], weights: Mapping[str, float]
) -> JudgeRow:
    every = np.concatenate([_shares(rated, judgement, scored=True) for judgement in own])
    several = len(rated.criteria) > 1
    flat = [_is_flat(rated, judgement) for judgement in own]
    failed = [check.check for check in bad if check.judge == name]
    lines = [
        [float(judgement.answer[asked.id]) for judgement in own if asked.id in judgement.answer] or [0.0]
        for asked in rated.criteria
    ]
    again = [(pair.original, pair.again) for pair in rated.copies if pair.judge == name and not pair.degraded]
    return JudgeRow(
        judge=name,
        answers=len(own),
        median_seconds=float(np.median([judgement.seconds for judgement in own]))
        if own[0].known_seconds is not None
        else math.nan,
        mean=float(every.mean()) if len(every) else math.nan,  # who could judge nothing has no mean
        deviation=float(every.std(ddof=1)) if len(every) > 1 else math.nan,
        flat_screens=float(np.mean(flat)) if several else math.nan,
        weight=weights.get(name, math.nan),
        failed=tuple(dict.fromkeys(failed)),
        longest_run=max(_longest(values) for values in lines) if all(judgement.dated for judgement in own) else None,
        entropy=min(
            entropy(values, len(asked.values) or 11) for asked, values in zip(rated.criteria, lines, strict=True)
        ),
        missed=None if name not in rated.missed else (sum(rated.missed[name]), len(rated.missed[name])),
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
            replace(one, p=float(p), passed=bool(p >= ALPHA), method=f"{one.method}, Holm")
            for one, p in zip(tested, adjusted, strict=True)
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
