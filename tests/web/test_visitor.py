"""The visitor and its client, against a server of a few lines that says exactly what a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any
from urllib.parse import parse_qsl

import pytest

from nlgauge.errors import InputError
from nlgauge.web.client import Client, Lost, site
from nlgauge.web.visitor import Form, Page, Visit, Visitor, fill, read

Handler = Callable[[str, str, str], bytes]


def http(body: str, status: str = "200 OK", **headers: str) -> bytes:
    sent = body.encode()
    more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(sent)}\r\n{more}\r\n".encode() + sent


class Toy:
    """Answers every request with what a function says; where it says nothing the connection breaks."""

    def __init__(self, handler: Handler) -> None:
        self.handler, self.connections = handler, 0
        self.heads: list[str] = []
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).decode():
                self.heads.append(head)
                lengths = [int(x.split(":")[1]) for x in head.split("\r\n") if x.startswith("Content-Length")]
                body = (await reader.readexactly(sum(lengths))).decode()
                method, path, _ = head.split(" ", 2)
                answer = self.handler(method, path, body)
                writer.write(answer)
                if not answer.startswith(b"HTTP/1.1") or b"X-End" in answer:
                    break
        except asyncio.IncompleteReadError:
            pass
        writer.close()


def played(handler: Handler, work: Callable[[Toy], Awaitable[Any]]) -> Any:
    """Run some work beside a toy server."""

    async def both() -> Any:
        toy = Toy(handler)
        server = await asyncio.start_server(toy.serve, "127.0.0.1", 0)
        toy.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with server:
            return await work(toy)

    return asyncio.run(both())


# ------------------------------------------------------------------------------------------------------------- client


def test_a_connection_is_kept_and_a_form_is_sent_as_a_browser_sends_it() -> None:
    async def work(toy: Toy) -> None:
        client = Client(toy.url, headers={"Accept-Language": "gl"})
        assert (await client.get("/a?b=1")).text == "GET /a?b=1 ñ"
        answer = await client.post("/f", "x=1&y=%C3%B1")
        assert (answer.status, answer.text, answer.headers["x-word"]) == (200, "POST /f x=1&y=%C3%B1ñ", "yes")
        assert toy.connections == 1
        head = toy.heads[1]
        assert f"Origin: {toy.url}\r\n" in head and "Sec-Fetch-Site: same-origin" in head
        assert "Accept-Language: gl" in head and "application/x-www-form-urlencoded" in head
        assert f"Host: {toy.url[7:]}\r\n" in head
        client.drop()

    played(lambda method, path, body: http(f"{method} {path} {body}ñ", X_Word="yes"), work)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nT: 1\r\n\r\n", "abcde"),
        (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "hi"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", ""),
        (b"HTTP/1.1 200 OK\r\nX-End: 1\r\n\r\nuntil the end", "until the end"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\nX-End: 1\r\n\r\nlast", "last"),
    ],
)
def test_bodies_of_every_kind(sent: bytes, expected: str) -> None:
    async def work(toy: Toy) -> None:
        client = Client(toy.url)
        for _ in range(2):  # the second shows that the first was read to its end
            assert (await client.get("/")).text == expected
        client.drop()

    played(lambda *_: sent, work)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 40\r\nX-End: 1\r\n\r\nhalf",
        b"SSH-2.0 hello\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: many\r\nX-End: 1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-End: 1\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * (1 << 21),
    ],
)
def test_half_an_answer_is_lost_and_sent_once_only(sent: bytes) -> None:
    async def work(toy: Toy) -> None:
        client = Client(toy.url)
        with pytest.raises(Lost):
            await client.post("/", "a=1")
        assert len(toy.heads) == 1
        with pytest.raises(Lost):  # and the next begins anew
            await client.get("/")
        assert toy.connections == 2

    played(lambda *_: sent, work)


def test_a_connection_closed_while_idle_is_opened_again() -> None:
    async def work(toy: Toy) -> None:
        client = Client(toy.url)
        for _ in range(3):
            assert (await client.post("/", "")).text == "x"
            await asyncio.sleep(0.02)
        assert (len(toy.heads), toy.connections) == (3, 3)

    played(lambda *_: http("x", X_End="1"), work)


def test_nobody_there_and_nobody_answering() -> None:
    with pytest.raises(Lost, match="went away"):
        asyncio.run(Client("http://127.0.0.1:1").get("/"))

    async def deaf(toy: Toy) -> None:
        silent = await asyncio.start_server(lambda r, w: asyncio.sleep(9), "127.0.0.1", 0)
        async with silent:
            port = silent.sockets[0].getsockname()[1]
            with pytest.raises(Lost, match=r"no answer from .* within 0.05 s"):
                await Client(f"http://127.0.0.1:{port}", wait=0.05).get("/")

    played(lambda *_: b"", deaf)


def test_addresses() -> None:
    assert site("http://[::1]:81/x") == ("http", "::1", 81, "http://[::1]:81")
    assert site("https://study.example.org") == (
        "https",
        "study.example.org",
        443,
        "https://study.example.org",
    )
    for wrong in ("study.example.org", "ftp://x", "http://x:y", "http://", "http://x:99999999"):
        with pytest.raises(InputError, match="expected http://host:port"):
            site(wrong)


# -------------------------------------------------------------------------------------------------------------- forms

FULL = """
<!doctype html><html><body><main><form method="post" action="/j/T/language">
<select name="language"><option value="en" selected>E<option value="ar">A</select><button>Go</button></form>
<form action="questions" method="POST">
 <input type=hidden name="token" value="a&amp;b"><input type="hidden" name="none">
 <label><input type="radio" name="q1" value="0" required>No</label><input type="radio" name="q1" value="1">
 <input type="checkbox" name="agree" required><input type="checkbox" name="mark" value="0-3"><input type="checkbox"
  name="mark" value="1-5" checked>
 <input type="number" name="age" min="50" max="99" required><input name="free">
 <input name="short" required maxlength="5">
 <textarea name="why" required>
