"""Classifiers that can be reckoned by hand, in place of trained ones, and a small set of articles and outputs.

The source `loud` writes in capitals, `calm` in small letters. HH matches two headlines that share a word, AH a headline
and an article where all words of the headline are in it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge.learned import compliancy

LOUD, CALM = "loud", "calm"


class Fake:
    """One classifier, which counts what it reads."""

    def __init__(self, name: str, labels: tuple[str, ...]) -> None:
        self.name, self.labels, self.read = name, labels, 0

    def probabilities(self, *texts: Sequence[str]) -> Any:
        """.9 for what it decides; the rest is shared."""
        self.read += len(texts[0])
        decided = [self._decided(*row) for row in zip(*texts, strict=True)]
        rest = 0.1 / (len(self.labels) - 1)
        return np.array([[0.9 if label == one else rest for label in self.labels] for one in decided])

    def _decided(self, first: str, second: str = "") -> str:
        if self.name == "main":
            if first.endswith("!") and "shrill" in self.labels:
                return "shrill"
            return LOUD if first.isupper() else CALM
        one, other = set(first.lower().split()), set(second.lower().split())
        fits = bool(one & other) if self.name == "hh" else bool(other) and other <= one
        return "match" if fits else "no match"


def classifiers(folder: Path, patch: pytest.MonkeyPatch, labels: tuple[str, ...] = (CALM, LOUD)) -> dict[str, Fake]:
    """A folder that is taken for what `nlgauge style train` writes."""
    fakes = {name: Fake(name, labels if name == "main" else ("match", "no match")) for name in ("main", "hh", "ah")}
    for name in fakes:
        (folder / name).mkdir(parents=True)
        (folder / name / "metric.json").write_text("{}", encoding="utf-8")
        (folder / name / "weights.safetensors").write_bytes(b"")
    patch.setattr(compliancy, "open_classifier", lambda path: fakes[path.name])
    compliancy._opened.cache_clear()
    return fakes


def article(name: str, source: str, headline: str, pair: str) -> dict[str, str]:
    """One of the articles: its text is its headline in small letters and a word more."""
    text = f"{headline.lower()} today"
    return {"id": name, "source": source, "headline": headline, "text": text, "pair": pair}


ARTICLES = [
    article("l1", LOUD, "FIRE AT PORT", "c1"),
    article("l2", LOUD, "MINISTER RESIGNS OFFICE", "c2"),
    article("l3", LOUD, "RIVER RISES", "c3"),
    article("c1", CALM, "fire at harbour", "l1"),
    article("c2", CALM, "minister leaves", "l2"),
    article("c3", CALM, "river swells", "l3"),
]


def outputs() -> list[dict[str, str]]:
    """Of four systems: a copy, only the style, only the content, and what is asked for."""
    rows = []
    for row in ARTICLES:
        source, headline = row["source"], row["headline"]
        target = CALM if source == LOUD else LOUD
        other = str.lower if source == LOUD else str.upper
        own = str.upper if source == LOUD else str.lower
        for system, text in (
            ("copy", headline),
            ("style-only", other("elsewhere nothing")),
            ("content-only", own(headline.split()[0])),
            ("good", other(headline)),
        ):
            rows.append({"id": row["id"], "direction": f"{source}>{target}", "system": system, "text": text})
    return rows


def write(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    """As JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
