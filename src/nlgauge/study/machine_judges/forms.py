"""How a machine answers a study of outputs: what a screen asks in words, and a reply read strictly.

In a reply the questions are q1, q2 … and texts have the numbers of the screen, from 1. A protocol's folder says in its
part `machine` how its questions are answered (`form_of`) and what else a screen asks (`work_of`).

What is read becomes the protocol's own answer and must pass its check. Scores, one for each text and the higher the
better, become the preference, ranking or choice that they stand for; where the study must have a decision between equal
scores it is drawn, from the seed and the texts, and counted.
"""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar

from nlgauge.study.file.study import say as worded
from nlgauge.study.machine_judges.base import Sheet
from nlgauge.study.protocols import part_of
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.parts import asked_about

Say = Callable[..., str]
"""A phrase of the pages by its name, with its values filled in."""
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?", re.ASCII)
Scored = tuple[Any, bool]
"""An answer for one criterion, and whether equals were drawn."""


class Form(ABC):
    """How one question is answered."""

    scores: ClassVar[bool] = True  # whether scores of the texts stand for an answer
    measures: ClassVar[bool] = False  # whether a score is kept as it is, on no scale of the study

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

    measures = True
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
class Lines:
    """What stands on a screen: questions, how each is answered, and the keys of a reply."""

    questions: tuple[str, ...]
    forms: tuple[str, ...]
    keys: tuple[str, ...]


@dataclass(frozen=True)
class Work(ABC):
    """Everything that is asked on a screen of a study."""

    study: OutputStudy
    language: str
    say: Say

    @property
    def varies(self) -> bool:
        """Whether screens differ in what they ask: here, whether each judge is asked for one question."""
        return len(self.study.parts) > 1

    @abstractmethod
    def lines(self, sheet: Sheet | None) -> Lines:
        """What is asked on a screen; None: on all of them."""

    def posed(self, sheet: Sheet) -> Iterator[dict[str, Any]]:
        """The questions of a screen as plain values, for programs."""
        about = asked_about(sheet.kept[0], self.study) if sheet.kept else enumerate(self.study.questions_asked)
        for _, question in about:
            scale = getattr(question, "scale", None)
            told = {"id": question.id, "question": worded(question.question, self.language)}
            names = ("low", "high", "points", "step")
            yield told if scale is None else told | {"scale": {name: getattr(scale, name) for name in names}}

    @abstractmethod
    def read(self, given: Mapping[str, Any], sheet: Sheet) -> Any:
        """The protocol's answer, unchecked; ValueError where a reply holds none."""


@dataclass(frozen=True)
class Criteria(Work):
    """Questions of the study, all of them or those of a part."""

    form: Form

    def asked(self, sheet: Sheet | None) -> list[tuple[int, Any]]:
        """Numbers from 0, and questions."""
        if sheet is None or not sheet.kept:
            return list(enumerate(self.study.questions_asked))
        return list(asked_about(sheet.kept[0], self.study))

    def lines(self, sheet: Sheet | None) -> Lines:
        """q1, q2 … in the order of the study."""
        texts = getattr(self.study, "per_screen", 1)
        asked = list(enumerate(self.asked(sheet), start=1))
        questions = []
        for at, (place, question) in asked:
            words, explained = question.question, worded(self.study.explanation(question), self.language)
            parts = (f"q{at}. {worded(words, self.language)}", explained)
            below = self.form.choices(place, self.language, self.say)
            questions.append("\n".join(filter(None, (*parts, below))))
        forms = tuple(f"q{at}: {self.form.told(place, texts)}" for at, (place, _) in asked)
        return Lines(tuple(questions), forms, tuple(f"q{at}" for at, _ in asked))

    def read(self, given: Mapping[str, Any], sheet: Sheet) -> Any:
        """By criterion."""
        return {one.id: self.form.read(given[f"q{at}"]) for at, (_, one) in enumerate(self.asked(sheet), start=1)}


def form_of(study: OutputStudy) -> Form | None:
    """How the questions of a study are answered; None where a screen asks for more than that."""
    return part_of(study.protocol, "machine").form_of(study)


def work_of(study: OutputStudy, language: str, say: Say) -> Work:
    """What the screens of a study ask."""
    return part_of(study.protocol, "machine").work_of(study, language, say)


def drawing(seed: int, sheet: Sheet) -> Random:
    """The draw between equals: by seed and by what is written, so that it is the same whenever it is made again."""
    written = "\0".join(shown.text for shown in sheet.texts).encode("utf-8", "surrogatepass")
    return Random(f"{seed}/{hashlib.sha256(written).hexdigest()}")


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
