"""A classifier by an encoder with a linear layer on top, which reads a text alone or two texts together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self, get_args

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.learned.classifier import Classifier, Reads
from nlgauge.learned.form import Arrays
from nlgauge.learned.paired import Paired
from nlgauge.models.kept_pairs import Pair


@dataclass(frozen=True, eq=False)
class EncoderClassifier(Paired, Classifier):
    """It reads `[CLS] [SEP] text [SEP]`, or `[CLS] one [SEP] other [SEP]`; what is too long loses the end of the longer
    text."""

    READS: ClassVar[tuple[str, ...]] = get_args(Reads)
    labels: tuple[str, ...] = ()

    def logits(self, texts: Sequence[str], others: Sequence[str] | None = None) -> Array:
        return self._scores.scores(texts_as_pairs(texts, others))

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "body": "encoder", "labels": list(self.labels)}

    @classmethod
    def of(cls, settings: Mapping[str, Any], arrays: Arrays, folder: Path) -> Self:
        made = super().of(settings, arrays, folder)
        labels = tuple(settings["labels"])
        if made.width != len(labels):
            raise InputError(f"{folder} has a head of {made.width} numbers for {len(labels)} classes")
        return replace(made, labels=labels)


def texts_as_pairs(texts: Sequence[str], others: Sequence[str] | None) -> list[Pair]:
    """Pairs as encoders read them: a text alone comes second, after nothing."""
    if others is None:
        return [("", text) for text in texts]
    return list(zip(texts, others, strict=True))
