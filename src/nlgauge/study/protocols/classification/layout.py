"""Outputs with the class they are truly of, which judges never see, and who sees which."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nlgauge.errors import shortened, suggest
from nlgauge.study.file.places import PlacedError
from nlgauge.study.freeze.texts import segments_of
from nlgauge.study.model import Text
from nlgauge.study.protocols.base import Layout
from nlgauge.study.protocols.classification.file import ClassStudy, class_study
from nlgauge.study.protocols.outputs.gold import known_of
from nlgauge.study.protocols.outputs.practice import laid_out

if TYPE_CHECKING:
    from nlgauge.types import EvaluationSet

TRUTH = "truth"
"""What a text's `beside` calls its class; no page shows it."""


def with_truth(study: ClassStudy, folder: str | Path) -> Layout:
    """The texts with their classes, the slots of every panel, and the practice."""
    found = laid_out(study, folder)
    truths = _truths(class_study(found.study), Path(folder))
    texts = (
        replace(text, beside={**text.beside, TRUTH: truths[text.subject, text.item]})
        if (text.subject, text.item) in truths and known_of(study, text) is None
        else text
        for text in found.texts
    )
    return replace(found, texts=tuple(texts))


def truth_of(text: Text) -> str | None:
    """The class that a text is truly of; None where it is unknown."""
    found: str | None = text.beside.get(TRUTH)
    return found


def _truths(study: ClassStudy, root: Path) -> dict[tuple[str, str], str]:
    """By system and item, as far as they are known."""
    found: dict[tuple[str, str], str] = {}
    read: dict[Path, EvaluationSet] = {}
    for name, subject in study.subjects.items():
        usual = study.truth.get(name, "")
        if subject.texts:
            rows = [(entry.item or str(number), entry.truth) for number, entry in enumerate(subject.texts, start=1)]
        else:
            segments = segments_of(f"subjects.{name}", subject, root / subject.data, read)
            held = {segment.item: segment.extra.get(study.truth_column) for segment in segments}
            rows = [(item, "" if value is None else str(value)) for item, value in held.items()]
        for item, written in rows:
            if written and written not in study.classes:
                raise PlacedError(
                    f"{root / subject.data}: the item {shortened(item)} of {name} has the class {shortened(written)} "
                    f"({study.truth_column}), which the study does not have; {suggest(written, study.names)}",
                    "truth_column",
                )
            if truth := written or usual:
                found[name, item] = truth
    return found
