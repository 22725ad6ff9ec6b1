"""WE_WPI (Echizen'ya, Araki and Hovy 2019): the mass of words is moved at a cost that tells apart both what words
mean and where they stand.

Two words are as similar as cosine × (1 - |pos/|h| - pos/|r||), positions counted from 1, and 1 minus that is what
moving mass between them costs. The mass of a word is its tf · idf in the sentence; each of its occurrences has an
equal part, and the mass of a text is scaled to 1, so that all of it must be moved. The score is 1 - the least cost,
up to 1.

The formula is the one that the survey of Sai, Mohankumar and Khapra gives; no program is published. Decided here: idf
is ln((N + 1) / (n + 1)) + 1 with n of the N references having the word; a word is always similar to itself, also
without a vector; a word without one is similar to no other. An empty text scores 0. Of several references the best
counts.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, option, unprepared
from nlgauge.metrics.vectors import Texts, VectorMetric, units


@dataclass(frozen=True)
class Rarity:
    """How many references have a word."""

    references: int
    holders: Counter[str]

    def weight(self, word: str) -> float:
        """ln((N + 1) / (n + 1)) + 1."""
        return math.log((self.references + 1) / (self.holders[word] + 1)) + 1


@dataclass(frozen=True)
class WeWpi(VectorMetric):
    """Similarity of words that stand in like places, weighted by rarity and moved at the least cost; up to 1."""

    idf: bool = option(True, "weigh words by their rarity in the references")
    rarity: Rarity | None = dataclasses.field(default=None, repr=False, compare=False)

    name = "wewpi"
    cite = (
        "Echizen'ya, Araki and Hovy (2019), Word embedding-based automatic MT evaluation metric using word position "
        "information. NAACL."
    )
    reference = "the survey's formula (no program is published)"

    @property
    def needs_prepare(self) -> bool:
        return self.idf

    def prepare(self, corpus: Iterable[Batch]) -> Self:
        """Count how many references have each word."""
        if not self.idf:
            return self
        holders: Counter[str] = Counter()
        references = 0
        for batch in corpus:
            texts = self.texts(batch)
            for number in texts.pairs[:, 1].tolist():
                holders.update(texts.words[word] for word in set(texts.text(number).tolist()))
            references += len(texts.pairs)
        return dataclasses.replace(self, rarity=Rarity(references, holders))

    def pairs(self, texts: Texts, jobs: int) -> Array:
        if self.idf and self.rarity is None:
            raise unprepared("WE_WPI weighs words by all references")
        weights = np.array([self.rarity.weight(word) if self.rarity else 1.0 for word in texts.words])
        unit = units(self.loaded().vectors(texts.words)[0].astype(np.float64))
        move = active().transport
        out = np.zeros(len(texts.pairs))
        for place, (a, b) in enumerate(texts.pairs.tolist()):
            words, reference = texts.text(a), texts.text(b)
            if len(words) and len(reference):
                costs = 1.0 - _similar(unit, words, reference)
                supply, demand = (weights[text] / weights[text].sum() for text in (words, reference))
                out[place] = 1.0 - max(0.0, move(costs, supply, demand)[0])
        return out


def _similar(unit: Array, words: np.ndarray, reference: np.ndarray) -> Array:
    """How similar each word of one text is to each of the other, less so the farther apart they stand."""
    cosine = np.clip(unit[words] @ unit[reference].T, -1.0, 1.0)
    cosine[np.equal.outer(words, reference)] = 1.0
    mine, theirs = (np.arange(1, len(text) + 1) / len(text) for text in (words, reference))
    return np.asarray(cosine * (1.0 - np.abs(mine[:, None] - theirs[None, :])))
