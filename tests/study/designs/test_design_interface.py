"""What all designs have in common: sheets that never change, continuation, reading from the study file, speed."""

from __future__ import annotations

import hashlib
import time

import numpy as np
import orjson
import pytest

from nlgauge.errors import InputError
from nlgauge.io.fields import schema
from nlgauge.study.designs import (
    DESIGNS,
    Crossed,
    Design,
    Extras,
    Incomplete,
    Latin,
    Overlap,
    Pairs,
    RandomText,
    Role,
    Table,
    Williams,
    balance,
    next_sheet,
    read,
)

ALL = [
    Latin(),
    Latin(items_per_judge=7),
    RandomText(),
    RandomText(systems="drawn", order="fixed"),
    Williams(),
    Williams(items_per_judge=5),
    Crossed(items_per_judge=13),
    Crossed(items_per_judge=31, per_screen=2),
    Overlap(items_per_judge=11),
    Incomplete(per_screen=3, items_per_judge=9),
    Pairs(items_per_judge=9),
    Pairs(items_per_judge=9, pairs_per_item=6),
]
EXTRAS = Extras(warm_up=2, attention=1, degraded=1, repeats=1, gap=2)


def name(design: Design) -> str:
    return f"{design.kind}-{design.items_per_judge}"


@pytest.mark.parametrize("design", ALL, ids=name)
def test_the_first_sheets_never_change(design: Design) -> None:
    """However many are asked for: the continuation for late judges is the sheets that follow."""
    long = design.sheets(10, 5, 60, seed=4, panel="public")
    for count in (0, 1, 5, 23, 59):
        short = design.sheets(10, 5, count, seed=4, panel="public")
        assert short == long.only(range(count))
        assert design.sheets(10, 5, 60 - count, seed=4, panel="public", start=count) == long.only(range(count, 60))
        if count:
            with_extras = EXTRAS.insert(short, seed=4, panel="public")
            assert with_extras == EXTRAS.insert(long, seed=4, panel="public").only(range(count))
            rest = EXTRAS.insert(long.only(range(count, 60)), seed=4, panel="public")
            assert rest == EXTRAS.insert(long, seed=4, panel="public").only(range(count, 60))


@pytest.mark.parametrize("design", ALL, ids=name)
def test_seed_and_panel(design: Design) -> None:
    table = design.sheets(10, 5, 20, seed=4, panel="public")
    assert table == design.sheets(10, 5, 20, seed=4, panel="public")
    assert table != design.sheets(10, 5, 20, seed=5, panel="public")
    assert table != design.sheets(10, 5, 20, seed=4, panel="experts")


@pytest.mark.parametrize("design", ALL, ids=name)
def test_random_names(design: Design) -> None:
    """No system and no item is favoured by its number: over seeds each comes first about equally often."""
    first = [design.sheets(10, 5, 1, seed=seed).sheet(0)[0] for seed in range(300)]
    items = np.bincount([screen.item for screen in first], minlength=10)
    systems = np.bincount([screen.systems[0] for screen in first], minlength=5)
    assert np.all(abs(systems - 60) < 34)  # standard deviation about 7
    if design.order == "random":
        assert np.all(abs(items - 30) < 25)  # standard deviation about 5


def test_frozen_for_ever() -> None:
    """A study that was launched must be continued with the same sheets years later."""
    tables = [design.sheets(10, 5, 20, seed=4) for design in ALL]
    tables.append(EXTRAS.insert(tables[0], seed=4))
    digests = [
        hashlib.sha256(orjson.dumps(table.to_dict(), option=orjson.OPT_SORT_KEYS)).hexdigest()[:12] for table in tables
    ]
    assert digests == FROZEN


FROZEN = [
    "6384016c4b04",
    "9317b1063345",
    "f4f9716aedf1",
    "889f15cf519e",
    "d8b16a1e23ec",
    "3fa13db15ac8",
    "f4b9af71cf2d",
    "9cd8eae7ea9c",
    "c110347a58b1",
    "d8711804cbaa",
    "556e91084944",
    "b3714d5fd84a",
    "ae93a292fbe7",
]


