"""Do metrics differ in how well they follow people? All pairs of metrics, several tests, Holm's correction.

* `perm-input`, the default: the metrics swap whole items (Deutsch, Dror and Roth 2021);
* `perm-both`: they swap single outputs, `perm-sys`: whole systems (same paper);
* `williams`: Williams' test, for one Pearson correlation of independent points per metric;
* `bootstrap`: paired bootstrap of the difference over items, systems or both.
"""

from __future__ import annotations

import itertools
import math
import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.options import DEFAULT_SEED
from nlgauge.stats.correlation.bootstrap import Draws, Over, bootstrap_values
from nlgauge.stats.correlation.levels import Average, Level, check_request, correlate, scores_array
from nlgauge.stats.correlation.permutation import Cells, Swap, permutation_p, permuted_differences
from nlgauge.stats.correlation.statistic import STATISTICS, Statistic
from nlgauge.stats.correlation.statistic import statistic as statistic_called
from nlgauge.stats.correlation.williams import Sided, williams_test
from nlgauge.stats.multiple import holm
from nlgauge.stats.results import of_level
from nlgauge.wording.numbers import exact_p

Test = Literal["perm-input", "perm-both", "perm-sys", "williams", "bootstrap"]

WORDS: dict[str, str] = {
    "perm-input": "PERM-INPUT",
    "perm-both": "PERM-BOTH",
    "perm-sys": "PERM-SYS",
    "williams": "Williams' test",
    "bootstrap": "paired bootstrap",
}
TAILS = 1.0  # of excess kurtosis
HEAVY = (
    "the tails of two metrics' scores differ (excess kurtosis by more than 1): where one metric's errors had heavy "
    "tails, simulation found a difference of Pearson's r between equally good metrics in 8.5 % of sets instead of 5 %"
)
SWAPS: dict[str, Swap] = {"perm-input": "items", "perm-both": "outputs", "perm-sys": "systems"}


@dataclass(frozen=True)
class MetricComparison(Jsonable):
    """Two metrics against the same people: `estimate` is the first's correlation minus the second's.

    `n` counts the outputs (systems at system level) that have all scores compared. `p_adjusted` is Holm's over
    all pairs compared. `low` and `high` bound the difference and are NaN unless the bootstrap made them.
    """

    metric: str
    other: str
    value: float
    other_value: float
    estimate: float
    p: float
    p_adjusted: float
    test: str
    statistic: str
    level: str
    average: str
    n: int
    sided: str = "two"
    low: float = math.nan
    high: float = math.nan
    confidence: float = 0.95
    draws: int = 0
    seed: int = 0
    notes: tuple[str, ...] = ()

    def significant(self, alpha: float = 0.05) -> bool:
        """Whether the corrected p-value is at most alpha."""
        return self.p_adjusted <= alpha

    def __str__(self) -> str:
        name = STATISTICS[self.statistic].words
        verb = "does not differ from"
        if self.significant():
            verb = "is higher than" if self.estimate > 0 else "is lower than"
        trials = f", {self.draws:,} draws" if self.draws else ""
        claim = (
            f"{name} of {self.metric} with people ({self.value:.3f}) {verb} that of {self.other} "
            f"({self.other_value:.3f}){'' if self.significant() else ' significantly'}"
        )
        interval = ""
        if not math.isnan(self.low):
            interval = f"{of_level(self.confidence)} interval {self.low:.3f} to {self.high:.3f}; "
        text = (
            f"{claim} (difference {self.estimate:+.3f}; {interval}{WORDS[self.test]}{trials}, {self.sided}-sided, "
            f"n = {self.n:,}, {_p_words(self.p)}, Holm-adjusted {_p_words(self.p_adjusted)})"
        )
        return "; note: ".join((text, *self.notes))


