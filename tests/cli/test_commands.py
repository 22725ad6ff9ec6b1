"""The commands on good input: objects with stable keys, tables, files."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from nlgauge.cli import main
from nlgauge.metrics.spec import parse
from nlgauge.wording.tables import width


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "d.jsonl"
    refs = [
        "the cat sat on the mat",
        "a dog ran over the road",
        "it will rain in the north today",
        "wind from the west",
    ]
    outs = {
        "good": [
            "the cat sat on a mat",
            "a dog ran over a road",
            "it will rain in the north",
            "wind from the west",
        ],
        "bad": ["cat mat", "the dog walks", "", "the sun shines today"],
    }
    rows = [
        {"item": str(k), "system": system, "hypothesis": text, "references": [ref], "source": f"s{k}"}
        for system, texts in outs.items()
        for k, (text, ref) in enumerate(zip(texts, refs, strict=True))
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def test_score_json(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = as_json(capsys, "score", str(data), "-m", "bleu", "-m", "rouge@2.r", "-m", "wer")
    assert [(s["system"], s["metric"]) for s in out["scores"]] == [
        (system, metric) for system in ("good", "bad") for metric in ("bleu", "rouge@2.r", "wer")
    ]
    assert all(s["n"] == 4 for s in out["scores"])
    hyps = [json.loads(line) for line in data.read_text().splitlines()]
    good = [row for row in hyps if row["system"] == "good"]
    expected = parse("bleu").corpus([r["hypothesis"] for r in good], [r["references"] for r in good])
    assert out["scores"][0]["value"] == pytest.approx(expected, abs=1e-12)
    assert set(out["receipts"]) == {"bleu", "rouge@2.r", "wer"}
    assert "low" not in out["scores"][0]
    assert any("1 empty" in text for text in out["notes"])


def test_score_with_intervals(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = as_json(capsys, "score", str(data), "-m", "chrf", "--ci", "--trials", "200", "--seed", "3")
    for score in out["scores"]:
        assert score["low"] <= score["value"] <= score["high"]
    assert "ci=bootstrap:200" in out["receipts"]["chrf"] and "seed=3" in out["receipts"]["chrf"]
    again = as_json(capsys, "score", str(data), "-m", "chrf", "--ci", "--trials", "200", "--seed", "3")
    other = as_json(capsys, "score", str(data), "-m", "chrf", "--ci", "--trials", "200", "--seed", "4")
    assert again == out and other["scores"] != out["scores"]


@pytest.mark.parametrize("name", ["s.jsonl", "s.csv", "s.tsv", "s.jsonl.gz"])
def test_segments(name: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / name
    assert main(["score", str(data), "-m", "sentbleu", "-m", "wer", "--segments", str(target)]) == 0
    with gzip.open(target, "rt") if name.endswith("gz") else target.open() as file:
        if ".jsonl" in name:
            rows = [json.loads(line) for line in file]
            values = [(r["item"], r["system"], r["sentbleu"]) for r in rows]
        else:
            table = csv.DictReader(file, delimiter="\t" if name.endswith("tsv") else ",")
            values = [(r["item"], r["system"], float(r["sentbleu"])) for r in table]
    assert len(values) == 8
    assert values[3] == ("3", "good", pytest.approx(100.0))


def test_streaming_gives_the_same_numbers(data: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    metrics = ["-m", "bleu", "-m", "nist", "-m", "ter", "-m", "rougeL"]
    plain = as_json(capsys, "score", str(data), *metrics, "--segments", str(tmp_path / "a.jsonl"))
    streamed = as_json(capsys, "score", str(data), *metrics, "--stream", "--segments", str(tmp_path / "b.jsonl"))
    assert streamed["scores"] == plain["scores"]
    assert streamed["receipts"] == plain["receipts"]
    assert sorted((tmp_path / "a.jsonl").read_text().splitlines()) == sorted(
        (tmp_path / "b.jsonl").read_text().splitlines()
    )


def test_line_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in {
        "a.txt": "x y\nz\n",
        "b.txt": "x\nz w\n",
        "r1.txt": "x y\nz w\n",
        "r2.txt": "x\nz\n",
    }.items():
        (tmp_path / name).write_text(text)
    options = [f"--{kind}={value}" for kind, value in (("ref", tmp_path / "r1.txt"), ("ref", tmp_path / "r2.txt"))]
    out = as_json(capsys, "score", f"--hyp=a={tmp_path}/a.txt", f"--hyp=b={tmp_path}/b.txt", *options, "-m", "wer")
    assert [(s["system"], s["value"]) for s in out["scores"]] == [("a", 0.0), ("b", 0.0)]
    assert "refs=2" in out["receipts"]["wer"]


@pytest.mark.parametrize("test", ["ar", "bootstrap"])
def test_compare(test: str, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = as_json(capsys, "compare", str(data), "-m", "chrf", "-m", "ter", "--baseline", "bad", "--test", test)
    assert [(c["metric"], c["system"], c["baseline"]) for c in out["comparisons"]] == [
        ("chrf", "good", "bad"),
        ("ter", "good", "bad"),
    ]
    for c in out["comparisons"]:
        assert c["delta"] == pytest.approx(c["value"] - c["baseline_value"])
        assert c["low"] <= c["delta"] <= c["high"] and 0 < c["p"] <= 1 and c["p_adjusted"] >= c["p"]
        assert c["trials"] == (10000 if test == "ar" else 1000)
    assert f"test={test}:" in out["receipts"]["chrf"]


def test_compare_prints_a_sentence(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(data), "-m", "chrf", "--quiet"]) == 0
    out = capsys.readouterr().out
    assert "randomisation" in out and "good" in out and "metric=chrf(" in out


def test_list_and_explain(capsys: pytest.CaptureFixture[str]) -> None:
    out = as_json(capsys, "list")
    assert {"bleu", "chrf", "ter", "rougeLsum"} <= {row["name"] for row in out["metrics"]}
    assert out["backend"] in ("native", "python")
    assert main(["list"]) == 0
    assert "chrf++" in capsys.readouterr().out
    about = as_json(capsys, "explain", "bleu(tok=intl)")
    assert {row["field"]: row["value"] for row in about["fields"]}["tok"] == "intl"
    assert main(["explain", "nlgauge=0.1.0|metric=bleu(tok=intl)|n=3|refs=1|data=abc|seed=5"]) == 0
    text = capsys.readouterr().out
    assert "segments per system: 3" in text and "seed of the random draws: 5" in text


def test_help_of_every_command_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    from nlgauge.cli import COMMANDS

    for command in COMMANDS:
        with pytest.raises(SystemExit) as stopped:
            main([command, "--help"])
        assert stopped.value.code == 0
        assert "examples:" in capsys.readouterr().out


def test_demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "-o", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert str(tmp_path / "out" / "report.html") in out
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "<svg" in page and "metric=bleu(" in page
    assert (tmp_path / "out" / "forecasts.jsonl").exists()


def test_python_conveniences(data: Path) -> None:
    import nlgauge as ng

    scores = ng.score(str(data), ["chrf(word=2)", "rouge@1"])
    assert scores["good", "chrf(word=2)"] == scores["good", "chrf++"]
    assert scores.metrics == ["chrf++", "rouge@1"]
    with pytest.raises(KeyError, match=r"no row is named 'bleu'; known: .*chrf"):
        scores["good", "bleu"]
    with pytest.raises(ng.InputError, match="ties must be count or ignore"):
        ng.compare(str(data), "chrf", ties="foo")
    with pytest.raises(ng.InputError, match="segment 1 holds a NoneType"):
        ng.parse("bleu").corpus(["a", None], [["a"], ["b"]])
    with pytest.raises(ng.InputError, match="hyp must map"):
        ng.load(hyp=["a.txt"])
    assert {"score", "compare", "load", "parse"} <= set(dir(ng))
    assert "TYPE_CHECKING" not in dir(ng)


def test_the_table_prints_the_canonical_name(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", str(data), "-m", "ROUGE-2", "-m", "chrF++"]) == 0
    head = capsys.readouterr().out.splitlines()[0]
    assert "rouge@2" in head and "chrf++" in head and "ROUGE" not in head


def test_backend_switch_is_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_BACKEND", "python")
    assert main(["list"]) == 0
    assert "plain Python" in capsys.readouterr().out
    monkeypatch.setenv("NLGAUGE_BACKEND", "rust")
    assert main(["list"]) == 2
    assert "native or python" in capsys.readouterr().err


def test_compare_json_has_the_conclusion(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = as_json(capsys, "compare", str(data), "-m", "chrf")
    assert "randomisation" in out["conclusion"]


def test_systems_with_different_items_are_noted(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    part = tmp_path / "part.jsonl"
    part.write_text("".join(line + "\n" for line in data.read_text().splitlines()[:-1]))
    out = as_json(capsys, "score", str(part), "-m", "chrf")
    assert any("different numbers of items (3 to 4)" in note for note in out["notes"])
    assert "n=3-4" in out["receipts"]["chrf"]


@pytest.mark.parametrize("columns", [80, 100])
def test_the_list_of_metrics_fits_the_width(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(["list"]) == 0
    assert max(width(line) for line in capsys.readouterr().out.splitlines()) <= columns
