"""The layout of studies of single texts and of screens of several, and what judges warm up with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from nlgauge.errors import shortened
from nlgauge.study.file.places import PlacedError
from nlgauge.study.model import PRACTICE, Slot, Text
from nlgauge.study.protocols.base import Layout, Place
from nlgauge.study.protocols.outputs.file import Example, OutputStudy, RatedText, WarmUp, WarmUpScreens
from nlgauge.study.protocols.outputs.layout import lay_out, practice_items
from nlgauge.study.protocols.outputs.parts import plain_texts
from nlgauge.study.protocols.outputs.texts import example_text


def laid_out(study: Any, folder: str | Path) -> Layout:
    """A study of single texts with everything that its file left open: its texts, the slots of every panel, practice.

    A design is an endless sequence of sheets, and late judges get those that follow, so a continuation needs nothing
    but the number of slots there are.
    """
    fixed = replace(study, asked=study.questions_asked)
    return lay_out(fixed, folder, lambda own, texts: warm_up_texts(own, own.practice, texts))


def laid_out_beside(study: Any, folder: str | Path, contradictions: Callable[[Any], Iterable[Place]]) -> Layout:
    """The same of a study that shows several texts beside each other."""
    fixed = replace(study, asked=study.questions_asked)
    found = lay_out(fixed, folder, lambda own, texts: warm_up_screens(own, own.practice, own.per_screen, texts))
    for place, message in contradictions(found.study):  # the systems may have been unknown until now
        raise PlacedError(message, place, "systems", "data")
    check_beside(plain_texts(found.texts))
    return found


def warm_up_texts(study: OutputStudy, practice: WarmUp, texts: Sequence[Text]) -> tuple[list[Slot], list[Text]]:
    """Single texts: those of the file as written, then drawn inputs, each by another system for each judge."""
    written = [[example_text(study, number, one)] for number, one in enumerate(practice.examples, start=1)]
    return _warm_up(study, practice, written, 1, texts)


def warm_up_screens(
    study: OutputStudy, practice: WarmUpScreens, size: int, texts: Sequence[Text]
) -> tuple[list[Slot], list[Text]]:
    """Screens of several: those of the file as written, then drawn inputs, for each judge other systems."""
    written = [
        [_example(study, number, place, one, example) for place, one in enumerate(example.texts)]
        for number, example in enumerate(practice.examples, start=1)
    ]
    return _warm_up(study, practice, written, size, texts)


def _warm_up(
    study: OutputStudy, practice: WarmUp | WarmUpScreens, written: list[list[Text]], size: int, texts: Sequence[Text]
) -> tuple[list[Slot], list[Text]]:
    slots = [
        Slot(f"p{number}", PRACTICE, number, 1, "warmup", tuple(text.id for text in own))
        for number, own in enumerate(written, start=1)
    ]
    drawn = practice_items(study, texts, practice.items, practice.texts)
    for number, item in enumerate(drawn, start=len(written) + 1):
        ids = [text.id for text in texts if text.item == item]
        slots += [
            Slot(f"p{number}-{order + 1}", PRACTICE, number, order + 1, "warmup", (*ids[order:], *ids[:order])[:size])
            for order in range(len(ids))
        ]
    return slots, [text for own in written for text in own]


def _example(study: OutputStudy, number: int, place: int, one: RatedText, example: Example) -> Text:
    """A text of an example; what is shown beside them stands with the first."""
    first = example.texts[0]
    beside = {"source": first.source, "reference": first.reference, "history": first.history}
    found = example_text(study, number, replace(one, **{k: v for k, v in beside.items() if v}))  # type: ignore[arg-type]
    return replace(found, id=f"{found.id}-{place}", image=first.image or None, caption=first.caption)


def check_beside(texts: Sequence[Text]) -> None:
    """What stands beside the texts of an input is shown once, so it must be the same for all."""
    first: dict[str, Text] = {}
    for text in texts:
        known = first.setdefault(text.item, text)
        if (known.beside, known.image) != (text.beside, text.image) and text.subject != PRACTICE:
            raise PlacedError(
                f"the texts of {known.subject} and {text.subject} for the item {shortened(text.item)} have different "
                "things beside them, but a comparison shows one input; give both the same source (and picture)",
                "show",
                "data",
                "subjects",
            )
