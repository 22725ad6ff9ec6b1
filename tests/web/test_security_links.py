"""A judge's link is a secret: unguessable, compared in constant time, never handed on, and good for one judge only."""

from __future__ import annotations

import hmac
import math
import secrets
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attack
import made
import pytest
from attack import Site
from made import PIXEL, Visitor
from starlette.testclient import TestClient

from nlgauge.study.service import Service, arrivals, context

WRONG = "f" * 32


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    panels = made.description()["panels"] | {"experts": {"judges": 30, "evaluations": 3, "access": "links"}}
    with attack.opened(tmp_path_factory.mktemp("site") / "study", panels=panels) as found:
        yield found


@pytest.fixture
def service(site: Site) -> Service:
    return site.service


@pytest.fixture
def browser(site: Site) -> TestClient:
    return site.browser


def tokens(service: Service) -> list[str]:
    return [link.token for link in service.arrivals.links()]


def test_a_link_holds_128_random_bits_beside_its_name(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int | None] = []

    def watched(size: int | None = None) -> str:
        asked.append(size)
        return "0123456789abcdef" * 2

    monkeypatch.setattr(secrets, "token_hex", watched)
    assert context.unguessable() == "0123456789abcdef" * 2
    assert asked == [16]  # bytes of the operating system's generator, nothing else


def test_the_bits_are_spread_evenly(service: Service) -> None:
    made_links = service.arrivals.more_links("experts", 500)
    held = [link.token[arrivals.SELECTOR :] for link in made_links]
    assert len(set(held)) == 500 and all(len(secret) == 32 for secret in held)
    for place in range(32):  # chi-square of 16 digits at each place; 15 degrees of freedom, mean 15, sd 5.5
        counts = Counter(secret[place] for secret in held)
        chi = sum((counts[digit] - 31.25) ** 2 / 31.25 for digit in "0123456789abcdef")
        assert chi < 60, f"digits at place {place}: {counts}"  # p < 3e-7
    assert math.log2(16**32) == 128


def test_the_secret_is_compared_in_constant_time(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[Any, Any]] = []
    real = hmac.compare_digest

    def watched(left: Any, right: Any) -> bool:
        compared.append((left, right))
        return real(left, right)

    monkeypatch.setattr(arrivals.hmac, "compare_digest", watched)
    (token, *_) = tokens(service)
    asked: list[str] = []
    with service.store.read() as connection:
        driver: Any = connection.connection.driver_connection
        driver.set_trace_callback(asked.append)  # with the values filled in
        service.arrivals.link(connection, token)
        for guess in (token[:12] + WRONG, "0" * 12 + WRONG, token[:-1], token + "0", "", "é" * 44):
            with pytest.raises(arrivals.Refused):
                service.arrivals.link(connection, guess)
        driver.set_trace_callback(None)
    assert len(compared) == 7  # also where there is no such link: the same work
    assert compared[0] == (token[12:].encode(), token[12:].encode())
    assert sum(token[:12] in statement for statement in asked) >= 3
    assert not any(token[12:] in statement or WRONG in statement for statement in asked)  # it compares no secret


@pytest.mark.parametrize("where", ["/j/{}", "/o/{}", "/p/{}?PROLIFIC_PID=somebody", "/j/{}/image/c0/0"])
def test_an_unknown_link_and_a_wrong_secret_get_the_same_answer(
    service: Service, browser: TestClient, where: str
) -> None:
    kind = {"/j": "personal", "/o": "open", "/p": "platform"}[where[:2]]
    token = next(link.token for link in service.arrivals.links() if link.kind == kind)
    guesses = (token[:12] + WRONG, "0" * 12 + WRONG, token[:-1] + chr(ord(token[-1]) ^ 1), token[:12], "x")
    before = service.people.judges()
    answers = [browser.get(where.format(guess)) for guess in guesses]
    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1
    assert len({tuple(answer.headers.items()) for answer in answers}) == 1
    assert service.people.judges() == before


@pytest.mark.parametrize("purpose", ["consent", "answer", "leave", "language"])
def test_a_form_sent_to_a_wrong_link_tells_nothing_either(service: Service, browser: TestClient, purpose: str) -> None:
    token = tokens(service)[-1]
    for data in ({}, {"token": "0" * 64}):
        answers = [
            browser.post(f"/j/{guess}/{purpose}", data=data) for guess in (token[:12] + WRONG, "0" * 12 + WRONG, "x")
        ]
        assert len({(answer.status_code, answer.content) for answer in answers}) == 1
        assert answers[0].status_code in (403, 404)


def test_links_of_one_kind_are_not_links_of_another(service: Service, browser: TestClient) -> None:
    by_kind, before = {link.kind: link.token for link in service.arrivals.links()}, service.people.judges()
    assert browser.get(f"/j/{by_kind['open']}").status_code in (404, 409)
    assert browser.get(f"/j/{by_kind['platform']}").status_code in (404, 409)
    assert browser.get(f"/o/{by_kind['personal']}").status_code in (404, 409)
    assert browser.get(f"/p/{by_kind['personal']}?PROLIFIC_PID=x").status_code in (404, 409)
    assert service.people.judges() == before