def compare_metrics(
    human: Any,
    metrics: Any,
    names: Sequence[str],
    *,
    statistic: str | Statistic = "pearson",
    level: Level = "segment",
    average: Average = "none",
    test: Test = "perm-input",
    over: Over = "items",
    sided: Sided = "two",
    draws: int = 1000,
    seed: int = DEFAULT_SEED,
    confidence: float = 0.95,
    threshold: float = 0.0,
    baseline: str | None = None,
) -> list[MetricComparison]:
    """Every pair of metrics (or all against `baseline`), on the outputs that people and all metrics scored.

    `metrics` is (metrics, systems, items). Metrics whose correlation is undefined (constant scores) cannot be
    compared and are left out; every comparison says so in its notes.

    Args:
        human: people's scores, a (systems, items) array, NaN where missing; one flat list is outputs, or at
            system level systems
        metrics: (metrics, systems, items) scores
        names: of the metrics
        statistic: its name or alias, such as `pearson`, `kendall` or `acc-eq`
        level: `segment` (over outputs) or `system` (over the systems' means)
        average: at segment level: pool all outputs (`none`), or average over `item`s or `system`s
        test: `perm-input`, `perm-both`, `perm-sys`, `williams` or `bootstrap`
        over: what the bootstrap draws: `items`, `systems` or `both`
        sided: `two`, or `one` for the metric that is ahead
        draws: of the permutation or bootstrap
        seed: of the random draws
        confidence: the level of the bootstrap's limits
        threshold: the difference of people's scores up to which `kendall-like` counts no pair
        baseline: the metric that all others are compared with; without it all pairs are

    >>> people = [[1, 4, 2, 5, 3, 6, 2, 7, 1, 5]]
    >>> good, poor = [[2, 4, 3, 5, 3, 6, 1, 8, 1, 4]], [[3, 1, 6, 2, 5, 4, 7, 1, 2, 3]]
    >>> found = compare_metrics(people, [good, poor], ["good", "poor"])[0]
    >>> found.metric, round(found.estimate, 3), found.significant()
    ('good', 1.359, True)
    """
    chosen = statistic_called(statistic, threshold)
    check_request(chosen, level, average)
    if test not in WORDS:
        raise InputError(f"unknown test {test!r}: choose {', '.join(WORDS)}")
    if sided not in ("one", "two"):
        raise InputError(f"a test is one- or two-sided; got {sided!r}")
    people, scores, notes = _complete(human, metrics, names, level)
    options: dict[str, Any] = {"draws": draws, "seed": seed} if chosen.whole else {}
    results = [correlate(people, score, statistic=chosen, level=level, average=average, **options) for score in scores]
    usable = [k for k, result in enumerate(results) if result.defined]
    dropped = [names[k] for k in range(len(names)) if k not in usable]
    if dropped:
        notes += (f"not compared, because their correlation is undefined: {', '.join(dropped)}",)
    pairs = _pairs(usable, names, baseline)
    if not pairs:
        raise InputError(
            "comparing metrics needs at least two whose correlation with people is defined"
            + (f"; undefined: {', '.join(dropped)}" if dropped else "")
        )
    values = [result.estimate for result in results]
    swap = SWAPS.get(test, "items")
    asked = _Settings(chosen, level, average, over, sided, draws, seed=seed, confidence=confidence, swap=swap)
    tests = _TESTS[test](people, scores, pairs, values, asked)
    adjusted = holm([found.p for found in tests])
    n = results[usable[0]].n
    return [
        MetricComparison(
            metric=names[a],
            other=names[b],
            value=values[a],
            other_value=values[b],
            estimate=values[a] - values[b],
            p=found.p,
            p_adjusted=float(corrected),
            test=test,
            statistic=chosen.name,
            level=level,
            average=average,
            n=n,
            sided=sided,
            low=found.low,
            high=found.high,
            confidence=confidence,
            draws=0 if test == "williams" else draws,
            seed=seed,
            notes=notes + found.notes,
        )
        for (a, b), found, corrected in zip(pairs, tests, adjusted, strict=True)
    ]


@dataclass(frozen=True)
class _Settings:
    statistic: Statistic
    level: Level
    average: Average
    over: Over
    sided: Sided
    draws: int
    seed: int
    confidence: float
    swap: Swap


@dataclass(frozen=True)
class _Found:
    p: float
    low: float = math.nan
    high: float = math.nan
    notes: tuple[str, ...] = ()


def _permuted(
    people: Array, scores: Array, pairs: list[tuple[int, int]], values: list[float], asked: _Settings
) -> list[_Found]:
    chosen = sorted({index for pair in pairs for index in pair})
    place = {index: position for position, index in enumerate(chosen)}
    cells = Cells.of(people, scores[chosen], asked.level, asked.average, asked.swap)
    placed = [(place[a], place[b]) for a, b in pairs]
    moved = permuted_differences(cells, placed, statistic=asked.statistic, draws=asked.draws, seed=asked.seed)
    notes: tuple[str, ...] = ()
    calibrated = asked.statistic.joint is not None and asked.statistic.joint.by_group is not None
    if calibrated and asked.level == "segment":
        notes = (f"whole {asked.average}s were swapped, each metric keeping its own tie threshold",)
    if asked.level == "system" and asked.swap != "systems":
        notes = (f"swapping {asked.swap} at system level speaks of these systems only, not of others like them",)
    found = [
        permutation_p(values[a] - values[b], moved[:, number], sided=asked.sided) for number, (a, b) in enumerate(pairs)
    ]
    plain = asked.statistic.linear and asked.statistic.coefficient
    pooled = plain and (asked.level, asked.average) == ("segment", "none")
    tails = _tails(people, scores) if pooled else np.zeros(len(scores))
    heavy = [p <= 0.05 and abs(tails[a] - tails[b]) > TAILS for p, (a, b) in zip(found, pairs, strict=True)]
    return [_Found(p, notes=(*notes, HEAVY) if told else notes) for p, told in zip(found, heavy, strict=True)]


