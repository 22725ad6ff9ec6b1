"""Questions that are not asked at once: pages of a screen one after the other, or criteria for different judges.

A screen is one evaluation of the engine, whatever is asked there. Where the questions of a study are parted
(`OutputStudy.parts`), each part of a screen is an evaluation of its own, answered and stored before the next is shown,
and shows texts of its own: the same outputs under another id, without what this part must not show, marked with the
part's number among what stands beside them. So whoever holds a text knows what is asked about it, and the answer to a
part cannot be sent for another. The last part has the plain texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nlgauge.study.model import Slot, Text
from nlgauge.study.protocols.outputs.criteria import Worded
from nlgauge.study.protocols.outputs.file import OutputStudy

if TYPE_CHECKING:
    from nlgauge.study.freeze.frozen import Frozen

PART = "part"
"""Under this name a text that is not of the last part keeps its part's number."""


def pages(study: OutputStudy) -> tuple[tuple[int, ...], ...]:
    """Questions about one text by page: those that must be answered before something is shown, then the others.

    Plausibility is judged before the context is shown (Sai, Mohankumar and Khapra 2022, section 3.2): with the context
    in sight it would be the same as correctness.
    """
    shown = {show.what for show in study.every_show}
    asked = study.questions_asked
    first = tuple(number for number, one in enumerate(asked) if not shown.isdisjoint(one.withheld))
    rest = tuple(number for number in range(len(asked)) if number not in first)
    return (first, rest) if first and rest else (tuple(range(len(asked))),)


def part_of(text: Text, study: OutputStudy) -> int:
    """Which part a text is shown in."""
    if len(study.parts) == 1:  # what machines are shown bears no mark, and they judge no parts
        return 0
    found: int = text.beside.get(PART, len(study.parts) - 1)
    return found


def asked_about(text: Text, study: OutputStudy) -> list[tuple[int, Worded]]:
    """The questions asked when a text is shown, with their numbers from 0."""
    return [(number, study.questions_asked[number]) for number in study.parts[part_of(text, study)]]


def named_in(text: str, part: int, study: OutputStudy) -> str:
    """The id of a text in a part."""
    return text if part == len(study.parts) - 1 else f"{text}p{part}"


def parted(study: OutputStudy, texts: Iterable[Text]) -> list[Text]:
    """The texts of all parts but the last."""
    return [
        replace(
            text,
            id=named_in(text.id, part, study),
            image=None if "image" in study.hidden_in(part) else text.image,
            beside={what: value for what, value in text.beside.items() if what not in study.hidden_in(part)}
            | {PART: part},
        )
        for text in texts
        for part in range(len(study.parts) - 1)
    ]


def parted_practice(study: OutputStudy, slots: Sequence[Slot]) -> list[Slot]:
    """Practice with every part in turn; of several orders the first, so that all parts are about the same texts."""
    parts = len(study.parts)
    if parts == 1:
        return list(slots)
    return [
        replace(
            slot,
            id=f"p{number}",
            number=number,
            texts=tuple(named_in(text, part, study) for text in slot.texts),
        )
        for slot in slots
        if slot.block == 1
        for part in range(parts)
        for number in [(slot.number - 1) * parts + part + 1]
    ]


def plain_texts(texts: Iterable[Text]) -> list[Text]:
    """Each output once, as the last part shows it."""
    return [text for text in texts if PART not in text.beside]


def seen_before(frozen: Frozen, study: OutputStudy, slot: Any, had: set[str]) -> bool:
    """Whether a judge who had these texts has had one of a slot already, or a later part of it."""
    if not had.isdisjoint(slot.texts):
        return True
    if len(study.parts) == 1:
        return False
    last: dict[tuple[str, str], int] = {}
    for text in (frozen.text[name] for name in had):
        output = text.item, text.subject
        last[output] = max(last.get(output, -1), part_of(text, study))
    shown = (frozen.text[name] for name in slot.texts)
    return any(last.get((text.item, text.subject), -1) > part_of(text, study) for text in shown)
