"""What the engine promises of every protocol: dealing, answers read back equal, files, late judges, corrections."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import rated
from studies import Clock

from nlgauge.errors import InputError
from nlgauge.study import export, restoring
from nlgauge.study.frozen import Frozen, read
from nlgauge.study.protocols import PROTOCOLS
from nlgauge.study.refusals import Refused
from nlgauge.study.service import Service, opened, start
from nlgauge.study.simulate import rehearse
from nlgauge.study.store import Store

EVERY = pytest.mark.parametrize("protocol", PROTOCOLS)
CLOSING: list[dict[str, Any]] = [
    {"id": "tools", "text": "What helped you?", "type": "several", "options": ["a dictionary", "nothing"]},
    {
        "id": "hard",
        "text": "How hard was it?",
        "type": "scale",
        "low": "easy",
        "high": "hard",
        "required": True,
    },
    {"id": "more", "text": "Anything else?", "type": "text"},
]


def finish(service: Service, judge: str, first: int = 0) -> list[object]:
    """Answer whatever comes until the end; the answers given."""
    given = []
    while (step := service.step(judge)).evaluation is not None:
        answer = rated.some_answer(service, step.evaluation, first + len(given))
        given.append(answer)
        service.answer(judge, step.evaluation.claim, answer)
    assert step.kind == ("closing" if service.study.closing else "done")
    return given


@EVERY
def test_every_answer_is_read_back_equal(protocol: str, tmp_path: Path, clock: Clock, store: Store) -> None:
    service = rated.of(protocol, tmp_path, clock, store)
    given = {}
    for number in range(6):
        judge, _ = service.register("public")
        given[judge] = finish(service, judge, 10 * number)
    stored = service.judgements()
    assert len(stored) == 24
    for judge, answers in given.items():
        assert [one.answer for one in stored if one.judge == judge] == answers
    assert service.planned_answers() == (24, 24)
    assert {one.slot for one in stored} == {slot.id for slot in service.frozen.slots}
    with pytest.raises(Refused, match="taken"):
        service.register("public")


@EVERY
@pytest.mark.parametrize("kind", [".csv", ".jsonl", ".parquet", ".tsv"])
def test_files_hold_every_answer(protocol: str, kind: str, tmp_path: Path, clock: Clock) -> None:
    service = rated.of(protocol, tmp_path / "s", clock)
    judge, _ = service.register("public")
    finish(service, judge)
    path = tmp_path / f"answers{kind}"
    assert export.write(service.judgements(), path) == 4
    found = export.read(path, protocol=service.protocol)
    assert found == service.judgements()
    copy = start(Frozen.from_dict(service.frozen.to_dict()), Store.memory(), clock=clock)
    assert restoring.load_into(copy, found) == 4
    assert copy.judgements() == service.judgements()
    assert copy.progress()["panels"]["public"]["done"] == 4


@EVERY
def test_an_abandoned_sheet_is_dealt_again(protocol: str, tmp_path: Path, clock: Clock) -> None:
    service = rated.of(
        protocol, tmp_path, clock, panels={"public": {"judges": 2, "evaluations": 4, "access": "open"}}
    )
    gone, _ = service.register("public")
    left = service.step(gone).evaluation
    assert left is not None
    clock.minutes(31)
    for _ in range(2):
        judge, _ = service.register("public")
        finish(service, judge)
    assert service.planned_answers() == (8, 8)
    late = service.answer(gone, left.claim, rated.some_answer(service, left, 5))
    assert late.judgement.surplus


@EVERY
def test_late_judges_get_a_continuation(protocol: str, tmp_path: Path, clock: Clock) -> None:
    service = rated.of(protocol, tmp_path, clock, extra="continue")
    for number in range(9):
        judge, _ = service.register("public")
        assert len(finish(service, judge, number)) == 4
    slots = service.slots("public")
    assert [slot.number for slot in slots] == list(range(1, 37))
    added = service.extend("public", 3)
    assert [slot.number for slot in added] == list(range(37, 49))
    if protocol != "triangle":  # whole squares of three judges: every text equally often
        seen = Counter(text for slot in service.slots("public") for text in slot.texts)
        assert max(seen.values()) - min(seen.values()) <= 1


@EVERY
def test_a_correction_keeps_both(protocol: str, tmp_path: Path, clock: Clock) -> None:
    service = rated.of(protocol, tmp_path, clock, corrections="allow")
    judge, _ = service.register("public")
    shown = service.step(judge).evaluation
    assert shown is not None
    first = service.answer(judge, shown.claim, rated.some_answer(service, shown, 0)).judgement
    other = rated.some_answer(service, shown, 1)
    assert other != first.answer
    second = service.correct(judge, first.id, other).judgement
    assert (second.replaces, second.answer) == (first.id, other)
    assert [one.answer for one in service.judgements()] == [first.answer, other]


@EVERY
def test_an_answer_that_cannot_be_is_refused_and_nothing_is_stored(
    protocol: str, tmp_path: Path, clock: Clock
) -> None:
    service = rated.of(protocol, tmp_path, clock)
    judge, _ = service.register("public")
    shown = service.step(judge).evaluation
    assert shown is not None
    good = rated.some_answer(service, shown, 0)
    wrong: list[object] = [None, True, "1", -1, 3.5, [], {}]
    if isinstance(good, dict):
        name = next(iter(good))
        off = [0.0] if protocol in rated.MAGNITUDES else [1.37, 10**6]  # no magnitude, or off a scale
        wrong += [good | {name: value} for value in (True, "2", -1, float("nan"), None, *off)]
        wrong += [{name: good[name]}] if len(good) > 1 else []
        wrong += [good | {"other": 1}]
    for answer in wrong:
        with pytest.raises(Refused) as refused:
            service.answer(judge, shown.claim, answer)
        assert refused.value.code == "invalid" and str(refused.value)
    assert service.judgements() == []
    service.answer(judge, shown.claim, good)
    other, _ = service.register("public")
    with pytest.raises(Refused, match="another judge"):
        service.answer(other, shown.claim, good)


@EVERY
def test_frozen_and_opened_again(protocol: str, tmp_path: Path, clock: Clock) -> None:
    service = rated.of(protocol, tmp_path, clock, Store.at(tmp_path))
    again = opened(tmp_path, Store.at(tmp_path), clock=clock)
    assert again.frozen.digest == service.frozen.digest
    assert read(tmp_path).study == service.study
    assert again.frozen.texts == service.frozen.texts
    values = service.frozen.to_dict()
    values["texts"][0]["text"] = "another"
    with pytest.raises(InputError, match="was changed after launch"):
        Frozen.from_dict(values)


@EVERY
def test_simulated_judges_fill_the_plan(protocol: str, tmp_path: Path, clock: Clock) -> None:
    service = rated.of(protocol, tmp_path, clock)
    crowd = service.protocol.crowd(service.study, {"dropouts": 0.3})
    run, outcome = rehearse(service.frozen, crowd, seed=3)
    again, _ = rehearse(service.frozen, crowd, seed=3)
    assert outcome.panels["public"]["answers"] == 24 and outcome.dropped > 0
    assert run.judgements() == again.judgements()
    heads, rows = service.protocol.table(outcome.panels)
    assert rows and all(len(row) == len(heads) for row in rows)


@EVERY
def test_questions_at_the_end_are_asked_once_and_forgotten_with_the_judge(
    protocol: str, tmp_path: Path, clock: Clock
) -> None:
    service = rated.of(protocol, tmp_path, clock, Store.at(tmp_path), closing=CLOSING)
    judge, _ = service.register("public")
    with pytest.raises(Refused, match="after the last text"):
        service.answer_closing(judge, {"hard": "3"})
    finish(service, judge)
    assert (
        len(service.judgements()) == 4 and service.progress()["panels"]["public"]["judges"]["finished"] == 1
    )
    service = opened(tmp_path, Store.at(tmp_path), clock=clock)  # after a restart
    assert service.step(judge).kind == "closing"
    wrong = ({}, {"hard": "6"}, {"hard": "0"}, {"hard": "2", "tools": "0,2"}, {"hard": "2", "tools": "0,0"})
    for answers in wrong:
        with pytest.raises(Refused) as refused:
            service.answer_closing(judge, answers)
        assert refused.value.code == "invalid" and service.step(judge).kind == "closing"
    given = {"tools": "0,1", "hard": "4", "more": "no \N{CLOUD WITH RAIN}"}
    for _ in range(2):  # sent twice
        service.answer_closing(judge, given)
    with pytest.raises(Refused, match="were kept"):
        service.answer_closing(judge, given | {"hard": "1"})
    assert service.step(judge).kind == "done" and service.personal() == {judge: given}
    service.forget(judge)
    assert service.personal() == {} and len(service.judgements()) == 4


@EVERY
def test_simulated_judges_answer_at_the_end_and_the_analysis_counts_it(
    protocol: str, tmp_path: Path, clock: Clock
) -> None:
    service = rated.of(protocol, tmp_path, clock, closing=CLOSING)
    crowd = service.protocol.crowd(service.study, {})
    run, outcome = rehearse(service.frozen, crowd, seed=3)
    assert outcome.finished == 6 and len(run.personal()) == 6
    found = import_module(run.protocol.analysis).analyse_service(run).to_dict()
    (sample,) = found["judges"]["sample"] if protocol == "triangle" else found["sample"]
    tools, hard, more = sample["closing"]
    assert sum(one["judges"] for one in tools["counts"]) == 6
    assert [one["option"] for one in hard["counts"]] == ["1", "2", "3", "4", "5"] and hard["quartiles"]
    assert (more["answers"], more["counts"]) == (6, [])


@EVERY
def test_a_study_without_questions_at_the_end_keeps_the_hash_it_had(
    protocol: str, tmp_path: Path, clock: Clock
) -> None:
    asked = [{"id": "age", "text": "How old are you?", "type": "number"}]
    values = rated.of(protocol, tmp_path, clock, questions=asked).study.to_dict()
    assert "closing" not in values and set(values["questions"][0]) == {
        "id",
        "text",
        "type",
        "options",
        "required",
    }
