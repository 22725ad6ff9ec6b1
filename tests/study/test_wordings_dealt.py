"""Two wordings of a question: dealt to equal halves of the judges, kept throughout, exported, and refused where odd."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import rated
from studies import Clock

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.report.study.words import sentences, warnings
from nlgauge.study.checks.run import check
from nlgauge.study.exchange import export, people
from nlgauge.study.file import study
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.question_review import review_folder
from nlgauge.study.service import Service, start
from nlgauge.study.simulation import rehearse
from nlgauge.study.store import Store

NEUTRAL, POSITIVE = "How fluent or not is this text?", "How wonderfully fluent is this text?"
WORDED = {"id": "fluency", "wordings": {"neutral": NEUTRAL, "positive": POSITIVE}}
OPEN = {"public": {"judges": 12, "access": "open"}}


def launched(folder: Path, clock: Clock, store: Store | None = None, **changes: Any) -> Service:
    return rated.launched(folder, clock, store, **{"criteria": [WORDED, rated.OWN], "panels": OPEN, **changes})


def dealt(service: Service) -> list[str]:
    """The wording of each judge in the order in which they came."""
    own = {row["id"]: row["wording"] for row in service.people.judges()}
    came = [event["judge"] for event in service.events("registered")]
    return [own[judge] for judge in came or own]


def finish(service: Service, judge: str) -> None:
    while (step := service.dealing.step(judge)).kind == "evaluation":
        assert step.evaluation is not None
        service.answers.answer(judge, step.evaluation.claim, rated.some_answer(service, step.evaluation, 0))


def test_each_two_judges_are_a_block_and_the_seed_says_who_comes_first(
    tmp_path: Path, clock: Clock, store: Store
) -> None:
    service = launched(tmp_path / "s", clock, store)
    for _ in range(12):
        service.arrivals.register("public")
    found = dealt(service)
    assert all(set(found[place : place + 2]) == {"neutral", "positive"} for place in range(0, 12, 2))
    assert len({tuple(found[place : place + 2]) for place in range(0, 12, 2)}) == 2  # not always the same first
    events = [event["data"]["wording"] for event in service.events("registered")]
    assert events == found


def test_who_comes_for_a_judge_who_left_takes_their_wording(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "s", clock)
    judges = [service.arrivals.register("public")[0] for _ in range(4)]
    wording = dict(zip(judges, dealt(service), strict=True))
    service.people.withdraw(judges[1])
    first, _ = service.arrivals.register("public")
    assert {row["id"]: row["wording"] for row in service.people.judges()}[first] == wording[judges[1]]
    finish(service, judges[0])
    service.quality.exclude(judges[0], "came twice")
    second, _ = service.arrivals.register("public")
    assert {row["id"]: row["wording"] for row in service.people.judges()}[second] == wording[judges[0]]


def test_who_registers_and_goes_silent_does_not_hold_a_place(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "s", clock)
    silent, _ = service.arrivals.register("public")
    clock.now += 61 * service.study.timeout
    service.arrivals.register("public")
    service.arrivals.register("public")
    assert sorted(dealt(service)[1:]) == ["neutral", "positive"]
    assert silent


def test_halves_stay_equal_though_a_third_of_the_judges_leave(tmp_path: Path, clock: Clock) -> None:
    from nlgauge.study.protocols.ratings.simulation import Raters

    service = launched(tmp_path / "s", clock)
    for seed in range(4):
        done, _ = rehearse(service.frozen, Raters(dropouts=0.35), seed=seed)
        whole = Counter(row["wording"] for row in done.people.judges() if row["finished_at"] is not None)
        assert abs(whole["neutral"] - whole["positive"]) <= 2, whole


def test_judges_who_are_added_later_are_dealt_on(tmp_path: Path, clock: Clock) -> None:
    links = {"public": {"judges": 6, "access": "links"}}
    service = launched(tmp_path / "s", clock, panels=links)
    tokens = [link.token for link in service.arrivals.links("public")][:5]
    tokens += [link.token for link in service.admin.add_judges("public", 3)]
    for token in tokens:
        service.arrivals.follow(token)
    assert Counter(dealt(service)) == {"neutral": 4, "positive": 4}


@pytest.mark.parametrize(
    "protocol",
    [
        *("likert", "continuous", "binary", "spans", "post-edit", "chat"),
        *(*rated.COMPARISONS, *rated.MAGNITUDES),
    ],
)
def test_every_protocol_with_questions_deals_analyses_and_exports_them(
    protocol: str, tmp_path: Path, clock: Clock
) -> None:
    asked = dict(rated.OWN if protocol not in rated.COMPARISONS else rated.FORMAL)
    question = asked.pop("question")
    if protocol not in ("likert", "post-edit", "chat"):
        asked.pop("scale", None)
    asked |= {"wordings": {"plain": question, "loaded": f"Honestly: {question}"}}
    panels = {"public": {"judges": 8, "evaluations": 4, "access": "open"}}
    service = rated.of(protocol, tmp_path / "s", clock, criteria=[asked], panels=panels)
    frozen = Frozen.from_dict(service.frozen.to_dict())
    assert frozen.study.wordings == ("plain", "loaded")
    crowd = service.protocol.crowd(frozen.study, {"seconds": 20.0, "dropouts": 0.0, "speeders": 0.0})
    done, _ = rehearse(frozen, crowd, seed=2)
    assert Counter(dealt(done)) == {"plain": 4, "loaded": 4}
    assert {one.wording for one in done.judgements()} == {"plain", "loaded"}

    result = done.protocol.analyse_service(done)
    (effect,) = result.to_dict()["wordings"]
    assert [one["judges"] for one in effect["wordings"]] == [4, 4]
    assert (effect["level"] is None) == (protocol in rated.COMPARISONS)
    assert 0 < effect["systems"]["p"] <= 1 and len(effect["systems"]["shifts"]) == 3
    assert any("pooled" in note for note in warnings(result))
    assert any(head.startswith("Does the wording matter?") for head, _ in sentences(result))
    path = tmp_path / "rows.csv"
    export.write(done.judgements(), path)
    assert export.read(path, protocol=done.protocol) == done.judgements()


def test_exports_tell_the_wording_of_each_row_and_of_each_judge(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "s", clock)
    judge, _ = service.arrivals.register("public")
    finish(service, judge)
    wording = dealt(service)[0]
    export.write_long(service, tmp_path / "long.csv")
    with (tmp_path / "long.csv").open(encoding="utf-8") as file:
        assert {row["wording"] for row in csv.DictReader(file)} == {wording}
    assert [row["wording"] for row in people.rows(service)] == [wording]
    copy = start(service.frozen, Store.memory(), clock=clock)
    from nlgauge.study.exchange.restore import load_into

    load_into(copy, service.judgements())
    assert dealt(copy) == [wording] and copy.judgements() == service.judgements()


def test_a_study_of_one_wording_keeps_its_hash_and_its_columns(tmp_path: Path, clock: Clock) -> None:
    service = rated.launched(tmp_path / "s", clock)
    assert "wordings" not in str(service.frozen.to_dict()["study"])
    judge, _ = service.arrivals.register("public")
    finish(service, judge)
    assert "wording" not in service.judgements()[0].to_dict()
    export.write(service.judgements(), tmp_path / "rows.csv")
    assert "wording" not in (tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()[0]
    assert "wording" not in people.columns(service)


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        ({"wordings": {"neutral": NEUTRAL}}, "has one wording, so nothing can be compared"),
        (
            {"wordings": {"en": NEUTRAL, "de": POSITIVE}},
            "are languages, and wordings have names of your choice",
        ),
        ({"wordings": {"a": NEUTRAL, "b": NEUTRAL}}, "two wordings of fluency are the same"),
        ({"wordings": {"a": NEUTRAL, "b": POSITIVE}, "question": "How fluent?"}, "a question and wordings"),
        ({"wordings": {"a": {"en": NEUTRAL}, "b": {"de": POSITIVE}}}, "not in the same languages"),
        ({"wordings": {"a": {"xx": NEUTRAL}, "b": {"xx": POSITIVE}}}, "which pages do not speak"),
        ({"wordings": {"a/b": NEUTRAL, "c": POSITIVE}}, "no /, no ="),
        ({"wordings": {"a" * 33: NEUTRAL, "c": POSITIVE}}, "longer than 32 characters"),
        ({"wordings": {"a": NEUTRAL, "b": POSITIVE}, "wording": "quoted"}, "leave one of the two out"),
    ],
)
def test_wordings_that_make_no_sense_are_refused(criterion: dict[str, Any], message: str, tmp_path: Path) -> None:
    rated.write(tmp_path, criteria=[{"id": "fluency", **criterion}], panels=OPEN)
    _, problems, _ = study.inspect(tmp_path)
    assert any(message in problem.message and problem.line for problem in problems), problems


def test_criteria_name_their_wordings_alike_and_panels_have_a_judge_for_each(tmp_path: Path) -> None:
    other = rated.OWN | {"wordings": {"long": "How formal?", "short": "Formal?"}}
    del other["question"]
    rated.write(tmp_path, criteria=[WORDED, other], panels=OPEN)
    with pytest.raises(InputError, match="name them alike"):
        study.load(tmp_path)
    rated.write(tmp_path, criteria=[WORDED], panels={"public": {"judges": 1, "access": "open"}})
    with pytest.raises(InputError, match="1 judge for 2 wordings"):
        study.load(tmp_path)


def test_a_task_has_no_criteria_to_word(tmp_path: Path) -> None:
    rated.write(tmp_path, protocol="task", criteria=[WORDED], ask=[{"id": "q", "text": "Where?", "answer": "here"}])
    with pytest.raises(InputError, match="criteria"):
        study.load(tmp_path)


def test_an_answer_to_a_wording_that_the_study_does_not_have_is_refused(tmp_path: Path, clock: Clock) -> None:
    from dataclasses import replace

    from nlgauge.study.exchange.fit import Fit

    service = launched(tmp_path / "s", clock)
    judge, _ = service.arrivals.register("public")
    finish(service, judge)
    (one, *_) = service.judgements()
    assert Fit(service.frozen).fault(one) == ""
    assert "no wording 'negative'" in Fit(service.frozen).fault(replace(one, wording="negative"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"wording": "zzz"}, "no wording 'zzz'"),
        ({"wording": 1}, "no wording 1"),
        ({"wording": None}, "does not say which wording the judge read; expected one of neutral, positive"),
        ({"wording": "other"}, "and a judge reads one"),
        ({"answer": {"fluency": 3, "formality": 3, "zzz": 3}}, "about 'zzz', which is not asked there"),
        ({"answer": {"fluency": 3}}, "says nothing of formality"),
    ],
)
def test_an_export_whose_questions_are_none_of_the_study_is_not_imported(
    change: dict[str, Any], message: str, tmp_path: Path, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    service = launched(tmp_path / "s", clock)
    judge, _ = service.arrivals.register("public")
    finish(service, judge)
    (own,) = dealt(service)
    if change.get("wording") == "other":
        change = {"wording": ({"neutral", "positive"} - {own}).pop()}
    rows = [one.to_dict() for one in service.judgements()]
    rows[1] |= change
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("study.yaml", "frozen.json"):
        (copy / name).write_bytes((tmp_path / "s" / name).read_bytes())
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert main(["study", "import", str(copy), str(tmp_path / "rows.jsonl")]) == 2
    told = capsys.readouterr().err
    assert message in told and "line 2" in told
    assert not (copy / "study.sqlite").exists()


@pytest.mark.parametrize(("judges", "severity"), [(6, "risk"), (12, "note")])
def test_check_tells_the_halves_and_what_they_find(judges: int, severity: str, tmp_path: Path) -> None:
    panels = {"public": {"judges": judges, "access": "open"}}
    rated.write(tmp_path, criteria=[WORDED], panels=panels)
    found, _ = check(tmp_path, simulate=False)
    (told,) = [one for one in found if one.kind == "wordings"]
    assert told.severity == severity and f"read by {judges // 2} judges" in told.message
    if severity == "note":
        assert 0.2 < told.figures["share_of_scale"] < 0.5 and told.figures["judges_for_a_tenth"] > 20
    else:
        assert "however large, can be significant" in told.message


def test_one_judge_for_each_wording_is_told_in_the_singular(tmp_path: Path) -> None:
    panels = {"two": {"judges": 2, "access": "open"}, "three": {"judges": 3, "access": "open"}}
    rated.write(tmp_path, criteria=[WORDED], panels=panels)
    found, _ = check(tmp_path, simulate=False)
    two, three = (finding.message for finding in found if finding.kind == "wordings")
    assert "is read by 1 judge;" in two and "is read by 1 or 2 judges;" in three


def test_every_wording_is_reviewed(tmp_path: Path) -> None:
    rated.write(tmp_path, criteria=[WORDED], panels=OPEN)
    keys = {remark.key for remark in review_folder(tmp_path)}
    assert "criteria.1.wordings.positive" in keys and "criteria.1.wordings.neutral" not in keys
