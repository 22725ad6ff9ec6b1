"""Headers on every answer whatever it is; addresses that come from the study alone, never from the request."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attack
import made
import pytest
from attack import Site, check_headers, directives
from made import PIXEL, Visitor
from starlette.testclient import TestClient

from nlgauge.errors import InputError
from nlgauge.study.service import Service
from nlgauge.study.store import Store

EVIL = "evil.example"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site") / "study"
    folder.mkdir()
    (folder / "p.png").write_bytes(PIXEL)
    subjects = {name: {"texts": [{"text": f"{name} wrote {k}", "image": "p.png"} for k in range(8)]} for name in "AB"}
    completion = {"code": "C0DE", "redirect": "https://platform.example/done?cc=C0DE"}
    panels = {
        "experts": {"judges": 40, "access": "links", "completion": completion},
        "public": {"judges": 3, "access": "open"},
        "crowd": {"judges": 3, "access": "platform"},
    }
    with attack.opened(folder, subjects=subjects, panels=panels, completion=completion, **attack.BARE) as found:
        yield found


@pytest.fixture
def service(site: Site) -> Service:
    return site.service


@pytest.fixture
def browser(site: Site) -> TestClient:
    return site.browser


@pytest.fixture
def visitor(site: Site) -> Visitor:
    return site.reading()


def answers(service: Service, visitor: Visitor) -> Iterator[tuple[str, Any]]:
    """One answer of every kind that the site gives."""
    browser, paths = visitor.browser, {link.kind: link.path.partition("?")[0] for link in service.arrivals.links()}
    page = browser.get(visitor.path)
    hidden = visitor.hidden("answer", page.text)
    yield "a page", page
    yield "its head", browser.head(visitor.path)
    yield "a picture", browser.get(f"{visitor.path}/image/{hidden['claim']}/0")
    yield "no picture", browser.get(f"{visitor.path}/image/{hidden['claim']}/9")
    for address in attack.Reading(page.text).addresses:
        if address.startswith("/static/"):
            yield address, browser.get(address)
    yield "an old file", browser.get("/static/000000000000/site.css")
    yield "home", browser.get("/")
    yield "health", browser.get("/health")
    yield "the document", browser.get("/openapi.json")
    yield "nothing there", browser.get("/nowhere")
    yield "a wrong method", browser.delete("/")
    yield "a wrong method on a form", browser.put(f"{visitor.path}/answer")
    yield "options", browser.options("/")
    yield "no link", browser.get("/j/" + "0" * 44)
    yield "welcome", browser.get(paths["open"])
    yield "an id is missing", browser.get(paths["platform"])
    yield "a platform's redirect", browser.get(paths["platform"], params={"PROLIFIC_PID": "somebody"})
    yield "no token", browser.post(f"{visitor.path}/answer", data={"answer": "0"})
    yield "too large", browser.post(f"{visitor.path}/answer", content=b"x" * 600_000)
    yield "another encoding", browser.post(f"{visitor.path}/answer", json={"answer": 0})
    yield (
        "from elsewhere",
        browser.post(f"{visitor.path}/answer", data=hidden, headers={"sec-fetch-site": "cross-site"}),
    )
    yield "incomplete", browser.post(f"{visitor.path}/answer", data=hidden)
    yield "stored", browser.post(f"{visitor.path}/answer", data=hidden | {"answer": "1"})
    yield "the end", browser.get(visitor.path)
    yield "a slash more", browser.get(visitor.path + "/")
    yield "the dashboard", browser.get("/dashboard")
    yield "the dashboard's slash", browser.get("/dashboard/")
    yield "its login", browser.get("/dashboard/login")
    yield "its refusal", browser.post("/dashboard/login", data={"password": "x"})
    yield "its set-up", browser.get("/dashboard/setup/" + "0" * 32)


def test_every_answer_has_every_header(service: Service, visitor: Visitor) -> None:
    seen = {}
    for what, answer in answers(service, visitor):
        check_headers(answer)
        seen[what] = answer.status_code
        stored = answer.headers["cache-control"] != "no-store"
        assert stored == (answer.status_code == 200 and what.startswith("/static/")), what
    assert set(seen.values()) >= {200, 303, 400, 403, 404, 405, 413, 415, 422}
    assert 500 not in seen.values()


def test_a_fault_has_the_headers_too_and_tells_nothing(
    service: Service, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise RuntimeError(f"SELECT secret FROM links {visitor.path}")

    monkeypatch.setattr(type(service.dealing), "step", fails)
    monkeypatch.setattr(type(service.arrivals), "links", fails)
    answer = visitor.get()
    assert answer.status_code == 500
    check_headers(answer)
    assert "RuntimeError" not in answer.text and "SELECT" not in answer.text and visitor.path not in answer.text


def test_a_fault_while_the_error_page_is_made_has_the_headers(
    service: Service, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise RuntimeError("no page")

    monkeypatch.setattr("nlgauge.web.site.Site.render", fails)
    for answer in (visitor.get(), visitor.browser.get("/nowhere")):
        assert answer.status_code == 500 and "no page" not in answer.text
        check_headers(answer)


def test_transport_security_is_asked_for_where_the_site_is_reached_by_https(
    site: Site,
) -> None:
    for base, wanted in (("https://s.example/x", True), ("http://s.example", False), ("", False)):
        with made.client(site.service, site.folder, base=base) as browser:
            for path in ("/", "/nowhere", "/health"):
                found = browser.get(path).headers
                assert ("strict-transport-security" in found) == wanted
                if wanted:
                    age = found["strict-transport-security"].partition("max-age=")[2]
                    assert int(age.partition(";")[0]) >= 15_552_000


def test_the_policy_allows_what_the_pages_need_and_no_more(browser: TestClient) -> None:
    policy = directives(browser.get("/").headers["content-security-policy"])
    assert {name for name, sources in policy.items() if sources == ["'self'"]} <= {
        "style-src",
        "script-src",
        "img-src",
        "connect-src",
        "form-action",
    }


def test_the_document_does_not_tell_the_version(browser: TestClient) -> None:
    from nlgauge import __version__

    assert __version__ not in browser.get("/openapi.json").text


# ------------------------------------------------------------------------------------------------------- addresses


def test_nothing_on_a_page_comes_from_the_host_header(service: Service, visitor: Visitor) -> None:
    paths = [visitor.path, "/", "/nowhere", "/openapi.json", "/dashboard/login", visitor.path + "/leave"]
    paths += [link.path for link in service.arrivals.links() if link.kind == "open"]
    for path in paths:
        plain = visitor.browser.get(path)
        for headers in (
            {"host": EVIL},
            {"host": f"{EVIL}:80@site.test"},
            {"host": "[", "x-forwarded-host": EVIL},
            {"host": "a b<script>"},
            {"x-forwarded-host": EVIL, "x-forwarded-proto": "gopher", "forwarded": f"host={EVIL}"},
            {
                "x-forwarded-prefix": f"//{EVIL}",
                "x-original-url": "/dashboard",
                "x-rewrite-url": "/dashboard",
            },
        ):
            answer = visitor.browser.get(path, headers=headers)
            assert answer.status_code == plain.status_code, (path, headers)
            assert attack.without_names(answer.text) == attack.without_names(plain.text), (path, headers)


def test_redirects_stay_here_whatever_the_host_header_says(service: Service, visitor: Visitor) -> None:
    browser, hidden = visitor.browser, visitor.hidden("answer")
    platform = next(link.path.partition("?")[0] for link in service.arrivals.links() if link.kind == "platform")
    evil = {"host": EVIL, "x-forwarded-host": EVIL}
    found = [
        browser.get(platform, params={"PROLIFIC_PID": "p"}, headers=evil),
        browser.post(f"{visitor.path}/answer", data=hidden | {"answer": "0"}, headers=evil),
        browser.get("/dashboard", headers=evil),
        browser.get(visitor.path + "/answer", headers=evil),
        *(browser.get(path + "/", headers=evil) for path in (visitor.path, "/dashboard", "/health", "/nowhere")),
        *(browser.get(path) for path in (f"//{EVIL}/", f"//{EVIL}//", f"//{EVIL}/j/..", f"/\\{EVIL}/")),
    ]
    for answer in found:
        location = answer.headers.get("location", "/")
        assert location.startswith("/") and not location.startswith(("//", "/\\")), answer.request.url
        assert EVIL not in answer.headers.get("location", ""), answer.request.url
    assert sum(answer.status_code == 303 for answer in found) >= 4


def test_a_slash_at_the_end_of_a_link_does_no_harm(visitor: Visitor) -> None:
    answer = visitor.get("/")
    assert (answer.status_code, answer.headers["location"]) == (303, visitor.path)


def test_a_change_of_language_comes_back_to_this_site_only(service: Service, visitor: Visitor) -> None:
    for here in (
        f"//{EVIL}",
        f"https://{EVIL}",
        f"/\\{EVIL}",
        "/../../dashboard",
        "/leave/../../../x",
        f"@{EVIL}",
        f".{EVIL}",
        "/leave\r\nLocation: https://evil.example",
        "/leave\n",
        "/change/../../x",
        "/practice/1?x=//e",
        "/leave#",
        "/%2e%2e/",
        "\u2028/leave",
        "/practice/١",
    ):
        answer = visitor.send("language", {"language": "en", "here": here})
        assert (answer.status_code, answer.headers["location"]) == (303, visitor.path), here
    kept = visitor.send("language", {"language": "en", "here": "/leave"})
    assert kept.headers["location"] == f"{visitor.path}/leave"
    for name in ("next", "url", "redirect", "return", "here"):
        answer = visitor.browser.get(visitor.path, params={name: f"https://{EVIL}"})
        assert answer.status_code == 200 and EVIL not in answer.text


def test_the_way_back_at_the_end_is_the_frozen_one(service: Service, visitor: Visitor) -> None:
    visitor.send("answer", {"answer": "0"})
    frozen = "https://platform.example/done?cc=C0DE"
    for params in ({}, {"redirect": f"https://{EVIL}", "cc": "OTHER", "url": f"//{EVIL}"}):
        answer = visitor.browser.get(visitor.path, params=params)
        assert answer.headers["refresh"].endswith(f"url={frozen}") and EVIL not in answer.text
        outside = [a for a in attack.Reading(answer.text).addresses if not a.startswith(("/", "#"))]
        assert outside == [frozen]


@pytest.mark.parametrize(
    "redirect",
    [
        "javascript:alert(1)",
        "//evil.example",
        "data:text/html,x",
        "https://ok.example/\r\nSet-Cookie: a=b",
        "https://ok.example/\nx",
        "https://ok.example/ x",
        "https://ok.example/a\tb",
        "https://[",
        "https://ok.example/\x00",
        "https://ok.example/\u202e",
        "https:///nohost",
    ],
)
def test_a_way_back_that_could_split_an_answer_is_refused_before_launch(tmp_path: Path, redirect: str) -> None:
    for key in ("redirect", "failed_redirect", "screened_out_redirect"):
        with pytest.raises(InputError, match=f"completion.{key}|NUL"):
            made.launched(tmp_path / "other", Store.memory(), completion={key: redirect})


@pytest.mark.parametrize("redirect", ["https://bücher.example/größe?q=ß", "https://例え.jp/終わり", "http://h:8/x#y"])
def test_a_way_back_in_any_script_is_sent_as_an_address(tmp_path: Path, redirect: str) -> None:
    folder = tmp_path / "other"
    service = made.launched(
        folder,
        Store.memory(),
        completion={"redirect": redirect},
        practice=None,
        questions=None,
        consent=None,
        panels={"experts": {"judges": 3, "access": "links"}},
    )
    with made.client(service, folder) as browser:
        visitor = Visitor(browser, made.links(service, "experts")[0])
        visitor.send("begin")
        visitor.send("answer", {"answer": "0"})
        answer = visitor.get()
        assert answer.status_code == 200
        assert answer.headers["refresh"].isascii()
    service.store.close()


def test_addresses_with_line_breaks_split_no_answer(service: Service, visitor: Visitor) -> None:
    for path in (
        "/j/x%0d%0aSet-Cookie:%20a=b",
        "/p/x%0d%0aSet-Cookie:%20a=b?PROLIFIC_PID=%0d%0aa",
        "/static/a%0d%0ab/c%0d%0ad",
        visitor.path + "/practice%0d%0aX-Evil:1",
        "/dashboard/links.csv%0d%0aX-Evil:1",
    ):
        answer = visitor.browser.get(path)
        assert answer.status_code in (303, 404), path
        assert "set-cookie" not in answer.headers and "x-evil" not in answer.headers
