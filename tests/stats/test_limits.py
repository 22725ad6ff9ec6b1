"""BCa limits beside scipy's, on the same draws; degenerate draws."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from nlgauge.errors import InputError
from nlgauge.stats import bootstrap, intervals, paired_tests
from nlgauge.stats.draws import cluster_sums
from nlgauge.stats.limits import bca_levels, bca_limits, one_sided, percentile_limits


def mean(totals: np.ndarray) -> np.ndarray:
    return totals[..., 0] / totals[..., 1]


def valued(values: np.ndarray) -> np.ndarray:
    return np.column_stack([values, np.ones(len(values))])


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("seed", range(4))
def test_bca_limits_are_scipys_for_its_draws(seed: int, level: float) -> None:
    generator = np.random.default_rng(seed)
    values = generator.exponential(size=25) if seed % 2 else np.round(generator.normal(3, 1, size=40))
    theirs = scipy.stats.bootstrap(
        (values,), np.mean, n_resamples=1500, method="BCa", confidence_level=level, rng=generator
    )
    drawn, n = theirs.bootstrap_distribution, len(values)
    low, high, _ = bca_limits(drawn, values.mean(), (values.sum() - values) / (n - 1), level)
    assert low == pytest.approx(theirs.confidence_interval.low, abs=1e-8)
    assert high == pytest.approx(theirs.confidence_interval.high, abs=1e-8)
    plain = scipy.stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=0,
        method="percentile",
        bootstrap_result=theirs,
        confidence_level=level,
    ).confidence_interval
    # Order statistics here, interpolation there: at most one draw apart.
    ordered = np.sort(drawn)
    for mine, its in zip(percentile_limits(drawn, level), (plain.low, plain.high), strict=True):
        assert abs(int(np.searchsorted(ordered, mine)) - int(np.searchsorted(ordered, its))) <= 1 or mine == its


def test_bca_of_a_skewed_statistic_with_scipy() -> None:
    values = np.random.default_rng(8).lognormal(size=30)
    theirs = scipy.stats.bootstrap((values,), np.var, n_resamples=2000, method="BCa", rng=np.random.default_rng(1))
    left_out = np.array([np.var(np.delete(values, place)) for place in range(30)])
    low, high, _ = bca_limits(theirs.bootstrap_distribution, np.var(values), left_out, 0.95)
    assert (low, high) == pytest.approx(tuple(theirs.confidence_interval), abs=1e-8)


def test_levels_by_hand() -> None:
    # Half of the draws below, no skewness: the percentile levels.
    drawn = np.arange(1001.0) - 500
    levels = bca_levels(drawn, 0.0, np.array([-1.0, 0.0, 1.0]), 0.95)
    assert (levels.bias_correction, levels.acceleration) == (pytest.approx(0, abs=1e-12), 0)
    assert (levels.low, levels.high) == (pytest.approx(0.025), pytest.approx(0.975))
    # a = Σd³ / 6 (Σd²)^1.5 with d = mean − left out: (−2, 1, 1) gives −6 / (6 · 6^1.5).
    levels = bca_levels(drawn, 0.0, np.array([2.0, -1.0, -1.0]), 0.95)
    assert levels.acceleration == pytest.approx(-1 / 6**1.5)


def test_bca_of_clusters_leaves_whole_clusters_out() -> None:
    generator = np.random.default_rng(3)
    values, labels = generator.exponential(size=60), np.repeat(np.arange(15), 4).tolist()
    found = bootstrap(valued(values), mean, interval="bca", clusters=labels, seed=4)
    sums = cluster_sums(valued(values), labels)
    again = bootstrap(sums, mean, interval="bca", seed=4)
    assert (found.low, found.high) == (again.low, again.high)
    assert found.n == 60 and "15 clusters" in found.method and "BCa" in str(found)


def test_bca_of_a_difference() -> None:
    generator = np.random.default_rng(5)
    a, b = (valued(generator.exponential(size=50)) for _ in range(2))
    rows, scores = {"a": a, "b": b}, {"a": mean, "b": mean}
    found = paired_tests(rows, scores, [("a", "b")], interval="bca", trials=100)["a", "b"]
    alone = bootstrap(valued(a[:, 0] - b[:, 0]), mean, interval="bca")
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high), abs=1e-9)
    assert found.interval_method == "BCa bootstrap"


def test_degenerate_draws() -> None:
    constant = bootstrap(valued(np.full(10, 3.0)), mean, interval="bca")
    assert (constant.low, constant.high) == (3.0, 3.0)
    with pytest.raises(InputError, match="one side"):
        bca_levels(np.array([1.0, 2.0, 3.0]), 5.0, np.array([1.0, 2.0]), 0.95)
    with pytest.raises(InputError, match="undefined without"):
        bca_levels(np.array([1.0, 2.0]), 1.5, np.array([1.0, np.nan]), 0.95)
    with pytest.raises(InputError, match="percentile or bca"):
        bootstrap(valued(np.arange(5.0)), mean, interval="basic")  # type: ignore[arg-type]
    # Far outside the draws: said, not hidden.
    values = np.random.default_rng(0).pareto(1.0, size=8)
    found = bootstrap(valued(values), mean, interval="bca", trials=40, level=0.99)
    assert any("outermost draw" in note for note in found.notes)


def test_an_interval_that_leaves_its_estimate_out_says_so() -> None:
    assert one_sided(0.5, 0.4, 0.6) == ()
    assert one_sided(0.3, 0.3 + 1e-17, 0.3 + 1e-17) == ()
    (note,) = one_sided(0.7, 0.4, 0.6)
    assert "leaves its own estimate out" in note
    assert one_sided(0.3, 0.4, 0.6) == (note,)


def test_biased_draws_of_a_score_are_noted_and_unbiased_ones_are_not() -> None:
    rows = np.stack([np.arange(1.0, 41.0), np.ones(40)], axis=1)

    def mean(totals: np.ndarray) -> np.ndarray:
        return totals[..., 0] / totals[..., 1]

    def most(totals: np.ndarray) -> np.ndarray:
        """Above every draw at the data themselves, whose sum is 820."""
        return np.where(totals[..., 0] == 820, 5.0, 1.0 + 1e-6 * totals[..., 0])

    plain = intervals({"a": rows}, {"a": mean}, trials=200, seed=1)["a"]
    biased = intervals({"a": rows}, {"a": most}, trials=200, seed=1)["a"]
    assert plain.notes == ()
    assert any("leaves its own estimate out" in note for note in biased.notes)
