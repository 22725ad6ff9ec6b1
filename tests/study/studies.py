"""A small study, and a clock that stands still until told otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from nlgauge.study.file import study
from nlgauge.study.service import Service, launch
from nlgauge.study.store import Store


class Clock:
    """Seconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now

    def minutes(self, number: float) -> None:
        self.now += 60 * number


def description(**changes: Any) -> dict[str, Any]:
    """A study file with some keys changed; a key set to None is left out."""
    values: dict[str, Any] = {
        "protocol": "triangle",
        "title": "Who wrote it?",
        "goal": "difference",
        "risks": {"alpha": 0.05, "beta": 0.05, "p_d": 0.5},
        "subjects": {
            "A": {"texts": [f"The {k}th forecast: rain." for k in range(12)]},
            "B": {"texts": [f"Forecast {k} says rain." for k in range(12)]},
        },
        "question": "Which text was written by a different author?",
        "panels": {"public": {"judges": 12, "access": "open"}},
        "seed": 7,
    }
    return {key: value for key, value in (values | changes).items() if value is not None}


def write(folder: Path, **changes: Any) -> Path:
    folder.mkdir(exist_ok=True)
    text = yaml.safe_dump(description(**changes), sort_keys=False, allow_unicode=True)
    (folder / study.FILE).write_text(text, encoding="utf-8")
    return folder


def launched(folder: Path, clock: Callable[[], float], store: Store | None = None, **changes: Any) -> Service:
    write(folder, **changes)
    return launch(study.load(folder), folder, store or Store.memory(), clock=clock)
