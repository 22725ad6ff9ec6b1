"""Shares of groups that meet in the same units: exact values of small tables, and the rate of false alarms."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from nlgauge.arrays import Array
from nlgauge.stats.permutation import relabelling_test


def exact(counts: Array, totals: Array) -> float:
    """By every relabelling of every unit."""

    def statistic(order: tuple[tuple[int, ...], ...]) -> float:
        c = sum(row[list(one)] for row, one in zip(counts, order, strict=True))
        n = sum(row[list(one)] for row, one in zip(totals, order, strict=True))
        return float((n * (c / n - c.sum() / n.sum()) ** 2).sum())

    groups = range(counts.shape[1])
    every = [statistic(order) for order in product(permutations(groups), repeat=len(counts))]
    observed = statistic(tuple(tuple(groups) for _ in counts))
    return float(np.mean([one >= observed - 1e-9 for one in every]))


@pytest.mark.parametrize("seed", range(6))
def test_p_is_the_share_of_all_relabellings(seed: int) -> None:
    rng = np.random.default_rng(seed)
    totals = rng.integers(1, 4, (4, 3)).astype(float)
    counts = rng.binomial(totals.astype(int), 0.4).astype(float)
    assert relabelling_test(counts, totals) == pytest.approx(exact(counts, totals), abs=0.02)


def test_one_unit_proves_nothing_however_many_cases_it_has() -> None:
    counts, totals = np.zeros((20, 2)), np.full((20, 2), 10.0)
    counts[0, 0] = 10
    assert relabelling_test(counts, totals) == 1.0
    counts[:, 0] = 3
    found = relabelling_test(counts, totals)
    assert found is not None and found < 0.001


def test_nothing_is_told_where_no_relabelling_changes_anything() -> None:
    same = np.array([[1.0, 1.0], [0.0, 0.0]])
    assert relabelling_test(same, np.ones((2, 2))) is None  # every screen showed both
    assert relabelling_test(np.eye(2), np.eye(2)) is None  # no unit has two groups


def test_false_alarms_are_as_rare_as_they_should_be() -> None:
    rng = np.random.default_rng(1)
    found = []
    for seed in range(200):  # items differ in how hard they are, texts of an item too, systems do not
        hard = np.clip(rng.beta(0.5, 4, (30, 1)) + rng.normal(0, 0.1, (30, 3)), 0, 1)
        totals = rng.integers(1, 4, (30, 3))
        p = relabelling_test(rng.binomial(totals, hard).astype(float), totals.astype(float), trials=999, seed=seed)
        found.append(p is not None and p < 0.05)
    assert np.mean(found) < 0.1  # 0.05 and three standard errors
