"""RIBES: the paper's examples, ambiguous words, and where its implementations differ."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from nlgauge import kernels
from nlgauge.kernels.python.alignment import pairs_in_order, pairs_in_runs, rank_alignment
from nlgauge.metrics.spec import parse

BACKENDS = ["native", "python"] if kernels.native_available() else ["python"]
FORMS = ["nltk", "nltk3.9", "ntt"]


@pytest.fixture(params=BACKENDS, autouse=True)
def backend(request: pytest.FixtureRequest) -> Iterator[None]:
    with kernels.use(request.param):
        yield


def test_the_examples_of_the_paper() -> None:
    hypothesis = ["he", "read", "the", "book", "because", "he", "was", "interested", "in", "world", "history"]
    reference = ["he", "was", "interested", "in", "world", "history", "because", "he", "read", "the", "book"]
    places = rank_alignment(hypothesis, reference, "nltk")
    assert places == [7, 8, 9, 10, 6, 0, 1, 2, 3, 4, 5]
    # 6 pairs within 7 to 10, 15 within 0 to 5, none across
    assert pairs_in_order(places) == pairs_in_runs(places) == 21
    score = parse("ribes(alpha=0,beta=0)").corpus([" ".join(hypothesis)], [[" ".join(reference)]])
    assert score == pytest.approx(21 / 55)


def test_pairs() -> None:
    # Bob hit John yesterday: places 2 1 0 3, of whose six pairs three ascend, none of them side by side.
    outputs, references = ["Bob hit John yesterday"], [["John hit Bob yesterday"]]
    assert pairs_in_order([2, 1, 0, 3]) == 3 and pairs_in_runs([2, 1, 0, 3]) == 0
    assert [parse(f"ribes(form={form})").corpus(outputs, references) for form in FORMS] == [0.5, 0, 0.5]


def test_precision_and_brevity() -> None:
    # Two of three words are placed, in order; the reference is twice as long.
    score = parse("ribes").corpus(["a x b"], [["a b c d e f"]])
    assert score == pytest.approx((2 / 3) ** 0.25 * 2.718281828459045 ** ((1 - 6 / 3) * 0.1))


def test_of_several_places_the_shortest_unique_neighbourhood_decides() -> None:
    assert rank_alignment(["a", "b", "a", "c"], ["a", "c", "x", "a", "b"], "nltk") == [3, 4, 0, 1]
    # a a: no stretch around either word occurs once in both texts
    assert rank_alignment(["a", "a"], ["a", "a", "a"], "nltk") == []


def test_sides_are_looked_at_in_different_order() -> None:
    # The middle b: "b c" and "a b" occur once in both texts, but place it differently.
    hypothesis, reference = ["a", "b", "c", "b"], ["b", "c", "a", "b"]
    assert rank_alignment(hypothesis, reference, "nltk")[1] == 0
    assert rank_alignment(hypothesis, reference, "ntt")[1] == 3


@pytest.mark.parametrize("form", FORMS)
def test_single_words_and_nothing(form: str) -> None:
    metric = parse(f"ribes(form={form})")
    one = 1 if form == "ntt" else 0  # only the authors let a single word match
    assert metric.segments(["a", "", "a", ""], [["a"], ["a"], [""], [""]]).tolist() == [one, 0, 0, 0]


def test_the_best_reference_counts_and_segments_are_averaged() -> None:
    metric = parse("ribes")
    outputs, references = ["a b c", "x y"], [["c b a", "a b c d"], ["y x"]]
    best = metric.corpus(["a b c"], [["a b c d"]])
    assert metric.segments(outputs, references).tolist() == [best, 0]
    assert metric.corpus(outputs, references) == pytest.approx(best / 2)
