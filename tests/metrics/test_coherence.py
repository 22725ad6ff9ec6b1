"""Coherence: the mean cosine of neighbouring sentences, written out."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from nlgauge import models
from nlgauge.metrics.spec import parse

SENTENCES = ["The match was cancelled.", "Rain had flooded the pitch.", "Fans got their money back."]


def cosine(one: str, other: str) -> float:
    first, second = models.sentence("minilm-int8").encode([one, other]).astype(np.float64)
    return float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))


def test_neighbours_count_and_a_text_of_one_sentence_cannot_fall_apart() -> None:
    metric = parse("coherence")
    expected = np.mean([cosine(one, other) for one, other in pairwise(SENTENCES)])
    texts = ["", " ".join(SENTENCES), SENTENCES[0], f"{SENTENCES[1]} {SENTENCES[1]}"]
    assert metric.segments(texts) == pytest.approx([0.0, expected, 1.0, 1.0], abs=1e-6)
    assert metric.corpus(texts) == pytest.approx((expected + 2) / 4, abs=1e-6)


def test_a_sentence_from_elsewhere_lowers_it() -> None:
    strange = " ".join([SENTENCES[0], "Add two eggs and a pinch of salt.", SENTENCES[1]])
    whole, broken = parse("coherence").segments([" ".join(SENTENCES[:2]), strange])
    assert whole > broken
