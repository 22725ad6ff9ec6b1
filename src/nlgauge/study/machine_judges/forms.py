"""How a machine answers a study of outputs: the form in words, a reply read strictly, and scores turned into answers.

In a reply the questions are q1, q2 … and texts have the numbers of the screen, from 1:

    ratings     {"q1": 4}                           a number of the scale
    class       {"q1": 2} or {"q1": "guardian"}     the number or the name of a class
    pairwise    {"q1": "1"}, "2" or "tie"           with degrees {"q1": {"choice": "1", "strength": 2}}
    ranking     {"q1": [2, 1, 3]}                   the rank of text 1, of text 2 …
    best-worst  {"q1": {"best": 2, "worst": 1}}
    magnitude   {"q1": 120}                         a number above 0; of rankme a list, one for each text

What is read becomes the protocol's own answer and must pass its check. Scores, one for each text and the higher the
better, become the preference, ranking or choice that they stand for; where the study must have a decision between equal
scores it is drawn, from the seed and the texts, and counted.
"""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar

from nlgauge.study.file.study import say as worded
from nlgauge.study.machine_judges.base import Sheet
from nlgauge.study.machine_judges.sheets import Say
from nlgauge.study.protocols.classification.file import ClassStudy
from nlgauge.study.protocols.comparisons.answers import SIDES, TIE, competition
from nlgauge.study.protocols.comparisons.file import BestWorstStudy, PairwiseStudy, RankingStudy
from nlgauge.study.protocols.magnitudes.file import EstimationStudy, RankmeStudy
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.ratings.file import rating_study

_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?", re.ASCII)
Scored = tuple[Any, bool]
"""An answer for one criterion, and whether equals were drawn."""


class Form(ABC):
    """How one question is answered."""

    scores: ClassVar[bool] = True  # whether scores of the texts stand for an answer

    @abstractmethod
    def choices(self, place: int, language: str, say: Say) -> str:
        """What a page shows below the n-th question."""

    @abstractmethod
    def told(self, place: int, texts: int) -> str:
        """What may stand in a reply for the n-th question."""

    @abstractmethod
    def read(self, value: Any) -> Any:
        """The protocol's answer for what stands in a reply; ValueError where it is none."""

    def scored(self, scores: Sequence[float], margin: float, draw: Random) -> Scored:
        """The answer that scores of the texts stand for."""
        raise NotImplementedError


@dataclass(frozen=True)
class Rated(Form):
    """A number on a scale."""

    scales: tuple[Any, ...]

    def choices(self, place: int, language: str, say: Say) -> str:
        """The points with their labels, or the ends of a slider."""
        scale = self.scales[place]
        last = (scale.points or 2) - 1
        labels = [worded(scale.label(k), language) for k in range(last + 1)]
        if not scale.points:
            told = ", ".join(f"{value:g} = {worded(words, language)}" for value, words in scale.marks)
            line = say("slider_number", least=f"{scale.low:g}", most=f"{scale.high:g}")
            return f"{line} ({told})" if told else line
        return ", ".join(
            f"{value:g} = {label}" if label else f"{value:g}" for value, label in zip(scale.values, labels, strict=True)
        )

    def told(self, place: int, texts: int) -> str:
        """The values."""
        scale = self.scales[place]
        if scale.points:
            return f"one of {', '.join(f'{value:g}' for value in scale.values)}"
        return f"a number from {scale.low:g} to {scale.high:g} in steps of {scale.step:g}"

    def read(self, value: Any) -> Any:
        """A number."""
        return number_in(value)


@dataclass(frozen=True)
class Classed(Rated):
    """A class by its number or its name."""

    scores = False
    names: tuple[str, ...]
    abouts: tuple[Mapping[str, str], ...]

    def choices(self, place: int, language: str, say: Say) -> str:
        """A line for each class, with what is said of it."""
        labels = [worded(label, language) for label in self.scales[place].labels]
        abouts = [worded(about, language) for about in self.abouts]
        return "\n".join(
            f"{number} = {label}" + (f": {about}" if about else "")
            for number, (label, about) in enumerate(zip(labels, abouts, strict=True), start=1)
        )

    def read(self, value: Any) -> Any:
        """The number; a name is left to the study's own check."""
        return value if value in self.names else number_in(value)


@dataclass(frozen=True)
class Preferred(Form):
    """One of two texts, or neither."""

    ties: bool
    strength: tuple[Mapping[str, str], ...]

    def choices(self, place: int, language: str, say: Say) -> str:
        """Both texts, the tie, and the degrees."""
        texts = [say("text_number", number=number) for number in (1, 2)]
        shown = ", ".join([texts[0], *([say("preference_tie")] if self.ties else []), texts[1]])
        degrees = ", ".join(
            f"{degree} = {worded(words, language)}" for degree, words in enumerate(self.strength, start=1)
        )
        return f"{shown} ({degrees})" if degrees else shown

    def told(self, place: int, texts: int) -> str:
        """The numbers of the texts."""
        sides = '"1" or "2"' + (', or "tie" for no difference' if self.ties else "")
        if not self.strength:
            return sides
        none = ", 0 with a tie" if self.ties else ""
        return (
            f'an object {{"choice": …, "strength": …}}; the choice is {sides}; the strength a number from 1 to '
            f"{len(self.strength)}{none}"
        )

    def read(self, value: Any) -> Any:
        """A side, with its degree where degrees are asked for."""
        if not self.strength:
            return {"preference": _side(value)}
        if not isinstance(value, Mapping) or set(value) - {"strength"} != {"choice"}:
            raise ValueError("no choice with a strength")
        side = _side(value["choice"])
        return {"preference": side, "strength": whole_in(value.get("strength", 0 if side == TIE else None))}

    def scored(self, scores: Sequence[float], margin: float, draw: Random) -> Scored:
        """The higher score; of degrees the slightest, because scores say which and not how much."""
        gap = scores[0] - scores[1]
        equal = abs(gap) <= margin
        drawn = equal and not self.ties
        side = draw.choice(SIDES) if drawn else TIE if equal else SIDES[int(gap < 0)]
        return {"preference": side} | ({"strength": int(side != TIE)} if self.strength else {}), drawn


