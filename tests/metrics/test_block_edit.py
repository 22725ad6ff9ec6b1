"""CDER, PER, MultiWER and Levenshtein: by hand, against brute force on short texts, and by their properties."""

from __future__ import annotations

import heapq
import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge import kernels
from nlgauge.errors import InputError
from nlgauge.kernels import python as twin
from nlgauge.kernels.python.edit import long_jump_distance, position_independent_errors
from nlgauge.metrics.cder import Cder
from nlgauge.metrics.levenshtein import Levenshtein
from nlgauge.metrics.multiwer import MultiWer
from nlgauge.metrics.per import Per
from nlgauge.metrics.wer import Wer

LISTS = st.lists(st.sampled_from("abcd"), max_size=9)
TEXTS = LISTS.map(" ".join)


@pytest.fixture(params=["native", "python"])
def backend(request: pytest.FixtureRequest) -> object:
    """A test on both backends."""
    with kernels.use(request.param):
        yield


# CDER


@pytest.mark.parametrize(
    ("hypothesis", "reference", "errors"),
    [
        ("a b c", "a b c", 0),
        ("a x c", "a b c", 1),
        ("a c", "a b c", 1),
        ("a b c d", "a b d", 1),
        ("c d e f a b", "a b c d e f", 3),  # to a b, back to c d e f, to the end: where WER counts 4
        ("a d e b c f", "a b c d e f", 3),  # to b c, back to d e, on to f
        ("b a", "a b", 2),
        ("a a a a", "a", 1),  # words passed over: one jump
        ("", "a b", 2),
        ("a b", "", 1),
        ("", "", 0),
        ("x y z", "a b c", 3),
    ],
)
def test_long_jump_distance_by_hand(hypothesis: str, reference: str, errors: int, backend: object) -> None:
    assert Cder().corpus_rows([hypothesis], [[reference]]).tolist() == [[errors, len(reference.split())]]


def cheapest_walk(hypothesis: list[str], reference: list[str]) -> int:
    """Dijkstra over the grid's corners with every jump as an edge of its own: slow, and written another way."""
    end = (len(hypothesis), len(reference))
    queue, done = [(0, 0, 0)], set()
    while queue:
        cost, i, j = heapq.heappop(queue)
        if (i, j) == end:
            return cost
        if (i, j) in done:
            continue
        done.add((i, j))
        steps = [(cost + 1, k, j) for k in range(len(hypothesis) + 1) if k != i]
        if j < len(reference):
            steps.append((cost + 1, i, j + 1))
            if i < len(hypothesis):
                steps.append((cost + (hypothesis[i] != reference[j]), i + 1, j + 1))
        for step in steps:
            heapq.heappush(queue, step)
    raise AssertionError("the end is always reached")


@given(LISTS, LISTS)
@settings(max_examples=300, deadline=None)
def test_long_jump_distance_is_the_cheapest_walk(hypothesis: list[str], reference: list[str]) -> None:
    assert long_jump_distance(hypothesis, reference) == cheapest_walk(hypothesis, reference)


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=3))
@settings(max_examples=150, deadline=None)
def test_cder_and_per_are_never_above_wer(hypothesis: str, references: list[str]) -> None:
    wer = Wer(tok="none").segments([hypothesis], [references])[0]
    assert Cder().segments([hypothesis], [references])[0] <= wer + 1e-12
    assert Per().segments([hypothesis], [references])[0] <= wer + 1e-12


# PER


@pytest.mark.parametrize(
    ("hypothesis", "reference", "errors"),
    [
        ("c b a", "a b c", 0),
        ("a a b", "a b b", 1),
        ("a", "a b c", 2),
        ("a b c d", "b", 3),
        ("x y", "a b c", 3),
        ("", "", 0),
        ("a b", "", 2),
    ],
)
def test_position_independent_errors_by_hand(hypothesis: str, reference: str, errors: int, backend: object) -> None:
    assert Per().corpus_rows([hypothesis], [[reference]]).tolist() == [[errors, len(reference.split())]]


@given(st.lists(st.sampled_from("abc"), max_size=5), st.lists(st.sampled_from("abc"), max_size=5))
@settings(max_examples=100, deadline=None)
def test_per_is_wer_of_the_best_order(hypothesis: list[str], reference: list[str]) -> None:
    orders = {" ".join(order) for order in itertools.permutations(hypothesis)}
    best = min(Levenshtein(unit="word", norm="none").segments([order], [[" ".join(reference)]])[0] for order in orders)
    assert position_independent_errors(hypothesis, reference) == best


