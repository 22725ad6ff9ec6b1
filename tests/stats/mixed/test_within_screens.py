"""Scores of texts that were compared on screens: only what differs within a screen counts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats.mixed.design import within
from nlgauge.stats.mixed.linear import LinearMixed, linear_within
from nlgauge.stats.mixed.profile import Profile
from nlgauge.stats.skill.games import Games
from nlgauge.stats.skill.scores import fit_scores


def rows(values: np.ndarray) -> tuple[np.ndarray, ...]:
    """Scores, systems, screens, judges and items of judges × items × systems."""
    judge, item, system = (codes.ravel() for codes in np.indices(values.shape))
    return values.ravel(), system, judge * values.shape[1] + item, judge, item


def fitted(values: np.ndarray) -> LinearMixed:
    score, system, screen, judge, item = rows(values)
    return linear_within(score, system.tolist(), screen.tolist(), {"judge": judge.tolist(), "item": item.tolist()})


def test_the_test_of_complete_rankings_is_that_of_the_analysis_of_variance() -> None:
    rng = np.random.default_rng(1)
    judges, items, systems = 6, 11, 4
    looks = rng.normal(size=(judges, items, systems)) + 0.8 * rng.normal(size=(judges, 1, systems))
    ranks = np.argsort(np.argsort(looks + rng.normal(size=(1, items, systems)), axis=2), axis=2).astype(float)
    found = fitted(ranks).test()
    grand, by_judge, by_item = ranks.mean(axis=(0, 1)), ranks.mean(axis=1), ranks.mean(axis=0)
    free = systems - 1
    of_judges = items * ((by_judge - grand) ** 2).sum() / ((judges - 1) * free)
    of_items = judges * ((by_item - grand) ** 2).sum() / ((items - 1) * free)
    left = ranks - by_judge[:, None] - by_item[None] + grand
    of_noise = (left**2).sum() / ((judges - 1) * (items - 1) * free)
    below = of_judges + of_items - of_noise
    above = judges * items * ((grand - grand.mean()) ** 2).sum() / free
    sizes = [(of_judges, judges - 1), (of_items, items - 1), (of_noise, (judges - 1) * (items - 1))]
    degrees = below**2 / sum(square**2 / (number * free) for square, number in sizes)
    assert min(of_judges, of_items) > of_noise
    assert found.statistic == pytest.approx(above / below, rel=1e-4)
    assert found.df == pytest.approx((free, degrees), rel=1e-2)


def test_a_level_of_its_own_for_every_screen_changes_nothing() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(5, 8, 3)) + 0.5 * rng.normal(size=(5, 1, 3))
    moved = fitted(values + 10 * rng.normal(size=(5, 8, 1)))
    assert moved.test().p == pytest.approx(fitted(values).test().p, rel=1e-6)
    assert moved.beta.sum() == pytest.approx(0, abs=1e-9)


def test_the_deviance_of_incomplete_screens_is_that_of_their_contrasts() -> None:
    rng = np.random.default_rng(3)
    shown = [rng.permutation(4)[: 2 + k % 2] for k in range(40)]
    system = np.concatenate(shown)
    screen = np.repeat(np.arange(40), [len(one) for one in shown])
    judge, item = screen % 5, screen // 4
    score = rng.normal(size=len(screen))
    data, _ = within(score, system, screen, {"judge": judge, "item": item})
    profile = Profile(data, reml=True)
    contrasts = []
    for one in range(40):
        place = np.flatnonzero(screen == one)
        basis = np.linalg.svd(np.eye(len(place)) - 1 / len(place))[0][:, :-1]
        block = np.zeros((len(place) - 1, len(screen)))
        block[:, place] = basis.T
        contrasts.append(block)
    q = np.vstack(contrasts)
    y, x = q @ score, q @ data.x
    deviances = []
    for theta in (np.array([0.3, 0.8]), np.array([1.2, 0.1]), np.zeros(2)):
        v = np.eye(len(q))
        for k, one in enumerate(data.factors):
            z = q @ np.eye(len(one))[one.codes]
            v += theta[k] ** 2 * z @ z.T
        inverse = np.linalg.inv(v)
        p = inverse - inverse @ x @ np.linalg.solve(x.T @ inverse @ x, x.T @ inverse)
        free = len(q) - x.shape[1]
        logs = np.linalg.slogdet(v)[1] + np.linalg.slogdet(x.T @ inverse @ x)[1]
        deviances.append((logs + free * math.log(y @ p @ y), profile.deviance(theta)))
    ours, theirs = (np.diff(side) for side in zip(*deviances, strict=True))
    assert ours == pytest.approx(theirs, abs=1e-8)


def test_what_a_judge_says_of_an_item_counts_once_however_many_pairs_tell_it() -> None:
    rng = np.random.default_rng(4)
    looks = rng.normal(size=(6, 10, 3)) + 0.6 * rng.normal(size=(6, 1, 3))
    told = [
        (a, b, float(looks[j, i, a] > looks[j, i, b]), i, j)
        for j, i in np.ndindex(6, 10)
        for a, b in ((0, 1), (0, 2), (1, 2))
    ]
    first, second, score, item, judge = (np.array(column) for column in zip(*told, strict=True))
    once = fit_scores(Games(("x", "y", "z"), first, second, score, item, judge))
    twice = [np.repeat(column, 2) for column in (first, second, score, item, judge)]
    again = fit_scores(Games(("x", "y", "z"), *twice))
    assert again.test.p == pytest.approx(once.test.p, rel=1e-6)
    ranks = np.argsort(np.argsort(looks, axis=2), axis=2).astype(float)
    assert once.test.p == pytest.approx(fitted(ranks).test().p, rel=1e-6)


def test_screens_without_a_common_text_have_no_common_zero() -> None:
    told = [(0, 1, 1.0), (2, 3, 0.0), (1, 2, 1.0), (0, 3, 0.5), (1, 3, 1.0), (0, 2, 0.0)] * 3
    first, second, score = (np.array(column) for column in zip(*told, strict=True))
    judge, item = np.arange(len(told)) // 6, np.arange(len(told)) // 2
    found = fit_scores(Games(tuple("abcd"), first, second, score, item, judge))
    assert found.model.n == 2 * len(told)  # every pair is a screen of its own
    with pytest.raises(InputError, match="never on a screen together"):
        linear_within([0.5, -0.5, 0.5, -0.5], ["a", "b", "c", "d"], [0, 0, 1, 1], {})
