"""Crossed, overlap, balanced incomplete blocks and pairs: every cell equally often, nobody the same twice."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.errors import InputError
from nlgauge.study.designs import Crossed, Design, Incomplete, Overlap, Pairs, Table, balance

SIZES = st.tuples(st.integers(2, 12), st.integers(1, 100), st.integers(1, 60), st.integers(0, 10**6))


def screens(table: Table) -> list[list[tuple[int, ...]]]:
    """Each sheet as items with their sets of systems."""
    return [
        [(item, *sorted(shown)) for item, shown in zip(items, all_shown, strict=True)]
        for items, all_shown in zip(table.item.tolist(), table.shown.tolist(), strict=True)
    ]


def nobody_sees_a_screen_twice(table: Table) -> bool:
    return all(len(set(sheet)) == len(sheet) for sheet in screens(table))


@settings(max_examples=60, deadline=None)
@given(SIZES, st.data())
def test_crossed(sizes: tuple[int, int, int, int], data: st.DataObject) -> None:
    systems, items, judges, seed = sizes
    each = data.draw(st.integers(1, min(items * systems, 150)))
    design = Crossed(items_per_judge=each)
    table = design.sheets(items, systems, judges, seed=seed)
    found = balance(table)
    assert nobody_sees_a_screen_twice(table)
    assert found.cells.max() - found.cells.min() <= (1 if items >= each else 2)
    assert (found.judges.max(axis=1) - found.judges.min(axis=1)).max() <= 2
    if each <= items:
        assert all(len(set(row)) == each for row in table.item.tolist())
    whole = design.complete(items, systems)
    if whole * each <= 20_000:
        cells = balance(design.sheets(items, systems, whole, seed=seed)).cells
        assert cells.min() == cells.max() == whole * each // (items * systems)


def test_crossed_in_full() -> None:
    """Each judge sees everything, and each item once before any comes again."""
    table = Crossed().sheets(5, 3, 4, seed=2)
    assert table.screens == 15
    assert np.all(balance(table).cells == 4)
    passes = table.item.reshape(4, 3, 5)
    assert np.all(np.sort(passes, axis=2) == np.arange(5))


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 8),
    st.integers(2, 40),
    st.integers(1, 3),
    st.integers(0, 3),
    st.floats(0, 1),
    st.integers(0, 10**6),
    st.data(),
)
def test_overlap(
    systems: int, items: int, judges: int, more: int, share: float, seed: int, data: st.DataObject
) -> None:
    design = Overlap(judges_per_item=judges, shared_judges=judges + more, shared=share)
    several = more > 0 and share > 0
    if several and items * share < 0.5:
        with pytest.raises(InputError, match="a larger share, or 0 for no overlap"):
            design.sheets(items, systems, 5, seed=seed)
        return
    shared = int(items * share + 0.5) if more else 0
    cells = (shared * (judges + more) + (items - shared) * judges) * systems
    # a judge sees a shared item once, so a sheet is at most what is left for each of that many judges
    most = shared + (items - shared) * judges // (judges + more) if shared else items
    each = data.draw(st.integers(1, max(1, (most - (more > 0)) * systems)))
    design = Overlap(judges_per_item=judges, shared_judges=judges + more, shared=share, items_per_judge=each)
    whole = design.complete(items, systems)
    table = design.sheets(items, systems, whole, seed=seed)
    assert nobody_sees_a_screen_twice(table)
    times = whole * each // cells
    expected = Counter({judges * times: (items - shared) * systems})
    expected[(judges + more) * times] += shared * systems
    assert balance(table).overlap == {n: screens for n, screens in sorted(expected.items()) if screens}


def test_overlap_by_default() -> None:
    """A fifth of the items is seen by two judges, among the others and evenly over the sheets."""
    design = Overlap(items_per_judge=20)
    table = design.sheets(100, 4, design.complete(100, 4), seed=3)
    found = balance(table)
    assert found.overlap == {1: 320, 2: 80}
    shared = set(np.flatnonzero(found.cells[:, 0] == 2).tolist())
    per_sheet = [sum(item in shared for item in row) for row in table.item.tolist()]
    assert len(shared) == 20
    assert min(per_sheet) >= 2 and max(per_sheet) <= 12  # a third of a round is shared, 6.7 of 20
    assert shared != set(range(20))


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 9), st.integers(1, 40), st.integers(1, 40), st.integers(0, 10**6), st.data())
def test_bibd(systems: int, items: int, judges: int, seed: int, data: st.DataObject) -> None:
    size = data.draw(st.integers(2, systems))
    design = Incomplete(per_screen=size)
    sets = len(design.blocks(systems).sets)
    each = data.draw(st.integers(1, min(items * sets, 60)))
    design = Incomplete(per_screen=size, items_per_judge=each)
    table = design.sheets(items, systems, judges, seed=seed)
    assert nobody_sees_a_screen_twice(table)
    assert all(len(set(shown)) == size for sheet in table.shown.tolist() for shown in sheet)
    whole = design.complete(items, systems)
    if whole * each * size <= 40_000:
        found = balance(design.sheets(items, systems, whole, seed=seed))
        pairs = found.pairs[np.triu_indices(systems, 1)]
        assert pairs.min() == pairs.max()
        assert found.cells.min() == found.cells.max()
        # places follow the rows of a Williams square from item to item
        rows = size * (1 + size % 2)
        assert found.places.max() - found.places.min() <= (0 if items % rows == 0 else 2 * size)


def test_ranking_all_systems_together() -> None:
    """Six systems on every screen: over six items each stands once in each place, before each other one once."""
    table = Incomplete(per_screen=0).sheets(6, 6, 1, seed=4)
    found = balance(table)
    assert np.all(found.places == 1)
    nexts = Counter((shown[p], shown[p + 1]) for shown in table.shown[0].tolist() for p in range(5))
    assert len(nexts) == 30 and set(nexts.values()) == {1}


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 12), st.integers(1, 60), st.integers(1, 40), st.integers(0, 10**6), st.data())
def test_pairs(systems: int, items: int, judges: int, seed: int, data: st.DataObject) -> None:
    most = systems * (systems - 1) // 2
    each_item = data.draw(st.integers(systems - 1, most))
    each = data.draw(st.integers(1, min(60, items * each_item)))
    design = Pairs(pairs_per_item=each_item, items_per_judge=each)
    assert nobody_sees_a_screen_twice(design.sheets(items, systems, judges, seed=seed))
    whole = Pairs(pairs_per_item=each_item, items_per_judge=items * each_item)
    table = whole.sheets(items, systems, 1, seed=seed)
    found = balance(table)
    for item in range(items):
        own = table.shown[table.item == item]
        assert len(own) == each_item
        assert connected(own.tolist(), systems)
        degree = np.bincount(own.ravel(), minlength=systems)
        assert degree.max() - degree.min() <= 3
    pairs = found.pairs[np.triu_indices(systems, 1)]
    assert pairs.max() - pairs.min() <= 3
    if each_item == most:
        assert pairs.min() == pairs.max() == items


@pytest.mark.parametrize("systems", range(2, 13))
def test_systems_of_a_judge_are_even(systems: int) -> None:
    """Sets come in such turns that within any sheet no system is far ahead."""
    for design in (Pairs(items_per_judge=20), Incomplete(per_screen=min(4, systems), items_per_judge=20)):
        own = balance(design.sheets(40, systems, 60, seed=systems)).judges
        assert (own.max(axis=1) - own.min(axis=1)).max() <= 4


def connected(pairs: list[list[int]], systems: int) -> bool:
    reached, waiting = {0}, [0]
    while waiting:
        one = waiting.pop()
        for pair in pairs:
            if one in pair:
                new = set(pair) - reached
                reached |= new
                waiting += new
    return len(reached) == systems


@pytest.mark.parametrize("systems", range(2, 13))
@pytest.mark.parametrize("items", [2, 7, 20])
def test_sides_of_pairs(systems: int, items: int) -> None:
    """After two rounds each pair of each item was shown both ways; after one, systems are even on the left."""
    design = Pairs()
    table = design.sheets(items, systems, 2, seed=6)
    ways = Counter(
        (item, *shown)
        for items_of, shown_of in zip(table.item.tolist(), table.shown.tolist(), strict=True)
        for item, shown in zip(items_of, shown_of, strict=True)
    )
    assert set(ways.values()) == {1}
    assert len(ways) == items * systems * (systems - 1)
    left = balance(table.only([0])).places[0]
    assert left.max() - left.min() <= items * (systems % 2 == 0)
    if items % 2 == 0:
        assert left.max() == left.min()


def test_several_on_a_screen_with_overlap() -> None:
    design = Overlap(per_screen=3, items_per_judge=10, shared=0.5, shared_judges=3)
    table = design.sheets(20, 7, design.complete(20, 7), seed=1)
    assert nobody_sees_a_screen_twice(table)
    assert balance(table).overlap == {1: 70, 3: 70}


def test_best_worst_of_many() -> None:
    """One list of 40 things, sets of four, each judge sees 20 of the 80 sets."""
    table = Incomplete(per_screen=4, items_per_judge=20).sheets(1, 40, 8, seed=1)
    found = balance(table)
    assert np.all(found.cells == 16)
    assert found.overlap == {2: 80}
    pairs = {tuple(pair) for shown in table.shown[0].tolist() for pair in combinations(sorted(shown), 2)}
    assert len(pairs) >= 0.95 * 20 * 6


@pytest.mark.parametrize(
    ("design", "items", "systems", "says"),
    [
        (
            Crossed(items_per_judge=13),
            4,
            3,
            "a judge would see a screen twice: a round has 12; give at most 12",
        ),
        (Overlap(judges_per_item=3, shared_judges=2), 9, 3, "fewer than judges_per_item"),
        (
            Overlap(items_per_judge=30),
            20,
            2,
            "2 judges are to see a shared item and nobody twice, .* 24 screens",
        ),
        (Incomplete(per_screen=1), 4, 3, "give at least 2, or take 'crossed'"),
        (Incomplete(per_screen=4), 4, 3, "per_screen is 4, but there are 3 systems"),
        (Pairs(), 4, 1, "there is only one"),
        (Pairs(pairs_per_item=3), 4, 6, "give a number from 5 to 15, or 0 for all"),
        (Pairs(pairs_per_item=16), 4, 6, "give a number from 5 to 15, or 0 for all"),
    ],
)
def test_refusals(design: Design, items: int, systems: int, says: str) -> None:
    with pytest.raises(InputError, match=says):
        design.sheets(items, systems, 5, seed=1)
