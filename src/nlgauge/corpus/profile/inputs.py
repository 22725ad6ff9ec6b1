"""The input side: predicates, entities, combinations, sizes, and how unevenly predicates are spread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.corpus.entries import Entry
from nlgauge.jsonable import Jsonable

RARE = 10  # van Miltenburg et al. (2020) count the predicates that occur less often


@dataclass(frozen=True)
class Inputs(Jsonable):
    """`combinations` counts sets of predicates, `rare` predicates with fewer than `under` triples.

    `head_share` is the share of triples with one of the most frequent tenth of the predicates, `gini` 0 where all
    predicates are as frequent and near 1 where one has nearly all triples, `skewness` the third standardised moment.
    """

    entries: int
    triples: int
    distinct_triples: int
    predicates: int
    entities: int
    combinations: int
    under: int
    rare: int
    head_share: float
    gini: float
    skewness: float
    sizes: dict[str, int]
    categories: dict[str, int]
    frequencies: dict[str, int]


def frequencies(entries: Sequence[Entry]) -> dict[str, int]:
    """How many triples have each predicate, the most frequent first (Figure 2 of the paper)."""
    return dict(Counter(triple.predicate for entry in entries for triple in entry.triples).most_common())


def profile_inputs(entries: Sequence[Entry], *, under: int = RARE) -> Inputs:
    """Count the inputs."""
    found = frequencies(entries)
    counts = np.array(sorted(found.values()), dtype=np.float64)
    triples = [triple for entry in entries for triple in entry.triples]
    head = counts[-max(1, len(counts) // 10) :]
    spread = counts.std()
    return Inputs(
        entries=len(entries),
        triples=len(triples),
        distinct_triples=len(set(triples)),
        predicates=len(found),
        entities=len({name for triple in triples for name in (triple.subject, triple.object) if name}),
        combinations=len({frozenset(triple.predicate for triple in entry.triples) for entry in entries}),
        under=under,
        rare=int((counts < under).sum()),
        head_share=float(head.sum() / counts.sum()),
        gini=gini(counts),
        skewness=float((((counts - counts.mean()) / spread) ** 3).mean()) if spread else 0.0,
        sizes={str(size): count for size, count in sorted(Counter(len(e.triples) for e in entries).items())},
        categories=dict(Counter(entry.category for entry in entries if entry.category).most_common()),
        frequencies=found,
    )


def gini(counts: Sequence[float] | np.typing.NDArray[np.float64]) -> float:
    """Gini's coefficient of counts.

    >>> gini([5, 5]), gini([0, 0, 0, 4])
    (0.0, 0.75)
    """
    ordered = np.sort(np.asarray(counts, dtype=np.float64))
    n, total = len(ordered), ordered.sum()
    if not total:
        return 0.0
    return float(2 * (np.arange(1, n + 1) * ordered).sum() / (n * total) - (n + 1) / n)
