"""What the log keeps of looks, closings and exports, and what an analysis says of it; export and import of a study."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from studies import Clock, launched

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.report.study import triangle_words as words
from nlgauge.study.exchange import export, restore
from nlgauge.study.protocols.triangle.analysis.reading import analyse_service, material, read_study
from nlgauge.study.refusals import Refused
from nlgauge.study.service import Service, start
from nlgauge.study.service.progress import watch
from nlgauge.study.store import Store

OPEN = {"public": {"judges": 12, "access": "open"}}


def answer(service: Service, clock: Clock, number: int) -> list[str]:
    judges = []
    for k in range(number):
        judge, _ = service.arrivals.register("public")
        step = service.dealing.step(judge)
        assert step.evaluation is not None
        clock.minutes(1)
        service.answers.answer(judge, step.evaluation.claim, k % 3)
        judges.append(judge)
    return judges


def remarks(service: Service) -> str:
    return " | ".join(material(service).remarks)


def test_a_study_closed_early_and_analysed_stays_closed(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(tmp_path / "s", clock, store, panels=OPEN)
    answer(service, clock, 8)
    with pytest.raises(InputError, match="8 of 12 planned answers"):
        analyse_service(service, draws=99)
    assert service.events("analysed") == []  # a look that was refused is none
    service.admin.close()
    service.admin.reopen()  # nobody has looked
    assert "closed and opened again" in remarks(service)
    service.admin.close()
    found = analyse_service(service, draws=99)
    assert found.verdicts[0].test is not None and found.verdicts[0].test.study.name == "exploratory"
    analyse_service(service, draws=99)  # the same look again
    [event] = service.events("analysed")
    assert (event["data"]["answers"], event["data"]["complete"]) == (8, False)
    with pytest.raises(Refused, match="was closed and analysed, and stays closed") as caught:
        service.admin.reopen()
    assert caught.value.code == "closed" and service.status == "closed"


def test_a_sequential_study_may_be_opened_again(tmp_path: Path, clock: Clock) -> None:
    service = launched(
        tmp_path / "s",
        clock,
        panels={"public": {"judges": 24, "access": "open"}},
        sequential={"looks": [12, 24]},
    )
    answer(service, clock, 14)
    service.admin.close()
    analyse_service(service, draws=99)
    service.admin.reopen()
    answer(service, clock, 10)
    said = remarks(service)
    assert "closed and opened again: the rule of stopping was fixed beforehand" in said
    assert "UNPLANNED" not in said


def test_answers_after_a_look_make_it_an_unplanned_one(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "s", clock, panels=OPEN, extra="continue")
    answer(service, clock, 12)
    first = analyse_service(service, draws=99)
    assert not any("UNPLANNED" in note for note in words.warnings(first))
    answer(service, clock, 3)
    second = analyse_service(service, draws=99)
    assert words.warnings(second)[0].startswith("UNPLANNED LOOK: the study was analysed on 2027-01-15 with 12 answers")


def test_an_export_before_the_end_is_logged_and_said(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(tmp_path / "s", clock, store, panels=OPEN)
    assert service.admin.note_export(judgements=0) is False
    assert "exported" not in remarks(service)  # nothing was there to be seen
    answer(service, clock, 5)
    service.admin.note_export(judgements=5)
    assert service.events("exported")[-1]["data"] == {
        "judgements": 5,
        "answers": 5,
        "planned": 12,
        "complete": False,
        "status": "open",
    }
    answer(service, clock, 7)
    assert service.admin.note_export(judgements=12) is True
    assert "exported once before the study was complete (first on 2027-01-15, 5 of 12)" in remarks(service)


def test_erased_answers_are_explained(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "s", clock, panels=OPEN)
    judge, *_ = answer(service, clock, 12)
    service.people.forget(judge, answers=True)
    assert "1 judgement of 1 judge erased" in remarks(service)


def test_an_old_file_does_not_bring_back_what_was_erased(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(tmp_path / "s", clock, store, panels=OPEN)
    gone, forgotten, *_ = answer(service, clock, 4)
    before = service.judgements()
    service.people.forget(gone, answers=True)
    service.people.forget(forgotten)
    assert restore.load_into(service, before) == 0
    assert len(service.judgements()) == 3


def test_leaving_keeps_the_answers_and_forgetting_on_request_erases_them(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "s", clock, panels={"experts": {"judges": 2, "evaluations": 6, "access": "open"}})
    judge, _ = service.arrivals.register("experts")
    for _ in range(2):
        shown = service.dealing.step(judge).evaluation
        assert shown is not None
        service.answers.answer(judge, shown.claim, 0)
    service.people.withdraw(judge)
    assert len(service.judgements()) == 2 and service.dealing.step(judge).kind == "withdrawn"
    assert service.events("withdrew")[0]["judge"] == judge
    service.people.forget(judge, answers=True)
    assert service.judgements() == []
    counted = service.progress.report()["panels"]["experts"]["judges"]
    assert (counted["registered"], counted["withdrawn"], counted["forgotten"]) == (1, 0, 1)


def test_what_is_stored_of_a_judgement(tmp_path: Path, clock: Clock, store: Store) -> None:
    """Time shown and answered, what was on screen in which order, client, and where it belongs."""
    service = launched(tmp_path / "s", clock, store, panels=OPEN)
    judge, _ = service.arrivals.register("public", language="en")
    shown = service.dealing.step(judge).evaluation
    assert shown is not None
    clock.minutes(2)
    service.answers.answer(judge, shown.claim, 2, client="Firefox 150, 390 × 844")
    [kept] = service.judgements()
    assert (kept.answered_at - kept.shown_at, kept.answered_at) == (120, clock.now)
    assert kept.texts == tuple(text.id for text in shown.texts)
    assert kept.items == tuple(text.item for text in shown.texts)
    assert kept.role == "".join(text.subject for text in shown.texts)
    assert (kept.client, kept.language) == ("Firefox 150, 390 × 844", "en")
    assert (kept.study, kept.panel, kept.judge, kept.slot) == (service.id, "public", judge, shown.slot)
    row = next(iter(export.rows([kept])))
    assert set(row) == {*export.COLUMNS, "correct", "seconds"} - {"wording"}  # which was not dealt


@pytest.fixture
def folder(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NLGAUGE_DB", raising=False)
    made = tmp_path / "s"
    service = launched(made, clock, panels=OPEN, store=Store.at(_made(made)), practice=1)
    service.context.simulated = True
    for k in range(9):
        judge, _ = service.arrivals.register("public", client="simulated judge")
        while (step := service.dealing.step(judge)).evaluation is not None:
            clock.minutes(1)
            if step.kind == "practice":
                service.answers.answer_practice(judge, 1, k % 3, client="simulated judge")
            else:
                service.answers.answer(judge, step.evaluation.claim, k % 3, client="simulated judge")
    return made


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def said(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    capsys.readouterr()
    assert main(["study", *words]) == code
    output = capsys.readouterr()
    return output.err if code else output.out


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
def test_an_imported_study_has_the_very_same_analysis(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """Closed early, exported early, analysed before: with its log the copy prints the same JSON, byte by byte."""
    early = said(capsys, "export", "s", "-o", name)
    assert "9 of 12 planned answers are there" in early and "will say so" in early
    assert "closed with 9 of 12 planned answers" in said(capsys, "close", "s")
    original = said(capsys, "analyse", "s", "--json")
    assert any("exported once before" in note for note in json.loads(original)["warnings"])
    said(capsys, "export", "s", "-o", name, "--log", "log.jsonl")
    assert "simulated judge" not in Path("log.jsonl").read_text(encoding="utf-8")
    copy = Path("copy")
    copy.mkdir()
    (copy / "frozen.json").write_bytes((folder / "frozen.json").read_bytes())
    found = json.loads(said(capsys, "import", "copy", name, "--log", "log.jsonl", "--json"))
    assert found["added"] == found["read"] == 18
    assert said(capsys, "analyse", "copy", "--json") == original
    assert "stays closed" in said(capsys, "reopen", "copy", code=2)
    again = json.loads(said(capsys, "import", "copy", name, "--log", "log.jsonl", "--json"))
    assert (again["added"], again["events"]) == (0, 0)  # nothing is taken over twice
    # the file alone: the same but for what only the log tells
    alone = json.loads(said(capsys, "analyse", "s", "--judgements", name, "--closed", "--json"))
    whole = json.loads(original)
    notes = [note for note in whole["warnings"] if "exported once before" not in note]
    assert alone["warnings"] == notes
    assert alone["judges"]["panels"] is None and "database only" in alone["judges"]["note"]
    other = {"warnings": [], "judges": None}
    assert alone | other == whole | other


def test_the_commands_that_run_a_study(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(said(capsys, "status", "s", "--json"))
    panel = found["panels"]["public"]
    assert (panel["done"], panel["planned"], panel["median_seconds"]) == (9, 12, 60)
    assert found["live"]["allowed"] is False and "9 of 12 planned answers" in found["live"]["sentence"]
    assert "correct" not in json.dumps(found)
    text = said(capsys, "status", "s")
    assert "median time" in text and "open, launched 2027-01-15" in text and "Panel 'public' has 9 of 12" in text
    assert "paused" in said(capsys, "pause", "s")
    assert json.loads(said(capsys, "resume", "s", "--json"))["status"] == "open"
    assert "is open, and answers may still come" in said(capsys, "analyse", "s", "--closed", code=2)
    said(capsys, "close", "s")
    assert "this study is closed; reopen it first" in said(capsys, "resume", "s", code=2)
    assert "open again" in said(capsys, "reopen", "s")
    assert read_study("s").plan.closed is False


def test_watching_tells_nothing_of_who_was_right(tmp_path: Path, clock: Clock, store: Store) -> None:
    service = launched(tmp_path / "s", clock, store, panels=OPEN)
    assert watch(service)["last_answer_at"] is None
    answer(service, clock, 3)
    found: dict[str, Any] = watch(service)
    assert found["panels"]["public"]["median_seconds"] == 60
    assert found["last_answer_at"] == clock.now
    assert not {"correct", "answer", "answers"} & set(str(found).replace("'", " ").split())


def test_a_log_of_another_study_is_refused(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "s", clock, panels=OPEN)
    export.write_log(service, tmp_path / "log.jsonl")
    other = launched(tmp_path / "t", clock, panels=OPEN, seed=8)
    with pytest.raises(InputError, match=f"expected an event of the study {other.id}"):
        export.load_log(other, tmp_path / "log.jsonl")
    with pytest.raises(InputError, match=r"as JSON lines"):
        export.write_log(service, tmp_path / "log.csv")
    copy = start(service.frozen, Store.memory())
    assert export.load_log(copy, tmp_path / "log.jsonl") == 0  # nothing had happened but the launch


def test_the_same_log_may_be_taken_over_again(tmp_path: Path, clock: Clock) -> None:
    """An import that was cut short is simply run again."""
    service = launched(tmp_path / "s", clock, panels=OPEN)
    service.arrivals.register("public", client="Firefox")
    service.admin.close()
    export.write_log(service, tmp_path / "log.jsonl")
    copy = start(service.frozen, Store.memory(), clock=clock)
    assert export.load_log(copy, tmp_path / "log.jsonl") == 2
    before = copy.events()
    assert export.load_log(copy, tmp_path / "log.jsonl") == 0
    assert copy.events() == before and copy.status == "closed"
    copy.admin.reopen()
    with pytest.raises(InputError, match="a history of its own"):
        export.load_log(copy, tmp_path / "log.jsonl")
