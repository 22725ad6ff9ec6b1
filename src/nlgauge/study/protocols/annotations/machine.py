"""How a machine annotates a text before it rates it.

    spans       {"errors": [{"quote": "…", "occurrence": 1, "category": "…", "severity": "…"}], "q1": …}
    post-edit   {"text": "the whole edited text", "q1": …}

A model names an error by its words, because it cannot count characters: the words are looked for in the text, and a
quotation that does not stand there makes the reply unreadable. Nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nlgauge.study.file.study import say as worded
from nlgauge.study.machine_judges.base import Sheet
from nlgauge.study.machine_judges.forms import Lines, Say, Work, whole_in
from nlgauge.study.protocols.annotations import spans
from nlgauge.study.protocols.annotations.file import SpanStudy, span_study
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.ratings import machine as ratings


@dataclass(frozen=True)
class Editing(Work):
    """An edited text, then the questions."""

    questions: Work

    def lines(self, sheet: Sheet | None) -> Lines:
        """The text as it should be."""
        rest = self.questions.lines(sheet)
        told = "text: the whole text as it should be; the text as it is shown where it needs no change"
        return Lines(rest.questions, (told, *rest.forms), ("text", *rest.keys))

    def read(self, given: Mapping[str, Any], sheet: Sheet) -> Any:
        """Edited, or left as it was."""
        text = given["text"]
        if not isinstance(text, str):
            raise ValueError("no edited text")
        outcome = "unchanged" if text == sheet.texts[0].text else "edited"
        return {"outcome": outcome, "text": text, "ratings": self.questions.read(given, sheet)}


@dataclass(frozen=True)
class Marking(Work):
    """Errors with their words, then the questions."""

    questions: Work

    def lines(self, sheet: Sheet | None) -> Lines:
        """Categories and severities, and how errors are written."""
        own = span_study(self.study)
        rest = self.questions.lines(sheet)
        kinds = [f"{path} = {self._named(named)}" for path, named in own.paths.items()]
        head = ["Severities:\n" + "\n".join(f"{severity.id} = {self._named((severity,))}" for severity in own.grades)]
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
        found = [_located(error, sheet) for error in errors]
        return {"spans": found, "none": not found, "ratings": self.questions.read(given, sheet)}


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


def form_of(study: OutputStudy) -> None:
    """Questions follow the work."""


def work_of(study: OutputStudy, language: str, say: Say) -> Work:
    """The work, then the questions."""
    kind = Marking if isinstance(study, SpanStudy) else Editing
    return kind(study, language, say, ratings.work_of(study, language, say))
