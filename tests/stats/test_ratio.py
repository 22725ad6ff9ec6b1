"""Ratios of sums with limits over groups."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats.shares import ratio


def test_limits_cover_the_true_rate() -> None:
    random = np.random.default_rng(1)
    covered = 0
    for _ in range(400):
        rates = random.gamma(4, 0.05, size=30)  # inputs differ: judgements of one hang together
        groups = np.repeat(np.arange(30), 4)
        words = random.integers(10, 30, size=120)
        counts = random.poisson(rates[groups] * words)
        found = ratio(counts, words, groups.tolist())
        covered += found.low <= 0.2 <= found.high
    assert 0.9 < covered / 400 < 0.98


def test_one_judgement_a_group_is_the_mean_of_a_sample() -> None:
    values = [0.0, 1.0, 3.0, 2.0]
    found = ratio(values, [1.0] * 4, range(4))
    error = np.std(values, ddof=1) / 2
    assert found.estimate == 1.5 and found.high - found.estimate == pytest.approx(3.182446 * error, rel=1e-6)


def test_nothing_seen_is_not_certainty() -> None:
    found = ratio([0, 0], [10, 10], ["a", "b"])
    assert (found.estimate, found.low) == (0, 0) and found.high == pytest.approx(3.6889 / 20, rel=1e-4)
    assert math.isnan(ratio([1.0], [2.0], ["a"]).low)


@pytest.mark.parametrize(
    "bad", [([1.0], [0.0], ["a"]), ([-1.0], [1.0], ["a"]), ([1.0], [1.0, 2.0], ["a"]), ([], [], [])]
)
def test_what_is_no_ratio(bad: tuple[list[float], list[float], list[str]]) -> None:
    with pytest.raises(InputError, match="a ratio needs"):
        ratio(*bad)
