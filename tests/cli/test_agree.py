"""`nlgauge agree`: tables, JSON, judges, aggregation, refusals, and published figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge as ng
from nlgauge.cli import main

TABLE = [[1, 2], [3, 3], [2, 2]]

KEYS = {"name", "value", "low", "high", "n"}


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    generator = np.random.default_rng(5)
    truth = generator.integers(1, 6, size=(40, 1))
    values = np.clip(truth + generator.integers(-1, 2, size=(40, 3)), 1, 5)
    path = tmp_path / "r.csv"
    rows = [f"{i},j{j},{value}" for (i, j), value in np.ndenumerate(values) if (i + j) % 11]
    path.write_text("\n".join(["item,judge,value", *rows]) + "\n", encoding="utf-8")
    return path


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["agree", *arguments, "--json"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["agree", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("nlgauge: ") and len(err.strip().splitlines()) == 1
    return err


def test_json_keys(ratings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, str(ratings), "--judges")
    assert all(set(row) >= KEYS for row in found["coefficients"])
    assert found["scale"] == "ordinal" and found["scale_guessed"] is True
    assert (found["items"], found["judges"]) == (40, 3) and found["gaps"] == 120 - found["ratings"]
    assert sorted(report["judge"] for report in found["judge_reports"]) == ["j0", "j1", "j2"]
    assert found["sentence"].startswith("Krippendorff's alpha (ordinal) is 0.")
    alpha = found["coefficients"][0]
    assert alpha["low"] < alpha["value"] < alpha["high"]


def test_table_and_sentence(ratings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agree", str(ratings), "--judges"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0].split() == [
        "coefficient",
        "value",
        "95%",
        "interval",
        "items",
        "interval",
        "by",
    ]
    assert "conventions, not tests" in out and "taken as ordinal (5 ordered values)" in out
    assert "alpha without" in out


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval", "ratio"])
def test_all_coefficients_at_every_scale(scale: str, ratings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, str(ratings), "--scale", scale, "-c", "all")
    names = [row["name"] for row in found["coefficients"]]
    assert f"Krippendorff's alpha ({scale})" in names and "ICC(3,k)" in names and len(names) == 16
    assert all(row["value"] is not None and row["low"] is not None for row in found["coefficients"])
    assert any("Cohen's kappa left out" in note for note in found["notes"])


def test_two_judges_get_cohen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "two.jsonl"
    rows = [{"item": k, "judge": j, "value": v} for k in range(20) for j, v in (("a", k % 3), ("b", (k + k // 7) % 3))]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    names = [row["name"] for row in as_json(capsys, str(path), "--scale", "nominal")["coefficients"]]
    assert "Cohen's kappa" in names and "Scott's pi" in names


def test_everyone_agrees(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "same.csv"
    path.write_text("item,judge,value\n" + "".join(f"{k},{j},3\n" for k in range(50) for j in "ab"), encoding="utf-8")
    found = as_json(capsys, str(path), "--categories", "1,2,3,4,5")
    by_key = {row["key"]: row for row in found["coefficients"]}
    assert by_key["percent"]["value"] == 1 and 0.9 < by_key["percent"]["low"] < 1
    assert by_key["gwet"]["value"] == 1 and by_key["gwet"]["low"] < 1
    assert by_key["krippendorff"]["value"] is None and "every rating is 3" in by_key["krippendorff"]["undefined"]
    assert "undefined" in found["sentence"] and "100%" in found["sentence"]
    assert main(["agree", str(path)]) == 0
    assert "nan" not in capsys.readouterr().out.lower()


def test_skewed_ratings_are_remarked_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "skewed.csv"
    rows = [f"{k},{j},{int(k == 3 and j == 'a')}" for k in range(40) for j in "ab"]
    path.write_text("\n".join(["item,judge,value", *rows]) + "\n", encoding="utf-8")
    found = as_json(capsys, str(path))
    sentence = found["sentence"]
    assert "not reliable here, though 97.5% of the pairs of ratings are the same: 98.8% of the" in sentence
    assert "clearer instructions" not in sentence
    other = as_json(capsys, str(path), "-c", "gwet")  # the headline is not pushed down: a note says it
    assert any("of the ratings are 0" in note for note in other["notes"])


def test_several_criteria_one_block_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "set.jsonl"
    rows = [
        {
            "item": k,
            "system": s,
            "hypothesis": "x",
            "ratings": {"fluency": [k % 4, k % 3], "clarity": [k % 5, k % 4]},
        }
        for k in range(12)
        for s in "st"
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = as_json(capsys, str(path), "--criterion", "fluency", "--human", "clarity")
    assert {row["criterion"] for row in found["coefficients"]} == {"fluency", "clarity"}
    assert [one["criterion"] for one in found["criteria"]] == ["fluency", "clarity"]
    assert all(set(row) >= KEYS for row in found["coefficients"])
    single = as_json(capsys, str(path), "--human", "clarity")
    assert single["coefficients"] == found["criteria"][1]["coefficients"]
    assert "over 24 outputs and 2 judges" in single["sentence"]
    assert main(["agree", str(path), "--criterion", "fluency", "--criterion", "clarity"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "fluency" and "clarity" in lines
    both = ("--criterion", "fluency", "--criterion", "clarity")
    assert "one criterion" in refused(capsys, str(path), *both, "--aggregate", "mean", "-o", str(tmp_path / "o.csv"))


def test_the_receipt_is_explained(ratings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    receipt = as_json(capsys, str(ratings))["receipt"]
    assert receipt.startswith("nlgauge=") and "|agree=krippendorff+" in receipt and "|judges=3|" in receipt
    assert main(["agree", str(ratings)]) == 0
    assert receipt in capsys.readouterr().out.splitlines()
    assert main(["explain", receipt]) == 0
    assert "coefficients of agreement: krippendorff" in capsys.readouterr().out


def test_many_judges_show_the_most_extreme(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    generator = np.random.default_rng(3)
    values = np.clip(generator.integers(1, 6, size=(30, 1)) + generator.integers(-1, 2, size=(30, 14)), 1, 5)
    values[:, 6] = 6 - values[:, 6]  # one judge turns the scale round
    path = tmp_path / "many.csv"
    rows = [f"{i},j{j},{value}" for (i, j), value in np.ndenumerate(values)]
    path.write_text("\n".join(["item,judge,value", *rows]) + "\n", encoding="utf-8")
    assert len(as_json(capsys, str(path), "--judges")["judge_reports"]) == 14
    assert main(["agree", str(path), "--judges"]) == 0
    lines = capsys.readouterr().out.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("judge"))
    assert lines[start + 2].startswith("j6") and lines[start + 12].startswith("10 of 14 judges")


def test_aggregate(ratings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for method in ("mean", "z", "weighted", "majority", "dawid-skene"):
        target = tmp_path / f"{method}.jsonl"
        assert main(["agree", str(ratings), "--aggregate", method, "-o", str(target)]) == 0
        rows = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
        assert len(rows) == 40 and all({"item", "value", "ratings"} <= set(row) for row in rows)
    assert "converged after" in capsys.readouterr().err
    assert "go together" in refused(capsys, str(ratings), "--aggregate", "mean")
    assert "read by this command" in refused(capsys, str(ratings), "--aggregate", "mean", "-o", str(ratings))


def test_lists_are_compared_as_sets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sets.jsonl"
    rows = [{"item": k, "judge": j, "value": ["x"] if k % 2 else [j]} for k in range(10) for j in "ab"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = as_json(capsys, str(path))
    by_key = {row["key"]: row["value"] for row in found["coefficients"]}
    assert by_key["jaccard"] == 0.5 and by_key["f1"] == 0.5 and found["scale"] == "sets"


def test_refusals(ratings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean fleiss" in refused(capsys, str(ratings), "-c", "fleis")
    assert "between 0 and 1" in refused(capsys, str(ratings), "--level", "95")
    assert "not among the categories" in refused(capsys, str(ratings), "--categories", "1,2")
    assert "no such file" in refused(capsys, str(tmp_path / "x.csv"))
    assert "names no criteria" in refused(capsys, str(ratings), "--criterion", "fluency")
    one = tmp_path / "one.csv"
    one.write_text("item,judge,value\n1,a,3\n2,a,4\n", encoding="utf-8")
    assert "at least two judges" in refused(capsys, str(one))


def test_python_facade(ratings: Path) -> None:
    found = ng.agree(ratings, coefficients=["krippendorff", "icc2"])
    assert found["icc2"].name == "ICC(2,1)" and "ICC(2,1)" in str(found)
    table = [[1, 2, 1], [3, 3, None], [5, 4, 5], [2, 2, 2]]
    assert ng.agree(table).judges == 3
    assert ng.agree(np.array([[1.5, 2.5], [3.0, 2.0], [4.5, 4.0]])).scale == "interval"
    rows, _ = ng.aggregate(table, "majority")
    assert rows[0] == {"item": "1", "value": 1.0, "ratings": 3, "share": pytest.approx(2 / 3)}
    with pytest.raises(ng.InputError, match="no coefficient 'fleiss'"):
        found["fleiss"]


def test_evaluation_set(tmp_path: Path) -> None:
    data = ng.load(
        [
            {
                "item": str(k),
                "system": s,
                "hypothesis": "x",
                "ratings": {"f": [k % 4 + 1, (k + 1) % 4 + 1, k % 4 + 1]},
            }
            for k in range(12)
            for s in "st"
        ]
    )
    found = ng.agree(data, "f")
    assert found.items == 24 and found.judges == 3 and found.criterion == "f"


@pytest.mark.parametrize("name", ["usr_topicalchat", "usr_personachat"])
def test_published_agreement_of_usr(name: str, shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = json.loads((shared / "data" / "published.json").read_text(encoding="utf-8"))[name]["recomputed"]
    for criterion, expected in figures.items():
        found = as_json(capsys, str(shared / "data" / f"{name}.jsonl.gz"), "--criterion", criterion)
        by_key = {row["key"]: row["value"] for row in found["coefficients"]}
        assert by_key["spearman"] == pytest.approx(expected, abs=5e-4), criterion


def test_opposed_judges_and_one_value(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    opposed = tmp_path / "opposed.csv"
    rows = [f"{item},{judge},{value}" for item in range(1, 7) for judge, value in (("a", item), ("b", 7 - item))]
    opposed.write_text("\n".join(["item,judge,value", *rows]) + "\n", encoding="utf-8")
    by_key = {row["key"]: row for row in as_json(capsys, str(opposed), "-c", "all")["coefficients"]}
    assert by_key["kendall-w"]["value"] == 0 and by_key["kendall-w"]["low"] is None
    assert by_key["icc2k"]["value"] is None
    same = tmp_path / "same.csv"
    rows = [f"{item},{judge},1" for item in range(1, 7) for judge in "ab"]
    same.write_text("\n".join(["item,judge,value", *rows]) + "\n", encoding="utf-8")
    main(["agree", str(same)])
    assert "1 different value)" in " ".join(capsys.readouterr().out.split())


def _rows(path: Path, values: list[Any]) -> str:
    """Judgements of two judges, as CSV or JSON lines."""
    rows = [{"item": k // 2, "judge": "ab"[k % 2], "value": value} for k, value in enumerate(values)]
    if path.suffix == ".csv":
        lines = ["item,judge,value", *(f"{row['item']},{row['judge']},{row['value']}" for row in rows)]
    else:
        lines = [json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("typo.csv", [1, 2, 3, 3, 5, "4x"], "line 7: the value is '4x', but most values are numbers"),
        ("inf.csv", [1, 2, 3, 3, 5, "inf"], "line 7: the value is inf; expected a finite number"),
        ("large.csv", [2**53 + k for k in range(6)], "from 2**53 on"),
        ("nested.jsonl", [[[[1]]], [[[1]]]], "line 1: a marked span is [[1]]; expected [start, end]"),
        ("turned.jsonl", [[[5, 1]], [[5, 1]]], "0 ≤ start ≤ end"),
        ("below.jsonl", [[[-5, 1]], [[5, 10]]], "0 ≤ start ≤ end"),
        ("parts.jsonl", [[[0.5, 10]], [[5, 10]]], "with whole numbers"),
    ],
)
def test_values_that_cannot_be_meant(
    name: str, values: list[Any], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert words in refused(capsys, _rows(tmp_path / name, values))


def test_what_the_values_do_not_allow(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = _rows(tmp_path / "labels.csv", ["good", "bad", "good", "good"])
    assert "the ratings are labels; the scale interval needs numbers" in refused(capsys, labels, "--scale", "interval")
    numbers = _rows(tmp_path / "numbers.csv", [1, 2, 3, 3])
    assert "must be finite" in refused(capsys, numbers, "--categories", "1,2,3,nan")
    assert "at least 100 draws" in refused(capsys, numbers, "--interval", "bootstrap", "--trials", "1")
    judge = tmp_path / "judge.jsonl"
    judge.write_text('{"item": 1, "judge": ["A"], "value": 3}', encoding="utf-8")
    assert "line 1: judge is a list" in refused(capsys, str(judge))


def test_too_large_a_table_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nlgauge.io.judgements.MOST_CELLS", 3)
    found = refused(capsys, _rows(tmp_path / "wide.csv", [1, 2, 3, 3]))
    assert "2 items × 2 judges" in found and "take some of the items" in found


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl"])
def test_aggregates_in_every_format(ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    numbers = _rows(tmp_path / "numbers.csv", [1, 2, 3, 3, 5, 4])
    target = tmp_path / f"out.{ending}"
    assert main(["agree", numbers, "--aggregate", "mean", "-o", str(target)]) == 0
    written = target.read_text(encoding="utf-8")
    assert len(written.splitlines()) == (3 if ending == "jsonl" else 4) and "1.5" in written
    lists = _rows(tmp_path / "lists.jsonl", [["y", "x"], ["x", "y"], [[1, 5]], [[1, 5]], [], []])
    assert main(["agree", lists, "--aggregate", "majority", "-o", str(target)]) == 0
    capsys.readouterr()
    if ending == "jsonl":
        found = [json.loads(line)["value"] for line in target.read_text(encoding="utf-8").splitlines()]
        assert found == [["x", "y"], [[1, 5]], []]


def test_rows_of_numpy(ratings: Path) -> None:
    rows = [
        {"item": np.int64(k // 2), "judge": "ab"[k % 2], "value": kind(k % 3)}
        for k, kind in enumerate([np.int64, np.float32] * 4)
    ]
    assert ng.agree(rows).ratings == 8
    assert ng.agree([[np.float32(1), np.int32(2)], [np.float32(3), None], [np.uint8(2), 2]]).scale == "ordinal"


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (5, {}),
        (None, {}),
        ([1, 2, 3], {}),
        ([{"item": 1, "judge": "a", "value": 1}, 3], {}),
        ([[[1], [2]], [[1], [2]]], {}),
        ([[10**400, 1], [1, 2]], {}),
        ([[2**53 + 1, 2**53], [1, 2]], {}),
        (TABLE, {"level": "a"}),
        (TABLE, {"trials": 150.5}),
        (TABLE, {"seed": "x"}),
        (TABLE, {"scale": 3}),
        (TABLE, {"coefficients": "percent"}),
        (TABLE, {"coefficients": [3]}),
        (TABLE, {"coefficients": []}),
        (TABLE, {"categories": 5}),
        (TABLE, {"categories": [[1], [2]]}),
    ],
)
def test_wrong_types_are_refused(data: Any, options: dict[str, Any]) -> None:
    with pytest.raises(ng.InputError):
        ng.agree(data, **options)
