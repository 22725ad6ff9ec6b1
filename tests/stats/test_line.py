"""The least-squares line and its band."""

import numpy as np
import pytest
import scipy.stats
from numpy.testing import assert_allclose

from nlgauge.stats.regression import least_squares


def test_line_and_band_are_those_of_ordinary_regression() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=40)
    y = 2 + 0.7 * x + rng.normal(size=40)
    line = least_squares([*x, np.nan], [*y, 1.0])
    known = scipy.stats.linregress(x, y)
    assert line is not None
    for at in (-2.0, 0.0, 1.5):
        low, value, high = line.at(at)
        assert value == pytest.approx(known.intercept + known.slope * at)
        assert high - value == pytest.approx(value - low)
    # at x = 0 the band is that of the intercept
    low, value, high = line.at(0.0)
    assert_allclose(high - value, scipy.stats.t.ppf(0.975, 38) * known.intercept_stderr)


def test_there_is_no_line_through_two_points_or_one_score() -> None:
    assert least_squares([1, 2], [1, 2]) is None
    assert least_squares([3, 3, 3, 3], [1, 2, 3, 4]) is None


def test_the_band_holds_the_true_line_at_a_score_as_often_as_is_said() -> None:
    rng = np.random.default_rng(2)
    held = 0
    for _ in range(1000):
        x = rng.normal(size=20)
        line = least_squares(x, 1 + x + rng.normal(size=20))
        assert line is not None
        low, _, high = line.at(1.0)
        held += low <= 2.0 <= high
    assert 0.93 <= held / 1000 <= 0.97
