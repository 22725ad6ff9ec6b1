"""An entailment model whose probabilities are kept by pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nlgauge.models.interface import ModelInfo
from nlgauge.models.kept_pairs import KeptPairs, Pair


class Reads(Protocol):
    """What reads pairs."""

    @property
    def info(self) -> ModelInfo:
        """For the receipt."""

    def probabilities(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """(n, 3): entailment, neutral, contradiction; pairs that are cut are noted."""

    def note_long(self, pairs: Sequence[Pair]) -> object:
        """Note the pairs that would be cut, and read none."""

    def remarks(self) -> list[str]:
        """Pairs that were cut."""


@dataclass(frozen=True, eq=False)
class Kept:
    """A model with what it said before."""

    model: Reads

    @property
    def info(self) -> ModelInfo:
        """For the receipt."""
        return self.model.info

    def remarks(self) -> list[str]:
        """Pairs that were cut since this was last asked, whether they were read now or before."""
        return self.model.remarks()

    def probabilities(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """(n, 3): entailment, neutral, contradiction."""
        return self._kept.find(pairs, self.model.probabilities, self.model.note_long)

    @cached_property
    def _kept(self) -> KeptPairs:
        info = self.info
        return KeptPairs(f"{info.name} {info.digest}|{info.dtype}|{info.backend}|entailment", 3)
