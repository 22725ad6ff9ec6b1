"""Small recurrent networks in NumPy: the LSTM (Hochreiter and Schmidhuber 1997), soft alignment, and three networks
made of them. Weights have PyTorch's names and shapes (gates in the order input, forget, cell, output), so that what
PyTorch learnt is run as it is.

- esim: the enhanced sequential inference model (Chen et al. 2017) as Mathur, Baldwin and Cohn (2019) have it for
  translations, with Uᵀ ReLU(Wᵀ x + b) + b′ at the end; Chen et al. have the hyperbolic tangent there.
- discriminator: who wrote a reply to a context, or whether it follows (Bowman et al. 2016; Kannan and Vinyals 2017).
- leic: who wrote the caption of an image (Cui et al. 2018). Where the paper joins image and caption by compact bilinear
  pooling or by concatenation, here both stand beside their product, element by element.

Of the discriminator's two texts, the last states stand beside their product and their distance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.learned.form import sigmoid

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
