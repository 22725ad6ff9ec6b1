"""Texts through a BERT in NumPy, and what linear heads make of them; the reader and trained metrics read so."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.models import runtime
from nlgauge.models.batching import by_length
from nlgauge.models.bert import Batch, Bert
from nlgauge.models.interface import Vectors
from nlgauge.models.tensors import Tensors
from nlgauge.models.wordpiece import WordPiece

BUDGET = 1_024  # units in a batch: small ones stay in the caches
Text = tuple[tuple[int, ...], int]  # the units of what is read at once, and how many belong to its first part
Head = tuple[Vectors, Vectors]  # weights (in, out) and biases
_alone = threading.Lock()  # BLAS has one number of threads for the whole process


class Units:
    """A vocabulary with a network's heads. A text longer than the network takes loses its end, counted in `cut`."""

    def __init__(self, tensors: Tensors, pieces: WordPiece) -> None:
        self.pieces, self.cut, self._tensors = pieces, 0, tensors

    def head(self, task: str) -> Head:
        """The weights of a head, as they are multiplied."""
        weight = np.ascontiguousarray(self._tensors.whole(f"{task}.weight").T)
        return weight, self._tensors.whole(f"{task}.bias")

    def pair_units(self, pairs: Sequence[tuple[str, str]], longest: int, *, cut: str = "longest_first") -> list[Text]:
        """The units of two texts each that are read together; those too long are cut and counted."""
        found: list[Text] = []
        for one, other in pairs:
            ids, first, short = self.pieces.pair(one, other, longest, cut=cut)
            found.append((tuple(ids), first))
            self.cut += short
        return found


class Reading(Units):
    """A network with its vocabulary."""

    def __init__(self, tensors: Tensors, config: dict[str, Any], pieces: WordPiece) -> None:
        super().__init__(tensors, pieces)
        self.bert = Bert(tensors, config)

    def read(self, texts: Sequence[Text], head: Head, pooled: Callable[[Batch], Vectors]) -> NDArray[np.float64]:
        """What a head says of each text."""
        weight, bias = head
        return self.each(texts, lambda batch: pooled(batch) @ weight + bias, len(bias))

    def each(self, texts: Sequence[Text], made: Callable[[Batch], Vectors], width: int) -> NDArray[np.float64]:
        """(n, width): distinct texts once, in batches of like length, each on one core."""
        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        distinct = list(places)
        found = np.empty((len(distinct), width))

        def work(batch: list[int]) -> None:
            found[batch] = made(self._batch([distinct[place] for place in batch]))

        budget = runtime.current().batch_tokens or BUDGET
        _spread(work, by_length([len(ids) for ids, _ in distinct], budget))
        return found[[places[text] for text in texts]]

    def _batch(self, texts: Sequence[Text]) -> Batch:
        lengths = np.array([len(ids) for ids, _ in texts], dtype=np.int64)
        ids = np.full((len(texts), int(lengths.max())), self.pieces.pad, dtype=np.int64)
        ids[np.arange(ids.shape[1]) < lengths[:, None]] = np.concatenate([units for units, _ in texts])
        return Batch(ids, lengths, np.array([first for _, first in texts], dtype=np.int64))


def averaged(vectors: Vectors, batch: Batch) -> Vectors:
    """The mean over the units of each text, delimiters included."""
    made: Vectors = np.where(batch.mask[..., None], vectors, np.float32(0)).sum(axis=1)
    made /= batch.lengths[:, None].astype(np.float32)
    return made


def _spread(work: Callable[[list[int]], None], batches: Sequence[list[int]]) -> None:
    """Batches over threads, each with a BLAS of one thread.

    So the steps between the products are spread as well, and numbers do not depend on how many threads there are.
    """
    threads = min(len(batches), runtime.current().threads or _cores())
    with _alone, _blas().limit(limits=1, user_api="blas"):
        if threads < 2:
            for batch in batches:
                work(batch)
            return
        with ThreadPoolExecutor(threads) as pool:
            for done in [pool.submit(work, batch) for batch in batches]:
                done.result()


@cache
def _blas() -> Any:
    """What sets the threads of BLAS; made once, as finding all libraries of the process takes longer than a text."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
