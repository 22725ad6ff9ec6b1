"""An OpenAI-compatible endpoint on this machine that answers as a test tells it to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """What the endpoint sends back."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


def completion(content: str | None, **message: Any) -> Answer:
    """A chat completion with this content."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content, **message},
        "finish_reason": "stop",
    }
    value = {"model": "tiny-2026", "choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 3}}
    return Answer(json.dumps(value).encode())


def failure(status: int, message: str = "not now", **headers: str) -> Answer:
    """An error as such servers put it."""
    return Answer(json.dumps({"error": {"message": message}}).encode(), status, headers)


@dataclass
class Seen:
    """A request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    raw: str

    @property
    def user(self) -> str:
        return str(next(m["content"] for m in self.body["messages"] if m["role"] == "user"))


@dataclass
class Fake:
    url: str
    requests: list[Seen]


@contextmanager
def endpoint(behave: Callable[[Seen, int], Answer]) -> Iterator[Fake]:
    """A server that calls `behave` with each request and its number, from 0."""
    requests: list[Seen] = []
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"])).decode()
            seen = Seen(self.path, dict(self.headers), json.loads(raw), raw)
            with lock:
                requests.append(seen)
                number = len(requests) - 1
            answer = behave(seen, number)
            try:
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)
            except OSError:  # the client has gone: it hung up on a slow or huge reply
                pass

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.block_on_close = False
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield Fake(f"http://127.0.0.1:{server.server_address[1]}/v1", requests)
    finally:
        server.shutdown()
        server.server_close()
