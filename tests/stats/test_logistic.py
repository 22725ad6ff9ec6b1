"""Logistic regression without an intercept, against closed forms and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nlgauge.stats.regression import logistic


def test_one_column_of_signs_gives_the_share_of_wins_and_its_binomial_error() -> None:
    outcomes, signs = np.array([1, 1, 1, 0, 0, 0, 1, 1.0]), np.array([1, 1, 1, 1, -1, -1, 1, -1.0])
    won = np.where(signs > 0, outcomes, 1 - outcomes).mean()
    (found,) = logistic(outcomes, signs[:, None], range(8), names=("x",)) or ()
    assert found.estimate == pytest.approx(math.log(won / (1 - won)))
    # the sandwich of single answers is the binomial variance n p q / (n p q)^2, by m / (m - 1)
    error = math.sqrt(8 / 7 / (8 * won * (1 - won)))
    assert (found.high - found.estimate) / 2.3646242515927844 == pytest.approx(error)


def test_outcomes_that_are_separated_have_no_estimate() -> None:
    assert logistic(np.array([1.0, 1.0, 0.0]), np.array([[1.0], [1.0], [-1.0]]), range(3), names=("x",)) is None
    assert logistic(np.array([1.0, 0.0]), np.zeros((2, 1)), range(2), names=("x",)) is None


def test_both_coefficients_are_covered_where_answers_of_an_item_go_together() -> None:
    draw, hits = np.random.default_rng(2), np.zeros(2)
    for _ in range(300):
        items = np.repeat(np.arange(60), 4)
        x = draw.normal(size=(240, 2))
        x[:, 0] = np.repeat(np.sign(draw.normal(size=60)), 4)  # shared by the answers of an item
        chance = 1 / (1 + np.exp(-(x @ [0.4, 0.8])))
        found = logistic((draw.random(240) < chance).astype(float), x, items.tolist(), names=("x", "z"))
        assert found is not None
        hits += [one.low <= true <= one.high for one, true in zip(found, (0.4, 0.8), strict=True)]
    assert (hits / 300 > 0.91).all()
