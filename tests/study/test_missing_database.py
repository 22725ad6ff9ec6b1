"""Only a launch makes a database: every other command refuses an address at which there is none."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from studies import Clock, launched

from nlgauge.cli import main
from nlgauge.study.store import FILE, Store

COMMANDS = [
    ["status"],
    ["pause"],
    ["resume"],
    ["close"],
    ["reopen"],
    ["links"],
    ["simulate"],
    ["export", "-o", "out.csv"],
    ["forget", "j1"],
    ["run-judge", "--judge", "chars"],
    ["analyse"],
    ["serve", "--port", "0"],
]


@pytest.fixture
def folder(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    launched(tmp_path / "s", clock, Store.memory())
    return tmp_path / "s"


def refused(capsys: pytest.CaptureFixture[str], words: list[str]) -> str:
    assert main(["study", *words]) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    return said


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_no_database_is_made(folder: Path, capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    said = refused(capsys, [words[0], str(folder), *words[1:], "--db", "sqlite:///typo.db"])
    assert "there is no database typo.db; " in said and "--db" in said
    said = refused(capsys, [words[0], str(folder), *words[1:]])
    assert FILE in said
    assert not Path("typo.db").exists() and not (folder / FILE).exists()


def test_somebody_elses_database_is_left_as_it_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with sqlite3.connect("other.db") as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()
    said = refused(capsys, ["status", str(folder), "--db", "sqlite:///other.db"])
    assert "other.db holds no study; name the one" in said
    with sqlite3.connect("other.db") as connection:
        tables = connection.execute("SELECT name FROM sqlite_master").fetchall()
    connection.close()
    assert tables == [("recipes",)]


def test_a_launch_makes_one(folder: Path) -> None:
    (folder / "frozen.json").unlink()
    assert main(["study", "launch", str(folder), "--db", "sqlite:///made.db"]) == 0
    assert main(["study", "status", str(folder), "--db", "sqlite:///made.db"]) == 0
