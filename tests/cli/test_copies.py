"""Systems whose outputs are the references, systems left out, and pairwise rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nlgauge.cli import main


def write(folder: Path, items: int = 12) -> str:
    rows = []
    for item in range(items):
        text = f"the number {item} stands here"
        for system, output in (
            ("gold", f"{text} \n"),
            ("odd", f"number {item}"),
            ("even", f"the {item} is here"),
        ):
            ratings = {"q": item % 3 + len(output)}
            rows.append({"item": str(item), "system": system, "hypothesis": output, "references": [text, "x"]})
            rows[-1]["ratings"] = ratings
    path = folder / "rows.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return str(path)


@pytest.mark.parametrize("command", ["score", "compare", "meta"])
def test_references_among_the_systems_are_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    words = [command, write(tmp_path), "-m", "chrf"]
    assert main(words) == 0
    assert "gold's texts are references (12 of 12 items): leave it out with --without gold" in capsys.readouterr().out
    assert main([*words, "--without", "gold"]) == 0
    left = capsys.readouterr().out
    assert "gold" not in left and "systems=2" in left


def test_few_items_are_not_warned_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", write(tmp_path, 9), "-m", "chrf"]) == 0
    assert "references (" not in capsys.readouterr().out


def test_unknown_systems_cannot_be_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", write(tmp_path), "-m", "chrf", "--without", "gol"]) == 2
    assert "did you mean gold" in capsys.readouterr().err


def test_pairwise_rows_point_to_rate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = {"item": "1", "hypothesis_a": "a b", "hypothesis_b": "a", "references": ["a b c"]}
    path = tmp_path / "pairs.jsonl"
    rows = [row | {"item": str(item), "ratings": {"preference": "a"}} for item in range(4)]
    path.write_text("\n".join(json.dumps(one) for one in rows))
    assert main(["score", str(path), "-m", "chrf"]) == 0
    assert f"nlgauge rate {path}" in capsys.readouterr().out
    assert main(["compare", str(path), "--human", "preference"]) == 2
    assert "nlgauge rate" in capsys.readouterr().err


def test_intervals_keep_the_notes_made_before_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", write(tmp_path), "-m", "chrf", "--ci", "--trials", "100"]) == 0
    assert "gold's texts are references" in capsys.readouterr().out
