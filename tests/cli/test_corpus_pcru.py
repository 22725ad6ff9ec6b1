"""`nlgauge corpus pcru`: corpus, training, modes, demonstration, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nlgauge.cli import main


@pytest.fixture
def corpus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    path = str(tmp_path / "wind.jsonl")
    assert main(["corpus", "pcru", "forecasts", "--forecasts", "60", "-o", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"corpus": path, "forecasts": 60}
    return path


@pytest.fixture
def trained(corpus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    path = str(tmp_path / "trained.pcru")
    assert main(["corpus", "pcru", "train", "wind", corpus, "-o", path, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["texts"], told["unparsed"]) == (60, [])
    return path


@pytest.mark.parametrize("mode", ["greedy", "roulette", "viterbi", "ngram", "random", "rules"])
def test_modes_write_evaluation_sets(
    mode: str, corpus: str, trained: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out.jsonl"
    more = ["--texts", corpus] if mode == "ngram" else []
    assert main(["corpus", "pcru", "generate", trained, corpus, "--mode", mode, "-o", str(target), *more]) == 0
    system = "rules" if mode == "rules" else f"pcru-{mode}"
    assert f"60 texts of {system}" in capsys.readouterr().out
    assert main(["score", str(target), "-m", "se", "--json"]) == 0
    (score,) = json.loads(capsys.readouterr().out)["scores"]
    assert (score["system"], score["n"]) == (system, 60) and 0.3 < score["value"] < 1


def test_columns_of_other_names(corpus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [json.loads(line) for line in Path(corpus).read_text(encoding="utf-8").splitlines()]
    other = tmp_path / "other.jsonl"
    other.write_text("".join(json.dumps({"nr": row["item"], "winds": row["source"]}) + "\n" for row in rows))
    generate = ["corpus", "pcru", "generate", "wind", "--mode", "rules"]
    assert main([*generate, str(other), "--column", "item=nr", "--column", "source=winds"]) == 0
    renamed = capsys.readouterr().out
    assert main([*generate, corpus]) == 0
    assert capsys.readouterr().out == renamed


def test_weights_of_one_forecaster(corpus: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "pcru", "generate", "wind", corpus, "--weights", "keel"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 60
    assert main(["corpus", "pcru", "generate", "wind", corpus]) == 2
    assert "name one of them, or train the rules" in capsys.readouterr().err


def test_rules_and_relations_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules, texts, data = tmp_path / "r.pcru", tmp_path / "t.txt", tmp_path / "d.jsonl"
    rules.write_text("input greet\n$who = Ann Bob\ngreet($who)\n  -> hello $who\n  -> hi $who\n", encoding="utf-8")
    texts.write_text("hi Ann\nhi Bob\nhello Ann\nbye\n", encoding="utf-8")
    data.write_text('{"item": 1, "source": [["greet", "Bob"]]}\n', encoding="utf-8")
    out = tmp_path / "o.pcru"
    assert main(["corpus", "pcru", "train", str(rules), str(texts), "-o", str(out)]) == 0
    assert "do not parse 1 texts, for example 'bye'" in capsys.readouterr().out
    assert main(["corpus", "pcru", "generate", str(out), str(data), "--json"]) == 0
    assert [row["hypothesis"] for row in json.loads(capsys.readouterr().out)["rows"]] == ["hi Bob"]
    assert main(["corpus", "pcru", "generate", str(out), str(data), "--mode", "rules"]) == 2
    assert "writes from wind tuples" in capsys.readouterr().err
    data.write_text('{"item": 1, "source": [["meet", "Bob"]]}\n', encoding="utf-8")
    assert main(["corpus", "pcru", "generate", str(out), str(data)]) == 2
    assert "meet(Bob) is no input of" in capsys.readouterr().err


def test_bad_files_are_refused_by_line_and_column_and_nothing_is_written(
    corpus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, out = tmp_path / "bad.pcru", tmp_path / "o.pcru"
    bad.write_text("input a\na()\n  -> one tow()\n", encoding="utf-8")
    assert main(["corpus", "pcru", "train", str(bad), corpus, "-o", str(out)]) == 2
    assert "bad.pcru, line 3, column 10: tow() has no rules" in capsys.readouterr().err
    assert not out.exists()
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"item": 1}\n', encoding="utf-8")
    assert main(["corpus", "pcru", "train", "wind", str(rows), "-o", str(out)]) == 2
    assert "rows.jsonl, line 1: no text" in capsys.readouterr().err
    assert main(["corpus", "pcru", "generate", "wind", str(rows), "--mode", "random"]) == 2
    assert "rows.jsonl, line 1: no input" in capsys.readouterr().err
    assert main(["corpus", "pcru", "generate", "wind", corpus, "--mode", "ngram"]) == 2
    assert "--mode ngram and --texts go together" in capsys.readouterr().err
    empty = tmp_path / "empty.txt"
    empty.write_text("\n", encoding="utf-8")
    assert main(["corpus", "pcru", "train", "wind", str(empty), "-o", str(out)]) == 2
    assert "has no text" in capsys.readouterr().err


def test_demonstration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "shown"
    command = ["corpus", "pcru", "demonstrate", "--forecasts", "60", "-o", str(folder)]
    assert main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["note"].startswith("A demonstration, not evidence")
    assert len(told["references"]["systems"]) == 6 and len(told["corpus"]["systems"]) == 5
    assert sum(1 for _ in (folder / "outputs.jsonl").open()) == 6 * 5 * 6
    assert main(command) == 2
    assert "is not empty" in capsys.readouterr().err
    assert main(command[:-2]) == 0
    assert "Table 4" in capsys.readouterr().out
    meta = ["meta", str(folder / "held-out.jsonl"), "-m", "se", "--report", "belz-reiter", "--json"]
    assert main([*meta, "--draws", "0"]) == 0
    cells = json.loads(capsys.readouterr().out)["belz_reiter"]["matrix"]
    assert next(cell for cell in cells if (cell["row"], cell["column"]) == ("se", "se"))["singles"] == 5
