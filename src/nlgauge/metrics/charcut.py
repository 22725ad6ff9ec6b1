"""CharCut (Lardilleux and Lepage 2017, "CharCut: human-targeted character-based MT evaluation with loose differences"),
equal to the PyPI package `charcut` 1.1.

Both texts are covered greedily by common substrings, the longest first: substrings of one word and the marks around it,
of three characters or more, or runs of whole words. What remains is deleted or inserted; a substring that stands in
another order than the others is shifted, unless it is too short for the distance (exp(length) < distance), when it
counts as deleted and inserted. CharCut = (deleted + inserted + shifted characters) / (characters of both texts), at
most 1; over a corpus both are summed. With several references the one with the lowest rate counts (the package takes
one).
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, ClassVar, NamedTuple

import numpy as np

from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, Direction, Metric, option, ratio
from nlgauge.metrics.explanation import Explanation, Figure, Passage, ordinal_reference

_MARK = re.compile(r"(\W)")
_WORD = re.compile(r"(\w+)")


class Match(NamedTuple):
    """A substring at a place of the hypothesis and one of the reference."""

    here: int
    there: int
    text: str


@dataclass(frozen=True)
class Charcut(Metric):
    """CharCut: deleted, inserted and shifted characters, by the characters of both texts; 0 is best.

    >>> round(Charcut().corpus(["this is in fact an estimate"], [["this is actually an estimate"]]), 4)
    0.1636
    """

    match: int = option(3, "shortest substring inside a word that counts as common", low=1)
    norm: str = option(
        "both",
        "divide by the length of both texts, or by twice the hypothesis's",
        choices=("both", "hypothesis"),
    )

    name: ClassVar[str] = "charcut"
    direction: ClassVar[Direction] = "lower"
    cite: ClassVar[str] = (
        "Lardilleux and Lepage (2017), CharCut: human-targeted character-based MT evaluation with loose differences. "
        "IWSLT."
    )
    reference: ClassVar[str] = "charcut 1.1 (PyPI)"
    columns: ClassVar[tuple[str, ...]] = ("cost", "length")

    def rows(self, batch: Batch) -> Array:
        """Cost and length of the reference with the lowest rate."""
        rows = []
        for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True):
            pairs = [self._cost(hypothesis.strip(), reference.strip()) for reference in references]
            rows.append(min(pairs, key=lambda pair: pair[0] / max(pair[1], 1)))
        return np.array(rows, dtype=np.float64).reshape(len(rows), 2)

    def _cost(self, hypothesis: str, reference: str) -> tuple[int, int]:
        whole = 2 * len(hypothesis) if self.norm == "hypothesis" else len(hypothesis) + len(reference)
        return min(cost(hypothesis, reference, self.match), whole), whole

    def explained(self, batch: Batch) -> Explanation:
        """Both texts with the substrings that stay and those that are shifted."""
        text = batch.hypotheses[0].strip()
        references = [reference.strip() for reference in batch.references[0]]
        pairs = [self._cost(text, reference) for reference in references]
        rates = [pair[0] / max(pair[1], 1) for pair in pairs]
        best = rates.index(min(rates))
        reference, found = references[best], kept(text, references[best], self.match)
        sides = []
        for name, whole, places in (
            ("The output", text, [match.here for match, _ in found]),
            (ordinal_reference(best, len(references)).capitalize(), reference, [m.there for m, _ in found]),
        ):
            levels = [0] * len(whole)
            for place, (match, moved) in zip(places, found, strict=True):
                levels[place : place + len(match.text)] = [2 if moved else 1] * len(match.text)
            legend = (
                "only in the output" if name == "The output" else "only in the reference",
                "kept",
                "shifted",
            )
            sides.append(Passage(name, tuple(whole), tuple(levels), legend, "characters"))
        counts = [[side.levels.count(level) for level in (0, 2)] for side in sides]
        figures = [
            Figure("inserted", counts[0][0], "characters only in the output"),
            Figure("deleted", counts[1][0], "characters only in the reference"),
            Figure("shifted", counts[0][1], "characters that stand elsewhere"),
            Figure("length", pairs[best][1], "characters by which the sum is divided, and its limit"),
        ]
        row = [min(counts[0][0] + counts[1][0] + counts[0][1], pairs[best][1]), pairs[best][1]]
        return Explanation.of(self, batch, row, figures=figures, parts=sides, counted=(best + 1,))

    def score(self, totals: Array) -> Array:
        """Cost by length; 0 where there is no text at all."""
        return ratio(totals[..., 0], totals[..., 1])


def cost(hypothesis: str, reference: str, shortest: int) -> int:
    """Characters deleted, inserted and shifted."""
    found = kept(hypothesis, reference, shortest)
    same = sum(len(match.text) for match, _ in found)
    shifted = sum(len(match.text) for match, moved in found if moved)
    return len(hypothesis) + len(reference) - 2 * same + shifted


def kept(hypothesis: str, reference: str, shortest: int) -> list[tuple[Match, bool]]:
    """The substrings that both texts have, and whether each is shifted."""
    matches = cover(hypothesis, reference, shortest)
    in_order = ordered(matches)
    found = []
    for match in matches:
        size = len(match.text)
        distance = 0 if match in in_order else abs(_distance(match, in_order))
        # The shorter a string, the less far it may travel; beyond it is another string. (exp of 710 overflows.)
        if size < 700 and math.exp(size) < distance:
            continue
        found.append((match, distance != 0))
    return found


def cover(hypothesis: str, reference: str, shortest: int) -> list[Match]:
    """Common substrings that do not overlap, the longest first."""
    found = {text: (here, there) for text, here, there in _word_runs(hypothesis, reference, shortest)}
    found |= {text: (here, there) for text, here, there in _inside_words(hypothesis, reference, shortest)}
    # Of equally long ones those that are more often in one text than in the other go first, then the rarer.
    waiting = sorted(
        ((text, here, there) for text, (here, there) in found.items()),
        key=lambda block: (-len(block[0]), len(block[1]) == len(block[2]), len(block[1]) + len(block[2]), block[1]),
    )
    free_here, free_there = bytearray(b"\1") * len(hypothesis), bytearray(b"\1") * len(reference)
    matches = []
    while waiting:
        text, here, there = waiting[0]
        size, taken = len(text), bytes(len(text))
        matches.append(Match(here[0], there[0], text))
        free_here[here[0] : here[0] + size] = free_there[there[0] : there[0] + size] = taken
        waiting = [
            (text, mine, theirs)
            for text, here, there in waiting
            if (mine := _still_free(here, len(text), free_here))
            and (theirs := _still_free(there, len(text), free_there))
        ]
        # What is left keeps its order, though the places it has lost might have changed it.
    return matches


def _still_free(places: list[int], size: int, free: bytearray) -> list[int]:
    return [place for place in places if 0 not in free[place : place + size]]


def _word_runs(a: str, b: str, shortest: int) -> Iterator[tuple[str, list[int], list[int]]]:
    """Common runs of whole words and marks; those at the very start or end may be shorter than `shortest`."""
    mine, theirs = ([part for part in _MARK.split(text) if part] for text in (a, b))
    starts, others = _offsets(mine), _offsets(theirs)
    for size, here, there in _common(mine, range(len(mine)), theirs, range(len(theirs))):
        text = "".join(mine[here[0] : here[0] + size])
        ends = len(mine) - size, len(theirs) - size
        if len(text) >= shortest:
            yield text, [starts[k] for k in here], [others[k] for k in there]
        elif 0 in here and 0 in there:
            yield text, [0], [0]
        elif ends[0] in here and ends[1] in there:
            yield text, [starts[ends[0]]], [others[ends[1]]]


def _inside_words(a: str, b: str, shortest: int) -> Iterator[tuple[str, list[int], list[int]]]:
    """Common substrings that reach no further than one word and the marks on both its sides."""
    (mine, starts, places), (theirs, others, other_places) = _windows(a, "a"), _windows(b, "b")
    for size, here, there in _common(mine, starts, theirs, others):
        if size >= shortest:
            text = "".join(mine[here[0] : here[0] + size])
            yield text, [places[k] for k in here], [other_places[k] for k in there]


def _windows(text: str, side: str) -> tuple[list[Any], list[int], list[int]]:
    """The characters of each word with the marks around it, one window after another; where substrings may start; and
    each character's place in the text. Marks between two words stand in both windows, but start in the second."""
    parts = _WORD.split(text)
    if len(parts) == 1:
        parts = ["", parts[0], ""]
    offsets = _offsets(parts)
    characters: list[Any] = []
    starts: list[int] = []
    places: list[int] = []
    for first in range(0, len(parts) - 2, 2):
        if first:  # equal to nothing on the other side
            characters.append((side, first))
            places.append(-1)
        for number in range(first, first + 3):
            for k, character in enumerate(parts[number], offsets[number]):
                if number != first + 2:
                    starts.append(len(characters))
                characters.append(character)
                places.append(k)
    return characters, starts, places


