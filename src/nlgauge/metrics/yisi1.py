"""YiSi-1 (Lo 2019, "YiSi: a unified semantic MT quality evaluation and estimation metric"): n-grams of words that are
similar in meaning, weighted by rarity.

Words are as similar as the cosine of their vectors, below 0 not at all; n-grams are compared word by word, and each
n-gram of one text is as well covered as the most similar n-gram of the other covers it. Precision covers the
hypothesis, recall the reference, each with its best reference:

    YiSi-1 = P · R / (α · P + (1 − α) · R)

With word vectors (`model` names a file, or glove) it equals the author's program with `lexsim-type=w2v` and n-grams of
three words: the same word, whatever its case, is similar to degree 1, and an unknown one to no other. With a contextual
encoder words are matched, their vectors the means of their units', or the units themselves. Weights are those of
YiSi-0: log2(1 + (N + 1) / (c + 1)), where c of N references have the word. The score of a set is the mean.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, Metric, option
from nlgauge.metrics.explanation import Explanation, Figure, Part, ordinal_reference
from nlgauge.metrics.heat import greedy_heat, losses, named
from nlgauge.metrics.soft import (
    AUTO,
    UNITS,
    Contextual,
    Static,
    Tokens,
    check_either,
    check_layers,
    chunks,
    kind_of,
    source_of,
)
from nlgauge.metrics.yisi0 import Rarity
from nlgauge.models.devices import DTYPES
from nlgauge.text import tokenizers


@dataclass(frozen=True, eq=False)
class Covering:
    """How well n-grams of a text are covered: the score, and each word's part of it and of what is missing."""

    score: float
    gains: Array
    losses: Array
    partners: NDArray[
        np.int64
    ]  # the place of each word's partner in the n-gram that covers it best; -1: none


def covering(table: Array, weights: Array, order: int) -> Covering:
    """The weighted mean, over n-grams of the rows, of the similarity to the most similar n-gram of the columns.

    Where a text is shorter than `order`, n-grams are as long as it. Gains add up to the score, losses to 1 − score.
    """
    rows, columns = table.shape
    n = min(order, rows, columns)
    if n == 0:
        return Covering(0.0, np.zeros(rows), _shares(weights), np.full(rows, -1, dtype=np.int64))
    weighted = weights[:, None] * table
    along = sum(weighted[k : rows - n + 1 + k, k : columns - n + 1 + k] for k in range(n))
    best = np.asarray(along).argmax(axis=1)
    counts = np.zeros(rows)
    gains = np.zeros(rows)
    partners = np.full(rows, -1, dtype=np.int64)
    highest = np.full(rows, -1.0)
    places = np.arange(rows - n + 1)
    for k in range(n):
        similar = table[places + k, best + k]
        counts[places + k] += 1
        gains[places + k] += weights[places + k] * similar
        nearer = similar > highest[places + k]
        partners[places[nearer] + k] = best[nearer] + k
        highest[places[nearer] + k] = similar[nearer]
    whole = float((counts * weights).sum())
    gains /= whole
    return Covering(float(gains.sum()), gains, counts * weights / whole - gains, partners)


def _shares(weights: Array) -> Array:
    return weights / weights.sum() if len(weights) else weights


def joined(found: Array, alpha: float) -> Array:
    """The scores of (…, 2) precisions and recalls: P · R / (α · P + (1 − α) · R), and 0 where either is."""
    precision, recall = found[..., 0], found[..., 1]
    either = alpha * precision + (1.0 - alpha) * recall
    both = np.where((precision > 0) & (recall > 0), precision * recall, 0.0)
    return np.divide(both, either, out=np.zeros(both.shape), where=both > 0)


def rarity_of(documents: Iterable[Sequence[str]]) -> Rarity:
    """In how many documents each word occurs."""
    holders: Counter[str] = Counter()
    number = 0
    for words in documents:
        holders.update(set(words))
        number += 1
    return Rarity(dict(holders), number)


