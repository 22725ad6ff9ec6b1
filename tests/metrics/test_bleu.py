"""BLEU and sentence BLEU: the definition on small texts, smoothings, fields, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from nlgauge import kernels
from nlgauge.errors import SpecError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.bleu import SMOOTHINGS, Bleu, SentBleu, bleu_score, brevity_penalty
from nlgauge.metrics.spec import parse


@pytest.mark.usefixtures("backend")
def test_counts_are_clipped_by_the_largest_count_in_one_reference() -> None:
    rows = Bleu(tok="none", order=2).corpus_rows(["the the the cat"], [["the cat the", "the the dog cat"]])
    # the: 3, at most 2 in one reference; "the the" 2, at most 1; "the cat" 1.
    assert rows.tolist() == [[4, 4, 3, 2, 4, 3]]


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize(
    ("reflen", "expected"),
    [("closest", 2), ("shortest", 1), ("average", 3.5)],
    ids=["closest", "shortest", "average"],
)
def test_reference_length(reflen: str, expected: float) -> None:
    row = Bleu(tok="none", reflen=reflen).corpus_rows(["a b c"], [["a b c d", "a", "a b", "a a a a a a a"]])[0]
    assert row[1] == expected


@pytest.mark.usefixtures("backend")
def test_long_and_repetitive_segments() -> None:
    text = " ".join(["a", "b"] * 3000)
    row = Bleu(tok="none").corpus_rows([text], [[text, "a b"]])[0]
    assert row.tolist() == [6000, 6000, 6000, 5999, 5998, 5997, 6000, 5999, 5998, 5997]
    many = " ".join(str(number) for number in range(5000))
    row = Bleu(tok="none").corpus_rows([many], [[many.replace(" 2500 ", " x ")]])[0]
    assert row[2:6].tolist() == [4999, 4997, 4995, 4993]


@pytest.mark.usefixtures("backend")
def test_an_order_longer_than_every_text() -> None:
    rows = Bleu(tok="none", order=100).corpus_rows(["a b c"], [["a b c"]])
    assert rows[0, 2:6].tolist() == [3, 2, 1, 0]
    assert Bleu(tok="none", order=100, effective=True).corpus(["a b c"], [["a b c"]]) == pytest.approx(100)


@pytest.mark.usefixtures("backend")
def test_perfect_is_exactly_100_and_hopeless_exactly_0() -> None:
    texts = ["The dog bit the man.", "It wasn't surprising at all."]
    assert Bleu().corpus(texts, [[text] for text in texts]) == 100
    assert Bleu().corpus(texts, [["no"], ["yes"]]) == 0
    assert SentBleu().corpus(texts, [[text] for text in texts]) == 100


def test_brevity_penalty() -> None:
    assert brevity_penalty(np.array([4.0, 8, 0, 0]), np.array([8.0, 4, 3, 0])).tolist() == [
        math.exp(-1),
        1,
        0,
        1,
    ]


def test_score_works_on_any_leading_axes() -> None:
    rows = np.random.default_rng(3).integers(1, 9, (4, 5, 10)).astype(float)
    rows[..., 2:6] = np.minimum(rows[..., 2:6], rows[..., 6:10])
    for smooth in SMOOTHINGS:
        whole = Bleu(smooth=smooth).score(rows)
        assert whole.shape == (4, 5)
        assert [[float(Bleu(smooth=smooth).score(row)) for row in block] for block in rows] == whole.tolist()


@pytest.mark.parametrize("smooth", SMOOTHINGS)
@pytest.mark.parametrize("effective", [False, True])
def test_zero_counts_never_give_nan(smooth: str, effective: bool) -> None:
    with np.errstate(all="raise", under="ignore"):
        for row in (
            [0] * 10,
            [0, 5] + [0] * 8,
            [3, 5, 0, 0, 0, 0, 3, 2, 1, 0],
            [1, 1, 1, 0, 0, 0, 1, 0, 0, 0],
        ):
            got = float(bleu_score(np.array(row, dtype=float), 4, smooth, effective=effective))
            assert 0 <= got <= 100
        assert float(bleu_score(np.zeros(10), 4, smooth, effective=effective)) == 0


def test_nltk4_equals_nltk() -> None:
    reference = ["it", "is", "a", "place", "of", "quiet", "contemplation"]
    method4 = SmoothingFunction().method4
    for text in ("it is .", "it", "it is a place", "it is a", "a quiet place of it", "it is a place of rest"):
        expected = sentence_bleu([reference], text.split(), smoothing_function=method4)
        got = Bleu(tok="none", smooth="nltk4").segments([text], [[" ".join(reference)]])[0]
        assert got == pytest.approx(100 * expected, abs=1e-9)


def test_weights() -> None:
    totals = np.array([20.0, 20, 18, 10, 5, 2, 20, 19, 18, 17])
    by_hand = 100 * math.prod(
        (c / t) ** w for c, t, w in zip(totals[2:6], totals[6:], (0.1, 0.3, 0.5, 0.1), strict=True)
    )
    assert float(Bleu(weights="0.1:0.3:0.5:0.1").score(totals)) == pytest.approx(by_hand)
    assert float(Bleu(weights="0.25:0.25:0.25:0.25").score(totals)) == pytest.approx(float(Bleu().score(totals)))
    # An order of weight 0 cannot make the score 0.
    assert float(Bleu(weights="0.5:0.5:0:0", smooth="none").score(np.array([2.0, 2, 2, 1, 0, 0, 2, 1, 0, 0]))) == 100


def test_effective_order_shares_the_weights_among_the_orders_there_are() -> None:
    short = np.array([2.0, 2, 1, 0, 0, 0, 2, 1, 0, 0])
    assert float(Bleu(effective=True).score(short)) == pytest.approx(100 * math.sqrt(1 / 2 * 1 / 2))
    assert float(Bleu().score(short)) == 0
    skewed = float(Bleu(effective=True, weights="0.3:0.1:0.3:0.3").score(short))
    assert skewed == pytest.approx(100 * (1 / 2) ** 0.75 * (1 / 2) ** 0.25)


@pytest.mark.usefixtures("backend")
def test_sentence_bleu_averages_segments() -> None:
    hypotheses, references = ["a b c d", "x", ""], [["a b c d"], ["y"], ["z"]]
    metric = SentBleu(tok="none")
    assert metric.corpus_rows(hypotheses, references).tolist() == [[100, 1], [0, 1], [0, 1]]
    assert metric.corpus(hypotheses, references) == pytest.approx(100 / 3)
    assert metric.corpus([], []) == 0


def test_specs() -> None:
    assert str(Bleu(smooth="floor")) == "bleu(smooth=floor:0.1)"
    assert Bleu(smooth="floor") == Bleu(smooth="floor:0.1") == parse("bleu(smooth=floor:0.10)")
    assert Bleu(smooth="add-k").smooth == "add-k:1"
    assert parse("bleu(tok=none)@2") == Bleu(order=2, tok="none")
    assert str(SentBleu()) == "sentbleu"
    assert parse("sentbleu(effective=no)") == SentBleu(effective=False)
    assert Bleu().columns[:4] == ("hypothesis_length", "reference_length", "correct_1", "correct_2")


def test_what_only_the_score_reads_does_not_change_the_rows() -> None:
    assert Bleu(smooth="none", effective=True).rows_key() == Bleu().rows_key()
    assert Bleu(reflen="shortest").rows_key() != Bleu().rows_key()
    assert SentBleu(smooth="none").rows_key() != SentBleu().rows_key()
    assert SentBleu(effective=False).rows_key() != SentBleu().rows_key()


@pytest.mark.parametrize(
    "smooth", ["", "floor:", "floor:-1", "floor:x", "floor:nan", "exp:1", "nltk4:0", "coco:1", "flor"]
)
def test_wrong_smoothings_are_refused(smooth: str) -> None:
    with pytest.raises(SpecError, match=r"the field smooth of bleu must be"):
        Bleu(smooth=smooth)


@pytest.mark.parametrize("weights", ["0.5:0.5", "1:1:1:1", "a:b:c:d", "0.5:0.5:0.5:-0.5", ":::", "inf:0:0:0"])
def test_wrong_weights_are_refused(weights: str) -> None:
    with pytest.raises(SpecError, match=r"the field weights of bleu must"):
        Bleu(weights=weights)


@pytest.mark.skipif(not kernels.native_available(), reason="no compiled kernels")
def test_the_kernel_refuses_wrong_arguments() -> None:
    from nlgauge import _native

    tokens = _native.tokens_from_lists([["a"]], [[["a"]]])
    with pytest.raises(ValueError, match="order"):
        _native.bleu_rows(tokens, 0, "closest", 1)
    with pytest.raises(ValueError, match="closest"):
        _native.bleu_rows(tokens, 4, "longest", 1)


@pytest.mark.usefixtures("backend")
def test_threads_give_the_same_rows() -> None:
    hypotheses = [" ".join(str((number * step) % 7) for step in range(number % 30)) for number in range(500)]
    references = [[text[::-1], text] if len(text) % 2 else [text[3:]] for text in hypotheses]
    one, four = (Bleu(tok="none").rows(Batch(hypotheses, references, jobs=jobs)) for jobs in (1, 4))
    assert np.array_equal(one, four)
