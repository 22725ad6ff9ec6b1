"""The extended edit distance of two strings (Stanchev, Wang and Ney 2019).

A walk through the grid of hypothesis and reference characters: substitutions, insertions and deletions as usual,
and, at the blanks of the reference, a jump to any place of the hypothesis. How often each place of the hypothesis is
the cheapest of its row stands for how often it was visited; places visited again or never make the coverage penalty.
"""

from __future__ import annotations

import numpy as np

from nlgauge.arrays import Array
from nlgauge.kernels.interface import References, Texts


def eed_rows(
    hypotheses: Texts,
    references: References,
    alpha: float,
    rho: float,
    deletion: float,
    insertion: float,
    jobs: int = 1,
) -> Array:
    """The lowest distance over the references, and 1; the texts have been through the preprocessing already."""
    rows = [
        (min(eed(hypothesis, reference, alpha, rho, deletion, insertion) for reference in texts), 1.0)
        for hypothesis, texts in zip(hypotheses, references, strict=True)
    ]
    return np.array(rows, dtype=np.float64).reshape(len(rows), 2)


def eed(hypothesis: str, reference: str, alpha: float, rho: float, deletion: float, insertion: float) -> float:
    """min(1, (edits + alpha · jumps + rho · v) / (reference length + rho · v))."""
    walked, visits = walk_costs(hypothesis, reference, alpha, deletion, insertion)
    coverage = rho * penalties(visits)
    cost, whole = walked + coverage, len(reference) + coverage
    if whole <= 0:  # an empty reference that costs nothing to leave places of the hypothesis unvisited
        return 1.0 if cost > 0 else 0.0
    return min(1.0, cost / whole)


def penalties(visits: list[int]) -> int:
    """Visits beyond the first of each place, and 1 for a place that was never visited."""
    return sum(times if times >= 0 else 1 for times in visits)


def walk_costs(
    hypothesis: str, reference: str, alpha: float, deletion: float, insertion: float
) -> tuple[float, list[int]]:
    """The cost of the cheapest walk, and how often each place of the hypothesis was visited, less 1."""
    # Row 0: any place of the hypothesis can be reached at cost 1.
    row = [0.0] + [1.0] * len(hypothesis)
    visits = [-1] * (len(hypothesis) + 1)
    for letter in reference:
        below = [row[0] + 1.0]
        for i, other in enumerate(hypothesis, start=1):
            below.append(min(below[i - 1] + deletion, row[i - 1] + float(other != letter), row[i] + insertion))
        cheapest = min(below)
        visits[below.index(cheapest)] += 1
        if letter == " ":
            below = [min(cell, alpha + cheapest) for cell in below]
        row = below
    return row[-1], visits
