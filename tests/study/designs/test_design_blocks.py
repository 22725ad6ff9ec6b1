"""Sets of systems on a screen: exact where a balanced design exists, nearly so elsewhere; places balanced."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest

from nlgauge.errors import InputError
from nlgauge.study.designs import blocks
from nlgauge.study.designs.blocks import exchange, placed

SMALL = [(v, k) for v in range(2, 13) for k in range(2, v + 1)]

# Sets of the smallest balanced designs with at most 80 sets (tables of Fisher and Yates; complements have as many).
KNOWN = {
    (6, 3): (10, 2),
    (7, 3): (7, 1),
    (7, 4): (7, 2),
    (8, 3): (56, 6),
    (8, 4): (14, 3),
    (9, 3): (12, 1),
    (9, 4): (18, 3),
    (9, 5): (18, 5),
    (9, 6): (12, 5),
    (10, 3): (30, 2),
    (10, 4): (15, 2),
    (10, 5): (18, 4),
    (10, 6): (15, 5),
    (11, 3): (55, 3),
    (11, 4): (55, 6),
    (11, 5): (11, 2),
    (11, 6): (11, 3),
    (12, 3): (44, 2),
    (12, 4): (33, 3),
    (12, 6): (22, 5),
    (13, 3): (26, 1),
    (13, 4): (13, 1),
    (15, 3): (35, 1),
    (21, 5): (21, 1),
}


@pytest.mark.parametrize(("size", "expected"), KNOWN.items(), ids=str)
def test_smallest_balanced_designs(size: tuple[int, int], expected: tuple[int, int]) -> None:
    found = blocks(*size)
    assert found.exact
    assert (len(found.sets), int(found.pairs[0])) == expected


@pytest.mark.parametrize(("systems", "size"), SMALL)
def test_sets_are_sets_and_places_even(systems: int, size: int) -> None:
    found = blocks(systems, size)
    assert all(len(set(row)) == size for row in found.sets.tolist())
    assert len({frozenset(row) for row in found.sets.tolist()}) == len(found.sets)  # no set twice
    uses = np.bincount(found.sets.ravel(), minlength=systems)
    assert uses.max() == uses.min()
    assert found.pairs.max() - found.pairs.min() <= 1
    assert found.exact or (systems, size) in {(12, 5), (12, 7)}  # the smallest there has 132 sets
    for place in range(size if len(found.sets) > 1 else 0):
        at = np.bincount(found.sets[:, place], minlength=systems)
        assert at.min() >= uses[0] // size
        assert at.max() <= -(-uses[0] // size)


def test_pairs_counted_by_hand() -> None:
    found = blocks(7, 3)
    met = dict.fromkeys(combinations(range(7), 2), 0)
    for members in found.sets.tolist():
        for pair in combinations(sorted(members), 2):
            met[pair] += 1
    assert list(met.values()) == [1] * 21


def test_imbalance_is_said() -> None:
    words = str(blocks(12, 5))
    assert words.startswith("nearly balanced blocks (exchange search): 24 sets of 5 of the 12 systems")
    assert words.endswith("each system in 10, every two systems together in 3 to 4")
    assert "every two systems together in 1" in str(blocks(13, 4))


def test_many_systems() -> None:
    """Best–worst sets of four out of a hundred: twice as many sets as systems, pairs at most once or twice."""
    found = blocks(100, 4)
    assert found.sets.shape == (200, 4)
    assert np.all(np.bincount(found.sets.ravel()) == 8)
    assert found.pairs.max() <= 2
    assert (found.pairs > 1).mean() < 0.01


@pytest.mark.parametrize(("systems", "size", "count"), [(6, 3, 8), (8, 4, 9), (10, 3, 11), (5, 2, 5), (7, 3, 7)])
def test_a_number_of_sets_of_ones_own(systems: int, size: int, count: int) -> None:
    found = blocks(systems, size, count)
    uses = np.bincount(found.sets.ravel(), minlength=systems)
    assert len(found.sets) == count
    assert uses.max() - uses.min() <= 1
    # where not all systems are equally frequent, the pairs of the more frequent ones meet more often
    assert found.pairs.max() - found.pairs.min() <= (1 if uses.min() == uses.max() else 2)


def test_exchange_improves_on_its_start() -> None:
    sets = exchange(10, 4, 15)
    assert np.all(np.bincount(sets.ravel()) == 6)
    again = exchange(10, 4, 15)
    assert np.array_equal(sets, again)


def test_places_of_any_sets() -> None:
    random = np.random.default_rng(4)
    for _ in range(100):
        systems = int(random.integers(2, 10))
        size = int(random.integers(1, systems + 1))
        count = int(random.integers(1, 40))
        sets = np.array([random.permutation(systems)[:size] for _ in range(count)])
        found = placed(sets, systems)
        assert np.array_equal(np.sort(found, axis=1), np.sort(sets, axis=1))
        uses = np.bincount(sets.ravel(), minlength=systems)
        for place in range(size if count > 1 else 0):
            assert np.all(np.bincount(found[:, place], minlength=systems) <= -(-uses // size))


def test_refusals() -> None:
    with pytest.raises(InputError, match="per_screen is 7, but there are 6 systems; give a number from 1 to 6"):
        blocks(6, 7)
    with pytest.raises(InputError, match="3 sets of 3 cannot connect 9 systems; give at least 4 sets"):
        blocks(9, 3, 3)
    with pytest.raises(InputError, match="there are 20 different sets of 3 of 6 systems, not 21; give at most 20"):
        blocks(6, 3, 21)
    assert comb(6, 2) == len(blocks(6, 2).sets)
