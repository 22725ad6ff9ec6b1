"""Weights of a trained model as eight-bit numbers: a quarter of the size, each row of a matrix with a scale of its own.

A row w is kept as round(127 · w / max|w|) and max|w| / 127. Only matrices are; vectors (biases, norms) stay in half
precision. Read back they are ordinary float32 numbers, so that every backend computes the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Ints
from nlgauge.errors import InputError
from nlgauge.models.interface import Vectors

Arrays = dict[str, NDArray[np.generic]]
SCALE = ".scale"
_TYPES: dict[str, np.dtype[Any]] = {
    "I8": np.dtype("<i1"),
    "F16": np.dtype("<f2"),
    "F32": np.dtype("<f4"),
}  # safetensors' names


def packed(weights: Mapping[str, NDArray[np.float32]]) -> Arrays:
    """Matrices as int8 with their scales, the rest as float16."""
    found: Arrays = {}
    for name, values in weights.items():
        if values.ndim != 2:
            found[name] = values.astype(np.float16)
            continue
        largest = np.abs(values).max(axis=1, keepdims=True)
        scale = np.where(largest > 0, largest / 127, 1).astype(np.float32)
        found[name] = np.rint(values / scale).astype(np.int8)
        found[name + SCALE] = scale[:, 0]
    return found


def unpacked(stored: Mapping[str, NDArray[np.generic]]) -> dict[str, NDArray[np.float32]]:
    """The weights that `packed` kept, as float32."""
    found: dict[str, NDArray[np.float32]] = {}
    for name, values in stored.items():
        if name.endswith(SCALE):
            continue
        scale = stored.get(name + SCALE)
        whole = values.astype(np.float32)
        found[name] = whole if scale is None else whole * scale.astype(np.float32)[:, None]
    return found


def write(path: Path, arrays: Mapping[str, NDArray[np.generic]]) -> None:
    """Arrays as a safetensors file: the length of the header, the header (JSON), the numbers."""
    names = {dtype: name for name, dtype in _TYPES.items()}
    header: dict[str, object] = {}
    place = 0
    for name in sorted(arrays):
        values = arrays[name]
        header[name] = {
            "dtype": names[values.dtype],
            "shape": list(values.shape),
            "data_offsets": [place, place + values.nbytes],
        }
        place += values.nbytes
    said = json.dumps(header, separators=(",", ":")).encode()
    said += b" " * (-len(said) % 8)
    with path.open("wb") as file:
        file.write(len(said).to_bytes(8, "little") + said)
        for name in sorted(arrays):
            file.write(np.ascontiguousarray(arrays[name]).tobytes())


def read(path: Path) -> Arrays:
    """The arrays of a safetensors file that holds int8, float16 and float32 numbers."""
    raw = path.read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    found: Arrays = {}
    for name, facts in json.loads(raw[8:start]).items():
        if name == "__metadata__":
            continue
        first, last = facts["data_offsets"]
        dtype = _TYPES[facts["dtype"]]
        values = np.frombuffer(raw, dtype, count=(last - first) // dtype.itemsize, offset=start + first)
        found[name] = values.reshape(facts["shape"])
    return found


# The weights of a network by name, as `nlgauge.models.weights` packs them.
#
# Matrices are eight-bit numbers with a scale for each row. They become float32 once, when the network is made; of word
# embeddings, half of the file, only the rows that a text needs.


class Tensors:
    """The arrays of a file."""

    def __init__(self, path: Path, arrays: Mapping[str, NDArray[Any]] | None = None) -> None:
        """Those of a file, or arrays that came from there."""
        self.path = path
        try:
            self._arrays: Mapping[str, NDArray[Any]] = read(path) if arrays is None else arrays
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"{path} cannot be read as weights (safetensors): {str(error)[:200]}; is it whole?"
            ) from None

    def whole(self, name: str) -> Vectors:
        """An array in full precision."""
        stored, scale = self._stored(name)
        made: Vectors = stored.astype(np.float32)
        if scale is not None:
            made *= scale[:, None]
        return made

    def rows(self, name: str, places: Ints) -> Vectors:
        """Some rows of a matrix, in full precision."""
        stored, scale = self._stored(name)
        made: Vectors = stored[places].astype(np.float32)
        if scale is not None:
            made *= scale[places][..., None]
        return made

    def _stored(self, name: str) -> tuple[NDArray[Any], Vectors | None]:
        if name not in self._arrays:
            raise InputError(
                f"{self.path} holds no weights {name}, so it is not that of a reader or of a trained metric"
            )
        return self._arrays[name], self._arrays.get(name + SCALE)
