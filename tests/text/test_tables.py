"""Tables as sources: what is read, and what is refused in which words."""

from __future__ import annotations

from typing import Any

import pytest

from nlgauge.text.tables import Table, TableError, read


@pytest.mark.parametrize(
    "source",
    [
        [["name", "Blue Spice"], ["rating", "5"]],
        (("name", "Blue Spice"), ("rating", "5")),
        {"name": "Blue Spice", "rating": 5},
        [["name", ["Blue", "Spice"]], [["rating"], 5]],
        "name[Blue Spice], rating[5]",
        " name [Blue Spice] ,rating[5] ",
        "name|||Blue Spice\trating|||5\n",
    ],
)
def test_every_way_to_write_a_table_reads_the_same(source: Any) -> None:
    table = read(source)
    assert list(table.attributes) == ["name", "rating"]
    assert [value.strip() for value in table.values] == ["Blue Spice", "5"]


@pytest.mark.parametrize(
    "source",
    [
        [["Aarhus Airport", "city served", "Aarhus"], ["Aarhus", "leader", "Jacob B."]],
        [["Aarhus Airport", "city served", ["Aarhus"]], ["Aarhus", "leader", "Jacob B."]],
        "Aarhus Airport|||city served|||Aarhus\tAarhus|||leader|||Jacob B.",
    ],
)
def test_of_triples_entity_and_value_are_to_be_mentioned(source: Any) -> None:
    table = read(source)
    assert list(table.attributes) == ["city served", "leader"]
    assert list(table.values) == ["Aarhus Airport Aarhus", "Aarhus Jacob B."]


def test_numbers_are_written_out() -> None:
    assert read({"height": 1.85, "age": 40}) == Table(["height", "age"], ["1.85", "40"])


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (None, "the source is null"),
        (7, "the source is a number"),
        ([], "the table has no rows"),
        ({}, "the table has no rows"),
        ("", "the table has no rows"),
        ("A text about nothing.", "a text that is no table"),
        ("name[Blue Spice], and more", "a text that is no table"),
        ("name[Blue Spice] area[centre]", "a text that is no table"),
        ([["name", "x"], "area"], r"row 2 of the table is a text \('area'\)"),
        ([["name"]], "row 1 of the table is a list of 1"),
        ([["name", "x"], ["a", "b", "c", "d"]], "row 2 of the table is a list of 4"),
        ([["name", "x"], ["a", "b", "c"]], "row 2 of the table has 3 cells and row 1 has 2"),
        ([["name", "x"], ["area", None]], "row 2 of the table holds null; a cell is"),
        ([["name", "x"], ["area", True]], "row 2 of the table holds true or false"),
        ([["name", "x"], ["area", ["a", 1]]], "row 2 of the table holds a list"),
        ({"name": "x", "area": {"b": "c"}}, "row 2 of the table holds an object"),
        ([["name", "x"], ["area", " "]], r"row 2 of the table \(area\) has an empty value"),
        ([["name", "x"], ["area", []]], r"row 2 of the table \(area\) has an empty value"),
        ("name[x], area[]", r"row 2 of the table \(area\) has an empty value"),
        ([[1, "x"], [None, "y"]], "row 2 of the table holds null"),
        (["ab", "cd"], "row 1 of the table is a text"),
    ],
)
def test_refusals_name_the_row(source: Any, message: str) -> None:
    with pytest.raises(TableError, match=message):
        read(source)
