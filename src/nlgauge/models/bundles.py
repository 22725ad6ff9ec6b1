"""The variables of a TensorFlow checkpoint or SavedModel, read without TensorFlow.

`NAME.index` is a sorted table in the form of LevelDB: blocks of keys, each written as how much of the key before it
holds too and what follows, and a footer that says where the block of blocks lies. The key of a variable is its name;
its value, a message of Protocol Buffers, says type, shape, file and place. `NAME.data-00000-of-00001` holds the
numbers, which are mapped, not read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError
from nlgauge.models.protobuf import fields, read_varint

_MAGIC = (0xDB4775248B80FB57).to_bytes(8, "little")
_FOOTER = 48  # bytes: two handles, padding, the magic number
# TensorFlow's numbers of the types of weights and of counters
_TYPES: dict[int, np.dtype[Any]] = {
    1: np.dtype("<f4"),
    2: np.dtype("<f8"),
    3: np.dtype("<i4"),
    9: np.dtype("<i8"),
    19: np.dtype("<f2"),
}


@dataclass(frozen=True)
class _Entry:
    """Where a variable lies."""

    kind: int
    shape: tuple[int, ...]
    shard: int
    start: int
    size: int
    sliced: bool


class Bundle(Mapping[str, NDArray[Any]]):
    """The variables by name."""

    def __init__(self, prefix: Path) -> None:
        """Those of `prefix`.index and the files of numbers beside it."""
        self._prefix, self._index = prefix, prefix.with_name(f"{prefix.name}.index")
        try:
            table = memoryview(self._index.read_bytes())
            read = dict(_table(table))
            self._shards = next((int(value) for number, value in fields(read.pop(b"")) if number == 1), 1)
            self._entries = {key.decode(): _entry(value) for key, value in read.items()}
        except (OSError, ValueError, KeyError, IndexError) as error:
            raise InputError(
                f"{self._index} cannot be read as the index of a TensorFlow checkpoint ({str(error)[:120]}); "
                "is it whole?"
            ) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A variable, mapped from its file."""
        entry = self._entries[name]
        dtype = _TYPES.get(entry.kind)
        if dtype is None or entry.sliced:
            what = "is cut into slices" if entry.sliced else f"has the type {entry.kind} of TensorFlow"
            raise InputError(f"the variable {name} of {self._index} {what}, which is not read")
        path = self._prefix.with_name(f"{self._prefix.name}.data-{entry.shard:05d}-of-{self._shards:05d}")
        count = math.prod(entry.shape)
        try:
            if count * dtype.itemsize != entry.size:
                raise ValueError(f"{name} has {entry.size} bytes for {count} numbers")
            if not count:
                return np.zeros(entry.shape, dtype)
            flat: NDArray[Any] = np.memmap(path, dtype, mode="r", offset=entry.start, shape=(count,))
            return flat.reshape(entry.shape)
        except (OSError, ValueError) as error:
            raise InputError(f"{path} does not hold what {self._index.name} says ({error})") from None


def _table(raw: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    """Keys and values of all blocks."""
    footer = raw[-_FOOTER:]
    if len(raw) < _FOOTER or bytes(footer[-8:]) != _MAGIC:
        raise ValueError("there is no table in it")
    _, place = _handle(footer, 0)
    (start, size), _ = _handle(footer, place)
    for _, value in _block(raw, start, size):
        yield from _block(raw, *_handle(value, 0)[0])


def _handle(raw: memoryview, place: int) -> tuple[tuple[int, int], int]:
    """Where a block starts and how long it is; and the place after."""
    start, place = read_varint(raw, place)
    size, place = read_varint(raw, place)
    return (start, size), place


def _block(raw: memoryview, start: int, size: int) -> Iterator[tuple[bytes, memoryview]]:
    """Keys and values of a block; behind them stand the places of whole keys, which a search would need."""
    if start + size >= len(raw):
        raise ValueError("a block lies outside of it")
    if raw[start + size] != 0:
        raise ValueError("it is compressed")
    block = raw[start : start + size]
    end = size - 4 - 4 * int.from_bytes(block[-4:], "little")
    key, place = b"", 0
    while place < end:
        shared, place = read_varint(block, place)
        more, place = read_varint(block, place)
        length, place = read_varint(block, place)
        key = key[:shared] + bytes(block[place : place + more])
        place += more
        yield key, block[place : place + length]
        place += length


def _entry(message: memoryview) -> _Entry:
    found: dict[int, Any] = dict(fields(message))
    shape = tuple(
        int(dict(fields(dim)).get(1, 0))  # type: ignore[arg-type]
        for number, dim in fields(found.get(2, memoryview(b"")))
        if number == 2
    )
    kind, shard, start, size = (int(found.get(number, 0)) for number in (1, 3, 4, 5))
    return _Entry(kind, shape, shard, start, size, 7 in found)
