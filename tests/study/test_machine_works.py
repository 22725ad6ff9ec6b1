"""Machines that estimate, answer questions, mark errors and edit: asked, read back, refused, and held beside people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import rated
from endpoints import Answer, Seen, completion, endpoint
from studies import Clock

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.report.study.words import warnings
from nlgauge.study.machine_judges.asking import output_prompt
from nlgauge.study.machine_judges.base import Sheet
from nlgauge.study.machine_judges.endpoint import Asked
from nlgauge.study.machine_judges.making import made
from nlgauge.study.machine_judges.program import Called
from nlgauge.study.machine_judges.run import Outcome, run, run_panel
from nlgauge.study.machine_judges.sheets import output_study, showing
from nlgauge.study.service import Service
from nlgauge.study.simulation import rehearse
from nlgauge.web.language import load

SAY = load("en").say
MODEL = {"kind": "openai", "url": "http://127.0.0.1:1/v1", "model": "tiny"}
PROTOCOLS = ("magnitude", "rankme", "post-edit", "spans", "classification", "task")
EVERY = pytest.mark.parametrize("protocol", PROTOCOLS)
ERROR = {"quote": "rain", "occurrence": 1, "category": "accuracy", "severity": "major", "note": "wet"}
SAID: dict[str, Mapping[str, Any]] = {
    "magnitude": {"q1": 120, "q2": "80.5", "reason": "dull"},
    "rankme": {"q1": [100, "50", 12.5]},
    "post-edit": {"text": "It will rain in the valley."},
    "spans": {"errors": [ERROR]},
    "classification": {"q1": "paper", "reason": "long"},
    "task": {"q1": 2, "q2": "on Tuesday", "q3": 12.5, "confidence": 4},
}
STORED: dict[str, Any] = {
    "magnitude": {"fluency": 120, "formality": 80.5},
    "rankme": [100, 50, 12.5],
    "post-edit": {"outcome": "edited", "text": "It will rain in the valley.", "ratings": {}},
    "classification": {"class": 2},
    "task": {
        "answers": {"where": {"choice": 1}, "when": {"text": "on Tuesday"}, "wind": {"number": 12.5}},
        "confidence": 4,
    },
}
UNREADABLE: dict[str, list[Any]] = {
    "magnitude": [{"q1": 0, "q2": 1}, {"q1": 5}, {"q1": "much", "q2": 1}],
    "rankme": [{"q1": [1, 2]}, {"q1": 3}, {"q1": [1, 2, -3]}],
    "post-edit": [{"text": ""}, {"text": 5}, {"edited": "x"}],
    "spans": [
        {"errors": [ERROR | {"quote": "snow"}]},
        {"errors": [ERROR | {"occurrence": 9}]},
        {"errors": [ERROR | {"severity": "terrible"}]},
        {"errors": [ERROR | {"category": "spelling of names"}]},
        {"errors": "none"},
    ],
    "classification": [{"q1": 4}, {"q1": 0}, {"q1": "A newspaper"}, {"q1": 1.5}, {"class": 1}],
    "task": [
        SAID["task"] | {"q1": 5},
        SAID["task"] | {"q3": "strong"},
        SAID["task"] | {"confidence": 9},
        {"q1": 1},
    ],
}


def study(protocol: str, folder: Path, judge: Mapping[str, Any] = MODEL) -> Service:
    panels = {
        "public": {"judges": 6, "evaluations": 3, "access": "open"},
        "m": {"kind": "machine", "judges": 2, "judge": dict(judge)},
    }
    changes: dict[str, Any] = {"criteria": None} if protocol in ("post-edit", "spans") else {}
    return rated.of(protocol, folder, Clock(), panels=panels, **changes)


def filled(service: Service, folder: Path, url: str = "", **more: Any) -> Outcome:
    own = output_study(service.study)
    judge = own.panels["m"].judge
    assert judge is not None

    def make(number: int) -> Any:
        found = made(judge, own, folder, number=number, language="en", say=SAY, url=url, timeout=5.0, retries=1)
        if isinstance(found, Asked):
            found.endpoint._sleep = lambda _: None
        return found

    return run_panel(service, make, name="m", language="en", show=showing(own, "m", "en", SAY), **more)


def saying(protocol: str) -> Any:
    def behave(seen: Seen, number: int) -> Answer:
        return completion(json.dumps(SAID[protocol]))

    return behave


@EVERY
def test_what_a_model_says_is_stored_as_the_protocol_has_it(protocol: str, tmp_path: Path) -> None:
    service = study(protocol, tmp_path)
    with endpoint(saying(protocol)) as fake:
        outcome = filled(service, tmp_path, fake.url, limit=3)
    assert (outcome.answered, outcome.unreadable) == (3, 0)
    own = [one for one in service.judgements() if one.panel == "m"]
    for one in own:
        if protocol == "spans":
            (span,) = one.answer["spans"]
            text = service.frozen.text[one.texts[0]].text
            assert text[span["start"] : span["end"]] == "rain" and not one.answer["none"]
            assert (span["severity"], span["category"], span["note"]) == ("major", "accuracy", "wet")
        elif protocol == "rankme":
            assert list(one.answer.values()) == [STORED[protocol]] and len(one.texts) == 3
        else:
            assert one.answer == STORED[protocol]
    asked = fake.requests[0].user
    if protocol == "task":
        assert "Where will it rain?" in asked and "2 = south" in asked and "Tuesday" not in asked  # no key
    if protocol == "classification":
        assert "1 = The weather office: Short and exact." in asked and "2 = A newspaper" in asked
    if protocol in rated.MAGNITUDES:
        assert "it has the value 100" in asked and "Rain, somewhere." in asked
    if protocol == "spans":
        assert "accuracy/omission" in asked and '"quote"' in asked


@EVERY
def test_a_reply_that_is_no_answer_leaves_the_screen_open(protocol: str, tmp_path: Path) -> None:
    service = study(protocol, tmp_path)
    own = output_study(service.study)
    prompt = output_prompt(own, "en", SAY)
    slot = next(one for one in service.slots("m"))
    sheet = Sheet.of([service.frozen.text[name] for name in slot.texts])
    assert prompt.read(json.dumps(SAID[protocol]), sheet) is not None
    for bad in UNREADABLE[protocol]:
        assert prompt.read(json.dumps(bad), sheet) is None, bad


def test_no_error_and_the_same_text_are_answers_too(tmp_path: Path) -> None:
    service = study("spans", tmp_path / "s")
    text = service.frozen.served[0]
    prompt = output_prompt(output_study(service.study), "en", SAY)
    found = prompt.read('{"errors": []}', Sheet.of([text]))
    assert found is not None and found[0] == {"spans": [], "none": True, "ratings": {}}
    missing = {"on": "missing", "quote": "", "category": "accuracy/omission", "severity": "minor"}
    found = prompt.read(json.dumps({"errors": [missing]}), Sheet.of([text]))
    assert found is not None and found[0]["spans"][0]["on"] == "missing"
    service = study("post-edit", tmp_path / "p")
    text = service.frozen.served[0]
    found = output_prompt(output_study(service.study), "en", SAY).read(
        json.dumps({"text": text.text}), Sheet.of([text])
    )
    assert found is not None and found[0]["outcome"] == "unchanged"


@EVERY
def test_a_program_gives_answers_and_no_scores(protocol: str, tmp_path: Path) -> None:
    service = study(protocol, tmp_path)
    own = output_study(service.study)
    given: list[Mapping[str, Any]] = []

    def judge(screen: Mapping[str, Any]) -> Mapping[str, Any]:
        given.append(screen)
        if protocol == "rankme":
            return {"answer": {screen["questions"][0]["id"]: [3, 2, 1]}}
        if protocol == "spans":
            return {"answer": {"spans": [], "none": True}}
        return {"answer": STORED[protocol]}

    called = Called(judge, own, name="f")
    done = run(service, called, like="public", name="later", limit=2, show=showing(own, "public", "en", SAY))
    assert done.answered == 2
    assert not any("accepted" in json.dumps(one) or "part" in one["texts"][0] for one in given)
    with pytest.raises(InputError, match="scores of texts stand for no answers"):
        run(
            service,
            Called(lambda screen: {"scores": [1.0] * len(screen["texts"])}, own, name="g"),
            like="public",
            name="scores",
            limit=1,
            show=showing(own, "public", "en", SAY),
        )


def behaving(protocol: str) -> Any:
    """Other answers to other texts, so that correlations are defined."""

    def behave(seen: Seen, number: int) -> Answer:
        k = sum(map(ord, seen.user.split("BEGIN TEXT")[1])) % 7
        given: dict[str, Any] = dict(SAID[protocol])
        if protocol == "magnitude":
            given |= {"q1": 50 + 10 * k, "q2": 100 + k}
        elif protocol == "rankme":
            given = {"q1": [100, 50 + k, 12 + 3 * k]}
        elif protocol == "post-edit":
            given = {"text": "It will rain in the valley" + " so" * k}
        elif protocol == "spans":
            given = {"errors": [ERROR] if k % 2 else []}
        else:
            given["q1"] = 1 + k % 3
        return completion(json.dumps(given))

    return behave


@EVERY
def test_panels_of_people_and_machines_are_held_beside_each_other(protocol: str, tmp_path: Path) -> None:
    service = study(protocol, tmp_path)
    played, _ = rehearse(service.frozen, service.protocol.crowd(service.study, {}), seed=3)
    with endpoint(behaving(protocol)) as fake:
        outcome = filled(played, tmp_path, fake.url)
    assert outcome.left == 0
    result = played.protocol.analyse_service(played)
    found = result.to_dict()
    assert {one["panel"] for one in found["result"]} == {"public", "m"}
    beside = [one for one in found["machines"] if one["machine"] == "m"]
    assert beside and all(one["people"] == "public" and one["outputs"]["n"] > 2 for one in beside)
    assert any("never pooled with theirs" in note for note in warnings(result))
    people = [one for one in result.crews if one.panel == "public"]
    assert people[0].answers == sum(one.panel == "public" for one in played.judgements())
    assert all(not one.judges for one in result.crews if one.panel == "m")


def test_what_machines_cannot_do_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    metric = {"kind": "metric", "metric": "chrf"}
    for protocol in PROTOCOLS:
        with pytest.raises(InputError, match="scores of a metric are no answers of the protocol"):
            study(protocol, tmp_path / protocol, metric)
    machine = {"public": {"judges": 2}, "m": {"kind": "machine", "judges": 1, "judge": MODEL}}
    with pytest.raises(InputError, match="a machine forgets nothing"):
        rated.of("task", tmp_path / "hidden", Clock(), panels=machine, hide_text=True)
    with pytest.raises(InputError, match="a machine would rate its own"):
        rated.of("chat", tmp_path / "chat", Clock(), panels=machine)
    folder = rated.write(tmp_path / "late", **rated.estimating("rankme"))
    assert main(["study", "launch", str(folder)]) == 0
    assert main(["study", "run-judge", str(folder), "--judge", "metric", "--metric", "chrf", "--name", "c"]) == 2
    assert "scores of texts stand for no answers" in capsys.readouterr().err
