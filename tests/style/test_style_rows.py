"""The rows of articles, pairs and transfers, and the commands' refusal of names that they cannot write to."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from typing import Any

import pytest
from style_fakes import write

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.style.forms import PARTS, read_articles, read_pairs, read_split

ROW = {"id": "a1", "source": "day", "date": "2026-01-31", "headline": "h", "text": "t"}


@pytest.mark.parametrize(
    ("date", "read"),
    [("2026-01-31", True), ("2026-01-31T08:00:00Z", True), ("20260131", False), ("2026-W05-6", False)],
)
def test_a_date_is_written_in_one_way(date: str, read: bool, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [{**ROW, "date": date}])
    if read:
        assert read_articles(path)[0].date == datetime.date(2026, 1, 31)
    else:
        with pytest.raises(InputError, match=f"line 1: date must be written as 2026-01-31, not '{date}'"):
            read_articles(path)


def test_dates_of_parquet_are_read(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pytest.importorskip("pyarrow").Table

    day = datetime.date(2026, 1, 31)
    for kind in (day, datetime.datetime(2026, 1, 31, 8)):
        parquet.write_table(table.from_pylist([{**ROW, "date": kind}]), tmp_path / "a.parquet")
        assert read_articles(tmp_path / "a.parquet")[0].date == day


def test_a_source_that_no_direction_can_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 1: the source 'day>night' has a > in its name"):
        read_articles(write(tmp_path / "a.jsonl", [{**ROW, "source": "day>night"}]))


def test_a_table_that_leaves_texts_empty_has_them(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,source,headline,text\na,day,h,\nb,day,,t\n", encoding="utf-8")
    assert [(row.headline, row.text) for row in read_articles(tmp_path / "a.csv")] == [("h", ""), ("", "t")]
    (tmp_path / "a.csv").write_text("id,source,headline\na,day,h\n", encoding="utf-8")
    with pytest.raises(InputError, match="text must be a text, there is none"):
        read_articles(tmp_path / "a.csv")


def test_an_empty_file_is_told_in_the_words_of_its_rows(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").touch()
    for read, row in ((read_articles, "article"), (read_pairs, "pair")):
        with pytest.raises(InputError, match=f"it has no rows; expected one row for each {row}"):
            read(tmp_path / "none.jsonl")


def test_a_part_of_a_split_may_be_empty_but_not_missing(tmp_path: Path) -> None:
    for part in PARTS:
        write(tmp_path / f"{part}.jsonl", [ROW] if part == "test" else [])
    assert {part: len(articles) for part, articles in read_split(tmp_path).items()} == {
        **dict.fromkeys(PARTS, 0),
        "test": 1,
    }
    (tmp_path / "a3.jsonl").unlink()
    with pytest.raises(InputError, match=r"has no a3\.jsonl; expected a folder that nlgauge style split wrote"):
        read_split(tmp_path)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("example -o {file}", "is a file, not a folder"),
        ("example -o {file}/papers", "is a file, not a folder"),
        ("example --outputs {split} -o {split}/test.jsonl", "which this command reads"),
        ("example --outputs {split} -o out.txt", "the extension .txt is not one of"),
        ("split a.jsonl b.jsonl pairs.jsonl -o {file}", "is a file, not a folder"),
        ("train {split} -o {file}", "is a file, not a folder"),
        ("train {split} -o new --rows {file}", "is a file, not a folder"),
        ("transfer {split} -o {split}", "is read by this command"),
        ("transfer {split} -o {split}/test.jsonl", "which this command reads"),
        ("align {file} {file} -o out.txt", "the extension .txt is not one of"),
        ("example --outputs {empty} -o out.jsonl", "the test part of empty has no article"),
        ("transfer {split} -o out.jsonl --width 1000000", "width must be from 1 to 4,096, not 1,000,000"),
        ("train {two} -o new --only main", "nothing can be held out"),
    ],
)
def test_names_that_cannot_be_written_to(
    words: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("split").mkdir()
    Path("empty").mkdir()
    Path("two").mkdir()
    for part in PARTS:
        write(Path("split") / f"{part}.jsonl", [ROW])
        write(Path("empty") / f"{part}.jsonl", [])
        write(Path("two") / f"{part}.jsonl", [ROW, {**ROW, "id": "b1", "source": "night"}])
    Path("file").write_text("kept", encoding="utf-8")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert main(["style", *words.format(file="file", split="split", empty="empty", two="two").split()]) == 2
    assert told in re.sub(r"\s+", " ", capsys.readouterr().err)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert not Path("new").exists()
