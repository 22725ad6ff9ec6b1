"""GTM: worked examples from the definition, an exhaustive oracle on short texts, and properties."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest

from nlgauge import kernels
from nlgauge.kernels.python.alignment import greedy_runs
from nlgauge.metrics.spec import parse

BACKENDS = ["native", "python"] if kernels.native_available() else ["python"]


@pytest.fixture(params=BACKENDS, autouse=True)
def backend(request: pytest.FixtureRequest) -> Iterator[None]:
    with kernels.use(request.param):
        yield


def size(hypothesis: str, reference: str, exponent: float) -> float:
    rows = parse(f"gtm(exponent={exponent},tok=none)").corpus_rows([hypothesis], [[reference]])
    return float(rows[0, 0])


def largest(hypothesis: Sequence[str], reference: Sequence[str], exponent: float) -> float:
    """The size of the largest matching, by trying all of them."""

    def matchings(i: int, used: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if i == len(hypothesis):
            yield used
            return
        yield from matchings(i + 1, (*used, -1))
        for k, word in enumerate(reference):
            if word == hypothesis[i] and k not in used:
                yield from matchings(i + 1, (*used, k))

    def of(places: Sequence[int]) -> float:
        runs: list[int] = []
        for i, place in enumerate(places):
            follows = i > 0 and place > 0 and places[i - 1] == place - 1
            if place >= 0:
                runs = [*runs[:-1], runs[-1] + 1] if follows else [*runs, 1]
        return sum(run**exponent for run in runs) ** (1 / exponent)

    return max(of(places) for places in matchings(0, ()))


def test_a_matching_by_hand() -> None:
    # Runs: "c d e" (3) and "a b" (2); x and y match nothing.
    hypothesis, reference = "a b x c d e", "c d e y a b"
    assert size(hypothesis, reference, 1) == 5
    assert size(hypothesis, reference, 2) == pytest.approx((9 + 4) ** 0.5)
    assert size(hypothesis, reference, 3) == pytest.approx((27 + 8) ** (1 / 3))


def test_precision_recall_and_their_weighted_mean() -> None:
    outputs, references = ["a b c d"], [["a b c d e f g h"]]
    assert parse("gtm.p").corpus(outputs, references) == 1
    assert parse("gtm.r").corpus(outputs, references) == 0.5
    assert parse("gtm").corpus(outputs, references) == pytest.approx(2 / 3)
    assert parse("gtm(beta=2)").corpus(outputs, references) == pytest.approx(5 * 0.5 / (0.5 + 4))


def test_a_word_is_matched_once() -> None:
    assert size("the the the the", "the cat", 1) == 1
    assert size("the the the the", "the cat and the dog", 2) == pytest.approx(2**0.5)


def test_the_longest_run_is_taken_first_and_of_equals_the_first() -> None:
    # a b c (3) blocks both a b x and y b c; of the two places for "a b" the first is taken.
    assert greedy_runs(["a", "b", "c", "a", "b"], ["a", "b", "x", "a", "b", "c"]) == [(0, 3, 3), (3, 0, 2)]
    assert greedy_runs(["a", "b"], ["a", "b", "a", "b"]) == [(0, 0, 2)]


def test_sizes_and_lengths_are_summed_over_a_set() -> None:
    metric = parse("gtm(exponent=2)")
    outputs, references = ["a b", "x"], [["b a"], ["x y"]]
    rows = metric.corpus_rows(outputs, references)
    assert rows.tolist() == [[pytest.approx(2**0.5), 2, 2], [1, 1, 2]]
    precision, recall = (2**0.5 + 1) / 3, (2**0.5 + 1) / 4
    assert metric.corpus(outputs, references) == pytest.approx(2 * precision * recall / (precision + recall))


def test_the_best_reference_counts() -> None:
    outputs = ["a b c"]
    both = parse("gtm").corpus(outputs, [["a x y z", "a b"]])
    assert both == parse("gtm").corpus(outputs, [["a b"]]) == pytest.approx(0.8)


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.0, 3.0])
def test_greedy_never_exceeds_the_exhaustive_search_and_equals_it_where_words_are_distinct(
    exponent: float,
) -> None:
    rng = random.Random(int(10 * exponent))
    for _ in range(60):
        hypothesis = rng.choices("abc", k=rng.randint(0, 5))
        reference = rng.choices("abc", k=rng.randint(0, 5))
        best = largest(hypothesis, reference, exponent)
        found = size(" ".join(hypothesis), " ".join(reference), exponent)
        assert found <= best + 1e-9
        if exponent == 1:
            assert found == best
        distinct = rng.sample("abcdefg", 6), rng.sample("abcdefg", 6)
        forced = size(" ".join(distinct[0]), " ".join(distinct[1]), exponent)
        assert forced == pytest.approx(largest(*distinct, exponent), abs=1e-9)


@pytest.mark.parametrize("exponent", [1, 2, 3])
def test_properties(exponent: int) -> None:
    rng = random.Random(exponent)
    metric = parse(f"gtm(exponent={exponent},tok=none)")
    for _ in range(50):
        words = rng.choices("abcdefgh", k=rng.randint(1, 12))
        other = rng.choices("abcdefgh", k=rng.randint(1, 12))
        text, reference = " ".join(words), " ".join(other)
        score = metric.corpus([text], [[reference]])
        assert 0 <= score <= 1
        assert metric.corpus([text], [[text]]) == pytest.approx(1)
        damaged = " ".join(["?", *words[1:]])
        if exponent == 1:
            assert score == pytest.approx(metric.corpus([reference], [[text]]))
            assert metric.corpus([damaged], [[reference]]) <= score + 1e-12
        # Longer exponents never make a matching larger.
        assert size(text, reference, exponent + 1) <= size(text, reference, exponent) + 1e-9


def test_nothing_matches_nothing() -> None:
    assert parse("gtm").segments(["", "a", ""], [["a"], [""], [""]]).tolist() == [0, 0, 0]
