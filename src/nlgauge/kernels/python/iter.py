"""Translation edit rate with costs of one's own and words that match by their stems (ITER, Panja and Naskar 2018).

The search is tercom's (see `ter`), but for two things: every edit has its cost, and words with the same stem go
together, at a cost between that of the same word and that of another. A shift is made if it lowers the cost of the
edits by at least its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from nlgauge.arrays import Array
from nlgauge.kernels import interface
from nlgauge.kernels.python.ter import CANDIDATES, Alignment, band, candidate_shifts, move
from nlgauge.kernels.python.tokens import plain

Word = tuple[str, str]  # the word and its stem
ROUNDING = 1e-9  # a gain that falls short of a shift's cost by no more than this reaches it


@dataclass(frozen=True)
class Costs:
    """What each edit costs; a word that the hypothesis has too much is an insertion."""

    stem: float
    substitution: float
    insertion: float
    deletion: float
    shift: float

    def of(self, a: Word, b: Word) -> float:
        """The cost of one word for another."""
        if a[0] == b[0]:
            return 0.0
        return self.stem if a[1] == b[1] else self.substitution


def iter_rows(
    words: interface.Tokens,
    stems: interface.Tokens,
    stem: float,
    substitution: float,
    insertion: float,
    deletion: float,
    shift: float,
    norm: str,
    jobs: int = 1,
) -> Array:
    """ITER (lowest over the references) and 1; `words` and `stems` are the same tokens, as they are and stemmed."""
    all_words, all_stems = plain(words), plain(stems)
    costs = Costs(stem, substitution, insertion, deletion, shift)
    rows = []
    for number, hypothesis in enumerate(all_words.hypotheses):
        mine = list(zip(hypothesis, all_stems.hypotheses[number], strict=True))
        pairs = zip(all_words.references[number], all_stems.references[number], strict=True)
        scores = [rate(mine, list(zip(*pair, strict=True)), costs, norm) for pair in pairs]
        rows.append((min(scores), 1.0))
    return np.array(rows, dtype=np.float64).reshape(len(rows), 2)


def rate(hypothesis: Sequence[Word], reference: Sequence[Word], costs: Costs, norm: str) -> float:
    """The cost of all edits and shifts by the length that `norm` names."""
    cost, steps = search(hypothesis, reference, costs)
    lengths = {
        "longest": max(len(hypothesis), len(reference)),
        "reference": len(reference),
        "alignment": steps,
    }
    return cost / max(lengths[norm], 1)


def search(hypothesis: Sequence[Word], reference: Sequence[Word], costs: Costs) -> tuple[float, int]:
    """The cost of the edits and shifts, and the number of steps of the last alignment."""
    found = trace(hypothesis, reference, costs)
    return found.spent + found.alignment.distance, len(found.alignment.pairs)


@dataclass(frozen=True)
class Trace:
    """The shifts in their order (start, length, target), the words after each, and the last alignment."""

    shifts: list[tuple[int, int, int]]
    texts: list[list[Word]]
    spent: float  # on shifts
    alignment: Alignment


def trace(hypothesis: Sequence[Word], reference: Sequence[Word], costs: Costs) -> Trace:
    """Shifts as long as they pay, and the alignment that is left."""
    words, spent, tried = list(hypothesis), 0.0, 0
    shifts: list[tuple[int, int, int]] = []
    texts = [words]
    alignment = align(words, reference, costs)
    places = [stem for _, stem in reference]
    while reference:
        best: tuple[float, int, int, int] | None = None
        for start, length, target in candidate_shifts([stem for _, stem in words], places, alignment):
            tried += 1
            if tried >= CANDIDATES:
                return Trace(shifts, texts, spent, alignment)
            after = align(move(words, start, length, target), reference, costs)
            candidate = (alignment.distance - after.distance, length, -start, -target)
            if best is None or candidate > best:
                best = candidate
        if best is None or best[0] <= ROUNDING or best[0] < costs.shift - ROUNDING:
            break
        shifts.append((-best[2], best[1], -best[3]))
        words = move(words, *shifts[-1])
        texts.append(words)
        spent += costs.shift
        alignment = align(words, reference, costs)
    return Trace(shifts, texts, spent, alignment)


def align(hypothesis: Sequence[Word], reference: Sequence[Word], costs: Costs) -> Alignment:
    """The cheapest alignment within tercom's band; ties: a pair, then a hypothesis word alone."""
    n, m = len(hypothesis), len(reference)
    rows = [[j * costs.deletion for j in range(m + 1)]]
    for i, (low, high) in enumerate(band(n, m), start=1):
        above, row = rows[-1], [inf] * (m + 1)
        for j in range(low, high):
            row[j] = above[j] + costs.insertion
            if j:
                paired = above[j - 1] + costs.of(hypothesis[i - 1], reference[j - 1])
                row[j] = min(row[j], paired, row[j - 1] + costs.deletion)
        rows.append(row)
    position = [0] * m
    hypothesis_error, reference_error = [True] * n, [True] * m
    pairs: list[tuple[int | None, int | None]] = []
    i, j = n, m
    while i or j:
        alone = rows[i - 1][j] + costs.insertion if i else inf
        paired = rows[i - 1][j - 1] + costs.of(hypothesis[i - 1], reference[j - 1]) if i and j else inf
        if j and (i == 0 or rows[i][j - 1] + costs.deletion < min(alone, paired)):
            j -= 1
            position[j] = i - 1
            pairs.append((None, j))
        elif j and paired <= alone:
            i, j = i - 1, j - 1
            position[j] = i
            hypothesis_error[i] = reference_error[j] = hypothesis[i][1] != reference[j][1]
            pairs.append((i, j))
        else:
            i -= 1
            pairs.append((i, None))
    return Alignment(rows[n][m], position, hypothesis_error, reference_error, pairs[::-1])
