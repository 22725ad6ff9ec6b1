"""Warm-up, attention checks, damaged copies and repeats: how many, where, and how far from their originals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.errors import InputError
from nlgauge.study.designs import Crossed, Extras, Latin, Pairs, Role, balance


@settings(max_examples=80, deadline=None)
@given(
    st.integers(1, 60),
    st.integers(2, 8),
    st.integers(0, 4),
    st.integers(0, 4),
    st.integers(0, 5),
    st.integers(0, 5),
    st.integers(1, 25),
    st.integers(0, 10**6),
)
def test_inserted(
    items: int, systems: int, warm_up: int, attention: int, degraded: int, repeats: int, gap: int, seed: int
) -> None:
    main = Latin().sheets(items, systems, 7, seed=seed)
    extras = Extras(warm_up=warm_up, attention=attention, degraded=degraded, repeats=repeats, gap=gap)
    try:
        table = extras.insert(main, seed=seed, checks=attention + 3)
    except InputError:
        # refused only where some copy may have too few screens far enough away
        assert repeats > items + 1 - gap or degraded + repeats > items + 2 - 2 * gap
        return
    kept_items, kept_shown = table.main
    assert np.array_equal(kept_items, main.item) and np.array_equal(kept_shown, main.shown)
    for number in range(7):
        sheet = table.sheet(number)
        roles = [screen.role for screen in sheet]
        assert roles[:warm_up] == [Role.WARM_UP] * warm_up
        assert [roles.count(role) for role in Role] == [items, warm_up, attention, degraded, repeats]
        assert roles[warm_up] == Role.MAIN  # nobody begins with a check
        originals = []
        for screen in sheet:
            if screen.original is None:
                assert screen.role in (Role.MAIN, Role.WARM_UP, Role.ATTENTION)
                continue
            copied = sheet[screen.original]
            assert copied.role == Role.MAIN
            assert (copied.item, copied.systems) == (screen.item, screen.systems)
            apart = screen.position - screen.original
            assert apart >= gap if screen.role == Role.REPEAT else abs(apart) >= gap
            originals.append(screen.original)
        assert len(set(originals)) == len(originals)
        checks = [screen.item for screen in sheet if screen.role == Role.ATTENTION]
        assert len(set(checks)) == len(checks)
        assert all(0 <= check < attention + 3 for check in checks)
        assert all(screen.systems == () for screen in sheet if screen.role == Role.ATTENTION)


def test_spread_evenly() -> None:
    """One check in each fifth of the sheet, at no fixed place."""
    table = Extras(attention=5).insert(Latin().sheets(100, 4, 200, seed=1), seed=1, checks=5)
    where = np.array([np.flatnonzero(row == Role.ATTENTION) for row in table.role])
    assert np.all(where // 21 == np.arange(5))
    assert len({int(place) for place in where[:, 2]}) > 15


def test_each_screen_may_be_repeated() -> None:
    """The originals are drawn among all screens that are early enough."""
    table = Extras(repeats=2, gap=5).insert(Latin().sheets(20, 4, 3000, seed=1), seed=1)
    originals = table.original[table.role == Role.REPEAT]
    assert set(originals.tolist()) == set(range(17))


def test_checks_and_warm_ups_go_round() -> None:
    table = Extras(attention=2, warm_up=2).insert(Latin().sheets(10, 5, 50, seed=3), seed=3, checks=4, warm_ups=3)
    used = np.bincount(table.item[table.role == Role.ATTENTION])
    assert used.tolist() == [25] * 4
    warm = table.shown[:, 0, 0]
    assert np.bincount(warm).tolist() == [10] * 5
    assert np.all(table.item[:, :2] == [0, 1])


def test_practice_of_belz_and_reiter() -> None:
    """Two practice examples first, which are not counted."""
    table = Extras(warm_up=2).insert(Latin().sheets(21, 6, 21, seed=1), seed=1)
    found = balance(table)
    assert table.screens == 23
    assert found.screens == 21
    assert set(np.unique(found.cells)) == {3, 4}
    assert found.extras == {"warm-up": 42}


def test_copies_keep_the_places_on_the_screen() -> None:
    table = Extras(repeats=3, degraded=2, gap=4).insert(Pairs(items_per_judge=20).sheets(9, 5, 30, seed=2), seed=2)
    for number in range(30):
        sheet = table.sheet(number)
        copies = [screen for screen in sheet if screen.original is not None]
        assert len(copies) == 5
        assert all(sheet[copy.original or 0].systems == copy.systems for copy in copies)


@pytest.mark.parametrize(
    ("extras", "says"),
    [
        (
            Extras(repeats=3),
            "3 repeats at least 10 screens after their originals do not fit a sheet of 9 screens; "
            "give a gap of at most 7, or fewer repeats",
        ),
        (Extras(repeats=30), "give fewer repeats"),
        (Extras(degraded=2, gap=8), "2 damaged copies at least 8 screens .* give a gap of at most 4"),
        (Extras(attention=2), "attention is 2, but there are 1 checks; write more of them"),
        (Extras(warm_up=3), "warm_up is 3, but there are 1 warm-up items"),
    ],
)
def test_refusals(extras: Extras, says: str) -> None:
    with pytest.raises(InputError, match=says):
        extras.insert(Latin().sheets(9, 3, 3, seed=1), seed=1, checks=1, warm_ups=1)


def test_only_once() -> None:
    table = Extras(warm_up=1).insert(Crossed().sheets(3, 2, 2, seed=1), seed=1)
    with pytest.raises(InputError, match="insert all kinds at once"):
        Extras(attention=1).insert(table, seed=1)
