"""Opposed judges, negative variances and limits beyond what a coefficient can be."""

from __future__ import annotations

import math

import pytest

from nlgauge.stats import agreement

OPPOSED = [[float(place), 7.0 - place] for place in range(1, 7)]


@pytest.mark.parametrize("values", [OPPOSED, [[1, 4], [2, 3], [3, 2], [4, 1]]])
def test_opposed_judges_have_a_concordance_of_0_without_limits(values: list[list[float]]) -> None:
    found = agreement.kendall_w(values)
    assert found.estimate == 0 and found.p == 1
    assert math.isnan(found.low) and "no interval" in found.notes[0]


def test_one_item_that_hides_opposition_leaves_concordance_without_limits() -> None:
    found = agreement.kendall_w([[1, 5], [2, 4], [3, 3], [4, 1], [5, 2]])  # 0 without the fourth item or the fifth
    assert found.estimate > 0 and math.isnan(found.low)


def test_a_negative_variance_leaves_the_intraclass_correlation_undefined() -> None:
    with pytest.raises(agreement.UndefinedAgreement, match="estimated as 0 or less"):
        agreement.icc(OPPOSED, "2,k")
    single = agreement.icc(OPPOSED, "2,1")
    assert single.estimate == pytest.approx(-1.5)  # as pingouin has it, and said to be impossible
    assert math.isnan(single.low) and single.method == "none"
    assert any("below the least possible value -1" in note for note in single.notes)
    assert any("its limits coincide" in note for note in single.notes)


def test_infinite_limits_are_no_interval() -> None:
    found = agreement.icc([[1, 2], [2, 1], [3, 3]], "2,k")
    assert math.isfinite(found.estimate) and math.isnan(found.low) and math.isnan(found.high)
    assert "its limits are not finite" in found.notes[0]


def test_a_jackknife_or_bootstrap_that_never_varies_is_no_interval() -> None:
    values = [[1, 2], [2, 1], [1, 2], [2, 1], [1, 2], [2, 1]]
    for method in ("jackknife", "bootstrap"):
        found = agreement.percent_agreement(values, limits=agreement.Limits(method))
        assert found.estimate == 0 and found.low != found.high, method


def test_limits_end_where_the_coefficient_does() -> None:
    rare = [[1, 2, 3], [1, 2, 3], [1, 2, 3], [1, 1, 2]]
    for method in ("analytic", "bootstrap"):
        percent = agreement.percent_agreement(rare, limits=agreement.Limits(method))
        assert percent.estimate == pytest.approx(1 / 12) and percent.low == 0 < percent.high
    two = [[2, 2], [2, 1], [1, 2], [1, 2]]
    for coefficient in (agreement.fleiss, agreement.cohen, agreement.krippendorff, agreement.conger):
        for kind in ("analytic", "jackknife"):
            found = coefficient(two, limits=agreement.Limits(kind))
            assert -1 <= found.low < found.estimate < found.high <= 1, (coefficient, kind)


def test_uniform_chance_has_a_least_value_of_its_own() -> None:
    ends = [[1, 10], [10, 1], [1, 10], [9, 2], [1, 10]]
    found = agreement.brennan_prediger(ends, weights="quadratic", categories=range(1, 11))
    assert found.low == pytest.approx(-found.expected / (1 - found.expected)) and found.low < found.estimate < -1


def test_kappa_of_opposed_judges_has_no_interval_left_by_rounding() -> None:
    found = agreement.cohen(OPPOSED, weights="quadratic")
    assert found.estimate == pytest.approx(-1) and math.isnan(found.low) and found.method == "none"


def test_one_value_seen_is_no_certainty_of_agreement() -> None:
    equal = [[3, 3, 3]] * 22
    for categories in (None, [1, 2, 3]):
        found = agreement.percent_agreement(equal, categories=categories)
        assert (found.low, found.high) == (pytest.approx(0.05 ** (1 / 22)), 1.0)
