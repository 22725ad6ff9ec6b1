"""Every key of a study file of every protocol damaged: each fault has its line, and says what to do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.io.fields import Problem
from nlgauge.study.checks.run import check
from nlgauge.study.file.study import FILE, inspect, load
from nlgauge.study.freeze import frozen
from nlgauge.study.protocols import PROTOCOLS

SYSTEMS = ("a", "b", "c")
ROWS = [
    {
        "item": f"i{k}",
        "system": system,
        "source": f"town {k}",
        "references": [f"Rain {k}."],
        "hypothesis": f"{system} {k}",
    }
    for k in range(6)
    for system in SYSTEMS
]
DAMAGE = ("no such word", -1, {"nothing": "known"})
REMEDIES = (  # what tells a researcher how to go on
    "; ",
    " must be ",
    "did you mean",
    "nown:",
)


def data(folder: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    path = folder / "outputs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def new(folder: Path, protocol: str, source: Path) -> dict[str, Any]:
    arguments = ["study", "new", str(folder), "--protocol", protocol, "--from", str(source), "--seed", "1"]
    assert main(arguments) == 0
    values: dict[str, Any] = yaml.safe_load((folder / FILE).read_text(encoding="utf-8"))
    said = {name: value or "no" for name, value in values["reasons"].items()}  # YAML alone takes it for false
    return values | {"reasons": said}


def faults(folder: Path, values: dict[str, Any]) -> list[Problem]:
    (folder / FILE).write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
    return inspect(folder)[1]


def damaged(values: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name, value in values.items():
        yield {key: other for key, other in values.items() if key != name}
        for other in DAMAGE:
            yield values | {name: other}
        if isinstance(value, dict):
            for inner in value:
                yield values | {name: value | {inner: ["x", {"y": 1}]}}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_each_damaged_key_has_its_line_and_a_remedy(tmp_path: Path, protocol: str) -> None:
    folder = tmp_path / "s"
    values = new(folder, protocol, data(tmp_path))
    if protocol == "task":  # the example that study new writes is refused until it is replaced
        (example,) = faults(folder, values)
        assert example.path == "ask.1.answer"
        values["ask"] = [{"text": "Where?", "answer": "north"}]
    assert faults(folder, values) == []
    found = [problem for other in damaged(values) for problem in faults(folder, other)]
    assert len(found) > len(values)
    assert {problem.message for problem in found if not problem.line} == set()
    assert {one.message for one in found if not any(sign in one.message for sign in REMEDIES)} == set()


@pytest.mark.parametrize(
    ("protocol", "changes", "key", "said"),
    [
        ("task", {"ask": [{"text": "?", "answer": "x", "items": ["i9"]}]}, "items", "no item 'i9'"),
        ("likert", {"data": "output.jsonl"}, "data", "no such file"),
        ("likert", {"systems": ["a", "z"]}, "systems", "no system 'z'"),
        ("likert", {"items": ["i1", "i77"]}, "items", "no item 'i77'"),
        ("likert", {"practice": {"texts": 1, "items": ["i9"]}}, "items", "no input 'i9'"),
        ("ranking", {"design": {"kind": "bibd", "per_screen": 9}}, "design", "per_screen is 9"),
        ("triangle", {"practice": 3}, "practice", "3 practice triads take 9"),
    ],
)
def test_what_only_the_texts_show_has_its_line_too(
    tmp_path: Path, protocol: str, changes: dict[str, Any], key: str, said: str
) -> None:
    folder = tmp_path / "s"
    values = new(folder, protocol, data(tmp_path)) | changes
    values = {name: value for name, value in values.items() if value is not None}
    faults(folder, values)
    error = next(one for one in check(folder, simulate=False)[0] if one.severity == "error")
    lines = (folder / FILE).read_text(encoding="utf-8").splitlines()
    assert said in error.message and key in lines[error.line - 1]
    with pytest.raises(InputError, match=rf"study.yaml, line {error.line}: .*{said}"):
        frozen.freeze(load(folder), folder)


def test_a_new_study_leaves_out_items_that_a_system_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    some = [row for row in ROWS if (row["item"], row["system"]) not in (("i2", "b"), ("i4", "c"))]
    values = new(tmp_path / "s", "likert", data(tmp_path, some))
    assert values["items"] == ["i0", "i1", "i3", "i5"]
    assert "2 of 6 items are left out, because not every system has a text" in capsys.readouterr().out
    assert main(["study", "launch", str(tmp_path / "s")]) == 0
    apart = [row | {"item": row["system"] + str(row["item"])} for row in ROWS]
    arguments = ["study", "new", str(tmp_path / "t"), "--protocol", "likert", "--from"]
    assert main([*arguments, str(data(tmp_path, apart))]) == 2
    assert "has no item with a text by each of a, b, c" in capsys.readouterr().err
    assert not (tmp_path / "t").exists()
