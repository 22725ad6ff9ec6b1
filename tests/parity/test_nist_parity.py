"""NIST beside the recorded numbers of mteval's port and NLTK, and beside NLTK itself."""

from __future__ import annotations

import random

import numpy as np
import pytest
from nltk.translate.nist_score import corpus_nist
from recorded import Case, cases

from nlgauge import kernels
from nlgauge.metrics.nist import Nist

BACKENDS = ["native", "python"] if kernels.native_available() else ["python"]


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize("case", cases("NIST"))
def test_recorded(case: Case) -> None:
    if case.options.get("backend") == "pymteval":
        metric = Nist()
    else:
        metric = Nist(order=case.options["n"], tok="none", multi="best")
    case.check(metric.corpus(case.hypotheses, case.references))


def random_corpus(seed: int, size: int, references: int) -> tuple[list[str], list[list[str]]]:
    """Sentences over a small vocabulary; six words at least: NLTK divides by the number of n-grams."""
    rng = random.Random(seed)
    words = [f"w{number}" for number in range(40)]

    def sentence() -> list[str]:
        return rng.choices(words, [1 / (number + 1) for number in range(40)], k=rng.randint(6, 20))

    def edited(original: list[str]) -> list[str]:
        return [rng.choice(words) if rng.random() < 0.2 else word for word in original if rng.random() > 0.1]

    hypotheses = [sentence() for _ in range(size)]
    lists = [[" ".join(edited(hyp)) for _ in range(rng.randint(1, references))] for hyp in hypotheses]
    return [" ".join(hyp) for hyp in hypotheses], lists


def of_nltk(hypotheses: list[str], references: list[list[str]], order: int) -> float:
    split = [[text.split() for text in texts] for texts in references]
    return float(corpus_nist(split, [text.split() for text in hypotheses], n=order))


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize("order", [1, 3, 5])
@pytest.mark.parametrize("multi", ["pooled", "best"])
@pytest.mark.parametrize("seed", range(5))
def test_one_reference_equals_nltk_under_either_rule(order: int, multi: str, seed: int) -> None:
    hypotheses, references = random_corpus(seed, 60, 1)
    got = Nist(order=order, tok="none", multi=multi).corpus(hypotheses, references)
    assert got == pytest.approx(of_nltk(hypotheses, references, order), abs=1e-9)


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize("order", [1, 5, 6])
@pytest.mark.parametrize("seed", range(5))
def test_several_references_equal_nltk_under_its_own_rule(order: int, seed: int) -> None:
    hypotheses, references = random_corpus(seed, 60, 4)
    got = Nist(order=order, tok="none", multi="best").corpus(hypotheses, references)
    assert got == pytest.approx(of_nltk(hypotheses, references, order), abs=1e-9)


@pytest.mark.usefixtures("backend")
@pytest.mark.parametrize("seed", range(20))
def test_one_segment_equals_nltk(seed: int) -> None:
    hypotheses, references = random_corpus(seed, 1, 4)
    got = Nist(tok="none", multi="best").corpus(hypotheses, references)
    assert got == pytest.approx(of_nltk(hypotheses, references, 5), abs=1e-9)


@pytest.mark.skipif(len(BACKENDS) < 2, reason="no compiled kernels: nothing to compare with")
@pytest.mark.parametrize("multi", ["pooled", "best"])
@pytest.mark.parametrize("length", [4, 30, 400])
def test_both_kernels_give_the_same_rows(multi: str, length: int) -> None:
    rng = random.Random(length)
    words = [str(number) for number in range(max(3, length // 4))] + ["é", "词", ""]
    hypotheses = [rng.choices(words, k=rng.randint(0, length)) for _ in range(50)]
    references = [
        [hyp[: len(hyp) // 2] + rng.choices(words, k=rng.randint(0, length)) for _ in range(rng.randint(1, 4))]
        for hyp in hypotheses
    ]
    results = []
    for name in BACKENDS:
        with kernels.use(name):
            active = kernels.active()
            tokens = active.tokens_from_lists(hypotheses, references)
            counts = active.ngram_counts(6)
            counts.add(tokens)
            results.append(active.nist_rows(tokens, counts, 5, multi, 3))
    assert np.array_equal(*results)
