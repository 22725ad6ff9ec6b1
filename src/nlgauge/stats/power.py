"""Power of a planned comparison of two systems' mean ratings, by simulation from pilot data.

The pilot's differences are split into what varies between items and what varies between the judgements of one item
(one-way analysis of variance with unequal numbers, by moments). A simulated study draws item effects and judgement
residuals from the pilot with replacement, each *reflated* so that its variance equals the estimated component
(Carpenter, Goldstein and Rasbash 2003): raw residuals are too small and raw item means too spread, which would make
extra judges look useless. The planned test is then run on it, approximate randomisation over items, with the same sign
patterns for all simulated studies, so that thousands of tests are one matrix product.

Two uncertainties differ. The Monte-Carlo error of the power, `low` to `high`, is Clopper and Pearson's and shrinks with
`simulations`. The pilot's own error does not: an effect or variance estimated from 20 items can be far off, and
planning for the *observed* effect repeats its luck. Give the smallest `effect` that would matter instead.

What cannot be planned for from such data: judges who differ in their preference for a system. Judgements of one item
are taken as independent; more judges then help only as far as noise within items goes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.options import DEFAULT_SEED
from nlgauge.stats.discrimination.binomial import turn
from nlgauge.stats.judged import item_means, judged_items, matched_sides

_NORMAL = NormalDist()
MOSTLY = 0.9  # share of items with matched judgements from which only these are used
POOL = 5000  # residual differences to draw from
LARGEST = 100_000  # items: what a search gives up at
FARTHEST = 10_000  # standard deviations: an effect beyond this is a slip of units
HIGHEST = 0.999  # power: what so many simulated studies can tell from 1
SMALL_PILOT = 20  # items below which a pilot barely knows its own spread
_TOO_SMALL = f"even {LARGEST:,} items do not reach the power asked for: the effect is too small for such a study"


@dataclass(frozen=True)
class Pilot:
    """What a pilot says about differences: their mean, and the variance between items and within an item."""

    effect: float
    between: float
    within: float
    n: int
    judgements: int
    item_effects: Array
    residuals: Array


@dataclass(frozen=True)
class Power(Jsonable):
    """The chance that a planned study finds the difference: `estimate`, with the Monte-Carlo limits."""

    estimate: float
    low: float
    high: float
    level: float
    method: str
    n: int  # simulated studies
    items: int
    judges: int
    effect: float
    alpha: float
    pilot_items: int
    between: float
    within: float
    seed: int
    target: float | None = None
    items_low: int | None = None  # the number of items as uncertain as the simulated power makes it
    items_high: int | None = None
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        what = (
            f"{self.items:,} items with {self.judges} judgement{'s' if self.judges > 1 else ''} of each output have "
            f"a power of {self.estimate:.3f} (Monte-Carlo limits {self.low:.3f} to {self.high:.3f}, {self.n:,} "
            f"simulated studies) to find a difference of {self.effect:.4g} in one comparison at α = {self.alpha:g}"
        )
        if self.target is not None:
            what = (
                f"For a power of {self.target:g}: {what}; simulation error alone allows {self.items_low:,} to "
                f"{self.items_high:,} items, and the pilot data are a sample themselves, which adds uncertainty"
            )
        return "; note: ".join((what, *self.notes))


def pilot(system: Array, baseline: Array) -> Pilot:
    """The components of a pilot's differences; arrays as in `compare_judgements`.

    Where (nearly) every item has judges who judged both outputs, their differences are used, which leaves out how
    severe a judge is; else the two sides' components are estimated apart. Where no output was judged twice, between and
    within cannot be told apart, and `within` is NaN.
    """
    a, b = matched_sides(system, baseline, "items", "items")
    shared = judged_items(a) & judged_items(b)
    a, b = a[shared], b[shared]
    if len(a) < 3:
        raise InputError(f"a pilot needs at least 3 items judged for both systems; got {len(a)}")
    if a.shape == b.shape:
        differences = a - b
        matched = judged_items(differences)
        if matched.mean() >= MOSTLY:
            return _pilot(differences[matched], np.zeros((int(matched.sum()), 1)))
    return _pilot(a, b)


def _pilot(a: Array, b: Array) -> Pilot:
    means = item_means(a) - item_means(b)
    # Unweighted analysis: every item counts alike, as in the mean of item means that will be tested.
    spread = float(means.var(ddof=1))
    sides = [_residuals(side) for side in (a, b)]
    counts = [np.isfinite(side).sum(axis=1) for side in (a, b)]
    known = [variance for _, variance in sides]
    # Zeros stand for the other side of differences; they have no noise.
    known = [0.0 if not side.any() else variance for side, variance in zip((a, b), known, strict=True)]
    within = sum(known)
    between = spread
    if within >= 0:
        noise = sum(variance * float(np.mean(1 / many)) for variance, many in zip(known, counts, strict=True))
        between = max(0.0, spread - noise)
    if spread == 0 and not within > 0:
        raise InputError(
            "all differences of the pilot are equal, so nothing can be simulated from it; collect a larger pilot"
        )
    return Pilot(
        effect=float(means.mean()),
        between=between,
        within=within,
        n=len(means),
        judgements=int(min(many.sum() for many, side in zip(counts, (a, b), strict=True) if side.any())),
        item_effects=_reflated(means - means.mean(), between),
        residuals=_reflated(_pool(*(residuals for residuals, _ in sides)), within),
    )


def _pool(first: Array, second: Array) -> Array:
    """Residuals of a difference of one judgement each, from those of the two sides."""
    if not len(first) or not len(second):
        return first if len(first) else -second if len(second) else np.zeros(1)
    generator = np.random.default_rng(0)
    drawn = generator.choice(first, POOL) - generator.choice(second, POOL)
    return np.asarray(drawn - drawn.mean())  # a pool off centre would shift the effect


def _residuals(values: Array) -> tuple[Array, float]:
    """Deviations from the item's mean where it was judged more than once, and their pooled variance."""
    seen = np.isfinite(values)
    counts = seen.sum(axis=1)
    deviations = values - item_means(values)[:, None]
    spare = int((counts - 1).sum())
    if spare == 0:
        return np.zeros(0), float("nan")
    repeated = (counts > 1)[:, None] & seen
    return deviations[repeated], float((deviations[repeated] ** 2).sum()) / spare


