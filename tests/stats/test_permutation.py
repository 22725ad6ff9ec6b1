"""Permutation of matched judgements: all patterns counted by three roads, scipy's beside ours, error rates."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import scipy.stats

from nlgauge.errors import InputError
from nlgauge.stats import compare_judgements, sign_flip_test
from nlgauge.stats.permutation import _by_convolution, _by_halves, _steps

ALTERNATIVES: list[Any] = ["two-sided", "greater", "less"]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [2, 3, 7, 11])
@pytest.mark.parametrize("kind", ["scale", "thirds", "real"])
def test_exact_p_is_scipys(kind: str, n: int, alternative: Any) -> None:
    generator = np.random.default_rng(n)
    if kind == "scale":
        a, b = (generator.integers(1, 6, size=n).astype(float) for _ in range(2))
    elif kind == "thirds":
        a, b = (generator.integers(1, 6, size=(n, 3)).mean(axis=1) for _ in range(2))
    else:
        a, b = (generator.normal(size=n) for _ in range(2))
    theirs = scipy.stats.permutation_test(
        (a, b),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        alternative=alternative,
        n_resamples=np.inf,
        vectorized=True,
    )
    mine = sign_flip_test(a - b, alternative=alternative)
    assert mine.p == pytest.approx(theirs.pvalue, abs=1e-12)
    assert mine.exact and mine.trials == 0 and mine.estimate == pytest.approx(np.mean(a - b))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_roads_agree(alternative: Any) -> None:
    for seed in range(20):
        units = np.random.default_rng(seed).integers(-9, 12, size=14) / 6
        units = units[units != 0]
        steps = _steps(units)
        assert steps is not None
        counted = _by_convolution(steps, alternative)
        assert counted == pytest.approx(_by_halves(units, alternative), abs=1e-12)
        trials = sign_flip_test(units, alternative=alternative, method="monte-carlo", trials=20_000).p
        assert trials == pytest.approx(counted, abs=4 * np.sqrt(counted * (1 - counted) / 20_000) + 1e-4)


def test_by_hand() -> None:
    assert sign_flip_test([1, 1, 1, 1, 1]).p == 2 / 32  # all five favour one side: 2 of 32 patterns
    assert sign_flip_test([1, 1, 1, 1, 1], alternative="greater").p == 1 / 32
    assert sign_flip_test([1, 1, 1, 1, 1], alternative="less").p == 1
    assert sign_flip_test([3.0]).p == 1 and sign_flip_test([0.0, 0.0]).p == 1
    assert sign_flip_test([0.0, 2.0, 0.0, 2.0]).units == 2  # zeros have no sign
    assert sign_flip_test([1, -1, 2, 2], blocks=["x", "x", "y", "y"]).p == 1  # one block left: ±4


def test_many_items_are_still_exact_and_never_zero() -> None:
    differences = np.random.default_rng(0).integers(-12, 14, size=5000) / 6
    found = sign_flip_test(differences)
    z = abs(differences.sum()) / np.sqrt((differences**2).sum())
    assert found.exact and found.p == pytest.approx(2 * scipy.stats.norm.sf(z), rel=0.1)
    sure = sign_flip_test(np.ones(3000))
    assert 0 < sure.p < 1e-300
    large = np.random.default_rng(1).normal(size=41)
    assert sign_flip_test(large).trials == 10_000
    with pytest.raises(InputError, match="at most 40"):
        sign_flip_test(large, method="exact")
    assert sign_flip_test(large[:40], method="exact").exact


def test_monte_carlo_p_counts_the_observed_pattern() -> None:
    found = sign_flip_test(np.full(60, 1.5), method="monte-carlo", trials=199)
    assert found.p == 1 / 200
    assert "199 trials" in str(found) and found.to_dict()["exact"] is False
    assert sign_flip_test([2.0], method="monte-carlo").p == 1


def test_refusals() -> None:
    for bad in ([], [1.0, np.nan], [[1.0]]):
        with pytest.raises(InputError, match="finite differences"):
            sign_flip_test(bad)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="alternative"):
        sign_flip_test([1.0], alternative="more")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="several items"):
        compare_judgements(np.array([1.0, np.nan]), np.array([1.0, 2.0]))
    with pytest.raises(InputError, match="same items"):
        compare_judgements(np.ones((3, 2)), np.ones((4, 2)))
    with pytest.raises(InputError, match="same judges"):
        compare_judgements(np.ones((3, 2)), np.ones((3, 1)), pairing="judges")
    with pytest.raises(InputError, match="infinite"):
        compare_judgements(np.array([1.0, np.inf]), np.array([1.0, 2.0]))


def test_ratings_with_gaps() -> None:
    a = np.array([[4.0, 5, np.nan], [3, np.nan, np.nan], [5, 5, 5], [np.nan] * 3, [2, 2, 2]])
    b = np.array([[3.0, np.nan, np.nan], [3, 4, np.nan], [4, 4, 4], [1, 1, 1], [1, 2, 3]])
    found = compare_judgements(a, b)
    means = [4.5 - 3, 3 - 3.5, 1, 0]
    assert found.n == 4 and found.delta == pytest.approx(np.mean(means))
    assert found.value == pytest.approx((4.5 + 3 + 5 + 2) / 4)
    patterns = np.array(list(itertools.product((-1, 1), repeat=4))) @ means
    assert found.p == np.mean(np.abs(patterns) >= abs(sum(means)) - 1e-12)
    assert found.trials == 0 and "n = 4" in str(found)
    assert any("lack judgements" in note for note in found.notes)
    (note,) = (note for note in found.notes if "more judgements of one system" in note)
    assert ("all permutations are counted (exact), but" in note) == found.method.startswith("exact")
    paired = compare_judgements(a, b, pairing="judges")
    assert paired.delta == pytest.approx(np.mean([1, 0, 1, 0]))
    single = compare_judgements(a, b, unit="judgements")
    assert single.delta == paired.delta and single.p > 0


def test_a_system_against_itself() -> None:
    ratings = np.random.default_rng(2).integers(1, 6, size=(20, 3)).astype(float)
    found = compare_judgements(ratings, ratings)
    assert found.p == 1 and found.delta == 0 and any("same mean rating" in note for note in found.notes)


def test_exact_tests_err_at_most_alpha() -> None:
    # 3,000 studies without a difference; two standard errors of 5 % are 0.8 %.
    generator = np.random.default_rng(7)
    for n in (6, 12, 30):
        rejected = 0
        for _ in range(1000):
            differences = generator.integers(1, 6, size=n) - generator.integers(1, 6, size=n)
            rejected += sign_flip_test(differences.astype(float)).p <= 0.05
        assert rejected / 1000 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 1000)


@pytest.mark.slow
def test_blocks_keep_the_level_that_single_items_lose() -> None:
    generator = np.random.default_rng(8)
    labels = np.repeat(np.arange(12), 8).tolist()
    rejected = {"items": 0, "blocks": 0}
    for _ in range(500):
        values = np.repeat(generator.normal(size=12), 8) + generator.normal(size=96)
        values = np.round(values, 1)
        rejected["items"] += sign_flip_test(values).p <= 0.05
        rejected["blocks"] += sign_flip_test(values, blocks=labels).p <= 0.05
    assert rejected["blocks"] / 500 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 500)
    assert rejected["items"] / 500 > 0.3


@pytest.mark.parametrize("unit", [1e-300, 1e-10, 3e-10, 0.7, 1e10])
def test_the_unit_of_the_ratings_does_not_matter(unit: float) -> None:
    assert sign_flip_test([unit] * 10).p == 2 / 1024
    assert sign_flip_test([unit * value for value in (1, 2, 1, 3, 2, 1)]).p == 0.03125
    many = [unit * value for value in (1, -2, 3, 4, 5) * 30]  # too many to list: only a common step makes it exact
    assert sign_flip_test(many).p == pytest.approx(sign_flip_test([1.0, -2.0, 3.0, 4.0, 5.0] * 30).p)
