"""Permutation trees against a parser that tries every factorisation."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, pairwise, permutations, product

import pytest

from nlgauge.metrics.beer import permutation_nodes

Counts = tuple[int, int, int, int]  # monotone, inverted, four, larger


def pattern(values: Sequence[int]) -> tuple[int, ...]:
    """The same order, of 0 to n - 1."""
    order = sorted(values)
    return tuple(order.index(value) for value in values)


def is_interval(values: Sequence[int]) -> bool:
    return max(values) - min(values) == len(values) - 1


def is_simple(order: tuple[int, ...]) -> bool:
    """Whether no two or more neighbours, but for all of them, follow one another in value."""
    size = len(order)
    return not any(
        is_interval(order[start:stop]) for start, stop in combinations(range(size + 1), 2) if 1 < stop - start < size
    )


def factorisations(order: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], list[tuple[int, ...]]]]:
    """Every way to cut into intervals whose own order is a simple permutation: that order, and the blocks."""
    for many in range(1, len(order)):
        for cuts in combinations(range(1, len(order)), many):
            ends = (0, *cuts, len(order))
            blocks = [order[start:stop] for start, stop in pairwise(ends)]
            outer = pattern([min(block) for block in blocks])
            if all(map(is_interval, blocks)) and is_simple(outer):
                yield outer, [pattern(block) for block in blocks]


@cache
def forest(order: tuple[int, ...]) -> tuple[Counts, ...]:
    """The counts of nodes of every tree."""
    if len(order) == 1:
        return ((0, 0, 0, 0),)
    found: list[Counts] = []
    for outer, blocks in factorisations(order):
        size = len(outer)
        own = (outer == (0, 1), outer == (1, 0), size == 4, size > 4)
        for choice in product(*map(forest, blocks)):
            found.append(tuple(map(sum, zip(own, *choice, strict=True))))  # type: ignore[arg-type]
    return tuple(found)


@pytest.mark.parametrize("size", range(1, 8))
def test_nodes_and_numbers_of_trees_are_those_of_all_factorisations_of_every_permutation(size: int) -> None:
    most = len(forest(tuple(range(size))))
    assert most == math.comb(2 * size - 2, size - 1) // size
    for order in permutations(range(size)):
        trees = forest(order)
        assert len(set(trees)) == 1, "every tree of a permutation has the same numbers of nodes"
        found = permutation_nodes(order)
        assert (found.monotone, found.inverted, found.four, found.larger) == trees[0], order
        assert found.trees == pytest.approx(len(trees) / most), order


def test_by_hand() -> None:
    found = permutation_nodes([20, 40, 10, 30])
    assert (found.monotone, found.inverted, found.four, found.larger) == (0, 0, 1, 0)
    assert found.trees == pytest.approx(1 / 5)
    found = permutation_nodes([5, 6, 2, 4, 1, 3, 7])  # ((5 6) (2 4 1 3)) 7: two orders kept, one turned
    assert (found.monotone, found.inverted, found.four, found.larger) == (2, 1, 1, 0)
    assert permutation_nodes([2, 4, 6, 1, 3, 5]).larger == 1
    assert permutation_nodes([]).trees == 1.0


def test_a_thousand_words_out_of_order_take_less_than_a_second() -> None:
    order = list(range(1_000))
    random.Random(3).shuffle(order)
    started = time.perf_counter()
    permutation_nodes(order)
    assert permutation_nodes(range(1_000)).monotone == 999
    assert time.perf_counter() - started < 1.0
