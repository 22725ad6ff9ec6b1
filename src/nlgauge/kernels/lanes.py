"""Counting n-grams in up to 64 choices of texts at once: one bit of a machine word for each choice.

A score of a set of texts (how many different n-grams, how many shared ones) is recomputed for thousands of choices of
the texts: all but one, or a mixture of two systems. Each text gets a word whose bit t says whether choice t holds
it. An n-gram occurs in choice t if bit t is set in the "or" of the words of its texts, so that one pass over the
occurrences serves 64 choices. All counts are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Bools, Ints
from nlgauge.kernels import active

LANES = 64
BLOCK = 1 << 17  # occurrences unpacked at a time: 8 MB

Words = NDArray[np.uint64]
Counts = NDArray[np.int32]


def packed(chosen: Bools) -> Words:
    """(t, n) choices, t up to 64, as n words."""
    lanes = np.zeros((chosen.shape[1], LANES), dtype=np.uint8)
    lanes[:, : len(chosen)] = chosen.T
    return np.packbits(lanes, axis=1, bitorder="little").view("<u8")[:, 0].astype(np.uint64, copy=False)


def bits(words: Words) -> NDArray[np.uint8]:
    """n words as (n, 64) zeros and ones."""
    return np.unpackbits(words.astype("<u8", copy=False).view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")


def totals(words: Words) -> Ints:
    """In how many of the words each of the 64 bits is set."""
    total = np.zeros(LANES, dtype=np.int64)
    for start in range(0, len(words), BLOCK):
        part = bits(words[start : start + BLOCK])
        full = len(part) // 255 * 255  # so many ones still fit into a byte
        total += part[:full].reshape(-1, 255, LANES).sum(axis=1, dtype=np.uint8).sum(axis=0, dtype=np.int64)
        total += part[full:].sum(axis=0, dtype=np.int64)
    return total


@dataclass(frozen=True)
class Groups:
    """Occurrences sorted by what they are occurrences of: `texts` of each, `starts` where each kind begins."""

    texts: Ints
    starts: Ints

    @classmethod
    def of(cls, kinds: Ints, texts: Ints) -> Groups:
        """Occurrences grouped by kind (numbers from 0 up, none left out)."""
        order = np.argsort(kinds, kind="stable")
        starts = np.flatnonzero(np.diff(kinds[order], prepend=-1))
        return cls(texts[order], starts)

    @property
    def sizes(self) -> Ints:
        """Occurrences of each kind."""
        return np.diff(self.starts, append=len(self.texts))

    def present(self, words: Words) -> Words:
        """For each kind the choices that hold it."""
        if not len(self.starts):
            return np.zeros(0, dtype=np.uint64)
        return np.bitwise_or.reduceat(words[self.texts], self.starts)

    def counts(self, words: Words, marks: Bools | None = None) -> Iterator[tuple[Counts, Counts]]:
        """How often each kind occurs in each choice, (kinds, 64), some kinds at a time.

        The second array counts the marked occurrences only (`marks` has one for each place in `texts`); without
        marks it is the first.
        """
        kernels = active()
        ends = np.append(self.starts, len(self.texts))
        unmarked = self.texts if marks is None else np.where(marks, len(words), self.texts)
        padded = words if marks is None else np.append(words, np.uint64(0))
        first = 0
        while first < len(self.starts):
            last = max(first + 1, int(np.searchsorted(ends[1:], ends[first] + BLOCK, side="right")))
            found = kernels.lane_counts(words, self.texts, ends[first : last + 1])
            less = None if marks is None else kernels.lane_counts(padded, unmarked, ends[first : last + 1])
            yield found, found if less is None else found - less
            first = last


class Twice:
    """Which kinds occur once at least, and which twice, in each choice; every kind has two occurrences or more.

    Pairs of occurrences are joined, then pairs of pairs: (a, aa) with (b, bb) gives (a or b, aa or bb or (a and b)).
    """

    def __init__(self, groups: Groups) -> None:
        sizes = groups.sizes
        self._order = np.argsort(-sizes, kind="stable")  # longest first, so that finished kinds stand at the end
        lengths = sizes[self._order]
        self._texts = groups.texts[spans(groups.starts[self._order], lengths)]
        self._levels: list[tuple[NDArray[np.int32], NDArray[np.int32], int, int]] = []
        while len(lengths) and lengths[0] > 1:
            halves = (lengths + 1) // 2
            ends = np.cumsum(lengths)
            left = spans(ends - lengths, halves, step=2)
            right = left + 1
            # Without a partner: the empty place after the last one.
            right[right >= np.repeat(ends, halves)] = ends[-1]
            still = int(np.count_nonzero(halves > 1))
            self._levels.append((left.astype(np.int32), right.astype(np.int32), still, len(halves)))
            lengths = halves[:still]

    def __call__(self, words: Words) -> tuple[Words, Words]:
        """(once or more, twice or more) for each kind."""
        kinds = len(self._order)
        ones, twos = np.zeros(kinds, dtype=np.uint64), np.zeros(kinds, dtype=np.uint64)
        once, twice = words[self._texts], np.zeros(len(self._texts), dtype=np.uint64)
        nothing = np.zeros(1, dtype=np.uint64)
        for left, right, still, before in self._levels:
            once, twice = np.concatenate([once, nothing]), np.concatenate([twice, nothing])
            a, b = once[left], once[right]
            twice = twice[left] | twice[right] | (a & b)
            once = a | b
            done = len(once) - (before - still)
            ones[self._order[still:before]] = once[done:]
            twos[self._order[still:before]] = twice[done:]
            once, twice = once[:done], twice[:done]
        return ones, twos


def spans(starts: Ints, lengths: Ints, step: int = 1) -> Ints:
    """start, start + step, … for each start, `length` numbers each."""
    total = int(lengths.sum())
    before = np.repeat(np.cumsum(lengths) - lengths, lengths)
    found: Ints = np.repeat(starts, lengths) + step * (np.arange(total) - before)
    return found
