"""The dashboard from outside: no route without a session, no session that was not earned, no guess that is quick."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import attack
import made
import pytest
from attack import check_headers
from researcher import CHEAP, GOOD, Clock, Researcher
from starlette.routing import Route
from starlette.testclient import TestClient

from nlgauge.web import login
from nlgauge.web.login import Vault
from nlgauge.web.security import form_token

OPEN = ("/dashboard/login", "/dashboard/setup/{code}", "/dashboard/report/{digest}.css")


@pytest.fixture
def watch() -> Clock:
    return Clock()


@pytest.fixture
def site(tmp_path: Path, watch: Clock) -> Iterator[attack.Site]:
    with attack.opened(tmp_path / "study", **attack.BARE) as found:
        Vault(found.folder).set_password(GOOD, CHEAP)
        found.service.context.clock = watch
        found.browser = made.client(found.service, found.folder)
        with found.browser:
            yield found


@pytest.fixture
def outside(site: attack.Site) -> Researcher:
    return Researcher(site.browser)


def closed_routes(browser: TestClient) -> Iterator[tuple[str, str]]:
    """Every address of the dashboard that needs a session, as the application has them."""
    app: Any = browser.app
    for route in app.routes:
        assert isinstance(route, Route)
        if route.path.startswith("/dashboard") and route.path not in OPEN:
            for method in route.methods or ():
                yield method, re.sub(r"\{\w+\}", "x", route.path)


def test_no_route_without_a_session(site: attack.Site, outside: Researcher) -> None:
    judge, _ = site.service.arrivals.register("experts")
    link = next(site.unused)
    outside.get("/login")  # as far as a stranger gets
    routes, before = list(closed_routes(site.browser)), site.state
    assert len(routes) > 25 and {method for method, _ in routes} == {"GET", "HEAD", "POST"}
    cookie = f"nlgauge_{site.service.id[:8]}"
    now = str(int(site.service.context.clock()))
    forged = (
        "",
        "x",
        "0" * 32,
        f"{'0' * 32}.{now}.{'0' * 64}",
        f"{'0' * 32}.9999999999.{'0' * 64}",
        login.new_session(b"y" * 32, Vault(site.folder).password(), site.service.context.clock())[1],
        login.new_session(made.SECRET, "", site.service.context.clock())[1],
        form_token(made.SECRET, link, "dashboard"),
        login.new_device(made.SECRET),
        "é" * 9,
        "a" * 9_000,
    )
    answers = set()
    for method, path in routes:
        for address in dict.fromkeys((path, path.replace("/x/", f"/{judge}/"))):
            answer = site.browser.request(method, address)
            answers.add(answer.content)
            assert (answer.status_code, answer.headers["location"]) == (303, "/dashboard/login"), address
            check_headers(answer)
        for value in forged:
            fresh = {"cookie": f"{cookie}={value}".encode("latin-1", "replace")}
            answer = site.browser.request(method, path, headers=fresh, data=None)
            assert answer.status_code == 303 and answer.headers["location"] == "/dashboard/login", path
    assert answers == {b""}  # nothing of what is inside
    assert site.state == before


@pytest.mark.parametrize(
    "path",
    [
        "/dashboard//",
        "//dashboard/links",
        "/dashboard/./links",
        "/dashboard/login/../links",
        "/dashboard/%6cinks",
        "/DASHBOARD/links",
        "/dashboard/links/",
        "/dashboard/links%2ecsv",
        "/dashboard/links;x",
        "/dashboard/links%00",
        "/dashboard/login%2f..%2flinks",
        "/j/../dashboard/links",
        "/static/../dashboard/links",
        "/dashboard/links.csv/.",
    ],
)
def test_no_way_round_the_door(site: attack.Site, path: str) -> None:
    answer = site.browser.get(path)
    assert answer.status_code in (303, 404)
    for link in site.service.arrivals.links():
        assert link.token not in answer.text


def test_a_link_opens_no_dashboard(site: attack.Site, outside: Researcher) -> None:
    visitor = site.reading()
    token = visitor.path.rpartition("/")[2]
    for name in (f"nlgauge_{site.service.id[:8]}", "session", "token"):
        headers = {"cookie": f"{name}={token}", "authorization": f"Bearer {token}", "x-token": token}
        for path in ("", "/links", f"?token={token}"):
            answer = site.browser.get(f"/dashboard{path}", headers=headers)
            assert answer.headers["location"] == "/dashboard/login"
    page = visitor.get().text
    assert "/dashboard" not in page
    stolen = visitor.hidden("answer")["token"]
    answer = site.browser.post("/dashboard/pause", data={"token": stolen})
    assert answer.status_code == 303 and site.service.status == "open"
    answer = site.browser.post("/dashboard/login", data={"token": stolen, "password": GOOD})
    assert answer.status_code == 403


def test_a_session_opens_no_judges_form(site: attack.Site, outside: Researcher) -> None:
    visitor = site.reading()
    assert outside.log_in().status_code == 303
    data = visitor.hidden("answer") | {"answer": "0", "token": outside.token("/study")}
    assert site.browser.post(f"{visitor.path}/answer", data=data).status_code == 403
    cookies = [cookie for cookie in site.browser.cookies.jar if cookie.value]
    assert cookies and all(cookie.path == "/dashboard" for cookie in cookies)  # judges' pages never get them


# -------------------------------------------------------------------------------------------------------- guessing


def test_guesses_become_slow(site: attack.Site, outside: Researcher, watch: Clock) -> None:
    """As many guesses as a day allows: about a hundred, whatever the machine can do."""
    checked, end = 0, watch.now + 86_400
    while watch.now < end:
        answer = outside.log_in("a wrong password")
        assert answer.status_code in (403, 429)
        checked += answer.status_code == 403
        watch.now += int(answer.headers.get("retry-after", 1))
        assert checked < 150
    assert 90 <= checked <= 120


def test_while_it_waits_the_right_password_is_not_told_from_wrong_ones(
    site: attack.Site, outside: Researcher, watch: Clock
) -> None:
    for _ in range(8):
        outside.log_in("a wrong password")
        watch.now += 0.5
    right, wrong = outside.log_in(GOOD), outside.log_in("a wrong password")
    assert right.status_code == wrong.status_code == 429
    assert attack.without_names(right.text) == attack.without_names(wrong.text)
    assert "set-cookie" not in right.headers or "nlgauge" in right.headers["set-cookie"]
    assert outside.get().headers["location"] == "/dashboard/login"


def test_wrong_passwords_of_all_kinds_get_one_answer(site: attack.Site, watch: Clock) -> None:
    answers = []
    for password in ("", "x", GOOD[:-1], GOOD.upper(), GOOD + "\x00", "é" * 900, "' OR 1=1 --", "x" * 60_000):
        watch.now += 100_000
        site.browser.cookies.clear()
        answers.append(Researcher(site.browser).log_in(password))
    assert {answer.status_code for answer in answers} == {403}
    assert len({attack.without_names(answer.text) for answer in answers}) == 1


def test_guessing_stops_no_judge(site: attack.Site, outside: Researcher) -> None:
    for _ in range(5):
        outside.log_in("a wrong password")
    visitor = site.reading()
    assert visitor.send("answer", {"answer": "0"}).status_code == 303


def test_codes_of_the_set_up_are_not_told_apart(site: attack.Site) -> None:
    code = Vault(site.folder).new_code()
    browser = site.browser
    wrong = [browser.get(f"/dashboard/setup/{guess}") for guess in ("x", "0" * 32, code[:-1], code.upper(), "é")]
    if code.upper() == code:  # digits only
        wrong.pop(3)
    assert {(answer.status_code, answer.content) for answer in wrong} == {(404, wrong[0].content)}
    page = browser.get(f"/dashboard/setup/{code}")
    assert page.status_code == 200
    for link in attack.Reading(page.text).addresses:
        assert code not in link
    token = re.findall(r'name="token" value="([0-9a-f]{64})"', page.text)[0]
    data = {"token": token, "password": "eight small stones", "again": "eight small stones"}
    assert browser.post(f"/dashboard/setup/{code}", data=data).status_code == 303
    assert browser.get(f"/dashboard/setup/{code}").status_code == 404
    assert browser.post(f"/dashboard/setup/{code}", data=data).status_code == 404


# --------------------------------------------------------------------------------------------------------- sessions


def test_a_session_is_new_whatever_cookie_was_there_before(site: attack.Site) -> None:
    name = f"nlgauge_{site.service.id[:8]}"
    planted = f"{'a' * 32}.{int(site.service.context.clock())}.{'b' * 64}"
    site.browser.cookies.set(name, planted, path="/dashboard")
    researcher = Researcher(site.browser)
    answer = researcher.log_in()
    assert answer.status_code == 303
    made_ = [cookie for cookie in answer.headers.get_list("set-cookie") if cookie.startswith(name + "=")]
    assert len(made_) == 1 and "a" * 32 not in made_[0]
    second = made.client(site.service, site.folder)
    with second:
        other = Researcher(second).log_in()
        values = [
            re.findall(rf"{name}=([0-9a-f]+)", one)[0]
            for one in (made_[0], *other.headers.get_list("set-cookie"))
            if one.startswith(name + "=")
        ]
        assert len(set(values)) == 2


@pytest.mark.parametrize("base", ["", "http://lab.example", "https://lab.example/study"])
def test_the_flags_of_every_cookie(tmp_path: Path, watch: Clock, base: str) -> None:
    with attack.opened(tmp_path / "study", **attack.BARE) as site:
        Vault(site.folder).set_password(GOOD, CHEAP)
        code = Vault(site.folder).new_code()
        with made.client(site.service, site.folder, base=base) as browser:
            prefix = "/study" if base.endswith("/study") else ""
            page = browser.get(f"{prefix}/dashboard/login")
            token = re.findall(r'name="token" value="([0-9a-f]{64})"', page.text)[0]
            sent = page.headers.get_list("set-cookie")
            header = {"cookie": "; ".join(one.partition(";")[0] for one in sent)}
            data = {"token": token, "password": GOOD}
            entered = browser.post(f"{prefix}/dashboard/login", data=data, headers=header)
            assert entered.status_code == 303
            header = {"cookie": entered.headers.get_list("set-cookie")[0].partition(";")[0]}
            token = re.findall(
                r'name="token" value="([0-9a-f]{64})"',
                browser.get(f"{prefix}/dashboard", headers=header).text,
            )[0]
            left = browser.post(f"{prefix}/dashboard/logout", data={"token": token}, headers=header)
            set_up = browser.get(f"{prefix}/dashboard/setup/{code}")
            for answer in (page, entered, left, set_up):
                for cookie in answer.headers.get_list("set-cookie"):
                    flags = {part.strip().lower() for part in cookie.split(";")[1:]}
                    assert {"httponly", "samesite=strict", f"path={prefix}/dashboard"} <= flags, cookie
                    assert ("secure" in flags) == base.startswith("https:"), cookie
                    assert not any(flag.startswith("domain") for flag in flags), cookie
            check_headers(entered)


def test_a_session_is_over_after_logout_time_and_a_new_password(
    site: attack.Site, outside: Researcher, watch: Clock
) -> None:
    outside.log_in()
    name = f"nlgauge_{site.service.id[:8]}"
    held = {"cookie": f"{name}={site.browser.cookies[name]}"}
    assert site.browser.get("/dashboard", headers=held).status_code == 200
    for place in (0, 31, 33, 40, -1):  # any one sign of it changed
        value = site.browser.cookies[name]
        sign = "1" if value[place] != "1" else "2"
        tampered = value[:place] + sign + (value[place + 1 :] if place != -1 else "")
        fresh = {"cookie": f"{name}={tampered}"}
        assert site.browser.get("/dashboard", headers=fresh).status_code == 303, place
    assert outside.post("/logout").status_code == 303
    assert site.browser.get("/dashboard", headers=held).status_code == 303  # a copy of the cookie too
    outside.log_in()
    held = {"cookie": f"{name}={site.browser.cookies[name]}"}
    watch.now += login.SESSION_SECONDS + 1
    assert site.browser.get("/dashboard", headers=held).status_code == 303
    assert login.SESSION_SECONDS <= 86_400
    outside.log_in()
    held = {"cookie": f"{name}={site.browser.cookies[name]}"}
    Vault(site.folder).set_password("nine small stones", CHEAP)
    assert site.browser.get("/dashboard", headers=held).status_code == 303


def test_every_action_needs_its_token_its_site_and_its_method(site: attack.Site, outside: Researcher) -> None:
    assert outside.log_in().status_code == 303
    other = made.client(site.service, site.folder)
    with other:
        stranger = Researcher(other)
        stranger.log_in()
        theirs = stranger.token("/study")
    token, before = outside.token("/study"), site.state
    actions = [path for method, path in closed_routes(site.browser) if method == "POST"]
    assert len(actions) >= 9
    for path in actions:
        for data, headers in (
            ({}, {}),
            ({"token": ""}, {}),
            ({"token": "0" * 64}, {}),
            ({"token": theirs}, {}),
            ({"token": token}, {"sec-fetch-site": "cross-site"}),
            ({"token": token}, {"sec-fetch-site": "same-site"}),
            ({"token": token}, {"origin": "https://evil.example"}),
            ({"token": token}, {"origin": "http://["}),
        ):
            answer = site.browser.post(path, data={**data, "confirm": "yes", "count": "1"}, headers=headers)
            assert answer.status_code == 403, (path, data, headers)
        large = site.browser.post(path, data={"token": token, "x": "y" * 100_000})
        assert large.status_code == 413
        assert site.browser.post(path, json={"token": token}).status_code == 415
        twice = site.browser.post(path, data={"token": [token, token], "confirm": "yes"})
        assert twice.status_code == 403
    for path in ("/dashboard/pause", "/dashboard/release", "/dashboard/logout", "/dashboard/expired"):
        assert site.browser.get(path, params={"token": token}).status_code in (404, 405)
    assert site.state == before
    assert outside.get().status_code == 200


def test_fields_that_come_twice_are_no_fault(site: attack.Site, outside: Researcher) -> None:
    outside.log_in()
    for path, name in itertools.product(
        ("/links", "/close", "/export", "/password"), ("panel", "count", "confirm", "format", "password", "present")
    ):
        data = {"token": outside.token("/study"), name: ["1", "2"]}
        answer = site.browser.post(f"/dashboard{path}", data=data)
        assert answer.status_code in (403, 422), (path, name)


def test_odd_values_are_no_fault(site: attack.Site, outside: Researcher) -> None:
    outside.log_in()
    token = outside.token("/study")
    for odd in ("-1", "0", "1e3", "٣", "99999999", "1.0", "", "\x00", "x" * 500, "' OR 1=1", "<b>", "\u202e"):
        for path in ("/links", "/export", "/close", f"/judges/{quote(odd, safe='')}/forget", "/password"):
            data = {
                "token": token,
                "panel": odd,
                "count": odd,
                "format": odd,
                "present": odd,
                "password": odd,
            }
            assert site.browser.post(f"/dashboard{path}", data=data).status_code in (303, 403, 404, 422)
        for path in ("", "/links", "/judges", "/links.csv", "/links.txt"):
            params = {"page": odd, "page-0": odd, "panel": odd, "said": odd, "n": odd}
            assert site.browser.get(f"/dashboard{path}", params=params).status_code in (200, 404, 422), odd
        assert site.browser.get(f"/dashboard/judges/{quote(odd, safe='')}/forget").status_code in (
            303,
            404,
            422,
        )


# -------------------------------------------------------------------------------------------------- pages inside


def test_addresses_of_links_do_not_come_from_the_host_header(tmp_path: Path) -> None:
    """A name that somebody else put into the request must not stand in front of every judge's link."""
    for base in ("", "https://lab.example/study"):
        with attack.opened(tmp_path / f"study{len(base)}", **attack.BARE) as site:
            Vault(site.folder).set_password(GOOD, CHEAP)
            site.browser = made.client(site.service, site.folder, base=base)
            with site.browser:
                prefix = "/study" if base else ""
                session = login.new_session(made.SECRET, Vault(site.folder).password(), site.service.context.clock())[1]
                for path in ("/links", "/links.csv", "/links.txt", "/study"):
                    headers = {
                        "host": "evil.example",
                        "x-forwarded-host": "evil.example",
                        "cookie": f"nlgauge_{site.service.id[:8]}={session}",
                    }
                    answer = site.browser.get(f"{prefix}/dashboard{path}", headers=headers)
                    assert answer.status_code == 200
                    assert "evil.example" not in answer.text, (base, path)


def test_pages_inside_cannot_be_framed_or_kept(site: attack.Site, outside: Researcher) -> None:
    outside.log_in()
    for path in ("", "/links", "/judges", "/export", "/study", "/close", "/password", "/links.csv"):
        answer = outside.get(path)
        check_headers(answer)
        assert answer.headers["cache-control"] == "no-store"
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


def test_the_database_password_and_the_secrets_are_on_no_page(site: attack.Site, outside: Researcher) -> None:
    outside.log_in()
    hidden = (made.SECRET.decode(), made.SECRET.hex(), Vault(site.folder).password(), GOOD)
    for path in ("", "/links", "/judges", "/export", "/study", "/close", "/password"):
        page = outside.get(path).text
        assert not any(secret in page for secret in hidden), path
