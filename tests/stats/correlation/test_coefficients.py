"""Coefficients: live against scipy, with ties and missing values; resampled and batched forms against the plain one."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from nlgauge.errors import InputError
from nlgauge.stats.correlation import STATISTICS, kendall_b, pearson
from nlgauge.stats.correlation.coefficients import kendall_counts, mean_ranks

SCIPY = {
    "pearson": lambda x, y: stats.pearsonr(x, y)[0],
    "spearman": lambda x, y: stats.spearmanr(x, y)[0],
    "kendall-b": lambda x, y: stats.kendalltau(x, y, variant="b")[0],
    "kendall-c": lambda x, y: stats.kendalltau(x, y, variant="c")[0],
}


def scipy_value(name: str, x: Any, y: Any) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # constant input: scipy warns and returns NaN
        return float(SCIPY[name](x, y))


@pytest.mark.parametrize("name", SCIPY)
@pytest.mark.parametrize("levels", [2, 3, 7, 1000])
def test_equals_scipy_on_random_scores_with_ties_and_gaps(name: str, levels: int) -> None:
    generator = np.random.default_rng(levels)
    for n in [2, 3, 5, 10, 40, 300]:
        for _ in range(6 if n < 100 else 2):
            x = generator.integers(levels, size=n) / 7
            y = x + generator.integers(4, size=n) * 0.3
            x[generator.random(n) < 0.1] = np.nan
            y[generator.random(n) < 0.1] = np.nan
            present = ~(np.isnan(x) | np.isnan(y))
            if present.sum() < 2:
                assert math.isnan(STATISTICS[name](x, y))
                continue
            expected = scipy_value(name, x[present], y[present])
            assert STATISTICS[name](x, y) == pytest.approx(expected, abs=1e-12, nan_ok=True)


scores = st.lists(st.tuples(st.integers(-3, 3), st.one_of(st.none(), st.integers(0, 4))), min_size=2, max_size=25)


@settings(max_examples=40, deadline=None)
@given(scores, st.sampled_from(sorted(SCIPY)))
def test_equals_scipy_on_any_small_scores(pairs: list[tuple[int, int | None]], name: str) -> None:
    complete = [(x, y) for x, y in pairs if y is not None]
    got = STATISTICS[name]([x for x, _ in pairs], [y for _, y in pairs])
    if len(complete) < 2:
        assert math.isnan(got)
        return
    assert got == pytest.approx(scipy_value(name, *zip(*complete, strict=True)), abs=1e-8, nan_ok=True)


@pytest.mark.parametrize("name", SCIPY)
@pytest.mark.parametrize(
    ("x", "y"), [([1, 1, 1], [1, 2, 3]), ([0.1] * 7, range(7)), ([1, 2], [5, 5]), ([1], [1]), ([], [])]
)
def test_constant_or_short_vectors_have_no_correlation(name: str, x: list[float], y: list[float]) -> None:
    assert math.isnan(STATISTICS[name](x, y))


@pytest.mark.parametrize("name", SCIPY)
def test_perfect_order(name: str) -> None:
    x = np.arange(50.0)
    assert STATISTICS[name](x, 3 * x + 1) == pytest.approx(1, abs=1e-12)
    assert STATISTICS[name](x, -x) == pytest.approx(-1, abs=1e-12)


def test_offsets_do_not_matter() -> None:
    generator = np.random.default_rng(3)
    x, y = generator.normal(size=(2, 200))
    assert pearson(x + 1e9, y - 1e7) == pytest.approx(pearson(x, y), abs=1e-6)


def test_counts_of_pairs() -> None:
    # By hand: (1,1) (1,2) (2,2) (3,1). Pairs in x order: tie x; con; tie y; tie y; dis; dis.
    counts = kendall_counts([1, 1, 2, 3], [1, 2, 2, 1])
    assert counts.total[0] == 6
    assert counts.concordant[0] == 1
    assert counts.discordant[0] == 2
    assert (counts.x_ties[0], counts.y_ties[0], counts.both[0]) == (1, 2, 0)


def test_long_vectors() -> None:
    generator = np.random.default_rng(8)
    x = generator.normal(size=100_000)
    y = np.round(x + generator.normal(size=100_000), 1)
    assert kendall_b(x, y) == pytest.approx(stats.kendalltau(x, y)[0], abs=1e-12)


@pytest.mark.parametrize("name", SCIPY)
def test_resampled_and_batched_forms_are_the_plain_one(name: str) -> None:
    generator = np.random.default_rng(11)
    for n in (4, 30, 90):
        x, y = generator.integers(5, size=n) * 1.0, generator.integers(4, size=n) * 0.5
        drawn = generator.integers(n, size=(25, n))
        counts = np.stack([np.bincount(draw, minlength=n) for draw in drawn]).astype(np.float64)
        plain = [STATISTICS[name](x[draw], y[draw]) for draw in drawn]
        np.testing.assert_allclose(STATISTICS[name].weighted(x, y, counts), plain, rtol=0, atol=1e-12)
        np.testing.assert_allclose(STATISTICS[name].batch(x[drawn], y[drawn]), plain, rtol=0, atol=1e-12)
        stacked = STATISTICS[name].batch(x[drawn].reshape(5, 5, n), y[drawn[0]])
        assert stacked.shape == (5, 5)


def test_mean_ranks_are_scipys() -> None:
    x = np.random.default_rng(0).integers(4, size=(6, 9)) * 1.0
    np.testing.assert_array_equal(mean_ranks(x), stats.rankdata(x, axis=-1))


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [
        ([1, 2], [1, 2, 3], "equally long"),
        ([[1, 2]], [1, 2], "flat list"),
        ([1, math.inf], [1, 2], "infinite"),
        (["a", "b"], [1, 2], "must be numbers"),
    ],
)
def test_refusals(x: Any, y: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        pearson(x, y)


# Belz and Reiter 2006, Table 2, the five generators (the corpus texts are not among them), and Table 3.
TABLE_2 = {
    "experts": [0.762, 0.716, 0.622, 0.536, 0.484],
    "non-experts": [0.77, 0.68, 0.714, 0.65, 0.496],
    "nist": [5.985, 6.549, 5.833, 5.592, 4.287],
    "bleu": [0.552, 0.613, 0.478, 0.519, 0.296],
    "rouge": [0.192, 0.315, 0.156, 0.223, 0.075],
    "se": [0.582, 0.673, 0.571, 0.626, 0.464],
}
TABLE_3 = {
    ("experts", "non-experts"): 0.845,
    ("experts", "nist"): 0.825,
    ("experts", "bleu"): 0.791,
    ("experts", "rouge"): 0.606,
    ("experts", "se"): 0.576,
    ("non-experts", "nist"): 0.836,
    ("non-experts", "bleu"): 0.812,
    ("non-experts", "rouge"): 0.534,
    ("non-experts", "se"): 0.627,
    ("nist", "bleu"): 0.973,
    ("nist", "rouge"): 0.884,
    ("nist", "se"): 0.911,
    ("bleu", "rouge"): 0.925,
    ("bleu", "se"): 0.949,
    ("rouge", "se"): 0.974,
}


@pytest.mark.parametrize(
    ("pair", "published"),
    TABLE_3.items(),
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_pearson_matrix_of_belz_and_reiter(pair: tuple[str, str], published: float) -> None:
    # The scores in print are rounded, so the third digit may differ by one.
    assert pearson(TABLE_2[pair[0]], TABLE_2[pair[1]]) == pytest.approx(published, abs=0.0016)
