"""The site around the pages: headers, forms, faults, files, addresses, the OpenAPI document."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import made
import pytest
import sqlalchemy as sa
from made import Forms, Visitor, heading
from starlette.testclient import TestClient

from nlgauge.errors import InputError
from nlgauge.io.outputs import SITE_KEY
from nlgauge.study.languages import LANGUAGES
from nlgauge.study.service import Service
from nlgauge.web import forms, security
from nlgauge.web.app import create_app
from nlgauge.web.language import load
from nlgauge.web.site import PROTOCOLS, TEMPLATES, Site


def test_headers_on_every_kind_of_answer(service: Service, browser: TestClient, visitor: Visitor) -> None:
    answers = [
        browser.get("/"),
        visitor.get(),
        visitor.send("consent", {"agree": "yes"}),
        browser.get("/nowhere"),
        browser.get("/j/unknown"),
        browser.post("/health"),
        browser.post(f"{visitor.path}/consent", content=b"{}", headers={"content-type": "application/json"}),
        browser.get("/openapi.json"),
        browser.get("/health"),
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 303, 404, 404, 405, 415, 200, 200]
    for answer in answers:
        for name, value in security.HEADERS.items():
            assert answer.headers[name] == value
        assert "set-cookie" not in answer.headers and "unsafe" not in answer.headers["content-security-policy"]


def test_own_files_may_be_kept(browser: TestClient) -> None:
    page = browser.get("/").text
    for kind in ("site.css", "icon.svg"):
        address = next(part for part in page.split('"') if part.endswith(kind))
        found = browser.get(address)
        assert found.status_code == 200 and "immutable" in found.headers["cache-control"]
    assert browser.get("/static/0/site.css").status_code == 404
    assert browser.get("/static/0/..%2fapp.py").status_code == 404


def test_pages_load_nothing_from_elsewhere(visitor: Visitor) -> None:
    visitor.practised()
    page = visitor.get().text
    assert "http://" not in page and "https://" not in page and "//" not in page.replace("<!--", "")
    assert "style=" not in page and "onclick" not in page and "<style" not in page


# -------------------------------------------------------------------------------------------------------- forms


@pytest.mark.parametrize("purpose", [name for name in forms.FORMS if name != "register"])
def test_every_form_needs_its_own_token(service: Service, visitor: Visitor, purpose: str) -> None:
    before = service.events()
    other = visitor.hidden("language") if purpose != "language" else visitor.hidden("consent")
    for token in ("", "0" * 64, "é", other["token"]):
        sent = visitor.browser.post(f"{visitor.path}/{purpose}", data={"token": token, "agree": "yes"})
        assert sent.status_code == 403 and heading(sent.text) == load("en").say("token_title")
        assert f'href="{visitor.path}"' in sent.text
    assert [event["kind"] for event in service.events() if event not in before] == ["registered"]


def test_a_form_from_elsewhere_is_refused(service: Service, visitor: Visitor) -> None:
    data = visitor.hidden("consent") | {"agree": "yes"}
    for headers in (
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "https://evil.example"},
        {"origin": "http://site.test.evil.example"},
    ):
        sent = visitor.browser.post(f"{visitor.path}/consent", data=data, headers=headers)
        assert sent.status_code == 403 and heading(sent.text) == load("en").say("origin_title")
    assert not service.events("consented")
    ours = {"sec-fetch-site": "same-origin", "origin": "null"}  # as browsers send with no-referrer
    assert visitor.browser.post(f"{visitor.path}/consent", data=data, headers=ours).status_code == 303


def test_bodies_have_a_limit(visitor: Visitor) -> None:
    visitor.practised()
    large = visitor.send("answer", {"answer": "0", "reason": "x" * 1_000_000})
    assert large.status_code == 413 and heading(large.text) == load("en").say("large_title")
    many = visitor.send("answer", {"answer": "0", "mark": ["0-0-1"] * 5_000})
    assert many.status_code == 413
    pieces = visitor.browser.post(
        f"{visitor.path}/answer",
        content=(b"x" * 10_000 for _ in range(100)),
        headers={"content-type": "application/x-www-form-urlencoded"},
    )
    assert pieces.status_code == 413


def test_odd_bodies_do_no_harm(visitor: Visitor) -> None:
    visitor.practised()
    hidden = visitor.hidden("answer")
    for reason in ("\x00\ufffd", "%ff%fe", "a\r\nb", "&amp;", "\ud83d\ude00"):
        body = {**hidden, "answer": "7", "reason": reason.encode("utf-8", "surrogatepass")}
        assert visitor.browser.post(f"{visitor.path}/answer", data=body).status_code == 422


def test_parse() -> None:
    assert forms.parse(b"a=1&a=2&b=%C3%A9+x&c&d=x%0D%0Ay") == {
        "a": ["1", "2"],
        "b": ["é x"],
        "c": [""],
        "d": ["x\ny"],
    }
    assert forms.parse(b"a=%ff") == {"a": ["\ufffd"]}
    assert forms.parse(b"") == {}


# -------------------------------------------------------------------------------------------------- links, faults


@pytest.mark.parametrize("token", ["x", "0" * 44, "%00", "%F0%9F%98%80", "..%2f", "a" * 5_000, "0" * 12 + "%00"])
def test_unknown_links(browser: TestClient, token: str) -> None:
    for path in ("/j/", "/o/", "/p/"):
        assert browser.get(path + token).status_code == 404
    assert browser.post(f"/j/{token}/consent", data={"token": "x"}).status_code == 404


def test_a_link_of_another_kind(service: Service, browser: TestClient) -> None:
    personal, opened = made.links(service, "experts")[0], made.links(service, "public")[0]
    assert browser.get(personal.replace("/j/", "/o/")).status_code == 409
    assert browser.get(opened.replace("/o/", "/j/")).status_code == 409


def test_a_form_address_typed_by_hand_leads_back(visitor: Visitor) -> None:
    for purpose in ("consent", "questions", "begin", "practice", "answer", "language", ""):
        asked = visitor.get(f"/{purpose}")
        assert (asked.status_code, asked.headers["location"]) == (303, visitor.path)


def test_the_first_visit_deals_nothing(service: Service, browser: TestClient) -> None:
    for path in made.links(service, "experts"):
        browser.get(path)
        browser.head(path)
    assert len(service.people.judges()) == 3 and service.progress.report()["panels"]["experts"]["open"] == 0


def test_a_forgotten_judge_finds_nothing(service: Service, browser: TestClient, visitor: Visitor) -> None:
    visitor.practised()
    judge = service.people.judges()[0]["id"]
    service.people.forget(judge, answers=True)
    assert heading(visitor.get().text) == load("en").say("unknown_title")


@pytest.mark.parametrize(
    ("error", "status", "title"),
    [
        (RuntimeError("x"), 500, "fault_title"),
        (sa.exc.OperationalError("x", {}, Exception()), 503, "busy_title"),
    ],
)
def test_faults_have_a_page_and_headers(
    service: Service,
    visitor: Visitor,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    status: int,
    title: str,
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(service.dealing, "step", broken)
    answer = visitor.get()
    assert answer.status_code == status and heading(answer.text) == load("en").say(title)
    assert answer.headers["content-security-policy"] == security.POLICY
    assert visitor.path not in caplog.text


# ------------------------------------------------------------------------------------------------ behind a proxy


@pytest.mark.parametrize("stripped", [True, False])
def test_under_a_prefix(service: Service, tmp_path: Path, stripped: bool) -> None:
    browser = made.client(service, tmp_path / "study", base="https://host.example/judge/")
    path = made.links(service, "experts")[0]
    visitor = Visitor(browser, path if stripped else f"/judge{path}")
    page = visitor.get().text
    assert f'action="/judge{path}/consent"' in page and 'href="/judge/static/' in page
    sent = visitor.send("consent", {"agree": "yes"})
    assert sent.headers["location"] == f"/judge{path}"
    assert "strict-transport-security" in sent.headers
    css = next(part for part in page.split('"') if part.endswith("site.css"))
    assert browser.get(css if not stripped else css.removeprefix("/judge")).status_code == 200
    ours = browser.post(
        f"{visitor.path}/begin",
        data={"token": "x"},
        headers={"origin": "https://host.example", "host": "inner:8000"},
    )
    assert heading(ours.text) == load("en").say("token_title")  # the origin was accepted


# ---------------------------------------------------------------------------------------------- secret, phrases, API


def test_the_secret_is_made_once_for_all_workers(tmp_path: Path) -> None:
    found: set[bytes] = set()
    threads = [threading.Thread(target=lambda: found.add(security.folder_secret(tmp_path))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    path = tmp_path / SITE_KEY
    assert len(found) == 1 and stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == [SITE_KEY]
    path.write_text("short")
    with pytest.raises(InputError, match="remove it"):
        security.folder_secret(tmp_path)


def test_signatures() -> None:
    signed = security.sign(b"k" * 32, "a", "b")
    assert security.verify(b"k" * 32, signed, "a", "b")
    assert not security.verify(b"k" * 32, signed, "ab", "")
    assert not security.verify(b"l" * 32, signed, "a", "b")


def test_every_code_has_a_page_in_every_language(service: Service) -> None:
    from nlgauge.web.judges import STATUS

    codes = {
        *STATUS,
        "notfound",
        "method",
        "token",
        "origin",
        "large",
        "type",
        "missing_id",
        "fault",
        "busy",
        "preview",
    }
    for language in LANGUAGES:
        for code in codes:
            assert load(language).say(code) and load(language).say(f"{code}_title")


def test_openapi(service: Service, browser: TestClient) -> None:
    described = browser.get("/openapi.json").json()
    assert described["openapi"].startswith("3.1")
    answer = described["paths"]["/j/{token}/answer"]["post"]
    fields = answer["requestBody"]["content"]["application/x-www-form-urlencoded"]["schema"]
    assert fields["required"] == ["token", "claim", "answer"]
    assert fields["properties"]["answer"]["enum"] == ["0", "1", "2"]
    for path, operations in described["paths"].items():
        for operation in operations.values():
            assert operation["summary"], path


def test_without_dashboard(service: Service, tmp_path: Path) -> None:
    app = create_app(service, folder=tmp_path / "study", dashboard=False)
    assert TestClient(app).get("/dashboard").status_code == 404
    assert (tmp_path / "study" / SITE_KEY).exists()


def test_forms_have_what_browsers_need(visitor: Visitor) -> None:
    visitor.practised()
    for form in Forms(visitor.get().text).forms:
        assert form["method"] == "post" and len(form["fields"]["token"]) == 64


def test_every_template_is_whole_in_every_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = dict.fromkeys(LANGUAGES, "?")
    service = made.launched(
        tmp_path / "all", question=words, consent=None, instructions=None, questions=None, practice=None
    )
    folders = [TEMPLATES, *PROTOCOLS.glob("*/templates")]
    monkeypatch.setattr(Site, "folders", folders)
    site = create_app(service, folder=tmp_path / "all", dashboard=False).state.site
    for environment in site._spoken.values():
        for name in environment.list_templates():
            assert "{{" not in environment.loader.get_source(environment, name)[0].replace("{{ ", "")
            environment.get_template(name)  # a phrase that is missing would be found here
