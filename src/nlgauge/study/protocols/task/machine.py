"""How a machine reads for a task: {"q1": 2, "q2": "Tuesday", "confidence": 4}.

An answer is the number of an option, a short text, or a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nlgauge.study.file.study import say as worded
from nlgauge.study.machine_judges.base import Sheet
from nlgauge.study.machine_judges.forms import Lines, Say, Work, number_in, whole_in
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.task.file import task_study
from nlgauge.study.protocols.task.layout import posed_about
from nlgauge.study.protocols.task.questions import Posed


@dataclass(frozen=True)
class Posing(Work):
    """Questions of a task, which belong to the text."""

    @property
    def varies(self) -> bool:
        """Each text has its own."""
        return True

    def lines(self, sheet: Sheet | None) -> Lines:
        """Questions with their options."""
        if sheet is None:
            return Lines(("(the questions about the text)",), (), ())
        own = task_study(self.study)
        posed = posed_about(sheet.kept[0])
        questions = {f"q{at}": one for at, one in enumerate(posed, start=1)}
        lines = [f"{key}. {worded(one.text, self.language)}{self._options(one)}" for key, one in questions.items()]
        forms = {key: _told(one) for key, one in questions.items()}
        if own.confidence:
            forms["confidence"] = "how sure you are of your answers, a whole number from 1 (guessed) to 5 (certain)"
        return Lines(tuple(lines), tuple(f"{key}: {told}" for key, told in forms.items()), tuple(forms))

    def posed(self, sheet: Sheet) -> Iterator[dict[str, Any]]:
        """The questions without their key."""
        for question in posed_about(sheet.kept[0]):
            options = [worded(words, self.language) for words in question.options]
            told = {"id": question.id, "question": worded(question.text, self.language), "type": question.type}
            yield told | ({"options": options} if options else {})

    def _options(self, one: Posed) -> str:
        told = (f"\n{at} = {worded(words, self.language)}" for at, words in enumerate(one.options, start=1))
        return "".join(told)

    def read(self, given: Mapping[str, Any], sheet: Sheet) -> Any:
        """By question."""
        own = task_study(self.study)
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


def form_of(study: OutputStudy) -> None:
    """Questions belong to the text."""


def work_of(study: OutputStudy, language: str, say: Say) -> Work:
    """The questions about each text."""
    return Posing(study, language, say)
