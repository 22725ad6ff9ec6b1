"""TER as pyter computes it: by hand, and beside the package on random words."""

from __future__ import annotations

import random

import pytest

from nlgauge.metrics.pyter import distance_to, edit_rate
from nlgauge.metrics.spec import parse


def test_by_hand() -> None:
    metric = parse("pyter")
    hypothesis = "THIS WEEK THE SAUDIS denied information published in the new york times"
    reference = "SAUDI ARABIA denied THIS WEEK information published in the AMERICAN new york times"
    assert metric.corpus([hypothesis], [[reference]]) == pytest.approx(4 / 13)  # the example of pyter itself
    assert list(metric.segments(["a b", "", "a"], [["a b c d", "a b"], ["a b"], [""]])) == [0.0, 1.0, 1.0]
    assert metric.corpus(["b a c", "x"], [["a b c"], ["x"]]) == pytest.approx(1 / 6)  # the mean of segments
    assert parse("pyter(lower=yes)").corpus(["A"], [["a"]]) == 0


def test_the_distance_is_levenshteins() -> None:
    def plain(words: list[str], reference: list[str]) -> int:
        row = list(range(len(reference) + 1))
        for number, word in enumerate(words, start=1):
            before, row = row, [number]
            for place, other in enumerate(reference):
                row.append(min(before[place] + (word != other), before[place + 1] + 1, row[place] + 1))
        return row[-1]

    draw = random.Random(4)
    for _ in range(300):
        words, reference = (
            draw.choices("abcd", k=draw.randint(0, 80)),
            draw.choices("abcd", k=draw.randint(1, 80)),
        )
        assert distance_to(reference)(words) == plain(words, reference)


def test_it_equals_the_package_on_random_words() -> None:
    pyter = pytest.importorskip("pyter", reason="the live comparison runs pyter3")
    draw = random.Random(5)
    for _ in range(1500):
        kinds = "abcdefghijkl"[: draw.choice([3, 6, 12])]
        words, reference = (
            draw.choices(kinds, k=draw.randint(0, 14)),
            draw.choices(kinds, k=draw.randint(1, 14)),
        )
        assert edit_rate(words, reference) == pytest.approx(pyter.ter(words, reference), abs=1e-12)
