"""What the splits of a corpus have in common."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from nlgauge.corpus.entries import Entry
from nlgauge.jsonable import Jsonable

KINDS = ("inputs", "triples", "predicates", "entities", "templates", "texts")


@dataclass(frozen=True)
class Overlap(Jsonable):
    """Of the distinct things of a later split, how many the first has too."""

    first: str
    second: str
    kind: str
    shared: int
    distinct: int


def overlaps(entries: Sequence[Entry]) -> tuple[Overlap, ...]:
    """Every pair of splits, in their order in the data; none where there is one split."""
    splits = list(dict.fromkeys(entry.split for entry in entries))
    things = {
        split: [_things(kind, [entry for entry in entries if entry.split == split]) for kind in KINDS]
        for split in splits
    }
    return tuple(
        Overlap(first, second, kind, len(mine & theirs), len(theirs))
        for first, second in combinations(splits, 2)
        for kind, mine, theirs in zip(KINDS, things[first], things[second], strict=True)
    )


def _things(kind: str, entries: Iterable[Entry]) -> set[Hashable]:
    if kind == "inputs":
        return {frozenset(entry.triples) for entry in entries}
    if kind == "templates":
        return {str(text.template) for entry in entries for text in entry.texts if text.template is not None}
    if kind == "texts":
        return {text.text for entry in entries for text in entry.texts}
    triples = [triple for entry in entries for triple in entry.triples]
    if kind == "triples":
        return set(triples)
    if kind == "predicates":
        return {triple.predicate for triple in triples}
    return {name for triple in triples for name in (triple.subject, triple.object) if name}
