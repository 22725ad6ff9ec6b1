"""The compiled kernels of ΔBLEU, GLEU, SARI, RIBES, LEPOR and GTM give what the plain ones give, to the last bit."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nlgauge import kernels

pytestmark = pytest.mark.skipif(not kernels.native_available(), reason="no compiled kernels: nothing to compare with")

Segments = tuple[list[list[str]], list[list[list[str]]], list[list[float]]]


def drawn(seed: int) -> Segments:
    """Words from small vocabularies, so that n-grams repeat; references are random or edited and turned around."""
    rng = random.Random(seed)
    words = "abcdefghijklmnopqrstuvwxyz"[: rng.choice((1, 2, 3, 6, 26))]
    length = rng.choice((3, 8, 25))

    def text() -> list[str]:
        return rng.choices(words, k=rng.randint(0, length))

    def other(hypothesis: list[str]) -> list[str]:
        kept = [word for word in hypothesis if rng.random() > 0.2] if rng.random() < 0.5 else text()
        cut = rng.randint(0, len(kept))
        return kept[cut:] + kept[:cut] if rng.random() < 0.3 else kept

    hypotheses = [text() for _ in range(12)]
    references = [[other(hypothesis) for _ in range(rng.randint(2, 4))] for hypothesis in hypotheses]
    weights = [[rng.choice((-1.0, -0.3, 0.0, 0.25, 0.7, 1.0)) for _ in texts] for texts in references]
    return hypotheses, references, weights


def differing(call: Callable[[Any, Any, list[list[float]]], Any]) -> list[int]:
    """The seeds of batches on which the two kernels do not agree to the last bit."""
    seeds = []
    for seed in range(40):
        hypotheses, references, weights = drawn(seed)
        found = []
        for name in ("native", "python"):
            with kernels.use(name):
                active = kernels.active()
                found.append(call(active, active.tokens_from_lists(hypotheses, references), weights))
        if not np.array_equal(*found):
            seeds.append(seed)
    return seeds


@pytest.mark.parametrize("rule", ["closest", "shortest", "average"])
@pytest.mark.parametrize("form", ["code", "paper"])
def test_deltableu(rule: str, form: str) -> None:
    assert differing(lambda active, tokens, weights: active.deltableu_rows(tokens, weights, 4, rule, form, 2)) == []


@pytest.mark.parametrize(("shortest", "order"), [(1, 4), (2, 3), (1, 1), (3, 9)])
def test_gleu(shortest: int, order: int) -> None:
    assert differing(lambda active, tokens, _: active.gleu_rows(tokens, shortest, order, 2)) == []


def test_gleu_of_error_correction() -> None:
    assert differing(lambda active, tokens, _: active.gleu_gec_rows(tokens, 4, 2)) == []


@pytest.mark.parametrize("form", ["evaluate", "original"])
def test_sari(form: str) -> None:
    assert differing(lambda active, tokens, _: active.sari_rows(tokens, 4, form, 2)) == []


def test_sari_counts() -> None:
    assert differing(lambda active, tokens, _: active.sari_counts(tokens, 4, 2)) == []


@pytest.mark.parametrize("form", ["nltk", "nltk3.9", "ntt"])
def test_ribes(form: str) -> None:
    assert differing(lambda active, tokens, _: active.ribes_rows(tokens, form, 2)) == []


@pytest.mark.parametrize("form", ["paper", "nltk", "hlepor"])
@pytest.mark.parametrize("window", [0, 1, 2, 5])
def test_lepor(form: str, window: int) -> None:
    assert differing(lambda active, tokens, _: active.lepor_rows(tokens, form, window, 2)) == []


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.0, 3.0])
def test_gtm(exponent: float) -> None:
    assert differing(lambda active, tokens, _: active.gtm_rows(tokens, exponent, 2)) == []


def test_long_texts_keep_memory_small() -> None:
    """Thousands of equal or alternating words: every pair of places matches, and none of them is stored."""
    words = [["a", "b"] * 1500, ["a", "x"] * 1500, ["a"] * 3000]
    with kernels.use("native"):
        active = kernels.active()
        tokens = active.tokens_from_lists(words, [[words[0], ["a", "y"] * 1500]] * 3)
        assert active.gtm_rows(tokens, 2.0, 1).shape == (6, 4)
        assert active.ribes_rows(tokens, "nltk", 1).shape == (6, 5)
        assert active.sari_rows(tokens, 4, "evaluate", 1).shape == (3, 4)
