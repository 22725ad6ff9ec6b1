"""Embedding average: the cosine of the mean word vectors of hypothesis and reference (Landauer and Dumais 1997; as a
metric of dialogue Liu et al. 2016), equal to nlg-eval's EmbeddingAverageCosineSimilarity with the same vectors.

A word without a vector gets the mean of all vectors, as there. An empty text scores 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nlgauge.metrics.base import Array
from nlgauge.metrics.vectors import CosineMetric, Texts, cosines


@dataclass(frozen=True)
class Average(CosineMetric):
    """Cosine of the mean word vectors of output and reference."""

    name = "average"
    cite = "Landauer and Dumais (1997), A solution to Plato's problem. Psychological Review 104(2)."
    reference = "nlg-eval (EmbeddingAverageCosineSimilarity)"

    def pairs(self, texts: Texts, jobs: int) -> Array:
        vectors, counted = self.lookup(texts.words)
        sums = np.zeros((len(texts), vectors.shape[1]))
        for number in range(len(texts)):
            words = texts.text(number)
            sums[number] = vectors[words[counted[words]]].sum(axis=0)
        return cosines(texts, sums)
