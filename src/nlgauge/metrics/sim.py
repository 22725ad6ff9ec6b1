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
        return best_rows(batch, *self.cosines(batch))

    def cosines(self, batch: Batch) -> tuple[Array, list[int]]:
        """Of each output with each of its references in turn, and how many these are; 0 where a text is empty."""
        counts = [len(several) for several in batch.references]
        hypotheses = [text.strip() for text in batch.hypotheses]
        references = [text.strip() for several in batch.references for text in several]
        if not hypotheses:
            return np.zeros(0), counts
        vectors = self.loaded().encode([*hypotheses, *references]).astype(np.float64)
        norms = np.linalg.norm(vectors, axis=1)
        there = np.array([bool(text) for text in (*hypotheses, *references)]) & (norms > 0)
        unit = np.where(there[:, None], vectors / np.where(norms > 0, norms, 1)[:, None], 0.0)
        mine, theirs = unit[: len(hypotheses)], unit[len(hypotheses) :]
        cosines = np.einsum("ij,ij->i", np.repeat(mine, counts, axis=0), theirs)
        return np.clip(cosines, -1.0, 1.0), counts


def best_rows(batch: Batch, scores: Array, counts: list[int]) -> Array:
    """The rows of a batch: of each output's references the highest score counts."""
    if not len(batch):
        return np.zeros((0, 2))
    return mean_rows(np.maximum.reduceat(scores, np.cumsum([0, *counts[:-1]])))
