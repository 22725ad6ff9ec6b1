"""The vocabulary of criteria: scales, the wordings of questions, and criteria themselves.

A criterion may be asked in several ways. Whether a high answer is good is a matter of the wording: “Does the bot
repeat itself?” is reverse-keyed, “How free of repetition is it?” is not, and both ask for the same thing. So direction
and reverse-keying stand with the wording, and a criterion takes them from the first of its wordings, the one asked.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from nlgauge.errors import InputError
from nlgauge.jsonable import Jsonable
from nlgauge.wording.numbers import in_full

Mark = Literal["quoted", "ours", "own"]
"""Where a wording comes from: quoted from a paper, written for this catalogue, or the study's own."""
Form = Literal["rating", "closed", "comparison"]
"""How a question asks: for a degree, for yes or no, or which of several outputs."""
Direction = Literal["higher", "lower", "none"]
Who = Literal["monolingual", "bilingual", "expert", "end_user"]
Thing = Literal["source", "reference", "table", "image", "history", "context", "question", "answer"]
"""What can stand beside an output; `context` is the input in whatever form: passage, data, persona, goal."""
Frame = Literal["itself", "input", "outside"]
"""What the output is judged by: itself alone, its input, or something outside both."""
Unit = Literal["text", "conversation"]

FORMS: tuple[str, ...] = get_args(Form)


@dataclass(frozen=True)
class Scale(Jsonable):
    """The answers a question allows: points with equal steps, or, without points, any number between the ends."""

    id: str
    low: float
    high: float
    points: int | None
    labels: tuple[Mapping[str, str], ...]  # one for each point or both ends; along a slider any number
    mark: Mark = "ours"
    source: str = ""

    @property
    def values(self) -> tuple[float, ...]:
        """The answers from the low end to the high one; empty for a continuous scale."""
        if self.points is None:
            return ()
        step = (self.high - self.low) / (self.points - 1)
        return tuple(self.low + step * k for k in range(self.points))

    def label(self, place: int, language: str = "en") -> str:
        """What stands at the n-th point, counted from 0; empty where only the ends are labelled."""
        last = (self.points or 2) - 1
        if len(self.labels) == last + 1:
            return _say(self.labels[place], language)
        return _say(self.labels[0 if place == 0 else -1], language) if place in (0, last) and self.labels else ""

    def allows(self, value: float) -> bool:
        """Whether a judge can have given this answer."""
        if not math.isfinite(value) or not self.low <= value <= self.high:
            return False
        return self.points is None or any(math.isclose(value, point, abs_tol=1e-9) for point in self.values)

    def slider(self) -> Scale:
        """The continuous scale from 0 to 100 between the same ends."""
        if self.points is None:
            return self
        ends = (self.labels[0], self.labels[-1]) if self.labels else ()
        return Scale(f"{self.id}/0-100", 0.0, 100.0, None, ends, source=self.source)

    def __str__(self) -> str:
        kind = f"{self.points} points" if self.points else "continuous"
        low, high, said = in_full(self.low), in_full(self.high), [_say(words, "en") for words in self.labels]
        if not said:
            return f"{kind}, {low} to {high}"
        if len(said) == self.points:
            points = zip(map(in_full, self.values), said, strict=True)
            return f"{kind}: {', '.join(f'{point} {label}' for point, label in points)}"
        if self.points is None and len(said) > 2:
            return f"{kind}, {low} to {high}: {', '.join(said)}"
        return f"{kind}: {low} {said[0]} to {high} {said[-1]}"


@dataclass(frozen=True)
class Wording(Jsonable):
    """One way to put the question."""

    text: Mapping[str, str]  # by language; the empty name serves every language
    form: Form = "rating"
    scale: Scale | None = None  # a comparison has none
    mark: Mark = "ours"
    source: str = ""
    direction: Direction = "higher"  # which end of the answers, as given, is the better one
    reverse: bool = False  # answers are turned round before they are analysed
    judges: tuple[str, ...] = ()  # those it can be put to: “what you say” is for those who talked; empty: all

    def fits(self, who: str) -> bool:
        """Whether it can be put to a kind of judge; experts read as monolingual judges do."""
        return not self.judges or who in self.judges or (who == "expert" and "monolingual" in self.judges)

    def say(self, language: str) -> str:
        """The question in a language, or in English where it has none."""
        return _say(self.text, language)


