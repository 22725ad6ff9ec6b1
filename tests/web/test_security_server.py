"""The served study over a socket: what only a real server can get wrong, and what lies in its folder."""

from __future__ import annotations

import logging
import os
import re
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import attack
import made
import pytest
from attack import Served, status

from nlgauge.study.store import Store
from nlgauge.web import connections
from nlgauge.web.login import Vault


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served") / "study"
    old = os.umask(0o022)
    try:
        made.launched(folder, **attack.BARE).store.close()
    finally:
        os.umask(old)
    (folder / "export.csv").write_text("reason\nmine")
    with attack.served(folder) as found:
        yield found


def path(site: Served, kind: str) -> str:
    """The path of a link, without the ids of a platform."""
    return next("/" + link.partition("/")[2] for link in site.links if f"/{kind}/" in link).partition("?")[0]


def test_a_page_over_the_wire(site: Served) -> None:
    answer = site.get(path(site, "j"))
    head = answer.partition(b"\r\n\r\n")[0].lower()
    assert status(answer) == 200
    assert b"\r\nserver:" not in head and b"uvicorn" not in answer.lower() and b"python" not in head
    assert b"content-security-policy: default-src 'none'" in head and b"set-cookie" not in head
    head_only = site.get(path(site, "j"), method="HEAD")
    assert status(head_only) == 200 and head_only.endswith(b"\r\n\r\n")


@pytest.mark.parametrize(
    "target",
    [
        "/../study.sqlite",
        "/static/../study.sqlite",
        "/static/x/../../site.key",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/static/..%2f..%2fsite.key/x",
        "/static/x/..%2f..%2f..%2fsite.key",
        "/static/x/%2e%2e",
        "/static/x/....//site.key",
        "/static/%00/site.css",
        "/static//etc/passwd",
        "//etc/passwd",
        "/./frozen.json",
        "/static/",
        "/static",
        "/static/x/",
        "/study.sqlite",
        "/study.yaml",
        "/frozen.json",
        "/site.key",
        "/dashboard.password",
        "/dashboard.setup",
        "/export.csv",
        "/dashboard/../site.key",
        "/dashboard/report/..%2f..%2fsite.key.css",
        "/templates/base.html",
        "/.git/config",
        "/static/%252e%252e/site.key",
        "/static/x/..\\site.key",
        "/%c0%ae%c0%ae/site.key",
        "/j/..%2fsite.key",
        "/study.sqlite-wal",
    ],
)
def test_no_file_of_the_folder_can_be_asked_for(site: Served, target: str) -> None:
    answer = site.get(target)
    body = answer.partition(b"\r\n\r\n")[2]
    assert status(answer) in (400, 404) or (status(answer) == 200 and b"text/css" in answer), target
    assert b"SQLite" not in body and b"root:" not in body and b"protocol:" not in body
    assert (site.folder / "site.key").read_bytes().strip() not in body
    for line in (b"Index of", b"dashboard.password", b"site.css\n", b"study.sqlite"):
        assert line not in body


