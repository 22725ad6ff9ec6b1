"""Draws shared by every system and metric of one evaluation set, and the sums of rows under each draw.

The draws are those of sacreBLEU 2 for the same seed: `default_rng(seed).choice(n, size=(trials, n))` for the
bootstrap and `default_rng(seed).integers(2, size=(trials, n), dtype=bool)` for randomisation, but made a few
trials at a time, so that memory stays flat whatever n is.

Sums of rows by cluster: the unit that is drawn, swapped or left out where segments belong together.

Sentences of one document, or questions about one table, succeed and fail together; an interval that draws them one by
one is too narrow. Because a score is a function of summed rows, drawing whole clusters is the ordinary bootstrap over
the clusters' sums (Davison and Hinkley 1997, section 3.8; Field and Welsh 2007), and swapping whole clusters is the
ordinary randomisation test over them: `resample` does both once `cluster_sums` has been applied.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.kernels import active


def cluster_codes(labels: Sequence[Hashable], n: int) -> NDArray[np.intp]:
    """For each segment the number of its cluster; clusters are numbered by first appearance."""
    if len(labels) != n:
        raise InputError(f"one cluster label per segment is needed: got {len(labels):,} labels for {n:,} segments")
    numbers: dict[Hashable, int] = {}
    for place, label in enumerate(labels):
        if label is None or (isinstance(label, float) and math.isnan(label)):  # unknown is not a cluster
            raise InputError(f"segment {place} has no cluster label; give one to every segment, or leave it out")
        numbers.setdefault(label, len(numbers))
    if len(numbers) < 2:
        raise InputError(
            f"all {n:,} segments belong to one cluster ({labels[0]!r}), so there is nothing to draw; "
            "choose labels that tell at least two clusters apart"
        )
    return np.fromiter((numbers[label] for label in labels), dtype=np.intp, count=n)


def cluster_sums(rows: Array, labels: Sequence[Hashable]) -> Array:
    """The rows summed within each cluster: (clusters, k), in the order of first appearance.

    Args:
        rows: sufficient statistics, a row for each segment
        labels: the cluster of each row

    >>> from nlgauge.stats import cluster_sums
    >>> import numpy as np
    >>> rows = np.array([[3, 4], [2, 4], [4, 5], [1, 3]])  # matches and words of each segment
    >>> cluster_sums(rows, ["a", "a", "b", "b"]).tolist()
    [[5.0, 8.0], [5.0, 8.0]]
    """
    values = np.asarray(rows, dtype=np.float64)
    if values.ndim != 2:
        raise InputError(f"rows must have two dimensions, (segments, statistics); got {values.ndim}")
    codes = cluster_codes(labels, len(values))
    sums = np.zeros((int(codes.max()) + 1, values.shape[1]))
    np.add.at(sums, codes, values)
    return sums


Kind = Literal["bootstrap", "randomisation"]

CACHED = 1 << 17  # weights made at a time: 1 MB, which the processor keeps at hand for the product that follows
LARGE = 1 << 22  # numbers in a larger working array: 32 MB, where a few trials no longer fit into CACHED


class Resampler:
    """`trials` draws over n segments; every call of `sums` sees the same draws.

    `bootstrap` draws n of the n segments with replacement; `randomisation` takes each segment or leaves it,
    by the toss of a coin.
    """

    def __init__(self, n: int, *, trials: int, seed: int, kind: Kind = "bootstrap") -> None:
        if n < 2:
            raise InputError(f"resampling needs at least 2 segments; got {n}")
        if trials < 1:
            raise InputError(f"resampling needs at least 1 trial; got {trials}")
        if seed < 0:
            raise InputError(f"the seed must be a whole number from 0 up; got {seed}")
        self.n, self.trials, self.seed, self.kind = n, trials, seed, kind

    def sums(self, blocks: Sequence[Array]) -> list[Array]:
        """For each (n, k) block its (trials, k) sums over the segments drawn; drawn twice counts twice."""
        for block in blocks:
            if block.ndim != 2 or len(block) != self.n:
                raise InputError(f"expected rows of shape ({self.n}, k), one per segment; got {block.shape}")
        totals = [np.empty((self.trials, block.shape[1])) for block in blocks]
        groups = [(slots, np.concatenate([blocks[slot] for slot in slots], axis=1)) for slots in _groups(blocks)]
        chunk = self._bootstrap if self.kind == "bootstrap" else self._randomisation
        for trial, drawn in chunk([stacked for _, stacked in groups]):
            for (slots, _), part in zip(groups, drawn, strict=True):
                left = 0
                for slot in slots:
                    right = left + blocks[slot].shape[1]
                    totals[slot][trial : trial + len(part)] = part[:, left:right]
                    left = right
        return totals

    def _bootstrap(self, stacks: list[Array]) -> Iterator[tuple[int, list[Array]]]:
        generator = np.random.default_rng(self.seed)
        step = max(1, CACHED // self.n, min(4, LARGE // self.n))
        single = all(_fits_float(stacked) for stacked in stacks)
        factors: list[Any] = [stacked.astype(np.float32) for stacked in stacks] if single else list(stacks)
        for start in range(0, self.trials, step):
            weights = active().count_draws(generator, self.n, min(step, self.trials - start), single)
            yield start, [weights @ factor for factor in factors]

    def _randomisation(self, stacks: list[Array]) -> Iterator[tuple[int, list[Array]]]:
        # numpy makes its booleans from the bits of successive 32-bit halves, lowest bit first: for a PCG64
        # these are the bits of the raw words in order. A chunk may end inside a word, which the next starts
        # with.
        source = np.random.default_rng(self.seed).bit_generator
        step = max(1, 64 * LARGE // self.n)
        words = np.empty(0, dtype=np.uint64)
        first = 0  # the first unused bit of `words`
        for start in range(0, self.trials, step):
            trials = min(step, self.trials - start)
            last = first + trials * self.n
            missing = (last + 63) // 64 - len(words)
            words = np.concatenate([words, source.random_raw(missing)]) if missing > 0 else words
            yield start, [active().sum_chosen(words, first, stacked, trials) for stacked in stacks]
            words, first = words[last // 64 :], last % 64


def _fits_float(rows: Array) -> bool:
    """Whether float32 sums of n drawn rows are exact, whatever the draw: then the product takes half the time."""
    whole = bool(np.array_equal(rows, np.rint(rows)))
    return whole and len(rows) * float(np.abs(rows).max(initial=0.0)) < 2**24


def _groups(blocks: Sequence[Array]) -> list[list[int]]:
    """Which blocks to stack side by side: one wide product beats many narrow ones, but costs a copy."""
    groups: list[list[int]] = []
    size = LARGE + 1
    for slot, block in enumerate(blocks):
        if size + block.size > LARGE:
            groups.append([])
            size = 0
        groups[-1].append(slot)
        size += block.size
    return groups
