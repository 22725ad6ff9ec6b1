"""A language model behind an OpenAI-compatible address (`…/v1/chat/completions`) as a judge, by the standard library.

Requests that fail for a while (429, 5xx, no connection, no reply in time) are made again with growing pauses, or after
the time that `Retry-After` names. Anything else is one sentence, and the run stops; what was answered is stored.
Redirections are not followed, because the key would go with them. The key stands in no log and no message.
"""

from __future__ import annotations

import email.utils
import http.client
import ipaddress
import json
import math
import os
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol
from urllib.parse import SplitResult, urlsplit, urlunsplit

from nlgauge import __version__
from nlgauge.errors import InputError, option
from nlgauge.study.machine_judges.base import Choice, Sheet

PASSING = (408, 429)  # with all from 500 on: states that may pass; a wrong key or an unknown model will not
LARGEST = 1_048_576  # bytes of a reply that are read
KEPT = 20_000  # characters of a reply that go into the log
LONGEST_PAUSE = 60.0
LONGEST_ASKED_PAUSE = 300.0  # a server that asks for more is better asked again another day
Messages = Sequence[Mapping[str, str]]


class Prompting(Protocol):
    """What is asked about a sheet, and how a reply is read."""

    @property
    def digest(self) -> str:
        """SHA-256 of everything that is said but for the texts."""

    @property
    def reminder(self) -> str:
        """What is said after a reply that cannot be read."""

    def messages(self, sheet: Sheet) -> list[dict[str, str]]:
        """The conversation that opens with a sheet."""

    def read(self, content: str, sheet: Sheet) -> tuple[Any, str] | None:
        """The answer and the reason stated; None where that cannot be read."""

    def to_dict(self) -> dict[str, Any]:
        """As it is stored with a run."""


class EndpointError(InputError):
    """The address cannot be used; the message never holds the key."""


class NoReplyError(EndpointError):
    """No usable reply however often it was asked for; another request may have one."""

    def __init__(self, cause: str, remedy: str, failures: Sequence[str]) -> None:
        super().__init__(cause, remedy)
        self.failures = tuple(failures)


class _Passing(Exception):  # noqa: N818 - a state, not a fault
    """A failure that may pass, with the pause that the server asks for."""

    def __init__(self, said: str, kind: str, pause: float | None = None) -> None:
        super().__init__(said)
        self.kind, self.pause = kind, pause


