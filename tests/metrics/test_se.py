"""SE and the weighted edit distance by hand."""

from __future__ import annotations

import pytest

from nlgauge import kernels
from nlgauge.errors import InputError
from nlgauge.metrics.se import Se, edit_distance


@pytest.fixture(params=["native", "python"], autouse=True)
def backend(request: pytest.FixtureRequest) -> object:
    """Every test on both backends."""
    with kernels.use(request.param):
        yield


def test_distance_over_the_sum_of_lengths() -> None:
    # One substitution (2) and one insertion (1) between four and five words.
    assert Se().corpus(["a x c d e"], [["a b c d"]]) == pytest.approx(1 - 3 / 9)


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [("", "", 1), ("a", "", 0), ("", "a", 0), ("a b", "a b", 1), ("a", "b", 0)],
)
def test_ends_of_the_scale(hypothesis: str, reference: str, expected: float) -> None:
    assert Se().corpus([hypothesis], [[reference]]) == expected


def test_means_over_references_and_over_segments() -> None:
    hypotheses, references = ["a b", "c"], [["a b", "x y"], ["c d e"]]
    assert Se().segments(hypotheses, references) == pytest.approx([0.5, 0.5])
    assert Se().corpus(["a b", "c"], [["a b", "x y", "a z"], ["c"]]) == pytest.approx((1.5 / 3 + 1) / 2)


def test_characters_on_request() -> None:
    assert Se(unit="char").corpus(["abc"], [["abd"]]) == pytest.approx(1 - 2 / 6)
    assert Se().corpus(["abc"], [["abd"]]) == 0
    assert Se(unit="char", lower=True).corpus(["ABC"], [["abc"]]) == 1


def test_a_subsequence_longer_than_one_block() -> None:
    words = [f"w{i}" for i in range(150)]
    kept = [word for i, word in enumerate(words) if i % 3]
    assert Se().corpus([" ".join(kept)], [[" ".join(words)]]) == pytest.approx(2 * 100 / 250)


def test_edit_distance_with_weights() -> None:
    assert edit_distance("rain", "shine") == 3
    assert edit_distance("rain", "shine", substitution=2) == 5
    assert edit_distance(["the", "cat"], ["the", "dog", "sat"]) == 2
    assert edit_distance("ab", "ba") == 2
    assert edit_distance("ab", "ba", transpositions=True) == 1
    assert edit_distance("aaa", "", deletion=0.5, insertion=9) == 1.5
    assert edit_distance("", "aaa", deletion=9, insertion=0.25) == 0.75


def test_negative_costs_are_refused() -> None:
    with pytest.raises(InputError, match="must not be negative"):
        edit_distance("a", "b", insertion=-1)
