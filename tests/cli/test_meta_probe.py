"""`nlgauge meta --probe` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nlgauge.cli import COMMANDS, main
from nlgauge.report.pages import ELEMENT

pytestmark = pytest.mark.skipif("meta" not in COMMANDS, reason="the command meta is not installed")


@pytest.fixture
def data(tmp_path: Path) -> str:
    rows = [
        {
            "item": str(number),
            "system": "s",
            "source": f"src {number}",
            "references": [
                f"The {number} men bought a big car in Oslo.",
                f"A big car was bought by {number} men.",
            ],
            "hypothesis": f"The {number} men bought a car.",
        }
        for number in range(2, 8)
    ]
    path = tmp_path / "set.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def test_table_and_sentences(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "meta", data, "-m", "bleu", "-m", "ter", "--probe")
    assert (code, err) == (0, "")
    for word in (
        "drop",
        "negate",
        "synonym",
        "preserved",
        "changed",
        "damaged",
        "bleu ↑",
        "ter ↓",
        "Kendall's tau-b",
    ):
        assert word in out
    assert "note: shuffle: applied to 0 of 6 texts; not applied: one sentence only (6)" in out


def test_json_has_stable_keys(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(
        capsys,
        "meta",
        data,
        "-m",
        "chrf",
        "--json",
        "--on",
        "s",
        "--severities",
        "0.5",
        "1",
        "--probe",
        "drop",
        "case",
    )
    found = json.loads(out)
    assert code == 0
    assert {
        "coverage",
        "reactions",
        "monotonicity",
        "false_alarms",
        "severities",
        "notes",
        "sentence",
    } <= set(found)
    assert [(row["perturbation"], row["severity"]) for row in found["reactions"]] == [
        ("drop", 0.5),
        ("drop", 1.0),
        ("case", 0.5),
        ("case", 1.0),
    ]
    row = found["reactions"][1]
    assert {
        "metric",
        "meaning",
        "n",
        "clean",
        "perturbed",
        "loss",
        "effect",
        "auc",
        "worse",
        "better",
    } <= set(row)
    assert row["loss"]["estimate"] == pytest.approx(row["clean"] - row["perturbed"])


def test_the_challenge_set_needs_no_data(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    code, out, _ = run(capsys, "meta", "-m", "chrf", "--json", "--html", str(page), "--probe", "challenge")
    assert code == 0
    found = json.loads(out)["challenge"]
    assert found["items"] == 72
    assert {row["situation"] for row in found["preferences"]} > {"one word", "generic reply", "all"}
    assert "Challenge set" in page.read_text(encoding="utf-8")


def test_the_page_stands_alone(data: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    code, _, _ = run(capsys, "meta", data, "-m", "bleu", "--html", str(page), "--probe", "all", "challenge")
    text = page.read_text(encoding="utf-8")
    assert code == 0
    assert text.count("<svg") > 10
    assert "http-equiv" in text
    assert "<script" not in text.replace(ELEMENT, "")
    assert "src=" not in text


def test_data_may_follow_the_option(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "meta", "-m", "chrf", "--probe", data)[0] == 0
    assert run(capsys, "meta", "-m", "chrf", "--probe", "drop", data)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--probe", "dorp"], "there is no probe 'dorp'; did you mean drop"),
        (["--probe", "--severities", "2"], "above 0 and at most 1; got 2"),
        (["--probe", "--severities", "much"], "must be numbers above 0 and up to 1; got much"),
        (["--probe", "--on", "nobody"], "has no system 'nobody'"),
        (["--probe", "--texts", "0"], "must be at least 1"),
        (["--probe", "-m", "@BLEU"], "is a score stored in the data"),
        (["--probe", "-m", "blue"], "blue"),
    ],
)
def test_refusals(data: str, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "meta", data, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_perturbing_needs_data(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "meta", "--probe", "drop")
    assert code == 2
    assert "no data given" in err
