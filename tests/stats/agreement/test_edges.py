"""Odd ratings: everyone agrees, nobody can, one judge, one item, gaps, huge tables; intervals of every kind."""

from __future__ import annotations

import itertools
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats import agreement
from nlgauge.stats.agreement import Coefficient, Limits, UndefinedAgreement
from nlgauge.stats.agreement.intervals import with_limits

ALL: dict[str, Callable[..., Coefficient]] = {
    "percent": agreement.percent_agreement,
    "fleiss": agreement.fleiss,
    "gwet": agreement.gwet,
    "brennan-prediger": agreement.brennan_prediger,
    "conger": agreement.conger,
    "scott": agreement.scott,
    "cohen": agreement.cohen,
    "krippendorff": agreement.krippendorff,
    "ordinal": lambda values, **more: agreement.krippendorff(values, "ordinal", **more),
    "interval": lambda values, **more: agreement.krippendorff(values, "interval", **more),
    "ratio": lambda values, **more: agreement.krippendorff(values, "ratio", **more),
    "icc1": lambda values, **more: agreement.icc(values, "1,1", **more),
    "icc2": lambda values, **more: agreement.icc(values, "2,1", **more),
    "icc3k": lambda values, **more: agreement.icc(values, "3,k", **more),
    "kendall-w": agreement.kendall_w,
    "pearson": lambda values, **more: agreement.pairwise_correlation(values, "pearson", **more),
    "spearman": lambda values, **more: agreement.pairwise_correlation(values, "spearman", **more),
    "kendall": lambda values, **more: agreement.pairwise_correlation(values, "kendall", **more),
}
each = pytest.mark.parametrize("name", ALL)


def noisy(items: int = 30, judges: int = 2, seed: int = 1) -> Any:
    generator = np.random.default_rng(seed)
    values = generator.integers(1, 5, size=(items, 1)) + generator.integers(0, 2, size=(items, judges))
    return values.astype(float)


@each
def test_one_judge_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="at least two judges; the ratings come from one judge"):
        ALL[name]([[1.0], [2.0], [3.0]])


@each
def test_judges_without_a_common_item_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="no item was rated by two judges"):
        ALL[name]([[1.0, None], [None, 2.0]])
    with pytest.raises(InputError, match="no item was rated by two judges"):
        ALL[name](np.full((3, 2), np.nan))


@each
def test_constant_ratings_are_refused_or_answered_with_a_reason(name: str) -> None:
    values = np.full((6, 2), 3.0)
    if name == "percent":
        found = ALL[name](values)
        assert found.estimate == 1 and 0.5 < found.low < 1
        return
    with pytest.raises(UndefinedAgreement, match="is undefined: ") as refused:
        ALL[name](values)
    again = pickle.loads(pickle.dumps(refused.value))  # it may come from another process
    assert (str(again), again.cause, again.why) == (str(refused.value), refused.value.cause, refused.value.why)


def test_constant_ratings_on_a_declared_scale_have_an_ac1() -> None:
    values = np.full((60, 3), 3.0)
    for compute in (agreement.gwet, agreement.brennan_prediger):
        found = compute(values, categories=[1, 2, 3, 4, 5])
        assert found.estimate == 1
        assert any("every rating is 3" in note for note in found.notes)
        assert 0.9 < found.low < 1  # 60 items without disagreement do not prove that there is none


@each
def test_perfect_agreement_is_one_and_its_interval_is_not_a_point(name: str) -> None:
    values = np.repeat(np.arange(1.0, 31.0)[:, None] % 5, 2, axis=1)
    found = ALL[name](values)
    assert found.estimate == pytest.approx(1)
    if not math.isnan(found.low):
        assert found.low < 0.95 and found.high == pytest.approx(1)
    else:
        assert found.notes


@each
@pytest.mark.parametrize("method", ["analytic", "jackknife", "bootstrap"])
def test_every_interval_holds_the_estimate(name: str, method: Any) -> None:
    found = ALL[name](noisy(), limits=Limits(method, trials=200))
    assert found.low < found.estimate < found.high
    assert found.method not in ("", "none") and found.n == 30 and found.judges == 2
    wide = ALL[name](noisy(), limits=Limits(method, 0.99, trials=200))
    assert wide.low <= found.low and wide.high >= found.high
    assert str(found).startswith(found.name) and "95 %" in str(found)


