"""Data that belong together: clusters, nested levels, items crossed with judges; coverage with fixed seeds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats import (
    approximate_randomisation,
    bootstrap,
    cluster_sums,
    crossed_bootstrap,
    nested_bootstrap,
    paired_tests,
)
from nlgauge.stats.hierarchy import nested_weights


def mean(totals: np.ndarray) -> np.ndarray:
    return totals[..., 0] / totals[..., 1]


def valued(values: np.ndarray) -> np.ndarray:
    return np.column_stack([values, np.ones(len(values))])


def clustered(generator: np.random.Generator, groups: int, size: int) -> np.ndarray:
    """A third of the variance lies between the clusters."""
    shared = np.repeat(generator.normal(size=groups), size) * np.sqrt(0.5)
    return shared + generator.normal(size=groups * size)


def test_cluster_sums_by_hand() -> None:
    rows = np.array([[1.0, 1], [2, 1], [4, 1], [8, 1]])
    np.testing.assert_array_equal(cluster_sums(rows, ["b", "a", "b", "a"]), [[5, 2], [10, 2]])


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["a", "b"], "one cluster label per segment"),
        (["a", "a", "a"], "one cluster"),
        (["a", None, "b"], "no cluster label"),
        (["a", float("nan"), "b"], "no cluster label"),
    ],
)
def test_labels_that_cannot_serve(labels: list[object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        bootstrap(valued(np.arange(3.0)), mean, clusters=labels)  # type: ignore[arg-type]


def test_singletons_are_the_ordinary_bootstrap_and_test() -> None:
    generator = np.random.default_rng(1)
    a, b = valued(generator.normal(size=30)), valued(generator.normal(size=30))
    labels = list(range(30))
    plain, single = bootstrap(a, mean, seed=2), bootstrap(a, mean, seed=2, clusters=labels)
    assert (plain.low, plain.high) == (single.low, single.high)
    tests = [approximate_randomisation(a, b, mean, trials=500, clusters=blocks) for blocks in (None, labels)]
    assert tests[0].p == tests[1].p and tests[1].n == 30 and "30 clusters" in tests[1].method


def test_swapping_clusters_counts_all_swaps() -> None:
    generator = np.random.default_rng(4)
    a, b = generator.normal(0.6, 1, size=12), generator.normal(size=12)
    labels = [0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 4, 5]
    sums = cluster_sums(valued(a - b), labels)[:, 0]
    patterns = np.array(list(itertools.product((-1, 1), repeat=6)))
    exact = np.mean(np.abs(patterns @ sums) >= abs(sums.sum()) - 1e-12)
    found = paired_tests(
        {"a": valued(a), "b": valued(b)},
        {"a": mean, "b": mean},
        [("a", "b")],
        clusters=labels,
        trials=20_000,
    )["a", "b"]
    assert found.p == pytest.approx(exact, abs=4 * np.sqrt(exact / 20_000))


def test_nested_weights_keep_the_sizes() -> None:
    top = np.array([0, 0, 0, 1, 1, 2])
    middle = np.array([0, 0, 1, 2, 2, 3])
    weights = nested_weights([top, middle], 4000, np.random.default_rng(0))
    assert weights.shape == (4000, 6)
    np.testing.assert_allclose(weights.mean(axis=0), 1, atol=0.12)
    # A unit drawn c times passes on c times its number of parts: two parts of the first one.
    parts = weights[:, :2].sum(axis=1) / 2 + weights[:, 2]
    assert np.all(np.isclose(parts % 1, 0) | (weights[:, :2].sum(axis=1) % 2 == 1))
    assert np.all(weights[:, 5] == np.rint(weights[:, 5]))


def test_nested_bootstrap_is_wider_than_the_cluster_one_and_reports_its_levels() -> None:
    values = clustered(np.random.default_rng(2), 20, 5)
    documents = np.repeat(np.arange(20), 5).tolist()
    nested = nested_bootstrap(valued(values), mean, [documents], trials=2000)
    whole = bootstrap(valued(values), mean, clusters=documents, trials=2000)
    assert nested.high - nested.low > whole.high - whole.low
    assert nested.estimate == pytest.approx(values.mean()) and "20 units at the top" in nested.method
    # The variance of two-stage draws: that of the clusters' means plus the mean variance within, each over its number.
    groups = values.reshape(20, 5)
    expected = groups.mean(axis=1).var() / 20 + groups.var(axis=1).mean() / 100
    drawn = nested_weights([np.repeat(np.arange(20), 5)], 20_000, np.random.default_rng(1)) @ values / 100
    assert drawn.var() == pytest.approx(expected, rel=0.05)
    three = nested_bootstrap(valued(values), mean, [documents, [k % 2 for k in range(100)]], interval="bca")
    assert three.low < three.estimate < three.high and "3 levels" in three.method


def test_crossed_bootstrap_variance_is_owens() -> None:
    # Owen 2007: without missing values the bootstrap variance of the mean is that of rows plus that of columns plus
    # the residual's, here checked against the sums of squares of the table itself.
    generator = np.random.default_rng(3)
    table = generator.normal(size=(30, 1)) + generator.normal(size=(1, 12)) + generator.normal(size=(30, 12))
    found = crossed_bootstrap(table, trials=20_000, level=0.6827)
    rows, columns = table.mean(axis=1).var() / 30, table.mean(axis=0).var() / 12
    residual = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    expected = rows + columns + residual.var() / 360
    assert ((found.high - found.low) / 2) ** 2 == pytest.approx(expected, rel=0.06)
    assert found.estimate == pytest.approx(table.mean())


def test_crossed_bootstrap_with_gaps_and_refusals() -> None:
    table = np.array([[1.0, 2, np.nan], [3, np.nan, np.nan], [np.nan, 4, 5], [np.nan] * 3])
    found = crossed_bootstrap(table, trials=300)
    assert found.n == 3 and found.estimate == pytest.approx((1.5 + 3 + 4.5) / 3)
    assert found.undefined > 0 and any("3 judges" in note for note in found.notes)
    with pytest.raises(InputError, match="at least 2 of each"):
        crossed_bootstrap(table[:, :1])
    with pytest.raises(InputError, match="two dimensions"):
        crossed_bootstrap(table[:, 0])
    with pytest.raises(InputError, match="at least one level"):
        nested_bootstrap(valued(np.arange(4.0)), mean, [])
    with pytest.raises(InputError, match="every level"):
        nested_bootstrap(valued(np.arange(4.0)), mean, [[1, 1, 2, 2], [1, 2]])


@pytest.mark.slow
def test_coverage_with_and_without_regard_to_clusters() -> None:
    # 300 runs: a true 95 % lies within 95 ± 2.5 % (two standard errors). 50 clusters of 10.
    generator = np.random.default_rng(11)
    labels = np.repeat(np.arange(50), 10).tolist()
    hits = {"ordinary": 0, "cluster": 0, "bca": 0}
    for run in range(300):
        rows = valued(clustered(generator, 50, 10))
        found = {
            "ordinary": bootstrap(rows, mean, trials=400, seed=run),
            "cluster": bootstrap(rows, mean, trials=400, seed=run, clusters=labels),
            "bca": bootstrap(rows, mean, trials=400, seed=run, clusters=labels, interval="bca"),
        }
        for name, interval in found.items():
            hits[name] += interval.low <= 0 <= interval.high
    assert hits["ordinary"] / 300 < 0.75  # as docs/resampling.md shows: far too narrow
    assert 0.915 <= hits["cluster"] / 300 <= 0.975
    assert 0.915 <= hits["bca"] / 300 <= 0.975


@pytest.mark.slow
def test_coverage_of_bca_and_percentile_on_skewed_values() -> None:
    generator = np.random.default_rng(12)
    hits = {"percentile": 0, "bca": 0}
    for run in range(400):
        rows = valued(generator.exponential(size=100))
        for kind in ("percentile", "bca"):
            found = bootstrap(rows, mean, seed=run, interval=kind)  # type: ignore[arg-type]
            hits[kind] += found.low <= 1 <= found.high
    assert all(0.92 <= count / 400 <= 0.975 for count in hits.values()), hits
