"""Translation edit rate with tercom's search for block shifts, step by step as in sacreBLEU 2.6.

Greedy: of all shifts of a run of hypothesis words to where the reference has the same run, the one that
lowers the edit distance most is made, until none lowers it. Which shifts are looked at depends on the
alignment of the moment, hence on how ties between alignments are broken: match or substitution first, then
skipping a hypothesis word, then skipping a reference word. The distance is computed in a band about the
diagonal only (tercom's beam).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nlgauge.arrays import Array
from nlgauge.kernels import interface
from nlgauge.kernels.python.tokens import plain

LONGEST_SHIFT = 10  # words moved at once
FARTHEST_SHIFT = 50  # between the position in the hypothesis and that in the reference
BEAM = 25
CANDIDATES = 1000  # shifts tried for one pair of texts; the round that reaches it is given up

KEEP, SKIP_HYPOTHESIS, SKIP_REFERENCE = range(3)  # how a cell of the distance matrix is reached
INFINITE = 1 << 60

Words = Sequence[str]


def ter_rows(tokens: interface.Tokens, jobs: int = 1) -> Array:
    """edits (fewest over the references) and mean reference length, with tercom's shift search."""
    batch = plain(tokens)
    rows = [
        (
            min(edits(hypothesis, reference) for reference in references),
            sum(len(reference) for reference in references) / len(references),
        )
        for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True)
    ]
    return np.array(rows, dtype=np.float64).reshape(len(rows), 2)


def edits(hypothesis: Words, reference: Words) -> int:
    """Insertions, deletions, substitutions and shifts that turn the hypothesis into the reference."""
    if not reference:
        return len(hypothesis)
    shifts, _, alignment = search(hypothesis, reference)
    return len(shifts) + int(alignment.distance)


def search(hypothesis: Words, reference: Words) -> tuple[list[Shift], list[str], Alignment]:
    """The shifts that are made, the words after them, and how these are aligned to the reference."""
    words, shifts, tried = list(hypothesis), list[Shift](), 0
    while True:
        alignment = align(words, reference)
        best: tuple[int, int, int, int] | None = None
        for shift in candidate_shifts(words, reference, alignment):
            tried += 1
            if tried >= CANDIDATES:
                return shifts, words, alignment
            gain = alignment.distance - align(move(words, *shift), reference).distance
            start, length, target = shift
            candidate = (gain, length, -start, -target)
            if best is None or candidate > best:
                best = candidate
        if best is None or best[0] <= 0:
            return shifts, words, alignment
        start, length, target = -best[2], best[1], -best[3]
        shifts.append(Shift(tuple(words[start : start + length]), start, target))
        words = move(words, start, length, target)


@dataclass(frozen=True)
class Shift:
    """A run of words and where it goes: before the word that was number `target`, counted before the move."""

    words: tuple[str, ...]
    start: int
    target: int


@dataclass(frozen=True)
class Alignment:
    """The distance (a cost, in `iter`); the last hypothesis word used up to each reference word (or -1); the words in
    error; the pairs.

    A pair is a place in the hypothesis and one in the reference; None where a word has no partner.
    """

    distance: Any
    position: list[int]
    hypothesis_error: list[bool]
    reference_error: list[bool]
    pairs: list[tuple[int | None, int | None]]


def align(hypothesis: Words, reference: Words) -> Alignment:
    """The edit distance within the band, and the alignment it was reached by."""
    n, m = len(hypothesis), len(reference)
    costs = [list(range(m + 1))]
    steps = [[SKIP_REFERENCE] * (m + 1)]
    for i, (low, high) in enumerate(band(n, m), start=1):
        above, row, step = costs[-1], [INFINITE] * (m + 1), [KEEP] * (m + 1)
        for j in range(low, high):
            row[j], step[j] = above[j] + 1, SKIP_HYPOTHESIS
            if j == 0:
                continue
            diagonal = above[j - 1] + (hypothesis[i - 1] != reference[j - 1])
            if diagonal <= row[j]:
                row[j], step[j] = diagonal, KEEP
            if row[j - 1] + 1 < row[j]:
                row[j], step[j] = row[j - 1] + 1, SKIP_REFERENCE
        costs.append(row)
        steps.append(step)

    position = [0] * m
    hypothesis_error, reference_error = [True] * n, [True] * m
    pairs: list[tuple[int | None, int | None]] = []
    i, j = n, m
    while i or j:
        if steps[i][j] == SKIP_HYPOTHESIS:
            i -= 1
            pairs.append((i, None))
            continue
        j -= 1
        position[j] = i - 1
        if steps[i][j + 1] == KEEP:
            i -= 1
            hypothesis_error[i] = reference_error[j] = hypothesis[i] != reference[j]
            pairs.append((i, j))
        else:
            pairs.append((None, j))
    return Alignment(costs[n][m], position, hypothesis_error, reference_error, pairs[::-1])


def band(n: int, m: int) -> Iterator[tuple[int, int]]:
    """For each hypothesis word, the columns of the matrix that are computed; the last reaches the end."""
    ratio = m / n if n else 1.0
    width = BEAM if ratio / 2 <= BEAM else math.ceil(ratio / 2 + BEAM)
    for i in range(1, n + 1):
        centre = math.floor(i * ratio)
        yield max(0, centre - width), m + 1 if i == n else min(m + 1, centre + width)


def candidate_shifts(hypothesis: Words, reference: Words, alignment: Alignment) -> Iterator[tuple[int, int, int]]:
    """start, length and target of the shifts worth trying: both sides have an error there."""
    position = alignment.position
    for start, place, length in _common_runs(hypothesis, reference):
        if not any(alignment.hypothesis_error[start : start + length]):
            continue
        if not any(alignment.reference_error[place : place + length]):
            continue
        if start <= position[place] < start + length:
            continue
        before = -1
        for k in range(place - 1, place + length):
            target = position[k] + 1 if k >= 0 else 0
            if target != before:
                yield start, length, target
            before = target


def _common_runs(hypothesis: Words, reference: Words) -> Iterator[tuple[int, int, int]]:
    """Every start in the hypothesis, start in the reference and length of a run of equal words."""
    for start in range(len(hypothesis)):
        for place in range(max(0, start - FARTHEST_SHIFT), min(len(reference), start + FARTHEST_SHIFT + 1)):
            longest = min(LONGEST_SHIFT, len(hypothesis) - start, len(reference) - place)
            for length in range(1, longest + 1):
                if hypothesis[start + length - 1] != reference[place + length - 1]:
                    break
                yield start, place, length


def move(words: Sequence[Any], start: int, length: int, target: int) -> list[Any]:
    """The words with `length` of them, from `start` on, standing before `target`.

    A target inside the block moves it that many words to the right, a quirk of tercom.
    """
    block = list(words[start : start + length])
    rest = [*words[:start], *words[start + length :]]
    cut = target - length if target > start + length else target
    return [*rest[:cut], *block, *rest[cut:]]
