"""Forms from elsewhere, too large, malformed or sent many times at once: refused or harmless, and nothing is stored."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import attack
import made
import pytest
from attack import Site
from made import Visitor

from nlgauge.study.store import Store
from nlgauge.web.forms import MOST_FIELDS
from nlgauge.web.security import LARGEST_BODY, form_token

PURPOSES = ("consent", "questions", "begin", "practice", "answer", "change", "language", "leave")
URLENCODED = {"content-type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    panels = {
        "experts": {"judges": 80, "evaluations": 2, "access": "links"},
        "public": {"judges": 3, "access": "open"},
    }
    folder = tmp_path_factory.mktemp("site") / "study"
    with attack.opened(folder, panels=panels, corrections="allow", **attack.BARE) as found:
        yield found


@pytest.fixture
def visitor(site: Site) -> Visitor:
    """A judge before three texts."""
    return site.reading()


def test_a_form_without_its_token_is_refused(site: Site, visitor: Visitor) -> None:
    other, browser = site.reading(), visitor.browser
    claim = visitor.hidden("answer")["claim"]
    good = visitor.hidden("answer")["token"]
    everything = {
        "claim": claim,
        "answer": "0",
        "agree": "yes",
        "language": "ar",
        "change": "a0",
        "q0": "1",
    }
    tokens = {
        "none": None,
        "empty": "",
        "wrong": "0" * 64,
        "short": good[:-1],
        "long": good + "0",
        "upper case": good.upper(),
        "not ASCII": "é" * 64,
        "another judge's": other.hidden("answer")["token"],
        "another purpose's": visitor.hidden("language")["token"],
        "of another site": form_token(b"x" * 32, visitor.path.rpartition("/")[2], "answer"),
        "of the open link": form_token(made.SECRET, site.link("open")[3:], "register"),
        "of the dashboard": form_token(made.SECRET, visitor.path.rpartition("/")[2], "dashboard"),
    }
    before = site.state
    for what, token in tokens.items():
        for purpose in PURPOSES:
            if (what, purpose) == ("another purpose's", "language") or (token == good and purpose == "answer"):
                continue
            data = everything | ({} if token is None else {"token": token})
            answer = browser.post(f"{visitor.path}/{purpose}", data=data)
            assert answer.status_code == 403, f"{what}, {purpose}"
    assert site.state == before
    for token in (None, "0" * 64, good):
        data = {"language": "en"} | ({} if token is None else {"token": token})
        assert browser.post(site.link("open"), data=data).status_code == 403
    assert site.state == before
    assert browser.post(f"{visitor.path}/answer", data=everything | {"token": good}).status_code == 303


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "nonsense"},
        {"sec-fetch-site": "cross-site", "origin": "http://site.test"},
        {"origin": "https://evil.example"},
        {"origin": "http://site.test.evil.example"},
        {"origin": "http://evil.example@site.test:1"},
        {"origin": "http://site.test:81"},
        {"origin": "http://["},
        {"origin": "http://[::1"},
        {"origin": "file://"},
        {"origin": "nonsense"},
        {"origin": ""},
        {"origin": "http://evil.example", "host": "evil.example:80"},
    ],
)
def test_a_form_from_another_site_is_refused_even_with_its_token(
    site: Site, visitor: Visitor, headers: dict[str, str]
) -> None:
    data, before = visitor.hidden("answer") | {"answer": "0"}, site.state
    answer = visitor.browser.post(f"{visitor.path}/answer", data=data, headers=headers)
    assert answer.status_code == 403
    path = site.link("open")
    token = made.Forms(visitor.browser.get(path).text).forms[-1]["fields"]
    assert visitor.browser.post(path, data=token, headers=headers).status_code == 403
    assert site.state == before


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"sec-fetch-site": "same-origin", "origin": "null"},
        {"sec-fetch-site": "same-origin", "origin": "http://site.test"},
        {"sec-fetch-site": "none"},
        {"origin": "http://site.test"},
        {"origin": "null"},
    ],
)
def test_a_form_from_here_is_taken(site: Site, visitor: Visitor, headers: dict[str, str]) -> None:
    data, before = visitor.hidden("answer") | {"answer": "0"}, len(site.service.judgements())
    assert visitor.browser.post(f"{visitor.path}/answer", data=data, headers=headers).status_code == 303
    assert len(site.service.judgements()) == before + 1


def test_behind_a_proxy_the_stated_address_counts(site: Site) -> None:
    with made.client(site.service, site.folder, base="https://lab.example/study") as browser:
        visitor = Visitor(browser, "/study" + next(site.unused))
        hidden = visitor.hidden("begin")
        for origin, status in (
            ("https://lab.example.evil.example", 403),
            ("https://evil.example", 403),
            ("http://lab.example", 403),  # whoever can write plain pages into the way is somebody else
            ("https://lab.example:444", 403),
            ("https://lab.example", 303),
        ):
            answer = browser.post(f"{visitor.path}/begin", data=hidden, headers={"origin": origin})
            assert answer.status_code == status, origin


# ----------------------------------------------------------------------------------------------------- odd bodies


def test_a_body_over_the_limit_is_refused(site: Site, visitor: Visitor) -> None:
    data, before = visitor.hidden("answer"), site.state
    start = f"token={data['token']}&claim={data['claim']}&answer=0&reason=".encode()
    whole = start + b"x" * 1_000_000
    for content in (whole, _in_parts(whole)):
        answer = visitor.browser.post(f"{visitor.path}/answer", content=content, headers=URLENCODED)
        assert answer.status_code == 413
    lying = {**URLENCODED, "content-length": "10"}
    assert visitor.browser.post(f"{visitor.path}/answer", content=whole, headers=lying).status_code == 413
    assert site.state == before
    fits = start + b"%F0%9F%98%80" * 20_000  # the longest reason there can be
    assert len(fits) < LARGEST_BODY
    assert visitor.browser.post(f"{visitor.path}/answer", content=fits, headers=URLENCODED).status_code == 303
    assert site.service.judgements()[-1].reason == "😀" * 20_000


def _in_parts(content: bytes) -> Iterator[bytes]:
    """A body whose length no header tells."""
    for start in range(0, len(content), 50_000):
        yield content[start : start + 50_000]


def test_too_many_fields_are_refused(site: Site, visitor: Visitor) -> None:
    data, before = visitor.hidden("answer"), site.state
    start = f"token={data['token']}&claim={data['claim']}&answer=0"
    for many in ("&a=" * (MOST_FIELDS + 1), "&" + "&".join(f"f{k}=1" for k in range(MOST_FIELDS + 1))):
        answer = visitor.browser.post(f"{visitor.path}/answer", content=start + many, headers=URLENCODED)
        assert answer.status_code == 413
    assert site.state == before


@pytest.mark.parametrize("name", ["token", "claim", "answer", "reason"])
def test_a_field_that_is_there_twice_is_refused(site: Site, visitor: Visitor, name: str) -> None:
    """No form of ours sends one twice, so which of them was meant cannot be known."""
    data, before = visitor.hidden("answer") | {"answer": "0", "reason": "because"}, site.state
    for second in (data[name], "2"):
        doubled = {**data, name: [data[name], second]}
        answer = visitor.browser.post(f"{visitor.path}/answer", data=doubled)
        assert answer.status_code in (403, 422), second
    assert site.state == before


def test_only_forms_as_browsers_send_them_are_read(site: Site, visitor: Visitor) -> None:
    data, before = visitor.hidden("answer") | {"answer": "0"}, site.state
    body = "&".join(f"{name}={value}" for name, value in data.items())
    for kind in ("text/plain", "application/json", "multipart/form-data; boundary=x", "", "a" * 5_000):
        answer = visitor.browser.post(
            f"{visitor.path}/answer", content=body, headers={"content-type": kind} if kind else {}
        )
        assert answer.status_code == 415, kind
    assert visitor.browser.post(f"{visitor.path}/answer", json=data).status_code == 415
    upload = visitor.browser.post(f"{visitor.path}/answer", data=data, files={"a": b"x"})
    assert upload.status_code == 415
    assert site.state == before
    kind = {"content-type": "Application/X-WWW-Form-Urlencoded ; charset=utf-8"}
    assert visitor.browser.post(f"{visitor.path}/answer", content=body, headers=kind).status_code == 303


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"&&&===",
        b"%",
        b"%zz%00%ff",
        b"\xff\xfe\x00",
        b"answer",
        b"=0",
        b"answer[]=0&answer.0=1",
        b";answer=0;",
        b"__proto__=1&constructor=2",
    ],
)
def test_malformed_bodies_are_refused(site: Site, visitor: Visitor, body: bytes) -> None:
    before = site.state
    answer = visitor.browser.post(f"{visitor.path}/answer", content=body, headers=URLENCODED)
    assert answer.status_code == 403
    data = visitor.hidden("answer")
    start = f"token={data['token']}&claim={data['claim']}&".encode()
    answer = visitor.browser.post(f"{visitor.path}/answer", content=start + body, headers=URLENCODED)
    assert answer.status_code == 422 or body.startswith((b"answer=", b";"))
    assert site.state == before


@pytest.mark.parametrize("field", ["claim", "answer", "mark", "change", "language", "here", "reason"])
def test_odd_values_are_refused_or_kept_as_text(site: Site, visitor: Visitor, field: str) -> None:
    values = (
        "%00",
        "%ED%A0%80",
        "%FF%FE",
        "%EF%BF%BF",
        "-1",
        "3",
        "00",
        "0 ",
        "٠",
        "1e0",
        "0-0-99999999999",
        "0-5-2",
        "9-0-1",
        "0-0-1%00",
        "0-٠-١",
        "' OR 1=1 --",
        "../../x",
        "%F0%9F%98%80",
        "a" * 5_000,
        "null",
        "true",
        "%E2%80%AE",
    )
    claim, link = visitor.hidden("answer")["claim"], visitor.path.rpartition("/")[2]
    for value in values:
        for purpose in ("language",) if field in ("language", "here") else ("answer", "change"):
            hidden = {"claim": claim, "token": form_token(made.SECRET, link, purpose)}
            fields = hidden | ({"answer": "0"} if field in ("claim", "mark", "change") else {})
            body = "&".join(f"{name}={given}" for name, given in fields.items() if name != field)
            answer = visitor.browser.post(
                f"{visitor.path}/{purpose}", content=f"{body}&{field}={value}".encode(), headers=URLENCODED
            )
            assert answer.status_code in (303, 404, 409, 422), (purpose, value)
    for judgement in site.service.judgements():
        assert "\x00" not in judgement.reason
        judgement.reason.encode()


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "GETS"])
def test_other_methods_are_refused(site: Site, visitor: Visitor, method: str) -> None:
    before = site.state
    for path in (visitor.path, f"{visitor.path}/answer", site.link("open"), "/", "/dashboard"):
        answer = visitor.browser.request(method, path, data={"_method": "POST"})
        assert answer.status_code == 405 and "allow" in answer.headers, path
    forms = ("x-http-method-override", "x-method-override")
    headers = dict.fromkeys(forms, "POST")
    answer = visitor.browser.get(
        f"{visitor.path}/leave", params={"_method": "POST", **visitor.hidden("answer")}, headers=headers
    )
    assert answer.status_code in (200, 303)
    assert site.state == before


def test_asking_for_a_page_stores_nothing(site: Site, visitor: Visitor) -> None:
    """A form's address that is only asked for, with its fields in the query, does nothing."""
    data, before = visitor.hidden("answer") | {"answer": "0", "agree": "yes", "language": "ar"}, site.state
    for purpose in PURPOSES:
        assert visitor.browser.get(f"{visitor.path}/{purpose}", params=data).status_code in (200, 303)
        query = visitor.browser.post(f"{visitor.path}/{purpose}", params=data)
        assert query.status_code == 403, purpose
    assert site.state == before


