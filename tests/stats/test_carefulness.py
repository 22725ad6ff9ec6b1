"""Checks of single judges: degraded copies, repeats, straight-lining, speed, comprehension."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats.carefulness import (
    comprehension,
    degraded,
    failures_expected,
    longest_run,
    repeats,
    speed,
    spread,
)


def test_degraded_copies_by_hand_and_by_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    original, copy = [80.0, 75, 60, 90, 55, 70], [60.0, 70, 62, 40, 30, 69]
    found = degraded(original, copy)
    difference = np.array(original) - copy
    assert found.p == pytest.approx(stats.wilcoxon(difference, alternative="greater", mode="exact").pvalue)
    assert found.passed is True and found.estimate == pytest.approx(difference.mean())
    sign = degraded(original, copy, test="sign")
    assert sign.p == pytest.approx(stats.binomtest(5, 6, alternative="greater").pvalue)
    assert sign.passed is False
    assert "passes degraded copies" in str(found)


def test_too_few_pairs_cannot_tell() -> None:
    found = degraded([5, 5, 5, 5], [1, 1, 1, 1])
    assert found.passed is None and "show at least 5" in found.notes[0]
    assert degraded([5.0] * 5, [1.0] * 5).passed is True


def test_a_random_judge_passes_at_the_level_of_the_test() -> None:
    rng = np.random.default_rng(0)
    passed = sum(degraded(rng.normal(size=20), rng.normal(size=20)).passed is True for _ in range(400))
    assert passed <= 36  # 20 expected; the standard error is 4.4
    assert failures_expected(400) == 20


def test_repeats() -> None:
    rng = np.random.default_rng(1)
    first = rng.integers(1, 8, 15).astype(float)
    steady = repeats(first, np.clip(first + rng.integers(-1, 2, 15), 1, 7))
    random = repeats(first, rng.permutation(first))
    assert steady.passed is True and steady.p < 0.01
    assert random.passed is False
    assert repeats([1, 2], [1, 2]).passed is None
    same = repeats([3.0] * 8, [3.0] * 8)  # one value throughout shows no consistency
    assert same.p == 1 and same.passed is False


def test_longest_run() -> None:
    rng = np.random.default_rng(2)
    mixed = rng.integers(1, 6, 40).astype(float)
    lined = np.concatenate([mixed[:20], np.full(20, 3.0)])
    assert longest_run(mixed).passed is True
    assert longest_run(lined).passed is False and longest_run(lined).estimate >= 20
    assert longest_run([4.0] * 10).passed is False
    assert longest_run([4.0] * 3).passed is None
    assert longest_run([1.0, 1, 1, 2]).estimate == 3


def test_false_alarms_of_the_run_test_are_rare() -> None:
    rng = np.random.default_rng(3)
    failed = sum(longest_run(rng.integers(1, 6, 30), trials=200).passed is False for _ in range(150))
    assert failed <= 6  # at most 1.5 expected at 0.01


def test_spread_finds_the_narrow_judge_and_spares_the_others() -> None:
    rng = np.random.default_rng(4)
    truth = rng.normal(3, 1, size=40)
    table = truth[:, None] + 0.5 * rng.normal(size=(40, 5))
    table[:, 4] = 3 + 0.1 * rng.normal(size=40)
    table[rng.random((40, 5)) < 0.2] = np.nan
    found = spread(table, list("abcde"), trials=500)
    assert [one.judge for one in found if one.passed is False] == ["e"]
    with pytest.raises(InputError, match="two judges"):
        spread([1, 2, 3])


def test_a_judge_who_saw_alike_items_is_not_blamed() -> None:
    rng = np.random.default_rng(5)
    truth = np.concatenate([np.full(20, 3.0), rng.normal(3, 3, size=20)])
    table = truth[:, None] + 0.5 * rng.normal(size=(40, 4))
    table[20:, 0] = np.nan  # only the alike ones
    assert all(one.passed for one in spread(table, trials=500))


def test_speed() -> None:
    rng = np.random.default_rng(6)
    times = np.exp(rng.normal(3, 0.4, size=120))
    judges = np.repeat(list("abc"), 40)
    times[judges == "c"] = np.where(rng.random(40) < 0.5, 1.0, times[judges == "c"])
    found = {one.judge: one for one in speed(times, judges.tolist())}
    assert found["a"].passed and found["b"].passed and not found["c"].passed
    assert found["c"].estimate == pytest.approx(0.5, abs=0.2)
    assert all(one.passed for one in speed([5.0] * 10, ["a"] * 5 + ["b"] * 5))
    assert not any(one.passed for one in speed([5.0] * 10, ["a"] * 5 + ["b"] * 5, least=6))
    with pytest.raises(InputError, match="below 0"):
        speed([-1.0], ["a"])


def test_comprehension_counts_the_best_attempt() -> None:
    found = comprehension([2, 5], 5, guess=0.25)
    assert found.passed is True and found.estimate == 1
    assert found.p == pytest.approx(1 - (1 - 0.25**5) ** 2)
    assert comprehension([3], 5).passed is False
    assert comprehension([4], 5).passed is True  # 80 % is enough
    with pytest.raises(InputError, match="from 0 to 5"):
        comprehension([6], 5)


def test_json_has_no_nan() -> None:
    row = longest_run([4.0] * 10).to_dict()
    assert row["p"] is None and not any(isinstance(v, float) and math.isnan(v) for v in row.values())