def _tails(people: Array, scores: Array) -> Array:
    """The excess kurtosis of each metric's scores of the outputs compared."""
    kept = scores[:, ~(np.isnan(people) | np.isnan(scores).any(axis=0))]
    centred = kept - kept.mean(axis=1, keepdims=True)
    spread = np.maximum((centred**2).mean(axis=1), np.finfo(float).tiny)
    return np.asarray((centred**4).mean(axis=1) / spread**2 - 3)


def _williams(
    people: Array, scores: Array, pairs: list[tuple[int, int]], values: list[float], asked: _Settings
) -> list[_Found]:
    if not asked.statistic.coefficient:
        raise InputError(
            f"Williams' test compares correlations; {asked.statistic.words} is none: use perm-both or bootstrap"
        )
    found = []
    for a, b in pairs:
        first, second, statistic, level = scores[a], scores[b], asked.statistic, asked.level
        result = williams_test(
            people, first, second, statistic=statistic, level=level, average=asked.average, sided=asked.sided
        )
        if math.isnan(result.p):
            raise InputError("Williams' test needs metrics whose correlation with each other is defined")
        found.append(_Found(result.p, notes=result.notes))
    return found


def _bootstrap(
    people: Array, scores: Array, pairs: list[tuple[int, int]], values: list[float], asked: _Settings
) -> list[_Found]:
    made = Draws.make(people.shape, asked.over, asked.draws, asked.seed)
    statistic, level, average, seed = asked.statistic, asked.level, asked.average, asked.seed
    drawn = {
        k: bootstrap_values(people, scores[k], made, statistic=statistic, level=level, average=average, seed=seed)
        for k in {index for pair in pairs for index in pair}
    }
    tail = (1 - asked.confidence) / 2
    found = []
    for a, b in pairs:
        difference = drawn[a] - drawn[b]
        defined = difference[~np.isnan(difference)]
        if not len(defined):
            raise InputError("no bootstrap draw left both correlations defined: there are too few outputs")
        low, high = np.quantile(defined, [tail, 1 - tail])
        found.append(_Found(bootstrap_p(values[a] - values[b], difference, sided=asked.sided), low, high))
    return found


def bootstrap_p(observed: float, differences: Array, *, sided: str = "two") -> float:
    """Share of draws on the other side of zero (twice that, two-sided), with one added to both counts.

    A draw that is exactly zero or undefined counts as on the other side.
    """
    ahead = differences * (1.0 if observed >= 0 else -1.0)
    with np.errstate(invalid="ignore"):
        share = (int((~(ahead > 0)).sum()) + 1) / (len(differences) + 1)
    return min(share if sided == "one" else 2 * share, 1.0)


def _p_words(p: float) -> str:
    """Williams' test on many outputs gives p-values too small to write out."""
    return f"p = {exact_p(p)}" if p >= 1e-6 else "p < 0.000001"


_TESTS = {**dict.fromkeys(SWAPS, _permuted), "williams": _williams, "bootstrap": _bootstrap}


def _complete(human: Any, metrics: Any, names: Sequence[str], level: Level) -> tuple[Array, Array, tuple[str, ...]]:
    """Human and metric scores on the outputs that all have."""
    people = scores_array(human, level, "human")
    arrays = [scores_array(values, level, f"metric {name}") for values, name in zip(metrics, names, strict=False)]
    if len(metrics) != len(names):
        raise InputError(f"{len(metrics)} metrics but {len(names)} names: give one name for each metric")
    if len(set(names)) < len(names):
        raise InputError("two metrics have the same name: give each its own")
    for name, one in zip(names, arrays, strict=True):
        if one.shape != people.shape:
            raise InputError(f"metric {name} has scores of shape {one.shape}; people's are {people.shape}")
    scores = np.array(arrays) if arrays else np.empty((0, *people.shape))
    judged = ~np.isnan(people)
    missing = ~judged | np.isnan(scores).any(axis=0)
    gone = int((missing & judged).sum())
    notes = (f"{gone:,} judged outputs that some metric did not score were left out for all metrics",) if gone else ()
    return np.where(missing, np.nan, people), np.where(missing, np.nan, scores), notes


