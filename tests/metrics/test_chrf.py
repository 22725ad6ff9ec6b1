"""chrF by hand: small counts, the score's formula, the options and the corners."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

from nlgauge.errors import SpecError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics import chrf as module
from nlgauge.metrics.chrf import Chrf
from nlgauge.metrics.spec import parse


def rows(metric: Chrf, hypothesis: str, *references: str) -> list[float]:
    """The statistics of one segment."""
    return metric.rows(Batch([hypothesis], [list(references)]))[0].tolist()


pytestmark = pytest.mark.usefixtures("backend")


def test_counts_by_hand() -> None:
    # unigrams a2 b2 against a1 b2, bigrams ab2 ba1 against ab1 bb1, trigrams aba bab against abb
    assert rows(Chrf(char=3), "abab", "abb") == [4, 3, 3, 3, 2, 1, 2, 1, 0]


def test_score_by_hand() -> None:
    # precision (3/4 + 1/3 + 0) / 3, recall (1 + 1/2 + 0) / 3, F2 = 5PR / (4P + R)
    precision, recall = (3 / 4 + 1 / 3) / 3, (1 + 1 / 2) / 3
    wanted = 100 * 5 * precision * recall / (4 * precision + recall)
    assert Chrf(char=3).corpus(["abab"], [["abb"]]) == pytest.approx(wanted, abs=1e-12)


def test_eps_averages_the_f_of_each_order() -> None:
    first, second = 5 * (3 / 4) / (4 * 3 / 4 + 1), 5 * (1 / 3) * (1 / 2) / (4 / 3 + 1 / 2)
    wanted = 100 * (first + second) / 3
    assert Chrf(char=3, eps=True).corpus(["abab"], [["abb"]]) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "reference", "counts"),
    [
        ("(hi)", ")", [2, 1, 1]),  # the end first, and one mark only
        ("(hi)", "hi", [2, 1, 0]),
        ("(hi", "hi", [2, 1, 1]),
        ("...", ".", [2, 1, 1]),
        (".", ".", [1, 1, 1]),
        ("«hi»", "hi", [1, 1, 0]),  # ASCII punctuation only
        ("don't stop!", "don't stop", [3, 2, 2]),
    ],
)
def test_words_lose_one_mark(text: str, reference: str, counts: list[float]) -> None:
    assert rows(Chrf(char=0, word=1), text, reference) == counts


def test_white_space_is_dropped_unless_asked_for() -> None:
    assert Chrf().corpus(["a b\u3000c\x1cd"], [["ab cd"]]) == 100
    assert rows(Chrf(char=2, whitespace=True), "a b", "ab") == [3, 2, 2, 2, 1, 0]
    assert rows(Chrf(char=1), "a\u200bb", "ab") == [3, 2, 2]  # a zero-width space is no white space


def test_lower_case_is_that_of_unicode() -> None:
    assert Chrf().corpus(["STRASSE İÉ"], [["strasse i̇é"]]) < 100
    assert Chrf(lower=True).corpus(["STRASSE İÉ"], [["strasse i̇é"]]) == 100
    assert Chrf(lower=True).corpus(["ABC"], [["abc"]]) == 100


def test_a_reference_too_short_for_an_order_hides_the_hypothesis_there() -> None:
    assert rows(Chrf(char=3), "abcd", "ab") == [4, 2, 2, 3, 1, 1, 0, 0, 0]
    assert rows(Chrf(char=3), "ab", "abcd") == [2, 4, 2, 1, 3, 1, 0, 2, 0]


def test_empty_texts() -> None:
    assert Chrf().corpus([""], [["abc"]]) == 0
    assert Chrf().corpus(["abc"], [[""]]) == 0
    assert Chrf().corpus([""], [[""]]) == 0
    assert rows(Chrf(char=1), "", "abc") == [0, 3, 0]


def test_the_best_reference_gives_the_counts() -> None:
    assert rows(Chrf(char=2), "abc", "xyz", "abd", "abcd") == rows(Chrf(char=2), "abc", "abcd")
    # without any match the first reference still counts
    assert rows(Chrf(char=1), "abc", "xy", "xyz") == [3, 2, 0]


def test_numbers_of_references_may_differ() -> None:
    metric = Chrf()
    together = metric.corpus_rows(["abc", "abd"], [["abc"], ["x", "abd", "y"]])
    assert together.tolist() == [rows(metric, "abc", "abc"), rows(metric, "abd", "x", "abd", "y")]


def test_score_keeps_leading_axes() -> None:
    metric = Chrf(word=2)
    table = metric.corpus_rows(["the cat sat", "", "a b"], [["the cat"], ["x"], ["a c"]])
    wanted = [float(metric.score(row)) for row in table]
    np.testing.assert_array_equal(metric.score(np.stack([table, table])), [wanted, wanted])
    assert float(metric.score(np.zeros(table.shape[1]))) == 0


def test_columns_name_every_statistic() -> None:
    metric = Chrf(char=2, word=1)
    assert metric.columns[:3] == ("hypothesis_char1", "reference_char1", "match_char1")
    assert metric.columns[-1] == "match_word1"
    assert len(metric.columns) == len(rows(metric, "a b", "a b")) == 9


def test_aliases_fix_the_word_order() -> None:
    assert parse("chrf++") == Chrf(word=2)
    assert parse("chrf+") == Chrf(word=1)
    assert str(Chrf(word=2, beta=3)) == "chrf++(beta=3)"


def test_some_order_must_be_counted() -> None:
    with pytest.raises(SpecError, match="char and word"):
        Chrf(char=0, word=0)


def test_texts_must_be_strings() -> None:
    with pytest.raises((TypeError, AttributeError)):
        Chrf().rows(Batch([b"bytes"], [["text"]]))  # type: ignore[list-item]


def test_the_examples_in_the_docstrings_hold() -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0 and result.failed == 0
