"""The questions of a comparative study as they are asked: which of these is better in some respect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nlgauge.study.criteria.catalogue import for_protocol
from nlgauge.study.criteria.entries import CriterionEntry, resolve
from nlgauge.study.criteria.types import Criterion
from nlgauge.study.protocols.outputs.criteria import Worded, form_problems, in_form, worded


@dataclass(frozen=True, kw_only=True)
class Compared(Worded):
    """One question of a comparative study; whatever is chosen is the better one."""


def criterion_of(entry: CriterionEntry, protocol: str) -> Criterion | None:
    """The criterion with a question that compares; None where the catalogue has none."""
    found = resolve(in_form(entry, "comparison"))
    if entry.question is not None:
        return found
    if found.wording.form == "comparison":
        return found.scaled(None)
    return for_protocol(found, protocol)


def compared_of(entry: CriterionEntry, protocol: str) -> Compared | None:
    """The question that an entry of the file means, as it is asked."""
    found = criterion_of(entry, protocol)
    return None if found is None else Compared(**worded(found, entry))


def entry_problems(entry: CriterionEntry, path: str, protocol: str) -> Iterator[tuple[str, str]]:
    """What is wrong with an entry of the file."""
    return form_problems(
        entry,
        path,
        "comparison",
        lambda: compared_of(entry, protocol),
        asks=f"{protocol} asks which of several texts is better",
        scale="a comparison is answered by choosing between texts",
        lacks="compares texts; write one of your own (question: Which text …?)",
    )
