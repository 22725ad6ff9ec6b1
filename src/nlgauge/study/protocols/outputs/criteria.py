"""What the questions of all studies of outputs have in common.

A launch fixes them whole (`asked` of the frozen study), so that a later edition of the catalogue changes no study.
"""

# ruff: noqa: RUF009 - `key` is `dataclasses.field` with words

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from nlgauge.errors import suggest
from nlgauge.io.fields import Words, key
from nlgauge.study.criteria.catalogue import catalogue, constructs
from nlgauge.study.criteria.entries import CriterionEntry, contradictions
from nlgauge.study.criteria.types import Criterion

UNKNOWN = "question wording unknown"
"""What is said wherever a result is shown whose question nobody knows."""


@dataclass(frozen=True, kw_only=True)
class Worded:
    """One question; protocols add how it is answered."""

    id: str = key("the criterion")
    name: str = key("what the report calls it")
    question: Words = key("the exact wording; none where nobody knows it", default={})
    wordings: Mapping[str, Words] = key(
        "its wordings by name, where judges are dealt one of several; question is the first", default={}
    )
    definition: str = key("what is judged", default="")
    mark: str = key("where the wording comes from: quoted, ours, own", default="own")
    source: str = key("the wording's or the definition's source", default="")
    measures: tuple[str, ...] = key("constructs", default=())
    judges: tuple[str, ...] = key("who may judge it", default=())
    shown: tuple[str, ...] = key("what must be shown beside the output", default=())
    withheld: tuple[str, ...] = key("what its judges must not see", default=())
    explained: Words = key("the definition as judges read it; none where it is not known that they did", default={})

    def asked_at(self, path: str) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Each of its wordings with the place of its key, the criterion being at `path`."""
        if not self.wordings:
            yield f"{path}.question", self.question
        for name, words in self.wordings.items():
            yield f"{path}.wordings.{name}", words


def worded(found: Criterion, entry: CriterionEntry) -> dict[str, Any]:
    """The fields of `Worded` for a criterion that an entry of the file means."""
    return {
        "id": found.id,
        "name": found.name,
        "question": Words(dict(found.wording.text)),
        "wordings": entry.wordings,
        "definition": found.definition,
        "mark": found.wording.mark,
        "source": found.wording.source or found.source,
        "measures": found.measures,
        "judges": tuple(found.judges),
        "shown": tuple(sorted(found.shown)),
        "withheld": tuple(dict.fromkeys((*found.withheld, *found.before))),
        "explained": Words(dict(_explained(found))),
    }


def _explained(found: Criterion) -> Mapping[str, str]:
    """The definition as judges read it. The catalogue defines the good end ("makes sense"), which would contradict a
    question that asks for the bad one ("things that don't make sense"); a definition of one's own is shown as it is."""
    same = catalogue().get(found.id)
    turned = found.direction == "lower" and same is not None and same.explained.items() <= found.explained.items()
    return {} if turned else found.explained


def worded_elsewhere(entry: CriterionEntry) -> dict[str, Any]:
    """The same for a criterion of a study that was run elsewhere: what its file says and nothing else.

    A criterion may be called like one of the catalogue; that its question was the catalogue's would be a guess.
    """
    same = catalogue().get(entry.same_as)
    return {
        "id": entry.id,
        "name": entry.name or entry.id,
        "question": Words(dict(entry.question or {})),
        "definition": entry.defined,
        "mark": "own",
        "source": entry.source,
        "measures": entry.measures or (same.measures if same else ()),
        "judges": tuple(entry.judges),
        "shown": tuple(sorted(entry.shown)),
        "withheld": tuple(dict.fromkeys((*entry.withheld, *entry.before))),
    }


def unknown_names(entry: CriterionEntry, path: str) -> Iterator[tuple[str, str]]:
    """Constructs and criteria that an entry names and nobody knows."""
    for name in entry.measures:
        if name not in constructs():
            yield f"{path}.measures", f"there is no construct {name!r}; {suggest(name, constructs())}"
    if entry.same_as and entry.same_as not in catalogue():
        yield (
            f"{path}.same_as",
            f"there is no criterion {entry.same_as!r}; {suggest(entry.same_as, catalogue())}",
        )


Form = Literal["rating", "comparison"]


def in_form(entry: CriterionEntry, form: Form) -> CriterionEntry:
    """An entry whose question, where it is one of one's own, has the form of the protocol without having to say so."""
    return replace(entry, form=form) if entry.question is not None else entry


def form_problems(
    entry: CriterionEntry,
    path: str,
    form: Form,
    meant: Callable[[], object | None],
    *,
    asks: str,
    scale: str,
    lacks: str,
) -> Iterator[tuple[str, str]]:
    """What is wrong with an entry of a protocol whose questions have one form and no scale.

    `asks` says what the protocol asks, `scale` why there is none, `lacks` what the catalogue has no question for;
    `meant` is the question, once nothing else is wrong.
    """
    if entry.form not in (None, form):
        yield f"{path}.form", f"{asks}, so a question cannot have the form {entry.form}; leave form out"
        return
    if entry.scale is not None:
        yield f"{path}.scale", f"{scale}; leave the scale out"
        return
    found = list(contradictions(in_form(entry, form), path))
    yield from found
    if not found and meant() is None:
        yield path, f"{entry.id} has no question that {lacks}"
