"""Counting in 64 choices of texts at once: one bit of a word for each choice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LANES = 64


def lane_counts(words: NDArray[np.uint64], places: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.int32]:
    """In how many words of each group each of the 64 bits is set: (groups, 64).

    Group g are the words at `places[starts[g] : starts[g + 1]]`; a group may be empty.
    """
    found = np.zeros((len(starts) - 1, LANES), dtype=np.int32)
    filled = np.diff(starts) > 0  # reduceat gives an empty group the next one's first element
    if filled.any():
        octets = words[places[starts[0] : starts[-1]]].astype("<u8", copy=False).view(np.uint8).reshape(-1, 8)
        bits = np.unpackbits(octets, axis=1, bitorder="little").astype(np.int32)
        found[filled] = np.add.reduceat(bits, starts[:-1][filled] - starts[0], axis=0)
    return found
