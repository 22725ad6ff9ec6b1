"""A correction sent from two windows, and two servers of one folder: every answer is kept, one of them counts."""

from __future__ import annotations

from pathlib import Path

import made
from made import Visitor

from nlgauge.study.protocols.triangle.analysis.answers import select
from nlgauge.study.protocols.triangle.analysis.plan import Plan
from nlgauge.study.service import opened
from nlgauge.study.store import Store

ONE = {"experts": {"judges": 2, "access": "links"}}
BARE = {"panels": ONE, "practice": None, "questions": None, "consent": None}


def test_corrections_in_two_windows(tmp_path: Path) -> None:
    service = made.launched(tmp_path / "s", corrections="allow", **BARE)
    visitor = Visitor(made.client(service, tmp_path / "s"), made.links(service, "experts")[0])
    visitor.send("begin")
    visitor.send("answer", {"answer": "0"})
    given = service.judgements()[0].id
    windows = [visitor.get(f"/change/{given}").text for _ in range(2)]  # both show the first answer
    sent = [visitor.send("change", {"answer": str(k + 1)}, page) for k, page in enumerate(windows)]
    assert [one.status_code for one in sent] == [303, 303]
    found = service.judgements()
    assert [one.answer for one in found] == [0, 1, 2]
    stands = select(found, Plan.of_study(service.study, closed=True)).counted
    assert len(stands) == 1 and stands[0].answer == found[-1].answer
    shown = visitor.get("/change").text
    assert shown.count('href="') and len(service.answers.given(found[0].judge)) == 1
    service.store.close()


def test_an_answer_changed_after_back_is_stored_or_said_to_be_refused(tmp_path: Path) -> None:
    for corrections, status, answers in (("allow", 303, [0, 2]), ("refuse", 409, [0])):
        folder = tmp_path / corrections
        service = made.launched(folder, corrections=corrections, **BARE)
        visitor = Visitor(made.client(service, folder), made.links(service, "experts")[0])
        visitor.send("begin")
        page = visitor.get().text
        assert visitor.send("answer", {"answer": "0"}, page).status_code == 303
        assert visitor.send("answer", {"answer": "0"}, page).status_code == 303  # a double click
        again = visitor.send("answer", {"answer": "2"}, page)
        assert again.status_code == status
        assert ("the answer you saved last has been kept" in again.text) is (corrections == "refuse")
        assert [one.answer for one in service.judgements()] == answers
        service.store.close()


def test_a_form_sent_once_more_does_not_undo_a_correction(tmp_path: Path) -> None:
    service = made.launched(tmp_path / "s", corrections="allow", **BARE)
    visitor = Visitor(made.client(service, tmp_path / "s"), made.links(service, "experts")[0])
    visitor.send("begin")
    page = visitor.get().text
    visitor.send("answer", {"answer": "0"}, page)
    change = visitor.get(f"/change/{service.judgements()[0].id}").text
    visitor.send("change", {"answer": "1"}, change)
    late = visitor.send("answer", {"answer": "0"}, page)
    assert late.status_code == 409 and "the answer you saved last has been kept" in late.text
    assert visitor.send("change", {"answer": "1"}, change).status_code == 303  # what stands, once more
    assert [one.answer for one in service.judgements()] == [0, 1]
    anew = visitor.get(f"/change/{service.judgements()[1].id}").text
    assert visitor.send("change", {"answer": "0"}, anew).status_code == 303  # the first answer, chosen anew
    assert visitor.send("change", {"answer": "1"}, change).status_code == 409
    assert [one.answer for one in service.judgements()] == [0, 1, 0]
    service.store.close()


def test_answers_about_oneself_changed_after_back_are_not_dropped_silently(tmp_path: Path) -> None:
    asked = [{"id": "age", "text": "How old are you?", "type": "number"}]
    service = made.launched(tmp_path / "s", **(BARE | {"questions": asked}))
    visitor = Visitor(made.client(service, tmp_path / "s"), made.links(service, "experts")[0])
    page = visitor.get().text
    assert visitor.send("questions", {"q0": "41"}, page).status_code == 303
    assert visitor.send("questions", {"q0": "41"}, page).status_code == 303
    again = visitor.send("questions", {"q0": "14"}, page)
    assert again.status_code == 409 and "has been kept" in again.text
    service.store.close()


def test_two_servers_of_one_folder_deal_each_evaluation_once(tmp_path: Path) -> None:
    first = made.launched(tmp_path / "s", **(BARE | {"panels": {"experts": {"judges": 6, "access": "links"}}}))
    second = opened(tmp_path / "s", Store.at(tmp_path / "s"))
    browsers = [made.client(service, tmp_path / "s") for service in (first, second)]
    for number, path in enumerate(made.links(first, "experts")):
        here, there = (Visitor(browsers[(number + k) % 2], path) for k in range(2))
        here.send("begin")
        page = here.get().text
        assert here.hidden("answer", page)["claim"] == there.hidden("answer")["claim"]
        assert there.send("answer", {"answer": "0"}, page).status_code == 303
        assert here.send("answer", {"answer": "1"}, page).status_code == 409  # the first stands
    assert [one.answer for one in first.judgements()] == [0] * 6
    assert len({one.slot for one in second.judgements()}) == 6
    for service in (first, second):
        service.store.close()
