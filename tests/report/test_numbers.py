"""Number formats."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.wording import numbers


@pytest.mark.parametrize(
    ("values", "places"),
    [([31.65, 27.4], 2), ([0.41, 1.3], 4), ([], 4), ([float("nan"), 45.0], 2)],
)
def test_decimals_where_the_metric_does_not_say(values: list[float], places: int) -> None:
    assert numbers.decimals(values) == places


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.0, "<0.0001"),
        (1 / 10001, "<0.0001"),
        (0.0001, "0.0001"),
        (0.0421, "0.0421"),
        (0.05, "0.0500"),
        (0.049999, "0.049999"),
        (0.050004, "0.050004"),
        (1.0, "1.0000"),
        (math.nan, "n/a"),
    ],
)
def test_p_values(p: float, text: str) -> None:
    assert numbers.p_value(p) == text


@given(st.floats(0, 1))
def test_a_p_value_is_never_zero_and_stays_on_its_side_of_the_level(p: float) -> None:
    text = numbers.p_value(p)
    assert text != "0.0000"
    shown = float(text.removeprefix("<"))
    assert (shown <= numbers.ALPHA) == (p <= numbers.ALPHA) or math.isclose(p, numbers.ALPHA, rel_tol=1e-12)


@given(st.floats(1e-9, 1))
def test_bounds_on_p_values_are_those_of_the_table(p: float) -> None:
    shown = numbers.p_value(p).removeprefix("<")
    assert numbers.p_digits(p) == shown
    assert (float(shown) <= numbers.ALPHA) == (p <= numbers.ALPHA) or math.isclose(p, numbers.ALPHA, rel_tol=1e-12)


def test_signs() -> None:
    assert numbers.number(-0.001, 2) == "0.00"
    assert numbers.number(-0.01, 2) == "-0.01"
    assert numbers.signed(0.001, 2) == "0.00"
    assert numbers.signed(1.5, 2) == "+1.50"
    assert numbers.signed(-1.5, 2) == "-1.50"
    assert numbers.number(math.inf, 2) == numbers.number(None, 2) == "n/a"


def test_intervals() -> None:
    assert numbers.interval(1.0, 2.0, 2) == "1.00–2.00"
    assert numbers.interval(-1.0, 2.0, 2) == "-1.00 to 2.00"
    assert numbers.interval(-1.0, 2.0, 2, sign=True) == "-1.00 to +2.00"
    assert numbers.interval(None, None, 2) == numbers.interval(math.nan, 1.0, 2) == ""


def test_lists_of_words() -> None:
    assert [numbers.listing(list("abc")[:k]) for k in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert numbers.count(10000) == "10,000"
