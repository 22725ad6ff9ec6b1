"""Word vectors and a small recurrent network over them, as `recurrent` runs it.

Vectors are those of an encoder's words, or of a list of word vectors; each has length 1, a word that a list lacks is a
nought. A text is read to its `longest` words, a context from the end. With several references `esim` gives the mean of
what it says of each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError, counted
from nlgauge.kernels.batch import Batch
from nlgauge.learned.form import DIGITS, Arrays, Form, sigmoid
from nlgauge.learned.turns import dialogue
from nlgauge.metrics.soft import Contextual, Static, kind_of, source_of
from nlgauge.models.interface import Vectors

# The vector of an image, as a source gives it: {"image": [0.1, …]}, or {"image": "FILE#NAME"} for a vector in a file
# of NumPy: an array of a .npz by its name, a row of a .npy by its number. Files are looked for from the folder that
# the command runs in.


EXPECTED = 'an object with image: a list of numbers, or "FILE#NAME" of a .npz or .npy file'


def images(batch: Batch) -> Array:
    """(n, k): the vector of each segment's image; all of one length."""
    sources = batch.sources if batch.sources is not None else [None] * len(batch)
    found = [_image(source, batch.place(number)) for number, source in enumerate(sources)]
    for number, vector in enumerate(found):
        if len(vector) != len(found[0]):
            raise InputError(
                f"vectors of images differ in length: {len(found[0])} numbers for the first, {batch.place(0)}, and "
                f"{len(vector)} for number {number + 1}, {batch.place(number)}; give vectors of one network"
            )
    return np.array(found).reshape(len(batch), -1)


def _image(source: Any, where: str) -> Array:
    given = source.get("image") if isinstance(source, Mapping) else None
    if isinstance(given, str) and "#" in given:
        name, _, place = given.rpartition("#")
        vector = _kept(name, place, where)
    elif isinstance(given, Sequence) and not isinstance(given, str) and given:
        vector = given
    else:
        said = "no source" if source is None else f"{str(source)[:60]!r} as its source"
        raise InputError(f"{where} has {said}; expected {EXPECTED}")
    try:
        made = np.asarray(vector, dtype=np.float64)
    except (TypeError, ValueError):
        made = np.zeros(0)
    if made.ndim != 1 or not len(made) or not np.isfinite(made).all():
        raise InputError(f"the image of {where} is no list of numbers; expected {EXPECTED}")
    return made


def _kept(name: str, place: str, where: str) -> Any:
    path = Path(name).expanduser()
    try:
        held = _opened(str(path), path.stat().st_mtime_ns)
        return held[int(place)] if isinstance(held, np.ndarray) else held[place]
    except (OSError, EOFError) as error:
        raise InputError(f"the image of {where}: {name} cannot be read: {error}") from None
    except (KeyError, IndexError, ValueError) as error:
        raise InputError(f"the image of {where}: {name} holds no {place!r} ({error})") from None


@lru_cache(maxsize=8)
def _opened(name: str, changed: int) -> Any:
    held = np.load(name, allow_pickle=False)
    return held if isinstance(held, np.ndarray) else dict(held)


# Small recurrent networks in NumPy: the LSTM (Hochreiter and Schmidhuber 1997), soft alignment, and three networks
# made of them. Weights have PyTorch's names and shapes (gates in the order input, forget, cell, output), so that what
# PyTorch learnt is run as it is.
#
# - esim: the enhanced sequential inference model (Chen et al. 2017) as Mathur, Baldwin and Cohn (2019) have it for
#   translations, with Uᵀ ReLU(Wᵀ x + b) + b′ at the end; Chen et al. have the hyperbolic tangent there.
# - discriminator: who wrote a reply to a context, or whether it follows (Bowman et al. 2016; Kannan and Vinyals 2017).
# - leic: who wrote the caption of an image (Cui et al. 2018). Where the paper joins image and caption by compact
#   bilinear pooling or by concatenation, here both stand beside their product, element by element.
#
# Of the discriminator's two texts, the last states stand beside their product and their distance.


Weights = Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class Padded:
    """Sequences of vectors (n, longest, d), each followed by noughts, and their lengths, at least 1."""

    vectors: Array
    lengths: NDArray[np.int64]

    @property
    def mask(self) -> NDArray[np.bool_]:
        """(n, longest): what is no padding."""
        return np.arange(self.vectors.shape[1]) < self.lengths[:, None]


