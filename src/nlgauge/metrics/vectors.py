"""What the metrics of static word vectors share: the words of a batch, looked up once, and a base class.

Unless a metric says otherwise, words are looked up in lower case, as the packaged GloVe has them; of several
references the best counts; the score of a set is the mean of its segments' scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nlgauge import models
from nlgauge.arrays import Bools, Ints
from nlgauge.kernels import active, python
from nlgauge.kernels.batch import Batch, knows
from nlgauge.metrics.base import Array, MeanMetric, mean_rows, option
from nlgauge.metrics.modelled import ModelMetric, model_option
from nlgauge.models.interface import StaticVectors
from nlgauge.text import tokenizers

Words = NDArray[np.int32]


@dataclass(frozen=True)
class Texts:
    """The texts of a batch as numbers of their distinct words: of each segment its hypothesis, then its references."""

    words: list[str]
    numbers: Words
    starts: Ints  # texts + 1 offsets into `numbers`
    references: Ints  # of each segment

    @classmethod
    def of(cls, batch: Batch, tok: str, lower: bool) -> Texts:
        """Every text of the batch, split and numbered."""
        texts = [
            text
            for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True)
            for text in (hypothesis, *references)
        ]
        number = active().number_words if knows(tok, "none") else python.number_words
        words, numbers, starts = number(texts, tok, lower)
        return cls(words, numbers, starts, np.array([len(several) for several in batch.references]))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def text(self, number: int) -> Words:
        """The words of one text."""
        return self.numbers[self.starts[number] : self.starts[number + 1]]

    @cached_property
    def pairs(self) -> Ints:
        """(pairs, 2): each reference with its hypothesis, as numbers of texts."""
        first = np.cumsum(self.references + 1) - self.references - 1
        hypothesis = np.repeat(first, self.references)
        reference = np.delete(np.arange(len(self)), first)
        return np.column_stack([hypothesis, reference]).astype(np.int64)

    def best(self, found: Array, *, lower: bool = False) -> Array:
        """Of the pairs of each segment the highest value, or the lowest."""
        starts = np.cumsum(self.references) - self.references
        return np.asarray((np.minimum if lower else np.maximum).reduceat(found, starts))


@dataclass(frozen=True)
class VectorMetric(ModelMetric, MeanMetric):
    """Base of the metrics of static word vectors: `pairs` scores each hypothesis against each of its references."""

    model: str = model_option("static", "glove")
    tok: str = option("13a", "tokeniser", check=tokenizers.check)
    lower: bool = option(True, "lower-case before words are looked up")

    bounds = (-1.0, 1.0)
    needs = ("references", "static word vectors")
    kind = "static"

    def loaded(self) -> StaticVectors:
        """The word vectors, loaded once in a process."""
        return models.static(self.model, purpose=self.name)

    def texts(self, batch: Batch) -> Texts:
        """The batch as numbers of words."""
        return Texts.of(batch, self.tok, self.lower)

    def pairs(self, texts: Texts, jobs: int) -> Array:
        """A value for each pair."""
        raise NotImplementedError

    def rows(self, batch: Batch) -> Array:
        if not len(batch):
            return np.zeros((0, 2))
        texts = self.texts(batch)
        best = texts.best(self.pairs(texts, batch.jobs), lower=self.direction == "lower")
        return mean_rows(best)


@dataclass(frozen=True)
class CosineMetric(VectorMetric):
    """Base of the three vector metrics of nlg-eval, which give unknown words a vector as well."""

    unknown: str = option(
        "mean",
        "words without a vector get the mean of all vectors, or are skipped",
        choices=("mean", "skip"),
    )

    def lookup(self, words: list[str]) -> tuple[Array, Bools]:
        """A vector for each word, and which words count."""
        table = self.loaded()
        found, known = table.vectors(words)
        vectors = found.astype(np.float64)
        if self.unknown == "mean" and not known.all():
            vectors[~known] = table.mean()
            known = np.ones(len(words), dtype=np.bool_)
        return vectors, known


def units(vectors: Array) -> Array:
    """The vectors at length 1; one of length 0 stays, and is similar to nothing."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0)[:, None])


def cosines(texts: Texts, vectors: Array) -> Array:
    """For each pair the cosine of the vectors of its texts."""
    unit = units(vectors)
    hypothesis, reference = texts.pairs.T
    found: Array = np.einsum("ij,ij->i", unit[hypothesis], unit[reference])
    return np.clip(found, -1.0, 1.0)
