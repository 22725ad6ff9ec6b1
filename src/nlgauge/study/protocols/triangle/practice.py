"""Practice triads: drawn from the texts, which then serve no more, or written in the study file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING

from nlgauge.errors import counted, shortened
from nlgauge.study.file.places import PlacedError
from nlgauge.study.freeze.texts import text_id
from nlgauge.study.model import PRACTICE, Slot, Text
from nlgauge.study.protocols.triangle.file import TriangleStudy, triangle_study

if TYPE_CHECKING:
    from nlgauge.study.freeze.frozen import Frozen


def item_of(texts: Sequence[Text], wanted: str) -> str:
    """The input of a text; nothing where it is none of these."""
    return next((text.item for text in texts if text.id == wanted), "")


def practice_of(study: TriangleStudy, texts: Sequence[Text]) -> tuple[list[Slot], list[Text]]:
    """Practice triads and the texts that only they use.

    One that is drawn is kept in three orders, with the odd text first, second and last, dealt in turn: a single order
    would teach every judge the same place. One that is written in the file is shown as written.
    """
    random = Random(f"{study.seed}/practice")
    slots: list[Slot] = []
    extra: list[Text] = []
    for number, example in enumerate(study.practice.examples, start=1):
        triad = "".join("A" if place == example.odd - 1 else "B" for place in range(3))
        own = [
            Text(text_id(study.seed, letter, item, text), letter, item, text)
            for place, (letter, text) in enumerate(zip(triad, example.texts, strict=True), start=1)
            for item in [f"practice {number}.{place}"]
        ]
        extra += own
        slots.append(Slot(f"p{number}", PRACTICE, number, 1, triad, tuple(text.id for text in own)))
    for offset, items in enumerate(_practice_items(study, texts, random)):
        number = len(study.practice.examples) + offset + 1
        odd, paired = random.sample("AB", 2)
        chosen = [
            next(text.id for text in texts if text.item == item and text.subject == subject)
            for item, subject in zip(items, (odd, paired, paired), strict=True)
        ]
        for order, place in enumerate(random.sample(range(3), 3), start=1):
            shown = chosen[1:]
            shown.insert(place, chosen[0])
            triad = "".join(odd if position == place else paired for position in range(3))
            slots.append(Slot(f"p{number}-{order}", PRACTICE, number, order, triad, tuple(shown)))
    return slots, extra


def _practice_items(study: TriangleStudy, texts: Sequence[Text], random: Random) -> list[tuple[str, ...]]:
    wanted = 3 * study.practice.triads
    if not wanted:
        return []
    of_a = {text.item for text in texts if text.subject == "A"}
    shared = list(dict.fromkeys(text.item for text in texts if text.subject == "B" and text.item in of_a))
    pool = list(study.practice.items) or random.sample(shared, len(shared))
    unknown = [item for item in pool if item not in set(shared)]
    if unknown:
        raise PlacedError(
            f"practice.items: there is no input {shortened(unknown[0])} that both subjects wrote for; name another, or "
            "leave practice.items out",
            "practice.items",
        )
    if len(shared) < wanted + 3:
        raise PlacedError(
            f"{counted(study.practice.triads, 'practice triad')} take {wanted} of the {counted(len(shared), 'input')}, "
            "and too few remain for the study; write practice texts into the file (practice: examples), or set "
            "practice: 0",
            "practice.triads",
            "practice",
        )
    return [tuple(pool[k : k + 3]) for k in range(0, wanted, 3)]


def explanation(frozen: Frozen, slot: Slot) -> Mapping[str, str] | None:
    """What the file says about a practice triad of its own."""
    examples = triangle_study(frozen.study).practice.examples
    return examples[slot.number - 1].explanation if slot.number <= len(examples) else None
