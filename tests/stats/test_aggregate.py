"""One value an item: standardised and weighted means, majorities, Dawid and Skene."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats import aggregate

# Dawid and Skene (1979), Table 1: 45 patients; observer 1 judged three times, observers 2 to 5 once each.
ANAESTHESIA = """
1111111 3334334 1122122 2223121 2223222 2223322 1222111 3333433 2222223 2322223 4444444 2223343 1111111 2223212 1211111
1112111 1111111 1111111 2222221 2221322 2222222 2222221 2223222 2212222 1111111 1111111 2322222 1111111 1111111 1121121
1111111 3333233 1111111 2222222 2223232 4334343 2212232 2323233 3333432 1111111 1111111 1212111 2322222 1211111 2222222
""".split()  # noqa: SIM905 - a table


def judgements() -> tuple[list[int], list[int], list[int]]:
    triples = [
        (patient, max(0, place - 2), int(label))
        for patient, row in enumerate(ANAESTHESIA)
        for place, label in enumerate(row)
    ]
    items, judges, labels = zip(*triples, strict=True)
    return list(items), list(judges), list(labels)


def plain_em(items: list[int], judges: list[int], labels: list[int], rounds: int) -> tuple[Any, Any]:
    """The paper's equations, word for word."""
    counts = np.zeros((45, 5, 4))
    for item, judge, label in zip(items, judges, labels, strict=True):
        counts[item, judge, label - 1] += 1
    belief = counts.sum(axis=1) / counts.sum(axis=(1, 2))[:, None]
    for _ in range(rounds):
        priors = belief.mean(axis=0)
        errors = np.einsum("ik,ijl->jkl", belief, counts)
        errors /= errors.sum(axis=2, keepdims=True)
        likely = priors * np.prod(errors[None] ** counts[:, :, None, :], axis=(1, 3))
        belief = likely / likely.sum(axis=1, keepdims=True)
    return priors, belief


def test_dawid_skene_on_the_data_of_the_paper() -> None:
    fit = aggregate.dawid_skene_judgements(*judgements(), tolerance=1e-14)
    assert fit.converged and fit.iterations < 200 and fit.change < 1e-10
    priors, belief = plain_em(*judgements(), rounds=fit.iterations)
    np.testing.assert_allclose(fit.priors, priors, atol=1e-10)
    np.testing.assert_allclose(fit.posteriors, belief, atol=1e-10)
    assert fit.priors == pytest.approx([0.40, 0.42, 0.11, 0.07], abs=0.005)  # as quoted from the paper
    assert "converged after" in str(fit) and fit.to_dict()["converged"] is True


def test_dawid_skene_climbs_and_says_where_it_stopped() -> None:
    climb = [aggregate.dawid_skene_judgements(*judgements(), rounds=rounds).log_likelihood for rounds in range(1, 12)]
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(climb))
    stopped = aggregate.dawid_skene_judgements(*judgements(), rounds=2)
    assert not stopped.converged and "did NOT converge" in str(stopped)


def test_dawid_skene_beats_the_majority_when_judges_differ() -> None:
    generator = np.random.default_rng(4)
    truth = generator.integers(0, 3, size=400)
    skill = [0.9, 0.85, 0.4, 0.4, 0.4]
    values = np.column_stack(
        [np.where(generator.random(400) < s, truth, generator.integers(0, 3, size=400)) for s in skill]
    ).astype(float)
    values[generator.random(values.shape) < 0.1] = np.nan
    fit = aggregate.dawid_skene(values, smoothing=0.01)
    right = np.mean(np.array(fit.labels) == truth)
    votes = aggregate.majority(values)
    by_votes = np.mean([value == t for value, t in zip(votes.values, truth, strict=True)])
    assert right > by_votes + 0.05
    assert fit.accuracies[0] > 0.85
    assert fit.accuracies[2] < 0.7


