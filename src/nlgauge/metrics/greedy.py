"""Greedy matching (Rus and Lintean 2012): each word with the most similar word of the other text, by the cosine of
their vectors; the mean over the words of either text, and the mean of both directions. Equal to nlg-eval's
GreedyMatchingScore with the same vectors (Rus and Lintean weigh words by rarity and keep exact matches apart; nlg-
eval does neither).

A word without a vector gets the mean of all vectors, as there. An empty text scores 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array
from nlgauge.metrics.explanation import Explanation, Figure, Link, Links, ordinal_reference
from nlgauge.metrics.vectors import CosineMetric, Texts, units


@dataclass(frozen=True)
class Greedy(CosineMetric):
    """Mean similarity of each word to the most similar word of the other text, both ways."""

    name = "greedy"
    cite = (
        "Rus and Lintean (2012), A comparison of greedy and optimal assessment of natural language student input using "
        "word-to-word similarity metrics. BEA."
    )
    reference = "nlg-eval (GreedyMatchingScore)"

    def similarities(self, texts: Texts) -> list[Array]:
        """For each pair a table: words of the hypothesis by words of the reference."""
        vectors, counted = self.lookup(texts.words)
        unit = units(vectors)
        sides = []
        for number in range(len(texts)):
            words = texts.text(number)
            sides.append(unit[words[counted[words]]])
        return [np.clip(sides[a] @ sides[b].T, -1.0, 1.0) for a, b in texts.pairs.tolist()]

    def pairs(self, texts: Texts, jobs: int) -> Array:
        return np.array([sum(_directions(table)) / 2 for table in self.similarities(texts)])

    def explained(self, batch: Batch) -> Explanation:
        """The most similar word of the reference for each word of the output, and the other way round."""
        texts = self.texts(batch)
        tables = self.similarities(texts)
        found = [sum(_directions(table)) / 2 for table in tables]
        best = int(np.argmax(found))
        table, pair = tables[best], texts.pairs[best]
        _, counted = self.lookup(texts.words)
        mine, theirs = (tuple(texts.words[word] for word in texts.text(number) if counted[word]) for number in pair)
        which = ordinal_reference(best, len(tables))
        parts = []
        if table.size:
            parts = [
                Links(
                    f"For each word of the output the most similar one of {which}",
                    mine,
                    theirs,
                    _links(table),
                ),
                Links(
                    f"For each word of {which} the most similar one of the output",
                    mine,
                    theirs,
                    tuple(Link(link.reference, link.hypothesis, link.stage, link.weight) for link in _links(table.T)),
                ),
            ]
        forth, back = _directions(table)
        figures = [
            Figure("output", forth, "mean similarity of its words to the most similar ones of the reference"),
            Figure("reference", back, "the same the other way round"),
        ]
        counts = [best + 1] if len(tables) > 1 else []
        return Explanation.of(self, batch, [found[best], 1.0], figures=figures, parts=parts, counted=counts)


def _directions(table: Array) -> tuple[float, float]:
    """The mean of the highest similarity of each row, and of each column; 0 for an empty text."""
    if not table.size:
        return 0.0, 0.0
    return float(table.max(axis=1).mean()), float(table.max(axis=0).mean())


def _links(table: Array) -> tuple[Link, ...]:
    links = []
    for place, row in enumerate(table):
        partner = int(np.argmax(row))
        similar = float(row[partner])
        stage = "exact" if similar > 1 - 1e-9 else f"{similar:.2f} similar"
        links.append(Link((place, place + 1), (partner, partner + 1), stage, similar))
    return tuple(links)
