"""The vocabulary of the review: wordings that judges read, and remarks about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["line", "question", "instructions", "definition", "title", "consent", "labels", "example"]
"""What a wording is for. A `line` of a file may be anything that judges read; a `definition` says what a criterion is,
in a sentence that would be a claim anywhere else (“The text is easy to read.”); `labels` are the points of one scale,
parted by “ / ”; an `example` is a text shown as an example, which is compared and not read for its wording."""


@dataclass(frozen=True)
class Piece:
    """One wording with its place."""

    text: str
    role: Role = "line"
    line: int = 0  # of the file, counted from 1; 0: none in particular
    key: str = ""  # of a study file, for example “criteria.2.question”
    file: str = ""
    language: str = "en"
    labelled: bool = False  # the points of its scale are worded elsewhere


@dataclass(frozen=True)
class Remark:
    """Something in a wording that may steer judges."""

    kind: str  # for example “comparison”, “double-barrelled”, “pay”
    bias: str  # framing, demand characteristics, anchoring, presentation
    words: str  # those concerned
    reason: str
    paper: str
    rewording: str  # a neutral wording that the review finds nothing in, or advice
    text: str = ""  # the wording reviewed
    line: int = 0
    key: str = ""
    file: str = ""
    language: str = "en"
    figures: Mapping[str, Any] = field(default_factory=dict)
    advice: bool = True  # whether `rewording` is advice

    @property
    def remedy(self) -> str:
        """What to do, as a sentence."""
        return self.rewording if self.advice else f"Instead: {self.rewording}"

    def __str__(self) -> str:
        place = ", ".join(filter(None, [self.file, f"line {self.line}" if self.line else "", self.key]))
        found = f"{self.kind} “{self.words}”: {self.reason} ({self.paper}). {self.remedy}"
        return f"{place}: {found}" if place else found

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "line": self.line,
            "kind": self.kind,
            "text": self.text,
            "reason": self.reason,
            "rewording": self.rewording,
            "advice": self.advice,
            "bias": self.bias,
            "words": self.words,
            "paper": self.paper,
            "file": self.file,
            "key": self.key,
            "language": self.language,
            "figures": dict(self.figures),
        }
