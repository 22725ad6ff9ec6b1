"""Effects of the levels of a factor, paired by seed.

For each seed the measure at a level, averaged over the combinations of the other factors, is compared with that at the
first level; the seeds are the units. Limits are Student's over the differences, the p-value is that of the exact
sign-flip test, and the effect size is Hedges' g of the differences (their mean by their standard deviation, corrected
for few seeds).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from nlgauge.experiments.design import NEEDED, Claim, Design, Needed, first_test
from nlgauge.jsonable import Jsonable
from nlgauge.stats.multiple import holm
from nlgauge.stats.permutation import sign_flip_test
from nlgauge.stats.results import Estimate

LEVEL = 0.95
CEILING, FLOOR = 0.98, 0.02
SHARES = ("strict", "credit", "said", "minority", "order", "segmentation", "aggregation", "references")
Combination = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Effect(Jsonable):
    """A measure at a level beside the first level, for a system on a test set: the mean difference over seeds."""

    system: str
    test: str
    measure: str
    factor: str
    baseline: str
    level: str
    baseline_mean: float
    level_mean: float
    estimate: float
    low: float
    high: float
    size: float  # Hedges' g of the differences
    p: float
    seeds: int


@dataclass(frozen=True)
class Cellmean(Jsonable):
    """A measure at a combination: the mean over seeds, with limits."""

    system: str
    test: str
    measure: str
    levels: dict[str, str]
    estimate: float
    low: float
    high: float
    seeds: int


@dataclass(frozen=True)
class Verdict(Jsonable):
    """Whether a claim holds for a system: holds, opposite, or not shown; and whether the measure had room to differ."""

    claim: str
    system: str
    verdict: str
    expect: str
    effect: Effect
    bound: str  # "ceiling" or "floor" where both levels are there
    censored: int  # of `needed`: values beyond the levels tried, of all
    values: int
    p_adjusted: float = math.nan  # by Holm's method, for all claims of a command


@dataclass(frozen=True)
class Analysis(Jsonable):
    """Of one design: means, effects of each factor, verdicts on its claims."""

    KEYS = "means, effects, claims = verdicts"

    means: tuple[Cellmean, ...]
    effects: tuple[Effect, ...]
    verdicts: tuple[Verdict, ...]


Values = dict[Combination, dict[int, float]]
"""A measure of a system on a test set: by combination and seed."""


def analyse(design: Design, cells: Sequence[Mapping[str, Any]]) -> Analysis:
    """Everything about the files of the cells."""
    tests = list(next(iter(cells[0]["systems"].values()))["measures"])
    wanted = [first_test(tests, claim) for claim in design.claims]
    means: list[Cellmean] = []
    effects: list[Effect] = []
    verdicts: list[Verdict] = []
    for system in design.systems:
        known = {
            (test, measure): values
            for test in tests
            for measure in design.measures
            if (values := _values(cells, system, test, measure))
        }
        beyond: dict[str, tuple[int, int]] = {}
        if design.needed:
            for test in tests:
                if curve := known.get((test, design.needed.measure)):
                    known[test, NEEDED], beyond[test] = needed(curve, design.needed)
        for (test, measure), values in known.items():
            means += [_mean(system, test, measure, levels, by_seed) for levels, by_seed in values.items()]
            for factor in design.factors:
                if measure == NEEDED and design.needed and factor == design.needed.over:
                    continue
                levels = list(design.levels(factor))
                effects += [
                    effect(values, factor, (levels[0], level), about=(system, test, measure)) for level in levels[1:]
                ]
        for claim, test in zip(design.claims, wanted, strict=True):
            if own := known.get((test, claim.measure)):
                verdicts.append(_verdict(claim, system, test, own, beyond.get(test, (0, 0))))
    return Analysis(tuple(means), tuple(effects), tuple(verdicts))


def adjusted(analyses: Sequence[Analysis]) -> list[Analysis]:
    """The same, with the p-values of all their claims adjusted together."""
    known = [row.effect.p for found in analyses for row in found.verdicts if row.effect.seeds]
    values = iter(holm(known).tolist() if known else [])
    return [
        replace(
            found,
            verdicts=tuple(
                replace(row, p_adjusted=next(values)) if row.effect.seeds else row for row in found.verdicts
            ),
        )
        for found in analyses
    ]


def _values(cells: Sequence[Mapping[str, Any]], system: str, test: str, measure: str) -> Values:
    found: Values = {}
    for cell in cells:
        value = cell["systems"][system]["measures"].get(test, {}).get(measure)
        if value is not None:
            found.setdefault(tuple(cell["levels"].items()), {})[cell["seed"]] = float(value)
    return found


def needed(values: Values, asked: Needed) -> tuple[Values, tuple[int, int]]:
    """For each combination of the other factors and seed, the base-2 logarithm of the least level at which the measure
    reaches so much, between levels on a line over logarithms; one step beyond the last level where it never does. With
    it how many of them lie beyond the levels tried, and of how many."""
    curves: dict[Combination, dict[int, list[tuple[float, float]]]] = {}
    for levels, by_seed in values.items():
        others = tuple(pair for pair in levels if pair[0] != asked.over)
        x = math.log2(float(dict(levels)[asked.over]))
        for seed, value in by_seed.items():
            curves.setdefault(others, {}).setdefault(seed, []).append((x, value))
    found: Values = {}
    beyond = total = 0
    for others, by_curve in curves.items():
        for seed, points in by_curve.items():
            reached, inside = _reached(sorted(points), asked.reach)
            found.setdefault(others, {})[seed] = reached
            beyond, total = beyond + (not inside), total + 1
    return found, (beyond, total)


def _reached(points: Sequence[tuple[float, float]], reach: float) -> tuple[float, bool]:
    if points[0][1] >= reach:
        return points[0][0], False
    for (x, y), (next_x, next_y) in pairwise(points):
        if next_y >= reach:
            return x + (next_x - x) * (reach - y) / (next_y - y), True
    step = points[-1][0] - points[-2][0] if len(points) > 1 else 1.0
    return points[-1][0] + step, False


def effect(values: Values, factor: str, levels: tuple[str, str], *, about: tuple[str, str, str]) -> Effect:
    """The second level beside the first, over combinations that have both, paired by seed."""
    first, second = levels
    pairs: dict[int, list[tuple[float, float]]] = {}
    for combination, by_seed in values.items():
        if dict(combination)[factor] != first:
            continue
        other = tuple((name, second if name == factor else level) for name, level in combination)
        for seed in by_seed.keys() & values.get(other, {}).keys():
            pairs.setdefault(seed, []).append((by_seed[seed], values[other][seed]))
    own = [np.mean(pairs[seed], axis=0) for seed in sorted(pairs)]
    before, after = (float(np.mean([pair[side] for pair in own])) if own else math.nan for side in (0, 1))
    differences = [float(pair[1] - pair[0]) for pair in own]
    found = of_differences(differences)
    p = sign_flip_test(differences).p if differences else math.nan
    system, test, measure = about
    return Effect(
        system=system,
        test=test,
        measure=measure,
        factor=factor,
        baseline=first,
        level=second,
        baseline_mean=before,
        level_mean=after,
        estimate=found.estimate,
        low=found.low,
        high=found.high,
        size=_hedges(differences),
        p=p,
        seeds=len(differences),
    )


def of_differences(values: Sequence[float], level: float = LEVEL) -> Estimate:
    """The mean with Student's limits; none where all are alike, which says nothing of how they vary."""
    from scipy.special import stdtrit

    n = len(values)
    mean = float(np.mean(values)) if n else math.nan
    spread = float(np.std(values, ddof=1)) if n > 1 else 0.0
    if spread <= 1e-12:
        return Estimate(mean, level=level, n=n)
    reach = float(stdtrit(n - 1, 0.5 + level / 2)) * spread / math.sqrt(n)
    return Estimate(mean, mean - reach, mean + reach, level, "Student's t over seeds", n)


