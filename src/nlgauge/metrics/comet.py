"""COMET by one of its published checkpoints, which are not part of nlgauge (docs/checkpoints.md).

Of several references the best counts. The score of a set is the mean of its segments' scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, MeanMetric, mean_rows, option
from nlgauge.metrics.modelled import CheckpointMetric
from nlgauge.metrics.sim import best_rows
from nlgauge.models import checkpoints
from nlgauge.models.comet import AUTO, REFERENCELESS, class_of, comet
from nlgauge.models.comet import Comet as Network
from nlgauge.models.resolve import looks_like_a_model


def _check_encoder(name: str) -> str | None:
    if name == AUTO or looks_like_a_model(name):
        return None
    return f"{AUTO}, a folder, or owner/name of the Hugging Face hub"


@dataclass(frozen=True)
class Comet(CheckpointMetric, MeanMetric):
    """COMET: people's rating of a translation, foretold by a checkpoint that reads source, output and reference.

    A checkpoint of the class referenceless_regression_metric reads no reference.
    """

    model: str = option(checkpoints.NONE, "folder of a checkpoint, such as wmt22-comet-da", check=checkpoints.check)
    encoder: str = option(
        AUTO, "where configuration and tokeniser of its encoder are (auto: as it says)", check=_check_encoder
    )

    name: ClassVar[str] = "comet"
    bounds: ClassVar[tuple[float, float]] = (float("-inf"), float("inf"))
    needs: ClassVar[tuple[str, ...]] = ("references", "source text", "checkpoint")
    cite: ClassVar[str] = "Rei, Stewart, Farinha and Lavie (2020), COMET: A Neural Framework for MT Evaluation. EMNLP."
    reference: ClassVar[str] = "unbabel-comet 2.2.7 on random weights; the checkpoints could not be compared"

    def __post_init__(self) -> None:
        super().__post_init__()
        if class_of(Path(self.model).expanduser()) == REFERENCELESS:
            object.__setattr__(self, "needs", ("source text", "checkpoint"))

    def loaded(self) -> Network:
        """The checkpoint, loaded once in a process."""
        return comet(self.model, encoder=self.encoder, purpose=self.name)

    def rows(self, batch: Batch) -> Array:
        network = self.loaded()
        texts = [several[0] for several in batch.with_sources().references]
        if "references" not in self.needs:
            return mean_rows(network.scores(batch.hypotheses, texts, None))
        counts = [len(several) for several in batch.references]
        outputs, sources = (
            [text for text, count in zip(some, counts, strict=True) for _ in range(count)]
            for some in (batch.hypotheses, texts)
        )
        references = [text for several in batch.references for text in several]
        return best_rows(batch, network.scores(outputs, sources, references), counts)
