"""Classifications in the engine: the file, true classes, answers, what `study check` says, simulation, a new study."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import rated
import yaml
from studies import Clock

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.study.checks.run import check
from nlgauge.study.exchange import export
from nlgauge.study.file import study as design
from nlgauge.study.protocols import protocol_of
from nlgauge.study.protocols.classification.layout import truth_of
from nlgauge.study.protocols.classification.simulation import Classifiers
from nlgauge.study.refusals import Refused
from nlgauge.study.service import launch
from nlgauge.study.simulation import rehearse
from nlgauge.study.store import Store

TWO = {"a": {"label": "The Courier"}, "b": {"label": "The Gazette"}}


def problems(folder: Path, **changes: Any) -> list[str]:
    rated.write(folder, **rated.classifying(**changes))
    _, found, _ = design.inspect(folder)
    assert all(problem.line for problem in found)
    return [problem.message for problem in found]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"classes": None}, "the key 'classes' is missing"),
        ({"question": None}, "the key 'question' is missing"),
        ({"classes": {"a": "A"}}, "needs 2 to 12 classes, not 1; name more"),
        ({"classes": {f"c{k}": f"C{k}" for k in range(13)}}, "not 13; leave some out"),
        ({"classes": {"a": "Same", "b": "Same"}}, "have the same label 'Same'"),
        ({"classes": {"a": "b", "b": {}}}, "the classes a and b have the same label 'b'"),
        ({"criteria": ["fluency"]}, "a classification asks one question (question); leave criteria out"),
        ({"scale": {"points": 5}}, "which have no scale"),
        ({"truth": {"rule": "office"}}, "there is no system 'rule'; did you mean rules?"),
        ({"truth": {"rules": "offise"}}, "there is no class 'offise'; did you mean office?"),
        ({"truth_column": "paper"}, "no set is named; write truth with each text"),
        ({"accuracy": 0.3}, "guessing among 3 classes is right in 33 %"),
        ({"design": {"kind": "overlap", "per_screen": 2}}, "a classification shows one text at a time"),
        ({"cannot_judge": True}, "does not offer “I cannot judge this”"),
        ({"criteria_order": "random"}, "a classification asks one question, so that there is no order"),
        (
            {"quality": {"attention": [{"text": "Choose 4.", "answer": {"class": 4}}]}},
            "4 is not on the scale",
        ),
        (
            {
                "panels": {
                    "p": {"judges": 2},
                    "m": {"kind": "machine", "judges": 1, "judge": {"kind": "metric", "metric": "bleu"}},
                }
            },
            "scores of a metric are no answers of the protocol classification",
        ),
    ],
)
def test_each_fault_of_a_file_has_its_line_and_a_remedy(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    found = problems(tmp_path, **changes)
    assert any(said in one for one in found), found


def data(folder: Path, *, classes: str = "ab", key: str = "paper") -> Path:
    rows = [
        {"item": f"i{k}", "system": system, "hypothesis": f"{system} {k}", key: classes[k % len(classes)]}
        for k in range(8)
        for system in ("x", "y")
    ]
    path = folder / "set.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def of_set(folder: Path, **changes: Any) -> Any:
    data(folder)
    given = rated.classifying(subjects=None, data="set.jsonl", classes=TWO, truth={}, show=None)
    given = {key: value for key, value in given.items() if value != {}}
    return rated.launched(folder, Clock(), **{**given, "truth_column": "paper", **changes})


def test_the_true_class_comes_from_text_row_or_system_and_no_page_shows_it(tmp_path: Path) -> None:
    texts = [{"text": "One.", "truth": "office"}, {"text": "Two."}]
    subjects = {"rules": {"texts": texts}, "people": {"texts": ["Three.", "Four."]}}
    panels = {"p": {"judges": 2}}
    service = rated.of("classification", tmp_path / "a", Clock(), subjects=subjects, show=None, panels=panels)
    found = {text.text: truth_of(text) for text in service.frozen.served}
    assert found == {"One.": "office", "Two.": "office", "Three.": "paper", "Four.": "paper"}
    service = rated.of("classification", tmp_path / "b", Clock())
    assert {text.subject for text in service.frozen.served if truth_of(text) is None} == {"neural"}
    (tmp_path / "c").mkdir()
    service = of_set(tmp_path / "c")
    assert [truth_of(text) for text in service.frozen.served if text.subject == "x"] == list("abababab")
    judge, _ = service.arrivals.register("public")
    assert truth_of(service.dealing.step(judge).evaluation.texts[0]) is not None  # the engine knows, pages do not show


def test_a_row_with_an_unknown_class_is_refused_at_its_key(tmp_path: Path) -> None:
    data(tmp_path, classes="abz")
    given = rated.classifying(subjects=None, data="set.jsonl", classes=TWO, show=None, truth=None)
    with pytest.raises(InputError, match=r"item 'i2' of x has the class 'z' \(paper\), which the study does not"):
        rated.launched(tmp_path, Clock(), **given, truth_column="paper")


def test_what_check_says_of_truth_and_numbers(tmp_path: Path) -> None:
    def said(**changes: Any) -> str:
        rated.write(tmp_path, **rated.classifying(**changes))
        found = check(tmp_path)[0]
        return "\n".join(f"{one.severity}: {one.message}" for one in found if one.kind in ("truth", "accuracy"))

    usual = said(accuracy=0.6)
    assert "note: outputs by true class: office 6, paper 6, other 0; of 6 outputs it is unknown" in usual
    assert "risk: to tell an accuracy of 60 % from 33.3 % by guessing, one judge needs 25 outputs" in usual
    assert "risk: the true class of no output is known" in said(truth=None)
    same = dict.fromkeys(("rules", "neural", "people"), "office")
    assert "risk: 18 of 18 outputs are of the class office: who always answers it is right in 100 %" in said(truth=same)


@pytest.mark.parametrize("answer", [{"class": 0}, {"class": 4}, {"class": 1.5}, {"class": "x"}, {}, {"x": 1}])
def test_answers_that_are_no_class_are_refused(answer: Any, tmp_path: Path) -> None:
    service = rated.of("classification", tmp_path, Clock())
    judge, _ = service.arrivals.register("public")
    shown = service.dealing.step(judge).evaluation
    assert shown is not None
    with pytest.raises(Refused):
        service.answers.answer(judge, shown.claim, answer)
    assert service.judgements() == []


def test_a_class_is_answered_by_number_or_name_and_exported_by_name(store: Store, tmp_path: Path) -> None:
    service = rated.of("classification", tmp_path / "s", Clock(), store)
    judge, _ = service.arrivals.register("public")
    for answer in ({"class": "paper"}, {"class": 3}):
        shown = service.dealing.step(judge).evaluation
        assert shown is not None
        service.answers.answer(judge, shown.claim, answer)
    assert [one.answer for one in service.judgements()] == [{"class": 2}, {"class": 3}]
    rows = [row for one in service.judgements() for row in service.protocol.long(one, service.frozen)]
    assert [(row["class"], row["value"]) for row in rows] == [("paper", 2), ("other", 3)]
    names = {"rules": "office", "people": "paper", "neural": None}
    assert all(row["truth"] == names[row["system"]] for row in rows)
    path = tmp_path / "rows.jsonl"
    export.write(service.judgements(), path, {})
    assert export.read(path, protocol=service.protocol) == service.judgements()


def test_simulated_judges_have_the_accuracy_they_were_given(tmp_path: Path) -> None:
    texts = {name: {"texts": [{"text": f"{name} {k}", "truth": "ab"[k % 2]} for k in range(150)]} for name in "xy"}
    given = rated.classifying(
        subjects=texts, classes=TWO, truth=None, show=None, design="crossed", panels={"p": {"judges": 4}}
    )
    service = rated.launched(tmp_path, Clock(), **given)
    judges = Classifiers(means={"x": 0.9, "y": 0.5}, judge_sd=0, item_sd=0)
    done, outcome = rehearse(service.frozen, judges, seed=5)
    (panel,) = outcome.to_dict()["panels"].values()
    shares = panel["success"]["accuracy"]
    assert abs(shares["x"] - 0.9) < 0.04 and abs(shares["y"] - 0.5) < 0.07
    rows = protocol_of("classification").judged(done)
    assert {row["item"] for row in rows} and all(len(row["ratings"]["accuracy"]) == 4 for row in rows)
    with pytest.raises(InputError, match="the study has no system 'z'"):
        rehearse(service.frozen, Classifiers(means={"z": 0.9}), seed=5)


def test_a_new_study_takes_its_classes_from_the_rows(tmp_path: Path, capsys: Any) -> None:
    path = str(data(tmp_path))
    words = [
        "study",
        "new",
        str(tmp_path / "s"),
        "--from",
        path,
        "--protocol",
        "classification",
        "--seed",
        "3",
    ]
    assert main([*words, "--truth", "papper"]) == 2
    assert "hold nothing under 'papper' (--truth); did you mean paper?" in capsys.readouterr().err
    assert not (tmp_path / "s").exists()
    assert main([*words, "--truth", "paper", "--languages", "en,ar,it"]) == 0
    written = yaml.safe_load((tmp_path / "s" / design.FILE).read_text(encoding="utf-8"))
    assert list(written["classes"]) == ["a", "b"] and written["truth_column"] == "paper"
    study = design.load(tmp_path / "s")
    launch(study, tmp_path / "s", Store.memory())
    assert not [one for one in check(tmp_path / "s")[0] if one.severity == "error"]
    lines = (tmp_path / "s" / design.FILE).read_text(encoding="utf-8").splitlines()
    start, end = (
        next(place for place, line in enumerate(lines) if line.startswith(f"# {key}: "))
        for key in ("quality", "practice")
    )
    block = [line[2:] for line in lines[start:end]]  # the checks that the file offers
    (tmp_path / "s" / design.FILE).write_text("\n".join([*lines, *block]), encoding="utf-8")
    found, _ = check(tmp_path / "s")
    assert [one for one in found if one.kind == "quality" or "attention" in one.message]
    assert not [one for one in found if one.severity == "error"], found


def test_more_classes_than_fit_a_page_are_refused(tmp_path: Path, capsys: Any) -> None:
    rows = [{"item": f"i{k}", "system": "x", "hypothesis": "t", "class": f"c{k}"} for k in range(13)]
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    words = ["study", "new", str(tmp_path / "s"), "--from", str(path), "--protocol", "classification"]
    assert main(words) == 2
    assert "hold 13 classes under 'class'; a classification needs 2 to 12" in capsys.readouterr().err