def padded(texts: Sequence[NDArray[np.floating]], width: int) -> Padded:
    """Texts as one array; one without words is a nought."""
    lengths = np.array([max(1, len(text)) for text in texts], dtype=np.int64)
    vectors = np.zeros((len(texts), int(lengths.max(initial=1)), width))
    for row, text in enumerate(texts):
        vectors[row, : len(text)] = text
    return Padded(vectors, lengths)


def lstm(weights: Weights, name: str, texts: Padded, *, back: bool = False) -> Array:
    """(n, longest, h): the state after each word, or before it in a text that is read from its end."""
    end = "l0_reverse" if back else "l0"
    into = texts.vectors @ weights[f"{name}.weight_ih_{end}"].T
    into += weights[f"{name}.bias_ih_{end}"] + weights[f"{name}.bias_hh_{end}"]
    again = weights[f"{name}.weight_hh_{end}"].T
    number, longest = texts.vectors.shape[:2]
    state, memory = np.zeros((number, len(again))), np.zeros((number, len(again)))
    made = np.zeros((number, longest, len(again)))
    for step in range(longest - 1, -1, -1) if back else range(longest):
        there = (step < texts.lengths)[:, None]
        enter, forget, cell, leave = np.split(into[:, step] + state @ again, 4, axis=1)
        memory = np.where(there, sigmoid(forget) * memory + sigmoid(enter) * np.tanh(cell), memory)
        state = np.where(there, sigmoid(leave) * np.tanh(memory), state)
        made[:, step] = np.where(there, state, 0.0)
    return made


def last(weights: Weights, name: str, texts: Padded) -> Array:
    """(n, h): the state after the last word."""
    return lstm(weights, name, texts)[np.arange(len(texts.lengths)), texts.lengths - 1]


def both(weights: Weights, name: str, texts: Padded) -> Padded:
    """Each word with what was read before and after it."""
    ways = (lstm(weights, name, texts), lstm(weights, name, texts, back=True))
    return Padded(np.concatenate(ways, axis=2), texts.lengths)


def aligned(mine: Padded, theirs: Padded) -> Array:
    """For each of my vectors the mean of theirs, weighed by the softmax of the products."""
    products = mine.vectors @ theirs.vectors.transpose(0, 2, 1)
    products = np.where(theirs.mask[:, None, :], products, -np.inf)
    shares = np.exp(products - products.max(axis=2, keepdims=True))
    made: Array = (shares / shares.sum(axis=2, keepdims=True)) @ theirs.vectors
    return made


def linear(weights: Weights, name: str, values: Array) -> Array:
    """A fully connected layer."""
    made: Array = values @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
    return made


def _decided(weights: Weights, values: Array) -> Array:
    return linear(weights, "out", np.tanh(linear(weights, "hidden", values)))[:, 0]


def _rectified(values: Array) -> Array:
    made: Array = np.maximum(values, 0.0)
    return made


def esim(weights: Weights, texts: Sequence[Padded], images: Array) -> Array:
    """Of output and reference."""
    read = [both(weights, "read", text) for text in texts]
    pooled = []
    for mine, theirs in (read, read[::-1]):
        other = aligned(mine, theirs)
        parts = [mine.vectors, other, mine.vectors - other, mine.vectors * other]
        joined = _rectified(linear(weights, "join", np.concatenate(parts, axis=2)))
        compared = both(weights, "compare", Padded(joined, mine.lengths))
        pooled += [
            compared.vectors.sum(axis=1) / mine.lengths[:, None],
            np.where(mine.mask[:, :, None], compared.vectors, -np.inf).max(axis=1),
        ]
    x = np.concatenate(pooled, axis=1)
    return linear(weights, "out", _rectified(linear(weights, "hidden", x)))[:, 0]


def discriminator(weights: Weights, texts: Sequence[Padded], images: Array) -> Array:
    """Of context and reply."""
    context, reply = (last(weights, name, text) for name, text in zip(("context", "reply"), texts, strict=True))
    return _decided(weights, np.concatenate([context, reply, context * reply, np.abs(context - reply)], axis=1))


def leic(weights: Weights, texts: Sequence[Padded], images: Array) -> Array:
    """Of caption and image."""
    seen, caption = np.tanh(linear(weights, "image", images)), last(weights, "caption", texts[0])
    return _decided(weights, np.concatenate([seen, caption, seen * caption], axis=1))


Run = Callable[[Weights, Sequence[Padded], Array], Array]
NETWORKS: dict[str, Run] = {"esim": esim, "discriminator": discriminator, "leic": leic}


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
