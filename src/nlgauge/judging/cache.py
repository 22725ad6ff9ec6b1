"""Verdicts that were paid for, in a file that only grows: one JSON object a line, by the digest of what was asked.

The digest covers the judge's settings (model, prompt, parameters), the number of the sample, and everything on the
sheet in its order. A line that an interrupted run left half-written is passed over. While a question is asked, its
place in a file beside this one is locked (where the system has such locks, and until the process ends): another process
that would ask the same waits, and then reads the answer.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import orjson

from nlgauge.errors import InputError
from nlgauge.lexicons.digests import cache_folder
from nlgauge.study.file.study import digest
from nlgauge.study.machine_judges.base import Choice, Judge, Sheet
from nlgauge.study.machine_judges.sheets import sheet_values

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

POLL = 0.02  # seconds between two looks at a lock
FIELDS = {
    "key": str,
    "answer": dict | None,
    "client": str,
    "replies": list,
    "scores": list,
    "probabilities": list,
}


class Verdicts:
    """The file, and what it holds."""

    def __init__(self, path: Path | None) -> None:
        self.path, self._lock = path, threading.Lock()
        self._answers: dict[str, Mapping[str, Any]] = {}
        self._unanswered: dict[str, list[Mapping[str, Any]]] = {}  # paid for, and no answer
        self.fresh: set[str] = set()  # asked in this run
        self._broken = False
        self._until = 0  # bytes of the file that were read
        self._locks: int | None = None
        self._read()

    def _read(self) -> None:
        """What was added since the last look, by this process or by others."""
        if self.path is None or not self.path.exists() or self.path.stat().st_size == self._until:
            return
        with self.path.open("rb") as file:
            file.seek(self._until)
            content = file.read()
        *_, last = lines = content.split(b"\n")
        self._broken = bool(last)
        # a last line that is half-written may become whole: it is read again then
        self._until += len(content) - (len(last) if _entry(last) is None else 0)
        for entry in map(_entry, lines):
            if entry is None or entry["key"] in self.fresh:
                continue
            if entry["answer"] is None:
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

    @contextmanager
    def claimed(self, key: str) -> Iterator[None]:
        """While no other process asks the same; what was answered in the meantime is known inside."""
        if self.path is None or fcntl is None:
            yield
            return
        place = int(key[:15], 16)
        with self._lock:
            if self._locks is None:
                self._locks = _opened_locks(self.path)
        _wait_for(self._locks, place)
        try:
            with self._lock:
                self._read()
            yield
        finally:
            with suppress(OSError):
                fcntl.lockf(self._locks, fcntl.LOCK_UN, 1, place)

    def close(self) -> None:
        """Let go of the locks."""
        if self._locks is not None:
            os.close(self._locks)
            self._locks = None

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
            with _kept(self.path):
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with self.path.open("ab") as file:
                    file.write(line)
            self._broken = False


def _opened_locks(path: Path) -> int:
    """The file whose bytes are locked, each for a question."""
    with _kept(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o666)


def _wait_for(locks: int, place: int) -> None:
    """Until no other process holds the lock. One that blocks would be refused as a deadlock where threads of two
    processes wait for each other's."""
    while True:
        try:
            fcntl.lockf(locks, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
        except (BlockingIOError, PermissionError):
            time.sleep(POLL)
        except OSError:  # a file system without locks
            return
        else:
            return


@contextmanager
def _kept(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: the verdicts cannot be kept there ({error.strerror})") from None


def _entry(line: bytes) -> dict[str, Any] | None:
    """What a line holds that `Verdicts.add` wrote; None of one that is damaged."""
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    whole = isinstance(found, dict) and all(
        name in found and isinstance(found[name], kind) for name, kind in FIELDS.items()
    )
    return found if whole else None


def key_of(judge: Judge, sheet: Sheet, sample: int) -> str:
    """The digest of everything that is asked."""
    return digest({"settings": dict(judge.settings), "sample": sample, **sheet_values(sheet)})


def usual_place(judge: Judge) -> Path:
    """The file of a judge in the user's cache folder."""
    return cache_folder() / "verdicts" / f"{digest(dict(judge.settings))[:32]}.jsonl"
