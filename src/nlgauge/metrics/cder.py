"""CDER, the edit rate with block movements (Leusch, Ueffing and Ney 2006, "CDER: Efficient MT evaluation using block
movements").

A walk through the grid of hypothesis and reference words passes every reference word exactly once; besides inserting,
deleting and substituting words it may jump to any place of the hypothesis. Each of these costs 1: a block of words that
stands elsewhere costs a jump there and one back, however long it is. The walk starts and ends at the ends of both
texts, but hypothesis words may be passed several times or not at all; for that reason the distance can be computed
exactly in quadratic time. CDER = cost of the cheapest walk / reference length; it is the grid of Moses's
CderScorer, which prints 1 − CDER.

With several references the one with the lowest rate counts. A hypothesis against an empty reference costs one jump.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.edit import Step, long_jump_walk
from nlgauge.metrics.base import Array, Direction, Metric, option
from nlgauge.metrics.explanation import Explanation, Figure, Link, Links, ordinal_reference
from nlgauge.metrics.matching import segment_words
from nlgauge.text import tokenizers


@dataclass(frozen=True)
class Cder(Metric):
    """Edits and block jumps per reference word; 0 is best.

    >>> Cder().corpus(["c d e f a b"], [["a b c d e f"]])
    0.5
    """

    tok: str = option("none", "tokeniser", check=tokenizers.check)
    lower: bool = option(False, "lower-case the texts first")

    name: ClassVar[str] = "cder"
    direction: ClassVar[Direction] = "lower"
    shows_words: ClassVar[int] = 1_000
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    cite: ClassVar[str] = "Leusch, Ueffing and Ney (2006), CDER: efficient MT evaluation using block movements. EACL."
    reference: ClassVar[str] = "the paper's definition; Moses's CderScorer prints 1 − CDER"
    columns: ClassVar[tuple[str, ...]] = ("errors", "reference_length")

    def rows(self, batch: Batch) -> Array:
        """Errors against the reference with the lowest rate, and its length."""
        return active().cder_rows(batch.tokens(self.tok, lower=self.lower), batch.jobs)

    def explained(self, batch: Batch) -> Explanation:
        """The blocks of a cheapest walk through the reference with the lowest rate, and what it costs."""
        words, references = segment_words(batch, self.tok, lower=self.lower)
        walks = [long_jump_walk(words, reference) for reference in references]
        errors = [sum(kind != "match" for kind, *_ in walk) for walk in walks]
        rates = [cost / max(len(reference), 1) for cost, reference in zip(errors, references, strict=True)]
        best = rates.index(min(rates))
        kinds = Counter(kind for kind, *_ in walks[best])
        told = (
            ("jump", "jumps", "to another place of the output"),
            ("substitution", "substitutions", "replaced"),
            ("insertion", "insertions", "only in the output"),
            ("deletion", "deletions", "only in the reference"),
        )
        figures = [Figure(name, kinds[kind], how) for kind, name, how in told]
        figures.append(Figure("reference length", len(references[best]), "words"))
        part = Links(
            f"Blocks that go with {ordinal_reference(best, len(references))}",
            tuple(words),
            tuple(references[best]),
            tuple(_blocks(walks[best])),
        )
        row = [errors[best], len(references[best])]
        note = "words of the output outside the blocks are replaced, inserted, or jumped over"
        return Explanation.of(self, batch, row, figures=figures, parts=[part], notes=[note], counted=(best + 1,))

    def score(self, totals: Array) -> Array:
        """Errors per reference word; where there is none, the errors themselves."""
        rate: Array = totals[..., 0] / np.maximum(totals[..., 1], 1)
        return rate


def _blocks(walk: Sequence[Step]) -> Iterator[Link]:
    """Runs of matches that follow one another in the walk."""
    start: tuple[int, int] | None = None
    size = 0
    for kind, mine, theirs in [*walk, ("end", None, None)]:
        if kind == "match" and mine is not None and theirs is not None:
            start = start or (mine, theirs)
            size += 1
        elif start is not None:
            yield Link((start[0], start[0] + size), (start[1], start[1] + size))
            start, size = None, 0
