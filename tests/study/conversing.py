"""A small chat study, and a small task, for tests of the engine and of the pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from nlgauge.study.file import study as design
from nlgauge.study.model import Evaluation
from nlgauge.study.protocols.chat.conversation import Conversation
from nlgauge.study.protocols.chat.file import chat_study
from nlgauge.study.protocols.task.layout import posed_about
from nlgauge.study.service import Service, launch
from nlgauge.study.store import Store, queries

KEY = "sk-very-secret-0123456789"
VARIABLE = "NLGAUGE_TEST_CHAT_KEY"
REPEATS = {"id": "avoiding-repetition", "wording": "quoted"}
OWN = {
    "id": "warmth",
    "definition": "The other side is friendly.",
    "question": "How friendly was the other side?",
    "scale": {"low": 0, "high": 100},
}


def chat(url: str = "http://127.0.0.1:9/v1", **changes: Any) -> dict[str, Any]:
    """A chat study file; a key set to None is left out."""
    bot = {"url": url, "key_env": VARIABLE, "timeout": 2, "retries": 0, "system_prompt": "You are {persona}."}
    values: dict[str, Any] = {
        "protocol": "chat",
        "title": "Talk and tell",
        "bots": {
            "secret-a": {**bot, "model": "tiny", "temperature": 0.5},
            "secret-b": {**bot, "model": "large"},
        },
        "goals": [
            {
                "id": "table",
                "goal": "Book a <table> for two.",
                "persona": "a waiter",
                "role": "A hungry guest.",
            },
            {"id": "bus", "goal": "Find the bus.", "persona": "a driver", "opening": "Where to?"},
        ],
        "conversation": {"min_turns": 2, "max_turns": 3, "longest_message": 50, "longest_reply": 200},
        "criteria": ["engagingness", REPEATS],
        "panels": {"users": {"judges": 2, "access": "links", "who": "end_user"}},
        "seed": 7,
    }
    return {key: value for key, value in (values | changes).items() if value is not None}


WHERE = {
    "id": "where",
    "text": "Where will it rain?",
    "type": "choice",
    "options": ["north", "south", "east", "west"],
    "answer": "south",
}
WHEN = {"id": "when", "text": "When?", "type": "text", "answer": "Tuesday", "accepted": ["on Tuesday"]}
WIND = {"id": "wind", "text": "How strong?", "type": "number", "answer": 12.5, "tolerance": 0.5}


def task(**changes: Any) -> dict[str, Any]:
    """A task's study file; a key set to None is left out."""
    values: dict[str, Any] = {
        "protocol": "task",
        "title": "What do these texts tell?",
        "subjects": {
            name: {"texts": [{"text": f"{name}: rain in the south, {k}", "item": f"i{k}"} for k in range(6)]}
            for name in ("secret-a", "secret-b")
        },
        "ask": [WHERE, WHEN, WIND],
        "panels": {"public": {"judges": 4, "access": "links"}},
        "seed": 7,
    }
    return {key: value for key, value in (values | changes).items() if value is not None}


def three(protocol: str, **changes: Any) -> dict[str, Any]:
    """A study of three systems and six items."""
    names = ("rules", "neural", "people")
    if protocol == "task":
        texts = {name: {"texts": [{"text": f"{name} {k}", "item": f"i{k}"} for k in range(6)]} for name in names}
        return task(subjects=texts, confidence=True, **changes)
    bots = {name: {"url": "http://127.0.0.1:9/v1", "model": name} for name in names}
    turns = {"min_turns": 1, "max_turns": 2}
    return chat(bots=bots, goals=[f"Talk about {k}." for k in range(6)], conversation=turns, **changes)


def task_answer(shown: Evaluation, number: int) -> dict[str, Any]:
    """An answer that a task takes, another for each number."""
    given: dict[str, Any] = {}
    for one in posed_about(shown.texts[0]):
        values = {"choice": number % max(1, len(one.options)), "text": f"day {number}", "number": number / 4}
        given[one.id] = {one.type: values[one.type]}
    return {"answers": given, "confidence": 1 + number % 5}


def chat_answer(service: Service, shown: Evaluation, number: int) -> dict[str, Any]:
    """A conversation, unless there was one, and an answer to it, another for each number."""
    study = chat_study(service.study)
    with service.store.read() as connection:
        found = queries.claim.one(connection, {"b_study": service.id, "b_claim": shown.claim})
    if not Conversation.of(service.turns.record_of(shown.claim), study).ended:
        for entry in (
            {"role": "judge", "text": f"Hello {number}"},
            {"role": "system", "text": "Hi"},
            {"role": "end"},
        ):
            service.turns.add_record(found.judge, shown.claim, lambda _, entry=entry: entry)
    asked = study.questions_asked
    ratings = {one.id: one.scale.values[(number + k) % len(one.scale.values)] for k, one in enumerate(asked)}
    return {"turns": service.turns.record_of(shown.claim), "ratings": ratings}


def write(folder: Path, values: dict[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(values, sort_keys=False, allow_unicode=True)
    (folder / design.FILE).write_text(text, encoding="utf-8")
    return folder


def launched(
    folder: Path, values: dict[str, Any], clock: Callable[[], float] | None = None, store: Store | None = None
) -> Service:
    write(folder, values)
    options = {} if clock is None else {"clock": clock}
    return launch(design.load(folder), folder, store or Store.memory(), **options)
