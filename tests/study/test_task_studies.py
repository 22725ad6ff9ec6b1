"""Tasks in the engine: the file, what is right, answers, export, simulation, analysis."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import conversing
import numpy as np
import pytest
from conversing import WHEN, WHERE, WIND, launched, task
from studies import Clock

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.report.study.renderers import renderer_of
from nlgauge.report.study.words import sentences
from nlgauge.study.checks.run import check
from nlgauge.study.exchange import export
from nlgauge.study.file import study
from nlgauge.study.freeze import frozen
from nlgauge.study.protocols.task.analysis import analyse
from nlgauge.study.protocols.task.analysis.rows import sort_out
from nlgauge.study.protocols.task.analysis.success import ratios
from nlgauge.study.protocols.task.layout import posed_about
from nlgauge.study.protocols.task.questions import NORMALISATIONS, Posed, normalised
from nlgauge.study.protocols.task.simulation import Readers
from nlgauge.study.refusals import Refused
from nlgauge.study.service import Service
from nlgauge.study.simulation import rehearse
from nlgauge.study.store import Store

GIVEN = {"where": {"choice": 1}, "when": {"text": "on  TUESDAY."}, "wind": {"number": 13}}


def problems(tmp_path: Path, **changes: Any) -> list[str]:
    conversing.write(tmp_path, task(**changes))
    _, found, _ = study.inspect(tmp_path)
    lines = (tmp_path / study.FILE).read_text(encoding="utf-8").splitlines()
    assert all(0 < problem.line <= len(lines) for problem in found)
    return [problem.message for problem in found]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"ask": None}, "the file asks nothing; add ask"),
        ({"ask_column": "q"}, "the questions come either from ask"),
        (
            {"ask": [{**WHEN, "answer": "...", "accepted": ["?!"]}]},
            "so that no answer could be told right from wrong",
        ),
        ({"ask": None, "ask_column": "q"}, "name the set (data: …)"),
        ({"ask": [{"text": "Where?"}]}, "ask.1 has no answer; give the right one"),
        ({"ask": [{"type": "text", "answer": "x"}]}, "the key 'ask.1.text' is missing"),
        ({"ask": [{**WHERE, "options": ["north"]}]}, "fewer than two options"),
        ({"ask": [{**WHERE, "answer": "up"}]}, "which is none of its options"),
        ({"ask": [{**WHERE, "options": ["south", "south"]}]}, "two options that are the same"),
        ({"ask": [{**WHEN, "options": ["a", "b"]}]}, "cannot have options"),
        ({"ask": [{**WIND, "answer": "strong"}]}, "the answer 'strong' is none"),
        ({"ask": [{**WHEN, "tolerance": 1}]}, "which belongs to numbers"),
        ({"ask": [{**WIND, "accepted": ["12"]}]}, "which belong to texts"),
        ({"ask": [WHERE, WHERE]}, "two questions are called 'where'"),
        ({"criteria": ["fluency"]}, "leave criteria out"),
        ({"hide_text": True, "reasons": {"highlight": "optional"}}, "set highlight: no"),
        ({"normalise": ["case", "case"]}, "case is named twice"),
        ({"normalise": ["spelling"]}, "normalise.1 cannot be 'spelling'"),
        ({"guessing": "yes"}, "guessing cannot be 'yes'"),
        ({"practice": {"examples": [{"text": "x"}]}}, "draw practice from the items"),
        ({"panels": {"m": {"judges": 1, "kind": "machine"}}}, "add judge"),
    ],
)
def test_each_fault_of_a_file_has_its_line_and_a_remedy(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    found = problems(tmp_path, **changes)
    assert any(said in one for one in found), found


def test_a_good_file_checks_and_tells_of_guessing_and_memory(tmp_path: Path) -> None:
    assert problems(tmp_path) == []
    found, made = check(tmp_path)
    assert made is not None and not [one for one in found if one.severity == "error"]
    two = {**WHERE, "options": ["south", "north"]}
    conversing.write(tmp_path, task(ask=[two], design="crossed"))
    kinds = {one.kind for one in check(tmp_path, simulate=False)[0] if one.severity == "risk"}
    assert {"guessing", "memory"} <= kinds


@pytest.mark.parametrize(
    ("steps", "given", "accepted", "same"),
    [
        ((), "Tuesday", "tuesday", False),
        ((), " on   Tuesday ", "on Tuesday", True),
        (("case",), "STRASSE", "Straße", True),
        (("accents",), "Gonzalez", "González", True),
        (("case",), "Gonzalez", "González", False),
        (("width",), "１２", "12", True),
        (("punctuation",), "“New-York”", "New York", True),
        (("case", "articles"), "The cat", "a cat", True),
        (NORMALISATIONS, "the  ÉLAN!", "elan", True),
    ],
)
def test_short_texts_are_compared_as_stated(steps: tuple[str, ...], given: str, accepted: str, same: bool) -> None:
    assert (normalised(given, steps) == normalised(accepted, steps)) is same
    assert Posed("x", {"": "?"}, "text", accepted=(accepted,)).right({"text": given}, steps) is same


@pytest.mark.parametrize(("given", "right"), [(12.0, True), (13, True), (13.01, False), (11.99, False)])
def test_numbers_are_right_within_their_tolerance(given: float, right: bool) -> None:
    assert Posed("x", {"": "?"}, "number", number=12.5, tolerance=0.5).right({"number": given}, ()) is right


def shown_to(service: Service) -> tuple[str, Any]:
    judge, _ = service.arrivals.register("public")
    shown = service.dealing.step(judge).evaluation
    assert shown is not None
    return judge, shown


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({**GIVEN, "where": {"choice": 4}}, "has 4 options"),
        ({**GIVEN, "where": {"text": "south"}}, "not been answered by a choice"),
        ({**GIVEN, "when": {"text": "  "}}, "1 to 500 characters"),
        ({**GIVEN, "when": {"text": "x" * 501}}, "1 to 500 characters"),
        ({**GIVEN, "wind": {"number": float("nan")}}, "not been answered by a number"),
        ({**GIVEN, "wind": {"number": True}}, "not been answered by a number"),
        ({"where": {"choice": 1}}, "when has not been answered"),
        ({**GIVEN, "who": {"choice": 1}}, "asks nothing called 'who'"),
        ([{"choice": 1}], "3 questions are asked, and 1 were answered"),
    ],
)
def test_answers_that_do_not_fit_are_refused(tmp_path: Path, clock: Clock, answers: Any, said: str) -> None:
    service = launched(tmp_path, task(), clock)
    judge, shown = shown_to(service)
    with pytest.raises(Refused, match=said):
        service.answers.answer(judge, shown.claim, {"answers": answers})
    assert service.judgements() == []


def test_an_answer_is_read_back_equal_and_scored_by_the_frozen_key(store: Store, tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path, task(confidence=True), clock, store)
    judge, shown = shown_to(service)
    with pytest.raises(Refused, match="how sure"):
        service.answers.answer(judge, shown.claim, {"answers": GIVEN, "confidence": 6})
    clock.now += 30
    stored = service.answers.answer(judge, shown.claim, {"answers": list(GIVEN.values()), "confidence": 4}).judgement
    assert stored.answer["answers"]["when"] == {"text": "on TUESDAY."} and stored.seconds == 30
    assert service.judgements() == [stored]
    rows = list(service.protocol.long(stored, service.frozen))
    assert [(row["criterion"], row["value"], row["given"]) for row in rows] == [
        ("where", 1.0, "south"),
        ("when", 1.0, "on TUESDAY."),
        ("wind", 1.0, "13"),
    ]
    again = frozen.read(tmp_path)
    assert again.text == service.frozen.text and posed_about(again.served[0])[0].place == 1


def test_a_hidden_text_must_have_been_read(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path, task(hide_text=True), clock)
    judge, shown = shown_to(service)
    with pytest.raises(Refused, match="has not been read"):
        service.answers.answer(judge, shown.claim, {"answers": GIVEN})
    clock.now += 20
    for _ in range(2):  # once is enough
        service.turns.add_record(judge, shown.claim, lambda record: None if record else {"role": "read"})
    clock.now += 5
    stored = service.answers.answer(judge, shown.claim, {"answers": GIVEN}).judgement
    assert (stored.answer["read_at"] - stored.shown_at, stored.seconds) == (20, 25)


def rows_with(questions: Any) -> str:
    return "".join(
        json.dumps({"item": f"i{k}", "system": name, "hypothesis": f"{name} {k}", "questions": questions}) + "\n"
        for k in range(3)
        for name in ("a", "b")
    )


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (None, "no such key with questions"),
        ("Where?", "must hold a list of questions"),
        ([{"text": "Where?"}], "question 1: it has no answer"),
        ([{"text": "Where?", "answer": "x", "hint": "y"}], "there is no key 'question.hint'"),
        ([{"text": "Where?", "answer": "x", "id": "a"}] * 2, "an id of its own"),
    ],
)
def test_questions_of_a_set_are_refused_with_their_place(tmp_path: Path, questions: Any, said: str) -> None:
    (tmp_path / "set.jsonl").write_text(rows_with(questions), encoding="utf-8")
    conversing.write(tmp_path, task(subjects=None, data="set.jsonl", ask=None, ask_column="questions"))
    with pytest.raises(InputError, match=said) as refusal:
        frozen.freeze(study.load(tmp_path), tmp_path)
    assert "item 'i0'" in str(refusal.value)


def test_questions_must_be_the_same_for_all_systems(tmp_path: Path) -> None:
    text = rows_with([WHEN]).replace("Tuesday", "Monday", 1)
    (tmp_path / "set.jsonl").write_text(text, encoding="utf-8")
    conversing.write(tmp_path, task(subjects=None, data="set.jsonl", ask=None, ask_column="questions"))
    with pytest.raises(InputError, match="differ from those for a"):
        frozen.freeze(study.load(tmp_path), tmp_path)


def test_limits_of_one_judge_are_not_told(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path, task(panels={"public": {"judges": 1}}, guessing="formula"), clock)
    made, _ = rehearse(service.frozen, Readers(), seed=5)
    result = analyse(made.frozen, made.judgements())
    page = renderer_of(result).write(result, tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Corrected for guessing" in page and not re.search(r"\bnan\b", page)


def test_simulated_success_and_times_are_found_again(tmp_path: Path, clock: Clock) -> None:
    panels = {"public": {"judges": 12}}
    service = launched(tmp_path, task(panels=panels, guessing="formula"), clock)
    crowd = Readers(
        means={"secret-a": 0.85, "secret-b": 0.5},
        judge_sd=0.2,
        item_sd=0.2,
        times={"secret-b": 2.0},
        seconds=30,
    )
    made, _ = rehearse(service.frozen, crowd, seed=5)
    result = analyse(made.frozen, made.judgements())
    found = {one.system: one for one in result.rating("success").models.means}
    for system, share in crowd.means.items():
        assert found[system].exact is not None
        assert found[system].exact[0] < share < found[system].exact[1]
    assert result.rating("success").models.leading == "ordinal"  # the logistic mixed model
    times = result.to_dict()["time"][0]
    (pair,) = times["pairs"]
    ratio = pair["ratio"] if pair["pair"].startswith("secret-b") else 1 / pair["ratio"]
    assert ratio == pytest.approx(2.0, rel=0.3) and pair["p"] < 0.001
    rows = sort_out(made.frozen, made.judgements()).of("public")
    own = [row for row in rows if row.system == "secret-b"]
    score = np.mean([1 if row.right else -row.chance / (1 - row.chance) for row in own])
    told = {one["system"]: one for one in result.to_dict()["corrected_for_guessing"][0]["systems"]}
    assert told["secret-b"]["estimate"] == pytest.approx(score)
    assert any("judges can agree with each other and be wrong" in text for _, text in sentences(result))
    assert len(result.to_dict()["questions"]) == 18


def test_efficiency_is_a_ratio_of_sums_with_limits_over_judges() -> None:
    found = ratios([3, 1, 2, 2], [1.0, 1.0, 2.0, 2.0], ["a", "a", "b", "b"], ["x", "y", "x", "y"], seed=1)
    assert [(one.system, one.estimate) for one in found] == [("a", 2.0), ("b", 1.0)]
    assert (found[0].low, found[0].high) == (1.0, 3.0) and found[1].low == found[1].high == 1.0
    assert np.isnan(ratios([1], [1.0], ["a"], ["x"], seed=1)[0].low)


def test_new_makes_a_study_that_checks_runs_and_is_analysed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, folder = tmp_path / "set.jsonl", str(tmp_path / "made")
    data.write_text(rows_with([WHERE, WIND]), encoding="utf-8")
    assert main(["study", "new", folder, "--protocol", "task", "--from", str(data), "--seed", "3"]) == 0
    assert "the questions of its rows" in capsys.readouterr().out
    assert main(["study", "check", folder, "--no-simulation"]) == 0
    assert main(["study", "launch", folder]) == 0
    assert main(["study", "simulate", folder, "--mean", "a=0.9"]) == 0
    capsys.readouterr()
    page = tmp_path / "page.html"
    assert main(["study", "analyse", folder, "--html", str(page)]) == 0
    said = capsys.readouterr().out
    assert "Right answers per minute" in said and "Time and efficiency" in page.read_text(encoding="utf-8")
    assert main(["study", "statement", folder]) == 0
    assert "scored by a key" in capsys.readouterr().out
    assert main(["study", "export", folder, "-o", str(tmp_path / "long.csv"), "--long"]) == 0
    assert (
        (tmp_path / "long.csv").read_text(encoding="utf-8").startswith("item,system,judge,panel,criterion,value,given")
    )
    assert main(["study", "export", folder, "-o", str(tmp_path / "a.csv")]) == 0
    assert export.read(tmp_path / "a.csv", protocol=_protocol(folder))


def _protocol(folder: str) -> Any:
    from nlgauge.study.protocols import protocol_of

    return protocol_of(frozen.read(folder).study.protocol)


def test_the_example_that_study_new_writes_is_refused_until_it_is_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, folder = tmp_path / "set.jsonl", tmp_path / "made"
    data.write_text(rows_with([]), encoding="utf-8")
    assert main(["study", "new", str(folder), "--protocol", "task", "--from", str(data), "--seed", "3"]) == 0
    assert main(["study", "check", str(folder), "--no-simulation"]) == 2
    told = capsys.readouterr().out
    assert "ask.1 is the example that study new wrote" in told
    assert "risks are looked for once the errors are mended" in told and "0 to weigh" not in told
    assert main(["study", "launch", str(folder)]) == 2
    file = folder / "study.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("replace this", "rain"), encoding="utf-8")
    assert main(["study", "check", str(folder), "--no-simulation"]) == 0
