"""Judgements from rows, tables and evaluation sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nlgauge.errors import InputError
from nlgauge.io.judgements import read_judgements


def lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def row(item: Any, judge: Any, value: Any, **more: Any) -> dict[str, Any]:
    return {"item": item, "judge": judge, "value": value, **more}


def test_long_rows_in_csv_and_jsonl(tmp_path: Path) -> None:
    table = tmp_path / "r.csv"
    table.write_text("item,judge,value,remark\n1,a,3,\n1,b,4,x\n2,a,,\n2,b,5,\n", encoding="utf-8")
    found = read_judgements(table)
    assert found.items == ("1", "2") and found.judges == ("a", "b")
    assert found.values == [[3.0, 4.0], [None, 5.0]]
    same = read_judgements(
        lines(tmp_path / "r.jsonl", row(1, "a", 3), row(1, "b", 4), row(2, "a", None), row(2, "b", 5))
    )
    assert same.values == found.values


def test_labels_sets_and_spans() -> None:
    assert read_judgements([row(1, "a", "good"), row(1, "b", "N/A")]).values == [["good", None]]
    found = read_judgements([row(1, "a", ["x", "y"]), row(1, "b", [])])
    assert found.values == [[frozenset({"x", "y"}), frozenset()]]
    spans = read_judgements([row(1, "a", [{"start": 0, "end": 4, "label": "e"}]), row(1, "b", [[0, 4]])])
    assert spans.values == [[frozenset({(0, 4, "e")}), frozenset({(0, 4)})]]


def test_numbers_as_text_are_numbers(tmp_path: Path) -> None:
    assert read_judgements([row(1, "a", "3"), row(1, "b", "4.5")]).values == [[3.0, 4.5]]
    table = tmp_path / "s.csv"
    table.write_text('item,judge,value\n1,a,"[""x""]"\n1,b,[]\n', encoding="utf-8")
    assert read_judgements(table).values == [[frozenset({"x"}), frozenset()]]


def test_systems_and_criteria() -> None:
    rows = [
        row(1, "a", 3, system="s", criterion="fluency"),
        row(1, "a", 1, system="s", criterion="accuracy"),
        row(1, "b", 4, system="s", criterion="fluency"),
        row(1, "b", 4, system="t", criterion="fluency"),
    ]
    found = read_judgements(rows, "fluency")
    assert found.items == ("1 | s", "1 | t") and found.values == [[3.0, 4.0], [None, 4.0]]
    with pytest.raises(InputError, match=r"choose with criterion=…: fluency, accuracy"):
        read_judgements(rows)
    with pytest.raises(InputError, match="no ratings of 'fluent'; did you mean fluency"):
        read_judgements(rows, "fluent")
    with pytest.raises(InputError, match="names no criteria"):
        read_judgements([row(1, "a", 3), row(1, "b", 3)], "fluency")


def rated(item: Any, ratings: Any, **more: Any) -> dict[str, Any]:
    return {"item": item, "system": "s", "hypothesis": None, "ratings": ratings, **more}


def test_evaluation_set_by_position_and_by_name() -> None:
    found = read_judgements([rated(1, {"f": [1, 2]}), rated(2, {"f": [3, None, 5]}), rated(3, {})])
    assert found.by_position and found.judges == ("1", "2", "3") and found.criterion == "f"
    assert found.values == [[1.0, 2.0, None], [3.0, None, 5.0]]
    assert found.notes == ("1 row without a rating left out",)
    named = read_judgements([rated(1, {"f": [1, 2]}, raters=[7, 9]), rated(2, {"f": [3, 4]}, raters=[9, 7])])
    assert named.judges == ("7", "9") and named.values == [[1.0, 2.0], [4.0, 3.0]] and not named.by_position


def test_pairwise_rows() -> None:
    pair = {"item": 1, "system_a": "s", "system_b": "t", "ratings": {"preference": ["a", "tie"]}}
    found = read_judgements([pair], "preference")
    assert found.items == ("1 | s | t",) and found.values == [["a", "tie"]]


def test_repeats() -> None:
    rows = [rated(1, {"f": [1, 2]}), rated(1, {"f": [3, 4]})]
    with pytest.raises(InputError, match=r"row 2: '1 \| s' was rated before"):
        read_judgements(rows)
    assert read_judgements(rows, repeats="number").items == ("1 | s", "1 | s#2")
    twice = [rated(1, {"f": [1, 2]}, raters=["x", "x"])]
    with pytest.raises(InputError, match="rated one output twice"):
        read_judgements(twice)
    assert read_judgements(twice, repeats="number").judges == ("x", "x#2")


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([row(1, "a", 3), row(1, "a", 4)], "row 2: judge 'a' rated '1' before (the rows, row 1)"),
        (
            [row(1, "a", 3), row(1, "b", "good")],
            "row 2: the value is a label, but that of the rows, row 1 is a number",
        ),
        ([row(1, "a", 3), {"item": 1, "value": 3}], "row 2: the key judge is missing"),
        ([row(None, "a", 3)], "row 1: the key item is missing"),
        ([row(1, "a", 1e999)], "finite number"),
        ([row(1, "a", {"x": 1})], "expected a number, a label or a list"),
        ([row(1, "a", [{"from": 1}])], "expected the keys start and end"),
        ([{"item": 1, "who": "a", "said": 3}], "expected item, judge and value"),
        ([rated(1, {"f": 3.5})], "is a single value (3.5), such as a mean"),
        ([rated(1, [3])], "ratings is a list"),
        ([rated(1, {"f": [1, 2]}, raters=[1])], "2 ratings but 1 raters"),
        ([rated(1, {"f": [1, 2]}, raters=[1, 2]), rated(2, {"f": [1, 2]})], "some rows name their raters"),
        ([row(1, "a", None)], "holds no ratings"),
        ([3], "the row is a number"),
    ],
)
def test_refusals(rows: list[Any], words: str, tmp_path: Path) -> None:
    source = rows if all(isinstance(one, dict) for one in rows) else lines(tmp_path / "r.jsonl", *rows)
    with pytest.raises(InputError) as refused:
        read_judgements(source)
    assert words in str(refused.value)


def test_no_rows(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no ratings"):
        read_judgements([])
    (tmp_path / "e.csv").write_text("item,judge,value\n", encoding="utf-8")
    with pytest.raises(InputError, match="empty"):
        read_judgements(tmp_path / "e.csv")
