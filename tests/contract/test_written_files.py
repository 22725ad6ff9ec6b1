"""No output of any command replaces a file that is read, a database or a file of a study."""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from nlgauge.cli import COMMANDS, common, main, parser_for
from nlgauge.errors import InputError
from nlgauge.io.write import atomic_path

DEMO = Path(__file__).resolve().parents[2] / "src" / "nlgauge" / "demo" / "forecasts.jsonl"
OUTPUTS = ("-o", "--output", "--html", "--segments", "--log", "into")
MADE = (
    *("pictures/one.PNG", "site.key", "serving.lock", "dashboard.password", "dashboard.setup"),
    *("study.sqlite-wal", "study.sqlite-shm", "earlier-1-frozen.json", "earlier-1-study.sqlite"),
)
# How each command with an output is called, less that option; files are those of `folder` below.
CALLS = {
    "score --segments": "d.jsonl -m meteor-universal(lang=other,function=words.txt) --segments",
    "score --html": "d.jsonl -m bleu --html",
    "rate --html": "games.jsonl --html",
    "judge --output": "d.jsonl --judge metric --metric bleu --output",
    "agree --html": "d.jsonl --criterion quality --html",
    "compare --html": "--hyp a=a.txt --hyp b=b.txt --ref r.txt --html",
    "meta --html": "d.jsonl -m bleu --human quality --html",
    "attack --html": "d.jsonl -m bleu --guard chrf --html",
    "score --figures": "d.jsonl -m bleu --figures",
    "rate --figures": "games.jsonl --figures",
    "agree --figures": "d.jsonl --criterion quality --figures",
    "compare --figures": "--hyp a=a.txt --hyp b=b.txt --ref r.txt --figures",
    "meta --figures": "d.jsonl -m bleu --human quality --figures",
    "study analyse --figures": "s --judgements d.jsonl --figures",
    "agree --output": "d.jsonl --criterion quality --aggregate mean -o",
    "explain --html": "bleu d.jsonl --item 1 --system rules --html",
    "demo --output": "-o",
    "corpus profile --html": "d.jsonl --html",
    "corpus profile --figures": "d.jsonl --figures",
    "corpus example --output": "-o",
    "corpus generate --output": "c.yaml -o",
    "corpus conform --html": "d.jsonl --rules example --html",
    "corpus experiment --output": "frequency-bias -o",
    "corpus experiment --html": "frequency-bias -o out --html",
    "corpus grammar check --html": "wind d.jsonl --html",
    "corpus grammar parse --html": "wind d.jsonl --html",
    "style train --output": "s -o",
    "style score --html": "d.jsonl --articles a.txt --model s --html",
    "style score --rows": "d.jsonl --articles a.txt --model s --rows",
    "style score --items": "d.jsonl --articles a.txt --model s --items",
    "style study --output": "d.jsonl --articles a.txt -o",
    "style table --html": "d.jsonl --html",
    "corpus pcru forecasts --output": "-o",
    "corpus pcru train --output": "wind d.jsonl -o",
    "corpus pcru generate --output": "wind d.jsonl -o",
    "corpus pcru demonstrate --output": "-o",
    "style example --output": "-o",
    "style transfer --output": "s -o",
    "style transfer --networks": "s -o outputs.jsonl --networks",
    "style align --output": "a.txt b.txt -o",
    "style align --html": "a.txt b.txt -o pairs.jsonl --html",
    "style split --output": "a.txt b.txt r.txt -o",
    "lexicon paraphrases --output": "--parallel a.txt b.txt --function-words words.txt -o",
    "lexicon function-words --output": "a.txt -o",
    "lexicon copy-words --output": "a.txt b.txt --function-words words.txt -o",
    "models baseline --output": "minilm a.txt -o",
    "train --output": "reader --snli . --wordings d.jsonl -o",
    "reproduce --output": "learning-to-compare -o",
    "reproduce --html": "learning-to-compare --html",
    "study schema --output": "-o",
    "study translation --output": "eu -o",
    "study export --output": "s -o",
    "study export --log": "s -o judgements.csv --log",
    "study recheck into": "s",
    "study record --output": "s -o",
    "study analyse --html": "s --judgements d.jsonl --html",
    "study statement --output": "s -o",
}


def outputs(parser: argparse.ArgumentParser, name: str) -> Iterator[tuple[str, argparse.Action]]:
    """Every option of a command that says where to write, by its type or by its name."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, inner in action.choices.items():
                yield from outputs(inner, f"{name} {word}")
        elif _typed(action) or set(OUTPUTS) & {*action.option_strings, action.dest}:
            yield f"{name} {action.option_strings[-1] if action.option_strings else action.dest}", action


def _typed(action: argparse.Action) -> bool:
    return isinstance(action.type, type) and issubclass(action.type, common.Output)


EVERY = {name: action for command in COMMANDS for name, action in outputs(parser_for(command), command)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Inputs of all kinds, and a study that was launched, with pictures, keys and what an earlier launch left."""
    pytest.importorskip("sqlalchemy", reason="studies need the extra `study`")
    root = tmp_path_factory.mktemp("outputs")
    before = Path.cwd()
    os.chdir(root)
    try:
        options = ["--from", str(DEMO), "--systems", "rules,neural", "--judges", "12", "--seed", "7"]
        assert main(["study", "new", "s", *options]) == 0
        assert main(["study", "launch", "s"]) == 0
    finally:
        os.chdir(before)
    (root / "d.jsonl").write_bytes(DEMO.read_bytes())
    for name in ("a.txt", "b.txt", "r.txt", "words.txt"):
        (root / name).write_text("a b c\n")
    (root / "games.jsonl").write_text('{"a": "x", "b": "y", "outcome": "a"}\n')
    (root / "s" / "pictures").mkdir()
    for name in MADE:
        (root / "s" / name).write_bytes(b"kept")
    return root


