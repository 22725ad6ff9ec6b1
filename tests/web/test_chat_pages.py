"""The pages of conversations without a browser: what they show, what they take, what they never tell."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import made
import pytest
from made import Visitor, heading
from researcher import CHEAP, GOOD, PAGES, Researcher
from starlette.testclient import TestClient

from nlgauge.study.service import Service
from nlgauge.study.store import Store
from nlgauge.web.login import Vault
from nlgauge.web.moulds import SIGN

sys.path.insert(0, str(Path(__file__).parents[1] / "study"))
import conversing
from conversing import KEY, VARIABLE, chat
from endpoints import Answer, Seen, completion, endpoint, failure

Behaviour = Callable[[Seen, int], Answer]


class Site:
    """A chat study, its site, and an endpoint whose behaviour a test may change."""

    def __init__(self, service: Service, browser: TestClient, requests: list[Seen]) -> None:
        self.service, self.browser, self.requests = service, browser, requests
        self.behave: Behaviour = lambda seen, number: completion(f"Reply <i>{number}</i> & more")

    def visitor(self, number: int = 0) -> Visitor:
        found = Visitor(self.browser, made.links(self.service, "users")[number])
        assert found.send("begin").status_code == 303
        return found


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv(VARIABLE, KEY)
    holder: list[Site] = []
    with endpoint(lambda seen, number: holder[0].behave(seen, number)) as fake:  # noqa: PLW0108 - it may change
        folder = tmp_path / "study"
        values = chat(fake.url, corrections="allow")
        service = conversing.launched(folder, values, store=Store.at(conversing.write(folder, values)))
        Vault(folder).set_password(GOOD, CHEAP)
        with made.client(service, folder) as browser:
            holder.append(Site(service, browser, fake.requests))
            yield holder[0]
        service.store.close()


def fields(page: str, act: str) -> dict[str, str]:
    """The hidden fields of one of the page's forms for a turn."""
    for form in made.Forms(page).forms:
        if form["action"].endswith("/turn") and form["fields"].get("act") == act:
            return dict(form["fields"])
    raise AssertionError(f"the page has no form to {act}")


def turn(visitor: Visitor, act: str, message: str = "", **changes: str) -> Any:
    data = fields(visitor.get().text, act) | ({"message": message} if act == "say" else {}) | changes
    return visitor.browser.post(f"{visitor.path}/turn", data=data)


def rate(visitor: Visitor, **values: str) -> Any:
    return visitor.send("answer", {"c0": "4", "c1": "1"} | values)


def test_a_conversation_page_by_page_and_its_answer_in_the_store(site: Site) -> None:
    visitor = site.visitor()
    page = visitor.get().text
    assert heading(page) == "Conversation 1 of 2" and 'name="act" value="end"' not in page
    assert turn(visitor, "say", "Hello <b>you</b>").status_code == 303
    page = visitor.get().text
    assert "Hello &lt;b&gt;you&lt;/b&gt;" in page and "Reply &lt;i&gt;0&lt;/i&gt; &amp; more" in page
    assert visitor.get().text == page  # a reload shows the same
    assert turn(visitor, "say", "And then?").status_code == 303
    assert turn(visitor, "end").status_code == 303
    page = visitor.get().text
    assert "The conversation has ended" in page and 'name="message"' not in page and "And then?" in page
    assert SIGN not in page  # nothing is left open
    assert rate(visitor, c0="").status_code == 422
    assert rate(visitor).status_code == 303
    (stored,) = site.service.judgements()
    assert stored.answer["ratings"] == {"engagingness": 4, "avoiding-repetition": 1}
    said = [one["text"] for one in stored.answer["turns"] if one["role"] in ("judge", "system")]
    assert said == ["Hello <b>you</b>", "Reply <i>0</i> & more", "And then?", "Reply <i>1</i> & more"]
    assert heading(visitor.get().text) == "Conversation 2 of 2"


def test_no_page_tells_the_system_its_address_or_the_key(site: Site) -> None:
    visitor = site.visitor()
    pages = [visitor.get().text]
    site.behave = lambda seen, number: completion(f"My key is {KEY}.")
    turn(visitor, "say", "Hello")
    pages.append(visitor.get().text)
    assert "My key is [key]." in pages[-1]
    site.behave = lambda seen, number: failure(500, f"secret-a tiny {KEY}")
    pages.append(turn(visitor, "say", "Again").text)
    pages.append(visitor.get().text)
    pages.append(site.browser.get("/openapi.json").text)
    for secret in (KEY, VARIABLE, "secret-a", "secret-b", "127.0.0.1", "tiny", "large", "You are a"):
        assert not any(secret in page for page in pages), secret


def test_a_message_sent_twice_is_stored_once(site: Site) -> None:
    visitor = site.visitor()
    data = fields(visitor.get().text, "say") | {"message": "Hello"}
    for _ in range(3):
        assert site.browser.post(f"{visitor.path}/turn", data=data).status_code == 303
    assert len(site.requests) == 1
    assert len(site.service.events("turn")) == 2


@pytest.mark.parametrize(("message", "said"), [("  ", "Please write a message."), ("x" * 51, "at most 50 characters")])
def test_a_message_that_does_not_fit_is_shown_again(site: Site, message: str, said: str) -> None:
    visitor = site.visitor()
    answer = turn(visitor, "say", message)
    assert answer.status_code == 422 and said in answer.text and site.requests == []
    assert message.strip() in answer.text


