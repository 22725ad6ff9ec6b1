"""The weights of a network by name, as `nlgauge.models.weights` packs them.

Matrices are eight-bit numbers with a scale for each row. They become float32 once, when the network is made; of word
embeddings, half of the file, only the rows that a text needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Ints
from nlgauge.errors import InputError
from nlgauge.models.interface import Vectors
from nlgauge.models.weights import SCALE, read


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
