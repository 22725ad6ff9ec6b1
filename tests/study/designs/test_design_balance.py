"""The report of balance: counts by hand, sentences, refusals."""

from __future__ import annotations

import numpy as np
import orjson
import pytest

from nlgauge.errors import InputError
from nlgauge.study.designs import Incomplete, Latin, Table, balance


def made(items: int, systems: int, item: list[list[int]], shown: list[list[list[int]]]) -> Table:
    rows = np.array(item)
    return Table(
        items,
        systems,
        np.arange(len(rows)),
        rows,
        np.array(shown),
        np.zeros_like(rows),
        np.full_like(rows, -1),
    )


def test_counts_by_hand() -> None:
    """Two judges: 1A 2B 3A and 2B 1C 3A."""
    found = balance(made(3, 3, [[0, 1, 2], [1, 0, 2]], [[[0], [1], [0]], [[1], [2], [0]]]))
    assert found.cells.tolist() == [[1, 0, 1], [0, 2, 0], [2, 0, 0]]
    assert found.judges.tolist() == [[2, 1, 0], [1, 1, 1]]
    assert found.positions.tolist() == [[1, 1, 0], [0, 1, 1], [2, 0, 0]]
    assert found.carry_over.tolist() == [[0, 1, 0], [1, 0, 1], [1, 0, 0]]
    assert found.overlap == {1: 2, 2: 2}
    assert found.judges_per_item.tolist() == [2, 2, 2]
    assert found.spreads == {"cells": (0, 2), "judges": (0, 2), "positions": (0, 2), "carry_over": (0, 1)}
    assert found.worst == ("cells", 2)


def test_pairs_by_hand() -> None:
    """One judge, screens AB, BC, CB of items 1, 1, 2."""
    found = balance(made(2, 3, [[0, 0, 1]], [[[0, 1], [1, 2], [2, 1]]]))
    assert found.pairs.tolist() == [[0, 1, 0], [1, 0, 2], [0, 2, 0]]
    assert found.places.tolist() == [[1, 1, 1], [0, 2, 1]]
    assert found.overlap == {1: 3}
    assert "carry_over" not in found.spreads and found.spreads["pairs"] == (0, 2)


def test_what_it_says() -> None:
    text = str(balance(Latin().sheets(21, 6, 18, seed=1)))
    assert text.startswith("18 sheets of 21 screens: 21 items, 6 systems, 1 on a screen.")
    assert "Screens by number of judges: 126 by 3." in text
    found = balance(Incomplete(per_screen=3).sheets(6, 7, 1, seed=1))
    assert "every two systems stood together 6 times" in found.sentence()
    assert "each output was judged 3 times" in found.sentence()
    assert str(balance(Latin().sheets(4, 2, 0, seed=1))) == "No sheets."


def test_an_incomplete_square_is_seen() -> None:
    table = Latin().sheets(6, 6, 12, seed=1)
    whole, less = balance(table), balance(table.only(n for n in range(12) if n != 4))
    assert whole.spreads["cells"] == (2, 2)
    assert less.spreads["cells"] == (1, 2)


def test_as_json() -> None:
    values = orjson.loads(orjson.dumps(balance(Latin().sheets(5, 3, 4, seed=1)).to_dict()))
    assert values["sheets"] == 4 and len(values["cells"]) == 5
    assert values["worst"][1] >= 1
    assert orjson.loads(orjson.dumps(balance(Latin().sheets(5, 3, 0, seed=1)).to_dict()))["worst"] is None


def test_many_systems_on_a_screen() -> None:
    """Sets too large for one number each are told apart all the same."""
    table = Incomplete(per_screen=0).sheets(3, 40, 2, seed=1)
    assert balance(table).overlap == {2: 3}


def test_not_a_table() -> None:
    with pytest.raises(InputError, match="takes the table of a design"):
        balance([[1, 2]])  # type: ignore[arg-type]
