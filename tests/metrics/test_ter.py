"""TER by hand: edits, shifts, references, empty texts, options."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nlgauge import kernels
from nlgauge.errors import InputError
from nlgauge.kernels.python.ter import move
from nlgauge.metrics.ter import Ter, TerTrace


@pytest.fixture(params=["native", "python"], autouse=True)
def backend(request: pytest.FixtureRequest) -> object:
    """Every test on both backends."""
    with kernels.use(request.param):
        yield


@pytest.mark.parametrize(
    ("hypothesis", "reference", "edits"),
    [
        ("a b c", "a b c", 0),
        ("a x c", "a b c", 1),
        ("a c", "a b c", 1),
        ("a b c d", "a b d", 1),
        ("d e a b c", "a b c d e", 1),  # one shift, however long the block
        ("a b c d e f g h i j k l", "g h i j k l a b c d e f", 1),
        ("b a d c f e", "a b c d e f", 3),
        ("c b a", "x y z", 3),
    ],
)
def test_edits_of_one_pair(hypothesis: str, reference: str, edits: int) -> None:
    row = Ter().corpus_rows([hypothesis], [[reference]])[0]
    assert row.tolist() == [edits, len(reference.split())]


def test_the_worked_example_of_the_paper() -> None:
    hypothesis = "this week the saudis denied information published in the new york times"
    reference = "saudi arabia denied this week information published in the american new york times"
    assert Ter().corpus([hypothesis], [[reference]]) == pytest.approx(100 * 4 / 13)


def test_fewest_edits_over_the_mean_length() -> None:
    rows = Ter().corpus_rows(["a b c"], [["a b", "a b c d e", "x y z x"]])
    assert rows.tolist() == [[1, 11 / 3]]


@pytest.mark.parametrize(
    ("hypothesis", "reference", "score"),
    [("", "", 0), ("a b", "", 100), ("", "a b", 100), ("a b c d", "a b", 100)],
)
def test_empty_texts(hypothesis: str, reference: str, score: float) -> None:
    assert Ter().corpus([hypothesis], [[reference]]) == score


def test_corpus_sums_edits_and_lengths() -> None:
    assert Ter().corpus(["a x", "a b c d e f"], [["a b"], ["a b c d e f"]]) == pytest.approx(100 / 8)
    assert Ter().corpus(["a b", "c"], [[""], ["c"]]) == 200  # the words against nothing still count


def test_options_choose_the_tokeniser() -> None:
    assert Ter().tokenizer == "tercom"
    assert Ter(norm=True, asian=True).tokenizer == "tercom:norm+asian"
    assert Ter().corpus(["The Cat"], [["the cat"]]) == 0
    assert Ter(lower=False).corpus(["The Cat"], [["the cat"]]) == 100
    assert Ter().corpus(["a cat."], [["a cat ."]]) > 0
    assert Ter(norm=True).corpus(["a cat."], [["a cat ."]]) == 0
    assert Ter(nopunct=True).corpus(["a, cat!"], [["a cat"]]) == 0


def test_references_are_normalised_twice() -> None:
    # As in sacreBLEU: the hypothesis "it's ." meets the reference "it 's .".
    assert Ter(norm=True).corpus_rows(["it's."], [["it's."]]).tolist() == [[2, 3]]
    assert Ter().corpus_rows(["it's."], [["it's."]]).tolist() == [[0, 1]]


def test_search_ends_on_repeated_words() -> None:
    # Far more shifts than may be tried; the last round is given up, the distance stands.
    hypothesis, reference = "a b " * 60, "b a " * 60
    assert 0 < Ter().corpus_rows([hypothesis], [[reference]])[0, 0] <= 120


# what was counted


def test_trace_of_the_worked_example() -> None:
    hypothesis = "this week the saudis denied information published in the new york times"
    reference = "saudi arabia denied this week information published in the american new york times"
    trace = Ter().trace(hypothesis, [reference])
    assert [(shift.words, shift.start, shift.target) for shift in trace.shifts] == [(("this", "week"), 0, 5)]
    kinds = [edit.kind for edit in trace.edits]
    assert [kinds.count(kind) for kind in ("match", "substitution", "insertion", "deletion")] == [10, 2, 0, 1]
    assert trace.count == 4
    assert trace.score == pytest.approx(100 * 4 / 13)
    assert str(trace).endswith('missing: "american"; 4 edits against reference 1: TER 30.77')


def replayed(trace: TerTrace) -> list[str]:
    """The hypothesis with the trace's shifts and edits carried out."""
    words = list(trace.hypothesis_words)
    for shift in trace.shifts:
        assert tuple(words[shift.start : shift.start + len(shift.words)]) == shift.words
        words = move(words, shift.start, len(shift.words), shift.target)
    assert tuple(words) == trace.shifted_words
    assert [edit.hypothesis for edit in trace.edits if edit.hypothesis is not None] == list(range(len(words)))
    out = []
    for edit in trace.edits:
        if edit.reference is not None:
            word = trace.reference_words[edit.reference]
            assert (edit.kind == "match") == (edit.hypothesis is not None and words[edit.hypothesis] == word)
            out.append(word)
        else:
            assert edit.kind == "insertion"
    return out


@given(
    st.lists(st.sampled_from("abcd"), max_size=10).map(" ".join),
    st.lists(st.lists(st.sampled_from("abcd"), max_size=10).map(" ".join), min_size=1, max_size=3),
)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_trace_carries_the_hypothesis_to_the_reference(hypothesis: str, references: list[str]) -> None:
    trace = Ter().trace(hypothesis, references)
    row = Ter().corpus_rows([hypothesis], [references])[0]
    assert trace.count == row[0]
    assert trace.score == pytest.approx(float(Ter().score(row)))
    assert " ".join(replayed(trace)) == references[trace.reference]


def test_trace_needs_a_reference() -> None:
    with pytest.raises(InputError, match="at least one reference"):
        Ter().trace("a", [])
