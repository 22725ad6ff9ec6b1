"""Ratings on each judge's own scale."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.stats.aggregate import standardise
from nlgauge.stats.rescale import rescale


def test_z_scores_equal_those_of_the_table() -> None:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(7, 3)) * [1, 5, 20] + [0, 10, 50]
    found = rescale(table.ravel(), list("abc") * 7)
    assert found.values.reshape(7, 3) == pytest.approx(standardise(table).values)


def test_ratios_forget_the_unit() -> None:
    ratings = np.array([1.0, 2, 4, 10, 20, 40])
    found = rescale(ratings, ["a"] * 3 + ["b"] * 3, "ratio")
    assert found.values == pytest.approx([0.5, 1, 2, 0.5, 1, 2])
    logs = rescale(ratings, ["a"] * 3 + ["b"] * 3, "log-ratio").values
    assert logs == pytest.approx(np.log(found.values))
    with pytest.raises(InputError, match="rating 2 is 0"):
        rescale([1, 0, 2], ["a"] * 3, "ratio")


def test_min_max_and_judges_without_spread() -> None:
    found = rescale([0, 50, 100, 7, 7, 7], ["a"] * 3 + ["b"] * 3, "min-max")
    assert found.values == pytest.approx([0, 0.5, 1, 0.5, 0.5, 0.5])
    assert found.flat == ("b",) and "1 of 2 judges gave one value only" in found.notes[0]
    assert found.few == ("a",)
    assert rescale([7, 7, 1, 2], list("bbaa"), "z").values[:2] == pytest.approx([0, 0])
    dropped = rescale([7, 7, 1, 2], list("bbaa"), "z", keep_flat=False).values
    assert math.isnan(dropped[0]) and not math.isnan(dropped[2])
    assert rescale([3, 3, 4, 4], list("abab"), "ratio").values.shape == (4,)


def test_bad_input() -> None:
    with pytest.raises(InputError, match="one of z, ratio"):
        rescale([1, 2], list("aa"), "percent")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="finite"):
        rescale([1, math.nan], list("aa"))