@dataclass(frozen=True)
class Ranked(Form):
    """A rank for each text."""

    ties: bool

    def choices(self, place: int, language: str, say: Say) -> str:
        """What the page says of ranks."""
        return say("ranking_help_ties") if self.ties else say("ranking_help")

    def told(self, place: int, texts: int) -> str:
        """As many ranks as texts."""
        return f"a list of {texts} whole numbers from 1 to {texts}: the rank of text 1, of text 2 and so on"

    def read(self, value: Any) -> Any:
        """Whole numbers."""
        if not isinstance(value, list):
            raise ValueError("no list of ranks")
        return {"ranks": [whole_in(rank) for rank in value]}

    def scored(self, scores: Sequence[float], margin: float, draw: Random) -> Scored:
        """From the highest score; a text no more than the margin below the one before it shares its rank."""
        chance = [draw.random() for _ in scores]
        order = sorted(range(len(scores)), key=lambda place: (-scores[place], chance[place]))
        ranks, shared = [0] * len(scores), False
        for rank, place in enumerate(order):
            before = order[rank - 1]
            equal = rank > 0 and scores[before] - scores[place] <= margin
            shared |= equal
            ranks[place] = ranks[before] if equal and self.ties else rank + 1
        return {"ranks": competition(ranks)}, shared and not self.ties


class Extreme(Form):
    """The best and the worst text."""

    def choices(self, place: int, language: str, say: Say) -> str:
        """What the page says of both."""
        return f"{say('extremes_help')} ({say('best')}, {say('worst')})"

    def told(self, place: int, texts: int) -> str:
        """Two numbers of texts."""
        return f'an object {{"best": N, "worst": M}} with two different numbers of texts, from 1 to {texts}'

    def read(self, value: Any) -> Any:
        """Two places, counted from 0."""
        if not isinstance(value, Mapping) or set(value) != {"best", "worst"}:
            raise ValueError("no best and worst")
        return {end: whole_in(value[end]) - 1 for end in ("best", "worst")}

    def scored(self, scores: Sequence[float], margin: float, draw: Random) -> Scored:
        """The highest and the lowest score."""
        chance = [draw.random() for _ in scores]
        order = sorted(range(len(scores)), key=lambda place: (-scores[place], chance[place]))
        best, worst = order[0], order[-1]
        drawn = any(
            abs(scores[place] - scores[end]) <= margin
            for end in (best, worst)
            for place in range(len(scores))
            if place != end
        )
        return {"best": best, "worst": worst}, drawn


@dataclass(frozen=True)
class Estimating(Form):
    """Numbers in proportion; scores of a metric are in none."""

    scores = False
    several: bool
    standard: float | None

    def choices(self, place: int, language: str, say: Say) -> str:
        """How numbers are meant, as the page says it."""
        if self.standard is None:
            return say("magnitude_help_several") if self.several else say("magnitude_help")
        value, double, half = (f"{one:.10g}" for one in (self.standard, 2 * self.standard, self.standard / 2))
        return say("magnitude_help_standard", value=value, double=double, half=half)

    def told(self, place: int, texts: int) -> str:
        """Above 0."""
        if self.several:
            return f"a list of {texts} numbers above 0: for text 1, for text 2 and so on"
        return "a number above 0"

    def read(self, value: Any) -> Any:
        """A number, or as many as texts."""
        if not self.several:
            return number_in(value)
        if not isinstance(value, list):
            raise ValueError("no list of numbers")
        return [number_in(one) for one in value]


def form_of(study: OutputStudy) -> Form:
    """How the questions of a study are answered."""
    if isinstance(study, PairwiseStudy):
        return Preferred(study.ties, study.strength)
    if isinstance(study, RankingStudy):
        return Ranked(study.ties)
    if isinstance(study, BestWorstStudy):
        return Extreme()
    if isinstance(study, EstimationStudy):
        standard = None if study.standard is None else study.standard.value
        return Estimating(isinstance(study, RankmeStudy), standard)
    scales = tuple(one.scale for one in rating_study(study).questions_asked)
    if isinstance(study, ClassStudy):
        shown = study.definitions == "shown"
        abouts: tuple[Mapping[str, str], ...] = tuple(
            (one.description if shown else None) or {} for one in study.classes.values()
        )
        return Classed(scales, study.names, abouts)
    return Rated(scales)


def drawing(seed: int, sheet: Sheet) -> Random:
    """The draw between equals: by seed and by what is written, so that it is the same whenever it is made again."""
    written = "\0".join(one.text for one in sheet.texts).encode("utf-8", "surrogatepass")
    return Random(f"{seed}/{hashlib.sha256(written).hexdigest()}")


def _side(value: Any) -> str:
    if value == TIE:
        return TIE
    number = whole_in(value)
    if number not in (1, 2):
        raise ValueError(f"{value!r} is neither text")
    return SIDES[number - 1]


def number_in(value: Any) -> int | float:
    """A number, also one that stands in quotation marks; ValueError where it is none."""
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return float(value) if "." in value else int(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise ValueError(f"{value!r} is no number")


def whole_in(value: Any) -> int:
    """A whole number; ValueError where it is none."""
    number = number_in(value)
    if not isinstance(number, int):
        raise ValueError(f"{value!r} is no whole number")
    return number
