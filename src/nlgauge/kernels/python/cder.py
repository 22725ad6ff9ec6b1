"""CDER's long jump distance (Leusch, Ueffing and Ney 2006) and the position-independent errors of PER."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from nlgauge.arrays import Array
from nlgauge.kernels import interface
from nlgauge.kernels.python.tokens import plain

Words = Sequence[str]
Step = tuple[str, int | None, int | None]


def cder_rows(tokens: interface.Tokens, jobs: int = 1) -> Array:
    """errors with long jumps and reference length, of the reference with the lowest rate."""
    return _rows(tokens, long_jump_distance)


def per_rows(tokens: interface.Tokens, jobs: int = 1) -> Array:
    """position-independent errors and reference length, of the reference with the lowest rate."""
    return _rows(tokens, position_independent_errors)


def _rows(tokens: interface.Tokens, errors: Callable[[Words, Words], int]) -> Array:
    batch = plain(tokens)
    rows = []
    for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True):
        counts = [(errors(hypothesis, reference), len(reference)) for reference in references]
        # An empty reference counts as one word long in the comparison, as for WER.
        rows.append(min(counts, key=lambda count: count[0] / max(count[1], 1)))
    return np.array(rows, dtype=np.float64).reshape(len(rows), 2)


def long_jump_distance(hypothesis: Words, reference: Words) -> int:
    """Insertions, deletions, substitutions and jumps, one each, of the cheapest walk through the grid.

    The walk passes each reference word once. A jump moves it to any place of the hypothesis, whose words may be
    passed several times or not at all; it starts and ends at the corners of the grid.
    """
    row = [0] + [1] * len(hypothesis)
    for word in reference:
        below = [row[0] + 1]
        for i, other in enumerate(hypothesis, start=1):
            below.append(min(below[i - 1] + 1, row[i - 1] + (other != word), row[i] + 1))
        jump = min(below) + 1
        row = [min(cell, jump) for cell in below]
    return row[-1]


def long_jump_walk(hypothesis: Words, reference: Words) -> list[Step]:
    """One of the cheapest walks, step by step: each is a kind and places in hypothesis and reference.

    The kinds are "match", "substitution", "insertion" (of a hypothesis word), "deletion" (of a reference word) and
    "jump", whose two places are those of the hypothesis between which it leads. The cost is the number of all but the
    matches.
    """
    landed = [[0] + [1] * len(hypothesis)]  # costs with jumps
    walked: list[list[int]] = [[0] + [2] * len(hypothesis)]  # costs without the jump at the row's end
    for word in reference:
        row, below = landed[-1], [landed[-1][0] + 1]
        for i, other in enumerate(hypothesis, start=1):
            below.append(min(below[i - 1] + 1, row[i - 1] + (other != word), row[i] + 1))
        walked.append(below)
        landed.append([min(cell, min(below) + 1) for cell in below])
    steps: list[Step] = []
    i, j, jumped = len(hypothesis), len(reference), False
    while i or j:
        if not jumped and landed[j][i] < walked[j][i]:
            start = walked[j].index(min(walked[j]))
            steps.append(("jump", start, i))
            i, jumped = start, True
            continue
        here = walked[j][i]
        if i and j and here == landed[j - 1][i - 1] + (hypothesis[i - 1] != reference[j - 1]):
            i, j, jumped = i - 1, j - 1, False
            steps.append(("match" if hypothesis[i] == reference[j] else "substitution", i, j))
        elif j and here == landed[j - 1][i] + 1:
            j, jumped = j - 1, False
            steps.append(("deletion", None, j))
        else:
            i -= 1
            steps.append(("insertion", i, None))
            jumped = True  # a jump has no place within a row
    return steps[::-1]


def position_independent_errors(hypothesis: Words, reference: Words) -> int:
    """The longer text's words less those that both have, whatever their order."""
    common = (Counter(hypothesis) & Counter(reference)).total()
    return max(len(hypothesis), len(reference)) - common
