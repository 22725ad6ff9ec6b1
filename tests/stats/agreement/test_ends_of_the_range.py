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
