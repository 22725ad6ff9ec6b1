"""A study from Python: the verbs give what the commands print, and their results are shown as all results are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import nlgauge as ng
from nlgauge import studies
from nlgauge.cli import main
from nlgauge.results import Result


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [
        {"item": str(item), "system": system, "hypothesis": f"{system} says {item}", "source": f"input {item}"}
        for item in range(24)
        for system in ("one", "two")
    ]
    data = tmp_path / "data.jsonl"
    data.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    studies.new(tmp_path / "study", data, protocol="likert", judges=4, seed=3, systems=("one", "two"))
    return tmp_path / "study"


def test_a_study_is_run_from_its_file_to_its_statement(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checked = studies.check(folder, simulate=False)
    assert checked.errors == 0 and checked.launched is None and len(checked) == len(checked.findings)
    service = studies.launch(folder)
    assert studies.check(folder, simulate=False).launched == service.frozen.digest
    assert [link.rpartition("/")[0] for link in studies.links(folder, base="https://x.org")] == ["https://x.org/j"] * 4
    simulated = studies.simulate(folder, seed=1, means={"one": 0.3, "two": 0.8})
    assert simulated.outcome.finished == 4
    studies.close(folder)
    assert studies.open(folder).status == "closed"
    analysis = studies.analyse(folder)
    capsys.readouterr()
    assert main(["study", "analyse", str(folder), "--json"]) == 0
    told, again = json.loads(capsys.readouterr().out), json.loads(json.dumps(analysis.to_dict()))
    assert {**told, "warnings": []} == {**again, "warnings": []}  # those of the second look name the first
    assert told["result"] == json.loads(json.dumps(analysis.paper().rows))
    statement = studies.statement(folder)
    assert main(["study", "statement", str(folder)]) == 0
    assert capsys.readouterr().out == str(statement)
    assert statement["title"].text in statement.to_html()
    assert studies.export(folder, folder / "rows.csv") == len(studies.open(folder).judgements())
    for result in (checked, simulated, analysis, statement, studies.statement(folder, form="short")):
        assert isinstance(result, Result)
        assert str(result).strip() and json.dumps(result.to_dict())
        assert len(result.to_pandas()) > 0 and result._repr_html_() and result.to_latex() and result.to_markdown()


def test_a_rehearsal_leaves_no_trace(folder: Path) -> None:
    before = sorted(path.name for path in folder.iterdir())
    assert studies.simulate(folder, scratch=True, judges=2).outcome.finished == 2
    assert sorted(path.name for path in folder.iterdir()) == before


def test_what_cannot_be_done_is_refused_in_the_words_of_python(folder: Path) -> None:
    with pytest.raises(ng.InputError, match=r"no 'mean'; did you mean means"):
        studies.simulate(folder, scratch=True, mean={"one": 0.1})  # type: ignore[call-arg]
    with pytest.raises(ng.InputError, match=r"no protocol 'likart'"):
        studies.new(folder.parent / "other", "x", protocol="likart")
    studies.launch(folder)
    with pytest.raises(ng.InputError, match="table must be one of judgements, long"):
        studies.export(folder, "x.csv", table="short")  # type: ignore[arg-type]
    with pytest.raises(ng.InputError, match=r"likert has no use for draws=…"):
        studies.analyse(folder, draws=99)
    studies.open(folder).admin.pause()
    with pytest.raises(ng.InputError, match=r"is paused .*scratch=…"):
        studies.simulate(folder)
