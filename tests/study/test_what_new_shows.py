"""`study new --task T`: the file shows what the task's criteria are judged by, as far as the rows hold it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nlgauge.cli import main
from nlgauge.study import design
from nlgauge.study.protocols.outputs.file import output_study

ROWS: dict[str, dict[str, Any]] = {
    "qa": {"question": "Where?", "context": "It rains in the north.", "references": ["north"]},
    "qg": {"context": "It rains in the north.", "answer": "north"},
    "d2t": {"source": [["area", "north"], ["weather", "rain"]]},
    "dialogue": {"source": ["Hello", "What is the weather?"]},
    "summarisation": {"source": "A long report."},
    "mt": {"source": "Es regnet.", "references": ["It rains."]},
    "captioning": {"image": "rain.png"},
}
SHOWN = {
    "qa": ["context", "question"],
    "qg": ["context"],
    "d2t": ["table"],
    "dialogue": ["history"],
    "summarisation": ["source"],
    "mt": ["reference"],
    "captioning": ["image"],
}


def data(folder: Path, row: dict[str, Any]) -> str:
    lines = [
        json.dumps({"item": str(k), "system": name, "hypothesis": f"{name} {k}", **row})
        for name in ("a", "b", "c")
        for k in range(6)
    ]
    path = folder / "rows.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("task", ROWS)
@pytest.mark.parametrize("protocol", ["likert", "pairwise", "spans"])
def test_criteria_are_shown_what_they_are_judged_by(protocol: str, task: str, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    words = [
        "study",
        "new",
        str(folder),
        "--protocol",
        protocol,
        "--task",
        task,
        "--from",
        data(tmp_path, ROWS[task]),
    ]
    assert main(words) == 0
    study = output_study(design.load(folder))
    shown = {show.what for show in study.show}
    wanted = {thing for one in study.questions_asked for thing in one.shown} & set(SHOWN[task])
    if task == "mt" and protocol == "pairwise":  # that question is for judges who read the source
        wanted = {"source"}
    assert wanted <= shown <= {*SHOWN[task], "source", "table", "history"}
    if protocol == "likert":
        assert sorted(shown) == SHOWN[task]
    assert "answer" not in shown  # withheld in question generation
    if task == "qa" and protocol == "likert":  # plausibility has a page before the context
        assert study.questions_asked[0].id == "plausibility" and len(study.parts) == 2


def test_the_source_is_the_question_where_rows_have_a_context(tmp_path: Path) -> None:
    row = {"source": "Where?", "context": "It rains in the north."}
    words = [
        "study",
        "new",
        str(tmp_path / "s"),
        "--protocol",
        "likert",
        "--task",
        "qa",
        "--from",
        data(tmp_path, row),
    ]
    assert main(words) == 0
    study = output_study(design.load(tmp_path / "s"))
    assert {(show.what, show.held) for show in study.show} == {("context", "context"), ("question", "source")}
    assert main(["study", "launch", str(tmp_path / "s")]) == 0


def test_what_rows_do_not_hold_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "study",
        "new",
        str(tmp_path / "s"),
        "--protocol",
        "likert",
        "--task",
        "qa",
        "--from",
        data(tmp_path, {}),
    ]
    assert main(words) == 0
    said = " ".join(capsys.readouterr())
    assert "correctness is judged by the context, which the rows of rows.jsonl do not hold" in said
