"""Word vectors and a small recurrent network over them, as `recurrent` runs it.

Vectors are those of an encoder's words, or of a list of word vectors; each has length 1, a word that a list lacks is a
nought. A text is read to its `longest` words, a context from the end. With several references `esim` gives the mean of
what it says of each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError, counted
from nlgauge.kernels.batch import Batch
from nlgauge.learned.form import DIGITS, Arrays, Form, sigmoid
from nlgauge.learned.images import images
from nlgauge.learned.recurrent import NETWORKS, Padded, padded
from nlgauge.learned.turns import dialogue
from nlgauge.metrics.soft import Contextual, Static, kind_of, source_of
from nlgauge.models.interface import Vectors

PART = 128  # texts that are run at once


@dataclass(frozen=True)
class Words:
    """Where vectors come from, and how much of a text is read."""

    model: str
    layer: str
    unit: str
    tok: str
    longest: int

    @cached_property
    def source(self) -> tuple[Contextual | Static, str]:
        """The vectors, and what a receipt tells of them."""
        return source_of(
            self.model,
            layer=self.layer,
            unit=self.unit,
            tok=self.tok,
            dtype="float32",
            purpose="a trained metric",
        )

    def read(self, texts: list[str]) -> dict[str, Vectors]:
        """The vectors of each text's words."""
        return {text: tokens.vectors for text, tokens in self.source[0].tokens(texts).items()}


@dataclass(frozen=True, eq=False)
class Parts:
    """What a network reads: for each of its texts a column, with the segment that a row belongs to."""

    owners: NDArray[np.int64]
    texts: tuple[list[str], ...]
    images: Array  # (rows, 0) where there are none

    def __len__(self) -> int:
        return len(self.owners)


def _with_references(batch: Batch) -> Parts:
    batch.require_references()
    owners = [number for number, several in enumerate(batch.references) for _ in several]
    outputs = [batch.hypotheses[number] for number in owners]
    references = [text for several in batch.references for text in several]
    return Parts(np.array(owners, dtype=np.int64), (outputs, references), np.zeros((len(owners), 0)))


def _with_context(batch: Batch) -> Parts:
    sources = batch.sources if batch.sources is not None else [None] * len(batch)
    found = [
        dialogue(source, text, batch.place(number))
        for number, (source, text) in enumerate(zip(sources, batch.hypotheses, strict=True))
    ]
    contexts = [" ".join(turn.text for turn in talk.turns) for talk in found]
    return Parts(np.arange(len(batch)), (contexts, [talk.reply.text for talk in found]), np.zeros((len(batch), 0)))


def _with_image(batch: Batch) -> Parts:
    return Parts(np.arange(len(batch)), (list(batch.hypotheses),), images(batch))


@dataclass(frozen=True)
class Reads:
    """What a network needs of a segment, how it is taken from there, and which of its texts is read from the end."""

    needs: tuple[str, ...]
    parts: Callable[[Batch], Parts]
    ends: int | None = None


READS = {
    "esim": Reads(("references",), _with_references),
    "discriminator": Reads(("source",), _with_context, ends=0),
    "leic": Reads(("source",), _with_image),
}


def sides(
    columns: Sequence[Sequence[str]], vectors: Mapping[str, Vectors], *, longest: int, ends: int | None
) -> list[Padded]:
    """The vectors of each column's texts, cut to the longest that is read."""
    width = next(iter(vectors.values())).shape[1]
    made = []
    for number, column in enumerate(columns):
        part = slice(-longest, None) if number == ends else slice(longest)
        made.append(padded([vectors[text][part] for text in column], width))
    return made


@dataclass(frozen=True, eq=False)
class Sequenced(Form):
    """A network over the vectors of words."""

    kind: ClassVar[str] = "sequence"
    network: str
    words: Words
    weights: Mapping[str, NDArray[np.float32]]
    probability: bool  # whether the logistic function is taken of what comes out
    cut: set[str] = field(default_factory=set, repr=False)  # texts that were too long, until somebody asks

    @property
    def needs(self) -> tuple[str, ...]:
        vectors = "static word vectors" if self._static else "contextual encoder"
        return (*READS[self.network].needs, vectors)

    @property
    def _static(self) -> bool:
        return kind_of(self.words.model) == "static"

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        return ((kind_of(self.words.model), self.words.model),)

    @property
    def model_fact(self) -> str:
        return self.words.source[1]

    def remarks(self) -> list[str]:
        told = list(self.words.source[0].remarks())
        if self.cut:
            told.append(
                f"{counted(len(self.cut), 'text')} had more than {self.words.longest} words, and the rest was not read"
            )
            self.cut.clear()
        return told

    def predict(self, batch: Batch) -> Array:
        if not len(batch):
            return np.zeros(0)
        parts = READS[self.network].parts(batch)
        if (width := parts.images.shape[1]) and width != (known := self.weights["image.weight"].shape[1]):
            raise InputError(f"images have {width} numbers here, and had {known} in training")
        found = np.empty(len(parts))
        run, weights = NETWORKS[self.network], self._whole
        order = np.argsort([len(text) for text in parts.texts[-1]], kind="stable")
        for start in range(0, len(order), PART):
            rows = order[start : start + PART]
            found[rows] = run(weights, self._sides(parts, rows), parts.images[rows])
        found = sigmoid(found) if self.probability else found
        scores = np.bincount(parts.owners, found, len(batch)) / np.bincount(parts.owners, minlength=len(batch))
        return np.round(scores, DIGITS)

    @cached_property
    def _whole(self) -> dict[str, Array]:
        return {name: values.astype(np.float64) for name, values in self.weights.items()}

    def _sides(self, parts: Parts, rows: NDArray[np.int64]) -> list[Padded]:
        columns = [[column[row].strip() for row in rows] for column in parts.texts]
        vectors = self.words.read([text for column in columns for text in column])
        self.cut.update(text for text, own in vectors.items() if len(own) > self.words.longest)
        return sides(columns, vectors, longest=self.words.longest, ends=READS[self.network].ends)

    def settings(self) -> dict[str, Any]:
        return {"network": self.network, "probability": self.probability, **asdict(self.words)}

    def arrays(self) -> Arrays:
        return self.weights

    @classmethod
    def of(cls, settings: Mapping[str, Any], arrays: Arrays, folder: Path) -> Self:
        given = dict(settings)
        network, probability = given.pop("network"), given.pop("probability")
        if network not in NETWORKS:
            raise InputError(f"{folder}: no network is called {network!r}; expected one of {', '.join(NETWORKS)}")
        weights = {name: np.asarray(values, dtype=np.float32) for name, values in arrays.items()}
        return cls(network, Words(**given), weights, probability)
