"""A log of JSON lines that a run can go on from: the first line says what it is a log of."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError
from nlgauge.io import atomic_path
from nlgauge.learned.comparator import Written


class Journal:
    """Lines appended one by one; a last line that was cut off by an interruption is dropped."""

    def __init__(self, path: str | Path, settings: Mapping[str, Any]) -> None:
        self._path, self._settings = Path(path), dict(settings)
        self.lines: list[dict[str, Any]] = []
        if self._path.exists():
            self.lines = self._read()
        self.rewrite(self.lines)

    def append(self, line: Mapping[str, Any]) -> None:
        """One more line, on the disk before the run goes on."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def rewrite(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """These lines in place of all."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(self._path) as made, made.open("w", encoding="utf-8") as file:
            for line in (self._settings, *lines):
                file.write(json.dumps(line) + "\n")

    def _read(self) -> list[dict[str, Any]]:
        found = []
        whole, end, rest = self._path.read_text(encoding="utf-8", errors="replace").rpartition("\n")
        if not end and not json.dumps(self._settings).startswith(rest):
            raise InputError(f"{self._path} exists already and is no log; give a new file")
        for number, line in enumerate(whole.split("\n") if end else (), start=1):
            try:
                found.append(json.loads(line))
            except ValueError:
                raise InputError(
                    f"{self._path}:{number} is no line of a log; give a new file, or leave this one as it was written"
                ) from None
        if not found:
            return []
        told = found[0] if isinstance(found[0], dict) else {}
        other = [key for key, value in self._settings.items() if told.get(key) != value]
        if other:
            words = ", ".join(f"{key} was {told.get(key)!r}" for key in other)
            raise InputError(f"{self._path} is the log of another run ({words}); give a new file, or the same settings")
        return found[1:]


def written(texts: Iterable[Written]) -> list[list[str]]:
    """Texts for a line."""
    return [[text.text, text.context] for text in texts]


def texts_of(line: Iterable[Iterable[str]]) -> tuple[Written, ...]:
    """And back."""
    return tuple(Written(*text) for text in line)
