"""Wald's sequential test, planned looks and looking ahead: exact risks against theory and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats.discrimination import design, group_sequential, look_ahead, sequential
from nlgauge.stats.discrimination.binomial import highest_accepting, lowest_rejecting
from nlgauge.stats.discrimination.protocols import find
from nlgauge.stats.discrimination.sequential import _courses


def test_gamblers_ruin() -> None:
    """p₀ = 1/3 and p₁ = 2/3 make a symmetric walk that stops at a lead of 5: ruin has chance 1/33."""
    found = sequential(0.05, 0.05, 0.5)
    ruin = 1 / (1 + 2**5)
    assert found.null.difference == pytest.approx(ruin, abs=1e-8)
    assert found.alternative.similarity == pytest.approx(ruin, abs=1e-8)
    assert found.null.expected_judges == pytest.approx((5 - 10 * ruin) * 3, abs=1e-6)
    assert found.between.expected_judges == pytest.approx(25, abs=1e-6)
    assert found.fixed == 23
    assert found.follow([True] * 9) == ("difference", 5)
    assert found.follow([False] * 9) == ("similarity", 5)
    assert found.follow([True, False]) == ("continue", 2)
    assert found.decide(12, 20) == "continue" and found.bounds(3) == (-1, 4)


@pytest.mark.parametrize("protocol", ["triangle", "2-afc", "tetrad"])
@pytest.mark.parametrize(("alpha", "beta", "p_d"), [(0.05, 0.05, 0.3), (0.01, 0.1, 0.4), (0.2, 0.05, 0.6)])
def test_real_risks_hold_walds_promise(protocol: str, alpha: float, beta: float, p_d: float) -> None:
    found = sequential(alpha, beta, p_d, protocol=protocol)
    # What Wald proved: α' ≤ α/(1 − β), β' ≤ β/(1 − α), and α' + β' ≤ α + β.
    a, b = found.null.difference, found.alternative.similarity
    assert a <= alpha / (1 - beta) + 1e-9 and b <= beta / (1 - alpha) + 1e-9 and a + b <= alpha + beta + 1e-9
    assert found.null.difference + found.null.similarity == pytest.approx(1, abs=2e-9)


@pytest.mark.parametrize(
    ("alpha", "beta", "p_d", "most"),
    [(0.001, 0.2, 0.3, 82.7), (0.2, 0.001, 0.3, 84.4), (0.001, 0.3, 0.5, 23.9)],
)
def test_the_longest_course_is_longest(alpha: float, beta: float, p_d: float, most: float) -> None:
    # With α ≠ β the bounds lie unevenly, and the test takes longest elsewhere than at their slope.
    plan = sequential(alpha, beta, p_d)
    assert plan.between.expected_judges == pytest.approx(most, abs=0.06)
    bounds = {"upper": plan.upper, "lower": plan.lower, "slope": plan.slope}
    scan = _courses(np.linspace(1 / 3, 1 / 3 + 2 / 3 * p_d, 101), find("triangle"), None, **bounds)
    longest = max(course.expected_judges for course in scan)
    assert longest <= plan.between.expected_judges + 1e-3
    assert plan.between.expected_judges == pytest.approx(longest, rel=1e-3)


def test_truncation_and_simulation() -> None:
    found = sequential(0.05, 0.05, 0.3, most=40)
    total = found.null.difference + found.null.similarity + found.null.undecided
    assert total == pytest.approx(1, abs=1e-9) and found.null.undecided > 0.05
    rng, runs = np.random.default_rng(9), 4000
    ends = [found.follow(list(row)) for row in rng.random((runs, 40)) < 1 / 3]
    for state, chance in (("difference", found.null.difference), ("undecided", found.null.undecided)):
        share = np.mean([end[0] == state for end in ends])
        assert share == pytest.approx(chance, abs=4 * math.sqrt(chance * (1 - chance) / runs))
    assert np.mean([end[1] for end in ends]) == pytest.approx(found.null.expected_judges, abs=0.8)


def test_one_look_is_the_fixed_test() -> None:
    one, fixed = group_sequential([72], 0.05, 0.3), design(72, alpha=0.05, p_d=0.3)
    assert one.looks[0].critical == fixed.min_correct
    assert one.looks[0].power == pytest.approx(fixed.power) and one.looks[0].spent == pytest.approx(fixed.alpha)
    one, fixed = (
        group_sequential([72], 0.05, 0.3, goal="similarity"),
        design(72, goal="similarity", beta=0.05, p_d=0.3),
    )
    assert one.looks[0].critical == fixed.max_correct and one.looks[0].power == pytest.approx(fixed.power)


@pytest.mark.parametrize("goal", ["difference", "similarity"])
@pytest.mark.parametrize("spending", ["obrien-fleming", "pocock"])
@pytest.mark.parametrize("futility", [None, 0.1])
def test_looks_by_simulation(goal: str, spending: str, futility: float | None) -> None:
    found = group_sequential([24, 48, 72], 0.05, 0.3, goal=goal, spending=spending, futility=futility)
    assert found.looks[-1].spent <= 0.05
    rng, runs = np.random.default_rng(21), 60_000
    null, truth = (1 / 3, 1 / 3 + 0.2) if goal == "difference" else (1 / 3 + 0.2, 1 / 3)
    for p, expected, follow in ((null, found.looks[-1].spent, False), (truth, found.looks[-1].power, True)):
        counts = np.cumsum(rng.binomial(24, p, size=(runs, 3)), axis=1)
        running, concluded, judges = np.ones(runs, bool), np.zeros(runs, bool), np.zeros(runs)
        for k, look in enumerate(found.looks):
            judges[running] = look.judges
            x = counts[:, k]
            if look.critical is not None:
                hit = running & (x >= look.critical if goal == "difference" else x <= look.critical)
                concluded |= hit
                running &= ~hit
            if follow and look.futile is not None:
                running &= ~(x <= look.futile if goal == "difference" else x >= look.futile)
        assert concluded.mean() == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / runs))
        if follow:
            assert judges.mean() == pytest.approx(found.expected_if_true, abs=0.5)


def test_looking_ahead() -> None:
    ahead = look_ahead(15, 30, 72, p_d=0.3)
    rest = int(lowest_rejecting(72, 0.05, 1 / 3)) - 15
    from scipy.stats import binom

    assert ahead.if_no_difference == pytest.approx(binom.sf(rest - 1, 42, 1 / 3))
    assert ahead.if_p_d == pytest.approx(binom.sf(rest - 1, 42, 1 / 3 + 0.2))
    assert ahead.if_as_so_far == pytest.approx(binom.sf(rest - 1, 42, 0.5))
    assert look_ahead(40, 60, 72, p_d=0.3).outcome == "certain"
    assert look_ahead(0, 60, 72, p_d=0.3).outcome == "impossible"
    limit = int(highest_accepting(98, 0.01, 1 / 3 + 0.2))
    similar = look_ahead(10, 98 - (limit - 10), 98, goal="similarity", beta=0.01, p_d=0.3)
    assert similar.outcome == "certain" and similar.if_no_difference == 1.0
    assert look_ahead(limit + 1, 90, 98, goal="similarity", beta=0.01, p_d=0.3).outcome == "impossible"
    assert look_ahead(15, 30, 30, p_d=0.3).outcome in ("certain", "impossible")


def test_refusals() -> None:
    with pytest.raises(InputError, match="p_d below 1"):
        sequential(0.05, 0.05, 1.0)
    with pytest.raises(InputError, match="alpha \\+ beta"):
        sequential(0.6, 0.5, 0.5)
    with pytest.raises(InputError, match="growing numbers"):
        group_sequential([24, 24], 0.05, 0.3)
    with pytest.raises(InputError, match="growing numbers"):
        group_sequential([], 0.05, 0.3)
    with pytest.raises(InputError, match="no spending function"):
        group_sequential([24], 0.05, 0.3, spending="all")
    with pytest.raises(InputError, match="more than the 20 planned"):
        look_ahead(5, 30, 20, p_d=0.3)
