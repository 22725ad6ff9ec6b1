"""Who the judges were, as they said themselves: counts of options and medians, panel by panel.

Whoever gave an answer that a reader of the result relies on is described, and nobody else. Judges who were forgotten
are left out: what they said was erased. Answers in words could name a person, so only their number is told.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nlgauge.errors import counted
from nlgauge.study.design import Question, say

FEW = 5  # numbers of which no quartiles are told: they would be those of single judges


@dataclass(frozen=True)
class Answered:
    """What the judges of a panel answered to one question about themselves."""

    question: str
    text: str
    kind: str  # choice, number or text
    given: int  # how many answered
    missing: int  # and how many did not
    counts: tuple[tuple[str, int], ...] = ()  # of a choice: every option in its order
    median: float | None = None  # of numbers
    quartiles: tuple[float, float] | None = None

    @property
    def rows(self) -> list[tuple[str, int]]:
        """What was answered in words, and by how many."""
        if self.kind == "choice":
            found = list(self.counts)
        elif self.kind == "text":
            found = [("in words, not shown", self.given)]
        elif self.median is None:
            found = []
        else:
            ends = (
                ""
                if self.quartiles is None
                else f", quartiles {self.quartiles[0]:g} and {self.quartiles[1]:g}"
            )
            found = [(f"median {self.median:g}{ends}", self.given)]
        return [*found, *([("no answer", self.missing)] if self.missing else [])]

    @property
    def told(self) -> list[str]:
        """The same as parts of a sentence: of options their names and counts, of numbers how many there were."""
        return [
            f"{answer} of {counted(number, 'answer')}"
            if self.kind == "number" and place == 0 and self.median is not None
            else f"{answer} {number:,}"
            for place, (answer, number) in enumerate(self.rows)
        ]

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "question": self.question,
            "text": self.text,
            "type": self.kind,
            "answers": self.given,
            "no_answer": self.missing,
            "counts": [{"option": option, "judges": number} for option, number in self.counts],
            "median": self.median,
            "quartiles": None if self.quartiles is None else list(self.quartiles),
        }


@dataclass(frozen=True)
class Sample:
    """The judges of one panel who gave answers and were not forgotten."""

    panel: str
    judges: int
    questions: tuple[Answered, ...]

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form."""
        return {
            "panel": self.panel,
            "judges": self.judges,
            "questions": [one.to_dict() for one in self.questions],
        }


def samples(
    questions: Sequence[Question],
    judges: Iterable[Mapping[str, Any]],
    said: Mapping[str, Mapping[str, str]],
    *,
    language: str,
) -> tuple[Sample, ...]:
    """From the judges' rows and what each said; empty where nothing was asked."""
    if not questions:
        return ()
    by_panel: dict[str, list[Mapping[str, str]]] = {}
    for row in judges:
        known = row["access"] not in ("machine", "import")  # an export of answers holds nothing personal
        if known and row["answered"] and row["forgotten_at"] is None:
            by_panel.setdefault(row["panel"], []).append(said.get(row["id"], {}))
    return tuple(
        Sample(panel, len(own), tuple(_answered(question, own, language) for question in questions))
        for panel, own in by_panel.items()
    )


def _answered(question: Question, own: Sequence[Mapping[str, str]], language: str) -> Answered:
    given = [one[question.id] for one in own if question.id in one]
    name, text = question.id, say(question.text, language)
    if question.type == "choice":
        times = Counter(map(int, given))
        counts = tuple((say(option, language), times[place]) for place, option in enumerate(question.options))
        return Answered(name, text, "choice", len(given), len(own) - len(given), counts)
    if question.type == "text":
        return Answered(name, text, "text", len(given), len(own) - len(given))
    numbers = [value for value in map(float, given) if math.isfinite(value)]
    if not numbers:
        return Answered(name, text, "number", 0, len(own))
    quartiles = None
    if len(numbers) >= FEW:
        low, _, high = statistics.quantiles(numbers, n=4, method="inclusive")
        quartiles = (low, high)
    return Answered(
        name,
        text,
        "number",
        len(numbers),
        len(own) - len(numbers),
        median=statistics.median(numbers),
        quartiles=quartiles,
    )
