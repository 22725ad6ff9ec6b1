"""What probing gives: frozen values, with sentences for people and dictionaries for programs."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass

from nlgauge.jsonable import Jsonable
from nlgauge.meta.probes.perturbations import MEANINGS, Meaning
from nlgauge.stats.results import Estimate
from nlgauge.wording.numbers import ALPHA, listing, p_words, percent

NONE = Estimate(math.nan)


@dataclass(frozen=True)
class Coverage:
    """How many texts a perturbation could be applied to, and why not to the others."""

    perturbation: str
    meaning: Meaning
    language: str
    texts: int
    applied: int
    reasons: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        why = ", ".join(f"{reason} ({count:,})" for reason, count in self.reasons)
        return f"{self.perturbation}: applied to {self.applied:,} of {self.texts:,} texts" + (
            f"; not applied: {why}" if why else ""
        )


@dataclass(frozen=True)
class Reaction:
    """One metric under one perturbation at one severity.

    `loss` is the mean fall in quality in the metric's own units, `effect` the same in standard deviations of the
    texts' losses, `auc` the chance that a clean text scores better than a perturbed one (of any two texts), `worse` the
    share of texts whose own score got worse, `better` the share that got better.
    """

    metric: str
    perturbation: str
    meaning: Meaning
    severity: float
    n: int
    clean: float
    perturbed: float
    loss: Estimate
    effect: Estimate
    auc: Estimate
    worse: Estimate
    better: float

    def __str__(self) -> str:
        return (
            f"{self.metric} under {self.perturbation} at severity {self.severity:g}: mean {self.clean:.4g} → "
            f"{self.perturbed:.4g}; worse for {_percent(self.worse)} of {self.n:,} texts; loss {self.loss}"
        )


@dataclass(frozen=True)
class Monotonicity:
    """Whether more of a perturbation means a worse score: mean Kendall's tau-b over texts, and monotone texts.

    A text whose score never moves counts as tau 0 and as not monotone; `unmoved` says how many there are.
    """

    metric: str
    perturbation: str
    meaning: Meaning
    n: int
    tau: Estimate
    monotone: Estimate
    unmoved: int

    def __str__(self) -> str:
        return (
            f"{self.metric} falls steadily with the severity of {self.perturbation} on {_percent(self.monotone)} of "
            f"{self.n:,} texts (mean Kendall's tau-b {self.tau})"
        )


@dataclass(frozen=True)
class FalseAlarm:
    """How a metric's reaction to harmless changes compares with that to changes of meaning, on the same texts.

    `ratio` is the mean loss under meaning-preserving perturbations by that under meaning-changing ones: 0 is right,
    1 means that the metric cannot tell them apart. `prefers` is the chance that of two versions of a text, perturbed at
    the same severity, the one that keeps the meaning scores better (ties count half): 0.5 is a coin. `wording` is the
    ratio where the harmless changes are those of words only.
    """

    metric: str
    n: int
    ratio: Estimate
    prefers: Estimate
    wording: Estimate = NONE  # the ratio without the perturbations of case and punctuation

    def __str__(self) -> str:
        return f"{self.metric} {self.reaction}"

    @property
    def reaction(self) -> str:
        """What the metric does, in words."""
        ratio = (
            f"loses {self.ratio.estimate:.0%} as much under changes that keep the meaning as under changes of meaning"
            if math.isfinite(self.ratio.estimate)
            else "does not fall under changes of meaning"
        )
        if math.isfinite(self.ratio.estimate) and math.isfinite(self.wording.estimate):
            ratio += f" ({self.wording.estimate:.0%} without case and punctuation)"
        chance = _percent(self.prefers)
        return f"{ratio}, and prefers the version that keeps the meaning in {chance} of cases"


@dataclass(frozen=True)
class Preference:
    """How often a metric scores the good output of a challenge item above the bad one.

    `share` counts strict preferences, with exact limits; `p` is the exact two-sided sign test against a coin, ties
    left out (1 where all are ties).
    """

    metric: str
    situation: str  # "all" for the whole set
    n: int
    right: int
    wrong: int
    ties: int
    share: Estimate
    p: float

    def __str__(self) -> str:
        tied = f", {self.ties} ties" if self.ties else ""
        return (
            f"{self.metric} prefers the good output in {self.right} of {self.n} items of {self.situation}{tied} "
            f"({self.share.estimate:.0%}, {_interval(self.share)}; sign test {p_words(self.p)})"
        )


@dataclass(frozen=True)
class Probes(Jsonable):
    """Everything one run of the perturbations found."""

    coverage: tuple[Coverage, ...]
    reactions: tuple[Reaction, ...]
    monotonicity: tuple[Monotonicity, ...]
    false_alarms: tuple[FalseAlarm, ...]
    metrics: Mapping[str, str]  # metric -> direction
    severities: tuple[float, ...]
    on: str
    texts: int
    seed: int
    level: float
    notes: tuple[str, ...] = ()
    receipts: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def rows(self) -> tuple[Coverage, ...]:
        """The perturbations in the order of the tables: meaning preserved, changed, form damaged."""
        return tuple(entry for meaning in MEANINGS for entry in self.coverage if entry.meaning == meaning)

    @property
    def applied(self) -> tuple[Coverage, ...]:
        """The perturbations that found at least one text."""
        return tuple(entry for entry in self.coverage if entry.applied)

    def curve(self, metric: str, perturbation: str) -> tuple[Reaction, ...]:
        """One metric's reactions to one perturbation, by rising severity."""
        return tuple(row for row in self.reactions if row.metric == metric and row.perturbation == perturbation)

    def steadiness(self, metric: str, perturbation: str) -> Monotonicity | None:
        """One metric's monotonicity under one perturbation."""
        rows = (row for row in self.monotonicity if (row.metric, row.perturbation) == (metric, perturbation))
        return next(rows, None)

    def __str__(self) -> str:
        """The sentences for a paper."""
        return " ".join(sentences(self))


