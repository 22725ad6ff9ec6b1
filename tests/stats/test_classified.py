"""Answers of classes against the truth: the permutation test, d′ and their limits."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import fisher_exact, norm

from nlgauge.errors import InputError
from nlgauge.stats import shares
from nlgauge.stats.classified import guessing_test, sensitivity
from nlgauge.stats.discrimination.planning import answers_needed
from nlgauge.stats.discrimination.yes_no import a_not_a


def judged(
    outputs: int, judges: int, accuracy: float, spread: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Counts of two classes about each output, and the classes: judges share what they see in an output."""
    truths = np.arange(outputs) % 2
    eased = np.log(accuracy / (1 - accuracy)) + rng.normal(0, spread, outputs)
    right = rng.binomial(judges, 1 / (1 + np.exp(-eased))).astype(float)
    counts = np.stack(
        [np.where(truths == 0, right, judges - right), np.where(truths == 1, right, judges - right)], axis=1
    )
    return counts, truths


def test_guessing_is_tested_by_all_permutations_of_a_small_table() -> None:
    counts = np.array([[3, 0, 0], [0, 2, 1], [1, 1, 1], [0, 0, 3], [2, 1, 0]], dtype=float)
    truths = np.array([0, 1, 1, 2, 0])
    hits = [sum(counts[row, truth] for row, truth in enumerate(order)) for order in permutations(truths.tolist())]
    exact = np.mean(np.array(hits) >= counts[np.arange(5), truths].sum())
    assert guessing_test(counts, truths, trials=20_000) == pytest.approx(exact, abs=0.01)


def test_of_one_judge_and_two_classes_it_is_fishers_exact_test() -> None:
    answers = np.eye(2)[[0] * 14 + [1] * 6 + [0] * 8 + [1] * 12]
    truths = np.array([0] * 20 + [1] * 20)
    exact = fisher_exact([[14, 6], [8, 12]], alternative="greater")[1]
    assert guessing_test(answers, truths, trials=20_000) == pytest.approx(exact, abs=0.01)


def test_outputs_of_one_class_tell_nothing_and_shapes_must_fit() -> None:
    assert math.isnan(guessing_test(np.ones((4, 2)), np.zeros(4, dtype=int)))
    with pytest.raises(InputError, match="give one for each row"):
        guessing_test(np.ones((4, 2)), np.zeros(3, dtype=int))
    with pytest.raises(InputError, match="outputs of both"):
        sensitivity(np.ones((4, 2)), np.zeros(4, dtype=int))


def test_of_one_answer_to_each_output_d_prime_is_that_of_an_a_not_a_test() -> None:
    answers = np.eye(2)[[0] * 30 + [1] * 10 + [0] * 15 + [1] * 25]
    found = sensitivity(answers, np.array([0] * 40 + [1] * 40))
    same = a_not_a(30, 40, 15, 40)
    for name in ("estimate", "low", "high", "method"):
        assert getattr(found.d_prime, name) == getattr(same.d_prime, name)
    assert (found.hits, found.false_alarms) == (0.75, 0.375)
    by_hand = -(norm.ppf(0.75) + norm.ppf(0.375)) / 2
    assert found.criterion == pytest.approx(by_hand)
    assert found.criterion == pytest.approx(same.threshold - same.d_prime.estimate / 2)


def test_perfect_answers_have_no_finite_d_prime_but_a_lower_limit() -> None:
    one = sensitivity(np.eye(2)[[0] * 10 + [1] * 10], np.array([0] * 10 + [1] * 10))
    assert one.d_prime.estimate == math.inf and 1 < one.d_prime.low < 4
    many = sensitivity(3 * np.eye(2)[[0] * 10 + [1] * 10], np.array([0] * 10 + [1] * 10))
    assert many.d_prime.estimate == many.d_prime.high == math.inf


def test_how_many_answers_tell_an_accuracy_from_guessing() -> None:
    found = answers_needed(0.05, 0.2, 0.5, 0.6)
    assert (found.first, found.stable) == (158, 169)
    assert answers_needed(0.05, 0.2, 0.25, 0.6).stable < 25
    with pytest.raises(InputError, match="must lie between guessing"):
        answers_needed(0.05, 0.2, 0.5, 0.4)


@pytest.mark.long
@pytest.mark.parametrize(("outputs", "judges"), [(60, 3), (200, 3), (60, 8)])
def test_limits_hold_the_true_value_as_often_as_they_say(outputs: int, judges: int) -> None:
    """Accuracy .6 with what judges share: 500 studies; limits of shares may be wider than promised, never narrower."""
    rng = np.random.default_rng(11)
    draws = 1 / (1 + np.exp(-(np.log(0.6 / 0.4) + rng.normal(0, 0.75, 2_000_000))))
    true = float(draws.mean())
    d_true = float(norm.ppf(true) - norm.ppf(1 - true))
    held = np.zeros(2)
    level = 0
    for study in range(500):
        counts, truths = judged(outputs, judges, 0.6, 0.75, rng)
        hits, which = [], []
        for row, (pair, truth) in enumerate(zip(counts, truths, strict=True)):
            hits += [1.0] * int(pair[truth]) + [0.0] * int(pair[1 - truth])
            which += [row] * judges
        share = shares.share(hits, which)
        d = sensitivity(counts, truths, seed=study).d_prime
        held += [share.low <= true <= share.high, d.low <= d_true <= d.high]
        guessed, truths = judged(outputs, judges, 0.5, 1.5, rng)
        level += guessing_test(guessed, truths, seed=study, trials=199) <= 0.05
    assert held[0] / 500 >= 0.93
    assert 0.92 <= held[1] / 500 <= 0.985
    assert level / 500 <= 0.075
