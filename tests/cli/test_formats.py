"""The commands read every format, with the same scores."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from nlgauge.cli import main

ROWS: list[dict[str, Any]] = [
    {
        "item": str(k),
        "system": system,
        "hypothesis": text,
        "references": ["the cat sat", "a cat sat down"][: k + 1],
    }
    for system, texts in {"a": ["the cat sat", "a dog ran"], "b": ["cat sat", "a cat"]}.items()
    for k, text in enumerate(texts)
]


def scores(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[float]:
    assert main(["score", *arguments, "-m", "chrf", "--json"]) == 0, capsys.readouterr().err
    return [score["value"] for score in json.loads(capsys.readouterr().out)["scores"]]


def separated(path: Path, mark: str) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=mark)
        writer.writerow(["item", "system", "hypothesis", "reference_1", "reference_2"])
        for row in ROWS:
            references = [*row["references"], ""][:2]
            writer.writerow([row["item"], row["system"], row["hypothesis"], *references])
    return path


@pytest.fixture
def expected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> list[float]:
    path = tmp_path / "d.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return scores(capsys, str(path))


@pytest.mark.parametrize("streamed", [[], ["--stream"]], ids=["loaded", "streamed"])
@pytest.mark.parametrize("name", ["d.csv", "d.tsv", "d.jsonl.gz", "d.json", "d.parquet"])
def test_every_format(
    name: str, streamed: list[str], expected: list[float], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    if name == "d.csv":
        separated(path, ",")
    elif name == "d.tsv":
        separated(path, "\t")
    elif name == "d.json":
        path.write_text(json.dumps(ROWS), encoding="utf-8")
    elif name == "d.parquet":
        parquet = pytest.importorskip("pyarrow.parquet", reason="needs nlgauge[parquet]")
        pyarrow = pytest.importorskip("pyarrow", reason="needs nlgauge[parquet]")
        parquet.write_table(pyarrow.Table.from_pylist(ROWS), path)
    else:
        with gzip.open(path, "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in ROWS)
    assert scores(capsys, str(path), *streamed) == expected


def test_pairwise_rows(tmp_path: Path, expected: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pairs.jsonl"
    pairs = [
        {
            "item": a["item"],
            "system_a": "a",
            "system_b": "b",
            "hypothesis_a": a["hypothesis"],
            "hypothesis_b": b["hypothesis"],
            "references": a["references"],
            "ratings": {"preference": ["a", "tie"]},
        }
        for a, b in zip(ROWS[:2], ROWS[2:], strict=True)
    ]
    path.write_text("".join(json.dumps(pair) + "\n" for pair in pairs), encoding="utf-8")
    assert scores(capsys, str(path)) == expected


def test_wmt_folder_with_several_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for pair in ("en-de", "en-fr"):
        for folder, name in (("sources", f"{pair}.txt"), ("references", f"{pair}.refA.txt")):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / name).write_text("one two\nthree\n")
        (tmp_path / "system-outputs" / pair).mkdir(parents=True)
        (tmp_path / "system-outputs" / pair / "s.txt").write_text("one two\nthree\n")
    assert main(["score", str(tmp_path)]) == 2
    assert "--pair" in capsys.readouterr().err
    assert scores(capsys, str(tmp_path), "--pair", "en-fr") == [pytest.approx(100.0)]


def test_missing_parquet_file_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", str(tmp_path / "no.parquet")]) == 2
    assert "no such file" in capsys.readouterr().err.lower()


def test_html_page(tmp_path: Path, expected: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    assert main(["compare", str(tmp_path / "d.jsonl"), "-m", "chrf", "--html", str(page)]) == 0
    assert "<svg" in page.read_text(encoding="utf-8")
