"""Post-edits: read from every format, kept through the set, refused where missing, and scored as references."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nlgauge
from nlgauge.engine.stream import score_stream
from nlgauge.errors import InputError
from nlgauge.metrics.spec import parse

ROWS: list[dict[str, Any]] = [
    {
        "item": "1",
        "system": "a",
        "hypothesis": "the cat sit",
        "references": ["x"],
        "post_edit": "the cat sits",
    },
    {
        "item": "2",
        "system": "a",
        "hypothesis": "a dog",
        "references": ["y"],
        "post_edits": ["a dog", "the dog"],
    },
    {"item": "2", "system": "b", "hypothesis": "one dog", "post_edit": "a dog"},
    {"item": "1", "system": "b", "hypothesis": "the cat", "post_edits": ["the cat"]},
]


def written(folder: Path, rows: list[dict[str, Any]]) -> Path:
    path = folder / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_scores_are_those_against_the_post_edits(tmp_path: Path) -> None:
    scores = nlgauge.score(nlgauge.load(written(tmp_path, ROWS)), ["hter", "hbleu", "ter"])
    hypotheses, edits = ["the cat sit", "a dog"], [["the cat sits"], ["a dog", "the dog"]]
    assert scores["a", "hter"].value == parse("ter").corpus(hypotheses, edits) == 20
    assert scores["a", "hbleu"].value == parse("bleu").corpus(hypotheses, edits)
    assert scores["b", "hter"].value == 25
    assert scores["a", "ter"].value > 100


def test_systems_are_compared_item_by_item(tmp_path: Path) -> None:
    """The systems' rows stand in different orders: each output keeps its own post-edit."""
    data = nlgauge.load(written(tmp_path, ROWS))
    columns = {column.system: column for column in data.aligned()}
    assert columns["a"].post_edits == [("the cat sits",), ("a dog", "the dog")]
    assert columns["b"].items == ["1", "2"] and columns["b"].post_edits == [("the cat",), ("a dog",)]
    assert [segment.post_edits for segment in data.segments("b")] == [("a dog",), ("the cat",)]
    compared = nlgauge.compare(data, ["hter"], baseline="a", trials=20)
    assert compared.comparisons[0].delta == pytest.approx(5)


def test_streaming_gives_the_same(tmp_path: Path) -> None:
    path = written(tmp_path, ROWS)
    metric = parse("hter")
    totals = score_stream({"path": path, "batch": 1}, [metric])
    data = nlgauge.load(path)
    for system, expected in (("a", 20), ("b", 25)):
        assert float(metric.score(totals.sums[system][metric.rows_key()])) == expected
    assert (
        totals.tally.digest != nlgauge.load([{k: v for k, v in row.items() if "edit" not in k} for row in ROWS]).digest
    )
    with_own_references = [row | {"references": ["r"]} for row in ROWS]
    whole, streamed = (
        nlgauge.load(with_own_references),
        score_stream({"path": written(tmp_path, with_own_references), "batch": 1}, [metric]),
    )
    assert streamed.tally.digest == whole.digest
    assert data.digest != whole.digest


def test_tables_and_writing(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text('item,system,hypothesis,post_edits\n1,a,x y,"[""x y"", ""x z""]"\n2,a,x,"[""y""]"\n')
    data = nlgauge.load(path)
    assert [segment.post_edits for segment in data] == [("x y", "x z"), ("y",)]
    again = nlgauge.load([segment.to_dict() for segment in data])
    assert [segment.post_edits for segment in again] == [("x y", "x z"), ("y",)]
    path.write_text("item,system,hypothesis,post_edit\n1,a,x y,x z\n")
    assert [segment.post_edits for segment in nlgauge.load(path)] == [("x z",)]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"post_edit": 3}, "line 2: post_edit is a number"),
        ({"post_edits": "x"}, "line 2: post_edits is a text"),
        ({"post_edits": ["x", None]}, "line 2: post_edits holds null"),
        ({"post_edit": "x", "post_edits": ["y"]}, "line 2: post-edits are given twice"),
        ({"post_editt": "x"}, "unknown key 'post_editt'.*post_edit"),
    ],
)
def test_bad_post_edits_name_the_line(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    rows = [ROWS[0], {"item": "2", "system": "a", "hypothesis": "h", **row}]
    with pytest.raises(InputError, match=message):
        nlgauge.load(written(tmp_path, rows))


def test_missing_post_edits_are_refused_by_row(tmp_path: Path) -> None:
    path = written(tmp_path, [*ROWS[:2], {"item": "3", "system": "a", "hypothesis": "h"}])
    with pytest.raises(InputError, match=r"item '3' of system 'a' has no post-edit.*give the key post_edit"):
        nlgauge.score(nlgauge.load(path), ["hter"])
    with pytest.raises(InputError, match="line 3: item '3' of system 'a' has no post-edit"):
        score_stream({"path": path}, [parse("hter")])
    with pytest.raises(InputError, match="item '1' of system 'a' \\(and 1 more segments"):
        plain = [{"item": k, "system": "a", "hypothesis": "h", "references": ["r"]} for k in "12"]
        nlgauge.score(nlgauge.load(plain), ["hbleu"])
