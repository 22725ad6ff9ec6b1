"""Strengths that were put in come out: without bias, and within limits that hold as often as they say."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats.shares import binomial_test, sign_test
from nlgauge.stats.skill import Games, fit, plackett_luce
from nlgauge.stats.skill.graph import Triads, majority_triads, triads
from nlgauge.stats.skill.plackett_luce import _derivatives, _stages, choices, luce_orders
from nlgauge.stats.skill.ranks import expected_wins
from nlgauge.stats.skill.scores import fit_scores
from nlgauge.stats.skill.strength import fit_strengths
from nlgauge.stats.skill.two_way import Clustered, crossed, two_way

TRUE = np.array([0.8, 0.3, -0.2, -0.9])
JUDGES, EACH, ITEMS = 16, 24, 32
WIDTH = 0.4  # two texts that look nearer to each other are a tie
NAMES = "abcd"


class Study:
    """Screens of a simulated study: who stood on them, how good each looked, whose judge and item."""

    def __init__(self, seed: int, size: int, strengths: np.ndarray, taste: float = 0.0, texts: float = 0.0):
        rng = np.random.default_rng(seed)
        n = JUDGES * EACH
        self.judge = np.repeat(np.arange(JUDGES), EACH)
        self.item = np.concatenate([rng.permutation(ITEMS)[:EACH] for _ in range(JUDGES)])
        self.shown = np.argsort(rng.random((n, len(strengths))), axis=1)[:, :size]
        liking = rng.normal(0, taste, (JUDGES, len(strengths)))[self.judge[:, None], self.shown]
        worth = rng.normal(0, texts, (ITEMS, len(strengths)))[self.item[:, None], self.shown]
        self.seen = strengths[self.shown] + liking + worth + rng.gumbel(size=(n, size))

    @property
    def ranked(self) -> np.ndarray:
        """Systems from the best to the worst."""
        return np.take_along_axis(self.shown, np.argsort(-self.seen, axis=1), axis=1)

    def games(self) -> Games:
        score = np.where(np.abs(self.seen[:, 0] - self.seen[:, 1]) < WIDTH, 0.5, self.seen[:, 0] > self.seen[:, 1])
        return Games(tuple(NAMES), self.shown[:, 0], self.shown[:, 1], score.astype(float), self.item, self.judge)

    def strengths(self, protocol: str) -> tuple[np.ndarray, Clustered]:
        """Estimates with the covariance over judges and items."""
        if protocol == "pairwise":
            model = fit(self.games(), ties="rao-kupper")
        elif protocol == "ranking":
            model = luce_orders(NAMES, [[[k] for k in row] for row in self.ranked.tolist()])  # type: ignore[assignment]
        else:
            model = luce_orders(NAMES, [[row[:1], row[1:-1], row[-1:]] for row in self.ranked.tolist()])  # type: ignore[assignment]
        found = crossed(model.sandwich, fit_scores(self.told(protocol)), 4, self.judge, self.item)
        return model.strength, found

    def told(self, protocol: str) -> Games:
        """Who was preferred to whom."""
        if protocol == "pairwise":
            return self.games()
        size = self.ranked.shape[1]
        known = [
            (a, b)
            for a, b in itertools.combinations(range(size), 2)
            if protocol == "ranking" or a == 0 or b == size - 1
        ]
        first, second = (self.ranked[:, list(side)].ravel() for side in zip(*known, strict=True))
        each = [np.repeat(codes, len(known)) for codes in (self.item, self.judge)]
        return Games(tuple(NAMES), first, second, np.ones(len(first)), *each)


def inside(estimates: np.ndarray, found: Clustered, true: np.ndarray) -> list[bool]:
    return [
        abs(estimates[i] - estimates[j] - true[i] + true[j]) <= found.margin(0.95, i, j)
        for i, j in itertools.combinations(range(4), 2)
    ]


@pytest.mark.parametrize(
    ("protocol", "size", "studies"), [("pairwise", 2, 160), ("ranking", 3, 120), ("best-worst", 4, 30)]
)
def test_no_bias_and_coverage_as_stated(protocol: str, size: int, studies: int) -> None:
    estimates, covered = [], []
    for seed in range(studies):
        found, covariance = Study(seed, size, TRUE).strengths(protocol)
        estimates.append(found)
        covered.append(inside(found, covariance, TRUE))
    error = np.std(estimates, axis=0) / np.sqrt(studies)
    assert np.all(np.abs(np.mean(estimates, axis=0) - TRUE) < 3 * error + 0.02)
    rate = np.mean(covered)  # pairs of one study go together, so that a study counts about as three
    assert rate > 0.95 - 3 * np.sqrt(0.95 * 0.05 / (3 * studies))


@pytest.mark.parametrize(("taste", "texts"), [(0.8, 0.0), (0.0, 0.8)])
def test_limits_hold_for_other_judges_and_items(taste: float, texts: float) -> None:
    """Where judges or texts differ, the information claims too much and the sandwich over both does not."""
    robust, naive = [], []
    for seed in range(80):
        study = Study(seed, 2, np.zeros(4), taste=taste, texts=texts)
        model = fit(study.games(), ties="rao-kupper")
        robust += inside(*study.strengths("pairwise"), np.zeros(4))
        naive += inside(model.strength, Clustered((model.covariance[:4, :4],), np.inf, ""), np.zeros(4))
    assert np.mean(naive) < 0.90
    assert np.mean(robust) > 0.925


def test_orders_known_in_part() -> None:
    rng = np.random.default_rng(3)
    rows = [list(map(int, np.argsort(-(TRUE + rng.gumbel(size=4))))) for _ in range(80)]
    full = luce_orders(NAMES, [[[k] for k in row] for row in rows])
    assert full.strength == pytest.approx(plackett_luce(4, choices(rows)), abs=1e-8)


def test_a_group_before_the_rest_is_the_sum_over_its_orders() -> None:
    def chance(order: tuple[int, ...]) -> float:
        w = np.exp(TRUE[list(order)])
        return float(np.prod([w[k] / w[k:].sum() for k in range(len(w))]))

    whole = {order: chance(order) for order in itertools.permutations(range(4))}
    groups = [[0, 2, 3], [1]]
    # with a prior so strong that all strengths are 0, every order is as likely
    flat = luce_orders(NAMES, [groups], ridge=1e9)
    assert np.exp(flat.log_likelihood) == pytest.approx(6 / 24, rel=1e-8)
    stages = _stages(4, [groups])
    value, slopes, information = _derivatives(TRUE, stages, 1)
    assert np.exp(value) == pytest.approx(sum(p for order, p in whole.items() if order[3] == 1), rel=1e-10)
    step = 1e-5
    for k, unit in enumerate(np.eye(4)):
        up, down = (_derivatives(TRUE + side * step * unit, stages, 1) for side in (1, -1))
        assert slopes[0, k] == pytest.approx((up[0] - down[0]) / (2 * step), abs=1e-8)
        assert information[k] == pytest.approx(-(up[1][0] - down[1][0]) / (2 * step), abs=1e-8)


def test_a_sandwich_over_single_orders_is_near_the_information() -> None:
    study = Study(5, 3, TRUE)
    model = luce_orders(NAMES, [[[k] for k in row] for row in study.ranked.tolist()])
    alone = model.sandwich(np.arange(model.n))
    assert np.diag(alone) == pytest.approx(np.diag(model.covariance), rel=0.2)


def test_degrees_of_preference_by_clusters() -> None:
    study = Study(2, 2, TRUE)
    difference = study.seen[:, 0] - study.seen[:, 1]
    answer = np.digitize(difference, [-1.4, -0.4, 0.4, 1.4])
    a, b = study.shown.T
    plain = fit_strengths(NAMES, a, b, answer, 5)
    robust = fit_strengths(NAMES, a, b, answer, 5, clusters=study.judge)
    assert [one.estimate for one in robust.strengths] == [one.estimate for one in plain.strengths]
    assert robust.order == tuple(NAMES) and "sandwich over 16 clusters" in robust.strengths[0].method
    widths = [one.high - one.low for one in robust.strengths]
    assert widths == pytest.approx([one.high - one.low for one in plain.strengths], rel=0.5)


def test_one_judge_or_one_item() -> None:
    study = Study(2, 2, TRUE)
    model = fit(study.games(), ties="rao-kupper")
    one = np.zeros(len(study.judge), dtype=np.int64)
    assert "32 items, Student" in two_way(model.sandwich, model.covariance, 4, one, study.item).method
    alone = two_way(model.sandwich, model.covariance, 4, one, one)
    assert alone.least == np.inf and alone.error(0) == pytest.approx(np.sqrt(model.covariance[0, 0]))


def test_bad_orders() -> None:
    for orders in ([], [[[0, 1]]], [[[0], [0]]], [[[0], [4]]]):
        with pytest.raises(InputError):
            luce_orders(NAMES, orders)
    with pytest.raises(InputError, match="always preferred"):
        luce_orders("ab", [[[0], [1]]] * 3)
    assert luce_orders("ab", [[[0], [1]]] * 3, ridge=0.1).strength[0] > 1


def test_triads() -> None:
    assert triads([("a", "b"), ("b", "c"), ("c", "a")]) == Triads(1, 1)
    assert triads([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d")]) == Triads(0, 1)
    assert triads([("a", "b"), ("b", "a"), ("b", "c"), ("a", "c")]) == Triads(0, 0)  # told both ways
    points = np.array([[np.nan, 0.6, 0.2], [0.4, np.nan, 0.7], [0.8, 0.3, np.nan]])
    assert majority_triads(points) == Triads(1, 1)
    assert Triads(0, 10).p == pytest.approx(0.75**10)


def test_expected_wins_and_the_exact_test() -> None:
    wins = np.array([[0, 3, 1], [1, 0, 0], [1, 0, 0]], dtype=float)
    assert expected_wins(wins) == pytest.approx([(0.75 + 0.5) / 2, 0.25, 0.5])  # b and c never met
    assert binomial_test(8, 10, 0.5) == pytest.approx(sign_test(8, 2))
    chances = [math.comb(12, k) * (1 / 3) ** k * (2 / 3) ** (12 - k) for k in range(13)]
    assert binomial_test(7, 12, 1 / 3) == pytest.approx(sum(p for p in chances if p <= chances[7] * (1 + 1e-7)))
    with pytest.raises(InputError):
        binomial_test(3, 2, 0.5)
