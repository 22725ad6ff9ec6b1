"""Contextual encoders: sub-word units, batches of like length, windows over long texts, the cache, over any network.

A network (PyTorch, ONNX Runtime) is a function from rows of ids to rows of vectors; it is loaded when the first text
has to be encoded, so that a run whose texts are all in the cache does without it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from nlgauge.arrays import Ints
from nlgauge.errors import InputError
from nlgauge.models import runtime
from nlgauge.models.batching import in_batches, owners, windows
from nlgauge.models.cache import Memory, Store, Stores
from nlgauge.models.interface import Encoded, ModelInfo, Units, Vectors
from nlgauge.models.subwords import Subwords

_RULE = "windows-1"  # how long texts are read; part of what cached vectors depend on


class Network(Protocol):
    """Rows of ids in, vectors out."""

    resident: bool  # vectors stay on a device as tensors
    budget: int  # units in a batch that suit the device

    def run(self, rows: Sequence[Ints], layers: Sequence[int]) -> Any:
        """(units of all rows, layers, dim): one vector for each unit of each row, in order, from each layer."""

    def join(self, parts: Sequence[Any]) -> Any:
        """The parts one after the other; where vectors are resident, there."""

    def exhausted(self, error: BaseException) -> bool:
        """Whether the error says that memory ran out; frees what it can."""


@dataclass(frozen=True)
class Shape:
    """What is known of a network before it is loaded."""

    layers: tuple[int, ...]
    dim: int
    longest: int


@dataclass(frozen=True, eq=False)
class _Piece:
    """A window of a text, or a whole one."""

    text: int
    ids: Ints


class Contextual:
    """A contextual encoder (`interface.ContextualEncoder`).

    `overlong` says what becomes of a text longer than the model takes: `window` reads it in overlapping windows and
    remarks on it; `cut` keeps the beginning and counts it in `cut`.
    """

    def __init__(
        self,
        info: ModelInfo,
        subwords: Subwords,
        shape: Shape,
        load: Callable[[], Network],
        *,
        overlong: str = "window",
    ) -> None:
        self.info, self.overlong = info, overlong
        self._subwords, self._shape, self._load = subwords, shape, load
        self._lock = threading.RLock()
        self._stores = Stores()
        self.long: set[str] = set()  # texts longer than the model takes, since `remarks` was last asked
        self.cut = 0

    @property
    def layers(self) -> tuple[int, ...]:
        """The layers that can be asked for."""
        return self._shape.layers

    @property
    def dim(self) -> int:
        """The length of a vector."""
        return self._shape.dim

    @property
    def longest(self) -> int:
        """Units that the model reads at once."""
        return self._shape.longest

    @property
    def delimiters(self) -> frozenset[int]:
        """Ids of the units that open and close a text."""
        return self._subwords.delimiters

    @cached_property
    def network(self) -> Network:
        """The network itself, loaded when first asked for."""
        if not self.resident:
            return self._load()
        try:
            return self._loading.result()
        except BaseException:
            del self._loading  # the next one who asks tries again
            raise

    @cached_property
    def _loading(self) -> Future[Network]:
        """The network on its way to a GPU, for which a thread of its own waits."""
        pool = ThreadPoolExecutor(1)
        begun = pool.submit(self._load)
        pool.shutdown(wait=False)
        return begun

    def units(self, texts: Sequence[str]) -> list[Units]:
        """The units of each text."""
        return self._subwords.units(texts)

    def encode(self, texts: Sequence[str], layer: int, *, keep: bool = True) -> Encoded:
        """The vectors of the units of each distinct text; `keep` them for later runs."""
        return self.encode_several(texts, (layer,), keep=keep)[layer]

    def encode_several(self, texts: Sequence[str], layers: Sequence[int], *, keep: bool = True) -> dict[int, Encoded]:
        """The same from several layers, in one run of the network over the texts that are new in any of them."""
        for layer in layers:
            self._check(layer)
        distinct = list(dict.fromkeys(texts))
        self._make_ready(distinct)
        with self._lock:
            stores = [self._store(layer) if keep else None for layer in layers]
            known = [store for store in stores if store is not None]
            whole = len(known) == len(layers)
            made = self._kept(distinct, layers, known) if whole else self._fresh(distinct, layers)
        return dict(zip(layers, made, strict=True))

    def _make_ready(self, texts: Sequence[str]) -> None:
        """What can be done before it is this thread's turn, while a GPU is loaded or reads what others gave it."""
        if self.resident and runtime.current().embeddings != "on":  # else the texts may be known already
            _ = self._loading
            self.units(texts)

    def encode_every(self, texts: Sequence[str]) -> dict[int, Encoded]:
        """The vectors from every layer, in one run of the network; nothing is kept."""
        with self._lock:
            made = self._fresh(list(dict.fromkeys(texts)), self.layers)
        return dict(zip(self.layers, made, strict=True))

    def note_long(self, texts: Sequence[str]) -> None:
        """Remember which texts are longer than the model takes, though they may not have to be encoded again."""
        # a unit has at least one character, so most texts need not be split to know
        perhaps = [text for text in dict.fromkeys(texts) if len(text) + 2 > self.longest]
        if self.overlong == "window" and perhaps:
            found = zip(perhaps, self.units(perhaps), strict=True)
            self.long.update(text for text, one in found if len(one) > self.longest)

    def remarks(self) -> list[str]:
        """What a reader must know of the texts encoded since this was last asked."""
        number, self.long = len(self.long), set()
        if not number:
            return []
        return [
            f"{number:,} {'text is' if number == 1 else 'texts are'} longer than the {self.longest} units that "
            f"{self.info.name} reads at once, and {'was' if number == 1 else 'were'} read in overlapping windows"
        ]

    def _check(self, layer: int) -> None:
        if layer not in self.layers:
            known = self.layers
            told = f"only layer {known[0]}" if len(known) == 1 else f"layers {known[0]} to {known[-1]}"
            raise InputError(f"the model {self.info.name} gives {told}; got {layer}")

    def _store(self, layer: int) -> Store | Memory | None:
        """Where vectors are kept; None: nowhere, as they stay on a device."""
        if runtime.current().embeddings != "on" and self.resident:
            return None
        info, read = self.info, f"{self.longest} {_RULE} {self.overlong}"
        setting = f"{info.digest}|{info.dtype}|{info.backend}|layer {layer}|{read}"
        return self._stores.of(f"{info.name} {setting}", self.dim)

    @property
    def resident(self) -> bool:
        """Whether vectors stay on a GPU; loads nothing where only the CPU can be meant."""
        if self.info.backend != "torch":
            return False
        from nlgauge.models.runtime import chosen

        return chosen(runtime.current().device).startswith("cuda")

    def _kept(self, distinct: list[str], layers: Sequence[int], stores: Sequence[Store | Memory]) -> list[Encoded]:
        found = [store.find(distinct) for store in stores]
        missing = [text for text in distinct if any(text not in kept for kept in found)]
        whole: list[Encoded] = []
        if missing:
            for store, kept, fresh in zip(stores, found, self._fresh(missing, layers), strict=True):
                flat = fresh.flat if isinstance(fresh.flat, np.ndarray) else fresh.flat.float().cpu().numpy()
                rows = {
                    text: flat[fresh.starts[place] : fresh.starts[place + 1]]
                    for text, place in fresh.places.items()
                    if text not in kept
                }
                store.add(rows)
                if not kept:  # nothing to put it together with
                    whole.append(Encoded(flat, fresh.starts, fresh.places, fresh.windowed))
                kept.update(rows)
        self.long.update(text for text, part in found[0].items() if len(part) > self.longest)
        if len(whole) == len(found):
            return whole
        return [self._gathered(distinct, kept) for kept in found]

    def _gathered(self, distinct: list[str], found: Mapping[str, Vectors]) -> Encoded:
        parts = [found[text] for text in distinct]
        starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
        whole: Vectors = np.concatenate(parts) if parts else np.zeros((0, self.dim), dtype=np.float32)
        places = {text: place for place, text in enumerate(distinct)}
        return Encoded(whole, starts, places, sum(len(part) > self.longest for part in parts))

    def _fresh(self, distinct: list[str], layers: Sequence[int]) -> list[Encoded]:
        """Encode texts that are not known yet, from several layers at once."""
        if not distinct:
            nothing = np.zeros((0, self.dim), dtype=np.float32)
            return [Encoded(nothing, np.zeros(1, dtype=np.int64), {}, 0) for _ in layers]
        units = self.units(distinct)
        pieces, cuts = self._pieces(units)
        order: list[int] = []
        parts: list[Any] = []
        for done, made in self._batches(pieces, layers):
            order += done
            parts.append(made)
        flat = self.network.join(parts)
        lengths = np.array([len(pieces[piece].ids) for piece in order], dtype=np.int64)
        begins = np.empty(len(pieces), dtype=np.int64)
        begins[order] = np.cumsum(lengths) - lengths
        windowed = len(cuts)
        self.long.update(distinct[text] for text in cuts)
        if not windowed:
            starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
            places = {distinct[pieces[piece].text]: place for place, piece in enumerate(order)}
        else:
            index, starts = self._stitched(units, pieces, begins, cuts)
            flat = flat[index]
            places = {text: place for place, text in enumerate(distinct)}
        return [Encoded(flat[:, number], starts, places, windowed) for number in range(len(layers))]

    def _pieces(self, units: Sequence[Units]) -> tuple[list[_Piece], dict[int, list[tuple[int, int]]]]:
        """What the network reads, and the windows of the texts that have several."""
        pieces: list[_Piece] = []
        cuts: dict[int, list[tuple[int, int]]] = {}
        for text, one in enumerate(units):
            if len(one) <= self.longest:
                pieces.append(_Piece(text, one.ids))
                continue
            head, tail = _ends(one)
            content = one.ids[head : len(one) - tail]
            room = max(1, self.longest - head - tail)
            if self.overlong == "cut":
                self.cut += 1
                spans = [(0, room)]
            else:
                spans = cuts[text] = windows(len(content), room)
            for start, stop in spans:
                ids = np.concatenate([one.ids[:head], content[start:stop], one.ids[len(one) - tail :]])
                pieces.append(_Piece(text, ids))
        return pieces, cuts

    def _batches(self, pieces: Sequence[_Piece], layers: Sequence[int]) -> Iterator[tuple[list[int], Any]]:
        network = self.network

        def run(places: list[int]) -> Any:
            return network.run([pieces[place].ids for place in places], layers)

        lengths, told = [len(piece.ids) for piece in pieces], f"texts encoded by {self.info.name}"
        return in_batches(lengths, run, network.exhausted, budget=network.budget, told=told)

    def _stitched(
        self,
        units: Sequence[Units],
        pieces: Sequence[_Piece],
        begins: Ints,
        cuts: dict[int, list[tuple[int, int]]],
    ) -> tuple[Ints, Ints]:
        """For each unit of each text the row that holds its vector, and where the texts start."""
        mine: dict[int, list[int]] = {}
        for number, piece in enumerate(pieces):
            mine.setdefault(piece.text, []).append(number)
        rows: list[Ints] = []
        for text, one in enumerate(units):
            numbers = mine[text]
            if text not in cuts:
                rows.append(begins[numbers[0]] + np.arange(len(pieces[numbers[0]].ids)))
                continue
            head, tail = _ends(one)
            spans = cuts[text]
            content = len(one) - head - tail
            owner = owners(content, spans)
            first = np.array([start for start, _ in spans])
            inside = begins[numbers][owner] + head + np.arange(content) - first[owner]
            last = begins[numbers[-1]] + head + spans[-1][1] - spans[-1][0]
            rows.append(np.concatenate([begins[numbers[0]] + np.arange(head), inside, last + np.arange(tail)]))
        starts = np.concatenate([[0], np.cumsum([len(part) for part in rows])]).astype(np.int64)
        return np.concatenate(rows), starts


def _ends(units: Units) -> tuple[int, int]:
    """How many units open and close the text."""
    special = units.special
    if special.all():
        return len(special), 0
    return int(np.argmin(special)), int(np.argmin(special[::-1]))
