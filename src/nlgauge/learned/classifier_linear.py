"""A classifier by logistic regression over hashed n-grams, which needs NumPy and SciPy only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.learned.classifier import Classifier
from nlgauge.learned.form import Arrays
from nlgauge.learned.hashed import Hashing, matrix, measured, pair_matrix

TEXTS = 4_096  # that are classified at once
_WEIGHTS, _BIAS, _RARITY = "weights", "bias", "rarity"
Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class LinearClassifier(Classifier):
    """Logistic regression; of two classes one row of weights speaks for the second."""

    labels: tuple[str, ...]
    reads: str
    hashing: Hashing
    weights: Floats  # (k, columns), or (1, columns) of two classes
    bias: Floats
    rarity: Floats | None = None  # of n-grams, for pairs

    def logits(self, texts: Sequence[str], others: Sequence[str] | None = None) -> Array:
        parts = []
        for start in range(0, len(texts), TEXTS):
            end = start + TEXTS
            rows = self.features(texts[start:end], None if others is None else others[start:end])
            parts.append(rows @ self._columns + self.bias.astype(np.float64))
        return two_sided(np.concatenate(parts)) if parts else np.zeros((0, len(self.labels)))

    def features(self, texts: Sequence[str], others: Sequence[str] | None = None) -> Any:
        """The features as sparse rows."""
        if others is None:
            return matrix(texts, self.hashing)
        return pair_matrix(texts, others, self.hashing, self._rare)

    @cached_property
    def _columns(self) -> Array:
        return np.ascontiguousarray(self.weights.T, dtype=np.float64)

    @cached_property
    def _rare(self) -> Array:
        assert self.rarity is not None
        return self.rarity.astype(np.float64)

    def settings(self) -> dict[str, Any]:
        how = self.hashing
        return {
            "body": "linear",
            "labels": list(self.labels),
            "reads": self.reads,
            "words": list(how.words),
            "chars": list(how.chars),
            "bits": how.bits,
            "longest": how.longest,
            "exact": how.exact,
        }

    def arrays(self) -> Arrays:
        rare = {} if self.rarity is None else {_RARITY: self.rarity}
        return {_WEIGHTS: self.weights, _BIAS: self.bias, **rare}

    @classmethod
    def of(cls, settings: Mapping[str, Any], arrays: Arrays, folder: Path) -> Self:
        how = Hashing(
            words=tuple(settings["words"]),
            chars=tuple(settings["chars"]),
            bits=settings["bits"],
            longest=settings["longest"],
            exact=settings["exact"],
        )
        labels, pairs = tuple(settings["labels"]), settings["reads"] == "pair"
        columns = measured(how) + 3 * how.buckets if pairs else how.buckets
        numbers = 1 if len(labels) == 2 else len(labels)
        shapes = [arrays[_WEIGHTS].shape, arrays[_BIAS].shape]
        if shapes != [(numbers, columns), (numbers,)] or (pairs and arrays[_RARITY].shape != (how.buckets,)):
            raise InputError(f"{folder} has weights for other features than it names; is it whole?")
        single = {name: np.asarray(values, dtype=np.float32) for name, values in arrays.items()}
        return cls(
            labels,
            settings["reads"],
            how,
            single[_WEIGHTS],
            single[_BIAS],
            single[_RARITY] if pairs else None,
        )


def two_sided(margins: Array) -> Array:
    """(n, k): one margin, which speaks for the second of two classes, as numbers of both."""
    return np.concatenate([-margins / 2, margins / 2], axis=1) if margins.shape[1] == 1 else margins