def test_when_no_reply_comes_the_message_is_kept_and_can_be_asked_for_again(site: Site) -> None:
    visitor = site.visitor()
    site.behave = lambda seen, number: Answer(b"garbage")
    assert turn(visitor, "say", "Are you there?").status_code == 303
    page = visitor.get().text
    assert "No reply came." in page and "Are you there?" in page and 'name="message"' not in page
    assert 'value="end"' not in page
    site.behave = lambda seen, number: completion("Now I am.")
    assert turn(visitor, "retry").status_code == 303
    assert "Now I am." in visitor.get().text and "No reply came." not in visitor.get().text


def test_a_judge_may_give_up_on_a_system_that_is_down(site: Site) -> None:
    visitor = site.visitor()
    site.behave = lambda seen, number: failure(503)
    turn(visitor, "say", "Hello")
    for _ in range(2):
        turn(visitor, "retry")
    assert "End the conversation without a reply" in visitor.get().text
    assert turn(visitor, "end").status_code == 303
    page = visitor.get().text
    assert "nothing is asked about this conversation" in page and "<fieldset" not in page
    assert visitor.send("answer", {"broken": "yes"}).status_code == 303
    (stored,) = site.service.judgements()
    assert stored.answer["broken"] and heading(visitor.get().text) == "Conversation 2 of 2"


def test_a_form_cannot_skip_the_rating_or_end_too_soon(site: Site) -> None:
    visitor = site.visitor()
    data = fields(visitor.get().text, "say")
    assert site.browser.post(f"{visitor.path}/turn", data=data | {"act": "end"}).status_code == 303
    assert "has ended" not in visitor.get().text
    token = site.browser.app.state.site.form_token(visitor.path.rpartition("/")[2], "answer")  # type: ignore[attr-defined]
    early = {"token": token, "claim": data["claim"], "c0": "4", "c1": "1"}
    assert site.browser.post(f"{visitor.path}/answer", data=early).status_code == 409
    for _ in range(3):
        turn(visitor, "say", "Hello")
    assert visitor.send("answer", {"broken": "yes"}).status_code == 422  # it was fine, so it is rated
    assert site.service.judgements() == []
    assert site.browser.post(f"{visitor.path}/turn", data=data | {"message": "x", "number": "3"}).status_code == 303
    assert site.browser.post(f"{visitor.path}/turn", data=data | {"act": "shout"}).status_code == 422
    assert len(site.requests) == 3


def test_nobody_posts_into_anothers_conversation(site: Site) -> None:
    visitor, other = site.visitor(0), site.visitor(1)
    theirs = fields(visitor.get().text, "say")["claim"]
    own = fields(other.get().text, "say") | {"claim": theirs, "message": "Hello"}
    for act in ("say", "retry", "end"):
        assert site.browser.post(f"{other.path}/turn", data=own | {"act": act}).status_code == 404
    assert site.browser.post(f"{other.path}/turn", data=own | {"token": "0" * 64}).status_code == 403
    assert site.service.events("turn") == [] and site.requests == []


def test_a_slow_system_holds_up_nobody_else_and_is_asked_once(site: Site) -> None:
    visitor, other = site.visitor(0), site.visitor(1)
    go = threading.Event()

    def slow(seen: Seen, number: int) -> Answer:
        go.wait(5)
        return completion("Late, but there.")

    site.behave = slow
    data = fields(visitor.get().text, "say") | {"message": "Hello"}
    waiting = threading.Thread(target=lambda: site.browser.post(f"{visitor.path}/turn", data=data))
    waiting.start()
    while not site.requests:
        pass
    page = visitor.get().text  # in another window: the message is there, the reply is not
    assert "No reply has come yet" in page and "Hello" in page
    assert turn(visitor, "retry").status_code == 303 and len(site.requests) == 1
    assert heading(other.get().text) == "Conversation 1 of 2"
    go.set()
    waiting.join()
    assert visitor.get().text.count("Late, but there.") == 1


def test_an_answer_may_be_changed_and_keeps_its_conversation(site: Site) -> None:
    visitor = site.visitor()
    for _ in range(3):
        turn(visitor, "say", "Hello")
    rate(visitor)
    (first,) = site.service.judgements()
    page = visitor.get(f"/change/{first.id}").text
    assert "Hello" in page and "Reply &lt;i&gt;2" in page
    token = {**visitor.hidden("change", page)}
    assert site.browser.post(f"{visitor.path}/change", data=token | {"c0": "2", "c1": "4"}).status_code == 303
    changed = site.service.judgements()[-1]
    assert changed.answer == {**first.answer, "ratings": {"engagingness": 2, "avoiding-repetition": 4}}


def test_the_dashboard_sees_what_failed(site: Site) -> None:
    visitor = site.visitor()
    site.behave = lambda seen, number: failure(500, "out of memory")
    turn(visitor, "say", "Hello")
    inside = Researcher(site.browser)
    assert inside.log_in().status_code == 303
    page = inside.get().text
    assert "1 request failed" in page and "HTTP 500: out of memory" in page and KEY not in page
    for path in PAGES:
        assert inside.get(path).status_code == 200, path
