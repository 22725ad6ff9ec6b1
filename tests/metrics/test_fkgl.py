"""The Flesch–Kincaid grade level: by hand, by EASSE's recorded figures, and beside NLTK's sentences."""

from __future__ import annotations

import random

import pytest

from nlgauge.metrics.fkgl import Fkgl, sentences, syllables
from nlgauge.metrics.spec import parse
from nlgauge.text.tokenizers import tokenizer


def test_by_hand() -> None:
    # 7 + 6 tokens, marks included; 6 + 18 syllables; 2 sentences
    texts = ["The cat sat on the mat.", "Unquestionably complicated sentences intimidate readers."]
    assert Fkgl().corpus_rows(texts).tolist() == [[7, 6, 1], [6, 18, 1]]
    assert parse("fkgl").corpus(texts) == pytest.approx(0.39 * 13 / 2 + 11.8 * 24 / 13 - 15.59, abs=1e-12)
    assert Fkgl().segments(["The cat sat on the mat.", "", "."]).tolist() == [0, 0, 0]  # never below 0


def test_equals_the_figures_of_easse() -> None:
    """Recorded from EASSE's corpus_fkgl (its functions for syllables and words, sacreBLEU's 13a, NLTK's Punkt)."""
    texts = [
        'Notwithstanding the ambassador\'s objections (e.g. in the U.S. press), "negotiations" resumed. Why? "Money!"',
        "The propitiatory ceremony cost 3.5 million; Mr. Guiana's dial and coalition fell.",
    ]
    assert Fkgl().corpus(texts) == pytest.approx(0.5303030303030312, abs=1e-12)
    assert [syllables(word) for word in ("propitiatory", "guiana", "dial", "coalition", "table")] == [
        6,
        3,
        2,
        4,
        2,
    ]


def test_sentences_are_those_of_punkt() -> None:
    """After 13a every full stop stands alone, so that NLTK's Punkt needs no trained list of abbreviations."""
    punkt = pytest.importorskip("nltk.tokenize.punkt", reason="the live comparison runs NLTK").PunktSentenceTokenizer()
    draw, split = random.Random(3), tokenizer("13a")
    pieces = [
        "a",
        "U.S.",
        "3.5",
        "4.",
        ".",
        "...",
        "!",
        "?!",
        '"',
        "'",
        '")',
        "(",
        "it's",
        "J.",
        "]",
        "No.",
        'end."',
    ]
    for _ in range(2000):
        words = split(" ".join(draw.choices(pieces, k=draw.randint(0, 12))))
        assert sentences(words) == len(punkt.tokenize(" ".join(words))), words
