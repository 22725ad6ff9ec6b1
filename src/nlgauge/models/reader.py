"""The reader: one small network that ships with nlgauge and reads texts for two tasks, in plain NumPy.

Entailment: does a text follow from another (the vector of the opening unit of both, read together). Wording: does a
study's question steer its judges (mean and maximum over the vectors of the question's units). `docs/reader.md` says
what it learnt from; `nlgauge train reader` repeats the training.

    from nlgauge.models.reader import reader
    reader().probabilities_entailment([("A dog runs.", "An animal moves.")])   # entailment, neutral, contradiction
    reader().wording_logits(["How much better is the new system?"])            # one number for each wording label
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError
from nlgauge.models.batching import cut_pairs
from nlgauge.models.bert import Batch, Reading, Text, averaged
from nlgauge.models.interface import ModelInfo, Vectors
from nlgauge.models.resolve import Located, locate
from nlgauge.models.weights import Tensors
from nlgauge.models.wordpiece import WordPiece

NAME = "reader"
WEIGHTS = "weights.safetensors"
ENTAILMENT = ("entailment", "neutral", "contradiction")


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


class Reader(Reading):
    """Network, vocabulary and the two heads. A text longer than it takes loses its end, and is counted in `cut`."""

    def __init__(self, info: ModelInfo, folder: Path) -> None:
        self.info = info
        config = Located(info.name, folder, info.revision).config()
        super().__init__(Tensors(folder / WEIGHTS), config, WordPiece.read(folder / "vocab.txt"))
        self._heads = {task: self.head(task) for task in ("entailment", "wording")}
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
        return self._entailed(self.read(self.units(pairs), self._heads["entailment"], self.bert.opening))

    def pair_vectors(self, pairs: Sequence[tuple[str, str]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(n, 3) and (n, 3 · width) by one pass: probabilities of entailment, and vectors of each pair.

        The vectors are that of the opening unit, and the means over the units of the premise and of the hypothesis.
        """
        found = self.each(self.units(pairs), self._by_part, 3 * self.bert.width)
        weight, bias = self._heads["entailment"]
        return self._entailed(found[:, : self.bert.width] @ weight + bias), found

    def _entailed(self, logits: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities in our order of labels."""
        found = logits[:, self._columns]
        found -= found.max(axis=1, keepdims=True)
        np.exp(found, out=found)
        found /= found.sum(axis=1, keepdims=True)
        return found

    def _by_part(self, batch: Batch) -> Vectors:
        vectors = self.bert.vectors(batch)
        first = np.arange(vectors.shape[1]) < batch.firsts[:, None]
        parts = [vectors[:, 0]]
        for there in (first, batch.mask & ~first):
            total = np.where(there[..., None], vectors, np.float32(0)).sum(axis=1)
            parts.append(total / there.sum(axis=1, keepdims=True).astype(np.float32))
        return np.concatenate(parts, axis=1)

    def units(self, pairs: Sequence[tuple[str, str]]) -> list[Text]:
        """The units of each pair; those too long are cut and counted."""
        return self.pair_units(pairs, self.bert.longest, cut="only_first")

    def wording_logits(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """(n, labels): one number for each of `wording_labels`, in their order."""
        split = []
        for text in texts:
            ids, cut = self.pieces.single(text, self.bert.longest)
            split.append((tuple(ids), len(ids)))
            self.cut += cut
        return self.read(split, self._heads["wording"], self._pooled)

    def _pooled(self, batch: Batch) -> Vectors:
        """Mean and maximum over the units of each text, delimiters included."""
        vectors, mask = self.bert.vectors(batch), batch.mask[..., None]
        largest = np.where(mask, vectors, -np.float32(np.inf)).max(axis=1)
        return np.concatenate([averaged(vectors, batch), largest], axis=1)


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
