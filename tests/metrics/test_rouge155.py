"""ROUGE-W, ROUGE-S and ROUGE-SU by hand, jackknifing, the choice of references, and ROUGE-1.5.5's bootstrap."""

from __future__ import annotations

import doctest
import itertools
import random
from collections import Counter

import numpy as np
import pytest

from nlgauge import kernels
from nlgauge.errors import InputError, SpecError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics import rouge155 as module
from nlgauge.metrics.base import Metric
from nlgauge.metrics.rouge import Rouge, RougeL, RougeLsum
from nlgauge.metrics.rouge155 import RougeS, RougeSU, RougeW
from nlgauge.metrics.spec import parse
from nlgauge.stats.rouge155 import bootstrap

pytestmark = pytest.mark.usefixtures("backend")


def prf(metric: Metric, hypothesis: str, *references: str) -> tuple[float, ...]:
    row = metric.rows(Batch([hypothesis], [list(references)]))[0].tolist()
    assert row[3] == 1
    return tuple(row[:3])


def f(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall)


def test_skip_bigrams_of_the_paper() -> None:
    # Lin 2004, section 5: police the, police gunman and the gunman of the six pairs
    reference = "police killed the gunman"
    assert prf(RougeS(), "police kill the gunman", reference) == (3 / 6, 3 / 6, 3 / 6)
    assert prf(RougeS(), "the gunman kill police", reference) == pytest.approx((1 / 6, 1 / 6, 1 / 6))
    assert prf(RougeS(), "the gunman police killed", reference) == pytest.approx((2 / 6, 2 / 6, 2 / 6))


def test_pairs_are_clipped() -> None:
    # a a a: three times (a, a); a a: once
    assert prf(RougeS(), "a a a", "a a")[:2] == (1 / 3, 1)
    assert prf(RougeS(skip=0), "a a a", "a a")[:2] == (1 / 2, 1)


def test_skip_distance() -> None:
    # pairs of a b c d with at most one word between: ab ac bc bd cd
    assert prf(RougeS(skip=1), "a b c d", "a x d")[:2] == (0, 0)
    assert prf(RougeS(skip=1), "a b c d", "a c d")[:2] == (2 / 5, 2 / 3)
    assert prf(RougeS(skip=2), "a b c d", "a c d")[:2] == (3 / 6, 1)
    for gap in (2, 3, 100):
        assert prf(RougeS(skip=gap), "a b c d", "a c d") == prf(RougeS(), "a b c d", "a c d")


def test_unigrams_with_and_without_the_last_word() -> None:
    assert prf(RougeSU(), "a b", "b a")[:2] == (0, 0)  # of each text only the first word counts
    assert prf(RougeSU(unigrams="all"), "a b", "b a")[:2] == (2 / 3, 2 / 3)
    assert prf(RougeSU(), "a", "a") == (0, 0, 0)
    assert prf(RougeSU(unigrams="all"), "a", "a") == (1, 1, 1)


@pytest.mark.parametrize("gap", [-1, 0, 1, 3])
def test_skip_bigrams_beside_combinations(gap: int) -> None:
    draw = random.Random(gap)
    for _ in range(60):
        texts = [[draw.choice("abc") for _ in range(draw.randint(0, 9))] for _ in range(2)]
        mine, theirs = (
            Counter(
                (words[i], words[j])
                for i, j in itertools.combinations(range(len(words)), 2)
                if gap < 0 or j - i - 1 <= gap
            )
            for words in texts
        )
        shared = (mine & theirs).total()
        wanted = (shared / max(mine.total(), 1), shared / max(theirs.total(), 1))
        assert prf(RougeS(skip=gap), *map(" ".join, texts))[:2] == pytest.approx(wanted)


def test_weighted_subsequence() -> None:
    # a run of four weighs 4^2 of the reference's (7^2)^2 and of the hypothesis's 7^2; roots are taken last
    reference = "a b c d e f g"
    assert prf(RougeW(weight=2), "a b c d h i k", reference)[:2] == pytest.approx((4 / 7, 4 / 49))
    # Lin 2004, section 4: of two texts with the same LCS the one with the longer run is better
    broken = prf(RougeW(), "a h b k c i d", "a b x c y d")
    assert prf(RougeW(), "a b c d h i k", "a b c d x y")[2] > broken[2]


def test_with_weight_one_it_is_the_union_subsequence() -> None:
    draw = random.Random(4)
    for _ in range(50):
        hypothesis, reference = (
            "".join(draw.choice("abcde") + draw.choice("   \n") for _ in range(draw.randint(0, 12))) for _ in range(2)
        )
        mine, union = prf(RougeW(weight=1), hypothesis, reference), prf(RougeLsum(), hypothesis, reference)
        # a run whose last word was used up is lost, so it can only be less
        assert all(one <= other + 1e-12 for one, other in zip(mine, union, strict=True))


@pytest.mark.parametrize("metric", [RougeW(), RougeS(), RougeS(skip=2), RougeSU(skip=4)])
@pytest.mark.parametrize(("hypothesis", "reference"), [("", "a b"), ("a b", ""), ("", ""), ("?", "…"), ("\n\n", "a")])
def test_nothing_to_compare_scores_zero(metric: Metric, hypothesis: str, reference: str) -> None:
    assert prf(metric, hypothesis, reference) == (0, 0, 0)