def _reflated(values: Array, variance: float) -> Array:
    spread = float(np.mean(values**2))
    if not variance > 0 or not spread > 0:
        return np.zeros_like(values)
    return np.asarray(values * np.sqrt(variance / spread))


@dataclass(frozen=True)
class _Study:
    """What is asked of a planned study, whatever its number of items."""

    source: Pilot
    judges: int
    effect: float
    alpha: float
    simulations: int
    trials: int
    level: float
    seed: int


def power(
    source: Pilot,
    *,
    items: int,
    judges: int = 1,
    effect: float | None = None,
    alpha: float = 0.05,
    simulations: int = 2000,
    trials: int = 1999,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
) -> Power:
    """The power of a study with so many items, and judgements of each item for each system."""
    looked_for = _checked(source, items, judges, effect, alpha, simulations)
    study = _Study(source, judges, looked_for, alpha, simulations, trials, level=level, seed=seed)
    return _result(study, items, _rejections(study, items))


def items_needed(
    source: Pilot,
    *,
    target: float = 0.8,
    judges: int = 1,
    effect: float | None = None,
    alpha: float = 0.05,
    simulations: int = 2000,
    trials: int = 1999,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
) -> Power:
    """The smallest number of items whose simulated power reaches the target, for the judges given.

    Found by bisection with the same seed for every size. `items_low` and `items_high` translate the Monte-Carlo limits
    of the power into items by the normal formula.
    """
    if not alpha < target < 1:
        raise InputError(f"the power asked for must lie between α = {alpha:g} and 1; got {target}")
    if target > HIGHEST:
        raise InputError(f"the power asked for may be at most {HIGHEST}, which simulation can still tell; got {target}")
    looked_for = _checked(source, 2, judges, effect, alpha, simulations)
    if looked_for == 0:
        raise InputError("a difference of 0 cannot be found by any study; give the effect that would matter")

    study = _Study(source, judges, looked_for, alpha, simulations, trials, level=level, seed=seed)
    items = _smallest(lambda size: _rejections(study, size) >= target * simulations, _first_guess(study))
    found = _result(study, items, _rejections(study, items))

    def scaled(reached: float) -> int:
        reach = _NORMAL.inv_cdf(1 - alpha / 2)
        ratio = (reach + _NORMAL.inv_cdf(target)) / (reach + _NORMAL.inv_cdf(min(max(reached, alpha), 1 - 1e-9)))
        return max(2, round(items * ratio**2))

    return replace(found, target=target, items_low=scaled(found.high), items_high=scaled(found.low))


