"""ICC(1,·) of items with different judges and different numbers of ratings: R's analysis of variance, and coverage."""

from __future__ import annotations

import numpy as np
import pytest

import nlgauge as ng
from nlgauge.errors import InputError
from nlgauge.stats import agreement
from nlgauge.stats.agreement import Limits

RAGGED = [[3, 4], [1, 2, 2], [5, 4, 5, 5], [2, 3], [4, 4, 3, 5, 4], [1, 1, 3]]


def spread(rows: list[list[int]], judges: int = 5, seed: int = 0) -> np.ndarray:
    """Each item's ratings at judges of their own."""
    draw = np.random.default_rng(seed)
    table = np.full((len(rows), judges), np.nan)
    for row, values in zip(table, rows, strict=True):
        row[draw.permutation(judges)[: len(values)]] = values
    return table


def test_equal_to_the_analysis_of_variance_in_r() -> None:
    """R 4: anova(lm(y ~ factor(item))), k0 and the limits of Thomas and Hultquist computed from it."""
    single = agreement.icc(spread(RAGGED), "1,1")
    assert single.estimate == pytest.approx(0.750419463087, abs=1e-12)
    assert (single.low, single.high) == pytest.approx((0.304689444102, 0.949940382751), abs=1e-11)
    assert (single.statistic, single.p) == pytest.approx((10.3050154799, 0.000364979465034), rel=1e-10)
    assert single.df == (5.0, 13.0) and single.n == 6
    assert single.notes[0] == "the items have 2 to 5 ratings, 3.2 on the average"
    mean = agreement.icc(spread(RAGGED), "1,k")
    assert mean.estimate == pytest.approx(0.902959874058, abs=1e-12)
    assert mean.notes[0].endswith("; k is 3.09")


def test_who_rated_does_not_matter_and_single_ratings_are_left_out() -> None:
    wide = agreement.icc(spread(RAGGED, 40, seed=3), "1,1")
    assert wide.estimate == agreement.icc(spread([*RAGGED, [5]]), "1,1").estimate
    assert wide.estimate == pytest.approx(agreement.icc(spread(RAGGED), "1,1").estimate, abs=1e-14)


@pytest.mark.parametrize("method", ["bootstrap", "jackknife"])
def test_other_limits_hold_the_estimate(method: agreement.Method) -> None:
    found = agreement.icc(spread(RAGGED * 6), "1,1", limits=Limits(method))
    assert found.low < found.estimate < found.high


@pytest.mark.parametrize("correlation", [0.1, 0.6])
def test_coverage_with_two_to_six_ratings(correlation: float) -> None:
    draw = np.random.default_rng(4)
    held = 0
    for _ in range(400):
        sizes = draw.integers(2, 7, 40)
        table = np.where(np.arange(6) < sizes[:, None], 0.0, np.nan)
        table += np.sqrt(1 - correlation) * draw.standard_normal((40, 6))
        table += np.sqrt(correlation) * draw.standard_normal((40, 1))
        found = agreement.icc(table, "1,1")
        held += found.low <= correlation <= found.high
    assert 0.92 <= held / 400 <= 0.98


def test_agree_takes_a_crowd_and_refuses_the_others_for_the_right_reason() -> None:
    draw = np.random.default_rng(2)
    rows = [
        {
            "item": f"i{item}",
            "judge": f"j{judge}",
            "value": int(np.clip(draw.normal(50 + 5 * (item % 7), 12), 0, 100)),
        }
        for item in range(60)
        for judge in draw.choice(88, size=draw.integers(2, 5), replace=False)
    ]
    found = ng.agree(rows)
    assert {row.key for row in found.rows} >= {"icc1", "icc1k"}
    assert found["icc1"].n == 60 and found["icc1"].low < found["icc1"].estimate < found["icc1"].high
    with pytest.raises(InputError, match=r"ICC\(2,1\) tells the judges apart.*ICC\(1,1\) \(icc1\)"):
        ng.agree(rows, coefficients=["icc2"])
