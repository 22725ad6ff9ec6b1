"""`nlgauge corpus profile`: tables, formats, JSON and the page; what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nlgauge.cli import main

ROWS = [
    {
        "item": source,
        "system": system,
        "source": source,
        "references": [f"{name} is a pub <b>."],
        "hypothesis": text,
        "ratings": {"quality": len(text)},
    }
    for name, source in ((name, f"name[{name}], eatType[pub]") for name in ("Cotto", "Zizzi", "Cocum"))
    for system, text in (("good", f"{name} is a pub."), ("bad", f"{name} is cheap."))
]


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return str(path)


@pytest.fixture
def example(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    path = str(tmp_path / "places.jsonl")
    assert main(["corpus", "example", "-o", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"corpus": path}
    return path


def test_tables_of_systems(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "profile", data]) == 0
    told = capsys.readouterr().out
    good, bad = (next(line for line in told.splitlines() if line.startswith(name)) for name in ("good", "bad"))
    assert good.split()[1:4] == ["0.00%", "0.00%", "0.00%"]
    assert bad.split()[1:4] == ["50.00%", "0.00%", "50.00%"]  # no pub, and a price that nobody gave
    assert "an estimate by patterns for the attributes of E2E" in told


def test_columns_of_other_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "set.csv"
    path.write_text('input,gold\n"name[Cotto], eatType[pub]",Cotto is a pub.\n', encoding="utf-8")
    asked = [
        "corpus",
        "profile",
        str(path),
        "--column",
        "source=input",
        "--column",
        "references=gold",
        "--json",
    ]
    assert main(asked) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["inputs"]["predicates"] == 2 and told["outputs"]["texts"] == 1


def test_json_has_every_predicate(example: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "profile", example, "--rows", "1", "--accuracy", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {
        *("inputs", "outputs", "overlaps", "method", "noise", "systems", "accuracy", "frequency"),
    }
    assert told["inputs"]["frequencies"]["location"] == 8 and len(told["outputs"]["single"]) == 8
    assert told["noise"]["by_slot"]["missing"] == {"lengthInMetres": 1}
    assert told["accuracy"]["precision"] == 1


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("markdown", "| leader | 2 | 2 | 1.00 |"),
        ("latex", r"leader & 2 & 2 & 1.00 \\"),
        ("csv", "leader,2,2,1.0,0"),
    ],
)
def test_tables_for_papers(example: str, form: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "profile", example, "--format", form, "--rows", "0"]) == 0
    assert words in capsys.readouterr().out


def test_ratings_by_frequency(data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train = tmp_path / "train.csv"
    train.write_text('mr,ref\n"name[Cotto], eatType[pub]",Cotto is a pub.\n', encoding="utf-8")
    assert main(["corpus", "profile", data, "--train", str(train), "--human", "quality", "--without", "bad"]) == 0
    told = capsys.readouterr().out
    assert "Mean quality by training triples of the rarest predicate" in told and "1 to 9 (n = 3)" in told
    assert not any(line.startswith("bad") for line in told.splitlines())


def test_the_page_escapes_and_has_plots(data: str, tmp_path: Path) -> None:
    page, plots = tmp_path / "profile.html", tmp_path / "plots"
    assert main(["corpus", "profile", data, "--html", str(page), "--figures", str(plots)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "Frequency of predicates" in text and text.count("<svg") >= 3 and "<b>" not in text
    assert len(list(plots.glob("*.svg"))) == 3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--human", "quality"], "--train and --human go together"),
        (["--accuracy"], "needs annotated templates"),
        (["--without", "godo"], "did you mean good"),
        (["--level", "2"], "the level must lie between 0 and 1"),
        (["--html", "no/such/page.html"], "there is no folder"),
    ],
)
def test_refusals(data: str, options: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "profile", data, *options]) == 2
    out, error = capsys.readouterr()
    assert not out and words in error and error.count("\n") == 1
