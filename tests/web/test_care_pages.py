"""The pages of quality control without a browser: what they take, what they refuse, and that nothing tells too much."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import made
import pytest
import yaml
from made import Visitor, heading
from starlette.testclient import TestClient

from nlgauge.study.file import study
from nlgauge.study.service import Service, launch
from nlgauge.study.service.quality import Record
from nlgauge.study.store import Store

TEST = {
    "questions": [
        {"text": "What is <judged>?", "options": ["The text", "Its author"], "answer": 1},
        {"text": "Are there right answers?", "options": ["Yes", "No"], "answer": 2},
    ]
}


def description() -> dict[str, Any]:
    texts = [f"Rain in valley {k}." for k in range(2)]
    return {
        "protocol": "likert",
        "title": "How good?",
        "subjects": {"secret-a": {"texts": texts}, "secret-b": {"texts": [f"{one} Wind." for one in texts]}},
        "criteria": ["fluency"],
        "design": "crossed",
        "quality": {
            "comprehension": TEST,
            "attention": [{"text": "Please choose 2.", "answer": {"fluency": 2}}],
            "rule": {"exclude": ["attention"], "codes": True},
        },
        "completion": {"screened_out_code": "OUT"},
        "panels": {
            "public": {
                "judges": 2,
                "access": "links",
                "completion": {"code": "GOOD", "failed_code": "BAD"},
            },
            "crowd": {"judges": 2, "access": "platform"},
        },
        "reasons": {"text": "required"},
        "seed": 7,
    }


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / study.FILE).write_text(yaml.safe_dump(description(), sort_keys=False), encoding="utf-8")
    found = launch(study.load(folder), folder, Store.at(folder))
    yield found
    found.store.close()


@pytest.fixture
def visitor(service: Service, browser: TestClient) -> Visitor:
    found = Visitor(browser, made.links(service, "public")[0])
    assert found.send("begin").status_code == 303
    return found


def answered(visitor: Visitor, number: Any) -> None:
    while heading(page := visitor.get().text).startswith("Text "):
        fields = {"c0": str(number(page)), "reason": "x"}
        assert visitor.send("answer", fields, page).status_code == 303


def test_the_page_of_the_test_tells_no_answer(visitor: Visitor) -> None:
    page = visitor.get().text
    assert heading(page) == "Before you begin: a few questions"
    assert "What is &lt;judged&gt;?" in page and "Attempt 1 of 2" in page and "checked" not in page
    forms = made.Forms(page)
    assert {"q0-0", "q0-1", "q1-0", "q1-1"} <= forms.labelled


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"attempt": "1"}, 422),
        ({"attempt": "1", "q0": "1"}, 422),
        ({"attempt": "1", "q0": "3", "q1": "1"}, 422),
        ({"attempt": "1", "q0": "²", "q1": "x" * 300}, 422),
        ({"attempt": "99", "q0": "1", "q1": "2"}, 303),
        ({"attempt": "", "q0": "1", "q1": "2"}, 303),
        ({"attempt": "2", "q0": "1", "q1": "2"}, 409),
    ],
)
def test_what_is_no_attempt_counts_as_none(
    visitor: Visitor, service: Service, fields: dict[str, str], status: int
) -> None:
    assert visitor.send("comprehension", fields).status_code == status
    assert not service.events("comprehension")
    assert heading(visitor.get().text) == "Before you begin: a few questions"


def test_a_form_sent_twice_is_one_attempt(visitor: Visitor, service: Service) -> None:
    page = visitor.get().text
    for _ in range(2):
        assert visitor.send("comprehension", {"attempt": "1", "q0": "2", "q1": "1"}, page).status_code == 303
    assert len(service.events("comprehension")) == 1
    assert "Not enough answers were right" in visitor.get().text


def test_no_answer_is_taken_before_the_test_is_passed(visitor: Visitor, service: Service) -> None:
    token = visitor.hidden("comprehension")
    sent = visitor.browser.post(f"{visitor.path}/answer", data=token | {"claim": "c1", "c0": "3"})
    assert sent.status_code in (403, 404) and not service.judgements()


def test_who_misses_the_checks_gets_the_other_code_and_a_clear_page(
    visitor: Visitor, service: Service, browser: TestClient
) -> None:
    visitor.send("comprehension", {"attempt": "1", "q0": "1", "q1": "2"})
    answered(visitor, lambda page: 4)
    page = visitor.get().text
    assert "BAD" in page and "GOOD" not in page and "all your answers have been saved" in page
    other = Visitor(browser, made.links(service, "public")[1])
    other.send("begin")
    other.send("comprehension", {"attempt": "1", "q0": "1", "q1": "2"})
    answered(other, lambda page: 2 if "Please choose 2" in page else 4)
    assert "GOOD" in other.get().text
    assert len(service.judgements()) == 10


def test_a_discussion_by_forms(visitor: Visitor, service: Service, browser: TestClient) -> None:
    other = Visitor(browser, made.links(service, "public")[1])
    other.send("begin")
    for one, number in ((visitor, 1), (other, 5)):
        one.send("comprehension", {"attempt": "1", "q0": "1", "q1": "2"})
        answered(one, lambda page, number=number: 2 if "Please choose 2" in page else number)
    service.admin.close()
    text = next(one for one in service.frozen.served)
    service.discussion.open([text.id], least=0.5)
    page = visitor.get().text
    assert heading(page) == "Discussion: text 1 of 1" and "Others: <strong>5</strong>" in page
    for secret in ("secret", text.id, *(row["id"] for row in service.people.judges())):
        assert secret not in page
    wrong = visitor.send("discussion", {"c0": "9", "comment": "<b>why</b>"}, page)
    assert wrong.status_code == 422 and "&lt;b&gt;why&lt;/b&gt;" in wrong.text
    foreign = other.send("discussion", visitor.hidden("discussion", page) | {"c0": "3"}, page)
    assert foreign.status_code == 403  # another judge's form
    taken = next(one.id for one in service.judgements() if one.texts == (text.id,))
    own = other.hidden("discussion")
    assert own["change"] != taken
    sent = browser.post(f"{other.path}/discussion", data=own | {"change": taken, "c0": "3"})
    assert sent.status_code == 404
    assert visitor.send("discussion", {"c0": "3", "comment": "<b>why</b>"}, page).status_code == 303
    assert heading(visitor.get().text) == "Thank you"
    assert "&lt;b&gt;why&lt;/b&gt;" in other.get().text
    service.discussion.end()
    late = browser.post(f"{other.path}/discussion", data=own | {"c0": "3"})
    assert late.status_code == 410 and "earlier" not in late.text
    assert heading(other.get().text) == "Thank you"
    assert sum(bool(one.replaces) for one in service.judgements()) == 1


def test_who_is_refused_by_record_is_told_so_with_a_code(service: Service, browser: TestClient) -> None:
    (link,) = (one for one in service.arrivals.links("crowd"))
    service.quality.vet({"p1": Record(1, 10)}, least=0.5)
    page = browser.get(f"/p/{link.token}?PROLIFIC_PID=p1")
    assert page.status_code == 403 and heading(page.text) == "Thank you for coming" and "OUT" in page.text
    assert browser.get(f"/p/{link.token}?PROLIFIC_PID=p2").status_code == 303
    assert [row["panel"] for row in service.people.judges()] == ["crowd"]
