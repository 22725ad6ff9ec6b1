"""Keyness: counts by text, exact p, corrected over the words that could be significant."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, fisher_exact

from nlgauge.errors import InputError
from nlgauge.stats.keyness import keyness


def bag(text: str) -> frozenset[str]:
    return frozenset(text.split())


def test_p_is_fishers_and_g2_the_likelihood_ratio() -> None:
    first = [bag("long clear")] * 8 + [bag("odd")] * 4
    second = [bag("short")] * 5 + [bag("long short")] * 4
    found = {key.word: key for key in keyness(first, second)}
    for word, (a, b) in {"short": (0, 9), "clear": (8, 0), "long": (8, 4)}.items():
        key = found[word]
        assert (key.first, key.second) == (a, b)
        assert key.p == pytest.approx(fisher_exact([[a, 12 - a], [b, 9 - b]])[1])
        observed = np.array([[a, 12 - a], [b, 9 - b]])
        expected = observed.sum(1, keepdims=True) * observed.sum(0) / 21
        cells = observed > 0
        assert key.g2 == pytest.approx(2 * float((observed[cells] * np.log(observed[cells] / expected[cells])).sum()))
    assert found["clear"].log_odds > 0 > found["short"].log_odds
    assert found["short"].p_adjusted == pytest.approx(3 * found["short"].p)


def test_log_odds_by_hand() -> None:
    key = keyness([bag("w")] * 9 + [bag("x")], [bag("w")] + [bag("x")] * 9)[0]
    prior = 10 * 10 / 20
    assert key.log_odds == pytest.approx(2 * math.log((9 + prior) / (1 + prior)))
    assert key.z == pytest.approx(key.log_odds / math.sqrt(2 / (9 + prior) + 2 / (1 + prior)))


def test_words_too_rare_to_be_significant_are_left_out_and_cost_nothing() -> None:
    """100 words that occur once could never reach 0.05; the one real word is not corrected for them."""
    first = [bag(f"key once{k}") for k in range(10)]
    second = [bag(f"rare{k}") for k in range(10)]
    found = keyness(first, second)
    assert [key.word for key in found] == ["key"]
    assert found[0].p_adjusted == found[0].p


def test_an_empty_group_has_no_keys() -> None:
    assert keyness([], [bag("a")]) == []
    assert keyness([bag("a")], []) == []
    with pytest.raises(InputError):
        keyness([bag("a")], [bag("b")], alpha=2)


def test_the_chance_of_any_false_key_is_below_alpha() -> None:
    rng = np.random.default_rng(3)
    words = [f"w{k}" for k in range(12)]
    shares = rng.uniform(0.05, 0.6, 12)
    studies = 200
    false = 0
    for _ in range(studies):
        texts = [frozenset(w for w, u in zip(words, row, strict=True) if u) for row in rng.random((40, 12)) < shares]
        false += any(key.p_adjusted <= 0.05 for key in keyness(texts[:15], texts[15:]))
    assert false <= binom.ppf(0.999, studies, 0.05)
