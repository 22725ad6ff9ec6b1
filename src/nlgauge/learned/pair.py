"""An encoder that reads two texts together, fine-tuned on judgements (Devlin et al. 2019; Shimanaka et al. 2019).

It reads `[CLS] output [SEP] reference [SEP]`, or `[CLS] context [SEP] output [SEP]`, and a head on the vector of
the opening unit, on the mean over the units, or on both gives the score. Of several references the best counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from nlgauge.arrays import Array
from nlgauge.kernels.batch import Batch
from nlgauge.learned.paired import Paired
from nlgauge.learned.turns import dialogue
from nlgauge.models.kept_pairs import Pair

Reads = Literal["reference", "context"]


@dataclass(frozen=True, eq=False)
class PairEncoder(Paired):
    """One number of an output beside its reference or context."""

    kind: ClassVar[str] = "pair"
    READS: ClassVar[tuple[str, ...]] = get_args(Reads)
    CUT_FIRST: ClassVar[tuple[str, ...]] = ("context",)

    @property
    def needs(self) -> tuple[str, ...]:
        return ("references",) if self.reads == "reference" else ("source",)

    def predict(self, batch: Batch) -> Array:
        pairs = pairs_of(self.reads, batch)
        made = self._scores.scores([pair for some in pairs for pair in some])[:, 0]
        starts = np.cumsum([0, *(len(some) for some in pairs)])[:-1]
        return np.maximum.reduceat(made, starts) if len(made) else np.zeros(0)


def pairs_of(reads: str, batch: Batch) -> list[list[Pair]]:
    """What is read for each output."""
    if reads == "reference":
        batch.require_references()
        return [
            [(output, reference) for reference in references]
            for output, references in zip(batch.hypotheses, batch.references, strict=True)
        ]
    batch.require_sources()
    assert batch.sources is not None
    talks = (
        dialogue(source, output, batch.place(place))
        for place, (source, output) in enumerate(zip(batch.sources, batch.hypotheses, strict=True))
    )
    return [[(" ".join(turn.text for turn in talk.turns), talk.reply.text)] for talk in talks]