def state(root: Path) -> dict[str, str]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_every_option_that_names_an_output_is_declared_as_one_and_is_tried_here() -> None:
    assert {name for name, action in EVERY.items() if _typed(action)} == set(CALLS)
    # `import --log` is read
    assert {name for name, action in EVERY.items() if not _typed(action)} == {"study import --log"}


@pytest.mark.parametrize("call", CALLS)
def test_no_output_replaces_an_input_or_a_file_of_a_study(
    call: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(folder)
    words = call.split()[:-1] + CALLS[call].split()
    read = [word for part in words for word in part.replace(")", "=").split("=") if Path(word).is_file()]
    files = [str(path.relative_to(folder)) for path in (folder / "s").rglob("*") if path.is_file()]
    if call == "study schema --output":
        files.remove("s/study.schema.json")  # the one that this command makes
    (tmp_path / "link").symlink_to(folder / "s")
    (tmp_path / "yaml").symlink_to(folder / "s" / "study.yaml")
    os.link(folder / "s" / "study.sqlite", tmp_path / "hard")
    ways = [
        str(tmp_path / "link" / "frozen.json"),
        str(tmp_path / "yaml"),
        "s/../s/study.sqlite",
        "s/STUDY.YAML",
    ]
    before, linked = state(folder), (tmp_path / "hard").read_bytes()
    for victim in [*read, *files, *ways, str(tmp_path / "hard")]:
        assert main([*words, victim]) == 2, victim
        message = capsys.readouterr().err
        assert "cannot be written to" in message, (victim, message)
    for victim in [] if call == "study schema --output" else ["s/missing/../study.sqlite-journal"]:
        assert main([*words, victim]) == 2
    assert state(folder) == before
    assert (tmp_path / "hard").read_bytes() == linked


def test_two_outputs_of_one_command_are_two_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    before = state(folder)
    assert main(["study", "export", "s", "-o", "out.jsonl", "--log", "./out.jsonl"]) == 2
    assert "written twice" in capsys.readouterr().err
    assert state(folder) == before


def test_outputs_in_a_study_folder_are_written_and_replaced(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for _ in range(2):
        assert main(["study", "schema", "-o", "s/schema.json"]) == 0
        assert main(["study", "schema", "-o", "s/study.schema.json"]) == 0
        assert main(["lexicon", "function-words", "a.txt", "-o", "s/words.gz"]) == 0
    assert gzip.decompress((folder / "s" / "words.gz").read_bytes()) == b"a\nb\nc\n"
    for name in ("schema.json", "words.gz"):
        (folder / "s" / name).unlink()


def test_a_data_folder_keeps_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inner = tmp_path / "wmt" / "system-outputs"
    inner.mkdir(parents=True)
    (inner / "sys.csv").write_text("kept")
    assert main(["score", str(tmp_path / "wmt"), "--segments", str(inner / "sys.csv")]) == 2
    assert "is not replaced" in capsys.readouterr().err
    assert (inner / "sys.csv").read_text() == "kept"


def test_the_demo_replaces_only_what_is_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "forecasts.jsonl").write_text("mine")
    assert main(["demo", "-o", str(tmp_path)]) == 2
    assert "not the demo's" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["forecasts.jsonl"]
    assert (tmp_path / "forecasts.jsonl").read_text() == "mine"
    (tmp_path / "forecasts.jsonl").rename(tmp_path / "report.html")
    assert main(["demo", "-o", str(tmp_path)]) == 2
    assert (tmp_path / "report.html").read_text() == "mine"


def test_from_python_too_neither_databases_nor_studies_are_replaced(tmp_path: Path, folder: Path) -> None:
    base = tmp_path / "any.db"
    with sqlite3.connect(base) as connection:
        connection.execute("create table t (x)")
    for path in (base, tmp_path / "any.db-wal", folder / "s" / "forecasts.jsonl"):
        with pytest.raises(InputError, match="cannot be written to"), atomic_path(path):
            raise AssertionError("written")


def test_texts_outside_the_folder_of_a_study_that_is_being_edited_are_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "texts.jsonl").write_text("kept")
    (tmp_path / "s" / "study.yaml").write_text("data: ../texts.jsonl\n  title: : broken\n")
    assert main(["study", "statement", str(tmp_path / "s"), "-o", str(tmp_path / "texts.jsonl")]) == 2
    assert "is read by this command" in capsys.readouterr().err
    assert (tmp_path / "texts.jsonl").read_text() == "kept"
