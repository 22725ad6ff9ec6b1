"""Random choices that stay the same for ever.

A design is an endless sequence of sheets of which the first n never change, however many are asked for and whatever
version of numpy is installed years later, when a late judge arrives. So only the raw bits of PCG64 are used, which
numpy promises to keep (NEP 19; it does not promise the same for `shuffle` or `integers`), and each question has its
own stream, named by a word.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

Ints = np.ndarray[Any, np.dtype[np.int64]]
Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Draws:
    """The random numbers of a panel of a study."""

    seed: int
    panel: str = ""

    def bits(self, word: str, *shape: int) -> Any:
        """Raw 64-bit words; the first rows do not depend on how many rows there are."""
        name = hashlib.sha256(f"{self.seed}/{self.panel}/{word}".encode()).digest()
        source = np.random.PCG64(int.from_bytes(name[:16], "big"))
        return source.random_raw(int(np.prod(shape))).reshape(shape)

    def shares(self, word: str, *shape: int) -> Floats:
        """Numbers from 0 to 1, without 1."""
        found: Floats = (self.bits(word, *shape) >> np.uint64(11)) * 2.0**-53
        return found

    def order(self, word: str, *shape: int) -> Ints:
        """A random order of 0 … n-1 along the last axis."""
        found: Ints = np.argsort(self.bits(word, *shape), axis=-1, kind="stable")
        return found

    def below(self, word: str, limit: int, *shape: int) -> Ints:
        """Whole numbers from 0 to below a limit."""
        found: Ints = (self.shares(word, *shape) * limit).astype(np.int64)
        return found
