"""Whether a share differs between groups that meet in the same units: groups are relabelled within each unit.

`counts[u, g]` of `totals[u, g]` cases of group g in unit u have something. Under the null hypothesis the groups of a
unit can change places, with all their cases; the statistic is the sum over groups of n·(share − overall share)². A unit
is what is drawn anew in another study (an item), so that what its cases have in common makes nothing look certain.
p = (c + 1) / (trials + 1) by Monte Carlo (Noreen 1989; Phipson and Smyth 2010).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.stats.resample import ROUNDING, SEED

TRIALS = 9_999
MOST = 20_000_000  # random numbers: about two seconds
CHUNK = 1_000_000


def relabelling_test(counts: Array, totals: Array, *, trials: int = TRIALS, seed: int = SEED) -> float | None:
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