def test_the_head_of_a_page_is_that_of_the_page(site: Site, visitor: Visitor) -> None:
    for path in (visitor.path, "/", "/health", "/nowhere", site.link("open"), "/dashboard/login"):
        page, head = visitor.browser.get(path), visitor.browser.head(path)
        assert head.status_code == page.status_code
        assert head.headers["content-type"] == page.headers["content-type"]
    assert visitor.browser.head(f"{visitor.path}/image/x/0").status_code == 404


def test_long_addresses_and_headers_are_only_long(site: Site, visitor: Visitor) -> None:
    for params in ({"lang": "x" * 50_000}, {"x" * 50_000: "1"}, [("lang", "ar")] * 5_000):
        assert visitor.browser.get(visitor.path, params=params).status_code == 200
    for name in ("accept-language", "user-agent", "cookie", "referer", "if-none-match", "range"):
        for value in ("x" * 60_000, "en;q=" * 10_000, ",;=" * 20_000, "\xff\xfe", "bytes=0-0,1-1"):
            answer = visitor.browser.get(visitor.path, headers={name: value.encode("latin-1")})
            assert answer.status_code == 200, (name, value[:10])
    stored = visitor.send("answer", {"answer": "0"})
    assert stored.status_code == 303
    visitor.headers = {"user-agent": "<b>" * 20_000}
    assert visitor.send("answer", {"answer": "0"}).status_code == 303
    assert all(len(judgement.client) <= 500 for judgement in site.service.judgements())


