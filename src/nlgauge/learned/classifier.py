"""Classifiers: of what class a text is, or whether two texts belong together, as calibrated probabilities.

    main = open_classifier("style/main")
    main.labels                                   ("corriere", "gazette")
    main.probabilities(texts)                     (n, 2), one column for each label
    open_classifier("style/ah").probabilities(articles, headlines)

One reads texts alone or in pairs, by hashed n-grams and logistic regression (`linear`) or by an encoder.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, cast, get_args

import numpy as np

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.io.files import StrPath
from nlgauge.kernels.batch import Batch
from nlgauge.learned.comparator import context_of, softmax
from nlgauge.learned.folder import open_folder
from nlgauge.learned.form import Arrays, Form
from nlgauge.learned.paired import Paired
from nlgauge.metrics.explanation import Figure
from nlgauge.models.kept_pairs import Pair

Reads = Literal["alone", "pair"]
BODIES = {
    "linear": "nlgauge.learned.classifier_linear:LinearClassifier",
    "encoder": "nlgauge.learned.classifier:EncoderClassifier",
}
MATCH, NO_MATCH = "match", "no match"


class Classifier(Form):
    """What tells classes apart."""

    kind: ClassVar[str] = "classifier"
    how: ClassVar[str] = "the score is the probability of the first class"
    labels: tuple[str, ...]
    reads: str

    @abstractmethod
    def logits(self, texts: Sequence[str], others: Sequence[str] | None = None) -> Array:
        """(n, k): what probabilities are made of, calibrated."""

    def probabilities(self, texts: Sequence[str], others: Sequence[str] | None = None) -> Array:
        """(n, k): of each label, for each text, or for each text beside its other."""
        self._refuse(texts, others)
        return softmax(self.logits(texts, others)) if len(texts) else np.zeros((0, len(self.labels)))

    def decisions(self, texts: Sequence[str], others: Sequence[str] | None = None) -> list[str]:
        """The likeliest label of each."""
        found = self.probabilities(texts, others)
        return [self.labels[place] for place in found.argmax(axis=1)] if len(found) else []

    @property
    def needs(self) -> tuple[str, ...]:
        return ("source",) if self.reads == "pair" else ()

    def predict(self, batch: Batch) -> Array:
        """The probability of the first label; of a pair the source comes first."""
        return self._of_batch(batch)[:, 0]

    def figures(self, batch: Batch) -> list[Figure]:
        (found,) = self._of_batch(batch)
        return [Figure(label, float(chance), "probability") for label, chance in zip(self.labels, found, strict=True)]

    def _of_batch(self, batch: Batch) -> Array:
        if self.reads == "alone":
            return self.probabilities(batch.hypotheses)
        batch.require_sources()
        assert batch.sources is not None
        return self.probabilities([context_of(source) for source in batch.sources], batch.hypotheses)

    def _refuse(self, texts: Sequence[str], others: Sequence[str] | None) -> None:
        if isinstance(texts, str) or isinstance(others, str):
            raise InputError("a classifier takes a list of texts, not one text; write [text]")
        if (others is None) != (self.reads == "alone"):
            raise InputError(
                "this classifier reads pairs of texts; give a second list"
                if others is None
                else "this classifier reads texts alone; give one list"
            )
        if others is not None and len(texts) != len(others):
            raise InputError(f"{len(texts)} texts beside {len(others)} others; pairs need as many of both")

    @classmethod
    def of(cls, settings: Mapping[str, Any], arrays: Arrays, folder: Path) -> Self:
        """Of either body; a KeyError names what is missing."""
        if settings["body"] not in BODIES or settings["reads"] not in get_args(Reads):
            raise InputError(
                f"{folder} is a classifier by {settings['body']!r} that reads {settings['reads']!r}; expected "
                f"{' or '.join(BODIES)} and {' or '.join(get_args(Reads))}"
            )
        labels = settings["labels"]
        if not isinstance(labels, list) or len(labels) < 2 or not all(isinstance(name, str) for name in labels):
            raise InputError(f"{folder} tells apart {labels!r}, and two classes are the least; is it whole?")
        module, name = BODIES[settings["body"]].split(":")
        return cast(Self, getattr(import_module(module), name).of(settings, arrays, folder))


def open_classifier(path: StrPath) -> Classifier:
    """The classifier of a folder that `nlgauge style train`, or `nlgauge train` with kind classifier, wrote."""
    folder = open_folder(Path(path).expanduser())
    if not isinstance(folder.form, Classifier):
        raise InputError(
            f"{path} is a trained metric of kind {folder.about.kind}; expected a classifier, as nlgauge style train "
            "writes"
        )
    return folder.form


# A classifier by an encoder with a linear layer on top, which reads a text alone or two texts together.


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
