"""What a machine is asked about a whole screen, and how its reply becomes the protocol's answer.

    criteria    {"q1": 4, …}                                       ratings, comparisons, magnitudes (`forms`)
    task        {"q1": 2, "q2": "Tuesday", "confidence": 4}        the number of an option, a short text, a number
    spans       {"errors": [{"quote": "…", "occurrence": 1, "category": "…", "severity": "…"}], "q1": …}
    post-edit   {"text": "the whole edited text", "q1": …}

A model names an error by its words, because it cannot count characters: the words are looked for in the text, and a
quotation that does not stand there makes the reply unreadable. Nothing is guessed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nlgauge.study.file.study import say as worded
from nlgauge.study.machine_judges.base import Sheet
from nlgauge.study.machine_judges.forms import Form, form_of, number_in, whole_in
from nlgauge.study.machine_judges.sheets import Say
from nlgauge.study.protocols.annotations import spans
from nlgauge.study.protocols.annotations.file import PostEditStudy, SpanStudy
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.parts import asked_about
from nlgauge.study.protocols.task.file import TaskStudy
from nlgauge.study.protocols.task.layout import posed_about
from nlgauge.study.protocols.task.questions import Posed


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

    varies = False  # whether screens differ in what they ask

    @abstractmethod
    def lines(self, sheet: Sheet | None) -> Lines:
        """What is asked on a screen; None: on all of them."""

    @abstractmethod
    def read(self, given: Mapping[str, Any], sheet: Sheet) -> Any:
        """The protocol's answer, unchecked; ValueError where a reply holds none."""


@dataclass(frozen=True)
class Criteria(Work):
    """Questions of the study, all of them or those of a part."""

    @property
    def varies(self) -> bool:  # type: ignore[override]
        """Whether each judge is asked for one of them."""
        return len(self.study.parts) > 1

    @property
    def form(self) -> Form:
        """How they are answered."""
        return form_of(self.study)

    def asked(self, sheet: Sheet | None) -> list[tuple[int, Any]]:
        """Numbers from 0, and questions."""
        if sheet is None or not sheet.kept:
            return list(enumerate(self.study.questions_asked))
        return list(asked_about(sheet.kept[0], self.study))

    def lines(self, sheet: Sheet | None) -> Lines:
        """q1, q2 … in the order of the study."""
        form, texts = self.form, getattr(self.study, "per_screen", 1)
        asked = list(enumerate(self.asked(sheet), start=1))
        return Lines(
            tuple(
                "\n".join(
                    filter(
                        None,
                        (
                            f"q{at}. {worded(one.question, self.language)}",
                            worded(self.study.explanation(one), self.language),
                            form.choices(place, self.language, self.say),
                        ),
                    )
                )
                for at, (place, one) in asked
            ),
            tuple(f"q{at}: {form.told(place, texts)}" for at, (place, _) in asked),
            tuple(f"q{at}" for at, _ in asked),
        )

    def read(self, given: Mapping[str, Any], sheet: Sheet) -> Any:
        """By criterion."""
        form = self.form
        return {one.id: form.read(given[f"q{at}"]) for at, (_, one) in enumerate(self.asked(sheet), start=1)}


@dataclass(frozen=True)
class Posing(Work):
    """Questions of a task, which belong to the text."""

    varies = True

    def lines(self, sheet: Sheet | None) -> Lines:
        """Questions with their options."""
        if sheet is None:
            return Lines(("(the questions about the text)",), (), ())
        own = self.study
        assert isinstance(own, TaskStudy)
        posed = posed_about(sheet.kept[0])
        questions = [
            f"q{at}. {worded(one.text, self.language)}{self._options(one)}" for at, one in enumerate(posed, start=1)
        ]
        forms = [f"q{at}: {_told(one)}" for at, one in enumerate(posed, start=1)]
        keys = [f"q{at}" for at in range(1, len(posed) + 1)]
        if own.confidence:
            forms.append("confidence: how sure you are of your answers, a whole number from 1 (guessed) to 5 (certain)")
            keys.append("confidence")
        return Lines(tuple(questions), tuple(forms), tuple(keys))

    def _options(self, one: Posed) -> str:
        told = (f"\n{at} = {worded(words, self.language)}" for at, words in enumerate(one.options, start=1))
        return "".join(told)

    def read(self, given: Mapping[str, Any], sheet: Sheet) -> Any:
        """By question."""
        own = self.study
        assert isinstance(own, TaskStudy)
        answers = {
            one.id: _answered(one, given[f"q{at}"]) for at, one in enumerate(posed_about(sheet.kept[0]), start=1)
        }
        sure = {"confidence": whole_in(given["confidence"])} if own.confidence else {}
        return {"answers": answers, **sure}


