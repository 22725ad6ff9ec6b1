"""Verdicts that were paid for, in a file that only grows: one JSON object a line, by the digest of what was asked.

The digest covers the judge's settings (model, prompt, parameters), the number of the sample, and everything on the
sheet in its order. A line that an interrupted run left half-written is passed over.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from nlgauge.errors import InputError
from nlgauge.lexicons.files import cache_folder
from nlgauge.study.design import digest
from nlgauge.study.judges.base import Choice, Judge, Sheet
from nlgauge.study.judges.sheets import sheet_values


class Verdicts:
    """The file, and what it holds."""

    def __init__(self, path: Path | None) -> None:
        self.path, self._lock = path, threading.Lock()
        self._answers: dict[str, Mapping[str, Any]] = {}
        self._unanswered: dict[str, list[Mapping[str, Any]]] = {}  # paid for, and no answer
        self.fresh: set[str] = set()  # asked in this run
        self._broken = False
        if path is not None and path.exists():
            self._read(path.read_bytes())

    def _read(self, content: bytes) -> None:
        self._broken = bool(content) and not content.endswith(b"\n")
        for line in content.split(b"\n"):
            try:
                entry = orjson.loads(line) if line.strip() else None
            except orjson.JSONDecodeError:
                continue
            if not isinstance(entry, dict) or "key" not in entry:
                continue
            if entry.get("answer") is None:
                self._unanswered.setdefault(entry["key"], []).append(entry)
            else:
                self._answers.setdefault(entry["key"], entry)

    def find(self, key: str) -> Choice | None:
        """An answer that was given before."""
        found = self._answers.get(key)
        if found is None:
            return None
        return Choice(
            found["answer"],
            found["client"],
            reason=found.get("reason", ""),
            replies=tuple(found["replies"]),
            scores=tuple(found["scores"]),
            probabilities=tuple(found["probabilities"]),
        )

    def replies(self, key: str) -> list[Mapping[str, Any]]:
        """Every reply to a question, also those that were no answer."""
        entries = [*self._unanswered.get(key, ()), *([self._answers[key]] if key in self._answers else [])]
        return [reply for entry in entries for reply in entry["replies"]]

    def add(self, key: str, choice: Choice) -> None:
        """Keep what was said, also where it was no answer: it was paid for all the same."""
        entry = {
            "key": key,
            "answer": choice.answer,
            "client": choice.client,
            "reason": choice.reason,
            "why_not": choice.why_not,
            "scores": choice.scores,
            "probabilities": choice.probabilities,
            "replies": [dict(reply) for reply in choice.replies],
        }
        with self._lock:
            self.fresh.add(key)
            if choice.answer is None:
                self._unanswered.setdefault(key, []).append(entry)
            else:
                self._answers[key] = entry
            if self.path is None:
                return
            line = b"\n" * self._broken + orjson.dumps(entry, option=orjson.OPT_APPEND_NEWLINE)
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with self.path.open("ab") as file:
                    file.write(line)
            except OSError as error:
                raise InputError(
                    f"{self.path}: the verdicts cannot be kept there ({error.strerror})"
                ) from None
            self._broken = False


def key_of(judge: Judge, sheet: Sheet, sample: int) -> str:
    """The digest of everything that is asked."""
    return digest({"settings": dict(judge.settings), "sample": sample, **sheet_values(sheet)})


def usual_place(judge: Judge) -> Path:
    """The file of a judge in the user's cache folder."""
    return cache_folder() / "verdicts" / f"{digest(dict(judge.settings))[:32]}.jsonl"
