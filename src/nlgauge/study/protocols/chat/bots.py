"""The systems as the server calls them, by the client that machine judges use, and scripted ones for rehearsals.

An address comes from the frozen study file and from nowhere else; the key from an environment variable of the server,
when it is needed. Neither is in anything that is shown to a judge, stored or logged.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from nlgauge.errors import InputError
from nlgauge.study.checks.findings import Finding
from nlgauge.study.machine_judges.endpoint import Endpoint, key_from
from nlgauge.study.model import Text, clean
from nlgauge.study.protocols.chat.conversation import FAILURE, JUDGE, SYSTEM, Conversation
from nlgauge.study.protocols.chat.file import Bot, ChatStudy, chat_study

if TYPE_CHECKING:
    from nlgauge.study.service import Service

CALL = 20.0  # seconds that `study check` waits for a system
LONGEST_PAUSE = 5.0  # seconds between two requests, whatever the address asks for: a person waits
LONGEST_FAULT = 500  # characters of what is logged about a failure
SCRIPT = (
    "I see.",
    "Could you tell me more about that?",
    "That is a good question.",
    "Let me put it this way.",
)
Reply = Callable[[Text, Conversation], dict[str, Any]]


class Bots:
    """The systems of a study."""

    def __init__(self, service: Service) -> None:
        self.service, self.study = service, chat_study(service.study)
        self._lock = threading.Lock()
        self._busy: set[str] = set()

    @contextmanager
    def alone(self, claim: str) -> Iterator[bool]:
        """One request at a time for a conversation, in however many windows it is open; says whether this is it."""
        with self._lock:
            free = claim not in self._busy
            self._busy.add(claim)
        try:
            yield free
        finally:
            if free:
                with self._lock:
                    self._busy.discard(claim)

    def ask(self, judge: str, claim: str) -> None:
        """Ask for the reply that a conversation lacks, and store it, or that it did not come."""
        with self.alone(claim) as free:
            if not free:
                return
            before = Conversation.of(self.service.turns.record(judge, claim), self.study)
            if not before.may_ask:
                return
            (text,) = self.service.answers.shown(judge, claim).texts
            entry = self.reply(text, before)
            self.service.turns.add_record(judge, claim, lambda record: self._fitting(record, before, entry))

    def _fitting(
        self, record: list[dict[str, Any]], before: Conversation, entry: dict[str, Any]
    ) -> dict[str, Any] | None:
        """The reply, unless another came meanwhile through another server or the conversation was ended."""
        now = Conversation.of(record, self.study)
        return entry if now.waiting and not now.ended and now.sent == before.sent else None

    def reply(self, text: Text, said: Conversation) -> dict[str, Any]:
        """What a system says next, or why it says nothing; in a rehearsal nobody is asked."""
        if self.service.context.simulated:
            return scripted(text, said)
        bot = self.study.bots[text.subject]
        begun = time.monotonic()
        try:
            found = endpoint(bot, timeout=bot.timeout, retries=bot.retries).complete(
                said.messages(prompt_of(bot, text), str(text.beside.get("opening", ""))), _parameters(bot)
            )
        except InputError as error:
            return _failure(error.cause, time.monotonic() - begun)
        words = clean(found.content).strip()
        if not words or not found.whole:
            why = "too long" if not found.whole else "refused" if found.refused else "empty"
            return _failure(f"the reply was {why}", time.monotonic() - begun)
        longest = self.study.conversation.longest_reply
        entry: dict[str, Any] = {"role": SYSTEM, "text": words[:longest], "seconds": round(found.seconds, 3)}
        entry |= {"model": clean(found.model), "tries": found.tries, "finish": clean(found.finish)}
        return entry | ({"cut": len(words)} if len(words) > longest else {})


def endpoint(bot: Bot, *, timeout: float, retries: int) -> Endpoint:
    """The address of a system."""
    key = key_from(bot.key_env) if bot.key_env else ""
    return Endpoint(
        bot.url,
        bot.model,
        key=key,
        timeout=timeout,
        retries=retries,
        sleep=lambda seconds: time.sleep(min(seconds, LONGEST_PAUSE)),
    )


def call(study: ChatStudy, text: Text, lines: Mapping[str, int]) -> Iterator[Finding]:
    """Whether each system answers a first message, once and within `CALL` seconds; nothing is stored."""
    for name, bot in study.bots.items():
        line = lines.get(f"bots.{name}", 0)
        said = [{"role": "system", "content": prompt_of(bot, text)}] if bot.system_prompt else []
        try:
            found = endpoint(bot, timeout=min(bot.timeout, CALL), retries=0).complete(
                [*said, {"role": "user", "content": "Hello."}], _parameters(bot)
            )
        except InputError as error:
            yield Finding(
                "risk",
                "calls",
                f"{name} does not answer: {error.cause}; judges would wait for nothing",
                line,
                {"answers": False},
            )
        else:
            yield Finding(
                "note",
                "calls",
                f"{name} answered a first message in {found.seconds:.1f} s (model {clean(found.model) or bot.model})",
                line,
                {"answers": True, "seconds": round(found.seconds, 3)},
            )


def prompt_of(bot: Bot, text: Text) -> str:
    """What a system is told first."""
    held: Mapping[str, Any] = {"goal": text.text, "role": "", "persona": "", **text.beside}
    prompt = bot.system_prompt
    for name in ("goal", "role", "persona"):
        prompt = prompt.replace(f"{{{name}}}", str(held[name]))
    return prompt


def scripted(text: Text, said: Conversation) -> dict[str, Any]:
    """What a system says in a rehearsal: the same for the same place in the same conversation."""
    return {"role": SYSTEM, "text": SCRIPT[said.replies % len(SCRIPT)], "seconds": 0.0, "model": "scripted"}


def message(text: str, number: int) -> Callable[[Conversation], dict[str, Any] | None]:
    """A judge's message, unless it came before or it is not the judge's turn."""
    entry = {"role": JUDGE, "text": clean(text).strip()}
    return lambda said: entry if said.may_say and said.sent == number else None


def _parameters(bot: Bot) -> dict[str, Any]:
    found: dict[str, Any] = {"max_tokens": bot.max_tokens}
    return found if bot.temperature is None else found | {"temperature": bot.temperature}


def _failure(why: str, seconds: float) -> dict[str, Any]:
    return {"role": FAILURE, "why": clean(why)[:LONGEST_FAULT], "seconds": round(seconds, 3)}
