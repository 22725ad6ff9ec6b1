"""How well n-grams of one text are covered by similar n-grams of another: what YiSi's forms share (Lo 2019)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Metric, unprepared
from nlgauge.metrics.explanation import Figure, Part
from nlgauge.metrics.modelled import WordMetric
from nlgauge.metrics.soft import greedy_heat, losses, named
from nlgauge.metrics.yisi0 import Rarity


@dataclass(frozen=True, eq=False)
class Covering:
    """How well n-grams of a text are covered: the score, and each word's part of it and of what is missing."""

    score: float
    gains: Array
    losses: Array
    partners: NDArray[np.int64]  # the place of each word's partner in the n-gram that covers it best; -1: none


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


def references_of(corpus: Iterable[Batch]) -> list[str]:
    """Every reference of a corpus."""
    return [text.strip() for batch in corpus for texts in batch.references for text in texts]


class RarityMetric(Metric):
    """Base of the metrics that weigh words, or units, by how few references have them."""

    idf: bool
    rarity: Rarity | None

    weighs: ClassVar[str]  # what by what, for whoever asks an unprepared metric for rows

    @property
    def needs_prepare(self) -> bool:
        return self.idf

    def weights(self, words: Sequence[str]) -> Array:
        """Of each word: log2(1 + (N + 1) / (c + 1)), or 1 without idf."""
        return self.weighed(words, self.rarity)

    def weighed(self, words: Sequence[str], rarity: Rarity | None) -> Array:
        """The same by another count than that of the references."""
        if not self.idf:
            return np.ones(len(words))
        if rarity is None:
            raise unprepared(self.weighs)
        return np.array([rarity.weight(word) for word in words], dtype=np.float64)


def covered_parts(
    words: tuple[Sequence[str], Sequence[str]],
    table: Array,
    sides: tuple[Covering, Covering],
    which: str,
    other: str = "reference",
) -> list[Part]:
    """For an explanation: how similar the words of both texts are, and what each costs precision and recall."""
    (output, theirs), (precision, recall) = words, sides
    title = f"How similar the words of the output and of {which} are"
    return [
        greedy_heat(title, words, table, precision.partners, recall.partners, other),
        losses(
            "What words of the output cost precision",
            "1 − precision",
            output,
            (precision.gains, precision.losses),
            named(theirs, precision.partners),
        ),
        losses(
            f"What words of {which} cost recall",
            "1 − recall",
            theirs,
            (recall.gains, recall.losses),
            named(output, recall.partners),
        ),
    ]


class YisiMetric(RarityMetric, WordMetric):
    """Base of YiSi-1 and YiSi-2."""

    order: int
    alpha: float

    def covered(self, table: Array, mine: Array, theirs: Array) -> tuple[Covering, Covering]:
        """How well either text is covered, words weighing as told."""
        return covering(table, mine, self.order), covering(table.T, theirs, self.order)

    def figures(self, both: Array, more: str = "") -> list[Figure]:
        """For an explanation: precision and recall, and how they were counted."""
        grams = "words" if self.order == 1 else f"{self.order}-grams of words"
        how = f"similar {grams}{', weighted by rarity' if self.idf else ''}{more}"
        return [Figure("precision", float(both[0]), how), Figure("recall", float(both[1]), how)]

    def note(self) -> str:
        """For an explanation: how precision and recall make the score."""
        return f"score = P · R / ({self.alpha:g} · P + {1 - self.alpha:g} · R)"
