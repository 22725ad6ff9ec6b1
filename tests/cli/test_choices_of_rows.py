"""Rows chosen by --where, criteria of which less is better, set metrics and lengths beside people and BLEU."""

import json
from pathlib import Path

import pytest

from nlgauge import api
from nlgauge.cli import main
from nlgauge.engine.grouping import where
from nlgauge.errors import InputError
from nlgauge.meta.evaluate import meta_evaluate

ROWS = [
    {
        "item": str(n),
        "system": system,
        "hypothesis": " ".join(["word"] * (n % 4 + 1) + [system] * (n % 3)),
        "references": ["word word b"],
        "category": "odd" if n % 2 else "even",
        "ratings": {"errors": [float(n % 5), float(n % 4)]},
    }
    for system in ("a", "b")
    for n in range(12)
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "d.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def test_where_keeps_the_rows_whose_key_has_the_value(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", str(data), "-m", "chrf", "--where", "category=odd", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["scores"]
    alone = api.score([row for row in ROWS if row["category"] == "odd"], ["chrf"])
    assert [row["value"] for row in found] == [score.value for score in alone.scores]
    assert main(["compare", str(data), "-m", "chrf", "--trials", "200", "--where", "category=even", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["comparisons"][0]["n"] == 6


def test_where_refuses_what_no_row_has(data: Path) -> None:
    loaded = api.load(data)
    with pytest.raises(InputError, match="has category=none; its values are: even, odd"):
        where(loaded, [("category", "none")])
    with pytest.raises(InputError, match="has the key topic"):
        where(loaded, [("topic", "x")])
    kept = where(loaded, [("category", "odd"), ("system", "a")])
    assert kept.systems == ["a"] and len(kept) == 6 and len(kept.items) == 6


def test_where_looks_into_objects_in_every_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [row | {"about": {"topic": row["category"]}} for row in ROWS]
    path = tmp_path / "d.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    chosen = ["--where", "about.topic=odd", "--json"]
    assert main(["score", str(path), "-m", "chrf", "--allow-extra", *chosen]) == 0
    assert {score["n"] for score in json.loads(capsys.readouterr().out)["scores"]} == {6}
    assert main(["meta", str(path), "-m", "chrf", "--human", "errors", "--trials", "20", *chosen]) == 0
    assert json.loads(capsys.readouterr().out)["correlations"][0]["n"] == 12


def test_less_is_better_where_the_criterion_says_so(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", str(data), "--human", "errors:lower"]) == 0
    assert "errors ↓" in capsys.readouterr().out
    assert main(["compare", str(data), "--human", "errors:lower", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (row,) = found["comparisons"]
    assert row["direction"] == "lower" and row["metric"] == "errors"
    assert "|direction=lower|" in found["receipts"]["errors"]
    assert main(["compare", str(data), "--human", "errors", "--json"]) == 0
    assert "direction" not in json.loads(capsys.readouterr().out)["receipts"]["errors"]
    command = ["meta", str(data), "-m", "length", "--draws", "0", "--test", "none", "--json"]
    assert main([*command, "--human", "errors"]) == 0
    (plain,) = json.loads(capsys.readouterr().out)["correlations"]
    assert main([*command, "--human", "errors:lower"]) == 0
    (turned,) = json.loads(capsys.readouterr().out)["correlations"]
    assert turned["criterion"] == "minus_errors" and turned["value"] == pytest.approx(-plain["value"])


def test_set_metrics_are_correlated_by_their_scores_of_single_outputs() -> None:
    found = meta_evaluate(ROWS, ["distinct@1", "length"], draws=0, test="none")
    by_segment = {str(metric): api.metrics([str(metric)])[0].segments for metric in found.metrics}
    texts = [str(row["hypothesis"]) for row in ROWS if row["system"] == "a"]
    assert set(by_segment) == {"distinct@1", "length"} and len(set(by_segment["distinct@1"](texts))) > 1
    assert found.get("distinct@1", "errors").n == len(ROWS)
    assert "|set=mean" in found.receipts["distinct@1"]


def test_bleu_tells_lengths_ratio_and_brevity_penalty() -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    scores = api.score(ROWS, ["bleu", "chrf"])
    mine = [row for row in ROWS if row["system"] == "a"]
    peer = sacrebleu.corpus_bleu([str(row["hypothesis"]) for row in mine], [[row["references"][0] for row in mine]])
    found = scores["a", "bleu"].to_dict()
    assert (found["hypothesis_length"], found["reference_length"]) == (peer.sys_len, peer.ref_len)
    assert found["length_ratio"] == pytest.approx(peer.ratio) and found["brevity_penalty"] == pytest.approx(peer.bp)
    assert "brevity_penalty" not in scores["a", "chrf"].to_dict()
    assert f"= {peer.ratio:.3f} ({peer.bp:.3f})" in str(scores)


def test_ratings_of_single_judges_lead_to_the_analysis_made_for_them(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(data), "--human", "errors"]) == 0
    told = next(line for line in capsys.readouterr().out.splitlines() if "study import" in line)
    assert f"nlgauge study import DIR {data} --format set --scale LOW-HIGH" in told and "study analyse DIR" in told
    folder = str(tmp_path / "study")
    assert main(["study", "import", folder, str(data), "--format", "set", "--scale", "0-4"]) == 0
