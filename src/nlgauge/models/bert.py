"""BERT's encoder (Devlin et al. 2019) in NumPy: no deep-learning library, float32, as quick as the machine's BLAS.

Equal to transformers' BertModel but for rounding. Rows of a batch are of like length; where they are padded, padding
is masked.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Ints
from nlgauge.errors import InputError
from nlgauge.models import runtime
from nlgauge.models.batching import by_length
from nlgauge.models.interface import Vectors
from nlgauge.models.weights import Tensors
from nlgauge.models.wordpiece import WordPiece

_ROWS = 128  # units whose inner vectors (four times as wide) stay in a core's cache
_BLOCK = 32  # of these at once through the activation
# Half the logarithm of the odds of Φ(x) is x·q(x²): gelu(x) = x·Φ(x) = x/2·(1 + tanh(x·q(x²))). This q is fitted to the
# error function for |x| ≤ 6, with x² held at 25 beyond; the result is within 1e-6 of the exact activation everywhere,
# at a twentieth of the time of SciPy's error function.
_ODDS = (
    0.7978721527754626,
    0.036366807999789835,
    -5.8652529045604587e-05,
    -4.7054654989525386e-05,
    2.775444547388592e-06,
    -5.576119866467807e-08,
)


@dataclass(frozen=True, eq=False)
class Layer:
    """The weights of a layer as they are multiplied: (in, out)."""

    attend: Vectors  # query (with the scaling of attention), key and value side by side
    attend_bias: Vectors
    joined: Vectors
    joined_bias: Vectors
    attend_norm: tuple[Vectors, Vectors]
    widen: Vectors
    widen_bias: Vectors
    narrow: Vectors
    narrow_bias: Vectors
    norm: tuple[Vectors, Vectors]


@dataclass(frozen=True, eq=False)
class Batch:
    """Units of some texts, (texts, longest), with the number of each text's units and of those of its first part."""

    ids: Ints
    lengths: Ints
    firsts: Ints

    @property
    def padded(self) -> bool:
        """Whether texts differ in length."""
        return bool((self.lengths != self.ids.shape[1]).any())

    @property
    def mask(self) -> Any:
        """Which units are of a text, not padding."""
        return np.arange(self.ids.shape[1]) < self.lengths[:, None]


