"""Simulated judges who edit or mark at known rates, seen through their own strictness and through chance.

Editors: each word of an output is edited with the rate of its system: replaced (70 %), deleted, or followed by a new
word (15 % each), so that a text keeps its length on average and HTER comes near to the rate. An output without an edit
is said to need no change.

Markers: the errors of an output are fixed: each word begins one with the rate of its system (errors in a hundred
words), one to three words long, of a category and a severity of its own. A judge sees each with the probability
1 - noise, and marks as many elsewhere as that leaves out, so that marks too come at the rate of the system.

Both have a factor of the judge, whose logarithm is normal with the standard deviation `judge_sd` and which is 1 on
average. Questions that follow are answered as `ratings.simulation` says. Who hurries changes nothing and marks nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from nlgauge.errors import InputError
from nlgauge.study.protocols.annotations.file import AnnotationStudy, SpanStudy, annotation_study, span_study
from nlgauge.study.protocols.annotations.planted import places
from nlgauge.study.protocols.annotations.spans import KEYS, MOST, OUTPUT
from nlgauge.study.protocols.base import Rater, spread
from nlgauge.study.protocols.outputs.gold import Planted, known_of
from nlgauge.study.protocols.ratings.simulation import Raters

if TYPE_CHECKING:
    from nlgauge.study.model import Evaluation, Text
    from nlgauge.study.service import Service

OPTIONS = ("rates", "means", "judge_sd", "item_sd", "noise", "dropouts", "speeders", "seconds", "wordings")
OF_QUESTIONS = ("means", "item_sd", "wordings")  # options of judges who are asked questions after their work
GRADES = (0.6, 0.3, 0.1)  # shares of the severities with a weight, from the lightest; the last takes what is left
REPLACED, DELETED = 0.7, 0.15  # shares of edits; the others are insertions
LONGEST = 3  # words of an error
BEST, WORSE = 0.8, 0.45  # mean rating of a system without errors, and what the worst loses


@dataclass(frozen=True)
class Annotators(Raters):
    """What the simulated judges are like, who edit or, with `marks`, mark errors."""

    KEYS = f"{Raters.KEYS}, rates"

    rates: Mapping[str, float] = field(default_factory=dict)  # of systems; others are spread
    marks: bool = False

    @property
    def top(self) -> float:
        """The highest rate there is."""
        return 100.0 if self.marks else 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for system, rate in self.rates.items():
            if not 0 <= rate <= self.top:
                raise InputError(f"the rate of {system} must lie between 0 and {self.top:g}, not {rate:g}")

    def rates_of(self, systems: Sequence[str]) -> dict[str, float]:
        """The rate of every system."""
        low, high = (2.0, 12.0) if self.marks else (0.05, 0.3)
        return spread(self.rates, systems, low, high - low)

    def of(self, systems: list[str]) -> dict[str, float]:
        """The mean rating of every system: as named, else the lower the more of its words are wrong."""
        named = super().of(systems)
        rates = self.rates_of(systems)
        most = max(rates.values()) or 1.0
        return {name: self.means.get(name, BEST - WORSE * rates[name] / most) for name in named}

    def factor(self, random: Random) -> float:
        """How strict a judge is."""
        return math.exp(random.gauss(-(self.judge_sd**2) / 2, self.judge_sd))

    def rater(self, service: Service, panel: str, random: Random) -> Rater:
        """One of them."""
        study = annotation_study(service.study)
        rates, asked = self.rates_of(list(study.subjects)), super().rater(service, panel, random)
        if self.marks:
            return _Marker(span_study(study), rates, asked, self.factor(random), self.noise, random)
        return _Editor(study, rates, asked, self.factor(random), random)


@dataclass(frozen=True)
class _Editor(Rater):
    study: AnnotationStudy
    rates: Mapping[str, float]
    asked: Rater
    factor: float
    random: Random

    def answer(self, look: Callable[[], Evaluation], *, hasty: bool) -> tuple[Any, int]:
        """The edited text."""
        (text,) = look().texts
        ratings, _ = self.asked.answer(look, hasty=hasty)
        rate = min(1.0, self.rates.get(text.subject, 0.1) * self.factor)
        known = known_of(self.study, text)
        edited = text.text if hasty else self._edited(text.text, rate)
        if known is not None and not hasty and known.named != ("answer",):
            edited = known.edits[0] if known.edits else text.text
            for error in () if known.edits else known.errors or ():
                for start, end in places(error.words, edited)[:1]:
                    edited = f"{edited[:start]}mended{edited[end:]}"
        outcome = "unchanged" if edited == text.text else "edited"
        return {"outcome": outcome, "text": edited, "ratings": ratings}, 0

    def _edited(self, text: str, rate: float) -> str:
        found, changed = [], False
        for number, word in enumerate(text.split()):
            if self.random.random() >= rate:
                found.append(word)
                continue
            changed, kind = True, self.random.random()
            if kind < REPLACED:
                found.append(f"new{number}")
            elif kind >= REPLACED + DELETED:
                found += [word, f"new{number}"]
        return " ".join(found or ["new"]) if changed else text


@dataclass(frozen=True)
class _Marker(Rater):
    study: SpanStudy
    rates: Mapping[str, float]
    asked: Rater
    factor: float
    noise: float
    random: Random

    def answer(self, look: Callable[[], Evaluation], *, hasty: bool) -> tuple[Any, int]:
        """Errors, or that there are none."""
        (text,) = look().texts
        ratings, _ = self.asked.answer(look, hasty=hasty)
        known = None if hasty else known_of(self.study, text)
        if known is None or known.errors is None:
            found = [] if hasty else self._marks(text)
        else:
            found = [self._planted(planted, text.text) for planted in known.errors]
        return {"spans": found, "none": not found, "ratings": ratings}, 0

    def _planted(self, error: Planted, text: str) -> dict[str, Any]:
        """The mark of somebody who sees it."""
        place, kinds = places(error.words, text)[0], list(self.study.paths) or [""]
        values = (OUTPUT, *place, error.category or self.random.choice(kinds))
        grade = error.severity or severity(self.study, self.random)
        return dict(zip(KEYS, (*values, grade, ""), strict=True))

    def _marks(self, text: Text) -> list[dict[str, Any]]:
        rate = self.rates.get(text.subject, 5.0) / 100
        true = errors(self.study, text, rate, Random(f"{self.study.seed}/{text.id}/errors"))
        seen = [span for span in true if self.random.random() < min(1.0, (1 - self.noise) * self.factor)]
        seen += errors(self.study, text, rate * self.noise * self.factor, self.random)
        return list({tuple(span.items()): span for span in seen}.values())[:MOST]


def errors(study: SpanStudy, text: Text, rate: float, random: Random) -> list[dict[str, Any]]:
    """Errors of a text, each word beginning one with the probability `rate`."""
    words = [word.span() for word in re.finditer(r"\S+", text.text)]
    found = []
    for number, (start, _) in enumerate(words):
        if random.random() < rate:
            last = min(len(words) - 1, number + random.randrange(LONGEST))
            category = random.choice(list(study.paths) or [""])
            values = (OUTPUT, start, words[last][1], category, severity(study, random), "")
            found.append(dict(zip(KEYS, values, strict=True)))
    return found


def severity(study: SpanStudy, random: Random) -> str:
    """A severity with a weight, the lighter the likelier."""
    shares = severity_shares(study)
    return random.choices(list(shares), list(shares.values()))[0]


def severity_shares(study: SpanStudy) -> dict[str, float]:
    """How often each severity is drawn."""
    known = [grade.id for grade in sorted(study.grades, key=lambda one: one.weight) if grade.weight > 0]
    shares = dict(zip(known, GRADES, strict=False))
    return shares | {known[-1]: 0.0} | {known[-1]: 1 - sum(shares.get(name, 0.0) for name in known[:-1])}
