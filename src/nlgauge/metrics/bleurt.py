"""BLEURT by one of its published checkpoints, which are not part of nlgauge (docs/checkpoints.md).

Of several references the best counts. The score of a set is the mean of its segments' scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, MeanMetric, option
from nlgauge.metrics.modelled import CheckpointMetric
from nlgauge.metrics.sim import best_rows
from nlgauge.models import checkpoints
from nlgauge.models.bleurt import Bleurt as Network
from nlgauge.models.bleurt import bleurt


@dataclass(frozen=True)
class Bleurt(CheckpointMetric, MeanMetric):
    """BLEURT: people's rating of the output, foretold by a checkpoint that reads it with the reference.

    The scale is the checkpoint's own: 0 to 1 for BLEURT-20, roughly, and about -2 to 1 for those before it.
    """

    model: str = option(checkpoints.NONE, "folder of a checkpoint, such as BLEURT-20", check=checkpoints.check)

    name: ClassVar[str] = "bleurt"
    bounds: ClassVar[tuple[float, float]] = (float("-inf"), float("inf"))
    needs: ClassVar[tuple[str, ...]] = ("references", "checkpoint")
    cite: ClassVar[str] = "Sellam, Das and Parikh (2020), BLEURT: Learning Robust Metrics for Text Generation. ACL."
    reference: ClassVar[str] = "BERT's published code on random weights; the checkpoints could not be compared"

    def loaded(self) -> Network:
        """The checkpoint, loaded once in a process."""
        return bleurt(self.model, purpose=self.name)

    def rows(self, batch: Batch) -> Array:
        several = zip(batch.hypotheses, batch.references, strict=True)
        pairs = [(reference, output) for output, references in several for reference in references]
        return best_rows(batch, self.loaded().scores(pairs), [len(texts) for texts in batch.references])