# several references


def test_the_reference_with_the_lowest_rate_counts(backend: object) -> None:
    references = [["a b", "a b c d e f"]]  # 1 error of 2 words, 3 of 6: equal rates, the first
    assert Per().corpus_rows(["a b c"], references).tolist() == [[1, 2]]
    assert Cder().corpus_rows(["a b c"], [["x", "a b c d e f"]]).tolist() == [[3, 6]]
    assert Cder().corpus_rows(["a b"], [["", "a b"]]).tolist() == [[0, 2]]


@pytest.mark.parametrize(("length", "expected"), [("nearest", 2), ("average", 4), ("shortest", 2), ("closest", 4)])
def test_multiwer_lengths(length: str, expected: float, backend: object) -> None:
    # hypothesis: 4 words; edits 2, 4 and 2 against references of 2, 4 and 6 words
    references = [["a b", "x y z x", "a b c d e f"]]
    rows = MultiWer(length=length).corpus_rows(["a b c d"], references)
    assert rows.tolist() == [[2, 6 if length == "nearest" else expected]]


@given(st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=4)), max_size=6))
@settings(max_examples=100, deadline=None)
def test_multiwer_is_the_fewest_edits(texts: list[tuple[str, list[str]]]) -> None:
    hypotheses, references = [text for text, _ in texts], [refs for _, refs in texts]
    one = Levenshtein(unit="word", norm="none")
    fewest = [min(one.corpus([text], [[ref]]) for ref in refs) for text, refs in texts]
    rows = MultiWer().corpus_rows(hypotheses, references)
    assert rows[:, 0].tolist() == fewest
    assert all(
        length in [len(ref.split()) for ref in refs] for length, (_, refs) in zip(rows[:, 1], texts, strict=True)
    )


def test_corpora_sum_errors_and_lengths(backend: object) -> None:
    for metric in (Cder(), Per(), MultiWer()):
        assert metric.corpus(["a x", "a b c"], [["a b"], ["a b c"]]) == pytest.approx(1 / 5)


# Levenshtein


def test_levenshtein_options(backend: object) -> None:
    texts = ["sitting"], [["kitten"]]
    assert Levenshtein().corpus(*texts) == 3 / 7
    assert Levenshtein(norm="reference").corpus(*texts) == 3 / 6
    assert Levenshtein(norm="none", substitution=2.0).corpus(*texts) == 5
    assert Levenshtein(norm="none", insertion=0.25).corpus(["abcd"], [["ab"]]) == 0.5
    assert Levenshtein(norm="none", deletion=0.25).corpus(["abcd"], [["ab"]]) == 2
    assert Levenshtein(norm="none", transposition=True).corpus(["acb"], [["abc"]]) == 1
    assert Levenshtein(unit="word", norm="none").corpus(["a b c", "d"], [["a x c"], ["d e", "f"]]) == 1
    assert Levenshtein().corpus([""], [[""]]) == 0
    assert Levenshtein(lower=True).corpus(["ABC"], [["abc"]]) == 0


def test_long_texts_need_little_memory() -> None:
    """One row, not the matrix; only transpositions need the whole of it, and are refused where that is too large."""
    draw = random.Random(3)
    long = "x" + "".join(draw.choice("abcd ") for _ in range(20_000)) + "x"
    assert Levenshtein(norm="none", insertion=0.5).corpus([long[:200]], [[long]]) == 20_002 - 200
    assert Levenshtein(norm="none").corpus([long[1:]], [[long]]) == 1
    if kernels.backend() == "native":
        with pytest.raises(InputError, match="leave transposition out"):
            Levenshtein(transposition=True).corpus([long], [[long]])


@pytest.mark.skipif(not kernels.native_available(), reason="no compiled kernels to compare")
@given(st.lists(st.tuples(LISTS, st.lists(LISTS, min_size=1, max_size=3)), max_size=5))
@settings(max_examples=150, deadline=None)
def test_native_equals_the_twin(texts: list[tuple[list[str], list[list[str]]]]) -> None:
    from nlgauge import _native

    lists = [text for text, _ in texts], [refs for _, refs in texts]
    fast, plain = _native.tokens_from_lists(*lists), twin.tokens_from_lists(*lists)
    assert np.array_equal(_native.cder_rows(fast, 1), twin.cder_rows(plain, 1))
    assert np.array_equal(_native.per_rows(fast, 1), twin.per_rows(plain, 1))
