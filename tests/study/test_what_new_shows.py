"""`study new --task T`: the file shows what the task's criteria are judged by, as far as the rows hold it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nlgauge.cli import main
from nlgauge.study.file import study as design
from nlgauge.study.freeze.frozen import read
from nlgauge.study.languages import worded
from nlgauge.study.protocols.annotations.file import span_study
from nlgauge.study.protocols.comparisons.file import TWO
from nlgauge.study.protocols.outputs.file import SEVERAL, SINGLE, output_study

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


def test_new_and_check_say_the_same_of_what_a_criterion_is_judged_by(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(tmp_path / "s")
    words = ["study", "new", folder, "--protocol", "likert", "--criteria", "overall-quality,adequacy,fluency"]
    assert main([*words, "--from", data(tmp_path, {})]) == 0
    new = capsys.readouterr().out
    assert main(["study", "check", folder, "--no-simulation"]) == 0
    checked = capsys.readouterr().out
    for criterion, thing in (("overall-quality", "context"), ("adequacy", "reference")):
        assert f"{criterion} is judged by the {thing}, which" in new
        assert f"{criterion} is judged by the {thing}, which judges do not see" in checked
    assert "fluency is judged by" not in new + checked


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


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        ({"source": "area[north], weather[rain]"}, ("table", "source", None)),
        ({"source": {"area": "north"}}, ("table", "source", None)),
        ({"source": "Rain in the north.", "table": [["area", "north"]]}, ("table", "table", None)),
        ({"source": "Rain in the north."}, ("source", "source", {"en": "Data", "de": "Daten"})),
    ],
)
@pytest.mark.parametrize("protocol", ["likert", "spans"])
def test_data_are_called_data_and_shown_as_the_rows_hold_them(
    protocol: str, row: dict[str, Any], shown: tuple[str, str, Any], tmp_path: Path
) -> None:
    folder, words = tmp_path / "s", ["study", "new", str(tmp_path / "s"), "--protocol", protocol]
    words += ["--task", "d2t", "--languages", "en,de", "--from", data(tmp_path, row)]
    assert main(words) == 0
    study = output_study(design.load(folder))
    assert (study.show[0].what, study.show[0].held, study.show[0].label) == shown
    assert main(["study", "launch", str(folder)]) == 0
    if protocol == "spans" and shown[0] == "table":
        kinds = span_study(read(folder).study).kinds
        assert kinds[0].definition == worded("annotations.mqm.accuracy.of_data")


KINDS = {
    "likert": SINGLE,
    "spans": SINGLE,
    "pairwise": TWO,
    "rankme": SEVERAL,
}


@pytest.mark.parametrize("protocol", KINDS)
def test_a_design_can_be_chosen(protocol: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = [name for name in KINDS[protocol].known if name != "imported"]
    rows = data(tmp_path, {"source": "Rain in the north."})
    for kind in known:
        folder = tmp_path / kind
        words = ["study", "new", str(folder), "--protocol", protocol, "--from", rows, "--seed", "3"]
        assert main([*words, "--design" if kind != known[0] else "--scheme", kind]) == 0
        study = output_study(design.load(folder))
        assert study.plan.kind == kind
        assert main(["study", "check", str(folder), "--no-simulation"]) == 0
        if kind in ("latin", "williams", "bibd", "pairs"):
            assert "would be balanced" not in capsys.readouterr().out
    words = ["study", "new", str(tmp_path / "none"), "--protocol", protocol, "--from", rows]
    assert main([*words, "--design", "square"]) == 2
    assert f"choose one of {', '.join(known)}" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_the_scheme_of_errors_can_be_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--protocol", "spans", "--from", data(tmp_path, {"source": "Rain."})]
    assert main(["study", "new", str(tmp_path / "s"), *words, "--scheme", "esa", "--design", "random"]) == 0
    study = span_study(design.load(tmp_path / "s"))
    assert (study.scheme, study.plan.kind) == ("esa", "random")
    assert [one.id for one in study.questions_asked] == ["overall-quality"], "ESA ends with a score"
    both = ["--scheme", "latin", "--design", "williams"]
    assert main(["study", "new", str(tmp_path / "t"), *words, *both]) == 2
    assert "--scheme latin and --design williams both name a design" in capsys.readouterr().err
    assert main(["study", "new", str(tmp_path / "t"), *words, "--scheme", "eso"]) == 2
    assert "choose one of mqm, esa" in capsys.readouterr().err


@pytest.mark.parametrize("protocol", ["likert", "spans", "rankme", "pairwise"])
def test_keys_that_a_new_file_shows_as_comments_are_taken(protocol: str, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    words = ["--protocol", protocol, "--task", "d2t", "--from", data(tmp_path, ROWS["d2t"])]
    assert main(["study", "new", str(folder), *words]) == 0
    file, shown = folder / design.FILE, ("closing", "criteria_order", "cannot_judge")
    text = file.read_text(encoding="utf-8")
    assert "# wordings: " in text
    there = {key for key in shown if f"\n# {key}: " in text}
    lacking = {"spans": {"cannot_judge"}, "rankme": {"criteria_order"}}
    assert there == set(shown) - lacking.get(protocol, set())
    for key in there:
        text = text.replace(f"\n# {key}: ", f"\n{key}: ")
    file.write_text(text, encoding="utf-8")
    study = output_study(design.load(folder))
    assert study.closing and (study.cannot_judge or study.criteria_order == "random")


def test_a_language_without_pages_is_refused_with_the_way_to_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--protocol", "likert", "--from", data(tmp_path, ROWS["d2t"]), "--languages", "qxx"]
    assert main(["study", "new", str(tmp_path / "s"), *words]) == 2
    assert "nlgauge study translation TAG" in capsys.readouterr().err


def test_a_command_notes_once_how_columns_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(data(tmp_path, ROWS["d2t"]))
    renamed = path.read_text(encoding="utf-8").replace('"item"', '"id"').replace('"system"', '"model"')
    path.write_text(renamed, encoding="utf-8")
    folder = str(tmp_path / "s")
    assert main(["study", "new", folder, "--protocol", "likert", "--from", str(path)]) == 0
    for action in (["check"], ["launch"], ["check"]):
        capsys.readouterr()
        assert main(["study", *action, folder]) == 0
        assert capsys.readouterr().err.count("read id as item, model as system") == 1
