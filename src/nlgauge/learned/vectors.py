"""Sentence vectors and a head: frozen encoders, a projection that was fitted in training, one formula.

A head without references may be joined with a referenced score, the cosine of the reply's vector with that of its
reference (RUBER's, SSREM's). Each is first brought to 0..1 by its range in training, beyond which it is cut, and the
two become one by their mean, geometric mean, minimum or maximum. Of several references the highest score counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from nlgauge import models
from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch
from nlgauge.learned.form import DIGITS, Arrays, Form, sigmoid
from nlgauge.learned.heads import HEADS, Head, Read
from nlgauge.learned.turns import dialogue
from nlgauge.metrics.explanation import Figure
from nlgauge.metrics.simile import TOK, length_penalty
from nlgauge.metrics.soft import kind_of
from nlgauge.metrics.vectors import Texts, units
from nlgauge.models.catalogue import of_kind
from nlgauge.models.interface import ContextualEncoder, Kind, SentenceEncoder, StaticVectors
from nlgauge.text import tokenizers

# Texts as vectors of fixed length, by encoders that are not trained further.
#
# An encoder is named by its model, perhaps with how the vectors of words are pooled: `minilm` (a sentence encoder,
# pooled as its makers say), `glove` (the mean of word vectors), `glove:extremes` (the highest and the lowest value of
# each dimension over the words, one after the other), `minilm:max` (the highest over the units of a contextual
# encoder). A text without a word gets noughts.


_PURPOSE = "a trained metric over vectors"
Words = NDArray[np.floating]


def _extremes(words: Words) -> Array:
    return np.concatenate([words.max(axis=0), words.min(axis=0)])


POOLS: dict[str, Callable[[Words], Array]] = {
    "mean": lambda words: np.asarray(words.mean(axis=0)),
    "max": lambda words: np.asarray(words.max(axis=0)),
    "extremes": _extremes,
}


@dataclass(frozen=True)
class Encoder:
    """One encoder."""

    model: str
    pool: str = ""  # the model's own

    @classmethod
    def of(cls, spec: str) -> Encoder:
        """From MODEL or MODEL:POOLING."""
        model, colon, pool = spec.rpartition(":")
        if not colon or pool not in POOLS:
            if any(model in of_kind(kind) for kind in ("sentence", "static", "contextual")):
                raise InputError(
                    f"the encoder {spec} is pooled by {pool!r}; expected {model} alone, or {model}: with one of "
                    f"{', '.join(POOLS)}"
                )
            model, pool = spec, ""
        static = kind_of(model) == "static" and model not in of_kind("sentence")
        return cls(model, pool or ("mean" if static else ""))

    @property
    def kind(self) -> Kind:
        """Of the model."""
        if not self.pool:
            return "sentence"
        return kind_of(self.model)

    @property
    def loaded(self) -> SentenceEncoder | StaticVectors | ContextualEncoder:
        """The model, loaded once in a process."""
        if self.kind == "sentence":
            return models.sentence(self.model, purpose=_PURPOSE)
        load = models.static if self.kind == "static" else models.contextual
        return load(self.model, purpose=_PURPOSE)

    @property
    def fact(self) -> str:
        """For the receipt."""
        return ":".join(part for part in (self.loaded.info.fact(), self.pool) if part)

    def vectors(self, texts: Sequence[str]) -> Array:
        """(n, d)."""
        if not self.pool:
            return models.sentence(self.model, purpose=_PURPOSE).encode(texts).astype(np.float64)
        if self.kind == "static":
            return self._static(texts)
        encoder = models.contextual(self.model, purpose=_PURPOSE)
        encoded = encoder.encode(texts, encoder.layers[-1])
        if not isinstance(encoded.flat, np.ndarray):  # from the device at once, not text by text
            encoded = replace(encoded, flat=encoded.flat.float().cpu().numpy())
        return np.stack([POOLS[self.pool](encoded.of(text).astype(np.float64)) for text in texts])

    def _static(self, texts: Sequence[str]) -> Array:
        table = models.static(self.model, purpose=_PURPOSE)
        numbered = Texts.of(Batch(texts, [()] * len(texts)), "13a", True)
        vectors, known = table.vectors(numbered.words)
        size = table.dim * (2 if self.pool == "extremes" else 1)
        found = np.zeros((len(texts), size))
        for place in range(len(texts)):
            words = numbered.text(place)
            if known[words].any():
                found[place] = POOLS[self.pool](vectors[words[known[words]]].astype(np.float64))
        return found


def encoded(encoders: Sequence[Encoder], texts: Sequence[str]) -> Array:
    """(n, d): what all encoders make of each text, one after the other; equal texts are encoded once."""
    distinct = list(dict.fromkeys(texts))
    if not distinct:
        raise InputError("there is no text to encode")
    places = {text: place for place, text in enumerate(distinct)}
    made = np.concatenate([encoder.vectors(distinct) for encoder in encoders], axis=1)
    return np.asarray(made[[places[text] for text in texts]])


JOINS: dict[str, Callable[[Array, Array], Array]] = {
    "mean": lambda one, other: (one + other) / 2,
    "geometric": lambda one, other: np.sqrt(one * other),
    "min": np.minimum,
    "max": np.maximum,
}
_HEAD = "head."


@dataclass(frozen=True)
class Sight:
    """What a head sees of texts."""

    encoders: tuple[Encoder, ...]
    turns: int  # of the context, from the last

    def texts(self, head: Head, batch: Batch) -> tuple[list[str], list[list[str]]]:
        """Each reply, and the turns before it."""
        if "source" not in head.needs:
            return [text.strip() for text in batch.hypotheses], [[]] * len(batch)
        batch.require_sources()
        talks = [
            dialogue(source, text, batch.place(place))
            for place, (source, text) in enumerate(zip(batch.sources or (), batch.hypotheses, strict=True))
        ]
        said = [[turn.text for turn in talk.turns[-self.turns :]] for talk in talks]
        return [talk.reply.text for talk in talks], said

    def read(self, head: Head, batch: Batch) -> tuple[Read, NDArray[np.int64]]:
        """Vectors of each output, once for each of its references where the head compares with them, and its owner."""
        referenced = "references" in head.needs
        if referenced:
            batch.require_references()
        counts = [len(texts) if referenced else 1 for texts in batch.references]
        owner = np.repeat(np.arange(len(batch)), counts)
        replies, said = self.texts(head, batch)
        references = [text.strip() for texts in batch.references for text in texts] if referenced else []
        rows = encoded(self.encoders, [*replies, *references, *(turn for turns in said for turn in turns)])
        reply, rest = rows[: len(replies)], rows[len(replies) :]
        reference, flat = (rest[: len(references)], rest[len(references) :]) if referenced else (None, rest)
        if "source" not in head.needs:
            penalty = self._penalty(replies, references, owner) if head.measured else None
            return Read(reply[owner], reference, penalty=penalty), owner
        numbers = np.array([len(own) for own in said])
        starts = np.cumsum(numbers) - numbers
        context = np.add.reduceat(flat, starts) / numbers[:, None]
        if not head.recurrent:
            return Read(reply[owner], reference, context[owner]), owner
        turns, there = np.zeros((len(said), max(numbers), rows.shape[1])), np.zeros((len(said), max(numbers)))
        for place, (start, number) in enumerate(zip(starts, numbers, strict=True)):
            turns[place, -number:] = flat[start : start + number]
            there[place, -number:] = 1.0
        return Read(reply[owner], reference, context[owner], turns[owner], there[owner]), owner

    def _penalty(self, replies: Sequence[str], references: Sequence[str], owner: NDArray[np.int64]) -> Array:
        """For a difference in length, counted as `simile` does; 0 where a text has no word."""
        split = tokenizers.tokenizer(TOK)
        mine = np.array([len(split(text)) for text in replies])[owner]
        theirs = np.array([len(split(text)) for text in references])
        return np.where(mine > 0, length_penalty(mine, theirs), 0.0)


@dataclass(frozen=True, eq=False)
class Projection:
    """(x − mean) ∘ weight, or (x − mean) @ weight where that is a matrix: standardised, or principal components."""

    mean: Array
    weight: Array

    def __call__(self, read: Read) -> Read:
        """The vectors of texts, projected."""
        found = {name: self._of(getattr(read, name)) for name in ("reply", "reference", "context", "turns")}
        return Read(**found, said=read.said, penalty=read.penalty)

    def _of(self, vectors: Array | None) -> Array | None:
        if vectors is None:
            return None
        centred = vectors - self.mean
        return np.asarray(centred * self.weight if self.weight.ndim == 1 else centred @ self.weight)


@dataclass(frozen=True, eq=False)
class Joined:
    """A referenced score beside the head's."""

    how: str
    encoder: Encoder
    ranges: Array  # (2, 2): the least and the highest, of the head and of the cosine

    def cosine(self, batch: Batch, replies: Sequence[str]) -> Array:
        """The highest cosine of each reply with one of its references."""
        batch.require_references()
        references = [text.strip() for texts in batch.references for text in texts]
        vectors = units(encoded([self.encoder], [*replies, *references]))
        counts = [len(texts) for texts in batch.references]
        owner = np.repeat(np.arange(len(batch)), counts)
        cosines = np.einsum("ij,ij->i", vectors[: len(replies)][owner], vectors[len(replies) :])
        return np.asarray(np.maximum.reduceat(cosines, np.cumsum([0, *counts[:-1]])))

    def __call__(self, own: Array, cosine: Array) -> Array:
        parts = [
            np.clip((values - low) / (high - low if high > low else 1.0), 0.0, 1.0)
            for values, (low, high) in zip((own, cosine), self.ranges, strict=True)
        ]
        return JOINS[self.how](parts[0], parts[1])


