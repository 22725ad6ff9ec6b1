"""Differences between metrics: PERM-BOTH against its definition, Williams' test, bootstrap, groups of metrics."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats.correlation import (
    MetricComparison,
    clusters,
    compare_metrics,
    correlate,
    letters,
    pearson,
    williams,
    williams_test,
)
from nlgauge.stats.correlation.permutation import (
    Cells,
    permutation_p,
    permuted_differences,
    random_signs,
)

LEVELS = [("segment", "none"), ("segment", "item"), ("segment", "system"), ("system", "none")]
PERMUTED = [
    "pearson",
    "spearman",
    "kendall-b",
    "kendall-c",
    "pearson-pdp",
    "kendall-like",
    "acc23",
    "tau23",
]


def data(seed: int = 1, ties: bool = True, gaps: float = 0.1) -> tuple[Any, Any]:
    generator = np.random.default_rng(seed)
    quality = generator.normal(size=(5, 8))
    human = np.round(quality + generator.normal(size=(5, 8)))
    metrics = quality + generator.normal(size=(3, 5, 8))
    human[generator.random((5, 8)) < gaps] = np.nan
    return human, np.round(metrics) if ties else metrics


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize(("level", "average"), LEVELS)
@pytest.mark.parametrize("statistic", PERMUTED)
@pytest.mark.parametrize("swap", ["outputs", "items", "systems"])
def test_permutation_tests_are_their_definition(
    statistic: str, level: Any, average: Any, ties: bool, swap: Any
) -> None:
    human, metrics = data(ties=ties)
    cells = Cells.of(human, metrics, level, average, swap)
    pairs = list(itertools.combinations(range(3), 2))
    got = permuted_differences(cells, pairs, statistic=statistic, draws=3, seed=2)
    coins = np.concatenate([part for _, part in random_signs(3, int(cells.units.max()) + 1, 2, 1)])
    signs = coins[:, cells.units.ravel()]
    scores = np.where(cells.present, cells.metrics, np.nan)
    # Cells are (groups, members): one pool, systems by items, or groups in the place of systems.
    options: dict[str, Any] = {"statistic": statistic, "level": level}
    if level == "segment" and average != "none":
        options["average"] = "system"
    for draw, (number, (a, b)) in itertools.product(range(3), enumerate(pairs)):
        keep = signs[draw].reshape(cells.human.shape) > 0
        first, second = np.where(keep, scores[a], scores[b]), np.where(keep, scores[b], scores[a])
        expected = (
            correlate(cells.human, first, **options).estimate - correlate(cells.human, second, **options).estimate
        )
        assert got[draw, number] == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_coins_are_fair_and_scores_standardised() -> None:
    signs = np.concatenate([part for _, part in random_signs(200, 500, 1, 1)])
    assert set(np.unique(signs)) == {-1.0, 1.0}
    assert abs(signs.mean()) < 4 / math.sqrt(signs.size)
    cells = Cells.of(*data(gaps=0.0), "segment", "none")
    assert cells.metrics.mean(axis=2) == pytest.approx(0, abs=1e-12)
    assert cells.metrics.std(axis=2) == pytest.approx(1)


def test_permutation_p_counts_ties_and_is_never_zero() -> None:
    assert permutation_p(1.0, np.array([0.5, 1.0, -1.0, 0.0])) == 3 / 5
    assert permutation_p(1.0, np.array([0.5, 1.0, -1.0, 0.0]), sided="one") == 2 / 5
    assert permutation_p(-1.0, np.array([0.5, 1.0, -1.0, 0.0]), sided="one") == 2 / 5
    assert permutation_p(5.0, np.zeros(9)) == 1 / 10
    assert permutation_p(5.0, np.array([np.nan, 0.0])) == 2 / 3


def strong(seed: int = 0) -> tuple[Any, Any]:
    """Two good metrics and one bad one."""
    generator = np.random.default_rng(seed)
    quality = generator.normal(size=(8, 60))
    human = quality + 0.5 * generator.normal(size=quality.shape)
    noise = generator.normal(size=(3, *quality.shape)) * np.array([0.6, 0.6, 3.0])[:, None, None]
    return human, quality + noise


@pytest.mark.parametrize("test", ["perm-input", "perm-both", "williams", "bootstrap"])
def test_a_clear_difference_is_found(test: Any) -> None:
    human, metrics = strong()
    found = compare_metrics(human, metrics, ["good", "fair", "bad"], test=test, draws=300)
    by_pair = {(one.metric, one.other): one for one in found}
    assert not by_pair["good", "fair"].significant()
    assert by_pair["good", "bad"].significant()
    assert by_pair["fair", "bad"].significant()
    assert "is higher than that of bad" in str(by_pair["good", "bad"])
    assert by_pair["good", "bad"].p_adjusted >= by_pair["good", "bad"].p
    ranked = clusters(found)
    assert {one.metric: one.rank for one in ranked} == {"good": 1, "fair": 1, "bad": 2}
    assert ranked[-1].beaten_by == tuple(one.metric for one in ranked[:2])


@pytest.mark.parametrize("statistic", ["spearman", "kendall-b", "acc23", "acc-eq", "kendall-like"])
def test_other_statistics_by_item(statistic: str) -> None:
    human, metrics = strong(1)
    found = compare_metrics(human, metrics, ["good", "fair", "bad"], statistic=statistic, average="item", draws=200)
    assert [one.significant() for one in found] == [False, True, True]


def test_against_a_baseline() -> None:
    found = compare_metrics(*strong(), ["a", "b", "c"], baseline="b", draws=50)
    assert [(one.metric, one.other) for one in found] == [("a", "b"), ("c", "b")]


def test_equal_metrics_have_p_one() -> None:
    human, metrics = data(gaps=0.0)
    twice = np.stack([metrics[0], 2 * metrics[0] + 1])
    for test in ("perm-both", "williams", "bootstrap"):
        found = compare_metrics(human, twice, ["x", "y"], test=test, draws=50)[0]
        assert found.p == 1.0
        assert abs(found.estimate) < 1e-12


def test_outputs_some_metric_lacks_are_left_out_for_all() -> None:
    human, metrics = strong()
    metrics[0, 0, :5] = np.nan
    found = compare_metrics(human, metrics, ["a", "b", "c"], draws=50)[0]
    assert found.n == 475
    assert "5 judged outputs" in found.notes[0]


def test_constant_metrics_are_left_out_and_named() -> None:
    human, metrics = strong()
    metrics[1] = 3.0
    found = compare_metrics(human, metrics, ["a", "b", "c"], draws=50)
    assert [(one.metric, one.other) for one in found] == [("a", "c")]
    assert "undefined: b" in found[0].notes[0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"test": "t"}, "unknown test"),
        ({"sided": "three"}, "one- or two-sided"),
        ({"draws": 0}, "at least 1 draw"),
        ({"seed": -3}, "seed"),
        ({"baseline": "z"}, "no metric is called"),
        ({"statistic": "spa", "level": "system"}, "use the bootstrap"),
        ({"statistic": "acc-eq"}, "swaps whole groups"),
        ({"statistic": "acc23"}, "groups of at most 64"),
        ({"statistic": "acc23", "average": "item", "test": "williams"}, "is none"),
    ],
)
def test_refusals(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        compare_metrics(*strong(), ["a", "b", "c"], **options)


def test_names_and_shapes_are_checked() -> None:
    human, metrics = strong()
    with pytest.raises(InputError, match="one name for each"):
        compare_metrics(human, metrics, ["a", "b"])
    with pytest.raises(InputError, match="same name"):
        compare_metrics(human, metrics, ["a", "b", "a"])
    with pytest.raises(InputError, match="has scores of shape"):
        compare_metrics(human, metrics[:, :2], ["a", "b", "c"])
    with pytest.raises(InputError, match="at least two"):
        compare_metrics(human, np.ones((2, 8, 60)), ["a", "b"])


def test_williams_by_steiger() -> None:
    # Worked by hand from the formula: r = .5, .3, metrics .4, n = 103; |R| = 1 - .25 - .09 - .16 + .12 = .62.
    t, p = williams(0.5, 0.3, 0.4, 103)
    expected = 0.2 * math.sqrt(102 * 1.4 / (2 * 102 / 100 * 0.62 + 0.16 * 0.6**3))
    assert t == pytest.approx(expected)
    assert williams(0.5, 0.3, 0.4, 103, sided="one")[1] == pytest.approx(p / 2)
    assert williams(0.3, 0.5, 0.4, 103)[0] == pytest.approx(-expected)


def test_williams_drops_outputs_that_lack_a_score() -> None:
    human, metrics = data(gaps=0.2)
    got = williams_test(human, metrics[0], metrics[1])
    present = ~np.isnan(human)
    assert got.n == present.sum()
    assert got.between == pytest.approx(pearson(metrics[0][present], metrics[1][present]))


def test_williams_on_hardly_different_metrics_and_on_opposites() -> None:
    assert williams(0.5, 0.5 + 1e-15, 1.0, 100) == (0.0, 1.0)
    assert all(math.isnan(value) for value in williams(1.0, -1.0, -1.0, 100))


def test_tiny_p_values_are_written_as_bounds() -> None:
    human, metrics = strong()
    found = compare_metrics(np.tile(human, 40), np.tile(metrics, 40), ["a", "b", "c"], test="williams")
    assert "p < 0.000001" in str(found[1])


def test_williams_refuses_three_points() -> None:
    with pytest.raises(InputError, match="at least 4 points"):
        williams_test([1, 2, 3], [1, 3, 2], [2, 1, 3])


def comparison(metric: str, other: str, values: tuple[float, float], p: float) -> MetricComparison:
    return MetricComparison(
        metric, other, *values, values[0] - values[1], p, p, "perm-both", "pearson", "segment", "none", 10
    )


def test_clusters_open_when_a_member_of_the_group_is_better() -> None:
    # a beats c, but neither differs from b; d loses to c only.
    values = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.6}
    better = {("a", "c"), ("c", "d"), ("a", "d")}
    found = [
        comparison(x, y, (values[x], values[y]), 0.01 if (x, y) in better else 0.5)
        for x, y in itertools.combinations("abcd", 2)
    ]
    ranked = clusters(found)
    assert [(one.metric, one.rank) for one in ranked] == [("a", 1), ("b", 1), ("c", 2), ("d", 3)]
    assert ranked[3].beaten_by == ("a", "c")


@pytest.mark.slow
@pytest.mark.parametrize(("test", "limit"), [("perm-both", 0.088), ("williams", 0.088)])
def test_type_one_error(test: Any, limit: float) -> None:
    # 300 runs without a difference at 5 %: three binomial standard errors are 3.8 points.
    hits = 0
    for run in range(300):
        generator = np.random.default_rng([run, 5])
        quality = generator.normal(size=(6, 40))
        human, first, second = quality + generator.normal(size=(3, 6, 40))
        found = compare_metrics(human, np.stack([first, second]), ["a", "b"], test=test, draws=200, seed=run)
        hits += found[0].p <= 0.05
    assert 0.012 <= hits / 300 <= limit


def shared_errors(run: int, share: float, systems: int = 12, items: int = 40) -> tuple[Any, Any]:
    """Two equally good metrics; a share of the variance of their errors is common to all outputs of an item."""
    generator = np.random.default_rng([run, 17])
    quality = generator.normal(size=(systems, items)) + generator.normal(size=(1, items))
    human = quality + generator.normal(size=quality.shape)
    errors = np.sqrt(1 - share) * generator.normal(size=(2, systems, items))
    return human, quality + errors + np.sqrt(share) * generator.normal(size=(2, 1, items))


@pytest.mark.parametrize("average", ["none", "item"])
def test_the_default_test_keeps_its_level_where_outputs_of_an_item_share_errors(average: Any) -> None:
    # 300 sets at 5 %: three standard errors are 3.8 points. Swapping single outputs is wrong in 20 % when pooled.
    found = [
        compare_metrics(*shared_errors(run, 0.6), ["a", "b"], average=average, draws=200, seed=run)[0]
        for run in range(300)
    ]
    assert {one.test for one in found} == {"perm-input"}
    assert 0.012 <= np.mean([one.p <= 0.05 for one in found]) <= 0.088


def test_swapping_single_outputs_is_too_liberal_where_they_share_errors() -> None:
    found = [
        compare_metrics(*shared_errors(run, 0.6), ["a", "b"], test="perm-both", draws=200, seed=run)[0].p
        for run in range(150)
    ]
    assert np.mean(np.array(found) <= 0.05) > 0.12


def test_swapping_systems_finds_differences_of_tau_that_williams_does_not() -> None:
    hits = dict.fromkeys(("perm-sys", "williams"), 0)
    for run in range(60):
        generator = np.random.default_rng([run, 3])
        human = generator.normal(size=(25, 1))
        scores = human + np.array([0.5, 1.3])[:, None, None] * generator.normal(size=(2, 25, 1))
        for test in hits:
            asked: Any = test
            (found,) = compare_metrics(
                human,
                scores,
                ["a", "b"],
                statistic="kendall",
                level="system",
                test=asked,
                draws=200,
                seed=run,
            )
            hits[test] += found.p <= 0.05
    assert hits["perm-sys"] > 1.5 * hits["williams"] > 0


def test_williams_says_that_outputs_of_one_item_are_not_independent() -> None:
    found = compare_metrics(*strong(), ["good", "fair", "bad"], test="williams")
    assert any("several outputs of one item" in note for note in found[0].notes)


def test_letters_are_shared_exactly_by_metrics_that_do_not_differ() -> None:
    values = {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.6}
    better = {("a", "c"), ("c", "d"), ("a", "d")}
    found = [
        comparison(x, y, (values[x], values[y]), 0.01 if (x, y) in better else 0.5)
        for x, y in itertools.combinations("abcd", 2)
    ]
    assert letters(found) == {"a": "a", "b": "abc", "c": "b", "d": "c"}
    generator = np.random.default_rng(1)
    names = [f"m{k}" for k in range(9)]
    for _ in range(30):
        random_found = [
            comparison(x, y, (float(generator.random()), 0.5), float(generator.choice([0.01, 0.5])))
            for x, y in itertools.combinations(names, 2)
        ]
        shown = letters(random_found)
        for one in random_found:
            assert bool(set(shown[one.metric]) & set(shown[one.other])) != one.significant()


def test_a_small_p_beside_tails_that_differ_is_told_with_what_simulation_gave() -> None:
    rng = np.random.default_rng(3)
    human = rng.normal(size=(6, 60))
    close, even = human + 0.5 * rng.normal(size=(2, 6, 60))
    heavy = human + rng.standard_t(2, size=(6, 60))
    told = {
        (one.metric, one.other): any("heavy tails" in note for note in one.notes)
        for one in compare_metrics(human, np.stack([close, even, heavy]), ["close", "even", "heavy"], draws=200)
    }
    assert told == {("close", "even"): False, ("close", "heavy"): True, ("even", "heavy"): True}
    ranks = compare_metrics(human, np.stack([close, heavy]), ["close", "heavy"], statistic="spearman", draws=50)
    assert ranks[0].p < 0.05 and not any("heavy tails" in note for note in ranks[0].notes)
