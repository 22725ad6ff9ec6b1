"""Entailment between output and reference: how surely one follows from the other, or contradicts it.

The model reads a premise and a hypothesis and gives three probabilities that sum to 1. As in NUBIA (Kane et al. 2020)
the reference is the premise; `premise=output` asks the other way round, whether the output lets one conclude the
reference. Of several references the one counts from which the output follows most surely. An empty text is read as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge import models
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, option
from nlgauge.metrics.modelled import ModelMetric, model_option
from nlgauge.models.interface import Entailment as EntailmentModel
from nlgauge.models.interface import Kind

_LABELS = ("entailment", "neutral", "contradiction")


@dataclass(frozen=True)
class Entailment(ModelMetric):
    """Probability that the output follows from the reference (or is neutral to it, or contradicts it)."""

    model: str = model_option("entailment", "reader")
    output: str = option("entailment", "which of the three probabilities", choices=_LABELS, scoring=True)
    premise: str = option("reference", "what the other is to follow from", choices=("reference", "output"))

    name: ClassVar[str] = "entailment"
    kind: ClassVar[Kind] = "entailment"
    needs: ClassVar[tuple[str, ...]] = ("references", "entailment model")
    cite: ClassVar[str] = "Kane, Kocyigit, Abdalla, Ajanoh and Coulibali (2020), NUBIA. Workshop on EvalNLGEval."
    reference: ClassVar[str] = "the entailment model's own probabilities"
    columns: ClassVar[tuple[str, ...]] = (*_LABELS, "segments")

    def loaded(self) -> EntailmentModel:
        """The model, loaded once in a process."""
        return models.entailment(self.model, purpose=self.name)

    def rows(self, batch: Batch) -> Array:
        pairs = [
            (reference, output) if self.premise == "reference" else (output, reference)
            for output, several in zip(batch.hypotheses, batch.references, strict=True)
            for reference in several
        ]
        found = np.asarray(self.loaded().probabilities(pairs), dtype=np.float64).reshape(-1, len(_LABELS))
        rows = np.ones((len(batch), len(self.columns)))
        start = 0
        for place, several in enumerate(batch.references):
            own = found[start : start + len(several)]
            rows[place, : len(_LABELS)] = own[own[:, 0].argmax()]
            start += len(several)
        return rows

    def score(self, totals: Array) -> Array:
        totals = np.asarray(totals, dtype=np.float64)
        number = totals[..., -1]
        part = totals[..., _LABELS.index(self.output)]
        return np.divide(part, number, out=np.zeros(number.shape), where=number > 0)