class _NoRedirection(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


@dataclass(frozen=True)
class Reply:
    """What came back from one request."""

    content: str
    raw: str  # the body as received, at most `KEPT` characters of it
    refused: bool = False
    whole: bool = True  # False: longer than is read
    model: str = ""
    finish: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    tries: int = 1
    failures: tuple[str, ...] = ()  # kinds of those that came before: HTTP 429, timeout …


class Endpoint:
    """The address of a model."""

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str = "",
        timeout: float = 60.0,
        retries: int = 5,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._parts = checked_address(url)
        self.model, self.timeout, self.retries = model, timeout, retries
        self._key, self._sleep, self._random = key.strip(), sleep, Random()
        if not all(" " < sign <= "~" for sign in self._key):
            raise InputError("the key holds characters that cannot be sent; check the environment variable")
        handlers: list[urllib.request.BaseHandler] = [_NoRedirection()]
        if _is_local(self._parts.hostname or ""):
            handlers.append(urllib.request.ProxyHandler({}))
        self._opener = urllib.request.build_opener(*handlers)

    @property
    def shown(self) -> str:
        """The address as it may be logged: without what follows the path, where keys may stand."""
        host = self._parts.netloc.rpartition("@")[2]
        return urlunsplit((self._parts.scheme, host, self._parts.path, "", ""))

    def complete(self, messages: Messages, parameters: Mapping[str, Any]) -> Reply:
        """One reply of the model, however often it must be asked for."""
        body = json.dumps({"model": self.model, "messages": list(messages), **parameters}).encode()
        begun, said = time.monotonic(), ""
        failures: list[str] = []
        for attempt in range(self.retries + 1):
            try:
                return self._read(self._post(body), time.monotonic() - begun, failures)
            except _Passing as failure:
                said = str(failure)
                failures.append(failure.kind)
                pause = failure.pause
                if pause is not None and pause > LONGEST_ASKED_PAUSE:
                    raise EndpointError(
                        f"{self.shown} asks to wait {pause:,.0f} seconds ({said})",
                        "run the judge again after that, it goes on where it stopped",
                    ) from None
            if attempt < self.retries:
                grown = min(LONGEST_PAUSE, 2.0**attempt) * self._random.uniform(0.75, 1.25)
                self._sleep(grown if pause is None else pause)
        raise NoReplyError(
            f"{self.shown} gave no usable reply in {self.retries + 1} attempts (the last: {said})",
            "what was answered is stored, and the same command goes on from there",
            failures,
        )

    def _post(self, body: bytes) -> tuple[bytes, bool]:
        """The body of a good reply, and whether it is whole."""
        parts = self._parts._replace(path=self._parts.path.rstrip("/") + "/chat/completions")
        headers = {"Content-Type": "application/json", "User-Agent": f"nlgauge/{__version__}"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(urlunsplit(parts), data=body, headers=headers, method="POST")
        try:
            with self._opener.open(request, timeout=self.timeout) as response:
                return self._take(response, LARGEST)
        except urllib.error.HTTPError as error:
            with error:
                raise self._failure(error) from None
        except urllib.error.URLError as error:
            raise self._unreached(error.reason) from None
        except (OSError, http.client.HTTPException) as error:
            raise self._unreached(error) from None

    def _take(self, response: Any, most: int) -> tuple[bytes, bool]:
        """Read to the end, for no longer than the timeout and no more than allowed."""
        deadline, got = time.monotonic() + self.timeout, bytearray()
        while chunk := response.read1(65_536):
            got += chunk
            if len(got) > most:
                return bytes(got[:most]), False
            if time.monotonic() > deadline:
                raise TimeoutError("the reply came too slowly")
        return bytes(got), True

    def _failure(self, error: urllib.error.HTTPError) -> Exception:
        try:
            body, _ = self._take(error, 65_536)
        except (OSError, http.client.HTTPException):
            body = b""
        said = _message(self._scrubbed(body.decode("utf-8", "replace")))
        told = f"HTTP {error.code}{f': {said}' if said else ''}"
        if error.code in PASSING or error.code >= 500:
            return _Passing(told, f"HTTP {error.code}", _asked_pause(error.headers.get("Retry-After")))
        if 300 <= error.code < 400:
            cause = f"{self.shown} sends requests on to another address (HTTP {error.code})"
            return EndpointError(cause, f"give that address with {option('url')}")
        remedy = f"check the key ({option('key_env')})" if error.code in (401, 403) else ""
        if error.code == 404:
            remedy = f"check {option('url')} (it usually ends in /v1) and {option('model')}"
        return EndpointError(f"{self.shown} refused the request ({told})", remedy)

    def _unreached(self, reason: object) -> Exception:
        if isinstance(reason, TimeoutError):
            return _Passing(f"no reply within {self.timeout:g} seconds", "timeout")
        said = self._scrubbed(str(getattr(reason, "strerror", None) or reason))[:200]
        if isinstance(reason, ssl.SSLCertVerificationError):
            return EndpointError(f"{self.shown} does not show a valid certificate ({said})")
        return _Passing(f"no connection: {said}", "no connection")

    def _read(self, received: tuple[bytes, bool], seconds: float, failures: Sequence[str]) -> Reply:
        body, whole = received
        raw = self._scrubbed(body.decode("utf-8", "replace"))
        common: dict[str, Any] = {"raw": raw[:KEPT], "seconds": seconds}
        common |= {"tries": len(failures) + 1, "failures": tuple(failures)}
        if not whole:
            return Reply("", whole=False, **common)
        try:
            value = json.loads(raw)
            choice = value["choices"][0]
            message = choice["message"]
            content = message.get("content")
            refused = bool(message.get("refusal")) or choice.get("finish_reason") == "content_filter"
        except (ValueError, RecursionError, KeyError, IndexError, TypeError, AttributeError):
            raise _Passing("the reply is not a chat completion in JSON", "no completion") from None
        usage = value.get("usage")
        return Reply(
            self._scrubbed(_text(content)),
            refused=refused,
            model=str(value.get("model") or "")[:200],
            finish=str(choice.get("finish_reason") or "")[:50],
            usage=usage if isinstance(usage, dict) else {},
            **common,
        )

    def _scrubbed(self, text: str) -> str:
        return text.replace(self._key, "[key]") if self._key else text


class Asked:
    """A language model as a judge."""

    def __init__(
        self,
        endpoint: Endpoint,
        prompt: Prompting,
        *,
        parameters: Mapping[str, Any] | None = None,
        side_by_side: int = 1,
    ) -> None:
        self.endpoint, self.prompt = endpoint, prompt
        self.parameters = dict({"temperature": 0} if parameters is None else parameters)
        self.side_by_side = side_by_side

    @property
    def settings(self) -> Mapping[str, Any]:
        """Model, prompt and parameters; where it is reached is a circumstance."""
        asked = {"model": self.endpoint.model, "prompt_sha256": self.prompt.digest, "parameters": self.parameters}
        return {"judge": "openai", **asked}

    @property
    def circumstances(self) -> Mapping[str, Any]:
        """Where the model is reached, and the prompt in full."""
        return {"url": self.endpoint.shown, "prompt": self.prompt.to_dict(), "at_once": self.side_by_side}

    def prepare(self, sheets: Sequence[Sheet]) -> None:
        """Nothing to prepare."""

    def decide(self, sheet: Sheet) -> Choice:
        """Ask, and once more where the reply cannot be read."""
        messages = self.prompt.messages(sheet)
        replies: list[dict[str, Any]] = []
        why_not = ""
        for _ in range(2):
            reply = self.endpoint.complete(messages, self.parameters)
            found = None if reply.refused or not reply.whole else self.prompt.read(reply.content, sheet)
            why_not = "" if found else "refused" if reply.refused else "unreadable"
            replies.append(_logged(reply, why_not or "answered"))
            if found is not None:
                return Choice(found[0], self._client(reply), reason=found[1], replies=tuple(replies))
            said = [{"role": "assistant", "content": reply.content}] if reply.content else []
            messages = [*messages, *said, {"role": "user", "content": self.prompt.reminder}]
        return Choice(None, self._client(reply), why_not=why_not, replies=tuple(replies))

    def _client(self, reply: Reply) -> str:
        told = f" (as {reply.model})" if reply.model and reply.model != self.endpoint.model else ""
        return f"openai {self.endpoint.model}{told}; prompt {self.prompt.digest[:12]}"


def key_from(variable: str | None) -> str:
    """The key in an environment variable; one that is named must be there, the usual one need not."""
    found = os.environ.get(variable or "OPENAI_API_KEY", "")
    if variable is not None and not found.strip():
        raise InputError(f"the environment variable {variable} is empty or not set; put the key there")
    return found


def _logged(reply: Reply, outcome: str) -> dict[str, Any]:
    names = ("raw", "whole", "model", "finish", "usage", "seconds", "tries")
    told = {"outcome": outcome, **{name: getattr(reply, name) for name in names}}
    told |= {"whole": reply.whole and len(reply.raw) < KEPT, "usage": _plain(reply.usage)}
    return told | {"seconds": round(reply.seconds, 3), "failures": list(reply.failures)}


def _text(content: Any) -> str:
    """What a message says: a text, or the parts of one, as models that think aloud give it."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _plain(usage: Mapping[str, Any]) -> dict[str, int]:
    """Token counts only: what else a server puts there is in the raw reply."""
    return {str(k): v for k, v in usage.items() if isinstance(v, int) and not isinstance(v, bool) and 0 <= v < 2**53}


def checked_address(url: str, called: str = "--url", key_in: str = "--key-env") -> SplitResult:
    """The parts of an address that requests may be sent to; `called` and `key_in` are the options of a refusal."""
    try:
        parts = urlsplit(url.strip())
        _ = parts.port
    except ValueError:
        parts = SplitResult("", "", "", "", "")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"{called} needs an address such as http://127.0.0.1:8080/v1 or https://host/v1")
    if parts.username is not None or parts.password is not None:
        raise InputError(f"{called} holds a name or password; put the key in an environment variable ({key_in})")
    if any(sign <= " " for sign in url.strip()):
        raise InputError(f"{called} holds a space; give the address as it is written in a browser")
    return parts._replace(path=parts.path.rstrip("/").removesuffix("/chat/completions"), fragment="")


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _message(text: str) -> str:
    """The server's own words, shortened."""
    try:
        value = json.loads(text)
        found = value.get("error", value) if isinstance(value, dict) else value
        text = str(found.get("message", found) if isinstance(found, dict) else found)
    except (ValueError, RecursionError):
        pass
    text = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return text if len(text) <= 200 else f"{text[:200]}…"


def _asked_pause(value: str | None) -> float | None:
    """Seconds of a `Retry-After` header, which holds a number or a date."""
    if not value:
        return None
    try:
        seconds = float(value)
        return max(0.0, seconds) if math.isfinite(seconds) else None
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError):
        return None
