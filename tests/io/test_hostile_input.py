"""Input that is broken on purpose: a sentence, soon, and nothing read wrongly in silence."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import nlgauge
from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.io.judgements import read_judgements
from nlgauge.io.write import atomic_path
from nlgauge.metrics.spec import parse

ROW = {"item": "1", "system": "a", "hypothesis": "h", "references": ["r"]}


def written(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_number_of_thousands_of_digits_is_no_reference_and_no_item() -> None:
    with pytest.raises(InputError, match="unknown key 'reference_1"):
        nlgauge.load([{"item": "1", "hypothesis": "h", f"reference_{'1' * 4301}": "r"}])
    with pytest.raises(InputError, match="thousands of digits"):
        nlgauge.load([ROW | {"item": 10**5000}])


def test_no_file_has_a_nul_in_its_name() -> None:
    with pytest.raises(InputError, match="NUL"):
        nlgauge.load("a\0b.jsonl")
    with pytest.raises(InputError, match="NUL"), atomic_path("a\0b.jsonl"):
        raise AssertionError("opened")


def test_references_that_are_none_are_refused() -> None:
    with pytest.raises(InputError, match="segment 0 are None"):
        parse("bleu").corpus(["x"], [None])  # type: ignore[list-item]


@pytest.mark.parametrize("words", (["score", "PIPE"], ["score", "--hyp", "a=PIPE", "--ref", "r.txt"]))
def test_a_named_pipe_is_refused_and_not_waited_for(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.jsonl")
    Path("r.txt").write_text("a\n")
    assert main([word.replace("PIPE", "pipe.jsonl") for word in words]) == 2
    assert "named pipe" in capsys.readouterr().err
    with pytest.raises(InputError, match="named pipe"):
        nlgauge.load("pipe.jsonl")


def test_devices_are_refused_and_the_pipes_of_a_shell_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a b\n")
    with pytest.raises(InputError, match="is a device"):
        nlgauge.load(hyp={"a": "/dev/zero"}, refs=[tmp_path / "a.txt"])
    command = [
        sys.executable,
        "-m",
        "nlgauge",
        "score",
        "--hyp",
        "a=/dev/stdin",
        "--ref",
        "a.txt",
        "-m",
        "ter",
    ]
    done = subprocess.run(command, input=b"a b\n", cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_packed_file_of_line_ends_only_is_refused_at_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "blank.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(20):
            file.write(b"\n" * 1_000_000)
    with pytest.raises(InputError, match="empty lines"):
        nlgauge.load(path)
    with pytest.raises(InputError, match="empty lines"):
        nlgauge.load(hyp={"a": path}, refs=[path])


def test_a_parquet_file_with_a_column_twice_is_refused(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    names = ["item", "system", "hypothesis", "reference", "hypothesis"]
    table = pyarrow.Table.from_arrays([pyarrow.array([name]) for name in names], names=names)
    parquet.write_table(table, tmp_path / "twice.parquet")
    with pytest.raises(InputError, match="'hypothesis' occurs twice"):
        nlgauge.load(tmp_path / "twice.parquet")


def test_an_underscore_makes_no_number(tmp_path: Path) -> None:
    path = tmp_path / "rated.csv"
    path.write_text("item,system,hypothesis,reference,ratings.q\n1,a,h,r,1_000\n")
    with pytest.raises(InputError, match="'1_000'"):
        nlgauge.load(path)
    path.write_text("item,judge,value\n1,a,1_000\n1,b,2\n2,a,3\n2,b,4\n")
    with pytest.raises(InputError, match="'1_000'"):
        read_judgements(path)


def test_a_rating_needs_a_rater_and_a_gap_needs_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rated = ROW | {"ratings": {"q": [1, 2]}, "raters": ["ann", None]}
    for command in (["agree"], ["score", "--human", "q"]):
        assert main([command[0], str(written(tmp_path / "r.jsonl", rated)), *command[1:]]) == 2
        assert "names nobody" in capsys.readouterr().err
    rows = [rated | {"item": str(item), "ratings": {"q": [item, item, None]}} for item in range(3)]
    found = read_judgements([row | {"raters": ["ann", "bob", None]} for row in rows])
    assert found.judges == ("ann", "bob")


def test_a_name_that_is_not_utf8_is_refused_and_such_a_file_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "\udcff.txt"):
        Path(name).write_text("a b\n")
    assert main(["score", "--hyp", "\udcff=a.txt", "--ref", "a.txt", "--json"]) == 2
    assert "not UTF-8" in capsys.readouterr().err
    Path("\udcff.csv").write_text("item,judge,value\n1,a,1\n1,b,2\n2,a,3\n2,b,4\n")
    assert main(["agree", "\udcff.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)
