"""YiSi-0: n-gram precision and recall over similar words, weighted by how rare the words are (Lo 2019).

Two words are as similar as their longest common substring is long: 2 · substring / (both lengths).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nlgauge.arrays import Array

Ids = Sequence[int]


def yisi0_rows(
    vocabulary: Sequence[bytes],
    width: int,
    weights: Array,
    hypotheses: Sequence[Ids],
    references: Sequence[Sequence[Ids]],
    order: int,
    jobs: int = 1,
) -> Array:
    """Precision and recall, each the highest over the references.

    Texts are lists of places in `vocabulary`, whose words are written in units of `width` bytes; `weights` has one
    for each.
    """
    known: dict[tuple[int, int], float] = {}
    words = [[word[k : k + width] for k in range(0, len(word), width)] for word in vocabulary]

    def similar(a: int, b: int) -> float:
        if (a, b) not in known:
            known[a, b] = similarity(words[a], words[b])
        return known[a, b]

    rows = []
    for hypothesis, texts in zip(hypotheses, references, strict=True):
        best = (0.0, 0.0)
        for reference in texts:
            table = [[similar(a, b) for b in hypothesis] for a in reference]
            mine, theirs = [float(weights[k]) for k in hypothesis], [float(weights[k]) for k in reference]
            precision = covered([list(column) for column in zip(*table, strict=True)], mine, len(reference), order)
            recall = covered(table, theirs, len(hypothesis), order)
            best = max(best[0], precision), max(best[1], recall)
        rows.append(best)
    return np.array(rows, dtype=np.float64).reshape(len(rows), 2)


def similarity(a: Sequence[bytes], b: Sequence[bytes]) -> float:
    """Twice the longest common substring by both lengths."""
    total = len(a) + len(b)
    return 2.0 * common_substring(a, b) / total if total else 0.0


def common_substring(a: Sequence[bytes], b: Sequence[bytes]) -> int:
    """The length of the longest run that both have."""
    longest, ends = 0, [0] * (len(b) + 1)
    for unit in a:
        before = 0
        for j, other in enumerate(b, start=1):
            before, ends[j] = ends[j], before + 1 if unit == other else 0
            longest = max(longest, ends[j])
    return longest


def covered(table: list[list[float]], weights: list[float], others: int, order: int) -> float:
    """The weighted mean, over n-grams of one side, of the similarity to the most similar n-gram of the other.

    `table` has a row for each word of the side whose n-grams are covered. Where a text is shorter than `order`, n-grams
    are as long as it.
    """
    n = min(order, len(weights), others)
    if n == 0:
        return 0.0
    whole = covered = 0.0
    for i in range(len(weights) - n + 1):
        weight = sum(weights[i : i + n])
        best = 0.0
        for j in range(others - n + 1):
            found = 0.0
            for k in range(n):
                found += weights[i + k] * table[i + k][j + k]
            best = max(best, found / weight)
        covered += weight * best
        whole += weight
    return covered / whole
