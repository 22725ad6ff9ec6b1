"""The pages of tasks without a browser: what they show, what they take, what they never tell."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import made
import pytest
from made import Visitor, heading
from starlette.testclient import TestClient

from nlgauge.study.service import Service
from nlgauge.study.store import Store

sys.path.insert(0, str(Path(__file__).parents[1] / "study"))
import conversing
from conversing import WHERE, WIND, task

ODD = {"id": "odd <id>", "text": "What is <odd>?", "type": "text", "answer": "secret-answer"}
RIGHT = {"a0": "1", "a1": "Tuesday", "a2": "12,5"}


def served(folder: Path, **changes: Any) -> Service:
    values = task(**changes)
    return conversing.launched(folder, values, store=Store.at(conversing.write(folder, values)))


@pytest.fixture
def service(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Service]:
    found = served(tmp_path / "study", **getattr(request, "param", {}))
    yield found
    found.store.close()


@pytest.fixture
def visitor(service: Service, browser: TestClient) -> Visitor:
    found = Visitor(browser, made.links(service, "public")[0])
    assert found.send("begin").status_code == 303
    return found


def asked(visitor: Visitor, page: str | None = None) -> dict[str, str]:
    """The hidden fields of the form, with how its questions are answered."""
    page = page or visitor.get().text
    for form in made.Forms(page).forms:
        if "asked" in form["fields"]:
            return {name: form["fields"][name] for name in form["fields"] if name not in RIGHT}
    raise AssertionError("the page has no questions")


def send(visitor: Visitor, fields: dict[str, str]) -> Any:
    return visitor.browser.post(f"{visitor.path}/answer", data=asked(visitor) | fields)


def test_a_text_with_its_questions_and_the_answers_in_the_store(visitor: Visitor, service: Service) -> None:
    page = visitor.get().text
    assert heading(page) == "Text 1 of 6" and "Where will it rain?" in page and "rain in the south" in page
    assert asked(visitor)["asked"] == "choice.4 text number"
    assert send(visitor, RIGHT).status_code == 303
    (stored,) = service.judgements()
    assert stored.answer == {"answers": {"where": {"choice": 1}, "when": {"text": "Tuesday"}, "wind": {"number": 12.5}}}


@pytest.mark.parametrize("service", [{"ask": [ODD, WHERE, WIND], "confidence": True}], indirect=True)
def test_nothing_of_the_key_is_on_a_page(visitor: Visitor, service: Service) -> None:
    pages = [visitor.get().text, send(visitor, {}).text, visitor.browser.get("/openapi.json").text]
    assert "What is &lt;odd&gt;?" in pages[0]
    for secret in ("secret-answer", "odd &lt;id", "12.5", "tolerance", service.frozen.texts[0].id):
        assert not any(secret in page for page in pages), secret


@pytest.mark.parametrize("service", [{"confidence": True}], indirect=True)
def test_what_lacks_is_said_with_its_question(visitor: Visitor, service: Service) -> None:
    answer = send(visitor, {"a1": "Tuesday", "a2": "strong"})
    assert answer.status_code == 422
    page = answer.text
    assert page.count('<li><a href="#') == 3  # choice, number, confidence
    assert 'href="#a0-0"' in page and 'href="#a2"' in page and 'href="#sure-0"' in page
    assert 'value="Tuesday"' in page and 'value="strong"' in page
    assert send(visitor, RIGHT | {"a1": "x" * 501, "sure": "3"}).status_code == 422
    assert send(visitor, RIGHT | {"a0": "4", "sure": "3"}).status_code == 422
    assert send(visitor, RIGHT | {"sure": "3"}).status_code == 303
    assert service.judgements()[0].answer["confidence"] == 3


@pytest.mark.parametrize("form", ["text text text", "", "choice.4 text", "choice.9 text number", "number " * 300])
def test_a_form_that_tells_other_questions_is_not_stored(visitor: Visitor, service: Service, form: str) -> None:
    answer = send(visitor, RIGHT | {"asked": form, "a0": "8"})
    assert answer.status_code == 422 and service.judgements() == []


@pytest.mark.parametrize("service", [{"hide_text": True, "practice": 1}], indirect=True)
def test_a_hidden_text_is_shown_once_and_the_questions_after_it(visitor: Visitor, service: Service) -> None:
    page = visitor.get().text
    assert "rain in the south" in page and "Where will it rain?" not in page
    assert visitor.send("read").status_code == 303
    page = visitor.get().text
    assert "rain in the south" not in page and "Where will it rain?" in page and "hidden now" in page
    fields = asked(visitor, page) | RIGHT
    assert visitor.browser.post(f"{visitor.path}/practice", data=fields).status_code == 303
    page = visitor.get().text
    claim, token = visitor.hidden("read", page), asked
    assert token and heading(page) == "Text 1 of 5"
    early = fields | {"claim": claim["claim"]}
    early["token"] = visitor.browser.app.state.site.form_token(visitor.path.rpartition("/")[2], "answer")  # type: ignore[attr-defined]
    assert visitor.browser.post(f"{visitor.path}/answer", data=early).status_code == 409  # not read yet
    assert visitor.send("read").status_code == 303
    assert send(visitor, RIGHT).status_code == 303
    practice, counted = service.judgements()
    assert practice.practice and counted.shown_at <= counted.answer["read_at"] <= counted.answered_at


@pytest.mark.parametrize("service", [{"corrections": "allow", "reasons": {"highlight": "optional"}}], indirect=True)
def test_an_answer_may_be_changed(visitor: Visitor, service: Service) -> None:
    assert 'name="mark"' in visitor.get().text
    send(visitor, RIGHT)
    (first,) = service.judgements()
    page = visitor.get(f"/change/{first.id}").text
    assert 'value="Tuesday"' in page and 'value="12.5"' in page
    fields = asked(visitor, page) | RIGHT | {"a0": "2"}
    assert visitor.browser.post(f"{visitor.path}/change", data=fields).status_code == 303
    assert service.judgements()[-1].answer["answers"]["where"] == {"choice": 2}
    assert "3, Tuesday, 12.5" in visitor.get("/change").text


def test_a_claim_of_another_judge_cannot_be_read_or_answered(visitor: Visitor, service: Service) -> None:
    other = Visitor(visitor.browser, made.links(service, "public")[1])
    assert other.send("begin").status_code == 303
    theirs = asked(visitor)["claim"]
    answer = visitor.browser.post(f"{other.path}/answer", data=asked(other) | RIGHT | {"claim": theirs})
    assert answer.status_code == 409 and service.judgements() == []
