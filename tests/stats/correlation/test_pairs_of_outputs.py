"""Statistics on pairs: worked by hand, and against the definition written out in loops."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats.correlation import (
    accuracy_23,
    accuracy_eq,
    agreement,
    correlate,
    darr_pairs,
    kendall_like,
    kendall_like_from_scores,
    pairwise_p_values,
    soft_pairwise_accuracy,
    tau_23,
)
from nlgauge.stats.correlation.pairs import PairTable


def test_kendall_like_counts_ties_against_the_metric() -> None:
    got = kendall_like(better=[3, 2, 1, 5], worse=[1, 2, 4, 4])
    assert (got.concordant, got.discordant, got.tau) == (2, 2, 0.0)


def test_kendall_like_leaves_out_missing_pairs() -> None:
    assert kendall_like([1, math.nan, 3], [0, 1, None]).pairs == 1
    assert math.isnan(kendall_like([], []).tau)


def test_kendall_like_from_scores_needs_a_difference() -> None:
    # Equal human scores name no better output, whatever the threshold.
    got = kendall_like_from_scores([1, 1, 2], [3, 4, 5], threshold=0)
    assert (got.concordant, got.discordant) == (2, 0)


def test_direct_assessments_are_a_pair_beyond_25_points_and_not_at_25() -> None:
    # 80 - 55 = 25 is no pair, 80 - 54 = 26 is one; the better stands first, whatever the order of the rows.
    assert darr_pairs([54, 80, 55], ["a", "a", "a"]).tolist() == [[1, 0]]
    assert kendall_like_from_scores([54, 80, 55], [1, 2, 3]).pairs == 1
    assert 32.2 - 7.2 > 25  # by rounding
    assert darr_pairs([32.2, 7.2], ["a", "a"]).shape == (0, 2)


def test_outputs_of_different_items_are_never_a_pair() -> None:
    # Items need not stand together; a with 0 and 100, b with 10 and 90.
    pairs = darr_pairs([0, 10, 100, 90], ["a", "b", "a", "b"])
    assert sorted(map(tuple, pairs.tolist())) == [(2, 0), (3, 1)]


def test_an_output_without_a_rating_is_in_no_pair() -> None:
    assert darr_pairs([0, None, 100, math.nan], ["a"] * 4).tolist() == [[2, 0]]
    assert darr_pairs([None, 50], ["a", "a"]).shape == (0, 2)
    assert darr_pairs([], []).shape == (0, 2)


def test_a_margin_of_zero_pairs_all_ratings_that_differ() -> None:
    assert sorted(map(tuple, darr_pairs([1, 1, 2], ["a"] * 3, margin=0).tolist())) == [(2, 0), (2, 1)]
    with pytest.raises(InputError, match="every rating needs its item"):
        darr_pairs([1, 2], ["a"])
    with pytest.raises(InputError, match="0 or more"):
        darr_pairs([1, 2], ["a", "a"], margin=-1)


def test_pairs_made_of_assessments_give_the_kendall_like_of_the_scores() -> None:
    generator = np.random.default_rng(3)
    human, metric = generator.integers(0, 101, size=(6, 40)) * 1.0, generator.normal(size=(6, 40))
    human[generator.random(human.shape) < 0.2] = np.nan
    better, worse = darr_pairs(human.ravel(), [k for _ in range(6) for k in range(40)]).T
    found = kendall_like(metric.ravel()[better], metric.ravel()[worse])
    whole = correlate(human, metric, statistic="darr", average="item", threshold=25)
    assert found.tau == pytest.approx(whole.estimate, abs=1e-15)


def definition(human: Any, metric: Any, epsilon: float) -> float:
    """acc23 as the paper words it."""
    right = total = 0
    for (h1, m1), (h2, m2) in itertools.combinations(zip(human, metric, strict=True), 2):
        if any(math.isnan(value) for value in (h1, m1, h2, m2)):
            continue
        verdict = 0 if abs(m1 - m2) <= epsilon else np.sign(m1 - m2)
        right += verdict == np.sign(h1 - h2)
        total += 1
    return right / total if total else math.nan


def test_accuracy_is_its_definition() -> None:
    generator = np.random.default_rng(5)
    for _ in range(60):
        n = int(generator.integers(1, 12))
        human, metric = generator.integers(4, size=n) * 1.0, generator.integers(6, size=n) / 2
        human[generator.random(n) < 0.2] = np.nan
        for epsilon in (0.0, 0.5, 1.2):
            expected = definition(human, metric, epsilon)
            assert accuracy_23(human, metric, epsilon) == pytest.approx(expected, abs=1e-12, nan_ok=True)
            assert tau_23(human, metric, epsilon) == pytest.approx(2 * expected - 1, abs=1e-12, nan_ok=True)


def test_tie_calibration_finds_the_best_threshold() -> None:
    generator = np.random.default_rng(6)
    for trial in range(80):
        groups, members = int(generator.integers(1, 4)), int(generator.integers(2, 7))
        human = generator.integers(3, size=(groups, members)) * 1.0
        metric = generator.normal(size=human.shape) if trial % 2 else generator.integers(8, size=human.shape) / 4
        human[generator.random(human.shape) < 0.15] = np.nan
        thresholds = sorted({0.0, *np.abs(metric[:, :, None] - metric[:, None, :]).ravel()})
        found = [[definition(h, m, epsilon) for h, m in zip(human, metric, strict=True)] for epsilon in thresholds]
        kept = [row for row in zip(*found, strict=True) if not math.isnan(row[0])]
        got = accuracy_eq(human, metric)
        if not kept:
            assert math.isnan(got.accuracy)
            continue
        means = np.mean(kept, axis=0)
        assert got.accuracy == pytest.approx(means.max(), abs=1e-12)
        assert got.epsilon == pytest.approx(thresholds[int(np.argmax(means >= means.max() - 1e-12))], abs=1e-12)


def test_tie_calibration_under_weights() -> None:
    generator = np.random.default_rng(7)
    human, metric = generator.integers(3, size=(4, 6)) * 1.0, generator.integers(9, size=(4, 6)) * 1.0
    groups, members = generator.integers(3, size=(20, 4)) * 1.0, generator.integers(3, size=(20, 6)) * 1.0
    table = PairTable(human, metric)
    every = np.arange(len(table.group))
    got = table.calibrated_draws(groups, members)
    for draw in range(20):
        one, two = groups[draw : draw + 1], members[draw : draw + 1]
        share = table.shares(table.factors(one, two), two, every)[0]
        by_threshold = [
            share @ np.where(np.abs(table.metric) <= epsilon, table.human == 0, table.right_order)
            for epsilon in range(9)
        ]
        expected = max(by_threshold) if share.any() else math.nan
        assert got[draw] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_agreement_of_nothing() -> None:
    assert agreement([1], [2]) == (0, 0)
    assert math.isnan(accuracy_23([1], [2]))
    assert math.isnan(accuracy_eq([math.nan, 1], [1, 2]).accuracy)


def test_soft_pairwise_accuracy_by_enumeration() -> None:
    # People: B better by 1 on all three items, p(A > B) = 8/8. Metric: differences 1, -1, -1, p = 7/8.
    human, metric = [[1, 2, 3], [2, 3, 4]], [[2, 2, 4], [1, 3, 5]]
    assert pairwise_p_values(human)[0, 1] == 1.0
    assert pairwise_p_values(metric)[0, 1] == pytest.approx(7 / 8)
    assert soft_pairwise_accuracy(human, metric) == pytest.approx(0.875)
    assert soft_pairwise_accuracy(human, human) == 1.0


def test_soft_pairwise_accuracy_with_gaps_uses_the_items_two_systems_share() -> None:
    human = np.array([[1, 2, np.nan], [2, np.nan, 4], [0, 1, 1]])
    metric = np.arange(9.0).reshape(3, 3)
    expected = []
    for a, b in itertools.combinations(range(3), 2):
        shared = ~np.isnan(human[a] + human[b])
        expected.append(soft_pairwise_accuracy(human[[a, b]][:, shared], metric[[a, b]][:, shared]))
    assert soft_pairwise_accuracy(human, metric) == pytest.approx(np.mean(expected))


def test_sampled_soft_accuracy_is_near_the_exact_one() -> None:
    generator = np.random.default_rng(2)
    human, metric = generator.normal(size=(2, 5, 9))
    exact = soft_pairwise_accuracy(human, metric, exact=True)
    sampled = soft_pairwise_accuracy(human, metric, draws=20_000, exact=False)
    assert sampled == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: accuracy_23([1, 2], [1, 2], epsilon=-1), "0 or more"),
        (lambda: kendall_like_from_scores([1, 2], [1, 2], math.nan), "0 or more"),
        (lambda: accuracy_eq(np.zeros((2, 3)), np.zeros((3, 2))), "one shape"),
        (lambda: accuracy_eq(np.arange(7000.0), np.arange(7000.0)), "too many pairs"),
        (lambda: soft_pairwise_accuracy([1, 2], [1, 2]), "systems, items"),
        (lambda: soft_pairwise_accuracy(np.zeros((2, 40)), np.ones((2, 40)), draws=0), "at least 1 draw"),
    ],
)
def test_refusals(call: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        call()