class Bert:
    """The network: vectors of the last layer for a batch of texts."""

    def __init__(self, tensors: Tensors, config: dict[str, Any]) -> None:
        if config.get("model_type") != "bert" or config.get("hidden_act", "gelu") != "gelu":
            raise InputError(f"{tensors.path.parent} is no BERT with the activation gelu, as config.json says")
        self._tensors = tensors
        self.width, self.heads = int(config["hidden_size"]), int(config["num_attention_heads"])
        self.longest = int(config["max_position_embeddings"])
        self._epsilon = float(config.get("layer_norm_eps", 1e-12))
        self._places = tensors.whole("embeddings.position_embeddings.weight")
        self._parts = tensors.whole("embeddings.token_type_embeddings.weight")
        self._norm = _norm(tensors, "embeddings.LayerNorm")
        self._layers = [self._layer(number) for number in range(int(config["num_hidden_layers"]))]

    def _layer(self, number: int) -> Layer:
        tensors, name = self._tensors, f"encoder.layer.{number}."
        scale = np.float32(1 / math.sqrt(self.width // self.heads))
        parts = [_linear(tensors, f"{name}attention.self.{part}") for part in ("query", "key", "value")]
        parts[0] = (parts[0][0] * scale, parts[0][1] * scale)
        return Layer(
            np.ascontiguousarray(np.concatenate([weight for weight, _ in parts], axis=1)),
            np.concatenate([bias for _, bias in parts]),
            *_linear(tensors, f"{name}attention.output.dense"),
            _norm(tensors, f"{name}attention.output.LayerNorm"),
            *_linear(tensors, f"{name}intermediate.dense"),
            *_linear(tensors, f"{name}output.dense"),
            _norm(tensors, f"{name}output.LayerNorm"),
        )

    def vectors(self, batch: Batch) -> Vectors:
        """(texts, longest, width): every unit's vector; those of padding mean nothing."""
        return self._run(batch, only_first=False).reshape(*batch.ids.shape, self.width)

    def opening(self, batch: Batch) -> Vectors:
        """(texts, width): the vector of each text's first unit, for which the last layer need not do the others."""
        return self._run(batch, only_first=True)

    def _run(self, batch: Batch, *, only_first: bool) -> Vectors:
        state = self._embedded(batch)
        unseen = np.where(batch.mask, np.float32(0), np.float32(-1e9))[:, None, None, :] if batch.padded else None
        shape, last = batch.ids.shape, len(self._layers) - 1
        for number, layer in enumerate(self._layers):
            asking = 1 if only_first and number == last else shape[1]
            seen = self._attended(layer, state, shape, asking, unseen)
            if asking != shape[1]:
                state = np.ascontiguousarray(state.reshape(*shape, -1)[:, 0])
            made = seen @ layer.joined
            made += layer.joined_bias
            made += state
            self._normalise(made, layer.attend_norm)
            state = self._fed(layer, made)
            self._normalise(state, layer.norm)
        return state

    def _embedded(self, batch: Batch) -> Vectors:
        texts, longest = batch.ids.shape
        made = self._tensors.rows("embeddings.word_embeddings.weight", batch.ids)
        made += self._places[:longest]
        made += self._parts[(np.arange(longest) >= batch.firsts[:, None]).astype(np.int64)]
        flat: Vectors = made.reshape(texts * longest, self.width)
        self._normalise(flat, self._norm)
        return flat

    def _attended(
        self, layer: Layer, state: Vectors, shape: tuple[int, ...], asking: int, unseen: Vectors | None
    ) -> Vectors:
        """What the first `asking` units of each text take from all its units."""
        texts, longest = shape
        made = state @ layer.attend
        made += layer.attend_bias
        split = made.reshape(texts, longest, 3, self.heads, self.width // self.heads)
        query = split[:, :asking, 0].transpose(0, 2, 1, 3)
        weight = np.matmul(query, split[:, :, 1].transpose(0, 2, 3, 1))
        if unseen is not None:
            weight += unseen
        weight -= weight.max(axis=-1, keepdims=True)
        np.exp(weight, out=weight)
        weight /= weight.sum(axis=-1, keepdims=True)
        taken: Vectors = np.matmul(weight, split[:, :, 2].transpose(0, 2, 1, 3))
        return taken.transpose(0, 2, 1, 3).reshape(texts * asking, self.width)

    def _fed(self, layer: Layer, state: Vectors) -> Vectors:
        """Through the wide inner layer and back, a few rows at a time; what went in is added."""
        made = np.empty_like(state)
        inner = np.empty((min(_ROWS, len(state)), layer.widen.shape[1]), dtype=np.float32)
        room = np.empty((2, _BLOCK, inner.shape[1]), dtype=np.float32)
        for start in range(0, len(state), _ROWS):
            rows = state[start : start + _ROWS]
            wide = inner[: len(rows)]
            np.matmul(rows, layer.widen, out=wide)
            for block in range(0, len(rows), _BLOCK):
                part = wide[block : block + _BLOCK]
                part += layer.widen_bias
                gelu(part, room[:, : len(part)])
            np.matmul(wide, layer.narrow, out=made[start : start + _ROWS])
        made += layer.narrow_bias
        made += state
        return made

    def _normalise(self, state: Vectors, norm: tuple[Vectors, Vectors]) -> None:
        """Layer normalisation, in place."""
        state -= state.mean(axis=1, keepdims=True)
        spread = np.einsum("ij,ij->i", state, state)
        spread /= np.float32(state.shape[1])
        spread += np.float32(self._epsilon)
        np.sqrt(spread, out=spread)
        state /= spread[:, None]
        state *= norm[0]
        state += norm[1]


def gelu(values: Vectors, room: Vectors) -> None:
    """The activation, in place; `room` is two arrays of the same shape to work in."""
    square, odds = room
    np.multiply(values, values, out=square)
    np.minimum(square, np.float32(25), out=square)
    np.multiply(square, np.float32(_ODDS[-1]), out=odds)
    for coefficient in _ODDS[-2:0:-1]:
        odds += np.float32(coefficient)
        odds *= square
    odds += np.float32(_ODDS[0])
    odds *= values
    np.tanh(odds, out=odds)
    odds += np.float32(1)
    values *= np.float32(0.5)
    values *= odds


def _linear(tensors: Tensors, name: str) -> tuple[Vectors, Vectors]:
    return np.ascontiguousarray(tensors.whole(f"{name}.weight").T), tensors.whole(f"{name}.bias")


def _norm(tensors: Tensors, name: str) -> tuple[Vectors, Vectors]:
    return tensors.whole(f"{name}.weight"), tensors.whole(f"{name}.bias")


# Texts through a BERT in NumPy, and what linear heads make of them; the reader and trained metrics read so.


BUDGET = 1_024  # units in a batch: small ones stay in the caches
Text = tuple[tuple[int, ...], int]  # the units of what is read at once, and how many belong to its first part
Head = tuple[Vectors, Vectors]  # weights (in, out) and biases
_alone = threading.Lock()  # BLAS has one number of threads for the whole process


class Units:
    """A vocabulary with a network's heads. A text longer than the network takes loses its end, counted in `cut`."""

    def __init__(self, tensors: Tensors, pieces: WordPiece) -> None:
        self.pieces, self.cut, self._tensors = pieces, 0, tensors

    def head(self, task: str) -> Head:
        """The weights of a head, as they are multiplied."""
        weight = np.ascontiguousarray(self._tensors.whole(f"{task}.weight").T)
        return weight, self._tensors.whole(f"{task}.bias")

    def pair_units(self, pairs: Sequence[tuple[str, str]], longest: int, *, cut: str = "longest_first") -> list[Text]:
        """The units of two texts each that are read together; those too long are cut and counted."""
        found: list[Text] = []
        for one, other in pairs:
            ids, first, short = self.pieces.pair(one, other, longest, cut=cut)
            found.append((tuple(ids), first))
            self.cut += short
        return found


class Reading(Units):
    """A network with its vocabulary."""

    def __init__(self, tensors: Tensors, config: dict[str, Any], pieces: WordPiece) -> None:
        super().__init__(tensors, pieces)
        self.bert = Bert(tensors, config)

    def read(self, texts: Sequence[Text], head: Head, pooled: Callable[[Batch], Vectors]) -> NDArray[np.float64]:
        """What a head says of each text."""
        weight, bias = head
        return self.each(texts, lambda batch: pooled(batch) @ weight + bias, len(bias))

    def each(self, texts: Sequence[Text], made: Callable[[Batch], Vectors], width: int) -> NDArray[np.float64]:
        """(n, width): distinct texts once, in batches of like length, each on one core."""
        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        distinct = list(places)
        found = np.empty((len(distinct), width))

        def work(batch: list[int]) -> None:
            found[batch] = made(self._batch([distinct[place] for place in batch]))

        budget = runtime.current().batch_tokens or BUDGET
        _spread(work, by_length([len(ids) for ids, _ in distinct], budget))
        return found[[places[text] for text in texts]]

    def _batch(self, texts: Sequence[Text]) -> Batch:
        lengths = np.array([len(ids) for ids, _ in texts], dtype=np.int64)
        ids = np.full((len(texts), int(lengths.max())), self.pieces.pad, dtype=np.int64)
        ids[np.arange(ids.shape[1]) < lengths[:, None]] = np.concatenate([units for units, _ in texts])
        return Batch(ids, lengths, np.array([first for _, first in texts], dtype=np.int64))


def averaged(vectors: Vectors, batch: Batch) -> Vectors:
    """The mean over the units of each text, delimiters included."""
    made: Vectors = np.where(batch.mask[..., None], vectors, np.float32(0)).sum(axis=1)
    made /= batch.lengths[:, None].astype(np.float32)
    return made


def _spread(work: Callable[[list[int]], None], batches: Sequence[list[int]]) -> None:
    """Batches over threads, each with a BLAS of one thread.

    So the steps between the products are spread as well, and numbers do not depend on how many threads there are.
    """
    threads = min(len(batches), runtime.current().threads or _cores())
    with _alone, _blas().limit(limits=1, user_api="blas"):
        if threads < 2:
            for batch in batches:
                work(batch)
            return
        with ThreadPoolExecutor(threads) as pool:
            for done in [pool.submit(work, batch) for batch in batches]:
                done.result()


@cache
def _blas() -> Any:
    """What sets the threads of BLAS; made once, as finding all libraries of the process takes longer than a text."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