def test_a_hostile_form_costs_no_time(site: Site, visitor: Visitor) -> None:
    """Nothing here grows faster than the body: half a megabyte of each is read in well under a second."""
    token = visitor.hidden("answer")["token"]
    for part in ("%", "&a", "%26", "+", "=", "%00", "é", "&mark=0-0-1"):
        body = (f"token={token}&" + part * (LARGEST_BODY // 16)).encode()[:LARGEST_BODY]
        begun = time.perf_counter()
        answer = visitor.browser.post(f"{visitor.path}/answer", content=body, headers=URLENCODED)
        assert answer.status_code < 500
        assert time.perf_counter() - begun < 5  # milliseconds on an idle machine


# ------------------------------------------------------------------------------------------------- many at once


@pytest.fixture(scope="module")
def on_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("disk") / "study"
    with attack.opened(folder, Store.at(folder.parent), **attack.BARE) as found:
        yield found


def at_once(number: int, send: Any) -> list[Any]:
    with ThreadPoolExecutor(number) as pool:
        return [future.result() for future in [pool.submit(send, k) for k in range(number)]]


def test_the_same_form_many_times_at_once_is_one_judgement(on_disk: Site) -> None:
    service, browser, visitor = on_disk.service, on_disk.browser, on_disk.visitor()
    judges, judgements = len(service.people.judges()), len(service.judgements())
    at_once(8, lambda _: browser.get(visitor.path))  # first visits at once are one judge
    assert len(service.people.judges()) == judges + 1
    visitor.send("begin")
    data = visitor.hidden("answer") | {"answer": "1"}
    answers = at_once(20, lambda _: browser.post(f"{visitor.path}/answer", data=data))
    assert {(one.status_code, one.headers["location"]) for one in answers} == {(303, visitor.path)}
    assert len(service.judgements()) == judgements + 1


def test_different_choices_at_once_are_one_judgement(on_disk: Site) -> None:
    service, browser, visitor = on_disk.service, on_disk.browser, on_disk.reading()
    judgements, data = len(service.judgements()), visitor.hidden("answer")
    answers = at_once(12, lambda k: browser.post(f"{visitor.path}/answer", data=data | {"answer": str(k % 3)}))
    assert {one.status_code for one in answers} <= {303, 409}
    assert len(service.judgements()) == judgements + 1


def test_the_same_person_of_a_platform_is_one_judge(on_disk: Site) -> None:
    service, browser, path = on_disk.service, on_disk.browser, on_disk.link("platform")
    judges = len(service.people.judges())
    found = at_once(
        12,
        lambda k: browser.get(path, params={"PROLIFIC_PID": f"person {k % 2}", "SESSION_ID": f"visit {k % 2}"}),
    )
    assert {one.status_code for one in found} == {303}
    assert len({one.headers["location"] for one in found}) == 2
    assert len(service.people.judges()) == judges + 2
