"""Who rates what: the sheets of the study's design as slots, one text each.

A design is an endless sequence of sheets, and late judges get those that follow, so a continuation needs nothing but
the number of slots there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from nlgauge.study.protocols.base import Layout
from nlgauge.study.protocols.outputs.layout import lay_out, practice_items
from nlgauge.study.protocols.outputs.texts import example_text
from nlgauge.study.protocols.ratings.file import RatingStudy
from nlgauge.study.types import PRACTICE, Slot, Text


def laid_out(study: RatingStudy, folder: str | Path) -> Layout:
    """The study with everything that its file left open, its texts, the slots of every panel, and the practice."""
    return lay_out(replace(study, asked=study.questions_asked), folder, _practice)


def _practice(study: RatingStudy, texts: Sequence[Text]) -> tuple[list[Slot], list[Text]]:
    """Texts to warm up with: those of the file as written, then drawn inputs, each by another system for each judge."""
    practice = study.practice
    extra = [example_text(study, number, one) for number, one in enumerate(practice.examples, start=1)]
    slots = [
        Slot(f"p{number}", PRACTICE, number, 1, "warmup", (text.id,))
        for number, text in enumerate(extra, start=1)
    ]
    drawn = practice_items(study, texts, practice.items, practice.texts)
    for number, item in enumerate(drawn, start=len(extra) + 1):
        own = [text.id for text in texts if text.item == item]
        slots += [
            Slot(f"p{number}-{order}", PRACTICE, number, order, "warmup", (text,))
            for order, text in enumerate(own, start=1)
        ]
    return slots, extra
