"""The questions of a magnitude study as they are asked: how much of something a text has, in a judge's own numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from nlgauge.io.fields import Words, key
from nlgauge.study.criteria.catalogue import for_protocol
from nlgauge.study.criteria.entries import CriterionEntry, resolve
from nlgauge.study.criteria.types import Criterion
from nlgauge.study.protocols.magnitudes.each import of_each
from nlgauge.study.protocols.outputs.criteria import (
    Worded,
    form_problems,
    in_form,
    unknown_names,
    worded,
    worded_elsewhere,
)

NO_SCALE = "magnitudes are any numbers above 0"


@dataclass(frozen=True, kw_only=True)
class Estimated(Worded):
    """One question of a magnitude study."""

    reverse: bool = key("a large number is a bad one", default=False)


def criterion_of(entry: CriterionEntry, protocol: str) -> Criterion | None:
    """The criterion with a question that asks how much; None where the catalogue has none."""
    found = resolve(in_form(entry, "rating"))
    if entry.question is not None:
        return found.scaled(None)
    if entry.form is not None or entry.wording != "first":
        return None if found.wording.form != "rating" else found.scaled(None)
    return for_protocol(found, protocol)


def estimated_of(entry: CriterionEntry, protocol: str) -> Estimated | None:
    """The question that an entry of the file means, as it is asked."""
    found = criterion_of(entry, protocol)
    if found is None:
        return None
    asked = Estimated(**worded(found, entry), reverse=found.reverse or found.direction == "lower")
    if protocol != "rankme" or entry.question is not None:
        return asked
    # the catalogue asks about one text
    each = Words({language: of_each(words, language) for language, words in asked.question.items()})
    return asked if each == asked.question else replace(asked, question=each, mark="ours")


def imported_question(entry: CriterionEntry, protocol: str) -> Estimated:
    """The question of a study that was run elsewhere."""
    return Estimated(**worded_elsewhere(entry), reverse=bool(entry.reverse))


def imported_problems(entry: CriterionEntry, path: str) -> Iterator[tuple[str, str]]:
    """What is wrong with a criterion of a study that was run elsewhere."""
    if entry.scale is not None:
        yield f"{path}.scale", f"{NO_SCALE}; leave the scale out"
    yield from unknown_names(entry, path)


def entry_problems(entry: CriterionEntry, path: str, protocol: str) -> Iterator[tuple[str, str]]:
    """What is wrong with an entry of the file."""
    return form_problems(
        entry,
        path,
        "rating",
        lambda: estimated_of(entry, protocol),
        asks=f"{protocol} asks how much of something a text has",
        scale=NO_SCALE,
        lacks="asks how much; write one of your own (question: How … is this text?)",
    )
