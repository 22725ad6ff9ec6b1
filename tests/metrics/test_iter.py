"""ITER: by hand, against TER where the two must agree, by its properties, and compiled against plain."""

from __future__ import annotations

import random
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge import kernels
from nlgauge.metrics.iter import Iter
from nlgauge.metrics.levenshtein import Levenshtein
from nlgauge.metrics.spec import parse
from nlgauge.metrics.ter import Ter

TEXTS = st.lists(st.sampled_from(["run", "runs", "running", "cat", "cats", "the", "on"]), max_size=9).map(" ".join)


@pytest.mark.parametrize("backend", ["native", "python"])
@pytest.mark.parametrize(
    ("spec", "hypothesis", "reference", "score"),
    [
        ("iter", "the cat sat", "the cat sat", 0),
        ("iter", "the cats sat", "the cat sat", 0.5 / 3),
        ("iter(stem_cost=0.1)", "the cats sat", "the cat sat", 0.1 / 3),
        ("iter(stem=none)", "the cats sat", "the cat sat", 1 / 3),
        ("iter", "a dog sat", "the cat sat", 2 / 3),
        ("iter", "d e a b c", "a b c d e", 1 / 5),  # one shift
        ("iter(shift=0.25)", "d e a b c", "a b c d e", 0.25 / 5),
        ("iter(shift=9)", "d e a b c", "a b c d e", 4 / 5),  # a shift costs more than the edits it saves
        ("iter", "cats d e a b", "a b cat d e", 1.5 / 5),  # a b is moved, cats stays in place by its stem
        ("iter", "a b c d", "a b", 2 / 4),
        ("iter(norm=reference)", "a b c d", "a b", 2 / 2),
        ("iter(norm=alignment)", "a x c d", "a b", 3 / 4),
        ("iter(insertion=0.25)", "a b c d", "a b", 0.5 / 4),
        ("iter(deletion=0.25)", "a b", "a b c d", 0.5 / 4),
        ("iter", "", "", 0),
        ("iter", "a b", "", 1),
        ("iter", "", "a b", 1),
    ],
)
def test_by_hand(spec: str, hypothesis: str, reference: str, score: float, backend: str) -> None:
    with kernels.use(backend):
        assert parse(spec).corpus([hypothesis], [[reference]]) == pytest.approx(score)


def test_nearest_reference_and_mean_of_segments() -> None:
    assert Iter().corpus(["a b", "x"], [["c d", "a b"], ["y"]]) == 0.5


def random_pairs(number: int, longest: int, seed: int) -> tuple[list[str], list[list[str]]]:
    draw = random.Random(seed)
    hypotheses, references = [], []
    for _ in range(number):
        words = [f"w{draw.randrange(draw.choice((5, 60)))}" for _ in range(draw.randint(0, longest))]
        other = [word for word in words if draw.random() < 0.85]
        cut, end = sorted((draw.randint(0, len(other)), draw.randint(0, len(other))))
        hypotheses.append(" ".join(other[cut:end] + other[:cut] + other[end:]))
        references.append([" ".join(words)])
    return hypotheses, references


@pytest.mark.parametrize(("number", "longest"), [(400, 15), (40, 70)])
def test_without_stems_the_numerator_is_ters(number: int, longest: int) -> None:
    """Where no candidate ties by another measure of length, costs of 1 make the same shifts as tercom."""
    hypotheses, references = random_pairs(number, longest, longest)
    edits = Ter().corpus_rows(hypotheses, references)[:, 0]
    lengths = np.array([max(len(refs[0].split()), 1) for refs in references])
    mine = Iter(stem="none", norm="reference").segments(hypotheses, references) * lengths
    assert mine == pytest.approx(edits)


@given(TEXTS, TEXTS)
@settings(max_examples=150, deadline=None)
def test_between_nothing_and_the_edit_distance(hypothesis: str, reference: str) -> None:
    plain = Levenshtein(unit="word").corpus([hypothesis], [[reference]])
    score = Iter().corpus([hypothesis], [[reference]])
    assert 0 <= score <= plain + 1e-12
    dearer = Iter(substitution=2.0, insertion=2.0, deletion=2.0, shift=2.0, stem_cost=1.0)
    assert dearer.corpus([hypothesis], [[reference]]) == pytest.approx(2 * score)


def test_never_below_the_best_of_all_orders() -> None:
    """Shifts only reorder: no cost is below that of the best order of the words."""
    for hypothesis, reference in (("a b c d", "d c a b"), ("b a d c", "a b c d"), ("a a b", "b a a c")):
        orders = [" ".join(order) for order in permutations(hypothesis.split())]
        best = min(Levenshtein(unit="word").corpus([order], [[reference]]) for order in orders)
        assert Iter(shift=0.0).corpus([hypothesis], [[reference]]) >= best - 1e-12


@pytest.mark.skipif(not kernels.native_available(), reason="no compiled kernels to compare")
@given(
    st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=4),
    st.tuples(*[st.sampled_from([0.0, 0.3, 0.7, 1.0, 1.6])] * 5),
    st.sampled_from(["longest", "reference", "alignment"]),
)
@settings(max_examples=120, deadline=None)
def test_native_equals_the_twin(texts: list[tuple[str, list[str]]], costs: tuple[float, ...], norm: str) -> None:
    stem, substitution, insertion, deletion, shift = costs
    metric = Iter(
        stem_cost=stem,
        substitution=substitution,
        insertion=insertion,
        deletion=deletion,
        shift=shift,
        norm=norm,
    )
    lists = [text for text, _ in texts], [refs for _, refs in texts]
    native = metric.corpus_rows(*lists)
    with kernels.use("python"):
        assert np.array_equal(metric.corpus_rows(*lists), native)


@pytest.mark.skipif(not kernels.native_available(), reason="no compiled kernels to compare")
def test_native_equals_the_twin_in_the_beam() -> None:
    texts = random_pairs(4, 75, 8)
    native = Iter(stem_cost=0.3, shift=0.4).corpus_rows(*texts)
    with kernels.use("python"):
        assert np.array_equal(Iter(stem_cost=0.3, shift=0.4).corpus_rows(*texts), native)