def test_dawid_skene_with_gaps_and_nonsense() -> None:
    fit = aggregate.dawid_skene([["a", "a"], [None, None], ["b", "b"]])
    assert fit.labels == ("a", None, "b") and fit.posteriors[1].tolist() == [0, 0]
    with pytest.raises(InputError, match="no rating"):
        aggregate.dawid_skene([[None, None]])
    with pytest.raises(InputError, match="one length"):
        aggregate.dawid_skene_judgements([0], [0, 1], ["a"])
    with pytest.raises(InputError, match="rounds"):
        aggregate.dawid_skene([[1, 2]], rounds=0)


def test_standardise() -> None:
    values = [[1, 10, 5], [2, 20, 5], [3, None, 5], [4, 40, None]]
    found = aggregate.standardise(values)
    table: Any = np.array(values, dtype=float)
    for judge in (0, 1):
        column = table[:, judge]
        given = column[~np.isnan(column)]
        expected = (column - given.mean()) / given.std(ddof=1)
        np.testing.assert_allclose(found.values[:, judge], expected)
    assert found.flat == (2,)
    assert found.values[:3, 2].tolist() == [0, 0, 0] and math.isnan(found.values[3, 2])


def test_weights_follow_agreement() -> None:
    generator = np.random.default_rng(9)
    truth = generator.normal(size=200)
    values = truth[:, None] + generator.normal(size=(200, 4)) * [0.3, 0.3, 0.6, 5.0]
    found = aggregate.agreement_weights(values)
    assert found.weights.sum() == pytest.approx(1)
    assert found.weights[0] > found.weights[2] > found.weights[3]
    plain = values.mean(axis=1)
    assert np.corrcoef(found.values, truth)[0, 1] > np.corrcoef(plain, truth)[0, 1]
    contrary = np.column_stack([truth, truth + 0.1, -truth])
    against = aggregate.agreement_weights(np.column_stack([contrary, truth * 2]))
    assert against.weights[2] == 0 and "weight 0" in against.notes[0]
    with pytest.raises(InputError, match="at least three judges"):
        aggregate.agreement_weights(values[:, :2])


def test_weighted_means_over_gaps() -> None:
    found = aggregate.weighted_means([[1, 3], [None, 4], [None, None]], [1, 3])
    assert found.values[:2].tolist() == [2.5, 4] and math.isnan(found.values[2])
    with pytest.raises(InputError, match="one weight for each"):
        aggregate.weighted_means([[1, 3]], [1])
    with pytest.raises(InputError, match="not all of them 0"):
        aggregate.weighted_means([[1, 3]], [0, 0])
    assert "weight 0" in aggregate.weighted_means([[1, None], [2, 3]], [0, 1]).notes[0]


def test_majority() -> None:
    found = aggregate.majority([["x", "x", "y"], ["x", "y", None], [None, None, None]])
    assert found.values == ("x", None, None) and found.ties == (1,)
    assert found.shares[0] == pytest.approx(2 / 3) and math.isnan(found.shares[2])


def test_a_constant_judge_is_known_by_the_values_not_by_a_rounded_mean() -> None:
    found = aggregate.standardise([[0.1, 1], [0.1, 2], [0.1, 3]])  # the mean of three 0.1 is not 0.1
    assert found.flat == (0,) and found.deviations[0] == 0
    assert found.values[:, 0].tolist() == [0, 0, 0] and found.values[:, 1].tolist() == [-1, 0, 1]


def test_items_and_judges_at_the_end_without_ratings_keep_their_places() -> None:
    found = aggregate.dawid_skene([[1, 1, 1], [2, 2, 2], [1, 2, 1], [None] * 3])
    assert found.labels == (1, 2, 1, None) and found.posteriors.shape == (4, 2)
    silent = aggregate.dawid_skene([[1, 1, None], [2, 2, None], [1, 1, None]])
    assert silent.confusion.shape == (3, 2, 2)
