"""Texts as vectors of fixed length, by encoders that are not trained further.

An encoder is named by its model, perhaps with how the vectors of words are pooled: `minilm` (a sentence encoder, pooled
as its makers say), `glove` (the mean of word vectors), `glove:extremes` (the highest and the lowest value of each
dimension over the words, one after the other), `minilm:max` (the highest over the units of a contextual encoder). A
text without a word gets noughts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nlgauge import models
from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.soft import kind_of
from nlgauge.metrics.vectors import Texts
from nlgauge.models.catalogue import of_kind
from nlgauge.models.interface import ContextualEncoder, Kind, SentenceEncoder, StaticVectors

_PURPOSE = "a trained metric over vectors"
Words = NDArray[np.floating]


def _extremes(words: Words) -> Array:
    return np.concatenate([words.max(axis=0), words.min(axis=0)])


POOLS: dict[str, Callable[[Words], Array]] = {
    "mean": lambda words: np.asarray(words.mean(axis=0)),
    "max": lambda words: np.asarray(words.max(axis=0)),
    "extremes": _extremes,
}


@dataclass(frozen=True)
class Encoder:
    """One encoder."""

    model: str
    pool: str = ""  # the model's own

    @classmethod
    def of(cls, spec: str) -> Encoder:
        """From MODEL or MODEL:POOLING."""
        model, colon, pool = spec.rpartition(":")
        if not colon or pool not in POOLS:
            if any(model in of_kind(kind) for kind in ("sentence", "static", "contextual")):
                raise InputError(
                    f"the encoder {spec} is pooled by {pool!r}; expected {model} alone, or {model}: with one of "
                    f"{', '.join(POOLS)}"
                )
            model, pool = spec, ""
        static = kind_of(model) == "static" and model not in of_kind("sentence")
        return cls(model, pool or ("mean" if static else ""))

    @property
    def kind(self) -> Kind:
        """Of the model."""
        if not self.pool:
            return "sentence"
        return kind_of(self.model)

    @property
    def loaded(self) -> SentenceEncoder | StaticVectors | ContextualEncoder:
        """The model, loaded once in a process."""
        if self.kind == "sentence":
            return models.sentence(self.model, purpose=_PURPOSE)
        load = models.static if self.kind == "static" else models.contextual
        return load(self.model, purpose=_PURPOSE)

    @property
    def fact(self) -> str:
        """For the receipt."""
        return ":".join(part for part in (self.loaded.info.fact(), self.pool) if part)

    def vectors(self, texts: Sequence[str]) -> Array:
        """(n, d)."""
        if not self.pool:
            return models.sentence(self.model, purpose=_PURPOSE).encode(texts).astype(np.float64)
        if self.kind == "static":
            return self._static(texts)
        encoder = models.contextual(self.model, purpose=_PURPOSE)
        encoded = encoder.encode(texts, encoder.layers[-1])
        if not isinstance(encoded.flat, np.ndarray):  # from the device at once, not text by text
            encoded = replace(encoded, flat=encoded.flat.float().cpu().numpy())
        return np.stack([POOLS[self.pool](encoded.of(text).astype(np.float64)) for text in texts])

    def _static(self, texts: Sequence[str]) -> Array:
        table = models.static(self.model, purpose=_PURPOSE)
        numbered = Texts.of(Batch(texts, [()] * len(texts)), "13a", True)
        vectors, known = table.vectors(numbered.words)
        size = table.dim * (2 if self.pool == "extremes" else 1)
        found = np.zeros((len(texts), size))
        for place in range(len(texts)):
            words = numbered.text(place)
            if known[words].any():
                found[place] = POOLS[self.pool](vectors[words[known[words]]].astype(np.float64))
        return found


def encoded(encoders: Sequence[Encoder], texts: Sequence[str]) -> Array:
    """(n, d): what all encoders make of each text, one after the other; equal texts are encoded once."""
    distinct = list(dict.fromkeys(texts))
    if not distinct:
        raise InputError("there is no text to encode")
    places = {text: place for place, text in enumerate(distinct)}
    made = np.concatenate([encoder.vectors(distinct) for encoder in encoders], axis=1)
    return np.asarray(made[[places[text] for text in texts]])