def _hedges(differences: Sequence[float]) -> float:
    """Hedges' g of paired differences: Cohen's d times 1 - 3 / (4 df - 1)."""
    n = len(differences)
    spread = float(np.std(differences, ddof=1)) if n > 2 else 0.0
    if spread <= 1e-12:
        return math.nan
    return float(np.mean(differences)) / spread * (1 - 3 / (4 * (n - 1) - 1))


def _mean(system: str, test: str, measure: str, levels: Combination, by_seed: Mapping[int, float]) -> Cellmean:
    """Limits of a share are cut at 0 and 1."""
    found = of_differences(list(by_seed.values()))
    low, high = found.low, found.high
    if measure in SHARES:
        low, high = (bound if math.isnan(bound) else min(1.0, max(0.0, bound)) for bound in (low, high))
    return Cellmean(
        system=system,
        test=test,
        measure=measure,
        levels=dict(levels),
        estimate=found.estimate,
        low=low,
        high=high,
        seeds=found.n,
    )


def _verdict(claim: Claim, system: str, test: str, values: Values, beyond: tuple[int, int]) -> Verdict:
    """Holds where the limits leave 0 out on the side expected and the exact test agrees at 5 %."""
    first, second = claim.levels
    found = effect(values, claim.factor, (first, second), about=(system, test, claim.measure))
    sign = 1 if found.low > 0 else -1 if found.high < 0 else 0
    if not found.p <= 1 - LEVEL + 1e-12:
        sign = 0
    wanted = {"higher": 1, "lower": -1}.get(claim.expect, sign)
    verdict = "not shown" if sign == 0 else "holds" if sign == wanted else "opposite"
    bound = ""
    if claim.measure in SHARES:
        both = (found.baseline_mean, found.level_mean)
        bound = "ceiling" if min(both) > CEILING else "floor" if max(both) < FLOOR else ""
    censored, total = beyond if claim.measure == NEEDED else (0, 0)
    return Verdict(
        claim=claim.says,
        system=system,
        verdict=verdict,
        expect=claim.expect,
        effect=found,
        bound=bound,
        censored=censored,
        values=total,
    )