def test_best_by_recall() -> None:
    # precision 2/3 and recall 1 against the first; 3/3 and 3/5 against the second
    assert prf(Rouge(multi="recall"), "a b c", "a b c d e", "a b")[:2] == pytest.approx((2 / 3, 1))
    # recalls that agree in five decimals are equal for n-grams and pairs: the first reference is taken
    long = " ".join(f"w{number}" for number in range(1000))
    assert prf(Rouge(multi="recall"), long + " x", long, long + " x") == prf(Rouge(), long + " x", long)
    # for ROUGE-W the matches are divided by the weighted length before it is weighted again
    for reference in ("a b", "a b\nc d e f"):
        assert prf(RougeW(multi="recall"), "a b c", reference, reference) == prf(RougeW(), "a b c", reference)


@pytest.mark.parametrize("make", [Rouge, RougeL, RougeLsum, RougeS, RougeSU, RougeW])
@pytest.mark.parametrize("multi", ["best", "pooled", "average", "coco", "recall"])
def test_jackknife_is_the_mean_of_leaving_one_out(make: type[Metric], multi: str) -> None:
    hypothesis, references = "a b c d a", ["a b", "a b c d e", "x d a"]
    plain = make(multi=multi)
    sets = [[text for text in references if text != out] for out in references]
    wanted = np.mean([prf(plain, hypothesis, *texts) for texts in sets], axis=0)
    jackknifed = make(multi=multi, jackknife=True)
    assert prf(jackknifed, hypothesis, *references) == pytest.approx(tuple(wanted))
    assert prf(jackknifed, hypothesis, "a b") == prf(plain, hypothesis, "a b")


def test_specs() -> None:
    assert parse("rougeS@4") == RougeS(skip=4)
    assert parse("rougeSU@4.r") == RougeSU(skip=4, output="r")
    assert parse("rougeW@1.5") == RougeW(weight=1.5)
    assert str(RougeSU(skip=4, unigrams="all")) == "rougeSU(unigrams=all)@4"
    for spec in ("rougeS(skip=-2)", "rougeW(weight=0.5)", "rougeSU(unigrams=none)"):
        with pytest.raises(SpecError):
            parse(spec)


def test_long_texts() -> None:
    words = " ".join(f"w{number % 3000}" for number in range(100_000)) if kernels.backend() == "native" else "a b"
    for metric in (RougeS(skip=4), RougeSU(skip=4)):
        assert prf(metric, words, words) == (1, 1, 1)


def test_kernels_refuse_what_they_cannot_use() -> None:
    tokens = kernels.active().tokens_from_lists([["a"]], [[["a"]]])
    with pytest.raises(ValueError, match="sentences"):
        kernels.active().rouge_w_rows(tokens, 1.2, "best", False, 1.0, 1)
    with pytest.raises(ValueError, match="unigrams"):
        kernels.active().rouge_s_rows(tokens, 4, "some", "best", False, 1.0, 1)
    with pytest.raises(ValueError, match="multi"):
        kernels.active().rouge_s_rows(tokens, 4, "none", "worst", False, 1.0, 1)


def test_bootstrap_of_rouge_155() -> None:
    pair = bootstrap([0.31483, 0.47132])
    assert (pair.low, pair.high, pair.n) == (0.31483, 0.47132, 2)
    assert pair.estimate == pytest.approx(0.39308, abs=1e-5)
    one = bootstrap([0.25])
    assert (one.estimate, one.low, one.high) == (0.25, 0.25, 0.25)
    assert "ROUGE-1.5.5" in str(one)
    many = bootstrap(np.random.default_rng(1).random(200))
    assert many.low < many.estimate < many.high and many.high - many.low < 0.1
    for bad in ([], [[0.1]], [float("nan")]):
        with pytest.raises(InputError):
            bootstrap(bad)
    with pytest.raises(InputError, match="level"):
        bootstrap([0.1], level=95)


def test_doctests() -> None:
    assert doctest.testmod(module).failed == 0


def test_rouge_w_by_the_formula_of_the_paper() -> None:
    """Lin (2004), section 4: of two outputs with the same LCS the one with consecutive matches scores .571, the other
    .286 (f(k) = k²); identical texts score 1, which ROUGE-1.5.5's do not."""
    reference = [["a b c d e f g"]]
    scores = [RougeW(form="lin", weight=2.0).corpus([text], reference) for text in ("a b c d h i k", "a h b k c i d")]
    assert scores == pytest.approx([4 / 7, 2 / 7], abs=1e-12)
    for text in ("a b c d e f g", "one", "two\nlines of text"):
        assert RougeW(form="lin").corpus([text], [[text]]) == pytest.approx(1.0, abs=1e-12)
    assert RougeW().corpus(reference[0], reference) < 0.9
    assert RougeW(form="lin").corpus_rows(["", "a"], [["a"], ["b", "a"]]).shape == (2, 4)
