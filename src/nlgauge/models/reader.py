"""The reader: one small network that ships with nlgauge and reads texts for two tasks, in plain NumPy.

Entailment: does a text follow from another (the vector of the opening unit of both, read together). Wording: does a
study's question steer its judges (mean and maximum over the vectors of the question's units). `docs/reader.md` says
what it learnt from; `nlgauge train reader` repeats the training.

    from nlgauge.models.reader import reader
    reader().probabilities_entailment([("A dog runs.", "An animal moves.")])   # entailment, neutral, contradiction
    reader().wording_logits(["How much better is the new system?"])            # one number for each wording label
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError
from nlgauge.models import runtime
from nlgauge.models.batching import by_length, cut_pairs
from nlgauge.models.bert import Batch, Bert
from nlgauge.models.interface import ModelInfo, Vectors
from nlgauge.models.resolve import Located, locate
from nlgauge.models.tensors import Tensors
from nlgauge.models.wordpiece import WordPiece

NAME = "reader"
WEIGHTS = "weights.safetensors"
ENTAILMENT = ("entailment", "neutral", "contradiction")
BUDGET = 1_024  # units in a batch: small ones stay in the caches
Text = tuple[tuple[int, ...], int]  # the units of what is read at once, and how many belong to its first part
_alone = threading.Lock()  # BLAS has one number of threads for the whole process


def reader(name: str = NAME, *, purpose: str = "this") -> Reader:
    """The reader that ships with nlgauge, or one trained by `nlgauge train reader` in a folder; loaded once."""
    from nlgauge.models.loading import once

    found = locate(name, "entailment", purpose)
    if not is_reader(found):
        raise InputError(f"{name} holds no reader: expected {WEIGHTS}, vocab.txt and config.json with labels")
    info = ModelInfo(found.name, found.revision, found.digest, "numpy", standing=found.standing)
    return once((NAME, found, found.digest), lambda: Reader(info, found.path))


def is_reader(found: Located) -> bool:
    """Whether a folder holds a network of this form."""
    return (found.path / WEIGHTS).is_file() and isinstance(found.config().get("labels"), dict)


class Reader:
    """Network, vocabulary and the two heads. A text longer than it takes loses its end, and is counted in `cut`."""

    def __init__(self, info: ModelInfo, folder: Path) -> None:
        self.info, self.cut = info, 0
        config = Located(info.name, folder, info.revision).config()
        tensors = Tensors(folder / WEIGHTS)
        self._bert = Bert(tensors, config)
        self._pieces = WordPiece.read(folder / "vocab.txt")
        self._heads = {
            task: (np.ascontiguousarray(tensors.whole(f"{task}.weight").T), tensors.whole(f"{task}.bias"))
            for task in ("entailment", "wording")
        }
        labels = config["labels"]
        self.wording_labels: tuple[str, ...] = tuple(labels.get("wording", ()))
        named = [str(label) for label in labels.get("entailment", ())]
        if sorted(named) != sorted(ENTAILMENT) or len(self.wording_labels) != len(self._heads["wording"][1]):
            raise InputError(f"the labels in {folder / 'config.json'} do not fit the weights beside it")
        self._columns = [named.index(label) for label in ENTAILMENT]

    def probabilities_entailment(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """(n, 3): entailment, neutral, contradiction, for each pair of premise and hypothesis.

        Too long a pair loses the end of its premise.
        """
        found = self._read(self.units(pairs), "entailment", self._bert.opening)[:, self._columns]
        found -= found.max(axis=1, keepdims=True)
        np.exp(found, out=found)
        found /= found.sum(axis=1, keepdims=True)
        return found

    def units(self, pairs: Sequence[tuple[str, str]]) -> list[Text]:
        """The units of each pair; those too long are cut and counted."""
        texts: list[Text] = []
        for premise, hypothesis in pairs:
            ids, first, cut = self._pieces.pair(premise, hypothesis, self._bert.longest, cut="only_first")
            texts.append((tuple(ids), first))
            self.cut += cut
        return texts

    def wording_logits(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """(n, labels): one number for each of `wording_labels`, in their order."""
        split = []
        for text in texts:
            ids, cut = self._pieces.single(text, self._bert.longest)
            split.append((tuple(ids), len(ids)))
            self.cut += cut
        return self._read(split, "wording", self._pooled)

    def _pooled(self, batch: Batch) -> Vectors:
        """Mean and maximum over the units of each text, delimiters included."""
        vectors, mask = self._bert.vectors(batch), batch.mask[..., None]
        mean = np.where(mask, vectors, np.float32(0)).sum(axis=1) / batch.lengths[:, None].astype(np.float32)
        return np.concatenate([mean, np.where(mask, vectors, -np.float32(np.inf)).max(axis=1)], axis=1)

    def _read(
        self, texts: Sequence[Text], task: str, pooled: Callable[[Batch], Vectors]
    ) -> NDArray[np.float64]:
        """What a head says of each text: distinct texts once, in batches of like length, each on one core."""
        weight, bias = self._heads[task]
        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        distinct = list(places)
        found = np.empty((len(distinct), len(bias)))

        def work(batch: list[int]) -> None:
            found[batch] = pooled(self._batch([distinct[place] for place in batch])) @ weight + bias

        budget = runtime.current().batch_tokens or BUDGET
        _spread(work, by_length([len(ids) for ids, _ in distinct], budget))
        return found[[places[text] for text in texts]]

    def _batch(self, texts: Sequence[Text]) -> Batch:
        lengths = np.array([len(ids) for ids, _ in texts], dtype=np.int64)
        ids = np.full((len(texts), int(lengths.max())), self._pieces.pad, dtype=np.int64)
        ids[np.arange(ids.shape[1]) < lengths[:, None]] = np.concatenate([units for units, _ in texts])
        return Batch(ids, lengths, np.array([first for _, first in texts], dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Entails:
    """The reader as an entailment model."""

    reader: Reader

    @property
    def info(self) -> ModelInfo:
        """For the receipt."""
        return self.reader.info

    @property
    def cut(self) -> int:
        """Pairs that were too long, and lost the end of their premise."""
        return self.reader.cut

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """(n, 3): entailment, neutral, contradiction."""
        return self.reader.probabilities_entailment(pairs)

    def note_long(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Count the pairs that are too long."""
        self.reader.units(pairs)

    def remarks(self) -> list[str]:
        """How many pairs lost the end of their premise since this was last asked."""
        cut, self.reader.cut = self.reader.cut, 0
        return cut_pairs(cut)


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
