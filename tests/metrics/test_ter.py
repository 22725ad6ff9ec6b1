"""TER by hand: edits, shifts, references, empty texts, options."""

from __future__ import annotations

import pytest

from nlgauge import kernels
from nlgauge.metrics.ter import Ter


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