@dataclass(frozen=True)
class Criterion(Jsonable):
    """Something an output is judged for; `wordings[0]` is the one asked."""

    id: str
    name: str
    tasks: tuple[str, ...]
    definition: str  # in English: studies are compared by it
    measures: tuple[str, ...]  # constructs of the catalogue; empty where a definition of one's own names none
    wordings: tuple[Wording, ...]
    judges: Mapping[str, tuple[str, ...]]  # who may judge -> what they must be shown
    frame: Frame = "itself"
    unit: Unit = "text"
    withheld: tuple[str, ...] = ()  # never shown to those who judge it
    before: tuple[str, ...] = ()  # asked before these are shown
    synonyms: tuple[str, ...] = ()  # names under which others measure it, or something they call by its name
    source: str = ""
    note: str = ""
    own: bool = False  # from the study file and not from the catalogue
    explained: Mapping[str, str] = field(default_factory=dict)  # the definition as judges read it, by language

    @property
    def wording(self) -> Wording:
        """The wording asked."""
        return self.wordings[0]

    @property
    def scale(self) -> Scale | None:
        """The scale of the wording asked; a comparison has none."""
        return self.wording.scale

    @property
    def reverse(self) -> bool:
        """Whether a high answer to the wording asked is a bad one and is turned round."""
        return self.wording.reverse

    @property
    def direction(self) -> Direction:
        """The better end of the answers as given."""
        return self.wording.direction

    @property
    def shown(self) -> frozenset[str]:
        """Everything that some kind of judge must see."""
        return frozenset(thing for things in self.judges.values() for thing in things)

    def worded(self, form: str | None = None, mark: str | None = None, who: str | None = None) -> Criterion | None:
        """The criterion with its first wording of a form, a mark, for a kind of judge in front; None without one."""
        fitting = [
            wording
            for wording in self.wordings
            if (form is None or wording.form == form)
            and (mark is None or wording.mark == mark)
            and (who is None or wording.fits(who))
        ]
        return self._asked(fitting[0]) if fitting else None

    def scaled(self, scale: Scale | None) -> Criterion:
        """The criterion with another scale under the wording asked."""
        changed = dataclasses.replace(self.wording, scale=scale)
        return dataclasses.replace(self, wordings=(changed, *self.wordings[1:]))

    def lacking(self, languages: Sequence[str]) -> list[str]:
        """The languages in which the question or a label is not worded."""
        labels = self.scale.labels if self.scale else ()
        return [
            language
            for language in languages
            if any(language not in words and "" not in words for words in (self.wording.text, *labels))
        ]

    def _asked(self, wording: Wording) -> Criterion:
        others = tuple(other for other in self.wordings if other is not wording)
        return dataclasses.replace(self, wordings=(wording, *others))


def rescore(value: float, criterion: Criterion) -> float:
    """An answer as it enters the analysis: turned round where the question is reverse-keyed, else as it is.

    Turning twice gives the answer back. An answer the scale does not allow is refused.
    """
    scale = criterion.scale
    if scale is None:
        raise InputError(f"{criterion.id}: a comparison has no scale, so there is nothing to rescore")
    if not scale.allows(value):
        between = f"between {in_full(scale.low)} and {in_full(scale.high)}"
        expected = f"one of {', '.join(map(in_full, scale.values))}" if scale.points else between
        raise InputError(f"{criterion.id}: the answer {in_full(value)} is not on its scale; expected {expected}")
    return scale.low + scale.high - value if criterion.reverse else value


def _say(words: Mapping[str, str], language: str) -> str:
    return words.get(language) or words.get("") or words.get("en") or next(iter(words.values()), "")