def _first_guess(study: _Study) -> int:
    """The normal formula for a power of .8: only where to start, or not to."""
    source = study.source
    variance = source.between + (source.within / study.judges if source.within > 0 else 0.0)
    ratio = abs(study.effect) / float(np.sqrt(variance)) if variance > 0 else np.inf  # its square may leave floats
    if ratio < float(np.sqrt(8 / (10 * LARGEST))):
        raise InputError(_TOO_SMALL)
    return int(np.clip(8 / min(ratio, 1.0) ** 2, 8, LARGEST))


def _smallest(enough: Callable[[int], bool], guess: int) -> int:
    low, high = 1, guess
    while not enough(high):
        if high >= LARGEST:
            raise InputError(_TOO_SMALL)
        low, high = high, min(2 * high, LARGEST)
    return turn(low, high, enough)


def _checked(source: Pilot, items: int, judges: int, effect: float | None, alpha: float, simulations: int) -> float:
    if items < 2 or judges < 1:
        raise InputError(f"a study needs at least 2 items and 1 judgement of each; got {items} and {judges}")
    if items > LARGEST:
        raise InputError(f"at most {LARGEST:,} items can be simulated; got {items:,}")
    if not 0 < alpha < 1:
        raise InputError(f"α must lie between 0 and 1, for instance 0.05; got {alpha}")
    if simulations < 100:
        raise InputError(f"at least 100 simulated studies are needed; got {simulations}")
    if judges > 1 and not source.within >= 0:
        raise InputError(
            "no output of the pilot was judged twice, so the gain from several judges cannot be foreseen; plan with "
            "1 judgement each, or collect a pilot in which some are"
        )
    chosen = source.effect if effect is None else effect
    if not np.isfinite(chosen):
        raise InputError(f"the effect must be a finite number; got {effect}")
    spread = float(np.sqrt(max(source.between, source.within if source.within > 0 else 0.0)))
    if abs(chosen) > FARTHEST * spread:
        raise InputError(
            f"an effect of {chosen:g} is more than {FARTHEST:,} standard deviations of the pilot's differences "
            f"({spread:.3g}): give a difference on the scale of the ratings"
        )
    return float(chosen)


def _rejections(study: _Study, items: int) -> int:
    """In how many simulated studies the test rejects."""
    source, trials = study.source, study.trials
    generator = np.random.default_rng(study.seed)
    signs = generator.choice(np.array([-1.0, 1.0]), size=(items, trials))
    rejected = 0
    step = max(1, min(study.simulations, (1 << 22) // (items * max(1, study.judges)), (1 << 23) // trials))
    for start in range(0, study.simulations, step):
        size = min(step, study.simulations - start)
        studies = study.effect + generator.choice(source.item_effects, size=(size, items))
        if source.within > 0:
            studies += generator.choice(source.residuals, size=(size, items, study.judges)).mean(axis=2)
        observed = np.abs(studies.sum(axis=1))
        flipped = np.abs(studies @ signs)
        rounding = 1e-11 * np.abs(studies).sum(axis=1)
        counts = (flipped >= (observed - rounding)[:, None]).sum(axis=1)
        rejected += int(np.count_nonzero((counts + 1) / (trials + 1) <= study.alpha))
    return rejected


def _result(study: _Study, items: int, rejected: int) -> Power:
    from scipy.stats import beta

    source, simulations = study.source, study.simulations
    tail = (1 - study.level) / 2
    low = float(beta.ppf(tail, rejected, simulations - rejected + 1)) if rejected else 0.0
    high = float(beta.ppf(1 - tail, rejected + 1, simulations - rejected)) if rejected < simulations else 1.0
    notes = []
    if source.n < SMALL_PILOT:
        notes.append(f"a pilot of {source.n} items says little about the spread: take this for an order of magnitude")
    if study.effect == source.effect:
        notes.append(
            f"the effect is the one observed in the pilot of {source.n} items, which may be luck; plan for the "
            "smallest effect that would matter"
        )
    if not source.within >= 0:
        notes.append(
            "no output of the pilot was judged twice; its differences are taken as what one judgement each will give"
        )
    return Power(
        estimate=rejected / simulations,
        low=low,
        high=high,
        level=study.level,
        method="simulation from pilot data, approximate randomisation over items",
        n=simulations,
        items=items,
        judges=study.judges,
        effect=study.effect,
        alpha=study.alpha,
        pilot_items=source.n,
        between=source.between,
        within=source.within,
        seed=study.seed,
        notes=tuple(notes),
    )
