"""Texts that are nearly the same: pairs that share at least half of their runs of five terms.

Exact, up to equal hashes of 64 bits: if two sets of runs have a Jaccard index of j or more, then each of the two has a
common run among its rarest (1 − j)·n + 1, so only articles that share one of these are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt

from nlgauge.style.aligning.vectors import Split

RUN = 5
LEAST = 0.5  # the Jaccard index from which on two texts count as the same
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
Hashes = npt.NDArray[np.uint64]


def near_duplicates(texts: Sequence[str], split: Split) -> list[tuple[int, int]]:
    """Places of texts whose runs of terms have a Jaccard index of at least a half; equal texts are among them."""
    known: dict[str, int] = {}
    runs = [_runs(split(text), known) for text in texts]
    everything = np.concatenate([*runs, np.zeros(0, np.uint64)])
    values, inverse, counts = np.unique(everything, return_inverse=True, return_counts=True)
    del values, everything
    ends = np.cumsum([0, *map(len, runs)])
    ranks = np.argsort(np.argsort(counts, kind="stable"), kind="stable")[inverse]
    keys, places = [], []
    for place, (first, last) in enumerate(pairwise(ends.tolist())):
        shared = np.sort(ranks[first:last])[: (last - first) - int(np.ceil(LEAST * (last - first))) + 1]
        keys.append(shared)
        places.append(np.full(len(shared), place))
    found = {
        pair
        for pair in _meeting(
            np.concatenate([*keys, np.zeros(0, np.int64)]), np.concatenate([*places, np.zeros(0, np.int64)])
        )
        if _jaccard(runs[pair[0]], runs[pair[1]]) >= LEAST
    }
    return sorted(found)


def _runs(terms: Sequence[str], known: dict[str, int]) -> Hashes:
    """The distinct runs of a text as hashes, the same in every process; a shorter text is one run."""
    for term in terms:
        if term not in known:
            digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            known[term] = int.from_bytes(digest)
    hashed = np.array([known[term] for term in terms], dtype=np.uint64)
    if len(hashed) == 0:
        return hashed
    length = min(RUN, len(hashed))
    count = len(hashed) - length + 1
    total = np.full(count, np.uint64(length))
    for offset in range(length):
        total = (total ^ hashed[offset : offset + count]) * _FACTOR
        total ^= total >> np.uint64(29)
    return np.unique(total)


def _meeting(keys: npt.NDArray[np.int64], places: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Each two places that have a key in common."""
    order = np.lexsort((places, keys))
    keys, places = keys[order], places[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    sizes = np.diff(starts, append=len(keys))
    for first, size in zip(starts[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
        yield from combinations(places[first : first + size].tolist(), 2)


def _jaccard(a: Hashes, b: Hashes) -> float:
    common = len(np.intersect1d(a, b, assume_unique=True))
    return common / (len(a) + len(b) - common)
