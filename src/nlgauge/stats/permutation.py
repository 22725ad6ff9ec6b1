"""Permutation of matched judgements: do people rate two systems differently on the same items?

Under the null hypothesis it does not matter which system's output got which of two matched ratings, so the sign of
each difference is a fair coin. p is the share of the 2^m sign patterns with a mean difference at least as far out as
the observed one (Fisher 1935, chapter 3). It is found exactly wherever that is possible, and then conservative (p is
discrete, so the chance of p ≤ α under the null is at most α):

* by convolution, where the differences are multiples of one number: ratings on a scale, or means of a few of them.
  Thousands of items take milliseconds, because the distribution of their sum has few steps;
* by enumeration in two halves for up to 40 differences of any size (Horowitz and Sahni 1974);
* otherwise by Monte Carlo, (c + 1) / (trials + 1) with c of `trials` random patterns at least as far out: approximate
  randomisation (Noreen 1989), valid too (Phipson and Smyth 2010).

Exact values equal `scipy.stats.permutation_test(permutation_type="samples")`. What is flipped together is the unit of
the claim: `unit="items"` generalises to other items (several judges' ratings of one item flip as one);
`unit="judgements"` asks only whether these very outputs are judged alike, and rejects more often than the claim
"system A is better" on other items allows; `blocks` flips whole documents.

Whether a share differs between groups that meet in the same units: groups are relabelled within each unit.

`counts[u, g]` of `totals[u, g]` cases of group g in unit u have something. Under the null hypothesis the groups of a
unit can change places, with all their cases; the statistic is the sum over groups of n·(share − overall share)². A unit
is what is drawn anew in another study (an item), so that what its cases have in common makes nothing look certain.
p = (c + 1) / (trials + 1) by Monte Carlo (Noreen 1989; Phipson and Smyth 2010).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.options import DEFAULT_SEED
from nlgauge.results import Result
from nlgauge.stats import limits
from nlgauge.stats.draws import Resampler, cluster_codes
from nlgauge.stats.judged import Pairing, Unit, item_means, judged_items, matched_sides
from nlgauge.stats.resample import ROUNDING, intervals
from nlgauge.stats.results import PairedTest
from nlgauge.wording.numbers import exact_p

Alternative = Literal["two-sided", "greater", "less"]
Method = Literal["auto", "exact", "monte-carlo"]

ENUMERABLE = 40  # two halves of 2^20 sums each
TABLE = 200_000_000  # additions of a convolution: about half a second
# Denominators that means of ratings have (up to ten judges a side) or that decimal ratings have.
DENOMINATORS = (*range(1, 61), 63, 70, 72, 80, 84, 90, 100, 120, 180, 210, 420, 840, 1000, 2520, 10_000)


@dataclass(frozen=True)
class Permutation(Result):
    """The p-value of a sign-flip test; `trials` is 0 where it is exact. `units` counts the signs that matter."""

    KEYS = "..., exact"

    estimate: float
    p: float
    method: str
    n: int
    units: int
    trials: int
    seed: int | None
    alternative: str
    ties: int = 0

    @property
    def exact(self) -> bool:
        """Whether all sign patterns were counted."""
        return self.trials == 0

    def __str__(self) -> str:
        how = self.method if self.exact else f"{self.method}, {self.trials:,} trials"
        return f"mean difference {self.estimate:.4g} ({how}, n = {self.n:,}, p = {exact_p(self.p)})"


def sign_flip_test(
    differences: Sequence[float] | Array,
    *,
    blocks: Sequence[Hashable] | None = None,
    alternative: Alternative = "two-sided",
    method: Method = "auto",
    trials: int = 10_000,
    seed: int = DEFAULT_SEED,
) -> Permutation:
    """Whether the mean of matched differences is zero; differences of one block change sign together.

    Args:
        differences: one for each item
        blocks: a label for each item, where whole blocks change sign
        alternative: two-sided, greater or less
        method: exact, monte-carlo, or auto: exact where that is feasible
        trials: random draws
        seed: of the random draws

    >>> from nlgauge.stats import sign_flip_test
    >>> sign_flip_test([1, 1, 0, 2, 1]).p
    0.125
    """
    values = np.asarray(differences, dtype=np.float64)
    if values.ndim != 1 or not len(values) or not np.all(np.isfinite(values)):
        raise InputError("a sign-flip test needs a list of finite differences, at least one")
    if alternative not in ("two-sided", "greater", "less"):
        raise InputError(f"the alternative must be two-sided, greater or less; got {alternative!r}")
    if method not in ("auto", "exact", "monte-carlo"):
        raise InputError(f"the method must be auto, exact or monte-carlo; got {method!r}")
    units = values
    if blocks is not None:
        codes = cluster_codes(blocks, len(values))
        units = np.bincount(codes, weights=values).astype(np.float64)
    tiny = ROUNDING * float(np.abs(values).max())
    units = units[np.abs(units) > tiny]  # a zero has no sign
    facts: dict[str, Any] = {
        "estimate": float(values.mean()),
        "n": len(values),
        "units": len(units),
        "alternative": alternative,
    }
    if method != "monte-carlo":
        found = _exact(units, alternative)
        if found is not None:
            name = "exact permutation of matched judgements"
            return Permutation(p=found, method=name, trials=0, seed=None, **facts)
        if method == "exact":
            raise InputError(
                f"{len(units):,} differences without a common step are too many to count all sign patterns "
                f"(at most {ENUMERABLE}); use the Monte Carlo test"
            )
    p, ties = _monte_carlo(units, alternative, trials, seed)
    return Permutation(p=p, ties=ties, method="approximate randomisation", trials=trials, seed=seed, **facts)


def _exact(units: Array, alternative: Alternative) -> float | None:
    """The exact p-value, or None where it cannot be had."""
    if not len(units):
        return 1.0
    steps = _steps(units)
    if steps is not None and len(steps) * (int(np.abs(steps).sum()) + 1) <= TABLE:
        return _by_convolution(steps, alternative)
    return _by_halves(units, alternative) if len(units) <= ENUMERABLE else None


def _steps(units: Array) -> NDArray[np.int64] | None:
    """The values (none of them 0) as whole numbers of a common step; None where there is no such step.

    The step is one over a denominator, or that part of the smallest value: what unit ratings are in does not matter.
    """
    for values in (units, units / float(np.abs(units).min())):
        for denominator in DENOMINATORS:
            scaled = values * denominator
            if not float(np.abs(scaled).max()) <= 2**31:
                break
            whole = np.rint(scaled)
            # Sums of a few means are good to 1e-13; real numbers this near to a grid do not exist in practice. No step
            # is 0, so that this is a relative bound too: values far below the step are not taken for 0.
            if np.all(whole != 0) and np.all(np.abs(scaled - whole) <= 1e-9):
                steps = whole.astype(np.int64)
                return np.asarray(steps // max(1, int(np.gcd.reduce(np.abs(steps)))))
    return None


def _by_convolution(steps: NDArray[np.int64], alternative: Alternative) -> float:
    """The chance that the sum of the values with random signs is as far out as the observed one."""
    sizes = np.abs(steps)
    total = int(sizes.sum())
    chances = np.zeros(total + 1)  # of the sum of the sizes whose sign is +
    chances[0] = 1.0
    reach = 0
    for size in np.sort(sizes).tolist():
        # In place from the top: what was at s goes half to s and half to s + size.
        moved = 0.5 * chances[: reach + 1]
        chances[: reach + 1] = moved
        chances[size : reach + size + 1] += moved
        reach += size
    signed = 2 * np.arange(total + 1) - total
    observed = int(steps.sum())
    if alternative == "two-sided":
        counted = np.abs(signed) >= abs(observed)
    else:
        counted = signed >= observed if alternative == "greater" else signed <= observed
    # The observed pattern itself always counts, so p is never 0, even where it is too small for a float.
    return min(1.0, max(float(chances[counted].sum()), 0.5 ** min(len(steps), 1000), sys.float_info.min))


def _by_halves(units: Array, alternative: Alternative) -> float:
    """The same by listing the sums of each half of the values and counting the pairs that reach far enough."""
    middle = len(units) // 2
    first, second = _signed_sums(units[:middle]), np.sort(_signed_sums(units[middle:]))
    rounding = ROUNDING * float(np.abs(units).sum())
    observed = float(units.sum())
    bound = (abs(observed) if alternative == "two-sided" else observed) - rounding

    def at_least(limit: float) -> int:
        return int((len(second) - np.searchsorted(second, limit - first, side="left")).sum())

    if alternative == "greater":
        count = at_least(bound)
    elif alternative == "less":
        count = int(np.searchsorted(second, observed + rounding - first, side="right").sum())
    else:
        # The patterns come in mirrored pairs, so the lower tail is as large as the upper one.
        count = 2 * at_least(bound) if bound > 0 else 2 ** len(units)
    return float(min(1.0, math.ldexp(count, -len(units))))


def _signed_sums(values: Array) -> Array:
    sums = np.zeros(1)
    for value in values.tolist():
        sums = np.concatenate([sums + value, sums - value])
    return sums


def _monte_carlo(units: Array, alternative: Alternative, trials: int, seed: int) -> tuple[float, int]:
    if trials < 1:
        raise InputError(f"resampling needs at least 1 trial; got {trials}")
    if len(units) < 2:  # one sign: both patterns are known
        return (1.0 if alternative == "two-sided" or not len(units) else _exact(units, alternative) or 1.0), 0
    chosen = Resampler(len(units), trials=trials, seed=seed, kind="randomisation").sums([units[:, None]])[0]
    total = float(units.sum())
    drawn = 2 * chosen[:, 0] - total
    rounding = ROUNDING * float(np.abs(units).sum())
    if alternative == "two-sided":
        drawn, observed = np.abs(drawn), abs(total)
    else:
        sign = 1 if alternative == "greater" else -1
        drawn, observed = sign * drawn, sign * total
    count = int(np.count_nonzero(drawn >= observed - rounding))
    ties = int(np.count_nonzero(np.abs(drawn - observed) <= rounding))
    return (count + 1) / (trials + 1), ties


def compare_judgements(
    system: Array,
    baseline: Array,
    *,
    unit: Unit = "items",
    pairing: Pairing = "items",
    blocks: Sequence[Hashable] | None = None,
    method: Method = "auto",
    trials: int = 10_000,
    interval: limits.Kind = "percentile",
    interval_trials: int = 1000,
    level: float = 0.95,
    seed: int = DEFAULT_SEED,
) -> PairedTest:
    """The difference between two systems' mean ratings on the items that both were judged on.

    Each of `system` and `baseline` is (items,) or (items, judges), NaN where there is no judgement. The means are
    means over items of each item's mean, whoever judged it; `pairing="judges"` takes only judges (columns) who judged
    both outputs, so that a severe judge weighs on both sides alike. `blocks`, one label per item, flips and draws
    whole blocks. `trials` of the result is 0 where p is exact.

    Args:
        system: ratings of a system
        baseline: ratings of the other, of the same items
        unit: what changes sides: items or judgements
        pairing: items or judges
        blocks: a label for each item, where whole blocks change sides
        method: exact, monte-carlo, or auto: exact where that is feasible
        trials: random draws
        interval: percentile or bca
        interval_trials: random draws of the interval
        level: the confidence of the limits
        seed: of the random draws

    >>> from nlgauge.stats import compare_judgements
    >>> import numpy as np
    >>> found = compare_judgements(np.array([4, 5, 3, 4, 5]), np.array([3, 4, 3, 2, 4]))
    >>> round(found.delta, 3), found.p
    (1.0, 0.125)
    """
    a, b = matched_sides(system, baseline, pairing, unit)
    shared = judged_items(a) & judged_items(b)
    items = int(np.count_nonzero(shared))
    if items < 2:
        raise InputError(
            f"a paired test needs several items, but only {items} of {len(shared):,} were judged for both systems"
        )
    notes = []
    if items < len(shared):
        notes.append(f"{len(shared) - items:,} of {len(shared):,} items lack judgements of one of the two")
    a, b = a[shared], b[shared]
    uneven = bool(np.any(np.isfinite(a).sum(axis=1) != np.isfinite(b).sum(axis=1)))
    labels = None
    if blocks is not None:
        cluster_codes(blocks, len(shared))  # refuses labels that do not fit
        labels = [label for label, kept in zip(blocks, shared.tolist(), strict=True) if kept]
    means_a, means_b = item_means(a), item_means(b)
    differences = flipped = means_a - means_b
    groups = labels
    if unit == "judgements":
        counts = np.isfinite(a).sum(axis=1, keepdims=True)
        parts = (a - b) / counts
        present = np.isfinite(parts)
        flipped = parts[present]
        groups = None if labels is None else [labels[row] for row in np.nonzero(present)[0].tolist()]
    flips = sign_flip_test(flipped, blocks=groups, method=method, trials=trials, seed=seed)
    if uneven:
        counted = "" if flips.trials else "all permutations are counted (exact), but "
        notes.append(
            f"some items have more judgements of one system than of the other: {counted}the permutations are equally "
            "likely only approximately, and so p is approximate"
        )
    if np.allclose(means_a, means_b, rtol=0, atol=1e-12):
        notes.append("the two have the same mean rating on every item")
    name, rows = "the difference", np.stack([differences, np.ones_like(differences)], axis=1)
    bounds = intervals(
        {name: rows},
        {name: lambda totals: totals[..., 0] / totals[..., 1]},
        trials=interval_trials,
        seed=seed,
        level=level,
        interval=interval,
        clusters=labels,
    )[name]
    return PairedTest(
        value=float(means_a.mean()),
        baseline_value=float(means_b.mean()),
        delta=float(differences.mean()),
        low=bounds.low,
        high=bounds.high,
        level=level,
        p=flips.p,
        method=flips.method + (f" over {flips.units:,} blocks" if labels is not None else ""),
        n=items,
        trials=flips.trials,
        interval_trials=interval_trials,
        seed=seed,
        ties=flips.ties,
        notes=(*notes, *bounds.notes),
        interval_method=limits.KINDS[interval],
        error=bounds.error,
        units=bounds.units,
    )


TRIALS = 9_999
MOST = 20_000_000  # random numbers: about two seconds
CHUNK = 1_000_000


def relabelling_test(counts: Array, totals: Array, *, trials: int = TRIALS, seed: int = DEFAULT_SEED) -> float | None:
    """The p-value; None where no relabelling changes anything, so that nothing can be told.

    >>> counts = np.array([[1.0, 0.0]] * 6)
    >>> relabelling_test(counts, np.ones((6, 2)), seed=1) < 0.05  # exact: 2 / 64
    True
    """
    present = totals > 0
    several = present.sum(axis=1) > 1
    if not (several.any() and _changes(counts[several], totals[several], present[several])):
        return None
    rng = np.random.default_rng(seed)
    trials = max(999, min(trials, MOST // counts.size))
    observed = float(_statistic(counts.sum(axis=0), totals.sum(axis=0)))
    target = np.argsort(~present, axis=1, kind="stable")  # the columns of a unit's groups, then the empty ones
    both = np.stack([counts, totals])
    reached = 0
    size = max(1, CHUNK // counts.size)
    for start in range(0, trials, size):
        keys = rng.random((min(size, trials - start), *counts.shape))
        keys[:, ~present] = np.inf
        order = np.argsort(keys, axis=2)
        sums = np.zeros((2, len(keys), counts.shape[1]))
        for unit in range(len(counts)):
            sums[:, :, target[unit]] += both[:, unit][:, order[:, unit]]
        drawn = _statistic(sums[0], sums[1])
        reached += int(np.count_nonzero(drawn >= observed - ROUNDING * max(1.0, observed)))
    return (reached + 1) / (trials + 1)


def _changes(counts: Array, totals: Array, present: NDArray[np.bool_]) -> bool:
    """Whether two groups of some unit differ."""
    for values in (counts, totals):
        low = np.where(present, values, np.inf).min(axis=1)
        high = np.where(present, values, -np.inf).max(axis=1)
        if (high > low).any():
            return True
    return False


def _statistic(counts: Array, totals: Array) -> Array:
    overall = counts.sum(axis=-1, keepdims=True) / totals.sum(axis=-1, keepdims=True)
    shares = counts / np.where(totals > 0, totals, 1)
    found: Array = (totals * (shares - overall) ** 2).sum(axis=-1)
    return found
