"""The structure of YiSi-1 (Lo 2019): how well semantic frames of one text are covered by those of the other.

Predicates are paired so that their similarities add up to most, then the arguments of paired predicates likewise. A
frame is covered by the weighted mean of its predicate and arguments, and counts by its number of words; for precision
an argument counts only where both roles are the same. A role weighs one more than the references have of it, a
predicate a quarter as much for each, as in the author's program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.arrays import Array
from nlgauge.metrics.yisi0 import maximum_matching
from nlgauge.metrics.yisi_covering import covering
from nlgauge.models.frames import Frame
from nlgauge.models.interface import Parse

Span = tuple[int, int]
PREDICATE = "predicate"


@dataclass(frozen=True)
class Filler:
    """A predicate or an argument: its role, and the numbers of its words among those that are matched."""

    role: str
    words: tuple[int, ...]


Placed = tuple[Filler, ...]  # a frame: its predicate, then its arguments


def placed(frames: Iterable[Frame], parse: Parse, spans: Sequence[Span]) -> list[Placed]:
    """Frames by the words that are matched: `spans` says which characters each of those has."""
    found = []
    for frame in frames:
        fillers = [Filler(PREDICATE, _within(frame.predicate, parse, spans))]
        fillers += [Filler(role, _within(words, parse, spans)) for role, words in frame.roles]
        if fillers[0].words:
            found.append(tuple(filler for filler in fillers if filler.words))
    return found


def _within(numbers: Sequence[int], parse: Parse, spans: Sequence[Span]) -> tuple[int, ...]:
    parts = [(word.start, word.start + len(word.text)) for word in (parse.words[number] for number in numbers)]
    return tuple(
        place
        for place, (start, stop) in enumerate(spans)
        if any(start < last and first < stop for first, last in parts)
    )


def role_weights(frames: Iterable[Frame]) -> dict[str, float]:
    """What roles weigh, by how often the references have them."""
    counts: Counter[str] = Counter()
    predicates = 0
    for frame in frames:
        predicates += 1
        counts.update(role for role, _ in frame.roles)
    return {PREDICATE: 1.0 + 0.25 * predicates, **{role: 1.0 + many for role, many in counts.items()}}


@dataclass(frozen=True, eq=False)
class Side:
    """One text: its frames and what its words weigh."""

    frames: list[Placed]
    weights: Array


class Structure:
    """Coverings of frames: fillers of roles are compared as texts are, by their n-grams."""

    def __init__(self, roles: dict[str, float], order: int) -> None:
        self.roles, self.order = roles, order

    def recall(self, mine: Side, theirs: Side, table: Array) -> float:
        """How well frames of the reference are covered; `table` has a row for each word of the output."""
        found = self._aligned(theirs, mine, table.T)
        return self._mean(theirs.frames, [found])

    def precision(self, mine: Side, others: Sequence[tuple[Side, Array]]) -> float:
        """How well frames of the output are covered, each part by the best of the references."""
        found = [self._aligned(mine, theirs, table, alike=True) for theirs, table in others]
        return self._mean(mine.frames, found)

    def _aligned(self, covered: Side, by: Side, table: Array, *, alike: bool = False) -> dict[tuple[int, int], float]:
        """(frame, filler) of the side that is covered -> how well; `table` has a row for each of its words."""
        predicates = [
            [self._similar(covered, table, frame[0], other[0]) for other in by.frames] for frame in covered.frames
        ]
        if not covered.frames or not by.frames:
            return {}
        found = {}
        for frame, partner in maximum_matching(predicates)[0]:
            found[frame, 0] = predicates[frame][partner]
            mine, theirs = covered.frames[frame][1:], by.frames[partner][1:]
            if not mine or not theirs:
                continue
            arguments = [[self._similar(covered, table, one, other) for other in theirs] for one in mine]
            for row, column in maximum_matching(arguments)[0]:
                if not alike or mine[row].role == theirs[column].role:
                    found[frame, row + 1] = arguments[row][column]
        return found

    def _similar(self, covered: Side, table: Array, filler: Filler, other: Filler) -> float:
        part = table[np.ix_(filler.words, other.words)]
        return covering(part, covered.weights[list(filler.words)], self.order).score

    def _mean(self, frames: Sequence[Placed], found: Sequence[dict[tuple[int, int], float]]) -> float:
        whole = total = 0.0
        for number, frame in enumerate(frames):
            size = sum(len(filler.words) for filler in frame)
            weights = [self.roles.get(filler.role, 1.0) for filler in frame]
            best = [max((one.get((number, k), 0.0) for one in found), default=0.0) for k in range(len(frame))]
            total += size * float(np.dot(weights, best)) / sum(weights)
            whole += size
        return total / whole if whole else 0.0
