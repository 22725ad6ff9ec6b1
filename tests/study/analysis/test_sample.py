"""Who the judges were: counts and medians by panel, without those who were forgotten and without words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from studies import Clock, launched

from nlgauge.cli import main
from nlgauge.report.study.triangle import render_study_report
from nlgauge.report.study.triangle_method import attendance as told
from nlgauge.study.exchange import restore
from nlgauge.study.protocols.triangle.analysis.reading import analyse_service, material
from nlgauge.study.service import Service, start
from nlgauge.study.store import Store

QUESTIONS = [
    {"id": "reads", "text": "Do you read <forecasts>?", "options": ["daily & more", "never", "else"]},
    {"id": "age", "text": "How old are you?", "type": "number"},
    {"id": "town", "text": "Where do you live?", "type": "text"},
]
PANELS = {"public": {"judges": 9, "access": "open"}, "experts": {"judges": 1, "access": "open"}}
PEOPLE = [("0", "20"), ("0", "30"), ("1", "40"), ("0", "50"), ("", "60"), ("1", ""), ("2", "99")]


def judged(service: Service, panel: str, **said: str) -> str:
    judge, _ = service.arrivals.register(panel)
    service.people.answer_questions(judge, {name: value for name, value in said.items() if value})
    step = service.dealing.step(judge)
    assert step.evaluation is not None
    service.answers.answer(judge, step.evaluation.claim, 0)
    return judge


@pytest.fixture
def service(tmp_path: Path, clock: Clock) -> Service:
    (tmp_path / "s").mkdir()
    store = Store.at(tmp_path / "s")
    found = launched(tmp_path / "s", clock, store, panels=PANELS, questions=QUESTIONS)
    judges = [judged(found, "public", reads=reads, age=age, town="Lugo 7") for reads, age in PEOPLE]
    judged(found, "experts", age="41")
    found.people.forget(judges[-1])  # the only one of 99 years
    left, _ = found.arrivals.register("public")  # asked, but never answered
    found.people.answer_questions(left, {"reads": "2", "age": "17"})
    found.people.withdraw(left)
    found.admin.close()
    return found


def sample(service: Service) -> dict[str, Any]:
    attendance = material(service).attendance
    assert attendance is not None
    return {one["panel"]: one for one in told(attendance)["sample"]}


def test_counts_and_medians_by_panel(service: Service) -> None:
    found = sample(service)
    public = found["public"]
    assert public["judges"] == 6
    reads, age, town = public["questions"]
    assert reads["counts"] == [
        {"option": "daily & more", "judges": 3},
        {"option": "never", "judges": 2},
        {"option": "else", "judges": 0},
    ]
    assert (reads["answers"], reads["no_answer"]) == (5, 1)
    assert (age["median"], age["quartiles"], age["answers"], age["no_answer"]) == (40, [30, 50], 5, 1)
    assert (town["answers"], town["counts"], town["median"]) == (6, [], None)
    few = found["experts"]["questions"][1]
    assert (few["median"], few["quartiles"]) == (41, None)  # quartiles of so few would be single judges'


def test_it_is_printed_and_on_the_page(tmp_path: Path, service: Service, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "analyse", str(tmp_path / "s"), "--html", str(tmp_path / "page.html")]) == 0
    text, page = capsys.readouterr().out, (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Who the judges of the panel public were (6 judges who answered)" in text
    for words in ("daily & more", "median 40, quartiles 30 and 50", "in words, not shown", "no answer"):
        assert words in text and words.replace("&", "&amp;") in page
    assert "Do you read &lt;forecasts&gt;?" in page
    assert "Lugo" not in text + page and "99" not in text.partition("Who the judges")[2].partition("Did ")[0]
    assert main(["study", "analyse", str(tmp_path / "s"), "--json"]) == 0
    shown = capsys.readouterr().out
    assert json.loads(shown)["judges"]["sample"] and "Lugo" not in shown


def test_a_file_or_an_imported_copy_knows_nothing_of_it(tmp_path: Path, service: Service) -> None:
    copy = start(service.frozen, Store.memory())
    restore.load_into(copy, service.judgements())
    assert sample(copy) == {}


def test_one_panel_alone_and_a_study_without_questions(
    tmp_path: Path, service: Service, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["study", "analyse", str(tmp_path / "s"), "--panel", "experts", "--json"]
    assert main(words) == 0
    assert [one["panel"] for one in json.loads(capsys.readouterr().out)["judges"]["sample"]] == ["experts"]
    (tmp_path / "t").mkdir()
    other = launched(tmp_path / "t", clock, Store.at(tmp_path / "t"), panels=PANELS)
    judged(other, "public")
    other.admin.close()
    result = analyse_service(other)
    assert "Who the judges of" not in render_study_report(result)


def test_numbers_in_a_sentence_say_how_many_they_are_of(service: Service) -> None:
    attendance = material(service).attendance
    assert attendance is not None
    (public,) = [one for one in attendance.samples if one.panel == "public"]
    reads, age, _ = public.questions
    assert age.told == ["median 40, quartiles 30 and 50 of 5 answers", "no answer 1"]
    assert reads.told[0] == "daily & more 3"
