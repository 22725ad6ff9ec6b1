"""Wilcoxon's tests against scipy, and clusters of systems."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats.mixed import linear_mixed
from nlgauge.stats.ranking import cluster_systems, clusters_of
from nlgauge.stats.ranks import rank_sum, signed_rank


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_equal_to_scipy_without_ties(alternative: str) -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    for size in (5, 12, 25):
        d, a, b = rng.normal(0.3, 1, size), rng.normal(0.4, 1, size), rng.normal(size=size + 3)
        ours = signed_rank(d, alternative)  # type: ignore[arg-type]
        assert ours.p == pytest.approx(stats.wilcoxon(d, alternative=alternative, mode="exact").pvalue, rel=1e-9)
        exact = stats.mannwhitneyu(a, b, alternative=alternative, method="exact")
        found = rank_sum(a, b, alternative)  # type: ignore[arg-type]
        assert (found.p, found.statistic) == pytest.approx((exact.pvalue, exact.statistic), rel=1e-9)


def test_ties_are_counted_exactly() -> None:
    d = np.array([1.0, 1, 1, -1, 2, 3, -2, 1])
    ranks = np.array([3.0, 3, 3, 3, 6.5, 8, 6.5, 3])
    sums = [float(np.array(signs) @ ranks) for signs in itertools.product([0, 1], repeat=8)]
    observed = float(ranks[d > 0].sum())
    expected = np.mean([one >= observed - 1e-9 for one in sums])
    assert signed_rank(d, "greater").p == pytest.approx(float(expected))
    a, b = np.array([1.0, 2, 2, 3]), np.array([2.0, 3, 3, 4, 4])
    pooled = np.array([1.0, 3, 3, 6, 3, 6, 6, 8.5, 8.5])
    subsets = [float(pooled[list(k)].sum()) for k in itertools.combinations(range(9), 4)]
    share = np.mean([one <= pooled[:4].sum() + 1e-9 for one in subsets])
    assert rank_sum(a, b, "less").p == pytest.approx(float(share))


def test_large_rank_sum_is_scipys_approximation() -> None:
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(1)
    a, b = rng.integers(1, 6, 80).astype(float), rng.integers(2, 7, 90).astype(float)
    theirs = stats.mannwhitneyu(a, b, method="asymptotic").pvalue
    assert rank_sum(a, b).p == pytest.approx(theirs, rel=1e-9)


def test_no_difference_and_bad_input() -> None:
    assert signed_rank(np.zeros(5)).p == 1
    with pytest.raises(InputError, match="finite"):
        signed_rank(np.array([1.0, np.nan]))
    with pytest.raises(InputError, match="two systems"):
        cluster_systems({"A": [1.0, 2.0]})
    with pytest.raises(InputError, match="as many scores"):
        cluster_systems({"A": [1.0, 2.0], "B": [1.0]})
    with pytest.raises(InputError, match="share no item"):
        cluster_systems({"A": [1.0, np.nan], "B": [np.nan, 1.0]})


def test_a_line_needs_every_system_above_to_beat_every_one_below() -> None:
    """A beats C and D, B beats D only: no line between B and C, one above D."""
    p = np.full((4, 4), 0.5)
    for better, worse in (("A", "C"), ("A", "D"), ("B", "D"), ("C", "D")):
        p["ABCD".index(better), "ABCD".index(worse)] = p["ABCD".index(worse), "ABCD".index(better)] = 0.001
    found = clusters_of("ABCD", [4, 3, 2, 1], p, method="by hand")
    assert found.groups == (("A", "B", "C"), ("D",))
    ranks = {one.system: (one.rank_low, one.rank_high) for one in found.systems}
    assert ranks == {"A": (1, 2), "B": (1, 3), "C": (2, 3), "D": (4, 4)}
    assert "A, B, C > D" in str(found)


@pytest.mark.parametrize("test", ["signed-rank", "rank-sum", "randomisation"])
def test_clear_differences_are_found(test: str) -> None:
    rng = np.random.default_rng(2)
    item = rng.normal(size=60)
    scores = {
        "good": item + 2 + 0.3 * rng.normal(size=60),
        "also good": item + 2.02 + 0.3 * rng.normal(size=60),
        "bad": item + 0.3 * rng.normal(size=60),
    }
    found = cluster_systems(scores, test=test)  # type: ignore[arg-type]
    assert [set(group) for group in found.groups] == [{"good", "also good"}, {"bad"}]
    assert found.to_dict()["p"][0][0] is None


def test_false_clusters_are_rare() -> None:
    """With Holm's correction, equal systems are split in at most about 5 % of studies."""
    rng = np.random.default_rng(3)
    split = sum(
        len(cluster_systems({k: rng.integers(1, 6, 30).astype(float) for k in "ABC"}).groups) > 1 for _ in range(200)
    )
    assert split <= 20  # 10 expected at most; the standard error is 3


def test_clusters_from_a_mixed_model() -> None:
    rng = np.random.default_rng(4)
    s, j, i = (a.ravel() for a in np.indices((3, 6, 12)))
    y = np.array([0.0, 0.05, 2.0])[s] + rng.normal(size=6)[j] + rng.normal(size=12)[i] + rng.normal(size=len(s))
    fit = linear_mixed(y, [f"s{k}" for k in s], {"judge": j, "item": i})
    found = clusters_of(fit.systems, fit.beta, fit.p_table(), method="mixed model")
    assert [set(group) for group in found.groups] == [{"s2"}, {"s0", "s1"}]
