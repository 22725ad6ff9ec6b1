"""Who compares what: the sheets of the study's design as slots, and comparisons to warm up with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from nlgauge.errors import InputError
from nlgauge.study.protocols.base import Layout
from nlgauge.study.protocols.comparisons.contradictions import contradictions
from nlgauge.study.protocols.comparisons.file import ComparisonStudy, Example
from nlgauge.study.protocols.outputs.file import RatedText
from nlgauge.study.protocols.outputs.layout import lay_out, practice_items
from nlgauge.study.protocols.outputs.texts import example_text
from nlgauge.study.types import PRACTICE, Slot, Text


def laid_out(study: ComparisonStudy, folder: str | Path) -> Layout:
    """The study with everything that its file left open, its texts, the slots of every panel, and the practice."""
    found = lay_out(replace(study, asked=study.questions_asked), folder, _practice)
    for place, message in contradictions(_comparison(found)):  # the systems may have been unknown until now
        raise InputError(f"{place}: {message}" if place else message)
    _check_beside(found.texts)
    return found


def _comparison(found: Layout) -> ComparisonStudy:
    assert isinstance(found.study, ComparisonStudy)
    return found.study


def _check_beside(texts: Sequence[Text]) -> None:
    """What stands beside the texts of an input is shown once, so it must be the same for all."""
    first: dict[str, Text] = {}
    for text in texts:
        known = first.setdefault(text.item, text)
        if (known.beside, known.image) != (text.beside, text.image) and text.subject != PRACTICE:
            raise InputError(
                f"the texts of {known.subject} and {text.subject} for the item {text.item!r} have different things "
                "beside them, but a comparison shows one input; give both the same source (and picture)"
            )


def _practice(study: ComparisonStudy, texts: Sequence[Text]) -> tuple[list[Slot], list[Text]]:
    """Comparisons to warm up with: those of the file as written, then drawn inputs, for each judge other systems."""
    practice = study.practice
    slots: list[Slot] = []
    extra: list[Text] = []
    for number, example in enumerate(practice.examples, start=1):
        own = [_example(study, number, place, one, example) for place, one in enumerate(example.texts)]
        slots.append(Slot(f"p{number}", PRACTICE, number, 1, "warmup", tuple(text.id for text in own)))
        extra += own
    drawn = practice_items(study, texts, practice.items, practice.texts)
    for number, item in enumerate(drawn, start=len(practice.examples) + 1):
        ids = [text.id for text in texts if text.item == item]
        size = study.per_screen
        slots += [
            Slot(f"p{number}-{order + 1}", PRACTICE, number, order + 1, "warmup", tuple(turned[:size]))
            for order in range(len(ids))
            for turned in [ids[order:] + ids[:order]]
        ]
    return slots, extra


def _example(study: ComparisonStudy, number: int, place: int, one: RatedText, example: Example) -> Text:
    """A text of an example; what is shown beside them stands with the first."""
    first = example.texts[0]
    beside = {"source": first.source, "reference": first.reference, "history": first.history}
    found = example_text(study, number, replace(one, **{k: v for k, v in beside.items() if v}))  # type: ignore[arg-type]
    return replace(found, id=f"{found.id}-{place}", image=first.image or None, caption=first.caption)
