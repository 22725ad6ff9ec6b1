"""Probabilities of entailment kept by pair: one figure whatever is read beside it, remarks all the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from nlgauge import models
from nlgauge.models import runtime
from nlgauge.models.classifying import Kept
from nlgauge.models.interface import ModelInfo

PAIRS = [(f"A dog runs {'very ' * number}fast.", "An animal moves.") for number in range(9)]


class Counting:
    """A model whose figures depend on what is read beside a pair."""

    def __init__(self) -> None:
        self.info = ModelInfo("counting", "", "0", "none")
        self.read, self.long = 0, 0

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        self.read += len(pairs)
        self.note_long(pairs)
        return np.full((len(pairs), 3), 1 / (2 + len(pairs)))

    def note_long(self, pairs: Sequence[tuple[str, str]]) -> None:
        self.long += sum(len(premise) > 30 for premise, _ in pairs)

    def remarks(self) -> list[str]:
        return [f"{self.long} cut"]


def test_a_pair_is_read_once_keeps_its_figure_and_is_noted_as_cut_each_time() -> None:
    counting = Counting()
    model = Kept(counting)
    with runtime.use(embeddings="off"):
        first = model.probabilities(PAIRS)
        again = model.probabilities([*PAIRS[::-1], ("a", "b"), ("a", "b")])
    assert np.array_equal(again[:9], first[::-1]) and counting.read == 10
    long = sum(len(premise) > 30 for premise, _ in PAIRS)
    assert model.remarks() == [f"{2 * long} cut"]


@pytest.mark.parametrize("embeddings", ["on", "off"])
def test_the_reader_says_the_same_of_a_pair_in_any_company(embeddings: str) -> None:
    with runtime.use(embeddings=embeddings):
        together = models.entailment().probabilities(PAIRS)
        alone = [models.entailment().probabilities([pair])[0] for pair in PAIRS]
        swapped = models.entailment().probabilities([(b, a) for a, b in PAIRS])
    assert np.array_equal(together, alone)
    assert not np.allclose(together, swapped)