def _told(one: Posed) -> str:
    if one.type == "choice":
        return f"the number of an answer, from 1 to {len(one.options)}"
    return "a number" if one.type == "number" else "a short text"


def _answered(one: Posed, value: Any) -> dict[str, Any]:
    if one.type == "choice":
        return {"choice": whole_in(value) - 1}
    if one.type == "number":
        return {"number": number_in(value)}
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        raise ValueError(f"{value!r} is no text")
    return {"text": str(value)}


@dataclass(frozen=True)
class Editing(Criteria):
    """An edited text, then the questions."""

    def lines(self, sheet: Sheet | None) -> Lines:
        """The text as it should be."""
        rest = super().lines(sheet)
        told = "text: the whole text as it should be; the text as it is shown where it needs no change"
        return Lines(rest.questions, (told, *rest.forms), ("text", *rest.keys))

    def read(self, given: Mapping[str, Any], sheet: Sheet) -> Any:
        """Edited, or left as it was."""
        text = given["text"]
        if not isinstance(text, str):
            raise ValueError("no edited text")
        outcome = "unchanged" if text == sheet.texts[0].text else "edited"
        return {"outcome": outcome, "text": text, "ratings": super().read(given, sheet)}


@dataclass(frozen=True)
class Marking(Criteria):
    """Errors with their words, then the questions."""

    def lines(self, sheet: Sheet | None) -> Lines:
        """Categories and severities, and how errors are written."""
        own = self.study
        assert isinstance(own, SpanStudy)
        rest = super().lines(sheet)
        kinds = [f"{path} = {self._named(named)}" for path, named in own.paths.items()]
        head = ["Severities:\n" + "\n".join(f"{one.id} = {self._named((one,))}" for one in own.grades)]
        head += ["Categories:\n" + "\n".join(kinds)] if kinds else []
        parts = ['"quote": the exact words of the error, copied from the text']
        parts += ['"occurrence": which of several places with these words, 1 for the first (may be left out)']
        parts += ['"category": one of the categories'] * bool(kinds)
        parts += ['"severity": one of the severities']
        if own.omissions == "source":
            parts += ['"on": "output", or "source" where the quoted words of the source are missing from the text']
        if own.omissions == "marker":
            parts += ['"on": "output", or "missing" (with an empty quote) where something is missing from the text']
        parts += ['"note": a few words on the error (may be left out)'] * (own.note != "no")
        told = "errors: a list of objects, empty where there is no error; each with " + "; ".join(parts)
        return Lines((*head, *rest.questions), (told, *rest.forms), ("errors", *rest.keys))

    def _named(self, named: tuple[Any, ...]) -> str:
        last = named[-1]
        about = worded(last.definition, self.language)
        called = worded(last.name, self.language) or last.id
        return f"{called}: {about}" if about else called

    def read(self, given: Mapping[str, Any], sheet: Sheet) -> Any:
        """Errors at their places."""
        errors = given["errors"]
        if not isinstance(errors, list):
            raise ValueError("no list of errors")
        found = [_located(one, sheet) for one in errors]
        return {"spans": found, "none": not found, "ratings": super().read(given, sheet)}


def _located(error: Any, sheet: Sheet) -> dict[str, Any]:
    """An error with the place of its words; ValueError where they do not stand there."""
    if not isinstance(error, Mapping) or set(error) - {
        "quote",
        "occurrence",
        "category",
        "severity",
        "on",
        "note",
    }:
        raise ValueError(f"{error!r} is no error")
    on, quote = error.get("on") or spans.OUTPUT, error.get("quote", "")
    kept = {name: error[name] for name in ("category", "note") if error.get(name)}
    found: dict[str, Any] = {"on": on, "start": 0, "end": 0, "severity": error.get("severity"), **kept}
    if on == spans.MISSING:
        return found
    if not isinstance(quote, str) or not quote:
        raise ValueError("an error without its words")
    text = sheet.texts[0].text if on == spans.OUTPUT else spans.source_of(sheet.kept[0])
    start = -1
    for _ in range(max(1, whole_in(error.get("occurrence") or 1))):
        start = text.find(quote, start + 1)
        if start < 0:
            raise ValueError(f"the words {quote!r} do not stand there")
    return found | {"start": start, "end": start + len(quote)}


def work_of(study: OutputStudy, language: str, say: Say) -> Work:
    """What the screens of a study ask."""
    if isinstance(study, TaskStudy):
        return Posing(study, language, say)
    if isinstance(study, SpanStudy):
        return Marking(study, language, say)
    if isinstance(study, PostEditStudy):
        return Editing(study, language, say)
    return Criteria(study, language, say)