def _offsets(parts: Sequence[str]) -> list[int]:
    offsets, total = [], 0
    for part in parts:
        offsets.append(total)
        total += len(part)
    return offsets


def _common(
    a: Sequence[Any], starts: Sequence[int], b: Sequence[Any], others: Sequence[int]
) -> Iterator[tuple[int, list[int], list[int]]]:
    """The length and the places in both sequences of every common run that starts at one of the given places."""
    open_runs: list[tuple[int, Sequence[int], Sequence[int]]] = [(0, starts, others)]
    while open_runs:
        size, here, there = open_runs.pop()
        mine, theirs = _by_next(a, here, size), _by_next(b, there, size)
        for unit in mine.keys() & theirs.keys():
            yield size + 1, mine[unit], theirs[unit]
            open_runs.append((size + 1, mine[unit], theirs[unit]))


def _by_next(sequence: Sequence[Any], places: Sequence[int], size: int) -> dict[Any, list[int]]:
    groups: dict[Any, list[int]] = defaultdict(list)
    for place in places:
        if place + size < len(sequence):
            groups[sequence[place + size]].append(place)
    return groups


def ordered(matches: Sequence[Match]) -> set[Match]:
    """The matches that keep their order, by a longest common subsequence of their characters."""
    here = sorted(matches)
    there = sorted(here, key=lambda match: match.there)
    mine, theirs = ([(match, k) for match in side for k in range(len(match.text))] for side in (here, there))
    blocks = SequenceMatcher(None, mine, theirs, autojunk=False).get_matching_blocks()
    return {match for start, _, size in blocks for match, _ in mine[start : start + size]}


def _distance(shift: Match, in_order: set[Match]) -> int:
    """How many characters a match has been carried over: to the far end of the ordered matches it has crossed."""
    crossed = sorted(match for match in in_order if (match.here < shift.here) != (match.there < shift.there))
    if not crossed:
        return 0
    first, last = crossed[0], crossed[-1]
    if first.here < shift.here:
        return first.here - shift.here
    return last.here + len(last.text) - (shift.here + len(shift.text))