def _pairs(usable: list[int], names: Sequence[str], baseline: str | None) -> list[tuple[int, int]]:
    if baseline is None:
        return list(itertools.combinations(usable, 2))
    if baseline not in names:
        raise InputError(f"no metric is called {baseline!r}: choose one of {', '.join(names)}")
    base = list(names).index(baseline)
    return [(k, base) for k in usable if k != base] if base in usable else []


@dataclass(frozen=True)
class Ranked:
    """A metric's place: its group (`rank`, from 1), and the metrics significantly better than it."""

    metric: str
    value: float
    rank: int
    beaten_by: tuple[str, ...]


def clusters(comparisons: Sequence[MetricComparison], *, alpha: float = 0.05) -> tuple[Ranked, ...]:
    """The metrics of all-pairs comparisons from best to worst, with the rank of their group, as WMT ranks them.

    Metrics are taken from the best to the worst. One opens a new group as soon as some member of the current group is
    significantly better than it; so no member of a group is significantly worse than another member of the same
    group. This is mt-metrics-eval's rule. Groups depend on the order: a metric may be indistinguishable from one of
    the group above it, which `beaten_by` shows.

    Args:
        comparisons: of all pairs of metrics, as `compare_metrics` gives them
        alpha: the level at which a corrected p-value is significant

    >>> people = [[1, 4, 2, 5, 3, 6, 2, 7, 1, 5]]
    >>> good, poor = [[2, 4, 3, 5, 3, 6, 1, 8, 1, 4]], [[3, 1, 6, 2, 5, 4, 7, 1, 2, 3]]
    >>> [(place.metric, place.rank) for place in clusters(compare_metrics(people, [good, poor], ["good", "poor"]))]
    [('good', 1), ('poor', 2)]
    """
    values: dict[str, float] = {}
    better: dict[str, set[str]] = {}
    for comparison in comparisons:
        values[comparison.metric], values[comparison.other] = comparison.value, comparison.other_value
        if comparison.significant(alpha):
            pair = (comparison.metric, comparison.other)
            winner, loser = pair if comparison.estimate > 0 else pair[::-1]
            better.setdefault(loser, set()).add(winner)
    order = sorted(values, key=lambda name: -values[name])
    ranked: list[Ranked] = []
    rank, group = 1, set[str]()
    for name in order:
        if better.get(name, set()) & group:
            rank, group = rank + 1, set()
        group.add(name)
        beaten = tuple(other for other in order if other in better.get(name, set()))
        ranked.append(Ranked(name, values[name], rank, beaten))
    return tuple(ranked)


def letters(comparisons: Sequence[MetricComparison], *, alpha: float = 0.05) -> dict[str, str]:
    """Compact letters (Piepho 2004): two metrics share one exactly if they do not differ significantly.

    Args:
        comparisons: of all pairs of metrics, as `compare_metrics` gives them
        alpha: the level at which a corrected p-value is significant

    >>> people = [[1, 4, 2, 5, 3, 6, 2, 7, 1, 5]]
    >>> good, poor = [[2, 4, 3, 5, 3, 6, 1, 8, 1, 4]], [[3, 1, 6, 2, 5, 4, 7, 1, 2, 3]]
    >>> letters(compare_metrics(people, [good, poor], ["good", "poor"]))
    {'good': 'a', 'poor': 'b'}
    """
    ranked = [entry.metric for entry in clusters(comparisons, alpha=alpha)]
    groups = [frozenset(ranked)]
    for comparison in comparisons:
        if comparison.significant(alpha):
            pair = {comparison.metric, comparison.other}
            split = [group - {name} if pair <= group else group for group in groups for name in pair]
            groups = [group for group in dict.fromkeys(split) if not any(group < other for other in split)]
    place = {name: number for number, name in enumerate(ranked)}
    ordered = sorted(groups, key=lambda group: sorted(place[name] for name in group))
    return {name: "".join(_letter(number) for number, group in enumerate(ordered) if name in group) for name in ranked}


def _letter(number: int) -> str:
    """a to z, A to Z, and from then on Greek."""
    known = string.ascii_letters
    return known[number] if number < len(known) else chr(ord("α") + number - len(known))
