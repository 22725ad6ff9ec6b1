"""Coherence of a text: the mean cosine of neighbouring sentences (Foltz, Kintsch and Landauer 1998).

Their vectors were those of latent semantic analysis; here they are of a sentence encoder. It reads no reference. A text
of one sentence has nothing that could fall apart and scores 1, an empty one 0. Repetition counts as coherence: look at
`rep` as well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nlgauge import models
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, MeanMetric, mean_rows
from nlgauge.metrics.modelled import ModelMetric, dtype_option, model_option
from nlgauge.metrics.vectors import units
from nlgauge.models.interface import SentenceEncoder
from nlgauge.text.sentences import sentences


@dataclass(frozen=True)
class Coherence(ModelMetric, MeanMetric):
    """How near in meaning neighbouring sentences of a text are: the mean cosine of their vectors."""

    model: str = model_option("sentence", "minilm-int8")
    dtype: str = dtype_option()

    name = "coherence"
    kind = "sentence"
    column = "cosine"
    bounds = (-1.0, 1.0)
    needs = ("outputs", "sentence encoder")
    cite = "Foltz, Kintsch and Landauer (1998), The Measurement of Textual Coherence. Discourse Processes 25."
    reference = "this definition"

    def loaded(self) -> SentenceEncoder:
        """The encoder, loaded once in a process."""
        return models.sentence(self.model, dtype=self.dtype, purpose=self.name)

    def rows(self, batch: Batch) -> Array:
        split = [sentences(text) for text in batch.hypotheses]
        several = [each for each in split if len(each) > 1]
        found = np.array([float(bool(each)) for each in split])
        if several:
            read = self.loaded().encode([sentence for each in several for sentence in each])
            vectors = units(read.astype(np.float64))
            near = np.einsum("ij,ij->i", vectors[:-1], vectors[1:])
            ends = np.cumsum([len(each) for each in several])
            made = [near[end - len(each) : end - 1].mean() for each, end in zip(several, ends, strict=True)]
            found[[len(each) > 1 for each in split]] = np.clip(made, -1.0, 1.0)
        return mean_rows(found)
