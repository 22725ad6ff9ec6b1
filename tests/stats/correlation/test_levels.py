"""Levels and averaging: what is pooled, what is averaged, what is left out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats.correlation import (
    STATISTICS,
    correlate,
    kendall_b,
    kendall_like_from_scores,
    pearson,
)
from nlgauge.stats.correlation.levels import notes_on
from nlgauge.stats.correlation.statistic import Statistic


@pytest.fixture
def scores() -> tuple[Any, Any]:
    generator = np.random.default_rng(4)
    human, metric = generator.integers(6, size=(5, 9)) * 1.0, generator.normal(size=(5, 9))
    human[generator.random(human.shape) < 0.2] = np.nan
    metric[generator.random(human.shape) < 0.1] = np.nan
    return human, metric


@pytest.mark.parametrize("name", [name for name, known in STATISTICS.items() if known.coefficient])
def test_averages_are_means_of_the_groups_coefficients(name: str, scores: tuple[Any, Any]) -> None:
    human, metric = scores
    coefficient = STATISTICS[name]
    pooled = correlate(human, metric, statistic=name)
    assert pooled.estimate == pytest.approx(coefficient(human.ravel(), metric.ravel()), abs=1e-12)
    assert pooled.n == (~np.isnan(human + metric)).sum()
    by_item = correlate(human, metric, statistic=name, average="item")
    values = [coefficient(human[:, k], metric[:, k]) for k in range(9)]
    assert by_item.estimate == pytest.approx(np.nanmean(values), abs=1e-12)
    assert by_item.groups == 9 - np.isnan(values).sum()
    by_system = correlate(human, metric, statistic=name, average="system")
    assert by_system.estimate == pytest.approx(
        np.nanmean([coefficient(human[k], metric[k]) for k in range(5)]), abs=1e-12
    )


def test_system_level_takes_means_of_outputs_with_both_scores() -> None:
    human = np.array([[1, 2, np.nan], [3, 3, 3], [5, 1, 2]])
    metric = np.array([[1, 3, 100], [2, np.nan, 6], [0, 0, 3]])
    got = correlate(human, metric, level="system")
    assert got.estimate == pytest.approx(pearson([1.5, 3, 8 / 3], [2, 4, 1]))
    assert got.n == 3


def test_equal_means_are_ties_whatever_the_order_of_the_ratings() -> None:
    human = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.5, 0.5, 0.5]])
    assert human[0].sum() != human[1].sum()  # 0.6000000000000001 and 0.6
    got = correlate(human, [[1, 1, 1], [2, 2, 2], [3, 3, 3]], statistic="kendall-b", level="system")
    assert got.estimate == pytest.approx(kendall_b([1, 1, 2], [1, 2, 3]))


def test_flat_scores() -> None:
    assert correlate([1, 2, 4], [1, 3, 2]).estimate == pytest.approx(pearson([1, 2, 4], [1, 3, 2]))
    assert correlate([1, 2, 4], [1, 3, 2], level="system").n == 3


def test_groups_left_out_are_counted_and_said() -> None:
    human = np.array([[1, 2, 5, np.nan], [1, 3, 4, 2], [1, 4, 4, np.nan]])
    metric = np.array([[1, 2, 3, 4], [2, 3, 1, 4], [3, 4, 2, 4.0]])
    got = correlate(human, metric, average="item")
    assert (got.groups, got.constant, got.small) == (2, 1, 1)
    assert "1 of 4 items left out: all ratings equal" in str(got)
    assert "1 of 4 items left out: fewer than two outputs to compare" in str(got)


def test_a_statistic_without_a_value_where_neither_side_is_constant_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    picky = Statistic("picky", "Picky's p", plain=lambda x, y: math.nan if len(set(y)) < len(y) else 1.0)
    monkeypatch.setitem(STATISTICS, "picky", picky)
    people, scores = [[1, 2, 2], [1, 2, 3], [4, 4, 4]], [[1, 2, 2], [1, 2, 3], [1, 2, 2]]
    found = correlate(people, scores, statistic=picky, average="system")
    assert (found.groups, found.constant, found.flat, found.undefined) == (1, 1, 1, 1)
    assert any("1 of 3 systems left out: Picky's p has no value for their scores" in note for note in notes_on(found))
    assert found.to_dict()["undefined"] == 1
    alone = correlate([1, 2, 3], [1, 2, 2], statistic=picky)
    assert any("Picky's p has no value for these scores" in note for note in notes_on(alone))


def test_constant_scores_are_undefined_not_zero() -> None:
    got = correlate(np.ones((3, 4)), np.arange(12.0).reshape(3, 4), average="item")
    assert math.isnan(got.estimate)
    assert "undefined" in str(got)


def test_kendall_like_pools_the_pairs_of_all_items() -> None:
    generator = np.random.default_rng(9)
    human, metric = generator.integers(100, size=(4, 6)) * 1.0, generator.normal(size=(4, 6))
    parts = [kendall_like_from_scores(human[:, k], metric[:, k], 25) for k in range(6)]
    expected = sum(p.concordant - p.discordant for p in parts) / sum(p.pairs for p in parts)
    got = correlate(human, metric, statistic="darr", average="item", threshold=25)
    assert got.estimate == pytest.approx(expected)
    assert got.groups == sum(p.pairs > 0 for p in parts)


def test_pairwise_differences_weigh_groups_by_their_pairs() -> None:
    generator = np.random.default_rng(10)
    human, metric = generator.normal(size=(2, 4, 5))
    human[0, 0] = np.nan
    x, y = [], []
    for item in range(5):
        for a in range(4):
            for b in range(4):
                if a != b and not np.isnan(human[a, item] + human[b, item]):
                    x.append(human[a, item] - human[b, item])
                    y.append(metric[a, item] - metric[b, item])
    got = correlate(human, metric, statistic="pearson-pdp", average="item")
    assert got.estimate == pytest.approx(pearson(x, y), abs=1e-12)


def test_tie_calibration_reports_its_threshold() -> None:
    got = correlate([1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3], statistic="acc*eq")
    assert (got.estimate, got.threshold) == (pytest.approx(0.7), 0.5)


@pytest.mark.parametrize("name", STATISTICS)
def test_every_statistic_has_words_and_json(name: str, scores: tuple[Any, Any]) -> None:
    got = correlate(*scores, statistic=name, level="system")
    assert STATISTICS[name].words in str(got)
    assert got.to_dict()["statistic"] == name


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"statistic": "persson"}, "did you mean pearson"),
        ({"level": "document"}, "unknown level"),
        ({"average": "judge"}, "unknown averaging"),
        ({"level": "system", "average": "item"}, "nothing to average"),
        ({"statistic": "spa"}, "compares systems"),
    ],
)
def test_refusals(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        correlate(np.zeros((3, 3)), np.zeros((3, 3)), **options)


def test_shapes_must_match() -> None:
    with pytest.raises(InputError, match="same systems and items"):
        correlate(np.zeros((3, 3)), np.zeros((3, 4)))
    with pytest.raises(InputError, match="infinite"):
        correlate([1, 2, math.inf], [1, 2, 3])


def test_the_floor_of_an_accuracy_is_what_random_numbers_reach() -> None:
    generator = np.random.default_rng(5)
    human = (generator.random((6, 300)) < 0.15).astype(float)  # most ratings are equal
    for statistic, metric in (
        ("acc-eq", lambda: generator.random(human.shape)),
        ("acc23", lambda: generator.random(human.shape)),
        ("acc23", lambda: generator.integers(0, 2, human.shape)),
        ("tau23", lambda: generator.integers(0, 3, human.shape)),
    ):
        found = [correlate(human, metric(), statistic=statistic, average="item") for _ in range(20)]
        reached = np.mean([one.estimate for one in found])
        assert reached == pytest.approx(np.mean([one.floor for one in found]), abs=0.01)
    assert correlate(human, generator.random(human.shape), statistic="acc-eq", average="item").floor > 0.6
    told_apart = generator.random(human.shape)
    assert correlate(told_apart, generator.random(human.shape), statistic="acc23").floor == 0.5
    assert correlate(human, told_apart).floor == 0.0


def test_random_numbers_do_not_reach_the_floor_of_soft_accuracy() -> None:
    generator = np.random.default_rng(6)
    human = generator.normal(size=(5, 20)) + np.arange(5)[:, None] / 4
    found = [correlate(human, generator.random((5, 20)), statistic="spa", level="system", draws=200) for _ in range(20)]
    assert 0.5 < np.mean([one.estimate for one in found]) < found[0].floor < 0.8
    assert correlate(human, human, statistic="spa", level="system").estimate == 1