@pytest.mark.parametrize(
    "request_",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        b"GET /?\xff\xfe HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        b"GET /%ff%fe?lang=%ff%00 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: [\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: \xff\xfe\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.0\r\n\r\n",
        b"GET http://evil.example/dashboard HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: a\x00b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX : a\r\n\r\n",
        b"CONNECT evil.example:443 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        b"POST /o/x HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\nConnection: close\r\n\r\n",
        b"POST /o/x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /o/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\n",
        b"GET /j/x HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_malformed_requests_are_answered_without_a_fault(site: Served, request_: bytes) -> None:
    with site.connect() as made_:
        made_.settimeout(5)
        made_.sendall(request_)
        made_.shutdown(1)
        answer = attack.everything(made_)
    assert status(answer) < 500 and status(answer) != 101
    assert b"evil.example" not in answer.partition(b"\r\n\r\n")[0]
    if answer:
        assert b"x-content-type-options: nosniff" in answer.lower()
    assert status(site.get("/health")) == 200


def test_a_head_without_end_is_cut_off(site: Served) -> None:
    for part in (b"X-Many: 1\r\n" * 1_000, b"x" * 10_000):
        with site.connect() as made_:
            made_.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nX-First: ")
            sent = 0
            try:
                while sent < 5_000_000:
                    made_.sendall(part)
                    sent += len(part)
            except (ConnectionError, TimeoutError):
                pass
            assert sent < 5_000_000  # the connection was closed long before
    long = site.get("/?" + "x" * 200_000)
    assert status(long) in (0, 400)
    assert status(site.get("/?" + "x" * 30_000)) == 200
    assert connections.LARGEST_HEAD <= 2**17 and connections.HEAD_SECONDS <= 60


def test_slow_senders_keep_nobody_waiting(site: Served) -> None:
    """Sixty forms that never end, sixty heads that never end: the others are served at once."""
    target = path(site, "o")
    begin = f"POST {target} HTTP/1.1\r\nHost: site.test\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    slow = [site.connect() for _ in range(120)]
    for number, one in enumerate(slow):
        one.sendall(begin.encode() + (b"Content-Length: 1000\r\n\r\ntoken=" if number % 2 else b"X-Slow: "))
    took = []
    for _ in range(5):
        begun = time.perf_counter()
        assert status(site.get(path(site, "j"))) == 200
        took.append(time.perf_counter() - begun)
        for one in slow:
            one.sendall(b"0")
    assert min(took) < 2
    for one in slow:
        one.close()
    assert status(site.get("/health")) == 200


def test_a_form_that_comes_too_slowly_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    import anyio
    from starlette.requests import Request

    from nlgauge.web import forms
    from nlgauge.web.security import Stopped

    async def never() -> dict[str, object]:
        await anyio.sleep(60)
        return {}

    async def ask() -> None:
        scope = {"type": "http", "method": "POST", "headers": [], "path": "/", "query_string": b""}
        await forms.read(Request(scope, never))

    monkeypatch.setattr(forms, "SLOWEST", 0.01)
    with pytest.raises(Stopped) as caught:
        anyio.run(ask)
    assert caught.value.status == 408


def test_the_log_holds_no_link(site: Served) -> None:
    """After all of the above; also asked for in ways that fail."""
    for link in (path(site, "j"), path(site, "o"), path(site, "p")):
        site.get(link + "?PROLIFIC_PID=PERSON-17")
        site.get(link + "/nowhere", method="DELETE")
        site.get(link, "Content-Length: x")
    log = site.log.read_text()
    for link in site.links:
        token = re.split(r"[/?]", link)[2]
        assert len(token) == 44 and token not in log and token[12:] not in log
    assert "PERSON-17" not in log and "/j/" not in log


def test_a_fault_of_the_database_is_logged_without_what_was_asked(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with attack.opened(tmp_path / "study", **attack.BARE) as site, caplog.at_level(logging.WARNING):
        with site.service.store.write() as connection:
            connection.exec_driver_sql("ALTER TABLE platform_ids RENAME TO away")
        person = {"PROLIFIC_PID": "PERSON-18"}
        assert site.browser.get(site.link("platform"), params=person).status_code in (500, 503)
        with site.service.store.write() as connection:
            connection.exec_driver_sql("ALTER TABLE links RENAME TO gone")
        token = next(site.unused).rpartition("/")[2]
        assert site.browser.get(f"/j/{token}").status_code in (500, 503)
    assert "no such table" in caplog.text
    assert token not in caplog.text and token[:12] not in caplog.text and "PERSON-18" not in caplog.text


# ------------------------------------------------------------------------------------------------ files in the folder


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def test_secrets_and_answers_are_readable_by_their_owner_only(site: Served) -> None:
    site.get(path(site, "j"))
    private = ("site.key", "dashboard.setup", "study.sqlite", "study.sqlite-wal", "study.sqlite-shm")
    for name in private:
        assert mode(site.folder / name) == 0o600, name
    assert not list(site.folder.glob(".*"))  # nothing half-written is left


def test_the_password_file_too(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        vault = Vault(tmp_path)
        vault.new_code()
        assert mode(tmp_path / "dashboard.setup") == 0o600
        vault.set_password("seven small stones")
    finally:
        os.umask(old)
    assert mode(tmp_path / "dashboard.password") == 0o600
    held = (tmp_path / "dashboard.password").read_text()
    assert re.fullmatch(r"\$scrypt\$n=\d+,r=8,p=\d+\$[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=\n", held)
    assert "stones" not in held


def test_a_database_that_its_owner_shares_stays_shared(tmp_path: Path) -> None:
    Store.at(tmp_path).close()
    assert mode(tmp_path / "study.sqlite") == 0o600
    (tmp_path / "study.sqlite").chmod(0o660)
    Store.at(tmp_path).close()
    assert mode(tmp_path / "study.sqlite") == 0o660


def test_a_secret_that_is_too_short_is_refused(tmp_path: Path) -> None:
    from nlgauge.errors import InputError
    from nlgauge.web.security import folder_secret

    assert len(folder_secret(tmp_path)) == 32
    assert folder_secret(tmp_path) == folder_secret(tmp_path)
    for content in ("", "00", "0" * 63, "not hexadecimal " * 5):
        (tmp_path / "site.key").write_text(content)
        with pytest.raises(InputError, match="does not hold the site's secret"):
            folder_secret(tmp_path)
