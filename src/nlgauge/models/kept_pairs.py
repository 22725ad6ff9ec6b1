"""What a model says of two texts that it reads together, kept by pair as vectors are by text.

So a pair has one figure whatever was read beside it (the products of a batch depend on its shape in the last digits),
and is read once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from nlgauge.models import runtime
from nlgauge.models.cache import Memory, Store
from nlgauge.models.interface import Vectors
from nlgauge.models.sentences import looked_up

Pair = tuple[str, str]
CHUNK = 2**15  # pairs made at a time


class KeptPairs:
    """The numbers of one setting, `dim` for each pair."""

    def __init__(self, setting: str, dim: int, *, on_gpu: bool = False) -> None:
        self._setting, self._dim, self._on_gpu = setting, dim, on_gpu
        self._stores: dict[str, Store | Memory] = {}

    def find(
        self,
        pairs: Sequence[Pair],
        make: Callable[[Sequence[Pair]], NDArray[np.float64]],
        note_long: Callable[[Sequence[Pair]], object],
    ) -> NDArray[np.float64]:
        """(n, dim): by `make` where they are new; `note_long` hears of the others, which may have been cut too."""
        keys = [f"{len(one)} {one}{other}" for one, other in pairs]
        named = dict(zip(keys, pairs, strict=True))
        new: set[str] = set()

        def made(texts: list[str]) -> Vectors:
            new.update(texts)
            return make([named[text] for text in texts]).astype(np.float32)

        found = looked_up(keys, self._store(), made, self._dim, chunk=CHUNK)
        note_long([pair for name, pair in named.items() if name not in new])
        return found.astype(np.float64)

    def _store(self) -> Store | Memory:
        now = runtime.current()
        kind = ("off" if self._on_gpu else "on") if now.embeddings == "auto" else now.embeddings
        if kind not in self._stores:
            store = Memory() if kind == "off" else Store(self._setting, self._dim, limit=now.limit)
            self._stores[kind] = store
        return self._stores[kind]
