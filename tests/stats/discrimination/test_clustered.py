"""Texts as clusters: equal to plain sums by hand, and holding its level where the plain test does not."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import binom, t

from nlgauge.errors import InputError
from nlgauge.stats.discrimination.clustered import clustered


def by_hand(y: list[int], units: list[tuple[int, ...]], degrees: int, risk: float) -> tuple[float, float]:
    """Design effect and effective number, pair by pair."""
    n = len(y)
    pairs = {k: [] for k in range(4)}  # type: dict[int, list[int]]
    for i, j in permutations(range(n), 2):
        pairs[len(set(units[i]) & set(units[j]))].append(y[i] * y[j])
    base = float(np.mean(pairs[0]))
    extra = sum(sum(value - base for value in pairs[k]) for k in (1, 2, 3))
    p = sum(y) / n
    effect = max(1.0, 1 + extra / (p * (1 - p) * n))
    return effect, n / effect * (t.ppf(1 - risk, n - 1) / t.ppf(1 - risk, degrees)) ** 2


def test_the_figures_are_those_of_a_sum_over_pairs() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        units = [tuple(int(k) for k in rng.choice(9, 3, replace=False)) for _ in range(30)]
        y = [int(k) for k in rng.integers(0, 2, 30)]
        found = clustered(y, units, risk=0.1)
        degrees = min(len({k for row in units for k in row}), len({frozenset(row) for row in units})) - 1
        effect, effective = by_hand(y, units, degrees, 0.1)
        assert found.degrees == degrees
        assert found.design_effect == pytest.approx(effect)
        assert found.effective == pytest.approx(effective)


def test_with_texts_of_their_own_and_many_of_them_it_is_nearly_the_exact_test() -> None:
    y = [1] * 120 + [0] * 180
    found = clustered(y, [(3 * k, 3 * k + 1, 3 * k + 2) for k in range(300)])
    assert found.design_effect == 1
    assert found.effective == pytest.approx(300)
    assert found.p_value == pytest.approx(float(binom.sf(119, 300, 1 / 3)))


@pytest.mark.parametrize("goal", ["difference", "similarity"])
def test_never_more_lenient_than_the_exact_test_and_the_limit_agrees_with_the_conclusion(goal: str) -> None:
    rng = np.random.default_rng(8)
    for _ in range(200):
        n, inputs = int(rng.integers(10, 60)), int(rng.integers(8, 20))
        units = [tuple(rng.choice(inputs, 3, replace=False).tolist()) for _ in range(n)]
        y = (rng.random(n) < rng.uniform(0.1, 0.9)).astype(int)
        found = clustered(y, units, goal=goal, risk=0.1, p_d=0.4)
        x = int(y.sum())
        exact = binom.sf(x - 1, n, 1 / 3) if goal == "difference" else binom.cdf(x, n, 1 / 3 + 0.4 * 2 / 3)
        assert found.p_value >= exact * (1 - 1e-9)
        assert found.effective <= n
        if goal == "difference" and found.concluded:
            assert found.p_d.low > 0
        if goal == "similarity":
            assert found.concluded == (found.p_d.high <= 0.4)


def test_all_or_none_correct() -> None:
    units = [(3 * k, 3 * k + 1, 3 * k + 2) for k in range(20)]
    assert clustered([1] * 20, units).p_d.high == 1
    none = clustered([0] * 20, units)
    assert (none.p_value, none.concluded, none.p_d.low) == (1.0, False, 0.0)
    assert clustered([1] * 20, units, goal="similarity", p_d=0.3).p_value == 1
    assert math.isinf(clustered([1] * 20, units).d_prime.high)


def test_refusals() -> None:
    with pytest.raises(InputError, match="every two answers share a text"):
        clustered([1, 0, 1], [(1, 2, 3)] * 3)
    with pytest.raises(InputError, match="as many sets"):
        clustered([1, 0], [(1, 2, 3)])
    with pytest.raises(InputError, match="correct \\(1\\) and wrong \\(0\\)"):
        clustered([1, 2], [(1, 2, 3), (4, 5, 6)])
    with pytest.raises(InputError, match="same number of units"):
        clustered([1, 0], [(1, 2, 3), (4, 5)])


def triangles(rng: np.random.Generator, places: np.ndarray) -> np.ndarray:
    """Which of three texts is picked: the one outside the closest pair, each place perceived with noise."""
    seen = places + rng.normal(size=places.shape)
    apart = [((seen[:, a] - seen[:, b]) ** 2).sum(-1) for a, b in ((1, 2), (0, 2), (0, 1))]
    return np.argmin(np.stack(apart, axis=1), axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("trios", [4, 8])
def test_level_where_every_judge_answers_one_of_a_few_fixed_trios(trios: int) -> None:
    """Texts differ by themselves, not by author: the plain test calls that a difference, the clustered one does not."""
    rng = np.random.default_rng(trios)
    studies, n = 600, 98
    plain = fair = 0
    for _ in range(studies):
        texts = rng.normal(size=(trios, 3, 2)) * 2.0
        group = rng.permutation(np.arange(n) % trios)
        y = triangles(rng, texts[group]) == 0
        found = clustered(y, [(3 * g, 3 * g + 1, 3 * g + 2) for g in group])
        plain += binom.sf(y.sum() - 1, n, 1 / 3) <= 0.05
        fair += found.concluded
    # 600 studies: at a true rate of 0.05 the count exceeds 46 in fewer than 1 of 1000 runs
    assert plain / studies > 0.15
    assert fair <= binom.ppf(0.999, studies, 0.05)
