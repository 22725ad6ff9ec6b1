"""What the resampling functions return: frozen values whose `str()` is a sentence for the paper."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

from nlgauge.results import Result
from nlgauge.wording.numbers import exact_p


def nulls(row: dict[str, Any]) -> dict[str, Any]:
    """Numbers that are not finite become null."""
    return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in row.items()}


@dataclass(frozen=True)
class Interval(Result):
    """A score and its bootstrap interval. `mean` is that of the draws, as sacreBLEU reports it."""

    estimate: float
    low: float
    high: float
    level: float
    method: str
    n: int
    trials: int
    seed: int
    mean: float
    undefined: int = 0  # draws without a defined score, left out
    notes: tuple[str, ...] = ()
    error: float = math.nan  # the standard error, and over how many units
    units: int = 0

    @property
    def half_width(self) -> float:
        """Half the width of the interval: the number after ± in sacreBLEU's output."""
        return 0.5 * (self.high - self.low)

    def __str__(self) -> str:
        estimate, low, high = rounded((self.estimate, self.low, self.high), self.high - self.low)
        return with_notes(
            f"{estimate} ({of_level(self.level)} interval {low} to {high}; {self.method}, {self.trials:,} draws)",
            self.notes,
        )


@dataclass(frozen=True)
class Estimate(Result):
    """One number with its limits: what every function that estimates something returns, or extends.

    `low` and `high` are NaN where no interval was asked for or none exists; `method` names how the limits
    were found, `notes` says in words what the reader must know (values left out, an approximation used).
    """

    estimate: float
    low: float = math.nan
    high: float = math.nan
    level: float = 0.95
    method: str = ""
    n: int = 0
    name: str = ""
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        head = f"{self.name} " if self.name else ""
        if math.isnan(self.low) and math.isnan(self.high):
            return with_notes(f"{head}{self.estimate:.4g} (n = {self.n:,})", self.notes)
        estimate, low, high = rounded((self.estimate, self.low, self.high), self.high - self.low)
        return with_notes(
            f"{head}{estimate} ({of_level(self.level)} interval {low} to {high}; {self.method}, n = {self.n:,})",
            self.notes,
        )


@dataclass(frozen=True)
class PairedTest(Result):
    """Two systems on the same segments: `delta` is system minus baseline, `p` is two-sided and never 0.

    `low` and `high` bound the difference (`interval_method`, `interval_trials` draws). `ties` is the
    number of trials whose difference equals the observed one, `undefined` of those without a defined score;
    both count as at least as large as what was observed, unless ties were asked to be ignored. `trials` is 0 for an
    exact test. `error` is the standard error of the difference over so many `units`; `together` bounds it at once with
    those of the same family of pairs, where they were drawn together.
    """

    value: float
    baseline_value: float
    delta: float
    low: float
    high: float
    level: float
    p: float
    method: str
    n: int
    trials: int
    interval_trials: int
    seed: int
    ties: int = 0
    undefined: int = 0
    notes: tuple[str, ...] = ()
    system: str = "A"
    baseline: str = "B"
    unit: str = "points"
    interval_method: str = "percentile bootstrap"
    error: float = math.nan
    units: int = 0
    together: tuple[float, float] | None = None

    @property
    def estimate(self) -> float:
        """The difference, under the name all results share."""
        return self.delta

    def named(self, system: str, baseline: str, unit: str = "points") -> PairedTest:
        """The same result with the names that its sentence uses."""
        return dataclasses.replace(self, system=system, baseline=baseline, unit=unit)

    def __str__(self) -> str:
        size, low, high = rounded((abs(self.delta), self.low, self.high), self.high - self.low)
        if self.delta == 0:
            claim = f"{self.system} and {self.baseline} score the same"
        else:
            side = "more" if self.delta > 0 else "less"
            claim = f"{self.system} scores {size} {self.unit} {side} than {self.baseline}"
        return with_notes(
            f"{claim} ({of_level(self.level)} interval {low} to {high}; {self.method}, "
            f"{f'{self.trials:,} trials' if self.trials else f'n = {self.n:,}'}, p = {exact_p(self.p)})",
            self.notes,
        )


@dataclass(frozen=True)
class Jackknife(Result):
    """Leave-one-out estimates of a score's bias and standard error, and the normal interval they give."""

    estimate: float
    low: float
    high: float
    level: float
    method: str
    n: int
    bias: float
    standard_error: float

    def __str__(self) -> str:
        estimate, low, high, error = rounded(
            (self.estimate, self.low, self.high, self.standard_error), self.high - self.low
        )
        return (
            f"{estimate} ({of_level(self.level)} interval {low} to {high}; {self.method}, n = {self.n:,}, "
            f"standard error {error})"
        )


def rounded(values: tuple[float, ...], width: float) -> list[str]:
    """The values with as many decimals as half the interval's width deserves: two significant digits."""
    if not 0 < width < math.inf:
        return [f"{value:.4g}" for value in values]
    decimals = min(max(1 - math.floor(math.log10(width / 2)), 1), 8)
    return [f"{value:.{decimals}f}" for value in values]


def of_level(level: float) -> str:
    """`95 %`, as it stands before an interval."""
    return f"{100 * level:.6g} %"


def with_notes(sentence: str, notes: tuple[str, ...]) -> str:
    """A sentence, and after it what the reader must know."""
    return "; note: ".join((sentence, *notes))
