"""The turns of a dialogue, as a source holds them: a list of texts, a list of mappings, or one turn a line.

Speakers are those that the mappings name, or that stand before a colon in every line (`User: Hello`); such labels are
taken off the turns and off a reply. Where nobody is named, two speakers take turns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nlgauge.errors import InputError

_LABEL = re.compile(r"([^\W\d][\w .'-]{0,30}):\s+")
_TEXTS = ("text", "utterance", "content")
MOST = 4  # distinct labels, above which a word before a colon is no speaker
EXPECTED = "a text with one turn a line, or a list of turns"


@dataclass(frozen=True)
class Turn:
    """What somebody said."""

    speaker: str
    text: str


@dataclass(frozen=True)
class Dialogue:
    """The turns before a reply, and the reply."""

    turns: tuple[Turn, ...]
    reply: Turn

    @property
    def own(self) -> tuple[str, ...]:
        """What the speaker of the reply has said before."""
        return tuple(turn.text for turn in self.turns if turn.speaker == self.reply.speaker)


def dialogue(source: Any, reply: str, where: str) -> Dialogue:
    """The dialogue of a source and a reply; what holds no turn is refused, with its place."""
    said = _said(source)
    if not said:
        found = "no source" if source is None else f"{str(source)[:60]!r} as its source"
        raise InputError(f"{where} has {found}; expected {EXPECTED}")
    texts = [text for _, text in said]
    labels = [name or (match[1] if (match := _LABEL.match(text)) else "") for name, text in said]
    if all(labels) and len(set(labels)) <= MOST:
        turns = tuple(
            Turn(label, text.removeprefix(f"{label}:").strip()) for label, text in zip(labels, texts, strict=True)
        )
        own = _LABEL.match(reply)
        if own and own[1] in labels:
            return Dialogue(turns, Turn(own[1], reply[own.end() :].strip()))
        others = [label for label in dict.fromkeys(labels) if label != labels[-1]]
        return Dialogue(turns, Turn(others[-1] if others else "", reply.strip()))
    alternate = tuple(Turn("ab"[(len(texts) - place) % 2], text) for place, text in enumerate(texts))
    return Dialogue(alternate, Turn("a", reply.strip()))


def _said(source: Any) -> list[tuple[str, str]]:
    """The speaker, where one is named, and the text of each turn that says something."""
    if isinstance(source, str):
        found = [("", line) for line in source.splitlines()]
    elif isinstance(source, Sequence):
        found = [_turn(turn) for turn in source]
    else:
        found = []
    return [(speaker, text.strip()) for speaker, text in found if text.strip()]


def _turn(turn: Any) -> tuple[str, str]:
    if isinstance(turn, Mapping):
        text = next((turn[name] for name in _TEXTS if isinstance(turn.get(name), str)), "")
        return str(turn.get("speaker", "")), text
    return "", turn if isinstance(turn, str) else ""
