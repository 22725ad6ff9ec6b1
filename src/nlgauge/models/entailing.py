"""An entailment model whose probabilities are kept by pair, as vectors are by text.

So a pair has one figure whatever was read beside it (the products of a batch depend on its shape in the last digits),
and is read once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nlgauge.models import runtime
from nlgauge.models.cache import Memory, Store
from nlgauge.models.interface import ModelInfo, Vectors
from nlgauge.models.sentences import looked_up

Pair = tuple[str, str]


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
    _stores: dict[str, Store | Memory] = field(default_factory=dict)

    @property
    def info(self) -> ModelInfo:
        """For the receipt."""
        return self.model.info

    def remarks(self) -> list[str]:
        """Pairs that were cut since this was last asked, whether they were read now or before."""
        return self.model.remarks()

    def probabilities(self, pairs: Sequence[Pair]) -> NDArray[np.float64]:
        """(n, 3): entailment, neutral, contradiction."""
        keys = [f"{len(premise)} {premise}{hypothesis}" for premise, hypothesis in pairs]
        named = dict(zip(keys, pairs, strict=True))
        new: set[str] = set()

        def made(texts: list[str]) -> Vectors:
            new.update(texts)
            return self.model.probabilities([named[text] for text in texts]).astype(np.float32)

        found = looked_up(keys, self._store(), made, 3)
        self.model.note_long([pair for name, pair in named.items() if name not in new])
        return found.astype(np.float64)

    def _store(self) -> Store | Memory:
        now, info = runtime.current(), self.info
        kind = "off" if now.embeddings == "off" else "on"
        if kind not in self._stores:
            named = f"{info.name} {info.digest}|{info.dtype}|{info.backend}|entailment"
            self._stores[kind] = Memory() if kind == "off" else Store(named, 3, limit=now.limit)
        return self._stores[kind]
