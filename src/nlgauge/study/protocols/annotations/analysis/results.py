"""What is found of annotations beyond the ratings of what was measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nlgauge.jsonable import plain
from nlgauge.stats.results import Estimate


@dataclass(frozen=True)
class Mark:
    """One judge's error in a text that is shown as an example."""

    start: int
    end: int
    severity: str
    category: str
    judge: str
    note: str = ""


@dataclass(frozen=True)
class Example:
    """An output with what judges did to it: errors marked, or the texts they made of it."""

    item: str
    system: str
    text: str
    marks: tuple[Mark, ...] = ()
    missing: tuple[Mark, ...] = ()  # what the output lacks
    edited: tuple[tuple[str, str], ...] = ()  # judge and text

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "item": self.item,
            "system": self.system,
            "text": self.text,
            "marks": [vars(span) for span in self.marks],
            "missing": [vars(mark) for mark in self.missing],
            "edited": [{"judge": judge, "text": text} for judge, text in self.edited],
        }


@dataclass(frozen=True)
class Edited:
    """What was edited: figures of each system, from the fewest edits, and examples."""

    systems: Mapping[str, Mapping[str, Any]]
    examples: tuple[Example, ...]

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "annotations": {"systems": plain(self.systems)},
            "examples": [example.to_dict() for example in self.examples],
        }


@dataclass(frozen=True)
class Marked:
    """What was marked: errors by system, category and severity, agreement on them, and examples.

    `names` and `severities` are what judges read of the categories and severities; `why` says what cannot be told of
    agreement.
    """

    weights: Mapping[str, float]
    per: str
    names: Mapping[str, str]
    severities: Mapping[str, str]
    errors: tuple[Mapping[str, Any], ...]
    agreement: Mapping[str, Estimate]
    why: tuple[str, ...]
    examples: tuple[Example, ...]

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        named = ("weights", "per", "names", "severities", "errors", "agreement")
        return {
            "annotations": {name: plain(getattr(self, name)) for name in named},
            "examples": [example.to_dict() for example in self.examples],
        }
