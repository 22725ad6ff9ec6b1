"""The door of the dashboard: login, set-up, sessions, tokens, and what every page has."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import made
import pytest
from researcher import GOOD, PAGES, Clock, Researcher, answer, first, site
from starlette.testclient import TestClient

from nlgauge.cli import main
from nlgauge.study.service import Service
from nlgauge.web import dashboard, login
from nlgauge.web.login import Vault


@pytest.fixture
def service(watched: tuple[Service, TestClient]) -> Service:
    """The study whose dashboard is looked at."""
    return watched[0]


def test_every_page_and_action_asks_for_a_login(outside: Researcher, service: Service) -> None:
    seen = 0
    for route in dashboard.routes(outside.browser.app.state.site):  # type: ignore[attr-defined]
        path = route.path.replace("{judge}", "j0123456789abcdef").replace("{code}", "0" * 32)
        if path.endswith(".css") or "/login" in path or "/setup/" in path:
            continue
        for method in (route.methods or set()) - {"HEAD"}:
            given = outside.browser.request(method, path, data={"confirm": "yes"} if method == "POST" else None)
            assert (given.status_code, given.headers["location"]) == (303, "/dashboard/login"), path
            seen += 1
    assert seen >= 20
    assert service.status == "open"


def test_login_and_logout(outside: Researcher, clock: Clock) -> None:
    given = outside.log_in()
    assert (given.status_code, given.headers["location"]) == (303, "/dashboard")
    assert outside.get().status_code == 200
    assert outside.get("/login").headers["location"] == "/dashboard"
    kept = dict(outside.browser.cookies)
    assert outside.post("/logout").headers["location"] == "/dashboard/login"
    assert outside.get().status_code == 303
    for name, value in kept.items():  # a copy of the cookie opens nothing either
        outside.browser.cookies.set(name, value, domain="site.test", path="/dashboard")
    assert outside.get().status_code == 303


def test_the_session_cookie_is_kept_from_scripts_and_other_sites(tmp_path: Path, clock: Clock) -> None:
    for base, secure in (("", False), ("https://study.example.org/x", True)):
        _, browser = site(tmp_path / f"s{secure}", clock, base)
        with browser:
            person = Researcher(browser)
            page = browser.get("/dashboard/login")
            token = re.search(r'name="token" value="([0-9a-f]{64})"', page.text)
            assert token is not None
            name, value = page.headers["set-cookie"].partition(";")[0].split("=")
            given = browser.post(
                "/dashboard/login",
                data={"token": token.group(1), "password": GOOD},
                headers={"cookie": f"{name}={value}"},
            )
            assert given.status_code == 303, person
            cookies = [line for line in given.headers.get_list("set-cookie") if "_form" not in line]
            assert len(cookies) == 2
            for line in cookies:
                assert "HttpOnly" in line and "samesite=strict" in line.lower()
                assert ("Secure" in line) == secure
                assert f"Path={'/x' if secure else ''}/dashboard" in line
            assert any("Max-Age=43200" in line for line in cookies)


def test_a_session_ends_after_twelve_hours(inside: Researcher, clock: Clock) -> None:
    clock.now += 12 * 3600 - 1
    assert inside.get().status_code == 200
    clock.now += 1
    assert inside.get().status_code == 303


def test_wrong_passwords_are_slowed_down_and_the_right_one_waits_too(outside: Researcher, clock: Clock) -> None:
    wrong = outside.log_in("seven small stone")
    assert wrong.status_code == 403
    assert "in 1 second." in wrong.text
    locked = outside.log_in()  # right, but too early
    assert (locked.status_code, locked.headers["retry-after"]) == (429, "1")
    assert outside.get().status_code == 303
    clock.now += 1
    assert outside.log_in("").status_code == 403
    assert outside.log_in().headers["retry-after"] == "2"
    clock.now += 2
    assert outside.log_in().status_code == 303


def test_every_failure_gets_the_same_answer(tmp_path: Path, clock: Clock) -> None:
    said = set()
    for number, stored in enumerate((True, False)):
        _, browser = site(tmp_path / str(number), clock)
        if not stored:
            (tmp_path / str(number) / login.PASSWORD).unlink()
        with browser:
            for password in ("wrong password", "x", ""):
                given = Researcher(browser).log_in(password)
                clock.now += 100
                page = re.sub(r'value="[0-9a-f]{64}"|in \d+ seconds?|static/\w+', "", given.text)
                said.add((given.status_code, page))
    assert len(said) == 1


def test_a_browser_that_has_logged_in_is_not_kept_out_by_strangers(
    inside: Researcher, service: Service, clock: Clock
) -> None:
    inside.post("/logout")
    stranger = Researcher(made.client(service, Path(inside.browser.app.state.site.folder)))  # type: ignore[attr-defined]
    for _ in range(4):
        stranger.log_in("guess")
        clock.now += 0.5
    assert stranger.log_in().status_code == 429
    assert inside.log_in().status_code == 303


def test_forms_need_their_token_and_their_site(inside: Researcher, service: Service) -> None:
    assert inside.browser.post("/dashboard/pause").status_code == 403
    assert inside.browser.post("/dashboard/pause", data={"token": "0" * 64}).status_code == 403
    assert inside.post("/pause", **{"sec-fetch-site": "cross-site"}).status_code == 403
    assert inside.post("/pause", origin="https://evil.example").status_code == 403
    assert service.status == "open"
    assert inside.post("/pause").status_code == 303
    assert service.status == "paused"


def test_the_login_form_needs_its_token_and_its_cookie(outside: Researcher) -> None:
    assert outside.browser.post("/dashboard/login", data={"password": GOOD}).status_code == 403
    token = outside.token("/login")
    outside.browser.cookies.clear()
    given = outside.browser.post("/dashboard/login", data={"password": GOOD, "token": token})
    assert given.status_code == 403
    assert outside.get().status_code == 303


def test_a_token_of_one_session_does_not_serve_another(inside: Researcher, service: Service) -> None:
    token = inside.token("")
    inside.post("/logout")
    inside.log_in()
    assert inside.browser.post("/dashboard/pause", data={"token": token}).status_code == 403


def test_the_password_is_set_with_the_printed_code(tmp_path: Path, clock: Clock) -> None:
    _, browser = site(tmp_path / "study", clock)
    code = login.prepare(tmp_path / "study", reset=True)
    with browser:
        person = Researcher(browser)
        assert person.get(f"/setup/{'0' * 32}").status_code == 404
        page = person.get(f"/setup/{code}").text
        for rule in login.RULES:
            assert rule in page
        short = person.post(f"/setup/{code}", {"password": "short", "again": "short"}, f"/setup/{code}")
        assert short.status_code == 422 and "at least 10" in short.text
        fields = {"password": "eight small stones", "again": "eight small stones"}
        assert person.post(f"/setup/{code}", fields, f"/setup/{code}").headers["location"] == "/dashboard"
        assert person.get().status_code == 200  # inside at once
        assert person.get(f"/setup/{code}").status_code == 404
        assert browser.post(f"/dashboard/setup/{code}", data=fields).status_code == 404


def test_another_password_ends_the_other_sessions(inside: Researcher, service: Service) -> None:
    folder = Path(inside.browser.app.state.site.folder)  # type: ignore[attr-defined]
    other = Researcher(made.client(service, folder))
    assert other.log_in().status_code == 303
    new = {"password": "eight small stones", "again": "eight small stones"}
    assert inside.post("/password", {"present": "wrong", **new}).status_code == 403
    assert other.get().status_code == 200
    service.context.clock.now += 1  # type: ignore[attr-defined]
    assert inside.post("/password", {"present": GOOD, **new}).status_code == 303
    assert inside.get().status_code == 200
    assert other.get().status_code == 303


def test_pages_carry_no_inline_style_or_script(inside: Researcher, service: Service, clock: Clock) -> None:
    answer(service, clock, "public", 2, first)
    for path in PAGES:
        page = inside.get(path)
        assert page.status_code == 200, path
        assert "default-src 'none'" in page.headers["content-security-policy"]
        assert page.headers["cache-control"] == "no-store"
        assert not re.search(r"<style|\sstyle=|<script(?! src=)|\son\w+=", page.text), path
        assert "http-equiv" not in page.text


def test_controls_have_labels_and_ids_are_unique(inside: Researcher, service: Service, clock: Clock) -> None:
    answer(service, clock, "public", 2, first)
    for path in PAGES:
        page = inside.get(path).text
        ids = re.findall(r'\sid="([^"]+)"', page)
        assert len(ids) == len(set(ids)), path
        named = set(re.findall(r'<label[^>]* for="([^"]+)"', page))
        for control in re.findall(r"<(?:input|select|textarea)[^>]*>", page):
            if (
                'aria-hidden="true"' in control
                or 'type="hidden"' in control
                or 'type="checkbox"' in control
                or 'type="radio"' in control
            ):
                continue  # the last two stand inside their labels
            own = re.search(r'\sid="([^"]+)"', control)
            assert "aria-label=" in control or (own and own.group(1) in named), control


# ------------------------------------------------------------------------------------------------- study serve


@pytest.fixture
def serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """`nlgauge study serve` up to the moment where it would serve: exit code and what was printed."""
    made.launched(tmp_path / "study").store.close()
    monkeypatch.setattr("nlgauge.web.server.serve", lambda settings, bound, app=None: bound.close())
    monkeypatch.setattr(login, "hash_password", lambda password, cost=None: f"<{password}>")
    monkeypatch.setattr(login, "fits", lambda password, stored: stored == f"<{password}>")

    def run(*options: str) -> tuple[int, str]:
        code = main(["study", "serve", str(tmp_path / "study"), "--port", "0", *options])
        said = capsys.readouterr()
        return code, said.out + said.err

    return run


def test_serve_prints_where_the_password_is_set(serve: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    code, said = serve()
    found = re.search(r"/dashboard/setup/([0-9a-f]{32})", said)
    assert code == 0 and found is not None
    vault = Vault(tmp_path / "study")
    assert vault.code_fits(found.group(1))
    assert json.loads(serve("--json")[1])["setup"].startswith("http://127.0.0.1:")
    vault.set_password(GOOD)
    assert "setup" not in serve()[1]
    assert json.loads(serve("--json")[1])["setup"] is None
    assert "/dashboard/setup/" in serve("--reset-password")[1]
    assert vault.password() == ""
    assert "setup" not in serve("--no-dashboard")[1]


def test_serve_takes_a_password_from_outside(
    serve: Callable[..., tuple[int, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault, file = Vault(tmp_path / "study"), tmp_path / "password.txt"
    file.write_text(f"{GOOD}\nnot this\n")
    assert serve("--password-file", str(file))[0] == 0
    assert vault.password() == f"<{GOOD}>"
    monkeypatch.setenv("NLGAUGE_PASSWORD", "eight small stones")
    assert serve()[0] == 0
    assert vault.password() == "<eight small stones>"
    assert "/dashboard/setup/" in serve("--reset-password")[1]  # which the environment does not overrule
    file.write_text("short")
    code, said = serve("--password-file", str(file))
    assert code == 2 and "at least 10" in said
    code, said = serve("--password-file", str(tmp_path / "nothing"))
    assert code == 2 and "no such file" in said
