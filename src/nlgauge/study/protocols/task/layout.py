"""Outputs with the questions of their input, and who reads which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nlgauge.errors import counted, shortened, suggest
from nlgauge.study.file.places import PlacedError, placed
from nlgauge.study.freeze.texts import MOST_NAMED, segments_of
from nlgauge.study.model import Text
from nlgauge.study.protocols.base import Layout
from nlgauge.study.protocols.outputs.contradictions import LONGEST_ID
from nlgauge.study.protocols.outputs.gold import known_of
from nlgauge.study.protocols.outputs.layout import lay_out
from nlgauge.study.protocols.outputs.practice import warm_up_texts
from nlgauge.study.protocols.task.file import TaskStudy
from nlgauge.study.protocols.task.questions import Posed, from_row, posed

if TYPE_CHECKING:
    from nlgauge.types import EvaluationSet

HELD = "posed"
"""What a text's `beside` calls its questions; pages show nothing of it but wordings and options."""


def laid_out(study: TaskStudy, folder: str | Path) -> Layout:
    """The texts with their questions, the slots of every panel, and the practice."""
    found = lay_out(study, folder, lambda own, read: warm_up_texts(own, own.practice, read))
    root = Path(folder)
    questions = _of_rows(found, root) if study.ask_column else _of_file(study, found)
    texts = []
    for text in found.texts:
        known = known_of(study, text)  # an attention check, or an example of practice, has questions of its own
        own = [] if known is None else [posed(one, number) for number, one in enumerate(known.ask, start=1)]
        held = [question.to_dict() for question in own or questions[text.item]]
        texts.append(replace(text, beside={**text.beside, HELD: held}))
    return replace(found, texts=tuple(texts))


def posed_about(text: Text) -> tuple[Posed, ...]:
    """The questions about a text."""
    return tuple(Posed.from_dict(row) for row in text.beside.get(HELD, ()))


def _of_file(study: TaskStudy, found: Layout) -> Mapping[str, list[Posed]]:
    items = list(dict.fromkeys(text.item for text in found.texts if known_of(study, text) is None))
    for number, question in enumerate(study.ask, start=1):
        unknown = [item for item in question.items if item not in items]
        if unknown:
            raise PlacedError(
                f"ask.{number}.items: there is no item {shortened(unknown[0])} in the study; "
                f"{suggest(unknown[0], items) if len(items) <= MOST_NAMED else 'name items of the set'}",
                f"ask.{number}.items",
            )
    questions = {
        item: [
            posed(question, number)
            for number, question in enumerate(study.ask, start=1)
            if not question.items or item in question.items
        ]
        for item in items
    }
    bare = [item for item in items if not questions[item]]
    if bare:
        raise PlacedError(
            f"ask has no question about the item {shortened(bare[0])} ({counted(len(bare), 'such item')}); write one, "
            "or name the items of the study (items: …)",
            "ask",
        )
    return questions


def _of_rows(found: Layout, root: Path) -> Mapping[str, list[Posed]]:
    study = found.study
    assert isinstance(study, TaskStudy)
    questions: dict[str, tuple[str, list[Posed]]] = {}
    read: dict[Path, EvaluationSet] = {}
    for name, subject in study.subjects.items():
        path = root / subject.data
        for segment in segments_of(f"subjects.{name}", subject, path, read):
            where = f"{path}, item {shortened(segment.item)}, {study.ask_column!r}"
            row = {**segment.extra, "source": segment.source}
            if row.get(study.ask_column) in (None, "", []):
                held = [key for key, value in row.items() if value not in (None, "", [])]
                raise PlacedError(
                    f"{where}: the row has no such key with questions; write them there, or name another: "
                    f"{suggest(study.ask_column, held)}",
                    "ask_column",
                )
            with placed("ask_column"):
                asked = from_row(row[study.ask_column], where, study.normalise)
            own = [posed(one, number) for number, one in enumerate(asked, start=1)]
            names = [question.id for question in own]
            if len(set(names)) < len(names) or any(len(name) > LONGEST_ID or not name.isprintable() for name in names):
                raise PlacedError(
                    f"{where}: each question needs an id of its own, of at most {LONGEST_ID} characters; give it one",
                    "ask_column",
                )
            other, known = questions.setdefault(segment.item, (name, own))
            if known != own:
                raise PlacedError(
                    f"{where}: the questions for {name} differ from those for {other}; systems are compared by the "
                    "same questions about an item: write the same into both rows",
                    "ask_column",
                )
    return {item: own for item, (_, own) in questions.items()}
