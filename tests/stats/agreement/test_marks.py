"""Agreement on marked spans: matching, and alpha over characters."""

from __future__ import annotations

from itertools import chain
from random import Random

import pytest

from nlgauge.errors import InputError
from nlgauge.stats.agreement import UndefinedAgreement, character_alpha, krippendorff, matched


def test_spans_match_one_to_one_the_greatest_overlap_first() -> None:
    assert matched([(0, 10)], [(0, 3), (2, 9)]) == [(0, 1)]
    assert matched([(0, 4), (4, 8)], [(3, 8), (0, 2)]) == [(0, 1), (1, 0)]
    assert matched([(0, 4)], [(4, 8)]) == [] and matched([], [(0, 1)]) == []


def test_alpha_is_krippendorffs_of_the_characters() -> None:
    random = Random(3)
    texts = [
        [[random.choice(["", "", "minor", "major"]) for _ in range(length)] for _ in range(judges)]
        for length, judges in ((12, 2), (7, 3), (20, 2), (5, 4))
    ]
    found = character_alpha(texts)
    cells = list(
        chain.from_iterable(
            [[*column] + [None] * (4 - len(column)) for column in zip(*text, strict=True)] for text in texts
        )
    )
    assert found.estimate == pytest.approx(krippendorff(cells).estimate)
    assert found.low < found.estimate < found.high and found.n == 4


def test_perfect_agreement_and_none_at_all() -> None:
    assert character_alpha([[["", "x"], ["", "x"]], [["x"], ["x"]]]).estimate == 1
    with pytest.raises(UndefinedAgreement, match="all characters have the same label"):
        character_alpha([[["", ""], ["", ""]]])
    with pytest.raises(InputError, match="marked by two judges"):
        character_alpha([[["", "x"]]])
    with pytest.raises(InputError, match="a label for each"):
        character_alpha([[["", "x"], [""]]])