# ------------------------------------------------------------------------------------------------ one judge, one link


@pytest.fixture
def two(site: Site) -> tuple[Visitor, Visitor]:
    """Two judges, each before three texts."""
    first, second = site.visitor(), site.visitor()
    first.practised()
    second.practised()
    return first, second


def test_a_judge_cannot_answer_for_another(service: Service, two: tuple[Visitor, Visitor]) -> None:
    mine, other = two
    theirs = other.hidden("answer")
    before = service.judgements()
    forms = {
        "their claim with my token": mine.hidden("answer") | {"claim": theirs["claim"]},
        "their form to my address": theirs,
    }
    for how, form in forms.items():
        answer = mine.browser.post(f"{mine.path}/answer", data=form | {"answer": "0"})
        assert answer.status_code in (403, 404, 409), how
        # shown again, it would hold their texts
        assert theirs["claim"] not in answer.text, how
    incomplete = mine.browser.post(f"{mine.path}/answer", data=forms["their claim with my token"])
    assert incomplete.status_code in (404, 409) and theirs["claim"] not in incomplete.text
    mine_to_them = mine.browser.post(f"{other.path}/answer", data=mine.hidden("answer") | {"answer": "0"})
    assert mine_to_them.status_code == 403
    assert service.judgements() == before


def test_a_judge_cannot_practise_for_another(site: Site) -> None:
    first, second, before = site.visitor(), site.visitor(), site.service.judgements()
    first.ready()
    second.ready()
    theirs = second.hidden("practice")
    sent = first.browser.post(
        f"{first.path}/practice", data=first.hidden("practice") | {"claim": theirs["claim"], "answer": "1"}
    )
    assert sent.status_code in (404, 409) and site.service.judgements() == before


def test_a_judge_cannot_change_or_read_anothers_answers(tmp_path: Path) -> None:
    with attack.opened(tmp_path / "study", corrections="allow", **attack.BARE) as site:
        mine, other, service, browser = site.reading(), site.reading(), site.service, site.browser
        for visitor in (mine, other):
            visitor.send("answer", {"answer": "0", "reason": "my own words"})
        ours, theirs = service.judgements()
        assert mine.get(f"/change/{ours.id}").status_code == 200
        assert mine.get(f"/change/{theirs.id}").status_code == 404
        own = mine.hidden("change", mine.get(f"/change/{ours.id}").text)
        sent = browser.post(f"{mine.path}/change", data=own | {"change": theirs.id, "answer": "2"})
        assert sent.status_code == 404 and len(service.judgements()) == 2
        assert theirs.id not in mine.get("/change").text


def test_a_judge_cannot_see_the_pictures_of_another(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "p.png").write_bytes(PIXEL)
    subjects = {name: {"texts": [{"text": f"{name} wrote {k}", "image": "p.png"} for k in range(8)]} for name in "AB"}
    with attack.opened(folder, subjects=subjects, **attack.BARE) as site:
        mine, other = site.reading(), site.reading()
        own, theirs = mine.hidden("answer")["claim"], other.hidden("answer")["claim"]
        assert mine.get(f"/image/{own}/0").content == PIXEL
        refused, missing = mine.get(f"/image/{theirs}/0"), mine.get("/image/c0/0")
        assert refused.status_code == missing.status_code == 404
        assert refused.content == missing.content and PIXEL not in refused.content
        wrong = site.browser.get(f"{other.path[:15]}{WRONG}/image/{theirs}/0")
        assert wrong.status_code == 404 and PIXEL not in wrong.content


def test_a_page_holds_no_link_but_its_own(service: Service, two: tuple[Visitor, Visitor]) -> None:
    mine, _ = two
    own = mine.path.rpartition("/")[2]
    others = {token for token in tokens(service) if token != own}
    pages = [mine.get(path).text for path in ("", "/leave", "/change", "/practice/1")]
    pages += [mine.browser.get(path).text for path in ("/", "/openapi.json", "/health", "/nowhere")]
    for page in pages:
        assert not any(token in page or token[12:] in page for token in others)
    for page in pages[4:]:
        assert own not in page


def test_pages_lead_to_no_other_host(service: Service, two: tuple[Visitor, Visitor]) -> None:
    for path in ("", "/leave", "/practice/1"):
        found = attack.Reading(two[0].get(path).text)
        assert found.addresses
        for address in found.addresses:
            assert address.startswith(("/", "#")) and not address.startswith("//"), address


def test_no_cookie_is_set_for_a_judge(service: Service, two: tuple[Visitor, Visitor]) -> None:
    assert not two[0].browser.cookies
    assert "set-cookie" not in two[0].get().headers


def test_numbers_of_thousands_of_digits_in_an_address_are_no_page(site: Site, service: Service) -> None:
    for path in ("practice/NUMBER", "image/claim/NUMBER"):
        for digits in (10, 4301):
            address = f"/j/{tokens(service)[0]}/{path.replace('NUMBER', '1' * digits)}"
            assert site.browser.get(address).status_code == 404
