"""The parts of a text that can be marked."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.web.texts import MOST_PARTS, split


def parts(text: str) -> list[str]:
    (spans,) = split([text])
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Rain, then sun.", ["Rain,", "then", "sun."]),
        ("  two\n\nlines ", ["two", "lines"]),
        ("ليس غدًا", ["ليس", "غدًا"]),
        ("晴れ後cloudy", ["晴", "れ", "後", "cloudy"]),
        ("", []),
        ("😀 day", ["😀", "day"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert parts(text) == expected


@given(st.lists(st.text(), min_size=1, max_size=3))
def test_parts_cover_every_sign_once(texts: list[str]) -> None:
    for text, spans in zip(texts, split(texts), strict=True):
        assert "".join(text[start:end] for start, end in spans) == "".join(text.split())
        assert all(first[1] <= second[0] for first, second in pairwise(spans))


def test_long_texts_are_split_into_runs_alike() -> None:
    long = "This sentence has six words indeed. " * 2_000
    spans = split([long, "Short text here, with six words.", long])
    assert sum(map(len, spans)) <= MOST_PARTS
    assert all(long[start:end].endswith(".") for start, end in spans[0])
    assert len(spans[1]) == 1  # as coarse as the others


def test_a_megabyte_without_a_space_stays_small() -> None:
    assert len(split(["x" * 1_000_000])[0]) <= MOST_PARTS
    assert len(split(["晴" * 300_000])[0]) <= MOST_PARTS
