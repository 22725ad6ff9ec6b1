"""Permutation trees (Zhang, Gildea and Chiang 2008; Stanojević and Sima'an 2014): how an order of words was changed.

Every permutation divides into blocks of neighbours that stay neighbours, these into blocks again, down to single
places. A node says how its blocks are ordered: two blocks as they were (monotone) or the other way round (inverted),
or four and more that no two neighbours of can be joined, such as 2 4 1 3. A permutation has several trees where runs of
monotone or inverted blocks can be bracketed in several ways, but all of them have the same numbers of nodes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_LEAF, _MONOTONE, _INVERTED, _OTHER = range(4)


@dataclass(frozen=True)
class Nodes:
    """The nodes of the trees of a permutation, by kind, and how many trees it has."""

    monotone: int
    inverted: int
    four: int  # nodes with four blocks
    larger: int  # nodes with more
    trees: float  # as a share of the trees that the order itself would have


def permutation_nodes(permutation: Sequence[int]) -> Nodes:
    """Count the nodes of a permutation of any distinct numbers, by shifting and reducing: O(n²) at worst."""
    rank = {value: place for place, value in enumerate(sorted(permutation))}
    counts = [0, 0, 0, 0]
    larger = 0
    logarithm = 0.0
    stack: list[tuple[int, int, int, int]] = []  # least and greatest value, kind, blocks of the run it ends
    for value in permutation:
        top = (rank[value], rank[value], _LEAF, 1)
        while found := _reducible(stack, top):
            size, low, high = found
            kind = _OTHER if size > 2 else _MONOTONE if stack[-1][0] < top[0] else _INVERTED
            before = stack[-1]
            del stack[len(stack) - size + 1 :]
            counts[kind] += 1
            larger += size > 4
            run = 1
            if kind != _OTHER:
                # reduced from the left, a run grows at its right end: one more block, C(k) for C(k - 1) bracketings
                run = before[3] + 1 if before[2] == kind else 2
                logarithm += _log_catalan(run - 1) - _log_catalan(run - 2)
            top = (low, high, kind, run)
        stack.append(top)
    most = _log_catalan(len(permutation) - 1)
    return Nodes(counts[_MONOTONE], counts[_INVERTED], counts[_OTHER] - larger, larger, math.exp(logarithm - most))


def _reducible(
    stack: Sequence[tuple[int, int, int, int]], top: tuple[int, int, int, int]
) -> tuple[int, int, int] | None:
    """The fewest blocks, `top` the last of them, whose values follow one another: how many, least, greatest."""
    low, high = top[:2]
    covered = high - low + 1
    for size, (least, greatest, _, _) in enumerate(reversed(stack), start=2):
        low, high, covered = min(low, least), max(high, greatest), covered + greatest - least + 1
        if high - low + 1 == covered:
            return size, low, high
    return None


def _log_catalan(number: int) -> float:
    """The logarithm of the Catalan number: of the ways to bracket number + 1 blocks by two."""
    return math.lgamma(2 * number + 1) - math.lgamma(number + 2) - math.lgamma(number + 1) if number > 0 else 0.0
