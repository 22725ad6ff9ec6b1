"""The judges of a panel: times, places, ties, and whether they judge as the others do.

A judge who always takes the first place, answers too fast, or goes against the rest is named; nobody is left out, and
the strengths are shown with and without those who fail a check.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.stats.carefulness import Check, speed
from nlgauge.stats.multiple import holm
from nlgauge.stats.skill import fit
from nlgauge.stats.skill.games import TIE
from nlgauge.study.protocols.comparisons.analysis.biases import places_of
from nlgauge.study.protocols.comparisons.analysis.rows import Column
from nlgauge.study.protocols.comparisons.analysis.strengths import Models, SystemStrength, fit_column
from nlgauge.study.protocols.outputs.control import attention_checks
from nlgauge.study.protocols.outputs.quality import Rule
from nlgauge.study.protocols.ratings.analysis.rows import Rated

ALPHA = 0.05  # for the judges of a panel together
FEWEST = 8  # screens of a judge from which places and agreement with the rest can be told
WEAK = 0.1  # precision of the prior of the others' strengths: nobody is then certain to win


@dataclass(frozen=True)
class JudgeRow(Jsonable):
    """One judge: how much, how fast, how often the first place and ties, and how often as the others would."""

    KEYS = "..., missed = _missed, not missed"

    judge: str
    answers: int
    median_seconds: float
    first: float  # share of answers in which the best text stood first; NaN where none names one
    ties: float  # share of comparisons of two texts
    alike: float  # share of preferences for the system that the others find stronger
    expected: float  # the same share of a judge who is like the others
    failed: tuple[str, ...] = ()
    missed: tuple[int, int] | None = None  # attention checks missed, and shown

    def _missed(self) -> dict[str, int] | None:
        return None if self.missed is None else {"missed": self.missed[0], "shown": self.missed[1]}


@dataclass(frozen=True)
class Judging(Jsonable):
    """The judges of one panel."""

    KEYS = "panel, median_seconds = median, judges, failed, checks, without = _without"

    panel: str
    judges: tuple[JudgeRow, ...]
    checks: tuple[Check, ...]  # those that failed
    without: Mapping[str, Models]  # by criterion, without the judges who failed; empty where nobody did
    seconds: tuple[float, ...]
    named: bool = True  # studies of comparisons that were run elsewhere are not imported

    @property
    def failed(self) -> tuple[str, ...]:
        """Who failed a check."""
        return tuple(judge_row.judge for judge_row in self.judges if judge_row.failed)

    @property
    def answers(self) -> int:
        """Screens that count."""
        return len(self.seconds)

    @property
    def median(self) -> float:
        """Seconds of the middle answer."""
        return float(np.median(self.seconds)) if self.seconds else math.nan

    def _without(self) -> dict[str, tuple[SystemStrength, ...]]:
        return {criterion: models.means for criterion, models in self.without.items()}


def judging(
    told: Rated, panel: str, columns: Sequence[Column], *, too_fast: float, rule: Rule | None = None
) -> Judging:
    """Look at every judge of a panel."""
    own = told.of(panel)
    who = [judgement.judge for judgement in own]
    names = list(dict.fromkeys(who))
    checks = list(speed([max(judgement.seconds, 0.0) for judgement in own], who, least=too_fast))
    with_rest: dict[str, list[tuple[int, int, float]]] = {name: [] for name in names}
    for column in columns:
        checks += _corrected([_first_place(column, name) for name in column.judges])
        found = [against_rest(column, name) for name in column.judges]
        checks += _corrected([check for check, _ in found])
        for name, (_, tally) in zip(column.judges, found, strict=True):
            with_rest[name].append(tally)
    missed = {name: told.missed[name] for name in names if name in told.missed}
    checks += attention_checks(missed, rule or Rule())
    bad = [check for check in checks if check.passed is False]
    rows = []
    for name in names:
        seconds = [judgement.seconds for judgement in own if judgement.judge == name]
        row = _row(name, seconds, columns, with_rest[name])
        failed = tuple(dict.fromkeys(check.check for check in bad if check.judge == name))
        attention = (sum(missed[name]), len(missed[name])) if name in missed else None
        rows.append(replace(row, failed=failed, missed=attention))
    out = [row.judge for row in rows if row.failed]
    left = [column.without(out) for column in columns] if 0 < len(out) < len(names) else []
    without = {column.criterion.id: fit_column(column) for column in left if len(column)}
    return Judging(panel, tuple(rows), tuple(bad), without, tuple(judgement.seconds for judgement in own))


def _row(
    name: str, seconds: Sequence[float], columns: Sequence[Column], tallies: Sequence[tuple[int, int, float]]
) -> JudgeRow:
    found = [places_of(column, name) for column in columns]
    best, firsts = sum(places.n for places in found), sum(places.best[0] for places in found)
    shares = [
        share for column in columns for screen in column.screens if screen.judge == name for *_, share in screen.wins
    ]
    alike, told, expected = (sum(column) for column in zip(*tallies, strict=True)) if tallies else (0, 0, 0.0)
    return JudgeRow(
        judge=name,
        answers=len(seconds),
        median_seconds=float(np.median(seconds)),
        first=firsts / best if best else math.nan,
        ties=float(np.mean([share == TIE for share in shares])) if shares else math.nan,
        alike=alike / told if told else math.nan,
        expected=expected / told if told else math.nan,
    )


def _first_place(column: Column, judge: str) -> Check:
    """Whether a judge has the best text in one place more often than by chance; every place would do for that."""
    places = places_of(column, judge)
    p, method = places.p if places.n >= FEWEST else math.nan, "exact binomial test of the first place"
    return Check(judge, "first place", places.first, p, places.n, None, method=method)


def against_rest(column: Column, judge: str) -> tuple[Check, tuple[int, int, float]]:
    """A judge's preferences beside the strengths that all others' answers give.

    Each screen gives the share of its preferences that follow the others' order, less what the model expects of one of
    them; the check is a one-sided t-test over screens that its mean is below 0. Also: preferences alike, all of them,
    and how many alike are expected.
    """
    games = column.games
    assert games.judge is not None
    own = games.judge == column.judges.index(judge)
    none = Check(judge, "against the rest", math.nan, math.nan, 0, None, method="too little to tell")
    rest, mine = games.take(np.flatnonzero(~own)), games.take(np.flatnonzero(own & (games.score != TIE)))
    strength = np.zeros(0)
    with suppress(InputError):
        strength = fit(rest, ties="half", ridge=WEAK).strength if len(rest) else strength
    if not len(strength) or not len(mine):
        return none, (0, 0, 0.0)
    gap = strength[mine.first] - strength[mine.second]
    alike = np.where(mine.score > TIE, gap > 0, gap < 0).astype(np.float64) + 0.5 * (gap == 0)
    expected = 0.5 * (1 + np.tanh(0.5 * np.abs(gap)))
    tally = round(float(alike.sum())), len(mine), float(expected.sum())
    assert mine.item is not None
    _, screen = np.unique(mine.item, return_inverse=True)  # a judge sees an item once, or its screens count together
    screens = np.bincount(screen, alike - expected) / np.bincount(screen)
    found = replace(none, estimate=float(alike.mean()), n=len(screens))
    if len(screens) < FEWEST or screens.std() == 0:
        return found, tally
    from scipy.special import stdtr

    t = float(screens.mean() / (screens.std(ddof=1) / math.sqrt(len(screens))))
    method = "t-test over screens: preferences as the others' strengths expect them"
    return replace(found, p=float(stdtr(len(screens) - 1, t)), method=method), tally


def _corrected(checks: Sequence[Check]) -> list[Check]:
    """Holm's correction over the judges; who cannot be told stays undecided."""
    tested = [check for check in checks if math.isfinite(check.p)]
    adjusted = holm([check.p for check in tested])
    return [
        replace(judge, p=float(p), passed=bool(p >= ALPHA), method=f"{judge.method}, Holm")
        for judge, p in zip(tested, adjusted, strict=True)
    ]
