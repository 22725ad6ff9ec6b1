"""From a launched study with simulated judges to the command, its page and its JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from made_studies import first, judgements, texts

from nlgauge.cli import parser_for
from nlgauge.errors import InputError
from nlgauge.report.pages import ELEMENT
from nlgauge.report.study import triangle_words as words
from nlgauge.report.study.triangle import headline, render_study_report
from nlgauge.study.exchange import export
from nlgauge.study.file.study import load
from nlgauge.study.model import odd_position
from nlgauge.study.protocols.triangle.analysis import PanelPlan, Plan, Stopping, analyse
from nlgauge.study.protocols.triangle.analysis.reading import read_study
from nlgauge.study.protocols.triangle.simulation import Pool
from nlgauge.study.service import Service, launch
from nlgauge.study.simulation import SimulatedClock, numbered, simulate
from nlgauge.study.store import Store

STUDY = """\
protocol: triangle
title: Can readers tell <generated> forecasts & others?
goal: {goal}
risks: {{alpha: 0.05, beta: 0.05, p_d: 0.5}}
subjects:
  A: {{name: human, texts: [{a}]}}
  B: {{name: generated, texts: [{b}]}}
panels:
  public: {{judges: 30}}
question: Which text has another author?
practice: 1
seed: 7
"""


def folder_of(path: Path, goal: str = "difference") -> Path:
    lists = [", ".join(f"Text {k} of author {name} on the weather" for k in range(15)) for name in "AB"]
    path.mkdir()
    (path / "study.yaml").write_text(STUDY.format(goal=goal, a=lists[0], b=lists[1]), encoding="utf-8")
    return path


def run_study(folder: Path, p_d: float, judges: int | None = None) -> Service:
    service = launch(load(folder), folder, Store.at(folder), clock=SimulatedClock(), generator=numbered(3))
    service.context.simulated = True
    simulate(service, Pool(p_d=p_d, dropouts=0.1, speeders=0.1), seed=5, judges=judges)
    return service


def command(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    arguments = parser_for("study").parse_args(["analyse", *words])
    assert arguments.run(arguments) == 0
    return capsys.readouterr().out


@pytest.mark.slow
def test_from_launch_to_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = folder_of(tmp_path / "s")
    service = run_study(folder, p_d=0.9)
    page = tmp_path / "page.html"
    shown = json.loads(command(capsys, str(folder), "--json", "--html", str(page)))
    assert list(shown)[:6] == ["protocol", "goal", "n", "result", "sentence", "warnings"]
    assert shown["n"] == 30 and shown["result"]["concluded"]
    assert shown["set_aside"]["practice"] >= 30
    assert any("the judges are simulated" in note for note in shown["warnings"])
    assert "Readers perceive a difference" in page.read_text(encoding="utf-8")
    # an export gives the same analysis
    export.write(service.judgements(), tmp_path / "answers.csv")
    again = json.loads(command(capsys, str(folder), "--judgements", str(tmp_path / "answers.csv"), "--json"))
    assert again | {"judges": None} == shown | {"judges": None}
    assert "an exported file holds answers alone" in again["judges"]["note"]  # it cannot say who came
    assert "The triangle test compared" not in shown["sentence"]
    assert "that compared the texts of human with those of generated, " in shown["sentence"]
    assert ", α = 0.05: " in shown["sentence"] and "p < .001" in shown["sentence"]
    assert shown["result"]["p_value"] < 0.001
    method = shown["method"]
    assert method.startswith("The judges were simulated. 30 judges gave 30 answers that count (planned: 30 judges, one")
    assert "the question was: “Which text has another author?” The" in method and "in English" in method
    assert "1 practice triad with feedback came first and was not analysed." in method
    assert "balanced in blocks of six" in method
    assert not any(word in method for word in ("Recruitment", "Pay", "Ethics", "consent"))  # nothing is known of them
    assert "Participants and method" in page.read_text(encoding="utf-8")
    text = command(capsys, str(folder))
    assert "\nParticipants and method\n" in text
    assert "Who perceives a difference" in text and "There is a perceptible difference" in text


def test_who_dropped_out_is_said_and_no_panel_vanishes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = folder_of(tmp_path / "s")
    text = (folder / "study.yaml").read_text(encoding="utf-8")
    values = yaml.safe_load(text)
    values["panels"] |= {"experts": {"judges": 6, "access": "open"}}
    values["practice"] = {"triads": 1, "required": 1}
    (folder / "study.yaml").write_text(yaml.safe_dump(values, sort_keys=False), encoding="utf-8")
    service = launch(load(folder), folder, Store.at(folder), clock=SimulatedClock(), generator=numbered(3))
    for number in range(8):
        judge, _ = service.arrivals.register("public")
        practice = service.dealing.step(judge).evaluation
        assert practice is not None
        odd = odd_position("".join(one.subject for one in practice.texts))
        service.answers.answer_practice(judge, 1, (odd + (number < 2)) % 3)  # the first two fail
        shown = service.dealing.step(judge).evaluation
        if number in (2, 3, 4):
            assert shown is not None
            service.answers.answer(judge, shown.claim, 0)
        if number == 4:
            service.people.forget(judge)
        if number == 5:
            service.people.withdraw(judge)
    service.admin.close()
    page = tmp_path / "page.html"
    found = json.loads(command(capsys, str(folder), "--json", "--html", str(page)))
    public, experts = found["judges"]["panels"]
    counts = {name: value for name, value in public.items() if name not in ("panel", "sentence")}
    assert counts == {
        "planned": 30,
        "registered": 8,
        "in_progress": 2,
        "finished": 2,
        "failed": 2,
        "withdrawn": 1,
        "forgotten": 1,
    }
    assert (experts["planned"], experts["registered"]) == (6, 0)
    stored = service.progress.report()["panels"]["public"]["judges"]
    assert stored == {name: value for name, value in counts.items() if name != "planned"}  # log and table agree
    warned = " ".join(found["warnings"])
    assert "2 judges who had fewer than 1 of 1 practice triads right" in warned and "limited to them" in warned
    assert "the panel experts was planned with 6 answers and has none" in warned
    assert "the panel public has 3 of the 30 answers that were planned" in warned
    text, html = command(capsys, str(folder)), page.read_text(encoding="utf-8")
    for said in ("Who took part", "failed practice", "8 judges registered (30 planned)", "and has none"):
        assert said in text and said in html


@pytest.mark.slow
def test_peeking_closing_and_opening_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = folder_of(tmp_path / "s")
    service = run_study(folder, p_d=0.5, judges=20)
    with pytest.raises(InputError, match=r"of 30 planned answers: a test with a fixed number"):
        command(capsys, str(folder))
    with pytest.raises(InputError, match="is open, and answers may still come"):
        command(capsys, str(folder), "--closed")
    service.admin.close()
    service.admin.reopen()
    assert any("closed and opened again" in note for note in read_study(folder).remarks)
    service.admin.close()
    assert json.loads(command(capsys, str(folder), "--json"))["result"]["study"] == "exploratory"
    assert "exploratory" in command(capsys, str(folder), "--closed")
    with pytest.raises(InputError, match="stays closed"):
        service.admin.reopen()


def test_refusals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = folder_of(tmp_path / "s")
    with pytest.raises(InputError, match="has not been launched"):
        command(capsys, str(folder))
    run_study(folder, p_d=0.5, judges=2)
    with pytest.raises(InputError, match="there is no folder"):
        command(capsys, str(folder), "--html", str(tmp_path / "no" / "page.html"))
    export.write(judgements(first(3, 6)), tmp_path / "other.jsonl")
    with pytest.raises(InputError, match="belongs to the study 's'"):
        command(capsys, str(folder), "--judgements", str(tmp_path / "other.jsonl"))
    (folder / "study.sqlite").unlink()
    with pytest.raises(InputError, match="holds no database"):
        command(capsys, str(folder))


PLANS = {
    "similarity": Plan("similarity", 0.05, 0.01, 0.3, (PanelPlan("public", 98),), title="<b>S</b>"),
    "experts": Plan("difference", 0.05, 0.05, 0.5, (PanelPlan("public", 17, 6),), closed=True),
    "looks": Plan("difference", 0.05, 0.05, 0.3, (PanelPlan("public", 200),), stopping=Stopping("looks", (100, 200))),
    "closed": Plan("difference", 0.05, 0.05, 0.3, (PanelPlan("public", 500),), closed=True),
}


@pytest.mark.parametrize("name", PLANS)
def test_the_page_is_well_formed_and_loads_nothing(name: str) -> None:
    plan = PLANS[name]
    result = analyse(plan, judgements(first(36, 98), per_judge=plan.panels[0].replication), texts(24), draws=199)
    page = render_study_report(result).replace(ELEMENT, "")
    assert headline(result) in page
    assert "<b>S</b>" not in page and "<script" not in page and "http" not in page.replace("http-equiv", "")
    for drawing in re.findall(r"<svg.*?</svg>", page, flags=re.S):
        ElementTree.fromstring(drawing)
        assert "nan" not in drawing.lower().replace("nanum", "")
    for sentence in (text for _, text in words.sentences(result)):
        assert sentence.split("“")[0][:60].replace("'", "&#x27;") in page


@pytest.mark.parametrize("right", [0, 1, 5, 6])
def test_few_and_uniform_answers_have_a_page(right: int) -> None:
    plan = Plan("difference", 0.05, 0.05, 0.5, (PanelPlan("public", 6),))
    page = render_study_report(analyse(plan, judgements(first(right, 6)), (), draws=99))
    assert "<h1>Triangle study</h1>" in page
    assert "As answers came" not in page  # one point is no course
    one = Plan("difference", 0.05, 0.05, 0.5, (PanelPlan("public", 1),))
    assert "No perceptible difference was shown" in render_study_report(analyse(one, judgements([True]), ()))
