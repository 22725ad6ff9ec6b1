"""The questions of a comparative study as they are asked: which of these is better in some respect.

A launch fixes them whole (`asked` of the frozen study), so that a later edition of the catalogue changes no study.
"""

# ruff: noqa: RUF009 - `key` is `dataclasses.field` with words

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from nlgauge.study.criteria.catalogue import for_protocol
from nlgauge.study.criteria.entries import CriterionEntry, contradictions, resolve
from nlgauge.study.criteria.types import Criterion
from nlgauge.study.fields import Words, key


@dataclass(frozen=True)
class Compared:
    """One question of a comparative study; whatever is chosen is the better one."""

    id: str = key("the criterion")
    name: str = key("what the report calls it")
    question: Words = key("the exact wording")
    definition: str = key("what is judged", default="")
    mark: str = key("where the wording comes from: quoted, ours, own", default="own")
    source: str = key("the wording's or the definition's source", default="")
    measures: tuple[str, ...] = key("constructs", default=())
    judges: tuple[str, ...] = key("who may judge it", default=())
    shown: tuple[str, ...] = key("what must be shown beside the outputs", default=())
    withheld: tuple[str, ...] = key("what its judges must not see", default=())


def criterion_of(entry: CriterionEntry, protocol: str) -> Criterion | None:
    """The criterion with a question that compares; None where the catalogue has none."""
    found = resolve(_comparing(entry))
    if entry.question is not None:
        return found
    if found.wording.form == "comparison":
        return found.scaled(None)
    return for_protocol(found, protocol)


def compared_of(entry: CriterionEntry, protocol: str) -> Compared | None:
    """The question that an entry of the file means, as it is asked."""
    found = criterion_of(entry, protocol)
    if found is None:
        return None
    return Compared(
        found.id,
        found.name,
        Words(dict(found.wording.text)),
        found.definition,
        found.wording.mark,
        found.wording.source or found.source,
        found.measures,
        tuple(found.judges),
        tuple(sorted(found.shown)),
        tuple(dict.fromkeys((*found.withheld, *found.before))),
    )


def entry_problems(entry: CriterionEntry, path: str, protocol: str) -> Iterator[tuple[str, str]]:
    """What is wrong with an entry of the file."""
    if entry.form not in (None, "comparison"):
        yield (
            f"{path}.form",
            f"{protocol} asks which of several texts is better, so a question cannot have the form {entry.form}; "
            "leave form out",
        )
        return
    if entry.scale is not None:
        yield f"{path}.scale", "a comparison is answered by choosing between texts; leave the scale out"
        return
    found = list(contradictions(_comparing(entry), path))
    yield from found
    if not found and compared_of(entry, protocol) is None:
        yield (
            path,
            f"{entry.id} has no question that compares texts; write one of your own (question: Which text …?)",
        )


def _comparing(entry: CriterionEntry) -> CriterionEntry:
    """A question of one's own in a comparative study compares, without its having to say so."""
    return dataclasses.replace(entry, form="comparison") if entry.question is not None else entry
