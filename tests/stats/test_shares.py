"""Limits of sums of shares: a published difference, cases by hand, and how often they hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats.shares import share_limits, sum_limits


def wilson(count: int, n: int) -> tuple[float, float]:
    z = 1.959964
    share = count / n
    half = z * math.sqrt(z * z + 4 * n * share * (1 - share))
    return (2 * n * share + z * z - half) / (2 * (n + z * z)), (2 * n * share + z * z + half) / (2 * (n + z * z))


def test_newcombes_difference() -> None:
    """Newcombe (1998), Table II, method 10: 56/70 − 48/80 has 0.0524 to 0.3339."""
    found = sum_limits([56 / 70, 48 / 80], [wilson(56, 70), wilson(48, 80)], [1, -1])
    assert found == pytest.approx((0.0524, 0.3339), abs=5e-5)


def test_exact_limits_have_a_width_at_the_ends() -> None:
    low, high = share_limits(0, 59)
    assert low == 0 and high == pytest.approx(1 - 0.025 ** (1 / 59))
    assert share_limits(59, 59) == pytest.approx((0.025 ** (1 / 59), 1))
    both = sum_limits([0, 0], [(0, high), (0, high)], [0.5, 0.5])
    assert both == pytest.approx((0, high / math.sqrt(2)))


@pytest.mark.parametrize(("first", "second"), [(0.02, 0.05), (0.5, 0.5), (0.97, 0.6)])
def test_they_hold_the_truth_often_enough(first: float, second: float) -> None:
    draw = np.random.default_rng(7)
    held = dict.fromkeys(((0.5, 0.5), (1.0, -1.0)), 0)
    trials = 1000
    for _ in range(trials):
        counts = draw.binomial(40, first), draw.binomial(60, second)
        each = [share_limits(int(counts[0]), 40), share_limits(int(counts[1]), 60)]
        for weights in held:
            low, high = sum_limits([counts[0] / 40, counts[1] / 60], each, weights)
            held[weights] += low <= weights[0] * first + weights[1] * second <= high
    assert all(count >= 0.945 * trials for count in held.values())


def test_what_is_no_share() -> None:
    with pytest.raises(InputError, match="3 of 2"):
        share_limits(3, 2)
