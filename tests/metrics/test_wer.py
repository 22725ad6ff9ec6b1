"""WER, MER, WIL, WIP and CER by hand: counts, rates, empty texts, several references, averages."""

from __future__ import annotations

import numpy as np
import pytest

from nlgauge import kernels
from nlgauge.errors import SpecError
from nlgauge.metrics.wer import Cer, Mer, Wer, Wil, Wip


@pytest.fixture(params=["native", "python"], autouse=True)
def backend(request: pytest.FixtureRequest) -> object:
    """Every test on both backends."""
    with kernels.use(request.param):
        yield


def test_counts_and_rates_of_one_pair() -> None:
    # a b c d -> a x c d e: b becomes x, e is inserted.
    hypotheses, references = ["a x c d e"], [["a b c d"]]
    assert Wer().corpus_rows(hypotheses, references).tolist() == [[3, 1, 0, 1]]
    assert Wer().corpus(hypotheses, references) == pytest.approx(2 / 4)
    assert Mer().corpus(hypotheses, references) == pytest.approx(2 / 5)
    assert Wip().corpus(hypotheses, references) == pytest.approx(3 / 4 * 3 / 5)
    assert Wil().corpus(hypotheses, references) == pytest.approx(1 - 3 / 4 * 3 / 5)


def test_characters_include_blanks_inside_but_not_around() -> None:
    assert Cer().corpus_rows([" ab c "], [["ab d"]]).tolist() == [[3, 1, 0, 0]]
    assert Cer().corpus(["ab"], [["a b"]]) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("hypothesis", "reference", "wer", "mer", "wip"),
    [("", "", 0, 0, 1), ("a b", "", 2, 1, 0), ("", "a b", 1, 1, 0), ("c", "a b", 1, 1, 0)],
)
def test_empty_texts(hypothesis: str, reference: str, wer: float, mer: float, wip: float) -> None:
    for metric, expected in (
        (Wer(), wer),
        (Mer(), mer),
        (Wip(), wip),
        (Wil(), 1 - wip),
        (Cer(tok="none"), wer),
    ):
        assert metric.corpus([hypothesis], [[reference]]) == expected


def test_corpus_pools_the_counts_and_macro_averages_the_rates() -> None:
    hypotheses, references = ["a", "a b c d"], [["b"], ["a b c d"]]
    assert Wer().corpus(hypotheses, references) == pytest.approx(1 / 5)
    macro = Wer(average="macro")
    assert macro.columns == ("score", "segments")
    assert macro.corpus(hypotheses, references) == pytest.approx(1 / 2)
    assert macro.segments(hypotheses, references).tolist() == [1, 0]
    assert Wip(average="macro").corpus(hypotheses, references) == pytest.approx(1 / 2)


def test_the_reference_with_the_lowest_rate_counts_and_the_first_of_equals() -> None:
    # One error in four words beats one in two; by number of errors they would tie.
    assert Wer().corpus_rows(["a b c x"], [["a x", "a b c d"]]).tolist() == [[3, 1, 0, 0]]
    # Both 1/2: the first, with its substitution, is kept.
    assert Wer().corpus_rows(["a b"], [["a c", "a b c d"]]).tolist() == [[1, 1, 0, 0]]
    assert Wer().corpus_rows(["a b"], [["a b c d", "a c"]]).tolist() == [[2, 0, 2, 0]]
    # An empty reference has the rate of its insertions.
    assert Wer().corpus_rows(["a"], [["", "b c"]]).tolist() == [[0, 0, 0, 1]]


def test_case_counts_unless_lowered() -> None:
    assert Wer().corpus(["The Cat"], [["the cat"]]) == 1
    assert Wer(lower=True).corpus(["The Cat"], [["the cat"]]) == 0
    assert Cer(lower=True).corpus(["ÄB"], [["äb"]]) == 0


def test_a_text_of_several_blocks() -> None:
    words = [f"w{i}" for i in range(200)]
    changed = [*words[:90], "new", *words[91:150], *words[151:], "end"]
    assert Wer().corpus_rows([" ".join(changed)], [[" ".join(words)]]).tolist() == [[198, 1, 1, 1]]


def test_score_is_vectorised() -> None:
    totals = np.array([[[3.0, 1, 0, 1], [0, 0, 0, 0]], [[0, 0, 2, 0], [0, 0, 0, 3]]])
    assert Wer().score(totals).tolist() == [[0.5, 0], [1, 3]]
    assert Wip().score(totals) == pytest.approx(np.array([[0.45, 1], [0, 0]]))


def test_wrong_fields_are_refused() -> None:
    with pytest.raises(SpecError, match="average"):
        Wer(average="mean")
    with pytest.raises(SpecError, match="tok"):
        Wer(tok="nonsense")
