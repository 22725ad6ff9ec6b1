"""Single judges against the mean of a group: the bracketed statistic of Belz and Reiter's Table 3."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats.correlation import kendall_b, pearson, single_judge


@pytest.fixture
def judges() -> tuple[Any, Any]:
    generator = np.random.default_rng(3)
    quality = generator.normal(size=6)
    return quality + generator.normal(size=(4, 6)), quality + 2 * generator.normal(size=(7, 6))


def test_mean_of_single_correlations(judges: tuple[Any, Any]) -> None:
    experts, others = judges
    got = single_judge(others, experts)
    mean = experts.mean(axis=0)
    assert got.estimate == pytest.approx(np.mean([pearson(row, mean) for row in others]))
    assert got.of_means == pytest.approx(pearson(others.mean(axis=0), mean))
    assert (got.judges, got.n) == (7, 6)
    assert str(got) == f"{got.of_means:.3f} ({got.estimate:.3f})"


def test_within_a_group_a_judge_is_part_of_the_mean_unless_left_out(judges: tuple[Any, Any]) -> None:
    experts, _ = judges
    with_self = single_judge(experts)
    without = single_judge(experts, leave_out=True)
    assert with_self.of_means == pytest.approx(1)
    assert with_self.estimate > without.estimate
    expected = [pearson(experts[k], np.delete(experts, k, axis=0).mean(axis=0)) for k in range(4)]
    assert without.estimate == pytest.approx(np.mean(expected))


def test_singles_of_one_group_against_the_means_of_another(judges: tuple[Any, Any]) -> None:
    experts, others = judges
    found = single_judge(others, experts, statistic="kendall")
    turned = single_judge(experts, others, statistic="kendall")
    mean = experts.mean(axis=0)
    assert found.estimate == pytest.approx(np.mean([kendall_b(r, mean) for r in others]))
    assert found.of_means == pytest.approx(turned.of_means)
    assert found.estimate != turned.estimate


def test_gaps_and_constant_judges() -> None:
    scores = np.array([[1, 2, 3, np.nan], [2, 2, 2, 2], [1, 3, 2, 4.0]])
    got = single_judge(scores)
    assert (got.judges, got.undefined) == (2, 1)
    assert "left out: 1" in got.notes[0]
    assert math.isnan(single_judge([[1, 1], [2, 2]]).estimate)


def test_one_run_of_a_metric(judges: tuple[Any, Any]) -> None:
    run = judges[1][0]
    assert single_judge(run, judges[0]).estimate == pytest.approx(pearson(run, judges[0].mean(axis=0)))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: single_judge(np.zeros((2, 3)), np.zeros((2, 4))), "same systems"),
        (lambda: single_judge(np.zeros((2, 3)), np.zeros((2, 3)), leave_out=True), "belongs to"),
        (lambda: single_judge(np.zeros((1, 3)), leave_out=True), "at least two judges"),
        (lambda: single_judge(np.zeros((2, 3)), statistic="acc23"), "compared by"),
        (lambda: single_judge([[1, 2], [1]]), "must be numbers"),
        (lambda: single_judge([]), "table"),
    ],
)
def test_refusals(call: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        call()
