"""What attackers send: hostile texts, bare requests over a socket, and a served study to send them to."""

from __future__ import annotations

import contextlib
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import made
from made import Visitor

from nlgauge.study.store import Store

HOSTILE = (
    "<script>alert(1)</script>",
    "</textarea></title></style><img src=x onerror=alert(1)>",
    "\"><svg/onload=alert(1)>' autofocus onfocus='alert(1)",
    "<!-- --><![CDATA[ ]]> &lt;b&gt; &amp; &#60;i&#62;",
    "{{7*7}} {% raw %} ${7*7} #{7*7} <%= 7*7 %> {0} {text.__class__} %(x)s",
    "'; DROP TABLE judgements; -- \" OR 1=1",
    "👩‍👩‍👧‍👦 é 𝔘 ﷺ \ufeff",
    "\u202eevil\u2067 isolated\u2066\u202d",
    "=cmd|' /C calc'!A0",
)
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
NAMES = re.compile(r"[0-9a-f]{12,64}")


def check_headers(answer: Any) -> None:
    """Every header that each answer of the site must have, whatever it is."""
    found = answer.headers
    where = f"{answer.request.method} {answer.request.url} {answer.status_code}"
    for name, value in HEADERS.items():
        assert found.get_list(name) == [value], f"{name} of {where}"
    assert "camera=()" in found["permissions-policy"], where
    policy = directives(found["content-security-policy"])
    assert policy["default-src"] == ["'none'"], where
    for name in ("base-uri", "frame-ancestors"):
        assert policy[name] == ["'none'"], where
    assert policy["form-action"] == ["'self'"], where
    for name, sources in policy.items():
        assert set(sources) <= {"'none'", "'self'"}, f"{name} of {where}"
    assert "server" not in found and "x-powered-by" not in found, where
    assert found["cache-control"] in ("no-store", "public, max-age=31536000, immutable"), where


def directives(policy: str) -> dict[str, list[str]]:
    """A Content-Security-Policy as sources by directive."""
    return {part.split()[0]: part.split()[1:] for part in policy.split(";")}


class Reading(HTMLParser):
    """What a browser would make of a page: its texts, and everything that could run."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.running: list[str] = []
        self.comments: list[str] = []
        self.texts: list[str] = []
        self.values: list[str] = []
        self.addresses: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name.startswith("on") or name in ("style", "srcdoc") or "javascript:" in (value or "").lower():
                self.running.append(f"{tag} {name}={value}")
            if name in ("src", "href", "action", "formaction"):
                self.addresses.append(value or "")
            self.values.append(value or "")
        if tag == "script" and not dict(attrs).get("src"):
            self.running.append("script")
        if tag in ("iframe", "object", "embed", "base", "style"):
            self.running.append(tag)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        """All text of the page."""
        return "".join(self.texts)


def without_names(content: str) -> str:
    """A page without what is random in it: links, claims, form tokens."""
    return NAMES.sub("…", content)


class Site:
    """A study and its site, set up once for many tests; each test takes links that nobody has used."""

    def __init__(self, folder: Path, store: Store | None = None, base: str = "", **changes: Any) -> None:
        self.folder = folder
        self.service = made.launched(folder, store or Store.memory(), **changes)
        self.browser = made.client(self.service, folder, base=base)
        self.unused = iter([link.path for link in self.service.arrivals.links() if link.kind == "personal"])

    def visitor(self) -> Visitor:
        """Somebody who comes for the first time."""
        return Visitor(self.browser, next(self.unused))

    def reading(self) -> Visitor:
        """Somebody before three texts, in a study without consent, questions and practice."""
        found = self.visitor()
        assert found.send("begin").status_code == 303
        return found

    def link(self, kind: str) -> str:
        """The address of the open link, or of a platform's, without the ids."""
        return next(link.path.partition("?")[0] for link in self.service.arrivals.links() if link.kind == kind)

    @property
    def state(self) -> Any:
        """Everything that a form could have changed."""
        service = self.service
        return (
            service.judgements(),
            service.people.personal(),
            service.status,
            [(event["kind"], event["judge"]) for event in service.events()],
            service.people.judges(),
        )


