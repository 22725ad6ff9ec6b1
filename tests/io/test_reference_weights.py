"""Weights of references in the data: read, checked, kept, written, streamed, and part of what identifies a set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

import nlgauge
from nlgauge.errors import InputError, NeedsWholeSet
from nlgauge.io import load, stream, write_rows
from nlgauge.metrics.spec import parse

ROWS: list[dict[str, Any]] = [
    {"item": "1", "system": "a", "hypothesis": "it was good", "references": ["it was good", "it was bad"]},
    {"item": "2", "system": "a", "hypothesis": "fine", "references": ["fine", "well"]},
    {"item": "1", "system": "b", "hypothesis": "it was bad", "references": ["it was good", "it was bad"]},
    {"item": "2", "system": "b", "hypothesis": "well", "references": ["fine", "well"]},
]
WEIGHTS = {"1": [1, -0.5], "2": [0.75, 0.5]}
WEIGHTED = [row | {"reference_weights": WEIGHTS[row["item"]]} for row in ROWS]


def written(folder: Path, rows: list[dict[str, Any]]) -> Path:
    path = folder / "data.jsonl"
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return path


def test_scores_come_from_the_file(tmp_path: Path) -> None:
    scores = nlgauge.score(load(written(tmp_path, WEIGHTED)), ["deltableu@1"])
    one = parse("deltableu@1")
    for system, outputs in (("a", ["it was good", "fine"]), ("b", ["it was bad", "well"])):
        references = [["it was good", "it was bad"], ["fine", "well"]]
        expected = one.corpus(outputs, references, reference_weights=list(WEIGHTS.values()))
        assert scores[system, "deltableu@1"].value == pytest.approx(expected)
    assert scores["a", "deltableu@1"].value > scores["b", "deltableu@1"].value


def test_one_row_of_an_item_may_give_them(tmp_path: Path) -> None:
    once = [
        WEIGHTED[0],
        WEIGHTED[1],
        *({k: v for k, v in row.items() if k != "references"} for row in ROWS[2:]),
    ]
    data = load(written(tmp_path, once))
    assert [segment.reference_weights for segment in data] == [(1.0, -0.5), (0.75, 0.5)] * 2
    assert data.digest == load(written(tmp_path, WEIGHTED)).digest
    apart = [
        {"item": item, "references": row["references"], "reference_weights": WEIGHTS[item]}
        for item, row in zip("12", ROWS, strict=False)
    ]
    bare = [{k: v for k, v in row.items() if k != "references"} for row in ROWS]
    assert load(written(tmp_path, [*bare, *apart])).digest == data.digest


def test_weights_belong_to_the_digest(tmp_path: Path) -> None:
    plain, weighted = load(ROWS), load(WEIGHTED)
    assert plain.digest != weighted.digest
    assert load([row | {"reference_weights": [1, 0.5]} for row in ROWS]).digest != weighted.digest
    assert plain.digest == load([{"reference_weights": None} | row for row in ROWS]).digest


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "tsv"])
def test_written_and_read_again(tmp_path: Path, suffix: str) -> None:
    data = load(WEIGHTED)
    path = tmp_path / f"data.{suffix}"
    write_rows(list(data), path)
    assert list(load(path)) == list(data)


def test_a_subset_and_common_items_keep_them() -> None:
    data = load([*WEIGHTED, {"item": "3", "system": "b", "hypothesis": "x", "references": ["x"]}])
    assert [column.reference_weights for column in data.aligned()] == [[(1.0, -0.5), (0.75, 0.5)]] * 2
    assert data.without(["b"]).column("a").reference_weights == [(1.0, -0.5), (0.75, 0.5)]


def test_lists_in_memory() -> None:
    data = nlgauge.EvaluationSet.of({"a": ["x"]}, [["x", "y"]], reference_weights=[[1, 0]])
    assert nlgauge.score(data, ["deltableu@1"])["a", "deltableu@1"].value == 100
    with pytest.raises(InputError, match="2 reference_weights for 1 segments"):
        nlgauge.EvaluationSet.of({"a": ["x"]}, [["x", "y"]], reference_weights=[[1, 0], [1]])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1.5], r"line 2: reference_weights holds a number \(1.5\); expected numbers from -1 to 1"),
        ([1, "1"], r"line 2: reference_weights holds a text \('1'\); expected numbers from -1 to 1"),
        ([1, True], r"line 2: reference_weights holds true or false \(True\)"),
        ([1], "line 2: 1 reference_weights for 2 references; expected one for each"),
        ([], "line 2: 0 reference_weights for 2 references"),
        ([0, -1], "line 2: no reference has a weight above 0"),
        (0.5, r"line 2: reference_weights is a number \(0.5\); expected a list of numbers from -1 to 1"),
    ],
)
def test_bad_weights_are_refused_with_their_line(tmp_path: Path, weights: Any, message: str) -> None:
    rows = [WEIGHTED[0], ROWS[1] | {"reference_weights": weights}]
    with pytest.raises(InputError, match=message):
        load(written(tmp_path, rows))


def test_weights_without_references_or_other_weights_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 1: 1 reference_weights for 0 references"):
        load(written(tmp_path, [{"item": "1", "hypothesis": "x", "reference_weights": [1]}]))
    none = {"item": "1", "hypothesis": "x", "references": [], "reference_weights": []}
    with pytest.raises(InputError, match=r"item '1' .*has no references"):
        nlgauge.score(load(written(tmp_path, [none])), ["deltableu"])
    other = [WEIGHTED[0], WEIGHTED[2] | {"reference_weights": [0.5, 0.5]}]
    with pytest.raises(InputError, match=r"line 2: item '1' has other weights of references than at .*line 1"):
        load(written(tmp_path, other))
    with pytest.raises(InputError, match=r"unknown key 'reference_weight'.*reference_weights"):
        load([ROWS[0] | {"reference_weight": [1, 1]}])


def test_a_metric_that_needs_them_says_which_item_has_none(tmp_path: Path) -> None:
    some = load([*WEIGHTED[:1], ROWS[1]])
    with pytest.raises(InputError, match=r"item '2' of system 'a' has no weights of its references.*reference_weights"):
        nlgauge.score(some, ["deltableu"])


def test_streams_carry_them(tmp_path: Path) -> None:
    batch = next(iter(stream(written(tmp_path, WEIGHTED))))
    assert batch.reference_weights is not None
    batch.require(["reference_weights"])
    with pytest.raises(NeedsWholeSet, match="item '1' of system 'a' has no reference_weights"):
        next(iter(stream(written(tmp_path, ROWS)))).require(["reference_weights"])


def test_a_source_must_be_a_text_where_it_is_compared_with(tmp_path: Path) -> None:
    table = [row | {"source": [["x", "y", "z"]]} for row in ROWS]
    with pytest.raises(InputError, match="item '1' has a list as its source, where a metric asked for needs a text"):
        nlgauge.score(load(table), ["sari"])
    with pytest.raises(InputError, match="line 1: item '1' has a list as its source"):
        next(iter(stream(written(tmp_path, table)))).require(["source text"])
    with pytest.raises(InputError, match=r"item '1' of system 'a' .*has no source"):
        nlgauge.score(load(ROWS), ["sari"])
