"""SIMILE: the cosine of sentence embeddings and the penalty for a difference in length, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nlgauge.metrics.sim import Sim
from nlgauge.metrics.simile import Simile, length_penalty
from nlgauge.models.interface import ModelInfo


class _Encoder:
    """Texts that begin with a are at 60 degrees from all others."""

    info = ModelInfo("angles", "path", "0" * 64, "numpy")

    def encode(self, texts: list[str]) -> np.ndarray:
        rows = [(0.5, math.sqrt(0.75)) if text.startswith("a") else (1.0, 0.0) for text in texts]
        return np.array(rows, dtype=np.float32)

    def remarks(self) -> list[str]:
        return []


@pytest.fixture(autouse=True)
def _angles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sim, "loaded", lambda self: _Encoder())


def test_the_length_penalty_by_hand() -> None:
    words = np.array([4.0, 8.0, 4.0, 0.0, 0.0])
    found = length_penalty(words, np.array([4.0, 4.0, 8.0, 3.0, 0.0]))
    assert found.tolist() == pytest.approx([1.0, math.exp(-1), math.exp(-1), 0.0, 1.0])


def test_by_hand() -> None:
    outputs, references = ["a b c d", "b c"], [["x y"], ["b c d , e f"]]
    assert Simile().segments(outputs, references).tolist() == pytest.approx(
        [0.5 * math.exp(1 - 4 / 2) ** 0.25, math.exp(1 - 6 / 2) ** 0.25]  # the comma is a word of its own
    )
    assert Simile(alpha=1).segments(outputs, references)[0] == pytest.approx(0.5 * math.exp(-1))
    assert Simile(alpha=0).segments(outputs, references).tolist() == pytest.approx(
        Sim().segments(outputs, references).tolist()
    )


def test_the_best_reference_is_that_of_the_highest_product() -> None:
    long, short = "b " * 8, "a b"  # the cosine of the first is higher, its product is not
    found = Simile(alpha=1).segments(["b c"], [[long, short]])
    assert found.tolist() == pytest.approx([max(math.exp(1 - 8 / 2), 0.5)])


def test_an_empty_text_scores_nought() -> None:
    assert Simile().segments(["", "b"], [["b"], [""]]).tolist() == [0.0, 0.0]
