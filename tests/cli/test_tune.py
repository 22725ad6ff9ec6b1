"""`nlgauge tune`: the table, JSON, and what is refused."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import orjson
import pytest

from nlgauge.cli import main
from nlgauge.metrics.spec import parse


@pytest.fixture
def data(tmp_path: Path) -> str:
    """Forty rated outputs, some of them too long."""
    rows: list[dict[str, Any]] = []
    for item in range(40):
        reference = f"the {['red', 'blue', 'old', 'new'][item % 4]} boat number {item} lies in the harbour"
        words = reference.split()[: 3 + item % 6] + ["again"] * (item % 3)
        rows.append(
            {
                "item": item,
                "system": f"s{item % 2}",
                "hypothesis": " ".join(words),
                "references": [reference],
                "ratings": {"quality": item % 6, "errors": -(item % 6), "same": 1},
            }
        )
    path = tmp_path / "judged.jsonl"
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return str(path)


def test_the_tuned_spec_and_the_gain_are_printed(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "chrf", data, "--human", "quality", "--folds", "2"]) == 0
    out = capsys.readouterr().out
    spec = next(line for line in out.splitlines() if line.startswith("tuned: ")).removeprefix("tuned: ")
    assert parse(spec).name == "chrf" and f"metric={parse(spec).full()}|" in out
    assert "on items held out, Pearson's r with quality is " in out and "95% interval" in out
    assert main(["explain", out.strip().splitlines()[-1]]) == 0
    assert "fields fitted to the ratings" in capsys.readouterr().out


def test_json_has_stable_keys_and_a_seed_gives_the_same_again(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [
        "tune",
        "meteor(synonyms=none)",
        data,
        "--human",
        "quality",
        "--folds",
        "2",
        "--steps",
        "4",
        "--json",
    ]
    found = []
    for more in ([], [], ["--seed", "9"]):
        assert main([*asked, "--fields", "alpha=0.5:0.95,gamma", *more]) == 0
        found.append(orjson.loads(capsys.readouterr().out))
    assert found[0] == found[1] != found[2]
    keys = "metric spec criterion statistic n items fields default tuned gain low high all_default all_tuned folds"
    more = "draws confidence search candidates seed notes receipt established sentence"
    assert set(found[0]) == {*keys.split(), *more.split()}
    assert [field["name"] for field in found[0]["fields"]] == ["alpha", "gamma"]
    assert (found[0]["fields"][0]["low"], found[0]["fields"][0]["high"]) == (0.5, 0.95)


def test_ratings_of_which_less_is_better_and_columns_of_other_names(
    data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    renamed = tmp_path / "renamed.jsonl"
    renamed.write_text(Path(data).read_text().replace('"hypothesis"', '"answer"'))
    asked = ["--folds", "2", "--draws", "0", "--json"]
    found = []
    for words in (["--human", "quality"], ["--human", "errors:lower"]):
        assert main(["tune", "chrf", str(renamed), "--column", "hypothesis=answer", *words, *asked]) == 0
        found.append(orjson.loads(capsys.readouterr().out))
    assert found[0]["spec"] == found[1]["spec"] and found[0]["tuned"] == pytest.approx(found[1]["tuned"])
    assert found[1]["criterion"] == "minus_errors"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["bleu", "--human", "quality"], "bleu has no numeric field that is fitted unless it is named"),
        (["chrf", "--human", "same"], "all ratings of 'same' are 1"),
        (["chrf", "--human", "quality"], "5 folds need at least 50 (fewer folds: --folds)"),
        (["chrf", "--human", "quality", "--human", "same"], "give --human once"),
        (["chrf", "--human", "quality", "--fields", "beta=1"], "is a list of fields, each once"),
        (["chrf", "--human", "quality", "--fields", "beta=a:2"], "must be a number, not 'a'"),
        (["chrf", "--human", "quality", "--bags", "3"], "--bags goes with --search grid"),
        (["chrf", "--human", "quality", "--draws", "5"], "an interval needs at least"),
        (["chrf", "--human", "quality", "--steps", "1"], "steps must be a whole number from 2 up"),
        (
            ["chrf", "--human", "quality", "--fields", "char"],
            "char of chrf has no range of its own; say which to search: --fields",
        ),
        (
            ["chrf", "--human", "quality", "--correlation", "person"],
            "unknown statistic 'person': did you mean pearson",
        ),
        (["nubia", "--human", "quality"], "nubia has no numeric field, so there is nothing to fit"),
        (["@BLEU", "--human", "quality"], "is not a metric spec"),
    ],
)
def test_what_cannot_be_fitted_is_refused_in_a_sentence(
    words: list[str], sentence: str, data: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tune", words[0], data, *words[1:]]) == 2
    assert sentence in capsys.readouterr().err


def _translations(shared: Path, tmp_path: Path, *, questions: bool) -> str:
    """Short translations into English with people's ratings, or those whose reference is a question."""
    with gzip.open(shared / "data" / "wmt15_16_daseg.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [row for row in map(json.loads, file) if row["dataset"].endswith("-en")]
    if questions:
        rows = [row for row in rows if row["references"][0].rstrip().endswith("?")]
    else:
        rows = [row for row in rows if len(row["references"][0].split()) < 12][::10]
    path = tmp_path / "wmt.jsonl"
    path.write_text("".join(json.dumps({**row, "system": "s"}) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def _tuned(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["tune", *words, "--folds", "2", "--draws", "200"]) == 0
    out = capsys.readouterr().out
    assert "tuned: " in out and "(gain " in out and "95% interval " in out
    assert main(["tune", *words, "--folds", "2", "--draws", "200", "--json"]) == 0
    found: dict[str, Any] = orjson.loads(capsys.readouterr().out)
    assert f"tuned: {found['spec']}\n" in out
    assert found["all_tuned"] >= found["all_default"] and found["low"] <= found["gain"] <= found["high"]
    return found


@pytest.mark.parametrize(
    ("spec", "fields"),
    [
        ("iter", "stem_cost,substitution,insertion,deletion,shift"),
        ("meteor(tok=13a,synonyms=none)", "alpha,beta,gamma"),
        ("eed", "alpha,rho"),
        ("chrf", "beta"),
        ("wmdo", "delta"),
        ("simile(model=minilm-int8)", "alpha=0:1"),
    ],
)
def test_costs_and_weights_are_fitted_to_real_ratings(
    spec: str, fields: str, shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = _translations(shared, tmp_path, questions=False)
    found = _tuned([spec, data, "--human", "da_z", "--fields", fields, "--steps", "3"], capsys)
    assert [field["name"] for field in found["fields"]] == [part.split("=")[0] for part in fields.split(",")]
    assert found["default"] > 0.3


@pytest.mark.parametrize("spec", ["qbleu", "qnist", "qmeteor", "qrouge"])
def test_q_metrics_are_tuned_by_a_grid_with_bagging_on_real_questions(
    spec: str, shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Translated questions: as the paper's, rated by people, though for adequacy and not for answerability."""
    data = _translations(shared, tmp_path, questions=True)
    search = ["--search", "grid", "--steps", "3", "--bags", "10", "--fields", "content,entity,question,delta"]
    found = _tuned([spec, data, "--human", "da_z", *search], capsys)
    assert found["search"] == "grid search, mean of 10 bags" and found["candidates"] > 3**4
