"""Latin squares, Williams squares and random texts: their exact properties over many sizes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.errors import InputError
from nlgauge.study.designs import Latin, RandomText, Williams, balance

SIZES = st.tuples(st.integers(2, 12), st.integers(1, 100), st.integers(1, 60), st.integers(0, 10**6))


def spread(counts: np.ndarray) -> int:  # type: ignore[type-arg]
    return int(counts.max() - counts.min()) if counts.size else 0


def test_belz_and_reiter_non_experts() -> None:
    """21 non-experts × 21 dates × 6 systems (section 3 of the paper)."""
    for seed in range(30):
        table = Latin(items_per_judge=21).sheets(21, 6, 21, seed=seed)
        found = balance(table)
        assert np.all(np.sort(table.item, axis=1) == np.arange(21))  # every date once for everybody
        assert set(np.unique(found.judges)) == {3, 4}  # each system three or four times for each judge
        assert set(np.unique(found.cells)) == {3, 4}
        assert int(found.cells.sum()) == 441
        for square in range(3):
            assert np.all(balance(table.only(range(6 * square, 6 * square + 6))).cells == 1)
        assert balance(table.only(range(18, 21))).cells.max() == 1  # the square that stays incomplete
        # the systems' totals over all judges are as even as 441 = 6 × 73 + 3 allows
        assert set(np.unique(found.judges.sum(axis=0))) == {73, 74}


def test_belz_and_reiter_experts() -> None:
    """Nine experts, a random system's forecast for 18 of the 21 dates, the same for all."""
    for seed in range(30):
        table = RandomText(items_per_judge=18, same_items=True).sheets(21, 6, 9, seed=seed)
        found = balance(table)
        assert table.item.shape == (9, 18)
        assert np.all(np.sort(table.item, axis=1) == np.sort(table.item[0]))
        assert len(set(table.item[0].tolist())) == 18
        assert np.all(found.judges == 3)
        assert np.all(found.cells.sum(axis=1)[table.item[0]] == 9)


@settings(max_examples=60, deadline=None)
@given(SIZES)
def test_latin(sizes: tuple[int, int, int, int]) -> None:
    systems, items, judges, seed = sizes
    table = Latin().sheets(items, systems, judges, seed=seed)
    found = balance(table)
    assert np.all(np.sort(table.item, axis=1) == np.arange(items))
    assert spread(found.cells) <= 1
    assert all(spread(own) <= 1 for own in found.judges)
    # any beginning of the sequence is even over systems
    totals = np.cumsum(found.judges, axis=0)
    assert all(spread(total) <= 1 for total in totals)
    for first in range(0, judges - systems + 1, systems):
        assert np.all(balance(table.only(range(first, first + systems))).cells == 1)


@settings(max_examples=60, deadline=None)
@given(SIZES, st.data())
def test_latin_with_some_of_the_items(sizes: tuple[int, int, int, int], data: st.DataObject) -> None:
    systems, items, judges, seed = sizes
    each = data.draw(st.integers(1, items))
    design = Latin(items_per_judge=each)
    table = design.sheets(items, systems, judges, seed=seed)
    found = balance(table)
    assert all(len(set(row)) == each for row in table.item.tolist())
    assert all(spread(own) <= 1 for own in found.judges)
    assert spread(found.cells) <= 2
    whole = design.complete(items, systems)
    if whole <= 400:
        assert spread(balance(design.sheets(items, systems, whole, seed=seed)).cells) == 0


@settings(max_examples=60, deadline=None)
@given(SIZES, st.data())
def test_random(sizes: tuple[int, int, int, int], data: st.DataObject) -> None:
    systems, items, judges, seed = sizes
    each = data.draw(st.integers(1, items))
    table = RandomText(items_per_judge=each).sheets(items, systems, judges, seed=seed)
    found = balance(table)
    assert all(len(set(row)) == each for row in table.item.tolist())
    assert all(spread(own) <= 1 for own in found.judges)
    assert spread(found.judges.sum(axis=0)) <= 1
    assert spread(found.judges_per_item) <= 1


