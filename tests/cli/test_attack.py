"""`nlgauge attack`: what it prints and writes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nlgauge.cli import main
from nlgauge.meta.adversarial import search

ROWS = [
    {"item": str(number), "system": "s", "hypothesis": text, "references": [reference]}
    for number, (text, reference) in enumerate(
        [("a dog <b> sat", "the cat sat"), ("rain by noon", "heavy rain is expected by noon"), ("x", "x")]
    )
]


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return str(path)


def test_tables_examples_and_conclusion(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attack", data, "-m", "ter", "--guard", "chrf", "--tolerance", "30", "--edits", "2"]) == 0
    told = capsys.readouterr().out
    assert "edits  outputs  ter ↓  chrf ↑" in told and "first edit of this kind" in told
    assert "[-" in told and "{+" in told and "without improving chrf" in told
    assert "|guards=chrf(" in told and "|tolerance=30|" in told


def test_json_has_the_path_of_every_output(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attack", data, "-m", "bleu", "--kinds", "insert,delete", "--kinds", "swap", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [kind["kind"] for kind in told["kinds"]] == ["delete", "insert", "swap"]
    assert [path["item"] for path in told["paths"]] == ["0", "1", "2"] and told["paths"][2]["steps"] == []
    step = told["paths"][1]["steps"][0]
    assert set(step) == {"kind", "place", "before", "after", "text", "score", "guards", "gain"}
    assert set(told) >= {
        "metric",
        "direction",
        "guards",
        "curve",
        "raised",
        "gain",
        "settings",
        "notes",
        "receipts",
    }


def test_the_page_marks_words_and_escapes_them(data: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "attack.html"
    assert main(["attack", data, "-m", "bleu", "--guard", "ter", "--tolerance", "50", "--html", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "<ins>" in text and "&lt;b&gt;" in text and "<b>" not in text
    assert "Gain by number of edits" in text and "insert: a word put in" in text


def test_nothing_is_written_when_the_search_is_interrupted(
    data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    page = tmp_path / "attack.html"
    page.write_text("old", encoding="utf-8")
    monkeypatch.setattr(search._Search, "_step", interrupted)
    assert main(["attack", data, "-m", "bleu", "--html", str(page)]) == 130
    assert page.read_text(encoding="utf-8") == "old" and sorted(path.name for path in tmp_path.iterdir()) == [
        "attack.html",
        "set.jsonl",
    ]
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "name the one metric that is to be raised"),
        (["-m", "bleu", "-m", "chrf"], "name the one metric that is to be raised"),
        (["-m", "bleu", "--guard", "bleu"], "bleu cannot guard itself"),
        (["-m", "bleu", "--kinds", "swp"], "swap"),
        (["-m", "bleu", "--kinds", ","], "no kind of edit"),
        (["-m", "selfbleu"], "as a set"),
        (["-m", "bleu", "--tolerance", "-1"], "tolerance"),
        (["-m", "bleu", "--edits", "0"], "--edits"),
        (["-m", "bleu", "--system", "t"], "no system 't'"),
    ],
)
def test_refusals(data: str, options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["attack", data, *options]) == 2
    told = capsys.readouterr()
    assert message in told.err and told.out == ""


def test_long_names_lose_their_middle_and_an_interval_is_explained_where_one_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def attacked(rows: list[dict[str, object]]) -> str:
        path = tmp_path / "long.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        assert main(["attack", str(path), "-m", "chrf", "--edits", "1"]) == 0
        return capsys.readouterr().out

    named = [
        {**ROWS[number % 2], "item": f"a-document-with-a-very-long-name-of-paragraph-{number}"} for number in range(24)
    ]
    told = attacked(named)
    assert "\na-document-with-…-of-paragraph-1 " in told and "very-long-name" not in told
    assert "[…] 95% interval" in told
    assert "[…]" not in attacked(named[:2]), "two items have no interval"
