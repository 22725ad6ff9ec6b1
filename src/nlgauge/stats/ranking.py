"""Systems in clusters, all of one above all of the next by a test, as the WMT shared tasks rank them.

Systems are put in the order of their means. A line is drawn between two neighbours where *every* system above it beats
*every* system below it; what lies between lines is a cluster, in which some systems may still beat others. A
system's range of ranks goes from 1 + the number of systems that beat it to the number of systems less those it beats.
WMT's own tables use one-sided rank-sum tests at 0.05 without correction; the default here is two-sided with Holm's
correction over all pairs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.options import DEFAULT_SEED
from nlgauge.stats.multiple import benjamini_hochberg, holm
from nlgauge.stats.permutation import sign_flip_test
from nlgauge.stats.ranks import rank_sum, signed_rank

Test = Literal["signed-rank", "rank-sum", "randomisation"]
Correction = Literal["holm", "bh", "none"]
TESTS = {
    "signed-rank": "Wilcoxon's signed-rank test",
    "rank-sum": "Wilcoxon's rank-sum test",
    "randomisation": "approximate randomisation (exact where all signs can be counted)",
}
CORRECTIONS = {"holm": "Holm's correction", "bh": "Benjamini and Hochberg's correction", "none": "no correction"}


@dataclass(frozen=True)
class RankedSystem:
    """A system, its mean, cluster (from 1) and range of ranks; `beats` are those it is significantly better than."""

    system: str
    mean: float
    n: int
    cluster: int
    rank_low: int
    rank_high: int
    beats: tuple[str, ...]


@dataclass(frozen=True)
class Clusters(Jsonable):
    """Systems from best to worst; `p` holds the corrected p-values in this order (NaN on the diagonal)."""

    systems: tuple[RankedSystem, ...]
    p: Array
    alpha: float
    method: str
    notes: tuple[str, ...] = ()

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The clusters, best first."""
        last = max(system.cluster for system in self.systems)
        return tuple(tuple(system.system for system in self.systems if system.cluster == k) for k in range(1, last + 1))

    def __str__(self) -> str:
        shown = " > ".join(", ".join(group) for group in self.groups)
        words = "cluster" if len(self.groups) == 1 else "clusters"
        sentence = f"{len(self.groups)} {words} at {self.alpha:g}: {shown} ({self.method})"
        return "; note: ".join((sentence, *self.notes))


def cluster_systems(
    scores: Mapping[str, Sequence[float] | Array],
    *,
    test: Test = "signed-rank",
    correction: Correction = "holm",
    one_sided: bool = False,
    alpha: float = 0.05,
    trials: int = 10_000,
    seed: int = DEFAULT_SEED,
) -> Clusters:
    """Cluster systems by their scores.

    For the signed-rank and randomisation tests the scores of two systems are matched by place (items, NaN where one has
    none); the rank-sum test takes samples of any sizes. Scores should be one an item: several judges' ratings of one
    output are not independent, so average them first.
    """
    if test not in TESTS:
        raise InputError(f"the test must be one of {', '.join(TESTS)}; got {test!r}")
    values = {name: np.asarray(row, dtype=np.float64) for name, row in scores.items()}
    if len(values) < 2:
        raise InputError("clusters need at least two systems")
    if test != "rank-sum" and len({len(row) for row in values.values()}) > 1:
        raise InputError(f"{TESTS[test]} matches items: every system needs as many scores (NaN for gaps)")
    means = {name: _mean(name, row) for name, row in values.items()}
    order = sorted(values, key=lambda name: -means[name])
    pairs = [(a, b) for a in range(len(order)) for b in range(a + 1, len(order))]
    alternative, side = ("greater", "one-sided") if one_sided else ("two-sided", "two-sided")
    raw = [_p(values[order[a]], values[order[b]], test, alternative, trials, seed) for a, b in pairs]
    method = f"{TESTS[test]}, {side}, {CORRECTIONS.get(correction, correction)}"
    table = np.full((len(order), len(order)), math.nan)
    for (a, b), p in zip(pairs, _corrected(raw, correction), strict=True):
        table[a, b] = table[b, a] = p
    sizes = {name: int(np.count_nonzero(~np.isnan(row))) for name, row in values.items()}
    return clusters_of(order, [means[name] for name in order], table, alpha=alpha, method=method, sizes=sizes)


def clusters_of(
    systems: Sequence[str],
    means: Sequence[float] | Array,
    p: Array,
    *,
    alpha: float = 0.05,
    method: str,
    sizes: Mapping[str, int] | None = None,
) -> Clusters:
    """Clusters from means and a table of p-values that exist already, as a mixed model's `p_table()`."""
    if not 0 < alpha < 1:
        raise InputError(f"alpha must lie between 0 and 1; got {alpha}")
    order = sorted(range(len(systems)), key=lambda k: -float(means[k]))
    table = np.asarray(p, dtype=np.float64)[np.ix_(order, order)]
    wins = np.triu(table < alpha, 1)  # NaN compares false
    size = len(order)
    ranked = []
    cluster = 1
    for k in range(size):
        if k and wins[:k, k:].all():
            cluster += 1
        name = systems[order[k]]
        ranked.append(
            RankedSystem(
                system=name,
                mean=float(means[order[k]]),
                n=(sizes or {}).get(name, 0),
                cluster=cluster,
                rank_low=1 + int(wins[:, k].sum()),
                rank_high=size - int(wins[k].sum()),
                beats=tuple(systems[order[m]] for m in range(size) if wins[k, m]),
            )
        )
    return Clusters(tuple(ranked), table, alpha, method)


def _p(a: Array, b: Array, test: Test, alternative: Any, trials: int, seed: int) -> float:
    if test == "rank-sum":
        return rank_sum(a[~np.isnan(a)], b[~np.isnan(b)], alternative).p
    both = ~np.isnan(a) & ~np.isnan(b)
    if not both.any():
        raise InputError("two systems share no item; use the rank-sum test, which does not match items")
    difference = a[both] - b[both]
    if test == "signed-rank":
        return signed_rank(difference, alternative).p
    return sign_flip_test(difference, alternative=alternative, trials=trials, seed=seed).p


def _corrected(p: Sequence[float], correction: Correction) -> Array:
    if correction not in CORRECTIONS:
        raise InputError(f"the correction must be one of {', '.join(CORRECTIONS)}; got {correction!r}")
    if correction == "holm":
        return holm(p)
    return benjamini_hochberg(p) if correction == "bh" else np.asarray(p, dtype=np.float64)


def _mean(name: str, row: Array) -> float:
    known = row[~np.isnan(row)]
    if not len(known) or not np.all(np.isfinite(known)):
        raise InputError(f"system {name!r} needs at least one score, and finite ones")
    return float(known.mean())