def test_random_may_be_pure_chance() -> None:
    """Counts of systems per judge then vary as a multinomial's do: chi-squared over 2,000 judges."""
    found = balance(RandomText(systems="drawn").sheets(60, 6, 2000, seed=5))
    own = ((found.judges - 10) ** 2 / 10).sum(axis=1)  # 5 degrees of freedom: mean 5, variance about 10
    assert 4.7 < own.mean() < 5.3
    assert 8 < own.var() < 12
    cells = found.cells / 2000
    assert abs(cells - 1 / 6).max() < 0.05


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 12), st.integers(1, 8), st.integers(1, 4), st.integers(0, 10**6))
def test_williams(systems: int, rows: int, rounds: int, seed: int) -> None:
    items = rows * systems
    squares = rounds * (1 + systems % 2)
    table = Williams().sheets(items, systems, squares * systems, seed=seed)
    found = balance(table)
    assert np.all(found.cells == squares)
    assert np.all(found.judges == rows)
    assert np.all(found.positions == squares)
    others = found.carry_over[~np.eye(systems, dtype=bool)]
    seams = squares * (rows - 1) * systems
    # within rows exactly equal; the seams of rows go round the differences, one more for some
    assert int(others.sum()) == squares * systems * (items - 1)
    assert spread(others) == (1 if seams % (systems * (systems - 1)) else 0)
    assert np.all(np.diag(found.carry_over) == 0)
    for square in range(squares):
        own = balance(table.only(range(square * systems, (square + 1) * systems)))
        assert np.all(own.cells == 1)
        assert np.all(own.positions == 1)


@settings(max_examples=80, deadline=None)
@given(SIZES, st.data())
def test_williams_of_any_length(sizes: tuple[int, int, int, int], data: st.DataObject) -> None:
    systems, items, judges, seed = sizes
    each = data.draw(st.integers(1, items))
    found = balance(Williams(items_per_judge=each).sheets(items, systems, judges, seed=seed))
    assert all(spread(own) <= 1 for own in found.judges)
    assert all(spread(own) <= 1 for own in found.positions)
    assert spread(found.cells) <= 2
    assert np.all(np.diag(found.carry_over) == 0)


def test_williams_by_hand() -> None:
    """Six systems, six judges: each ordered pair of different systems follows once."""
    found = balance(Williams().sheets(6, 6, 6, seed=3))
    assert found.carry_over.tolist() == (1 - np.eye(6, dtype=int)).tolist()
    assert found.worst[1] == 0


def test_order_of_items() -> None:
    listed = Latin(order="listed").sheets(9, 3, 6, seed=1)
    assert np.all(listed.item == np.arange(9))
    fixed = Latin(order="fixed").sheets(9, 3, 6, seed=1)
    assert np.all(fixed.item == fixed.item[0])
    assert fixed.item[0].tolist() != list(range(9))
    shuffled = Latin().sheets(9, 3, 6, seed=1)
    assert len({tuple(row) for row in shuffled.item.tolist()}) > 4
    for design in (Williams(order="listed"), RandomText(order="listed")):
        assert np.all(design.sheets(9, 3, 6, seed=1).item == np.arange(9))
    # one that does not show all items keeps the order of those it shows
    some = Williams(order="listed", items_per_judge=4).sheets(9, 3, 6, seed=1).item
    assert np.all(np.diff(some, axis=1) > 0)


def test_random_order_is_random() -> None:
    """Each item stands at each position about equally often."""
    table = Latin().sheets(10, 5, 4000, seed=8)
    at = np.stack([np.bincount(table.item[:, place], minlength=10) for place in range(10)])
    assert abs(at - 400).max() < 90  # standard deviation 19


@pytest.mark.parametrize("design", [Latin, RandomText, Williams])
def test_more_items_than_there_are(design: type[Latin | RandomText | Williams]) -> None:
    with pytest.raises(InputError, match=r"items_per_judge is 22, .* each of the 21 items at most once; .*at most 21"):
        design(items_per_judge=22).sheets(21, 6, 3, seed=1)


def test_williams_needs_two_systems() -> None:
    with pytest.raises(InputError, match="give at least 2"):
        Williams().sheets(5, 1, 3, seed=1)
