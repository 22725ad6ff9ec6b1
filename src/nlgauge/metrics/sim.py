"""SIM: the cosine of sentence embeddings of hypothesis and reference (Wieting et al. 2019 call it so; any encoder).

With several references the highest; an empty text, which says nothing, scores 0 (against an empty reference as well).
The score of a set is the mean of its segments' scores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nlgauge import models
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, MeanMetric, mean_rows
from nlgauge.metrics.modelled import ModelMetric, dtype_option, model_option
from nlgauge.models.interface import SentenceEncoder


@dataclass(frozen=True)
class Sim(ModelMetric, MeanMetric):
    """Cosine of the sentence embeddings of output and reference."""

    model: str = model_option("sentence", "minilm")
    dtype: str = dtype_option()

    name = "sim"
    kind = "sentence"
    column = "cosine"
    bounds = (-1.0, 1.0)
    needs = ("references", "sentence encoder")
    cite = "Wieting, Berg-Kirkpatrick, Gimpel and Neubig (2019), Beyond BLEU. ACL."
    reference = "sentence-transformers (cosine of all-MiniLM-L6-v2)"

    def loaded(self) -> SentenceEncoder:
        """The encoder, loaded once in a process."""
        return models.sentence(self.model, dtype=self.dtype, purpose=self.name)

    def rows(self, batch: Batch) -> Array:
        if not len(batch):
            return np.zeros((0, 2))
        counts = [len(several) for several in batch.references]
        hypotheses = [text.strip() for text in batch.hypotheses]
        references = [text.strip() for several in batch.references for text in several]
        encoder = self.loaded()
        vectors = encoder.encode([*hypotheses, *references]).astype(np.float64)
        norms = np.linalg.norm(vectors, axis=1)
        there = np.array([bool(text) for text in (*hypotheses, *references)]) & (norms > 0)
        unit = np.where(there[:, None], vectors / np.where(norms > 0, norms, 1)[:, None], 0.0)
        mine, theirs = unit[: len(hypotheses)], unit[len(hypotheses) :]
        cosines = np.einsum("ij,ij->i", np.repeat(mine, counts, axis=0), theirs)
        best = np.maximum.reduceat(np.clip(cosines, -1.0, 1.0), np.cumsum([0, *counts[:-1]]))
        return mean_rows(best)
