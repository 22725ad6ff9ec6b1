"""What the judges said when they were asked about themselves, and at the end: counts of options and medians by panel.

Whoever gave an answer that a reader of the result relies on is described, and nobody else. Judges who were forgotten
are left out: what they said was erased. Answers in words could name a person, so only their number is told.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nlgauge.errors import counted
from nlgauge.jsonable import Jsonable, rows
from nlgauge.study.file.questionnaire import chosen
from nlgauge.study.file.study import Question, Study, say

FEW = 5  # numbers of which no quartiles are told: they would be those of single judges


@dataclass(frozen=True)
class Answered(Jsonable):
    """What the judges of a panel answered to one question."""

    KEYS = "question, text, type = kind, answers = given, no_answer = missing, counts = _options, median, quartiles"

    question: str
    text: str
    kind: str  # choice, several, scale, number or text
    given: int  # how many answered
    missing: int  # and how many did not
    counts: tuple[tuple[str, int], ...] = ()  # of options and points: each in its order
    median: float | None = None  # of numbers and points
    quartiles: tuple[float, float] | None = None

    @property
    def rows(self) -> list[tuple[str, int]]:
        """What was answered in words, and by how many."""
        if self.counts:
            found = list(self.counts)
        elif self.kind == "text":
            found = [("in words, not shown", self.given)]
        else:
            found = [(self.middle, self.given)] if self.middle else []
        return [*found, *([("no answer", self.missing)] if self.missing else [])]

    @property
    def middle(self) -> str:
        """The median and the quartiles of numbers and points in words."""
        if self.median is None:
            return ""
        low, high = self.quartiles or (None, None)
        ends = "" if low is None else f", quartiles {low:g} and {high:g}"
        return f"median {self.median:g}{ends}"

    @property
    def told(self) -> list[str]:
        """The same as parts of a sentence: of options their names and counts, of numbers how many there were."""
        found = [f"{answer} {number:,}" for answer, number in self.rows]
        if not self.middle:
            return found
        none = [f"no answer {self.missing:,}"] if self.missing else []
        return [f"{self.middle} of {counted(self.given, 'answer')}", *none]

    def _options(self) -> list[dict[str, Any]]:
        return rows(self.counts, "option judges")


@dataclass(frozen=True)
class Sample(Jsonable):
    """The judges of one panel who gave answers and were not forgotten."""

    panel: str
    judges: int
    questions: tuple[Answered, ...]  # about themselves
    closing: tuple[Answered, ...] = ()  # at the end


def samples(
    study: Study, judges: Iterable[Mapping[str, Any]], said: Mapping[str, Mapping[str, str]]
) -> tuple[Sample, ...]:
    """From the judges' rows and what each said; empty where nothing was asked."""
    if not (study.questions or study.closing):
        return ()
    by_panel: dict[str, list[Mapping[str, str]]] = {}
    for row in judges:
        known = row["access"] not in ("machine", "import")  # an export of answers holds nothing personal
        if known and row["answered"] and row["forgotten_at"] is None:
            by_panel.setdefault(row["panel"], []).append(said.get(row["id"], {}))
    language = study.spoken[0]
    found = []
    for panel, own in by_panel.items():
        asked = (study.questions, study.closing)
        told = (tuple(_answered(question, own, language) for question in part) for part in asked)
        found.append(Sample(panel, len(own), *told))
    return tuple(found)


def _answered(question: Question, own: Sequence[Mapping[str, str]], language: str) -> Answered:
    given = [answers[question.id] for answers in own if question.id in answers]
    name, text = question.id, say(question.text, language)
    found = Answered(name, text, question.type, len(given), len(own) - len(given))
    if question.type in ("choice", "several"):
        times = Counter(place for answer in given for place in chosen(answer))
        counts = tuple((say(option, language), times[place]) for place, option in enumerate(question.options))
        return replace(found, counts=counts)
    if question.type == "text":
        return found
    numbers = [float(answer) for answer in given]
    points = Counter(given)
    counts = tuple((point, points[point]) for point in map(str, range(1, question.points + 1)))
    low, _, high = statistics.quantiles(numbers, n=4, method="inclusive") if len(numbers) >= FEW else [None] * 3
    return replace(
        found,
        counts=counts if question.type == "scale" else (),
        median=statistics.median(numbers) if numbers else None,
        quartiles=None if low is None or high is None else (low, high),
    )