</textarea><textarea name="kept">&lt;b&gt;
said</textarea><textarea name="empty"></textarea>
 <select name="land"><option value="">choose</option><option>El  Salvador</option><option disabled>X</option></select>
 <input type="file" name="f"><input name="off" disabled><input type="reset"><button type="button">+</button>
 <button name="go" value="on">Go on</button><input type="submit" name="go" value="stop">
</form><input name="outside"></main></body></html>
"""


def test_fields_as_a_browser_sees_them() -> None:
    page = read(FULL)
    assert [form.last for form in page.forms] == ["language", "questions"]
    form = page.main
    assert form is page.form("questions") and form is not None
    assert set(form.controls) == {
        "token",
        "none",
        "q1",
        "agree",
        "mark",
        "age",
        "free",
        "short",
        "why",
        "kept",
        "empty",
        "land",
    }
    assert (form.hidden("token"), form.hidden("none"), form.hidden("age")) == ("a&b", "", "")
    assert form.controls["land"].values == ["", "El Salvador"]
    assert page.forms[0].controls["language"].chosen == ["en"]
    assert form.buttons == [("go", "on"), ("go", "stop")]


def last(form: Form, name: str, values: list[str]) -> str:
    return values[-1]


def test_what_must_be_filled_in_is() -> None:
    form = read(FULL).main
    assert form is not None
    assert list(fill(form, last)) == [
        ("token", "a&b"),
        ("none", ""),
        ("q1", "1"),
        ("agree", "on"),
        ("mark", "1-5"),
        ("age", "50"),
        ("free", ""),
        ("short", "it re"),
        ("why", "it reads differently"),
        ("kept", "<b>\nsaid"),
        ("empty", ""),
        ("land", "El Salvador"),
        ("go", "on"),
    ]
    page = read('<a href="/x/leave">no</a><a rel="a next" href="y">')
    assert (page.link("leave"), page.next, page.link("x")) == ("/x/leave", "y", "")
    thorough = dict(fill(form, last, thorough=True))
    assert thorough["free"] == thorough["empty"] == "it reads differently"


def test_pages_without_a_form_and_broken_ones() -> None:
    assert read("").main is None
    assert read("<form method=get action=/x></form><form method=post action='/j/t/leave'>").main is None
    broken = read("<form method=post action=a><select name=s><option value=1><option>two<textarea name=t>x</form>")
    assert broken.main is not None


# ------------------------------------------------------------------------------------------------------------- visits


class Study:
    """A study of one evaluation: consent at a personal address, an answer stored once, an end."""

    def __init__(self, breaks: Callable[[str, str], int] = lambda method, path: 0) -> None:
        self.stage, self.stored, self.breaks = "consent", [], breaks
        self.seen: list[str] = []

    def __call__(self, method: str, path: str, body: str) -> bytes:
        self.seen.append(f"{method} {path}")
        broken = self.breaks(method, path)
        if broken == 1:  # before anything was done
            return b""
        answer = self.act(method, path, dict(parse_qsl(body)))
        return b"" if broken == 2 else answer

    def act(self, method: str, path: str, form: dict[str, str]) -> bytes:
        if method == "POST":
            if path == "/o/t":
                return http("", "303 See Other", Location="/j/one")
            if path.endswith("/answer"):
                if "why" not in form or not form["why"]:
                    return http(self.page("answer"), "422 Unprocessable")
                if form["claim"] not in [one["claim"] for one in self.stored]:
                    self.stored.append(form)
                self.stage = "done"
            elif path.endswith("/leave"):
                self.stage = "left"
            elif form.get("agree") == "yes":
                self.stage = "aside"
            return http("", "303 See Other", Location="http://127.0.0.1:9/" if self.stage == "far" else "/j/one")
        shown = "welcome" if path == "/o/t" else self.stage
        if shown == "aside":  # a page to read, with a link to the next
            self.stage = "answer"
        return http(self.page(shown))

    def page(self, stage: str) -> str:
        leave = '<form method="post" action="/j/one/leave"><button>Leave</button></form>'
        hidden = '<input type="hidden" name="token" value="x">'
        forms = {
            "welcome": '<form method="post"><button>Take part</button></form>',
            "consent": f'<form method="post" action="/j/one/consent">{hidden}<button name="agree" value="yes">',
            "aside": '<a href="/elsewhere">x</a><a rel="next" href="one">Go on</a>',
            "answer": f'<form method="post" action="/j/one/answer">{hidden}<input type="hidden" name="claim" value="c">'
            '<input type="radio" name="answer" value="0"><input type="radio" name="answer" value="1">'
            '<textarea name="why"></textarea><button>',
        }
        return f"<main>{leave if stage == 'answer' else ''}{forms.get(stage, '')}</main>"


def visited(study: Study, address: str = "/o/t", **options: Any) -> Visit:
    async def work(toy: Toy) -> Visit:
        return await Visitor(Client(toy.url, wait=2), last, **options).visit(address)

    return played(study, work)


def test_a_whole_visit_with_a_form_shown_again() -> None:
    study = Study()
    visit = visited(study)
    assert study.stage == "done"
    assert [sent.path for sent in visit.sent] == ["/o/t", "/j/one/consent", "/j/one/answer"]
    assert (visit.status, visit.pages, visit.lost, visit.left, visit.address) == (200, 6, 0, False, "/j/one")
    assert study.stored == [{"token": "x", "claim": "c", "answer": "1", "why": "it reads differently"}]
    assert visit.sent[-1].get("claim") == "c" and visit.sent[-1].get("absent") == ""


def test_leaving_by_the_form_that_says_so() -> None:
    study = Study()
    visit = visited(study, leaves=lambda form: form.last == "answer")
    assert (visit.left, study.stage, study.stored) == (True, "left", [])


def test_another_site_ends_the_visit() -> None:
    study = Study()
    study.stage = "far"
    study.page = lambda stage: '<form method="post" action="/j/one/consent">'  # type: ignore[method-assign]
    visit = visited(study, "/j/one")
    assert (visit.page, visit.address) == (Page(), "http://127.0.0.1:9/")


def test_refusals_end_the_visit() -> None:
    visit = visited(lambda *_: http("<form method=post></form>", "409 Conflict"), "/j/x")  # type: ignore[arg-type]
    assert (visit.status, visit.pages, visit.sent) == (409, 1, [])


def test_an_impatient_visitor_says_that_the_server_went_away() -> None:
    with pytest.raises(Lost):
        visited(Study(lambda method, path: method == "POST"))


@pytest.mark.parametrize("seed", range(6))
def test_a_patient_visitor_gets_through_and_counts_only_what_was_acknowledged(seed: int) -> None:
    """Every other request breaks, before or after the server did what was asked."""
    random, tries = Random(seed), [0]

    def breaks(method: str, path: str) -> int:
        tries[0] += 1
        return random.choice((1, 2)) if tries[0] % 2 else 0

    study = Study(breaks)
    visit = visited(study, patience=5.0, pause=0.01, random=Random(seed))
    assert study.stage == "done"
    assert len(study.stored) == 1 and visit.lost > 2
    assert sum(sent.path.endswith("/answer") for sent in visit.sent) <= 1