@dataclass(frozen=True)
class Challenge(Jsonable):
    """The challenge set's verdict on each metric, situation by situation and over all."""

    preferences: tuple[Preference, ...]
    metrics: Mapping[str, str]
    situations: Mapping[str, str]  # situation -> what it tests
    items: int
    level: float
    receipts: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def of(self, metric: str, situation: str = "all") -> Preference:
        """One metric's result."""
        return next(row for row in self.preferences if (row.metric, row.situation) == (metric, situation))

    def __str__(self) -> str:
        parts = []
        for metric in self.metrics:
            row = self.of(metric)
            side = "better" if row.right > row.wrong else "worse"
            beaten = f"{side} than a coin" if row.p <= ALPHA else "not shown to differ from a coin"
            parts.append(f"{metric} in {row.right} of {row.n} ({beaten}, {p_words(row.p)})")
        return f"Of two outputs, one good and one bad, the good one scores better with {listing(parts)}."


def sentences(probes: Probes) -> list[str]:
    """What the run shows, metric by metric."""
    found = []
    for metric in probes.metrics:
        rows = [row for row in probes.reactions if row.metric == metric]
        weakest = [row for row in rows if row.meaning == "changed" and row.severity == probes.severities[0]]
        blind = [row.perturbation for row in weakest if row.n and row.worse.high < 0.5]
        alarmed = next((row for row in probes.false_alarms if row.metric == metric), None)
        rewarded = [
            row.perturbation
            for row in probes.monotonicity
            if row.metric == metric and row.meaning != "preserved" and row.tau.high < 0
        ]
        parts = []
        if alarmed is not None:
            parts.append(alarmed.reaction)
        if blind:
            parts.append(
                f"gets worse on fewer than half of the texts at severity {probes.severities[0]:g} of {listing(blind)}"
            )
        if rewarded:
            parts.append(f"scores better the more there is of {listing(rewarded)}")
        if parts:
            found.append(f"{metric} {'; it '.join(parts)}.")
    idle = [entry.perturbation for entry in probes.coverage if not entry.applied]
    if idle:
        found.append(f"Nothing is known about {listing(idle)}: no text could be perturbed that way.")
    return found


def _percent(estimate: Estimate) -> str:
    if not math.isfinite(estimate.estimate):
        return "no share"
    if not math.isfinite(estimate.low):
        return f"{estimate.estimate:.0%}"
    return f"{estimate.estimate:.0%} ({_interval(estimate)})"


def _interval(estimate: Estimate) -> str:
    return f"{percent(estimate.level)} interval {estimate.low:.0%} to {estimate.high:.0%}"
