"""Vector extrema: a text is, in each dimension, the value of its words that is farthest from 0; hypothesis and
reference are compared by the cosine (Forgues et al. 2014). Equal to nlg-eval's VectorExtremaCosineSimilarity with the
same vectors.

Of a highest and a lowest value equally far from 0 the lowest is taken. nlg-eval takes the lowest also where it is
exactly 0, whatever the highest; here the farthest counts, as the paper has it. A word without a vector gets the mean
of all vectors; an empty text scores 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nlgauge.metrics.base import Array
from nlgauge.metrics.vectors import CosineMetric, Texts, cosines


@dataclass(frozen=True)
class Extrema(CosineMetric):
    """Cosine of the most extreme values, dimension by dimension, of the word vectors of output and reference."""

    name = "extrema"
    cite = (
        "Forgues, Pineau, Larchevêque and Tremblay (2014), Bootstrapping dialog systems with word embeddings. "
        "NIPS workshop."
    )
    reference = "nlg-eval (VectorExtremaCosineSimilarity)"

    def pairs(self, texts: Texts, jobs: int) -> Array:
        vectors, counted = self.lookup(texts.words)
        extremes = np.zeros((len(texts), vectors.shape[1]))
        for number in range(len(texts)):
            words = texts.text(number)
            words = words[counted[words]]
            if len(words):
                high, low = vectors[words].max(axis=0), vectors[words].min(axis=0)
                extremes[number] = np.where(high > np.abs(low), high, low)
        return cosines(texts, extremes)
