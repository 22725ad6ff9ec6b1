"""How well n-grams of one text are covered by similar n-grams of another: what YiSi's forms share (Lo 2019)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlgauge.metrics.yisi0 import Rarity

Array = NDArray[np.float64]


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
