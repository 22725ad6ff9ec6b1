"""The questions of a magnitude study as they are asked: how much of something a text has, in the judge's own numbers.

A launch fixes them whole (`asked` of the frozen study), so that a later edition of the catalogue changes no study.
"""

# ruff: noqa: RUF009 - `key` is `dataclasses.field` with words

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from nlgauge.errors import suggest
from nlgauge.study.criteria.catalogue import catalogue, constructs, for_protocol
from nlgauge.study.criteria.entries import CriterionEntry, contradictions, resolve
from nlgauge.study.criteria.types import Criterion
from nlgauge.study.fields import Words, key
from nlgauge.study.protocols.magnitudes.each import of_each


@dataclass(frozen=True)
class Estimated:
    """One question of a magnitude study."""

    id: str = key("the criterion")
    name: str = key("what the report calls it")
    question: Words = key("the exact wording; none where nobody knows it", default={})
    definition: str = key("what is judged", default="")
    reverse: bool = key("a large number is a bad one", default=False)
    mark: str = key("where the wording comes from: quoted, ours, own", default="own")
    source: str = key("the wording's or the definition's source", default="")
    measures: tuple[str, ...] = key("constructs", default=())
    judges: tuple[str, ...] = key("who may judge it", default=())
    shown: tuple[str, ...] = key("what must be shown beside the output", default=())
    withheld: tuple[str, ...] = key("what its judges must not see", default=())


def criterion_of(entry: CriterionEntry, protocol: str) -> Criterion | None:
    """The criterion with a question that asks how much; None where the catalogue has none."""
    found = resolve(_asking(entry))
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
    text = dict(found.wording.text)
    if protocol == "rankme" and entry.question is None:  # the catalogue asks about one text
        text = {language: of_each(words, language) for language, words in text.items()}
    return Estimated(
        found.id,
        found.name,
        Words(text),
        found.definition,
        found.reverse or found.direction == "lower",
        found.wording.mark if text == dict(found.wording.text) else "ours",
        found.wording.source or found.source,
        found.measures,
        tuple(found.judges),
        tuple(sorted(found.shown)),
        tuple(dict.fromkeys((*found.withheld, *found.before))),
    )


def found_question(entry: CriterionEntry, protocol: str) -> Estimated:
    """The question of a study that was run elsewhere: what its file says and nothing else."""
    same = catalogue().get(entry.same_as)
    return Estimated(
        entry.id,
        entry.name or entry.id,
        Words(dict(entry.question or {})),
        entry.definition,
        bool(entry.reverse),
        "own",
        entry.source,
        entry.measures or (same.measures if same else ()),
        tuple(entry.judges),
        tuple(sorted(entry.shown)),
        tuple(dict.fromkeys((*entry.withheld, *entry.before))),
    )


def found_problems(entry: CriterionEntry, path: str) -> Iterator[tuple[str, str]]:
    """What is wrong with a criterion of a study that was run elsewhere."""
    if entry.scale is not None:
        yield f"{path}.scale", "magnitudes are any numbers above 0; leave the scale out"
    for name in entry.measures:
        if name not in constructs():
            yield f"{path}.measures", f"there is no construct {name!r}; {suggest(name, constructs())}"
    if entry.same_as and entry.same_as not in catalogue():
        yield (
            f"{path}.same_as",
            f"there is no criterion {entry.same_as!r}; {suggest(entry.same_as, catalogue())}",
        )


def entry_problems(entry: CriterionEntry, path: str, protocol: str) -> Iterator[tuple[str, str]]:
    """What is wrong with an entry of the file."""
    if entry.form not in (None, "rating"):
        yield (
            f"{path}.form",
            f"{protocol} asks how much of something a text has, so a question cannot have the form {entry.form}; leave "
            "form out",
        )
        return
    if entry.scale is not None:
        yield f"{path}.scale", "magnitudes are any numbers above 0; leave the scale out"
        return
    found = list(contradictions(_asking(entry), path))
    yield from found
    if not found and estimated_of(entry, protocol) is None:
        yield (
            path,
            f"{entry.id} has no question that asks how much; write one of your own (question: How … is this text?)",
        )


def _asking(entry: CriterionEntry) -> CriterionEntry:
    """A question of one's own asks for a degree, without its having to say so."""
    return dataclasses.replace(entry, form="rating") if entry.question is not None else entry
