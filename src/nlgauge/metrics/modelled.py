"""What metrics over a model share: the fields that name one, what a receipt tells of it, its remarks.

The classes here are no dataclasses themselves. A metric declares the fields they speak of (`model`, `dtype`, `layer`,
`idf`) in the order of its spec, by the functions below, and gets the rest:

    @dataclass(frozen=True)
    class Sim(ModelMetric, MeanMetric):
        model: str = model_option("sentence", "minilm")
        dtype: str = dtype_option()

        kind = "sentence"
        …
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, Self

from nlgauge import models
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import MeanMetric, Metric, option, unprepared
from nlgauge.metrics.soft import (
    AUTO,
    UNITS,
    Contextual,
    Static,
    check_either,
    check_layers,
    kind_of,
    layers_fact,
    layers_of,
    source_of,
)
from nlgauge.models.catalogue import KINDS, of_kind
from nlgauge.models.checkpoints import NONE
from nlgauge.models.interface import ContextualEncoder, Kind, ModelInfo
from nlgauge.models.resolve import check
from nlgauge.models.runtime import DTYPES
from nlgauge.text import tokenizers

_WHERE = "an alias, owner/name of the Hugging Face hub, or a path"


def model_option(kind: Kind, default: str, told: str = "") -> Any:
    """A field that names a model of a kind; `told`: what it is for, where its name does not say so."""
    where = {
        "static": "an alias, or the path of a text file",
        "parser": "an alias, or the folder of a spaCy model",
    }
    what = "word vectors" if kind == "static" else KINDS[kind]
    told = told or f"{what}: {where.get(kind, _WHERE)}"
    return option(default, told, check=functools.partial(check, kind), models=of_kind(kind))


def encoder_option() -> Any:
    """A field that names a contextual encoder."""
    return model_option("contextual", "minilm")


def either_option() -> Any:
    """A field that names a contextual encoder or word vectors."""
    told = f"contextual encoder or word vectors: {_WHERE}"
    known = [*of_kind("contextual"), *of_kind("static")]
    return option("minilm", told, check=check_either, models=known)


def layers_option() -> Any:
    """A field that names the layer, or several, that vectors are from."""
    told = "layer of the encoder (auto: the best for the model), or several: 3+4+6"
    return option(AUTO, told, check=check_layers)


def dtype_option(what: str = "the encoder") -> Any:
    """A field for the precision a network is run in."""
    return option("float32", f"precision of {what}", choices=DTYPES)


def unit_option(default: str) -> Any:
    """A field that says what is matched."""
    return option(default, "what is matched where the model is an encoder", choices=UNITS)


def tok_option() -> Any:
    """A field for the tokeniser that words are looked up by."""
    return option("none", "tokeniser, where the model is word vectors", check=tokenizers.check)


class Model(Protocol):
    """What every model tells (`nlgauge.models.interface`)."""

    @property
    def info(self) -> ModelInfo:
        """For the receipt."""

    def remarks(self) -> list[str]:
        """What a reader must know of the texts read since this was last asked."""


class ModelMetric(Metric, ABC):
    """Base of the metrics that run on one model, of the kind they say."""

    kind: ClassVar[Kind]
    model: str

    @abstractmethod
    def loaded(self) -> Model:
        """The model, loaded once in a process."""

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        return ((self.kind, self.model),)

    @property
    def model_fact(self) -> str:
        return self.loaded().info.fact()

    def remarks(self) -> list[str]:
        return self.loaded().remarks()


class CheckpointMetric(Metric, ABC):
    """Base of the metrics that others trained, by the folder they published: without one they do not run."""

    model: str

    @abstractmethod
    def loaded(self) -> Model:
        """The checkpoint, loaded once in a process."""

    @property
    def reads_files(self) -> tuple[str, ...]:
        if self.model == NONE:
            self.loaded()  # says what is missing
        return ()  # the receipt tells of the checkpoint as of any model

    @property
    def model_fact(self) -> str:
        return self.loaded().info.fact()

    def remarks(self) -> list[str]:
        return self.loaded().remarks()


class EncoderMetric(ModelMetric, MeanMetric):
    """Base of the metrics that match what a contextual encoder makes of a text's units."""

    layer: str
    dtype: str

    kind: ClassVar[Kind] = "contextual"
    needs: ClassVar[tuple[str, ...]] = ("references", "contextual encoder")

    def loaded(self) -> ContextualEncoder:
        """The encoder, loaded once in a process."""
        return models.contextual(self.model, dtype=self.dtype, purpose=self.name)

    def layers_of(self, encoder: ContextualEncoder) -> tuple[int, ...]:
        """The layers asked for, or the best for the model."""
        return layers_of(self.layer, self.model, encoder)

    @property
    def model_fact(self) -> str:
        encoder = self.loaded()
        return f"{encoder.info.fact()}:{layers_fact(self.layers_of(encoder))}"


@dataclass(frozen=True)
class Idf:
    """How many references have a unit."""

    documents: int
    counts: Counter[int]

    def weight(self, unit: int) -> float:
        """ln((N + 1) / (n + 1))."""
        return math.log((self.documents + 1) / (self.counts[unit] + 1))


class UnitIdfMetric(EncoderMetric):
    """Base of those that weigh units by their inverse document frequency in the references."""

    idf: bool
    frequencies: Idf | None

    @property
    def needs_prepare(self) -> bool:
        return self.idf

    def prepare(self, corpus: Iterable[Batch]) -> Self:
        """Count in how many references each unit occurs."""
        if not self.idf:
            return self
        encoder = self.loaded()
        documents, counts = 0, Counter[int]()
        for batch in corpus:
            texts = [text.strip() for references in batch.references for text in references]
            documents += len(texts)
            for units in encoder.units(texts):
                counts.update(set(units.ids.tolist()))
        # a field of the metric, not of this class
        counted: dict[str, Any] = {"frequencies": Idf(documents, counts)}
        return replace(self, **counted)

    def require_frequencies(self, called: str) -> None:
        """Refuse to weigh by references that nobody has counted."""
        if self.idf and self.frequencies is None:
            raise unprepared(f"{called} weighs units by all references")


class WordMetric(MeanMetric):
    """Base of the metrics that match words, or units, by an encoder or by word vectors, whichever `model` names."""

    model: str
    layer: str
    unit: str
    tok: str
    dtype: str

    needs: ClassVar[tuple[str, ...]] = ("references", "contextual encoder")

    @property
    def source(self) -> tuple[Contextual | Static, str]:
        """Where words and their vectors come from, and what a receipt tells of it."""
        return source_of(
            self.model, layer=self.layer, unit=self.unit, tok=self.tok, dtype=self.dtype, purpose=self.name
        )

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        return ((kind_of(self.model), self.model),)

    @property
    def model_fact(self) -> str:
        return self.source[1]

    def remarks(self) -> list[str]:
        return self.source[0].remarks()