@dataclass(frozen=True, eq=False)
class VectorForm(Form):
    """head(vectors), perhaps joined with a referenced score."""

    kind: ClassVar[str] = "vectors"
    head: Head
    sight: Sight
    project: Projection
    weights: Mapping[str, Array]
    joined: Joined | None = None

    @property
    def needs(self) -> tuple[str, ...]:
        more = ("references",) if self.joined else ()
        return tuple(dict.fromkeys((*more, *self.head.needs, *(_NEEDS[encoder.kind] for encoder in self._encoders))))

    @cached_property
    def _encoders(self) -> tuple[Encoder, ...]:
        return (*self.sight.encoders, *((self.joined.encoder,) if self.joined else ()))

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        return tuple(dict.fromkeys((encoder.kind, encoder.model) for encoder in self._encoders))

    @property
    def model_fact(self) -> str:
        return "+".join(dict.fromkeys(encoder.fact for encoder in self._encoders))

    def remarks(self) -> list[str]:
        return list(dict.fromkeys(remark for encoder in self._encoders for remark in encoder.loaded.remarks()))

    def unjoined(self, batch: Batch) -> Array:
        """What the head says of each output, as a chance where it is one."""
        if not len(batch):
            return np.zeros(0)
        read, owner = self.sight.read(self.head, batch)
        made = np.asarray(self.head.score(np, self.weights, self.project(read)), dtype=np.float64)
        best = np.maximum.reduceat(made, np.searchsorted(owner, np.arange(len(batch))))
        return sigmoid(best) if self.head.chance else best

    def predict(self, batch: Batch) -> Array:
        return np.round(self._parts(batch)[0], DIGITS)

    def _parts(self, batch: Batch) -> tuple[Array, Array, Array]:
        own = self.unjoined(batch)
        if self.joined is None or not len(batch):
            return own, own, np.zeros(len(batch))
        cosine = self.joined.cosine(batch, self.sight.texts(self.head, batch)[0])
        return self.joined(own, cosine), own, cosine

    def figures(self, batch: Batch) -> list[Figure]:
        """The two scores that were joined."""
        if self.joined is None:
            return []
        _, own, cosine = self._parts(batch)
        ranges = [f"{low:.4g} to {high:.4g} in training" for low, high in self.joined.ranges]
        return [
            Figure("unreferenced", float(own[0]), ranges[0]),
            Figure("referenced", float(cosine[0]), ranges[1]),
        ]

    def settings(self) -> dict[str, Any]:
        return {
            "head": self.head.kind,
            "hidden": list(self.head.hidden),
            "encoders": [_spelled(encoder) for encoder in self.sight.encoders],
            "turns": self.sight.turns,
            **({"join": self.joined.how, "referenced": _spelled(self.joined.encoder)} if self.joined else {}),
        }

    def arrays(self) -> Arrays:
        kept = {"mean": self.project.mean, "project": self.project.weight}
        kept |= {f"{_HEAD}{name}": np.atleast_1d(values) for name, values in self.weights.items()}
        if self.joined:
            kept["ranges"] = self.joined.ranges
        return {name: values.astype(np.float32) for name, values in kept.items()}

    @classmethod
    def of(cls, settings: Mapping[str, Any], arrays: Arrays, folder: Path) -> Self:
        whole = {name: np.asarray(values, dtype=np.float64) for name, values in arrays.items()}
        joined = None
        if "join" in settings:
            joined = Joined(settings["join"], Encoder.of(settings["referenced"]), whole["ranges"])
        return cls(
            HEADS[settings["head"]](hidden=tuple(settings["hidden"])),
            Sight(tuple(map(Encoder.of, settings["encoders"])), settings["turns"]),
            Projection(whole["mean"], whole["project"]),
            {name.removeprefix(_HEAD): values for name, values in whole.items() if name.startswith(_HEAD)},
            joined,
        )


_NEEDS = {
    "sentence": "sentence encoder",
    "static": "static word vectors",
    "contextual": "contextual encoder",
}


def _spelled(encoder: Encoder) -> str:
    return f"{encoder.model}:{encoder.pool}" if encoder.pool else encoder.model