@each
def test_without_interval(name: str) -> None:
    found = ALL[name](noisy(), limits=Limits("none"))
    assert math.isnan(found.low) and found.to_dict()["low"] is None
    assert found.estimate == pytest.approx(ALL[name](noisy()).estimate, abs=1e-14)


@each
def test_the_bootstrap_depends_on_the_seed_only(name: str) -> None:
    first, same, other = (ALL[name](noisy(), limits=Limits("bootstrap", trials=100, seed=seed)) for seed in (1, 1, 2))
    assert (first.low, first.high) == (same.low, same.high) != (other.low, other.high)


@each
def test_order_of_items_and_judges_does_not_matter(name: str) -> None:
    values = noisy()
    found = ALL[name](values).estimate
    assert ALL[name](values[::-1]).estimate == pytest.approx(found, abs=1e-12)
    assert ALL[name](values[:, ::-1]).estimate == pytest.approx(found, abs=1e-12)


@each
def test_items_without_a_rating_change_nothing(name: str) -> None:
    values = noisy()
    padded = np.vstack([values, np.full((5, 2), np.nan)])
    assert ALL[name](padded).estimate == pytest.approx(ALL[name](values).estimate, abs=1e-14)
    assert ALL[name](padded).low == pytest.approx(ALL[name](values).low, abs=1e-12)


def test_one_item() -> None:
    for compute in (agreement.percent_agreement, agreement.fleiss, agreement.krippendorff):
        found = compute([[1, 2, 2]])
        if compute is not agreement.percent_agreement:
            assert math.isnan(found.low) and found.notes
        assert found.n == 1
    with pytest.raises(InputError, match="two items"):
        agreement.icc([[1, 2, 2]])


def test_labels() -> None:
    values = [["good", "good"], ["bad", "good"], ["bad", "bad"], ["fair", None]]
    assert agreement.krippendorff(values).n == 3
    assert agreement.fleiss(values).estimate == agreement.fleiss(np.array(values, dtype=object)).estimate
    with pytest.raises(InputError, match="order of the categories"):
        agreement.krippendorff(values, "ordinal")
    with pytest.raises(InputError, match="order of the categories"):
        agreement.gwet(values, weights="linear")
    with pytest.raises(InputError, match="labels"):
        agreement.icc(values)
    declared = agreement.Ratings.of(values, ["bad", "fair", "good"])
    numbers = [[3, 3], [1, 3], [1, 1], [2, None]]
    assert agreement.krippendorff(declared, "ordinal").estimate == pytest.approx(
        agreement.krippendorff(numbers, "ordinal").estimate
    )


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([1, 2, 3], "items × judges|not iterable|is not"),
        ([[1, 2], [1]], "between 1 and 2 ratings"),
        ([[1, math.inf], [1, 2]], "infinite"),
    ],
)
def test_what_is_no_table(values: Any, words: str) -> None:
    with pytest.raises((InputError, TypeError), match=words):
        agreement.fleiss(values)


def test_bad_choices() -> None:
    values = noisy()
    with pytest.raises(InputError, match="no distance 'ordnial'; did you mean ordinal"):
        agreement.krippendorff(values, "ordnial")
    with pytest.raises(InputError, match="no weights called 'squared'"):
        agreement.fleiss(values, weights="squared")
    with pytest.raises(InputError, match="two judges; there are 3"):
        agreement.cohen(noisy(judges=3))
    with pytest.raises(InputError, match="between 0 and 1"):
        Limits(level=1.2)
    with pytest.raises(InputError, match="not among the categories"):
        agreement.fleiss(values, categories=[1, 2])
    with pytest.raises(InputError, match="from 0 up"):
        agreement.krippendorff(values - 3, "ratio")
    with pytest.raises(InputError, match="square"):
        agreement.cohen_table([[1, 2, 3], [4, 5, 6]])


def test_many_values_and_many_items_are_quick_and_lean() -> None:
    generator = np.random.default_rng(2)
    values = generator.normal(size=(20_000, 1)) + generator.normal(size=(20_000, 3))
    values[generator.random(values.shape) < 0.3] = np.nan
    for scale in ("nominal", "ordinal", "interval"):
        found = agreement.krippendorff(values, scale)
        assert math.isfinite(found.low)
    assert found.estimate == pytest.approx(0.5, abs=0.03)
    with pytest.raises(InputError, match="too many for a table of distances"):
        agreement.krippendorff(np.abs(values), "ratio")


