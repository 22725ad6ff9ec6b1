"""Wordings of questions and instructions with what is wrong with them, if anything: what the reader learns from.

A file has one JSON object a line: `text`, `biased`, and `kind`, one of `KINDS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson

from nlgauge.errors import InputError
from nlgauge.io.files import readable

KINDS = (
    "neutral",
    "comparative",
    "loaded",
    "leading",
    "presupposition",
    "double",
    "negated",
    "unbalanced",
    "unlabelled",
    "identity",
    "hypothesis",
    "pay",
    "trait",
    "answers-visible",
    "preset",
    "authority",
    "example",
    "pressure",
)


@dataclass(frozen=True)
class Wording:
    """A wording and the place of its kind in `KINDS`; 0 is a neutral one."""

    text: str
    kind: int


def read_wordings(paths: Iterable[str | Path]) -> list[Wording]:
    """Every distinct wording of the files."""
    found: dict[str, Wording] = {}
    for path in paths:
        for wording in _wordings(Path(path)):
            found.setdefault(wording.text, wording)
    if not found:
        raise InputError("there is no wording to learn from; give files of JSON lines with text, biased and kind")
    return list(found.values())


def _wordings(path: Path) -> Iterator[Wording]:
    with readable(path), path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = orjson.loads(line)
                text, kind = str(row["text"]), str(row["kind"]) if row["biased"] else KINDS[0]
            except (orjson.JSONDecodeError, KeyError, TypeError) as error:
                raise InputError(
                    f"{path}, line {number}: expected a JSON object with text, biased and kind ({error})"
                ) from None
            if kind not in KINDS:
                raise InputError(f"{path}, line {number}: no kind is called {kind}; there are {', '.join(KINDS)}")
            yield Wording(text, KINDS.index(kind))
