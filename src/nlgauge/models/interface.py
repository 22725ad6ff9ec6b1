"""What the models of this package do for metrics and judges: one small protocol for each kind of model.

Names of layers: 0 is what enters the first layer (the embeddings), n is what layer n gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Bools, Ints

Vectors = NDArray[np.float32]
Kind = Literal["contextual", "sentence", "static", "language", "entailment", "parser"]
Progress = Callable[[str, int, int], None]  # what is done, how many of it, of how many


@dataclass(frozen=True)
class ModelInfo:
    """What a number made with a model depends on: this is what a receipt tells of it."""

    name: str  # as the user named it
    revision: str  # version of the package, commit of the hub, or "path"
    digest: str  # SHA-256 over the files of the model
    backend: str  # torch, onnxruntime, numpy, …
    dtype: str = "float32"
    standing: str = ""  # known: the files are those that the package was published with; unknown: nobody can tell

    def fact(self) -> str:
        """For a receipt: name, revision, the first digits of the digest, whether the files are known, and the precision
        where it is not full."""
        short = self.dtype if self.dtype != "float32" else ""
        parts = (f"{self.name}@{self.revision}", self.digest[:12], self.standing, short)
        return ":".join(part for part in parts if part)


class Units(Protocol):
    """The sub-word units of one text, in order, those that delimit it included."""

    ids: Ints

    @property
    def special(self) -> Bools:
        """Which units the tokeniser added."""

    @property
    def tokens(self) -> tuple[str, ...]:
        """The units as the vocabulary writes them."""

    @property
    def words(self) -> Ints:
        """The number of the word each unit is part of; -1 for the units that the tokeniser added."""

    @property
    def spans(self) -> Ints:
        """(n, 2): each unit's first character in the text, and the one after its last."""

    def __len__(self) -> int: ...


@dataclass(frozen=True, eq=False)
class Encoded:
    """Distinct texts and the vectors of their units: those of text t are `flat[starts[p] : starts[p + 1]]` with p =
    `places[t]`.

    `flat` is a NumPy array, or a tensor on the device that made it, so that what is matched there stays there.
    """

    flat: Any
    starts: Ints
    places: Mapping[str, int]
    windowed: int  # texts that were longer than the model takes, and were read in overlapping windows

    def of(self, text: str) -> Any:
        """The vectors of one text."""
        place = self.places[text]
        return self.flat[self.starts[place] : self.starts[place + 1]]

    def length(self, text: str) -> int:
        """The number of units of one text."""
        place = self.places[text]
        return int(self.starts[place + 1] - self.starts[place])


class ContextualEncoder(Protocol):
    """Texts in, a vector for each unit of each out, from any layer."""

    @property
    def info(self) -> ModelInfo:
        """For the receipt."""

    @property
    def layers(self) -> tuple[int, ...]:
        """The layers that can be asked for."""

    @property
    def longest(self) -> int:
        """Units of one text, delimiters included, that the model reads at once; longer texts are windowed."""

    @property
    def delimiters(self) -> frozenset[int]:
        """Ids of the units that open and close a text ([CLS] and [SEP], where the model has such)."""

    @property
    def resident(self) -> bool:
        """Whether vectors stay on a GPU that made them."""

    def units(self, texts: Sequence[str]) -> list[Units]:
        """The units of each text."""

    def encode(self, texts: Sequence[str], layer: int) -> Encoded:
        """The vectors of the units of each distinct text."""

    def encode_several(self, texts: Sequence[str], layers: Sequence[int]) -> Mapping[int, Encoded]:
        """The same from several layers, in one run of the network."""

    def encode_every(self, texts: Sequence[str]) -> Mapping[int, Encoded]:
        """The same from every layer at once; nothing is kept."""

    def remarks(self) -> list[str]:
        """What a reader must know of the texts encoded since this was last asked: those that were windowed."""


class SentenceEncoder(Protocol):
    """Texts in, one vector each out."""

    @property
    def info(self) -> ModelInfo:
        """For the receipt."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row for each text."""

    def remarks(self) -> list[str]:
        """What a reader must know of the texts encoded since this was last asked."""


class StaticVectors(Protocol):
    """A vector for each word of a list."""

    @property
    def info(self) -> ModelInfo:
        """For the receipt."""

    @property
    def dim(self) -> int:
        """The length of a vector."""

    def __contains__(self, word: str) -> bool: ...

    def vectors(self, words: Sequence[str]) -> tuple[Vectors, Bools]:
        """A row for each word, and whether the word is known; rows of unknown words are noughts."""

    def mean(self) -> Vectors:
        """The mean of all vectors: what some metrics take for an unknown word."""

    def length(self) -> float:
        """The mean length of the vectors: a measure of how far apart words can be."""

    def remarks(self) -> list[str]:
        """What a reader must know of the list itself, since this was last asked."""


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The tokens of one text and the natural logarithm of the probability of each, given those before it."""

    tokens: tuple[str, ...]
    logp: NDArray[np.float64]
    words: int  # of the text, split at white space: what a perplexity per word divides by

    @property
    def total(self) -> float:
        """The logarithm of the probability of the text."""
        return float(self.logp.sum())


class LanguageModel(Protocol):
    """How likely texts are."""

    @property
    def info(self) -> ModelInfo:
        """For the receipt."""

    def tokens(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """Each text's tokens, as `score` judges them."""

    def score(self, texts: Sequence[str]) -> list[Likelihood]:
        """Each text's tokens with their log-probabilities; trigrams count the end of a text as a token."""

    def remarks(self) -> list[str]:
        """What a reader must know of the texts judged since this was last asked: unknown words, windows."""


class Entailment(Protocol):
    """Whether one text follows from another."""

    @property
    def info(self) -> ModelInfo:
        """For the receipt."""

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """(n, 3): entailment, neutral, contradiction, for each pair of premise and hypothesis."""

    def remarks(self) -> list[str]:
        """What a reader must know of the pairs read since this was last asked: those that were cut."""


@dataclass(frozen=True)
class Word:
    """One word of a parsed text."""

    text: str
    lemma: str
    pos: str  # Universal Dependencies' coarse tag
    tag: str  # the model's own tag
    dep: str  # relation to the head
    head: int  # number of the head; its own number at the root
    start: int  # first character
    space: bool  # whether white space follows
    sentence: int  # number of the sentence


@dataclass(frozen=True)
class Entity:
    """A named entity: words first to last (exclusive)."""

    first: int
    last: int
    label: str


@dataclass(frozen=True)
class Parse:
    """A text with the analysis of its words."""

    words: tuple[Word, ...]
    entities: tuple[Entity, ...]


class Parser(Protocol):
    """Tokens, parts of speech, dependencies and entities of texts."""

    @property
    def info(self) -> ModelInfo:
        """For the receipt."""

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """The analysis of each text."""

    def remarks(self) -> list[str]:
        """What a reader must know of the texts parsed since this was last asked."""