def test_spans_and_sets() -> None:
    sets: list[list[Any]] = [[{"a", "b"}, {"b", "c"}], [set(), set()], [{"a"}, None], [{"d"}, {"d"}]]
    found = agreement.jaccard_agreement(sets)
    assert found.estimate == pytest.approx((1 / 3 + 1 + 1) / 3) and found.n == 3
    pooled = agreement.f1_agreement(sets)
    assert pooled.estimate == pytest.approx((2 * 1 + 2 * 1) / (4 + 2)) and pooled.n == 2
    assert "nobody marked" in pooled.notes[0]
    first, second = {(0, 5)}, {(2, 7)}
    assert agreement.f1_agreement([[first, second]], limits=Limits("none")).estimate == 0
    overlap = [[agreement.positions(first), agreement.positions(second)]]
    assert agreement.f1_agreement(overlap, limits=Limits("none")).estimate == pytest.approx(2 * 3 / 10)
    assert agreement.jaccard_agreement(overlap, limits=Limits("none")).estimate == pytest.approx(3 / 7)
    with pytest.raises(UndefinedAgreement, match="nobody marked anything"):
        agreement.f1_agreement([[set(), set()]])
    with pytest.raises(InputError, match="start"):
        agreement.positions([(5, 2)])
    with pytest.raises(InputError, match="expected a set"):
        agreement.jaccard_agreement([["ab", {"a"}]])
    for method in ("bootstrap", "jackknife"):
        many = [[{k % 3}, {k % 3, k % 2}] for k in range(30)]
        for compute in (agreement.f1_agreement, agreement.jaccard_agreement):
            interval = compute(many, limits=Limits(method, trials=100))  # type: ignore[arg-type]
            assert interval.low < interval.estimate < interval.high


def test_leave_one_out_finds_the_odd_judge() -> None:
    generator = np.random.default_rng(6)
    truth = generator.integers(1, 6, size=40)
    values = np.column_stack([truth, truth, truth, generator.integers(1, 6, size=40)]).astype(float)
    values[3, 0] = np.nan
    reports = agreement.leave_one_out(
        values, lambda some: agreement.krippendorff(some, "ordinal", limits=Limits("none")), list("abcx")
    )
    assert [report.judge for report in reports] == list("abcx")
    assert reports[3].without == pytest.approx(1) and reports[3].change > 0.3
    assert all(report.change < 0 for report in reports[:3])
    assert reports[3].correlation < 0.5 < reports[0].correlation
    assert reports[0].ratings == 39
    pair = agreement.leave_one_out(values[:, :2], agreement.fleiss)
    assert pair[0].to_dict()["without"] is None and pair[0].agreement == 1


def test_leave_one_out_without_the_gaps_is_the_same() -> None:
    generator = np.random.default_rng(8)
    values = generator.integers(1, 6, size=(60, 20)).astype(float)
    values[generator.random(values.shape) < 0.8] = np.nan
    values[0, :3] = 1.0, 2.0, 2.0
    reports = [
        agreement.leave_one_out(values, lambda some: agreement.krippendorff(some, "ordinal"), interchangeable=packed)
        for packed in (False, True)
    ]
    for one, other in zip(*reports, strict=True):
        assert one.without == pytest.approx(other.without, abs=1e-12)


@each
def test_an_interval_that_leaves_its_own_estimate_out_says_so(name: str) -> None:
    for seed, method in itertools.product(range(4), ("analytic", "jackknife", "bootstrap")):
        found = ALL[name](noisy(8, seed=seed), limits=Limits(method, level=0.5, trials=100))
        said = any("leaves its own estimate out" in note for note in found.notes)
        assert said == (found.low > found.estimate + 1e-9 or found.high < found.estimate - 1e-9)


def test_limits_beside_the_estimate_are_not_told_in_silence() -> None:
    for estimate, outside in ((0.1, True), (0.3, False), (0.6, True)):
        found = with_limits(Coefficient(estimate, n=40), {"low": 0.2, "high": 0.5, "method": "drawn"})
        assert any("leaves its own estimate out" in note for note in found.notes) == outside
