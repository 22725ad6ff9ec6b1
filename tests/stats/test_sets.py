"""Leaving out and swapping for scores of a set: on means, where the answers are known, and on distinct words."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from nlgauge.errors import InputError
from nlgauge.stats import approximate_randomisation, jackknife
from nlgauge.stats.sets import deal, leave_out, score_of_all, set_interval, set_test, tosses

Array = NDArray[np.float64]


class Mean:
    """The mean of the chosen values: a set score that adds up, so that the additive functions are its oracle."""

    def __init__(self, values: Array) -> None:
        self.values = values

    @property
    def size(self) -> int:
        return len(self.values)

    def scores(self, chosen: NDArray[np.bool_]) -> Array:
        with np.errstate(invalid="ignore"):
            return (chosen @ self.values) / chosen.sum(axis=1)

    def left_out(self, codes: NDArray[np.intp], groups: int) -> Array:
        return leave_out(self, codes, groups)


def mean_score(totals: Array) -> Array:
    return totals[..., 0] / totals[..., 1]


def rows(values: Array) -> Array:
    return np.stack([values, np.ones(len(values))], axis=1)


def test_coins_are_those_of_numpy_for_the_same_seed() -> None:
    for n, trials in ((5, 200), (64, 64), (101, 130)):
        ours = np.concatenate(list(tosses(n, trials, 9)))
        assert np.array_equal(ours, np.random.default_rng(9).integers(0, 2, size=(trials, n), dtype=bool))


def test_one_coin_falls_for_each_cluster() -> None:
    units = np.array([0, 1, 0, 2, 1])
    drawn = np.concatenate(list(tosses(5, 100, 1, units)))
    assert np.array_equal(drawn[:, 0], drawn[:, 2]) and np.array_equal(drawn[:, 1], drawn[:, 4])
    assert not np.array_equal(drawn[:, 0], drawn[:, 3])


def test_the_jackknife_of_a_mean_is_the_ordinary_standard_error() -> None:
    values = np.random.default_rng(1).normal(size=150)
    found = set_interval(Mean(values))
    assert found.standard_error == pytest.approx(jackknife(rows(values), mean_score).standard_error)
    assert found.standard_error == pytest.approx(values.std(ddof=1) / np.sqrt(150))
    reach = 1.976013177679155 * found.standard_error  # Student's t, 149 degrees of freedom
    assert (found.low, found.high) == pytest.approx((values.mean() - reach, values.mean() + reach))
    assert found.method == "jackknife over 150 items"
    assert set_interval(Mean(values), bounds=(0.0, 0.01)).high <= 0.01


def test_many_items_are_left_out_in_groups_of_equal_size() -> None:
    codes, groups = deal(1003, 100, 5)
    sizes = np.bincount(codes)
    assert groups == 100 and len(sizes) == 100 and set(sizes) == {10, 11}
    assert np.array_equal(codes, deal(1003, 100, 5)[0]) and not np.array_equal(codes, deal(1003, 100, 6)[0])
    labels = ["a", "b"] * 5
    assert deal(10, 100, 1, labels)[0].tolist() == [0, 1] * 5
    with pytest.raises(InputError, match="at least 2"):
        deal(1, 100, 1)


def test_randomisation_recomputed_equals_that_of_sums() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.2, 1, 80), rng.normal(0, 1, 80)
    ours = set_test(Mean(np.concatenate([a, b])), Mean(a), Mean(b), trials=1000, seed=3)
    theirs = approximate_randomisation(rows(a), rows(b), mean_score, trials=1000, seed=3)
    assert (ours.p, ours.delta) == pytest.approx((theirs.p, theirs.delta))
    labels = [number // 4 for number in range(80)]
    ours = set_test(Mean(np.concatenate([a, b])), Mean(a), Mean(b), trials=1000, seed=3, clusters=labels)
    theirs = approximate_randomisation(rows(a), rows(b), mean_score, trials=1000, seed=3, clusters=labels)
    assert ours.p == pytest.approx(theirs.p)
    assert ours.interval_method == "jackknife over 20 clusters"


def test_what_is_undefined_is_refused() -> None:
    with pytest.raises(InputError, match="undefined"):
        set_interval(Mean(np.array([np.nan, 1.0])))
    assert np.isnan(score_of_all(Mean(np.array([np.nan, 1.0]))))
    with pytest.raises(InputError, match="same items"):
        set_test(Mean(np.ones(5)), Mean(np.ones(2)), Mean(np.ones(2)))


class Types:
    """Different values by values."""

    def __init__(self, values: NDArray[np.int64]) -> None:
        self.values = values

    @property
    def size(self) -> int:
        return len(self.values)

    def scores(self, chosen: NDArray[np.bool_]) -> Array:
        return np.array([len(np.unique(self.values[row])) / row.sum() for row in chosen])

    def left_out(self, codes: NDArray[np.intp], groups: int) -> Array:
        return leave_out(self, codes, groups)


def test_the_jackknife_covers_what_the_bootstrap_misses() -> None:
    """Types by tokens of 80 words: 150 sets, nominal 95 %; at least 90 % leaves four binomial standard errors."""
    rng = np.random.default_rng(4)
    weights = 1 / np.arange(1, 201)
    sets = rng.choice(200, size=(150, 80), p=weights / weights.sum())
    values = np.array([len(np.unique(one)) / 80 for one in sets])
    truth = values.mean()
    found = [set_interval(Types(one)) for one in sets]
    assert np.mean([one.low <= truth <= one.high for one in found]) >= 0.9
    drawn = [[len(np.unique(one[rng.integers(0, 80, 80)])) / 80 for _ in range(200)] for one in sets[:30]]
    limits = np.quantile(drawn, [0.025, 0.975], axis=1)
    assert np.mean((limits[0] <= truth) & (truth <= limits[1])) < 0.2
