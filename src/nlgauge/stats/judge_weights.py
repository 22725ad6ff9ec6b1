"""Judges weighted by how precise they are, or have been, and systems' means with these weights.

`precision_weights` takes rating = item + judge's level + noise with a variance for each judge. The variance of the
difference of two judges is the sum of theirs, from which they are solved for (Grubbs 1948; here by weighted
least squares over all pairs). A judge's weight is one over that variance, shrunk towards the common one as few ratings
deserve.
`record_weights` come from past answers with a known truth: the log odds of being right, which is how independent
votes are best added up (Nitzan and Paroush 1982; Dawid and Skene's model for two classes).
`aggregate.agreement_weights` weights by correlation with the others.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.stats.agreement.intervals import quantile_t
from nlgauge.stats.agreement.ratings import Ratings, require_pairs
from nlgauge.stats.mixed.design import factor
from nlgauge.stats.results import Estimate

ROUNDS = 5
PRIOR = 4.0  # ratings' worth of the common variance in each judge's
LEAST = 0.05  # of the common variance: differences can make an estimate negative


def precision_weights(values: Any) -> Array:
    """Weights of the judges of a table of items × judges, that add up to 1: one over the residual variance."""
    ratings = require_pairs(Ratings.of(values))
    if ratings.judges < 3:
        raise InputError(
            f"weights by precision need at least three judges; there are {ratings.judges}: two cannot tell who "
            "is at fault"
        )
    table = ratings.values()
    given = ~np.isnan(table)
    size = ratings.judges
    spread, common = np.zeros((size, size)), np.zeros((size, size))
    for first, second in combinations(range(size), 2):
        both = given[:, first] & given[:, second]
        count = int(np.count_nonzero(both))
        if count >= 3:
            variance = float(np.var(table[both, first] - table[both, second], ddof=1))
            spread[first, second] = spread[second, first] = variance
            common[first, second] = common[second, first] = count - 1
    if not common.any():
        raise InputError("no two judges share three items, so that their precision cannot be told")
    usual = float((common * spread).sum() / common.sum()) / 2
    if usual == 0:
        return np.full(size, 1.0 / size)
    raw, parts = np.full(size, usual), common
    for _ in range(ROUNDS):  # a pair's variance is as uncertain as it is large
        matrix = parts + np.diag(parts.sum(axis=1))
        raw = np.maximum(np.linalg.lstsq(matrix, (parts * spread).sum(axis=1), rcond=None)[0], LEAST * usual)
        parts = common / (raw[:, None] + raw[None, :]) ** 2
    own = given.sum(axis=0)
    shrunk = (own * raw + PRIOR * usual) / (own + PRIOR)
    return np.asarray((1.0 / shrunk) / (1.0 / shrunk).sum())


def record_weights(right: Mapping[str, int], asked: Mapping[str, int], *, guess: float = 0.5) -> dict[str, float]:
    """Weights from past performance: log odds of a right answer, less that of guessing, 0 where not above it.

    One right and one wrong answer are added to each record, so that a short perfect one does not weigh without bound.
    """
    if not 0 < guess < 1:
        raise InputError(f"the chance of guessing right must lie between 0 and 1; got {guess}")
    base = math.log(guess / (1 - guess))
    out = {}
    for judge, total in asked.items():
        hits = right.get(judge, 0)
        if not 0 <= hits <= total:
            raise InputError(f"judge {judge!r} has {hits} right answers of {total}; expected from 0 to {total}")
        share = (hits + 1) / (total + 2)
        out[judge] = max(0.0, math.log(share / (1 - share)) - base)
    if out and not any(out.values()):
        raise InputError("no judge did better than guessing, so that records give no weights; use plain means")
    return out


def weighted_system_means(
    ratings: Sequence[float] | Array,
    systems: Sequence[Hashable],
    items: Sequence[Hashable],
    judges: Sequence[Hashable],
    weights: Mapping[str, float],
    *,
    level: float = 0.95,
) -> dict[str, Estimate]:
    """The mean of each system with judges' weights; limits treat items as clusters (t with items - 1 degrees)."""
    values = np.asarray(ratings, dtype=np.float64)
    n = len(values)
    which, item, who = factor("system", systems, n), factor("item", items, n), factor("judge", judges, n)
    lost = [name for name in who.levels if name not in weights]
    if lost:
        raise InputError(f"judge {lost[0]!r} has no weight; give one to every judge")
    own = np.array([float(weights[name]) for name in who.levels])
    if not np.all(np.isfinite(own)) or own.min() < 0:
        raise InputError("weights must be finite and from 0 up")
    weight = own[who.codes]
    out = {}
    for k, name in enumerate(which.levels):
        rows = which.codes == k
        total = float(weight[rows].sum())
        if total <= 0:
            raise InputError(f"system {name!r} was rated only by judges of weight 0, so that it has no mean")
        mean = float(weight[rows] @ values[rows]) / total
        sums = np.bincount(item.codes[rows], weights=weight[rows] * (values[rows] - mean), minlength=len(item))
        used = len(np.unique(item.codes[rows][weight[rows] > 0]))
        if used < 2:
            out[name] = Estimate(mean, level=level, n=int(rows.sum()), name=name, notes=("one item has no limits",))
            continue
        error = math.sqrt(float(sums @ sums) * used / (used - 1)) / total
        margin = quantile_t(0.5 + level / 2, used - 1) * error
        method = f"weighted mean, {used} items as clusters"
        out[name] = Estimate(mean, mean - margin, mean + margin, level, method, int(rows.sum()), name=name)
    return out
