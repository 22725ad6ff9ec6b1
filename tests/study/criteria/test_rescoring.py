"""Scales and reverse-keyed answers: turning twice gives the answer back, and what is not on the scale is refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.errors import InputError
from nlgauge.study.criteria import criteria, find, rescore, scale
from nlgauge.study.criteria.catalogue import scales
from nlgauge.study.criteria.types import Criterion

RATED = [
    found
    for one in criteria()
    for form in ("rating", "closed")
    if (found := one.worded(form)) is not None and found.scale is not None
]
REVERSED = [one for one in RATED if one.reverse]


def test_the_reverse_keyed_are_declared() -> None:
    asked = {one.wording.text["en"] for one in REVERSED}
    assert {"Does the bot repeat itself?", "Does the bot say things that don't make sense?"} <= asked
    assert {one.id for one in REVERSED} == {"making-sense", "avoiding-repetition", "non-redundancy"}


@pytest.mark.parametrize("one", RATED, ids=lambda one: f"{one.id}/{one.wording.form}")
def test_rescoring_twice_gives_the_answer_back(one: Criterion) -> None:
    assert one.scale is not None
    values = one.scale.values or (0.0, 12.5, 100.0)
    turned = [rescore(value, one) for value in values]
    assert [rescore(value, one) for value in turned] == list(values)
    assert turned == (list(reversed(values)) if one.reverse else list(values))


@given(st.floats(0, 100))
def test_sliders_are_turned_too(value: float) -> None:
    one = find("avoiding-repetition").scaled(scale("quality-5").slider())
    assert math.isclose(rescore(rescore(value, one), one), value, abs_tol=1e-9)
    assert math.isclose(rescore(value, one), 100 - value, abs_tol=1e-9)


@pytest.mark.parametrize("value", [0, 5, 2.5, -1, math.nan, math.inf])
def test_answers_off_the_scale_are_refused(value: float) -> None:
    with pytest.raises(InputError, match=r"avoiding-repetition: the answer .* expected one of 1, 2, 3, 4"):
        rescore(value, find("avoiding-repetition"))


def test_a_slider_names_its_ends() -> None:
    one = find("fluency").scaled(scale("slider-100"))
    with pytest.raises(InputError, match="expected between 0 and 100"):
        rescore(100.5, one)


@pytest.mark.parametrize("name", scales())
def test_labels_stand_at_their_points(name: str) -> None:
    found = scale(name)
    last = (found.points or 2) - 1
    assert found.label(0) == found.labels[0]["en"] and found.label(last) == found.labels[-1]["en"]
    if found.points and len(found.labels) == 2 < found.points:
        assert found.label(1) == ""
    slider = found.slider()
    assert slider.points is None and slider.values == () and slider.label(1) == found.label(last)
    assert found.allows(found.low) and found.allows(found.high) and not found.allows(found.high + 1)


def test_scales_in_words() -> None:
    assert str(scale("yes-no")) == "2 points: 0 No, 1 Yes"
    assert str(scale("score-0-5")) == "6 points: 0 Very poor to 5 Very good"
    assert str(scale("slider-100")) == "continuous: 0 Very poor to 100 Very good"
    assert scale("score-0-5").values == (0, 1, 2, 3, 4, 5)
    assert scale("agreement-7").label(6, "de") == "Stimme voll und ganz zu"
    assert scale("fluency-5-german").label(4, "de") == "Flawless German"  # only quoted in English
