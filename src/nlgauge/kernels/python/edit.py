"""Edit distance: the alignment counts behind WER, MER, WIL, WIP and CER, and weighted distances.

Several alignments can have the fewest edits; the counts are those of the one that RapidFuzz (and so jiwer)
reports: common ends are matched first, and from the end backwards a deletion is preferred to an insertion,
and an insertion to a substitution. Distances are kept as bit vectors (Myers 1999; Hyyrö 2003, 2004), with a
Python integer as the vector: bit i of `up` (`down`) says that the matrix cell of reference word i is one
more (less) than the cell before.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nlgauge.arrays import Array
from nlgauge.kernels import interface
from nlgauge.kernels.python.tokens import plain

Words = Sequence[str]
BISECTION_BYTES = 1 << 20  # RapidFuzz bisects (Hirschberg) where the two bit matrices would take more


def edit_rows(tokens: interface.Tokens, jobs: int = 1) -> Array:
    """hits, substitutions, deletions, insertions: against the reference with the lowest error rate."""
    batch = plain(tokens)
    rows = []
    for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True):
        counts = [edit_counts(reference, hypothesis) for reference in references]
        rows.append(min(counts, key=error_rate))
    return np.array(rows, dtype=np.float64).reshape(len(rows), 4)


def edit_counts(reference: Words, hypothesis: Words) -> tuple[int, int, int, int]:
    """hits, substitutions, deletions, insertions that turn the reference into the hypothesis."""
    distance, deletions = _align(reference, hypothesis, max(len(reference), len(hypothesis)))
    insertions = deletions + len(hypothesis) - len(reference)
    substitutions = distance - deletions - insertions
    return len(reference) - substitutions - deletions, substitutions, deletions, insertions


def edit_pairs(reference: Words, hypothesis: Words) -> list[tuple[int | None, int | None]]:
    """The alignment behind `edit_counts`: places in hypothesis and reference, None where a word has no partner."""
    return _pairs(reference, hypothesis, 0, 0, max(len(reference), len(hypothesis)))


def error_rate(counts: tuple[int, int, int, int]) -> float:
    """By which references compete."""
    hits, substitutions, deletions, insertions = counts
    # An empty reference counts as one word long, as in jiwer.
    return (substitutions + deletions + insertions) / max(hits + substitutions + deletions, 1)


def _align(reference: Words, hypothesis: Words, limit: int) -> tuple[int, int]:
    """Distance and number of deletions; `limit` bounds the distance and only decides when to bisect."""
    reference, hypothesis = _without_common_ends(reference, hypothesis)
    m, n = len(reference), len(hypothesis)
    if not m or not n:
        return m + n, m
    band = min(m, 2 * min(limit, max(m, n)) + 1)
    if m <= 64 or n < 10 or 2 * band * n // 8 < BISECTION_BYTES:
        columns = _columns(reference, hypothesis)
        return _last_row(columns[-1], m, n)[-1], _count_deletions(columns, m, n)
    half = n // 2
    left, right, middle = _middle(reference, hypothesis)
    first = _align(reference[:middle], hypothesis[:half], left)
    second = _align(reference[middle:], hypothesis[half:], right)
    return first[0] + second[0], first[1] + second[1]


def _middle(reference: Words, hypothesis: Words) -> tuple[int, int, int]:
    """Where the reference is cut when the hypothesis is halved, after the distances of both halves."""
    m, n = len(reference), len(hypothesis)
    half = n // 2
    left = _last_row(_columns(reference, hypothesis[:half])[-1], m, half)
    right = _last_row(_columns(reference[::-1], hypothesis[half:][::-1])[-1], m, n - half)
    middle = min(range(1, m + 1), key=lambda i: left[i] + right[m - i])  # from 1: so does RapidFuzz
    return left[middle], right[m - middle], middle


def _pairs(reference: Words, hypothesis: Words, i: int, j: int, limit: int) -> list[tuple[int | None, int | None]]:
    """As `_align`, with the steps themselves; the texts start at places i and j of the whole ones."""
    start = _common_start(reference, hypothesis)
    end = _common_start(reference[start:][::-1], hypothesis[start:][::-1])
    before: list[tuple[int | None, int | None]] = [(j + k, i + k) for k in range(start)]
    m, n = len(reference) - start - end, len(hypothesis) - start - end
    after: list[tuple[int | None, int | None]] = [(j + start + n + k, i + start + m + k) for k in range(end)]
    i, j = i + start, j + start
    reference, hypothesis = reference[start : start + m], hypothesis[start : start + n]
    if not m or not n:
        inside: list[tuple[int | None, int | None]] = [(None, i + k) for k in range(m)]
        return [*before, *inside, *((j + k, None) for k in range(n)), *after]
    band = min(m, 2 * min(limit, max(m, n)) + 1)
    if m <= 64 or n < 10 or 2 * band * n // 8 < BISECTION_BYTES:
        return [*before, *_walk(_columns(reference, hypothesis), m, n, i, j), *after]
    half = n // 2
    left, right, middle = _middle(reference, hypothesis)
    first = _pairs(reference[:middle], hypothesis[:half], i, j, left)
    second = _pairs(reference[middle:], hypothesis[half:], i + middle, j + half, right)
    return [*before, *first, *second, *after]


def _walk(columns: list[tuple[int, int]], m: int, n: int, i: int, j: int) -> list[tuple[int | None, int | None]]:
    """From the end backwards: a deletion rather than an insertion, an insertion rather than a substitution."""
    pairs: list[tuple[int | None, int | None]] = []
    while m or n:
        if m and (not n or columns[n][0] >> (m - 1) & 1):
            m -= 1
            pairs.append((None, i + m))
        elif n and (not m or columns[n - 1][1] >> (m - 1) & 1):
            n -= 1
            pairs.append((j + n, None))
        else:
            m, n = m - 1, n - 1
            pairs.append((j + n, i + m))
    return pairs[::-1]


def _without_common_ends(a: Words, b: Words) -> tuple[Words, Words]:
    start = _common_start(a, b)
    end = _common_start(a[start:][::-1], b[start:][::-1])
    return a[start : len(a) - end], b[start : len(b) - end]


def _common_start(a: Words, b: Words) -> int:
    return next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _columns(reference: Words, hypothesis: Words) -> list[tuple[int, int]]:
    """(up, down) after 0, 1, …, n words of the hypothesis."""
    every = (1 << len(reference)) - 1
    places: dict[str, int] = {}
    for i, word in enumerate(reference):
        places[word] = places.get(word, 0) | 1 << i
    up, down = every, 0
    columns = [(up, down)]
    for word in hypothesis:
        match = places.get(word, 0)
        diagonal = (((match & up) + up) ^ up) | match | down
        right_up = (down | ~(diagonal | up)) << 1 | 1
        right_down = (diagonal & up) << 1
        up, down = (right_down | ~(diagonal | right_up)) & every, right_up & diagonal & every
        columns.append((up, down))
    return columns


def _last_row(column: tuple[int, int], m: int, n: int) -> list[int]:
    """The distances of n hypothesis words to the first 0, 1, …, m words of the reference."""
    up, down = column
    row = [n]
    for i in range(m):
        row.append(row[-1] + (up >> i & 1) - (down >> i & 1))
    return row


def _count_deletions(columns: list[tuple[int, int]], m: int, n: int) -> int:
    """Walks back from the end; only deletions are counted, for the lengths and the distance give the rest."""
    deletions = 0
    while m and n:
        if columns[n][0] >> (m - 1) & 1:
            deletions += 1
            m -= 1
        elif columns[n - 1][1] >> (m - 1) & 1:  # an insertion
            n -= 1
        else:
            m, n = m - 1, n - 1
    return deletions + m


def distance_rows(
    tokens: interface.Tokens,
    substitution: float,
    insertion: float,
    deletion: float,
    transposition: bool,
    jobs: int = 1,
) -> Array:
    """segment, weighted edit distance, hypothesis length, reference length: a row for each reference."""
    batch = plain(tokens)
    rows = [
        (
            segment,
            weighted_distance(reference, hypothesis, substitution, insertion, deletion, transposition),
            len(hypothesis),
            len(reference),
        )
        for segment, hypothesis in enumerate(batch.hypotheses)
        for reference in batch.references[segment]
    ]
    return np.array(rows, dtype=np.float64).reshape(len(rows), 4)


def weighted_distance(
    a: Words, b: Words, substitution: float, insertion: float, deletion: float, transposition: bool
) -> float:
    """The least cost of turning a into b. A transposition costs 1 and may enclose other edits."""
    matrix = [[j * insertion for j in range(len(b) + 1)]]
    last_row_of: dict[str, int] = {}
    for i, left in enumerate(a, start=1):
        above, row = matrix[-1], [i * deletion]
        matrix.append(row)
        last_match = 0
        for j, right in enumerate(b, start=1):
            cost = above[j - 1] + (0 if left == right else substitution)
            cost = min(cost, above[j] + deletion, row[j - 1] + insertion)
            k = last_row_of.get(right, 0)
            if transposition and k and last_match:
                between = (i - k - 1) * deletion + (j - last_match - 1) * insertion
                cost = min(cost, matrix[k - 1][last_match - 1] + between + 1)
            if left == right:
                last_match = j
            row.append(cost)
        last_row_of[left] = i
    return matrix[-1][-1]