@dataclass(frozen=True)
class Yisi1(Metric):
    """YiSi-1, from 0 to 1: n-grams of words that are similar in meaning, weighted by rarity.

    Scores hang on the model; those of different models cannot be compared.
    """

    model: str = option(
        "minilm",
        "contextual encoder or word vectors: an alias, owner/name of the Hugging Face hub, or a path",
        check=check_either,
    )
    order: int = option(2, "length of the n-grams; the author's program takes 3", low=1, high=100)
    alpha: float = option(0.8, "weight of recall against precision", low=0.0, high=1.0)
    idf: bool = option(True, "weigh words by their rarity in the references")
    layer: str = option(
        AUTO, "layer of the encoder (auto: the best for the model), or several: 3+4+6", check=check_layers
    )
    unit: str = option("word", "what is matched where the model is an encoder", choices=UNITS)
    tok: str = option("none", "tokeniser, where the model is word vectors", check=tokenizers.check)
    dtype: str = option("float32", "precision of the encoder", choices=DTYPES)
    rarity: Rarity | None = dataclasses.field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "yisi1"
    needs: ClassVar[tuple[str, ...]] = ("references", "contextual encoder")
    cite: ClassVar[str] = (
        "Lo (2019), YiSi: a unified semantic MT quality evaluation and estimation metric for languages with different "
        "levels of available resources. WMT."
    )
    reference: ClassVar[str] = "the author's yisi (lexsim w2v, lexweight learn)"
    at: ClassVar[str | None] = "order"

    @property
    def columns(self) -> tuple[str, ...]:
        """The sum of segment scores and their number."""
        return ("score", "segments")

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        return ((kind_of(self.model), self.model),)

    @property
    def model_fact(self) -> str:
        return self._source[1]

    def remarks(self) -> list[str]:
        source = self._source[0]
        return source.encoder.remarks() if isinstance(source, Contextual) else []

    @property
    def _source(self) -> tuple[Contextual | Static, str]:
        return source_of(
            self.model, layer=self.layer, unit=self.unit, tok=self.tok, dtype=self.dtype, purpose=self.name
        )

    @property
    def needs_prepare(self) -> bool:
        return self.idf

    def prepare(self, corpus: Iterable[Batch]) -> Self:
        """Count in how many references each word occurs."""
        if not self.idf:
            return self
        source = self._source[0]
        documents = (
            words
            for batch in corpus
            for words in source.split([text.strip() for texts in batch.references for text in texts])
        )
        return dataclasses.replace(self, rarity=rarity_of(documents))

    def _weights(self, words: Sequence[str]) -> Array:
        if not self.idf:
            return np.ones(len(words))
        if self.rarity is None:
            raise InputError(
                "YiSi-1 weighs words by all references of the corpus; call prepare(corpus) and take the rows of the "
                "metric it returns"
            )
        return np.array([self.rarity.weight(word) for word in words], dtype=np.float64)

    def rows(self, batch: Batch) -> Array:
        """The score of each segment, and 1."""
        source = self._source[0]
        found: list[tuple[float, float]] = []
        for part in chunks(batch):
            texts = [text.strip() for texts in (part.hypotheses, *part.references) for text in texts]
            tokens = source.tokens(texts)
            for hypothesis, references in zip(part.hypotheses, part.references, strict=True):
                mine = tokens[hypothesis.strip()]
                scores = [
                    tuple(side.score for side in self._compared(source, mine, tokens[text.strip()])[1:])
                    for text in references
                ]
                precision, recall = np.max(scores, axis=0)
                found.append((precision, recall))
        both = np.array(found, dtype=np.float64).reshape(-1, 2)
        return np.stack([joined(both, self.alpha), np.ones(len(both))], axis=1)

    def _compared(
        self, source: Contextual | Static, mine: Tokens, theirs: Tokens
    ) -> tuple[Array, Covering, Covering]:
        """Similarities of the words of output and reference, and how well either is covered."""
        table = np.maximum(source.similar(mine, theirs), 0.0)
        return (
            table,
            covering(table, self._weights(mine.words), self.order),
            covering(table.T, self._weights(theirs.words), self.order),
        )

    def explained(self, batch: Batch) -> Explanation:
        """Which words are matched with which, and what each costs precision and recall."""
        source = self._source[0]
        texts = [text.strip() for text in (batch.hypotheses[0], *batch.references[0])]
        tokens = source.tokens(texts)
        mine, *others = (tokens[text] for text in texts)
        compared = [self._compared(source, mine, theirs) for theirs in others]
        scores = np.array([[side.score for side in found[1:]] for found in compared])
        best = int(np.argmax(joined(scores, self.alpha)))
        highest = scores.max(axis=0)
        table, precision, recall = compared[best]
        labels = [source.labels(text, one) for text, one in zip(texts, (mine, *others), strict=True)]
        output, reference = labels[0], labels[best + 1]
        which = ordinal_reference(best, len(others))
        parts: list[Part] = [
            greedy_heat(
                f"How similar the words of the output and of {which} are",
                (output, reference),
                table,
                precision.partners,
                recall.partners,
            ),
            losses(
                "What words of the output cost precision",
                "1 − precision",
                output,
                (precision.gains, precision.losses),
                named(reference, precision.partners),
            ),
            losses(
                f"What words of {which} cost recall",
                "1 − recall",
                reference,
                (recall.gains, recall.losses),
                named(output, recall.partners),
            ),
        ]
        grams = "words" if self.order == 1 else f"{self.order}-grams of words"
        how = f"similar {grams}{', weighted by rarity' if self.idf else ''}, best reference"
        figures = [
            Figure("precision", float(highest[0]), how),
            Figure("recall", float(highest[1]), how),
        ]
        notes = [f"score = P · R / ({self.alpha:g} · P + {1 - self.alpha:g} · R)"]
        if len(others) > 1 and (highest > scores[best]).any():
            notes.append(
                f"precision and recall are each of the best reference; the parts above are of {which}"
            )
        row = [float(joined(highest, self.alpha)), 1.0]
        return Explanation.of(self, batch, row, figures=figures, parts=parts, notes=notes, counted=[best + 1])

    def score(self, totals: Array) -> Array:
        """The mean over segments."""
        count = totals[..., 1]
        return np.divide(totals[..., 0], count, out=np.zeros(np.shape(count)), where=count > 0)
