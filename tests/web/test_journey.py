"""A judge from the link to the end, page by page."""

from __future__ import annotations

import made
from made import Visitor, heading
from starlette.testclient import TestClient

from nlgauge.study.service import Service


def test_from_consent_to_the_end(service: Service, visitor: Visitor) -> None:
    assert heading(visitor.get().text) == "Before you begin"
    visitor.send("consent", {"agree": "yes"})
    assert heading(visitor.get().text) == "A few questions about you"
    visitor.send("questions", {"q0": "1", "q1": "41,5", "q2": "Lugo"})
    assert heading(visitor.get().text) == "What you will do"
    visitor.send("begin")
    assert heading(visitor.get().text) == "Practice 1 of 1"
    after = visitor.send("practice", {"answer": "1"})
    page = visitor.browser.get(after.headers["location"]).text
    assert "Right: text 2" in page and "Only one hound." in page
    for number in (1, 2, 3):
        page = visitor.get().text
        assert heading(page) == f"Comparison {number} of 3"
        sent = visitor.send("answer", {"answer": str(number - 1), "reason": f"because {number}"})
        assert (sent.status_code, sent.headers["location"]) == (303, visitor.path)
    page = visitor.get().text
    assert heading(page) == "Thank you" and "C0DE-42" not in page  # the code is the platform's
    stored = [judgement for judgement in service.judgements() if not judgement.practice]
    assert [judgement.answer for judgement in stored] == [0, 1, 2]
    assert [judgement.reason for judgement in stored] == ["because 1", "because 2", "because 3"]
    (answers,) = service.people.personal().values()
    assert answers == {"reads": "1", "age": "41.5", "town": "Lugo"}


def test_an_open_link_registers_by_a_form(service: Service, browser: TestClient) -> None:
    path = made.links(service, "public")[0]
    page = browser.get(path)
    assert page.status_code == 200 and not service.people.judges()
    (form,) = [form for form in made.Forms(page.text).forms if form["method"] == "post"]
    own = browser.post(path, data=form["fields"])
    assert own.status_code == 303 and own.headers["location"].startswith("/j/")
    assert heading(browser.get(own.headers["location"]).text) == "Before you begin"
    assert len(service.people.judges()) == 1
