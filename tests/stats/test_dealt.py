"""Units dealt to conditions: levels of the tests, limits, and judges' levels beside items and systems."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import permutation_test

from nlgauge.stats import dealt
from nlgauge.stats.dealt import Shift, dealings, differ, shift, swept

TWO = [place % 2 == 1 for place in range(10)]
ONE = ["panel"] * 10


def moved(values: list[float], second: list[bool], strata: list[str], *, seed: int) -> Shift:
    found = shift(values, second, strata, seed=seed)
    assert found is not None
    return found


def test_the_exact_p_is_scipys() -> None:
    values = np.random.default_rng(4).normal(size=10)
    first, second = values[~np.array(TWO)], values[np.array(TWO)]
    expected = permutation_test((second, first), lambda a, b, axis: a.mean(axis) - b.mean(axis), vectorized=True)
    found = moved(values.tolist(), TWO, ONE, seed=1)
    assert found.p == pytest.approx(expected.pvalue)
    assert found.estimate == pytest.approx(expected.statistic)


def test_limits_are_the_shifts_that_the_test_does_not_reject() -> None:
    values = np.random.default_rng(7).normal(size=10)
    found = moved(values.tolist(), TWO, ONE, seed=1)
    for inside, limit in ((1e-6, found.low), (-1e-6, found.high)):
        kept = moved((values - (limit + inside) * np.array(TWO)).tolist(), TWO, ONE, seed=1)
        gone = moved((values - (limit - inside) * np.array(TWO)).tolist(), TWO, ONE, seed=1)
        assert gone.p <= 0.05 < kept.p


def test_three_judges_on_each_side_can_show_nothing_and_four_can() -> None:
    three = moved([0, 0, 0, 9, 9, 9.0], [False] * 3 + [True] * 3, ["p"] * 6, seed=1)
    assert (three.low, three.high, three.detectable) == (-math.inf, math.inf, math.inf)
    assert three.p == pytest.approx(0.1)
    four = moved([0, 0.1, 0.2, 0.3, 9, 9.1, 9.2, 9.3], [False] * 4 + [True] * 4, ["p"] * 8, seed=1)
    assert four.p == pytest.approx(2 / 70) and 8 < four.low < 9 < four.high < 10


def test_dealings_stay_within_their_strata() -> None:
    ways = dealings([0, 1, 0, 1, 0, 1], ["a", "a", "a", "b", "b", "b"], seed=1)
    assert ways.exact and ways.ways == 9
    assert ways.codes[0].tolist() == [0, 1, 0, 1, 0, 1]
    assert len({tuple(row) for row in ways.codes.tolist()}) == 9
    assert set(ways.codes[:, :3].sum(axis=1)) == {1} and set(ways.codes[:, 3:].sum(axis=1)) == {2}


def test_a_stratum_with_higher_numbers_is_no_effect() -> None:
    high = [10.0, 11, 12, 10, 11, 0, 1, 2, 0, 1]
    second = [True, True, True, False, False, False, False, False, True, True]
    found = moved(high, second, ["a"] * 5 + ["b"] * 5, seed=1)
    assert abs(found.estimate) < 1


@pytest.mark.parametrize("units", [10, 16])
def test_without_an_effect_one_test_in_twenty_rejects(units: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exact for 10 units (252 ways); a sample of the ways for 16."""
    monkeypatch.setattr(dealt, "DRAWS", 499)
    monkeypatch.setattr(dealt, "MOST", 300)
    random, codes = np.random.default_rng(3), [place % 2 for place in range(units)]
    ways = dealings(codes, [0] * units, seed=5)
    assert ways.exact == (units == 10)
    found = [differ(random.normal(size=(units, 3)), ways, [0] * units) <= 0.05 for _ in range(1_000)]
    assert 0.03 <= np.mean(found) <= 0.07


def test_a_judge_who_was_dealt_hard_items_is_not_strict() -> None:
    """Three judges of different strictness, of whom each has another half of the items, or all."""
    rows = [
        (judge, system, item, 3 + 0.5 * (judge % 3) + system - 0.3 * item)
        for judge in range(6)
        for item in range(8)
        for system in range(2)
        if judge % 3 == 2 or (item < 4) == (judge % 3 == 0)
    ]
    judges, systems, items, values = (np.array(column) for column in zip(*rows, strict=True))
    levels, profile = swept(values.tolist(), judges, systems, items)
    assert np.diff(levels[:3]) == pytest.approx([0.5, 0.5], abs=1e-6)
    assert profile == pytest.approx(np.zeros((6, 2)), abs=1e-6)


def test_what_one_judge_sees_in_a_system_is_whole() -> None:
    """Nothing of it is lost to the effects of items, of which each judge has a part."""
    random = np.random.default_rng(2)
    rows = []
    for judge in range(12):
        for item in range(12):
            system = (judge + item) % 3
            rows.append((judge, system, item, random.normal(0, 0.01) + (judge % 2) * (system == 1) + 0.3 * item))
    judges, systems, items, values = (np.array(column) for column in zip(*rows, strict=True))
    _, profile = swept(values.tolist(), judges, systems, items)
    moved = profile[1::2].mean(axis=0) - profile[::2].mean(axis=0)
    assert moved == pytest.approx([-1 / 3, 2 / 3, -1 / 3], abs=0.02)


def test_items_of_one_judge_each_leave_the_judges_their_means() -> None:
    levels, profile = swept([1.0, 2, 5, 6], np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0, 1, 2, 3]))
    assert levels == pytest.approx([1.5, 5.5]) and profile.shape == (2, 2)


@pytest.mark.parametrize(
    ("values", "second", "strata"),
    [
        ([], [], []),  # nobody judged the system
        ([1.0, 2, 3], [True] * 3, ["a"] * 3),  # judges of one wording did
        ([1.0, 2, 3, 4], [False, False, True, True], ["a", "a", "b", "b"]),  # each panel read one wording
    ],
)
def test_conditions_that_no_stratum_holds_both_of_have_no_shift(
    values: list[float], second: list[bool], strata: list[str]
) -> None:
    assert shift(values, second, strata, seed=1) is None
