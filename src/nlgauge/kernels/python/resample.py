"""Draws for resampling, counted; the oracle of `native/resample.cpp`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array

# Counting in 64 choices of texts at once: one bit of a word for each choice.


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


CACHED = 1 << 18  # numbers in a block of weights: 2 MB, which the processor keeps at hand


def count_draws(generator: np.random.Generator, n: int, trials: int, single: bool) -> Any:
    """How often each of n segments is drawn in each trial of n draws: (trials, n); float32 if `single`.

    The draws are those of `generator.choice(n, size=(trials, n))`; the generator then stands where it would
    after that call.
    """
    drawn = generator.choice(n, size=(trials, n), replace=True)
    offsets = n * np.arange(trials)[:, None]
    counts = np.bincount((drawn + offsets).ravel(), minlength=trials * n).reshape(trials, n)
    return counts.astype(np.float32 if single else np.float64)


def sum_chosen(words: NDArray[np.uint64], first: int, rows: Array, trials: int) -> Array:
    """Per trial the sum of the rows whose bit is set: (trials, k).

    The bits run through the words lowest first, start at bit `first` and are n (as many as rows) a trial.
    """
    n = len(rows)
    if first + n * trials > 64 * len(words):
        raise ValueError("sum_chosen needs more words")
    totals = np.empty((trials, rows.shape[1]))
    octets = words.astype("<u8", copy=False).view(np.uint8)
    step = max(1, CACHED // n)
    for start in range(0, trials, step):
        stop = min(trials, start + step)
        low, high = first + start * n, first + stop * n
        bits = np.unpackbits(octets[low // 8 : (high + 7) // 8], bitorder="little")
        chosen = bits[low % 8 : low % 8 + high - low].reshape(stop - start, n)
        totals[start:stop] = chosen.astype(np.float64) @ rows
    return totals
