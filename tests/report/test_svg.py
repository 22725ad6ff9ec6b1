"""Scales and labels of the plots."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from nlgauge.report.svg import make_scale, round_ticks, shorten, text_width


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(2, 8))
def test_ticks_are_few_round_and_inside(low: float, span: float, most: int) -> None:
    ticks, places = round_ticks(low, low + span, most)
    assert len(ticks) <= most
    slack = 1e-6 * (abs(low) + span)
    assert all(low - slack <= tick <= low + span + slack for tick in ticks)
    for tick in ticks:
        assert abs(float(f"{tick:.{places}f}") - tick) <= 1e-9 * max(1.0, abs(tick))


@given(st.lists(st.floats(-1e4, 1e4), max_size=6), st.booleans())
def test_tick_labels_never_touch(values: list[float], zero: bool) -> None:
    scale = make_scale(values, 100, 300, zero=zero)
    places = [(scale(tick), text_width(f"{tick:.{scale.places}f}")) for tick in scale.ticks]
    for (left, first), (right, second) in pairwise(places):
        assert right - left > (first + second) / 2
    for value in values:
        assert 100 <= scale(value) <= 300
    if zero:
        assert scale.low < 0 < scale.high


def test_known_scales() -> None:
    assert round_ticks(0, 100, 6)[0] == (0, 20, 40, 60, 80, 100)
    assert round_ticks(0.31, 0.52, 5) == ((0.35000000000000003, 0.4, 0.45, 0.5), 2)
    assert make_scale([], 0, 1).ticks
    assert make_scale([5.0, 5.0], 0, 100).low < 5 < make_scale([5.0, 5.0], 0, 100).high


@given(st.text(min_size=1, max_size=80), st.floats(40, 200))
def test_shortened_labels_fit(text: str, room: float) -> None:
    short = shorten(text, room)
    assert text_width(short) <= room or len(short) <= 3
    assert short == text or "…" in short
