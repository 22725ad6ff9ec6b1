"""SIM: the cosine of sentence embeddings of hypothesis and reference (Wieting et al. 2019 call it so; any encoder).

With several references the highest; an empty text, which says nothing, scores 0 (against an empty reference as well).
The score of a set is the mean of its segments' scores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nlgauge import models
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, Metric, option
from nlgauge.models.devices import DTYPES
from nlgauge.models.interface import SentenceEncoder
from nlgauge.models.resolve import check as check_model


def _check_model(value: str) -> str | None:
    return check_model("sentence", value)


@dataclass(frozen=True)
class Sim(Metric):
    """Cosine of the sentence embeddings of output and reference."""

    model: str = option(
        "minilm",
        "sentence encoder: an alias, owner/name of the Hugging Face hub, or a path",
        check=_check_model,
    )
    dtype: str = option("float32", "precision of the encoder", choices=DTYPES)

    name = "sim"
    bounds = (-1.0, 1.0)
    needs = ("references", "sentence encoder")
    cite = "Wieting, Berg-Kirkpatrick, Gimpel and Neubig (2019), Beyond BLEU. ACL."
    reference = "sentence-transformers (cosine of all-MiniLM-L6-v2)"

    @property
    def columns(self) -> tuple[str, ...]:
        return ("cosine", "segments")

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        return (("sentence", self.model),)

    @property
    def model_fact(self) -> str:
        return self.encoder().info.fact()

    def remarks(self) -> list[str]:
        return self.encoder().remarks()

    def encoder(self) -> SentenceEncoder:
        """The model, loaded once in a process."""
        return models.sentence(self.model, dtype=self.dtype, purpose=self.name)

    def rows(self, batch: Batch) -> Array:
        if not len(batch):
            return np.zeros((0, 2))
        counts = [len(several) for several in batch.references]
        hypotheses = [text.strip() for text in batch.hypotheses]
        references = [text.strip() for several in batch.references for text in several]
        encoder = self.encoder()
        vectors = encoder.encode([*hypotheses, *references]).astype(np.float64)
        norms = np.linalg.norm(vectors, axis=1)
        there = np.array([bool(text) for text in (*hypotheses, *references)]) & (norms > 0)
        unit = np.where(there[:, None], vectors / np.where(norms > 0, norms, 1)[:, None], 0.0)
        mine, theirs = unit[: len(hypotheses)], unit[len(hypotheses) :]
        cosines = np.einsum("ij,ij->i", np.repeat(mine, counts, axis=0), theirs)
        best = np.maximum.reduceat(np.clip(cosines, -1.0, 1.0), np.cumsum([0, *counts[:-1]]))
        return np.column_stack([best, np.ones(len(best))])

    def score(self, totals: Array) -> Array:
        totals = np.asarray(totals, dtype=np.float64)
        mean: Array = totals[..., 0] / np.maximum(totals[..., 1], 1)
        return mean
