"""The judges as a table, and what each gets at the end: who came how, and no more about anybody than is asked for."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from studies import Clock, launched, write

from nlgauge.errors import InputError
from nlgauge.report.study import triangle_panels as words
from nlgauge.study.exchange import people
from nlgauge.study.file import study as design
from nlgauge.study.file.endings import ending
from nlgauge.study.protocols.triangle.analysis.reading import live_verdict
from nlgauge.study.service import Service
from nlgauge.study.service.progress import watch

QUESTIONS = [
    {"id": "age", "type": "number", "text": {"en": "Age?", "es": "¿Edad?"}},
    {"id": "work", "text": "Work?", "options": [{"en": "yes", "es": "sí"}, {"en": "no", "es": "no"}]},
    {"id": "judge", "type": "text", "text": "Have you been a judge?"},
]
COMPLETION = {
    "text": "Thanks.",
    "code": "YES",
    "redirect": "https://x.org/yes",
    "failed_code": "FAIL",
    "screened_out_code": "OUT",
}


def study(folder: Path, clock: Clock, **changes: Any) -> Service:
    values: dict[str, Any] = {
        "question": {"en": "Which?", "es": "¿Cuál?"},
        "consent": {"text": "May we?"},
        "questions": QUESTIONS,
        "completion": COMPLETION,
        "panels": {
            "crowd": {"judges": 4, "access": "platform"},
            "experts": {"judges": 3, "access": "links"},
            "lab": {"judges": 2, "access": "open", "completion": {"code": "LAB", "text": "See you."}},
        },
    }
    return launched(folder, clock, **(values | changes))


def comes(service: Service, person: str) -> str:
    data = {"SESSION_ID": f"s-{person}"}
    return service.arrivals.register_platform("crowd", "prolific", person, data=data, language="es")[0]


def answers(service: Service, clock: Clock, judge: str, seconds: float = 40, /, **said: str) -> None:
    service.people.consent(judge, True)
    service.people.answer_questions(judge, said)
    step = service.dealing.step(judge)
    assert step.evaluation is not None
    clock.now += seconds
    service.answers.answer(judge, step.evaluation.claim, 0)


def test_a_row_for_each_judge(tmp_path: Path, clock: Clock) -> None:
    service = study(tmp_path / "s", clock)
    done, declined, left, gone, begun = (comes(service, name) for name in ("=p1", "p2", "p3", "p4", "p5"))
    answers(service, clock, done, 1, age="42", work="1", judge="=1+1")
    service.people.consent(declined, False)
    service.people.consent(left, True)
    service.people.withdraw(left)
    answers(service, clock, gone, age="70", work="0")
    service.people.forget(gone)
    table = {row["judge"]: row for row in people.rows(service)}
    assert list(table) == [row["id"] for row in service.people.judges()]
    assert not {"correct", "practice_correct", *people.PLATFORM} & set(table[done])
    assert [(table[one]["stage"], table[one]["reason"]) for one in (done, declined, left, gone, begun)] == [
        ("finished", None),
        ("withdrawn", "declined"),
        ("withdrawn", "withdrew"),
        ("forgotten", None),
        ("in progress", "consent"),
    ]
    row = table[done]
    assert (row["q_age"], row["q_work"], row["q_judge"]) == (42, "no", "=1+1")
    assert (row["answered"], row["median_seconds"], row["too_fast"], row["language"]) == (1, 1.0, 1, "es")
    assert all(row[name] for name in people.TIMES)
    with_ids = {row["judge"]: row for row in people.rows(service, platform_ids=True)}
    row = with_ids[done]
    assert (row["platform_id"], row["SESSION_ID"], row["completion_code"]) == ("=p1", "s-=p1", "YES")
    assert [with_ids[one]["completion_code"] for one in (declined, left, begun)] == ["OUT", "OUT", None]
    erased = ("language", "q_age", "q_work", "q_judge", *people.PLATFORM)
    assert all(with_ids[gone][name] is None for name in erased)
    assert people.sample(service, list(table.values())) == [
        "crowd: 1 judge answered, 1 of them finished",
        "crowd, age: median 42, from 42 to 42 (1 answer)",
        "crowd, work: no 1",
        "crowd, judge: 1 answer in words",
    ]


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl", "p.parquet"])
def test_the_table_is_written_and_noted(tmp_path: Path, clock: Clock, name: str) -> None:
    service = study(tmp_path / "s", clock)
    assert people.write(service, tmp_path / name) == 0  # nobody came yet: a table without rows
    answers(service, clock, comes(service, "=p1"), age="42.5", judge="=1+1")
    assert people.write(service, tmp_path / name, platform_ids=True) == 1
    assert (tmp_path / name).stat().st_mode & 0o077 == 0
    noted = [event["data"] for event in service.events("people exported")]
    assert noted == [{"judges": 0, "platform_ids": False}, {"judges": 1, "platform_ids": True}]
    if name.endswith("csv"):
        with (tmp_path / name).open(encoding="utf-8", newline="") as file:
            (row,) = csv.DictReader(file)
        assert (row["q_judge"], row["platform_id"], row["q_age"], row["q_work"]) == (
            "'=1+1",
            "'=p1",
            "42.5",
            "",
        )


def test_machines_are_no_people(tmp_path: Path, clock: Clock) -> None:
    service = study(tmp_path / "s", clock)
    service.machines.enlist("machine", "experts")
    assert people.rows(service) == []


def test_who_finds_no_place_is_said(tmp_path: Path, clock: Clock) -> None:
    service = study(tmp_path / "s", clock, panels={"crowd": {"judges": 1, "access": "platform"}})
    late = comes(service, "late")
    service.people.consent(late, True)
    service.people.answer_questions(late, {})
    answers(service, clock, comes(service, "first"))
    step = service.dealing.step(late)
    assert (step.kind, step.code) == ("full", "OUT")
    row = next(row for row in people.rows(service, platform_ids=True) if row["judge"] == late)
    assert (row["reason"], row["completion_code"]) == ("full", "OUT")


def test_codes_of_the_study_are_the_platforms(tmp_path: Path, clock: Clock) -> None:
    service = study(tmp_path / "s", clock)
    expert = service.arrivals.follow(service.arrivals.links("experts")[0].token)
    lab, _ = service.arrivals.register("lab")
    platform = comes(service, "p")
    for judge in (expert, lab, platform):
        answers(service, clock, judge)
    ends = [(step.code, step.redirect) for step in map(service.dealing.step, (expert, lab, platform))]
    assert ends == [
        ("", ""),
        ("LAB", ""),
        ("YES", "https://x.org/yes"),
    ]  # the panel's code without another's way
    service.people.withdraw(platform)
    assert service.dealing.step(platform).code == "YES"  # finished before leaving: to be paid


def test_without_a_platform_the_codes_are_for_all(tmp_path: Path, clock: Clock) -> None:
    service = study(tmp_path / "s", clock, panels={"lab": {"judges": 2, "access": "open"}})
    judge, _ = service.arrivals.register("lab")
    service.people.consent(judge, False)
    assert service.dealing.step(judge).code == "OUT"
    assert ending(service.study, "lab", "open", "failed") == ("FAIL", "")
    assert ending(service.study, "lab", "open", "paused") == ("", "")


def test_a_panels_completion_is_checked_like_the_studys(tmp_path: Path) -> None:
    panel = {"judges": 2, "completion": {"screened_out_redirect": "javascript:x"}}
    with pytest.raises(InputError, match=r"panels\.public\.completion\.screened_out_redirect must be an address"):
        design.load(write(tmp_path / "s", panels={"public": panel}))
    panel = {"judges": 2, "completion": {"text": {"en": "Thanks."}}}
    with pytest.raises(InputError, match=r"panels\.public\.completion\.text has no wording for es"):
        design.load(write(tmp_path / "t", panels={"public": panel}, languages=["en", "es"]))


def test_status_does_not_say_wait_when_every_link_is_used_up(tmp_path: Path, clock: Clock) -> None:
    service = launched(tmp_path / "s", clock, panels={"public": {"judges": 2, "access": "links"}})
    first, second = (service.arrivals.follow(link.token) for link in service.arrivals.links("public"))
    assert "wait for the rest" in words.live(live_verdict(service))
    assert watch(service).get("remarks") is None
    step = service.dealing.step(first)
    assert step.evaluation is not None
    service.answers.answer(first, step.evaluation.claim, 0)
    service.people.withdraw(second)
    (remark,) = watch(service)["remarks"]
    assert remark.startswith("Panel public: every link is used up and 1 answer is missing")
    assert "wait for the rest" not in words.live(live_verdict(service))
    assert "ask more judges" in words.live(live_verdict(service))
    service.arrivals.more_links("public", 1)
    assert watch(service).get("remarks") is None
