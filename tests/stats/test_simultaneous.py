"""Intervals that hold for all differences at once."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nlgauge import api, stats
from nlgauge.stats.multiple import BONFERRONI, MAX_T, bonferroni, max_t


def _mean(totals: np.ndarray) -> np.ndarray:
    return totals[..., 0] / totals[..., 1]


def _covered(systems: int, n: int, runs: int, seed: int = 1) -> tuple[float, float]:
    """The shares of simulated sets in which all true differences lie within both kinds of intervals."""
    rng = np.random.default_rng(seed)
    means = np.linspace(0.0, 0.5, systems)
    names = [str(k) for k in range(systems)]
    pairs = stats.all_pairs(names)
    truth = [means[int(a)] - means[int(b)] for a, b in pairs]
    one, all_at_once = 0, 0
    for _ in range(runs):
        # systems share the difficulty of the items
        values = means + rng.normal(size=(n, 1)) + rng.normal(size=(n, systems))
        rows = {name: np.column_stack([values[:, k], np.ones(n)]) for k, name in enumerate(names)}
        found = stats.paired_tests(rows, dict.fromkeys(names, _mean), pairs, trials=1, interval_trials=500)
        tests = [found[pair] for pair in pairs]
        one += all(test.low <= true <= test.high for test, true in zip(tests, truth, strict=True))
        limits = [test.together for test in tests]
        all_at_once += all(
            own is not None and own[0] <= true <= own[1] for own, true in zip(limits, truth, strict=True)
        )
    return one / runs, all_at_once / runs


def test_all_differences_of_six_systems_are_covered_together_as_often_as_is_said() -> None:
    single, together = _covered(6, 100, 300)
    assert single < 0.75  # 15 intervals of 95 % each
    assert 0.92 <= together <= 0.98


@pytest.mark.long
@pytest.mark.parametrize(("systems", "n"), [(3, 50), (5, 200), (12, 100)])
def test_simultaneous_coverage_by_size(systems: int, n: int) -> None:
    _, together = _covered(systems, n, 1000, seed=systems)
    assert 0.93 <= together <= 0.97


def test_max_t_gives_the_normal_quantile_for_one_difference_and_more_for_many() -> None:
    drawn = np.random.default_rng(2).normal(size=(20_000, 40))
    (low, high), *_ = max_t([0.0], drawn[:, :1], 10_000, 0.95)
    assert (high - low) / 2 == pytest.approx(1.96, abs=0.04)
    (low, high), *_ = max_t([0.0] * 40, drawn, 10_000, 0.95)
    sidak = 3.21  # of 40 independent differences
    assert (high - low) / 2 == pytest.approx(sidak, abs=0.05)
    # differences that are copies of one another cost nothing
    (low, high), *_ = max_t([0.0] * 40, np.repeat(drawn[:, :1], 40, axis=1), 10_000, 0.95)
    assert (high - low) / 2 == pytest.approx(1.96, abs=0.04)


def test_draws_without_a_score_are_left_out_and_a_constant_difference_stays_a_point() -> None:
    drawn = np.random.default_rng(3).normal(size=(2000, 3))
    drawn[:50, 0], drawn[:, 2] = math.nan, 0.25
    limits = max_t([0.0, 0.0, 0.25], drawn, 1000, 0.95)
    assert limits[2] == (0.25, 0.25)
    assert all(2.0 < high < 2.5 for _, high in limits[:2])


def test_bonferroni_is_students_t_at_a_share_of_the_level() -> None:
    low, high = bonferroni(1.0, 0.5, 11, comparisons=5, level=0.95)
    assert (low + high) / 2 == 1.0
    assert (high - low) / 2 == pytest.approx(0.5 * 3.1693, abs=1e-3)  # t of 10 degrees at .995


def _data(systems: int) -> list[dict[str, object]]:
    rng = np.random.default_rng(4)
    rows: list[dict[str, object]] = []
    for item in range(60):
        words = [str(word) for word in rng.integers(0, 50, 10)]
        for system in range(systems):
            kept = [word if rng.random() > 0.2 + 0.05 * system else "x" for word in words]
            rated = [float(round(sum(a == b for a, b in zip(kept, words, strict=True)) / 2))]
            rows.append(
                {
                    "item": str(item),
                    "system": f"s{system}",
                    "hypothesis": " ".join(kept),
                    "references": [" ".join(words)],
                    "ratings": {"quality": rated},
                }
            )
    return rows


def test_comparisons_have_limits_for_one_and_for_all_in_json_table_and_sentence() -> None:
    found = api.compare(_data(4), ["chrf", "distinct"], trials=200)
    told = {row.metric: row.simultaneous_method for row in found.comparisons}
    assert list(told.values()) == [MAX_T, BONFERRONI]
    for row in found.comparisons:
        assert row.simultaneous_low < row.low < row.delta < row.high < row.simultaneous_high
        assert row.to_dict()["simultaneous_low"] == row.simultaneous_low
    assert "95% simultaneous" in str(found)
    assert "simultaneous ones hold for all at once (bootstrap max-t or Bonferroni)" in str(found)
    lone = api.compare(_data(2), ["chrf"], trials=200)
    assert "simultaneous" not in str(lone)
    assert lone.comparisons[0].simultaneous_low == lone.comparisons[0].low


def test_ratings_have_them_too() -> None:
    from nlgauge import humans

    found = humans.compare(_data(3), "quality")
    assert {row.simultaneous_method for row in found.comparisons} == {BONFERRONI}
    assert all(row.simultaneous_low < row.low < row.high < row.simultaneous_high for row in found.comparisons)


def test_where_interval_and_test_disagree_a_note_says_so() -> None:
    from dataclasses import replace

    from nlgauge.engine.pairing import together_remarks

    rows = api.compare(_data(3), ["chrf"], trials=200).comparisons
    assert together_remarks(rows) == []
    odd = [rows[0], replace(rows[1], p_adjusted=0.2), rows[2]]
    (note,) = together_remarks(odd)
    assert note == (
        "chrf, s2 against s0: not significant by Holm's steps, though the simultaneous interval leaves 0 out; "
        "the test decides"
    )
