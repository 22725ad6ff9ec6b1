"""Every command that reads data can be told what its columns are called."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from nlgauge.cli import COMMANDS, main, parser_for

READS = ("DATA", "GAMES")  # what the help of the commands calls an evaluation set and judgements
ROWS = [
    {
        "item": f"i{item}",
        "system": system,
        "hypothesis": text,
        "source": f"input {item}",
        "reference": "a cat sat here",
    }
    for item in range(12)
    for system, text in (("one", f"the cat sat {item}"), ("two", f"a cat {item} sat here"))
]
RENAMED = {"item": "nr", "system": "model", "hypothesis": "answer", "source": "asked", "reference": "gold"}


def parsers() -> Iterator[argparse.ArgumentParser]:
    waiting = [parser_for(command) for command in COMMANDS]
    while waiting:
        parser = waiting.pop()
        inside = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
        waiting += [sub for action in inside for sub in set(action.choices.values())]
        yield parser


def test_every_command_that_reads_data_has_the_option_column() -> None:
    reading = [parser for parser in parsers() if any(action.metavar in READS for action in parser._actions)]
    named = {parser.prog.removeprefix("nlgauge ") for parser in reading}
    assert named >= {
        "score",
        "compare",
        "meta",
        "tune",
        "agree",
        "rate",
        "explain",
        "review-questions",
        "study new",
    }
    lacking = {parser.prog for parser in reading if "--column" not in parser._option_string_actions}
    assert not lacking


def table(path: Path, names: dict[str, str]) -> str:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [names[key] for key in ROWS[0]])
        writer.writeheader()
        writer.writerows({names[key]: value for key, value in row.items()} for row in ROWS)
    return str(path)


@pytest.mark.parametrize("protocol", ["triangle", "likert", "pairwise", "chat"])
def test_a_study_is_made_of_data_whose_columns_have_other_names(
    protocol: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = table(tmp_path / "usual.csv", {key: key for key in RENAMED})
    other = table(tmp_path / "other.csv", RENAMED)
    columns = [f"--column={key}={name}" for key, name in RENAMED.items()]
    made: list[dict[str, Any]] = []
    for folder, data, more in (("a", usual, []), ("b", other, columns)):
        asked = ["study", "new", str(tmp_path / folder), "--protocol", protocol, "--from", data, *more]
        assert main([*asked, "--seed", "1", "--json"]) == 0
        made.append(orjson.loads(capsys.readouterr().out))
    first, second = made
    assert first.pop("file") != second.pop("file")
    assert first == second
    kept = [orjson.loads(line) for line in (tmp_path / "b" / "other.study.jsonl").read_bytes().splitlines()]
    assert sorted(row["hypothesis"] for row in kept) == sorted(row["hypothesis"] for row in ROWS)
    if protocol != "chat":  # whose systems are called, here under no address
        from nlgauge.study.file import study
        from nlgauge.study.freeze.frozen import freeze

        frozen = [freeze(study.load(tmp_path / folder), tmp_path / folder) for folder in ("a", "b")]
        assert [text.text for text in frozen[0].texts] == [text.text for text in frozen[1].texts]


def test_a_column_that_is_not_there_makes_no_study(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = table(tmp_path / "usual.csv", {key: key for key in RENAMED})
    code = main(["study", "new", str(tmp_path / "a"), "--from", data, "--column", "hypothesis=answer"])
    assert code == 2 and "answer" in capsys.readouterr().err
    assert not (tmp_path / "a").exists()
