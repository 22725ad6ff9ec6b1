"""`nlgauge meta` from the command line: stable keys, files in, page out, one sentence where it refuses."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from nlgauge.cli import main

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "meta"))
from rows import judged

KEYS = {"metric", "criterion", "level", "statistic", "value", "low", "high", "n"}


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "judged.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in judged()), encoding="utf-8")
    return str(path)


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["meta", *words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def refusal(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["meta", *words]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    return shown.err


def test_the_stable_keys(capsys: pytest.CaptureFixture[str], data: str) -> None:
    found = answer(
        capsys, data, "-m", "chrf", "-m", "@good", "--human", "quality", "--level", "system", "--draws", "100"
    )
    assert {(one["metric"], one["level"]) for one in found["correlations"]} == {
        ("chrf", "system"),
        ("@good", "system"),
    }
    assert all(set(one) >= KEYS for one in found["correlations"])
    assert found["receipts"]["chrf"].startswith("nlgauge=")
    assert found["sentence"].startswith("No conclusion: 4 systems are too few")


def test_several_statistics(capsys: pytest.CaptureFixture[str], data: str) -> None:
    words = (
        "-m",
        "@good",
        "--statistic",
        "kendall",
        "--statistic",
        "acc-eq",
        "--average",
        "item",
        "--draws",
        "0",
    )
    found = answer(capsys, data, *words)
    assert [one["statistic"] for one in found["correlations"]] == ["kendall-b", "acc-eq"]
    assert found["correlations"][0]["low"] is None


def test_the_same_seed_gives_the_same_output(capsys: pytest.CaptureFixture[str], data: str) -> None:
    words = (data, "-m", "chrf", "-m", "@good", "--draws", "100", "--seed", "4")
    assert answer(capsys, *words) == answer(capsys, *words)


def test_the_report_and_its_page(capsys: pytest.CaptureFixture[str], data: str, tmp_path: Path) -> None:
    page = tmp_path / "meta.html"
    words = ("--report", "belz-reiter", "-m", "bleu", "-m", "@TER", "--draws", "100", "--html", str(page))
    found = answer(capsys, data, *words)
    assert {"systems", "scores", "matrix", "tests"} <= set(found["belz_reiter"])
    assert found["references"][0].keys() >= {"metric", "system", "score", "references", "outscores"}
    assert [one["references"] for one in found["reference_curve"]] == [1, 2, 3]
    text = page.read_text(encoding="utf-8")
    assert "<svg" in text
    assert "http" not in text.replace("http-equiv", "")


def test_what_a_terminal_shows(capsys: pytest.CaptureFixture[str], data: str) -> None:
    assert main(["meta", data, "-m", "bleu", "-m", "@TER", "--report", "belz-reiter", "--draws", "100"]) == 0
    shown = capsys.readouterr().out
    for heading in (
        "Scores and ranks",
        "Pearson's r of the systems' scores",
        "Systems beside the references",
    ):
        assert heading in shown
    assert "@TER ↓" in shown
    assert "The ranking of the systems" in shown


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("-m", "blue"), "there is no metric 'blue'"),
        (("--human", "speed"), "has no criterion 'speed'"),
        (("--where", "system"), "expected KEY=VALUE"),
        (("--where", "system=x"), "no row of"),
        (("--without", "x"), "no system 'x' to leave out"),
        (("--statistic", "phi"), "unknown statistic 'phi'"),
        (("--level", "system", "--average", "item"), "nothing to average over items"),
        (("--pairs", "missing.jsonl"), "missing.jsonl"),
        (("--references", "missing.jsonl"), "missing.jsonl"),
        (("--confidence", "2"), "confidence level"),
        (("--draws", "-1"), "at least 0"),
        (("--draws", "1"), "at least 100 for intervals"),
        (("--where", "nokey=1"), "has the key nokey"),
        (("--html", ""), "file to write is empty"),
        (("--on", "a"), "--on needs --probe"),
        (("--severities", "1"), "--severities needs --probe"),
        (("--pairs", "pairs.jsonl", "--statistic", "pearson"), "pearson needs scores"),
        (("--margin", "25", "--statistic", "pearson"), "--margin says which of two outputs is better"),
        (("--margin", "0.5", "--level", "system"), "leave out --level system"),
        (("--margin", "1e9"), "differ by more than 1e+09"),
        (("--probe", "challenge"), "brings its own texts"),
        (("--html", "no/such/folder/x.html"), "there is no folder"),
    ],
)
def test_refusals(capsys: pytest.CaptureFixture[str], data: str, words: tuple[str, ...], sentence: str) -> None:
    assert sentence in refusal(capsys, data, *words)


def test_no_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert "no data given" in refusal(capsys)


def test_a_page_never_overwrites_what_is_read(capsys: pytest.CaptureFixture[str], data: str) -> None:
    before = Path(data).read_bytes()
    assert "is read by this command" in refusal(capsys, data, "-m", "@good", "--html", data)
    assert Path(data).read_bytes() == before