@contextlib.contextmanager
def opened(folder: Path, store: Store | None = None, base: str = "", **changes: Any) -> Iterator[Site]:
    """A `Site` for as long as it is needed."""
    site = Site(folder, store, base, **changes)
    with site.browser:
        yield site
    site.service.store.close()


def traced(store: Store, asked: list[str]) -> None:
    """Note every statement that a store in memory runs, without its values; also those that pass SQLAlchemy by."""
    values = re.compile(r"'(?:[^']|'')*'|\bx'[0-9a-f]*'|(?<![\w.])-?\d[\d.e+]*\b|\bNULL\b", re.IGNORECASE)
    made_ = store.engine.raw_connection()
    connection: Any = made_.driver_connection
    made_.close()  # back into the pool, which holds this one only
    connection.set_trace_callback(lambda statement: asked.append(values.sub("?", statement)))


BARE = {"practice": None, "questions": None, "consent": None}

# ------------------------------------------------------------------------------------------- a study that is served


@dataclass
class Served:
    """`nlgauge study serve` in a process of its own."""

    folder: Path
    process: subprocess.Popen[bytes]
    port: int
    links: list[str]
    setup: str
    log: Path
    said: str = ""
    sockets: list[socket.socket] = field(default_factory=list)

    def connect(self) -> socket.socket:
        """A connection that waits ten seconds at most."""
        made = socket.create_connection(("127.0.0.1", self.port), timeout=10)
        self.sockets.append(made)
        return made

    def raw(self, request: bytes) -> bytes:
        """Send bytes as they are; what comes back until the server closes."""
        with self.connect() as made, contextlib.suppress(ConnectionError):
            with contextlib.suppress(ConnectionError):
                made.sendall(request)
            return everything(made)
        return b""

    def get(self, path: str, *headers: str, method: str = "GET") -> bytes:
        """A request with extra header lines, its path sent as it is."""
        lines = [f"{method} {path} HTTP/1.1", "Host: site.test", "Connection: close", *headers, "", ""]
        return self.raw("\r\n".join(lines).encode("latin-1"))


def everything(made: socket.socket) -> bytes:
    """All bytes until the other side closes."""
    found = bytearray()
    with contextlib.suppress(ConnectionError):
        while part := made.recv(65_536):
            found += part
    return bytes(found)


def status(answer: bytes) -> int:
    """The status of an answer; 0 where the server only closed."""
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0


@contextlib.contextmanager
def served(folder: Path, *options: str) -> Iterator[Served]:
    """A launched study's folder, served on a free port; under the usual umask."""
    import json

    log = folder.parent / f"{folder.name}.log"
    command = [
        sys.executable,
        "-m",
        "nlgauge",
        "study",
        "serve",
        str(folder),
        "--port",
        "0",
        "--json",
        *options,
    ]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONWARNINGS": "ignore"}
    with log.open("wb") as errors:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment,
            umask=0o022,
        )
    assert process.stdout is not None
    try:
        text, deadline = "", time.monotonic() + 30
        while not text.rstrip().endswith("}"):
            ready, _, _ = select.select([process.stdout], [], [], max(0.0, deadline - time.monotonic()))
            part = os.read(process.stdout.fileno(), 65_536).decode() if ready else ""
            assert part, f"the server did not start: {text} {log.read_text()}"
            text += part
        said = json.loads(text)
        port = int(said["base"].rpartition(":")[2].partition("/")[0]) if "--base" not in options else 0
        made = Served(
            folder, process, port, [link.partition("//")[2] for link in said["links"]], said["setup"] or "", log, text
        )
        _await(made)
        yield made
        for one in made.sockets:
            one.close()
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def _await(made: Served) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            if status(made.get("/health")) == 200:
                return
        time.sleep(0.05)
    raise AssertionError(f"the server does not answer: {made.log.read_text()}")