@pytest.mark.parametrize("design", [Latin(), Williams(), Crossed(items_per_judge=12)], ids=name)
def test_balance_over_completed_sheets(design: Design) -> None:
    """Judges come, some leave, their sheets are dealt again: what is completed is balanced."""
    random = np.random.default_rng(1)
    completed: set[int] = set()
    held: list[int] = []
    goal = 2 * design.complete(12, 4)
    while len(completed) < goal:
        if held and random.random() < 0.5:
            sheet = held.pop(int(random.integers(len(held))))
            if random.random() < 0.7:
                completed.add(sheet)
        elif len(completed) + len(held) < goal:
            held.append(next_sheet(completed, held))
    assert completed == set(range(goal))
    found = balance(design.sheets(12, 4, goal, seed=2).only(sorted(completed)))
    assert found.cells.min() == found.cells.max()


@pytest.mark.parametrize("design", ALL, ids=name)
def test_a_sheet_in_words(design: Design) -> None:
    words = design.describe(10, 5)
    assert words.endswith(".") and words[0].isupper()
    assert design.about and design.kind in DESIGNS
    assert str(design.sheets(10, 5, 2, seed=1)).count("\n") == 3


@pytest.mark.parametrize("kind", [Latin, Williams])
def test_a_square_of_some_items_promises_no_judgement_of_the_others(kind: type[Latin | Williams]) -> None:
    assert "each output is judged once" in kind().describe(10, 5)
    assert "each output of its items is judged once" in kind(items_per_judge=5).describe(10, 5)


def test_table_there_and_back() -> None:
    table = EXTRAS.insert(Latin().sheets(8, 3, 4, seed=1), seed=1)
    again = Table.from_dict(orjson.loads(orjson.dumps(table.to_dict())))
    assert again == table
    rows = list(table.rows())
    assert len(rows) == 4 * (8 + 5)
    assert [row.role for row in table.sheet(2)[:2]] == [Role.WARM_UP, Role.WARM_UP]
    with pytest.raises(InputError, match="holds no sheet 9"):
        table.sheet(9)
    with pytest.raises(ValueError, match="read-only"):
        table.item[0, 0] = 3


@pytest.mark.parametrize("design", ALL, ids=name)
def test_read_from_the_study_file(design: Design) -> None:
    assert read(design.to_dict()) == design
    assert read({"kind": design.kind}) == DESIGNS[design.kind]()
    assert schema(type(design), design.kind)["properties"]["items_per_judge"]["type"] == "integer"


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({}, "the key 'design.kind' is missing; known: bibd, crossed, latin"),
        ({"kind": "latins"}, "design.kind cannot be 'latins'; did you mean latin"),
        (
            {"kind": "latin", "item_per_judge": 3},
            "no key 'design.item_per_judge'; did you mean items_per_judge",
        ),
        ({"kind": "latin", "items_per_judge": -1}, "design.items_per_judge must be between 0 and"),
        ({"kind": "overlap", "shared": 1.5}, "design.shared must be between 0 and 1, not 1.5"),
        ({"kind": "latin", "order": "mixed"}, "design.order cannot be 'mixed'"),
        ({"kind": "pairs", "pairs_per_item": "all"}, "design.pairs_per_item must be a whole number"),
    ],
)
def test_refusals_of_the_study_file(values: dict[str, object], says: str) -> None:
    with pytest.raises(InputError) as refused:
        read(values)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("sizes", "says"),
    [
        ((0, 3, 5), "cannot have 0 items; give at least 1"),
        ((3, 0, 5), "cannot have 0 systems"),
        ((3, 3, -1), "cannot have -1 sheets"),
        ((3, 3, 2_000_000), "a design has sheets 0 to 1,000,000"),
    ],
)
def test_refusals_of_sizes(sizes: tuple[int, int, int], says: str) -> None:
    with pytest.raises(InputError, match=says):
        Latin().sheets(*sizes, seed=1)


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.parametrize("kind", sorted(DESIGNS))
def test_speed(kind: str) -> None:
    """1,000 sheets of 100 screens, with additional ones and the report, well under a second of computing."""
    design = DESIGNS[kind](items_per_judge=100)
    design.sheets(120, 6, 1, seed=1)
    begun = time.process_time()
    table = design.sheets(120, 6, 1000, seed=1)
    balance(Extras(2, 3, 3, 3).insert(table, seed=1))
    assert time.process_time() - begun < 0.9
