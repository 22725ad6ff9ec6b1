"""ROUGE by hand: overlaps, the union LCS, the rules for several references, the options and the corners."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

from nlgauge import kernels
from nlgauge.errors import SpecError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics import rouge as module
from nlgauge.metrics.base import Metric
from nlgauge.metrics.rouge import Rouge, RougeL, RougeLsum
from nlgauge.metrics.spec import parse

pytestmark = pytest.mark.usefixtures("backend")


def prf(metric: Metric, hypothesis: str, *references: str) -> tuple[float, ...]:
    """Precision, recall and F of one segment."""
    row = metric.rows(Batch([hypothesis], [list(references)]))[0].tolist()
    assert row[3] == 1
    return tuple(row[:3])


def f(precision: float, recall: float, beta: float = 1) -> float:
    return (1 + beta**2) * precision * recall / (recall + beta**2 * precision)


def test_ngram_overlap_is_clipped() -> None:
    assert prf(Rouge(), "the the the cat", "the cat the") == pytest.approx((3 / 4, 1, f(3 / 4, 1)))
    assert prf(Rouge(order=2), "the the the cat", "the cat the") == pytest.approx((1 / 3, 1 / 2, f(1 / 3, 1 / 2)))
    assert prf(Rouge(order=5), "a b c", "a b c") == (0, 0, 0)


def test_longest_common_subsequence() -> None:
    # the example of Lin 2004, section 3.1
    reference = "police killed the gunman"
    assert prf(RougeL(), "police kill the gunman", reference) == (0.75, 0.75, 0.75)
    assert prf(RougeL(), "the gunman kill police", reference) == (0.5, 0.5, 0.5)


def test_union_of_subsequences() -> None:
    # Lin 2004, section 3.2: w1 w2 from one sentence, w1 w3 w5 from the other, so 4 of 5
    hypothesis = "w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5"
    assert prf(RougeLsum(), hypothesis, "w1 w2 w3 w4 w5") == pytest.approx((4 / 10, 4 / 5, f(4 / 10, 4 / 5)))
    assert prf(RougeL(), "b\na", "a\nb") == (0.5, 0.5, 0.5)
    assert prf(RougeLsum(), "b\na", "a\nb") == (1, 1, 1)


def test_the_union_counts_no_token_more_often_than_the_hypothesis_has_it() -> None:
    assert prf(RougeLsum(), "a b", "a\na\na b") == pytest.approx((1, 2 / 4, f(1, 2 / 4)))


@pytest.mark.parametrize("metric", [Rouge(), Rouge(order=2), RougeL(), RougeLsum()])
@pytest.mark.parametrize(
    ("hypothesis", "reference"), [("", "a b"), ("a b", ""), ("", ""), ("?!", "..."), ("\n\n", "a\n")]
)
def test_nothing_to_compare_scores_zero(metric: Metric, hypothesis: str, reference: str) -> None:
    assert prf(metric, hypothesis, reference) == (0, 0, 0)


@pytest.mark.parametrize("make", [Rouge, RougeL, RougeLsum])
def test_rules_for_several_references(make: type[Metric]) -> None:
    # against the first: P 2/3, R 2/2; against the second: P 3/3, R 3/5
    hypothesis, references = "a b c", ("a b", "a b c d e")
    one, two = (2 / 3, 1, f(2 / 3, 1)), (1, 3 / 5, f(1, 3 / 5))
    assert prf(make(), hypothesis, *references) == pytest.approx(one)
    assert prf(make(), hypothesis, *references[::-1]) == pytest.approx(one)
    average = tuple((x + y) / 2 for x, y in zip(one, two, strict=True))
    assert prf(make(multi="average"), hypothesis, *references) == pytest.approx(average)
    assert prf(make(multi="pooled"), hypothesis, *references) == pytest.approx((5 / 6, 5 / 7, f(5 / 6, 5 / 7)))
    assert prf(make(multi="coco"), hypothesis, *references) == (1, 1, 1)


def test_beta_weighs_recall() -> None:
    assert prf(RougeL(beta=1.2), "a b c d", "a b")[2] == pytest.approx(f(1 / 2, 1, 1.2))
    assert prf(RougeL(beta=0), "a b c d", "a b")[2] == 1 / 2


def test_the_best_reference_depends_on_beta() -> None:
    assert prf(Rouge(beta=0.0), "a b c", "a b", "a b c d e")[:2] == (1, 3 / 5)


def test_tokeniser_and_stemmer() -> None:
    assert prf(Rouge(), "Été RUNNING", "été running")[0] == pytest.approx(1)
    assert prf(Rouge(), "слово", "слово") == (0, 0, 0)  # rouge_score's tokeniser knows a-z and 0-9 only
    assert prf(Rouge(tok="words"), "слово", "слово") == (1, 1, 1)
    assert prf(Rouge(), "running cats", "runs cat")[2] == 0
    assert prf(Rouge(stem="porter"), "running cats", "runs cat")[2] == 1


def test_limit_counts_raw_words() -> None:
    assert prf(Rouge(limit=3), "a , b c d", "a b") == (1, 1, 1)  # the comma is a word of the raw text
    assert prf(RougeLsum(limit=2), "b\na c", "a\nb") == (1, 1, 1)
    assert prf(Rouge(limit=9), "a b", "a b") == (1, 1, 1)


def test_the_score_of_a_set_is_the_mean_of_its_segments() -> None:
    hypotheses, references = ["a b", "a b c d", ""], [["a b"], ["a"], ["x"]]
    assert Rouge().corpus(hypotheses, references) == pytest.approx((1 + f(1 / 4, 1) + 0) / 3)
    assert Rouge(output="p").corpus(hypotheses, references) == pytest.approx((1 + 1 / 4 + 0) / 3)
    assert Rouge(output="r").corpus(hypotheses, references) == pytest.approx((1 + 1 + 0) / 3)


def test_score_keeps_leading_axes_and_survives_nothing() -> None:
    rows = Rouge().corpus_rows(["a b", "c"], [["a"], ["c"]])
    np.testing.assert_allclose(Rouge().score(np.stack([rows, rows])), [[2 / 3, 1], [2 / 3, 1]])
    assert float(Rouge().score(np.zeros(4))) == 0


def test_outputs_share_rows() -> None:
    assert Rouge(output="p").rows_key() == Rouge().rows_key()
    assert Rouge(order=2).rows_key() != Rouge().rows_key()


def test_specs() -> None:
    assert parse("rouge@2.r") == Rouge(order=2, output="r")
    assert str(Rouge(order=2, stem="porter")) == "rouge(stem=porter)@2"
    assert parse("rougeL(multi=coco,beta=1.2,tok=none).f1") == RougeL(multi="coco", beta=1.2, tok="none")


@pytest.mark.parametrize(("field", "value"), [("tok", "roge"), ("stem", "portr"), ("multi", "worst"), ("output", "f2")])
def test_unknown_values_are_refused_with_the_known_ones(field: str, value: str) -> None:
    with pytest.raises(SpecError, match=f"{field}.*{value}"):
        Rouge(**{field: value})


def test_the_union_needs_the_lines() -> None:
    tokens = kernels.active().tokens_from_lists([["a"]], [[["a"]]])
    with pytest.raises(ValueError, match="sentences"):
        kernels.active().rouge_lsum_rows(tokens, "best", False, 1.0, 1)


def test_the_examples_in_the_docstrings_hold() -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0 and result.failed == 0
