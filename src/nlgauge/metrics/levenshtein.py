"""Levenshtein's distance with costs of one's own, over words or characters.

The least cost of turning the reference into the hypothesis by inserting, deleting and substituting, and, if asked
for, by exchanging two neighbours (at cost 1; other edits may lie between them, as in NLTK's `edit_distance`). The score
is the distance by a length, summed over the corpus before dividing, or the mean distance itself. With several
references the nearest counts (of equally near ones the longest).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.errors import InputError
from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, Direction, Metric, option
from nlgauge.metrics.explanation import Edits, Explanation, Figure, Unit, ordinal_reference
from nlgauge.metrics.matching import cheapest_edits, segment_words
from nlgauge.text import tokenizers


@dataclass(frozen=True)
class Levenshtein(Metric):
    """Weighted edit distance, by default of characters and divided by the length of the longer text.

    >>> Levenshtein(norm="none").corpus(["sitting"], [["kitten"]])
    3.0
    """

    unit: str = option("char", "what is edited: words or characters", choices=("word", "char"))
    norm: str = option(
        "longest",
        "divide by the length of the longest text, of the reference, or not at all (none: the mean distance)",
        choices=("longest", "reference", "none"),
    )
    substitution: float = option(1.0, "cost of a substitution", low=0.0)
    insertion: float = option(1.0, "cost of a unit that only the hypothesis has", low=0.0)
    deletion: float = option(1.0, "cost of a unit that only the reference has", low=0.0)
    transposition: bool = option(False, "allow exchanging two neighbours, at cost 1")
    tok: str = option("none", "tokeniser for words; with unit=char it has no effect", check=tokenizers.check)
    lower: bool = option(False, "lower-case the texts first")

    name: ClassVar[str] = "levenshtein"
    direction: ClassVar[Direction] = "lower"
    shows_words: ClassVar[int] = 2_000
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    cite: ClassVar[str] = (
        "Levenshtein (1966), Binary codes capable of correcting deletions, insertions and reversals. Soviet Physics "
        "Doklady."
    )
    reference: ClassVar[str] = "NLTK 3.10's edit_distance (the distance of one pair)"
    columns: ClassVar[tuple[str, ...]] = ("distance", "length")

    def rows(self, batch: Batch) -> Array:
        """The least distance over the references, and the length it is divided by (1 for norm=none)."""
        tokens = batch.tokens("chars" if self.unit == "char" else self.tok, lower=self.lower)
        costs = (self.substitution, self.insertion, self.deletion, self.transposition)
        try:
            pairs = active().distance_rows(tokens, *costs, batch.jobs)
        except ValueError as error:  # too long a text for the matrix that transpositions need
            raise InputError(f"{error}; leave transposition out, or cut the texts") from None
        order = np.lexsort((-pairs[:, 3], pairs[:, 1], pairs[:, 0]))
        nearest = order[np.searchsorted(pairs[:, 0], np.arange(len(batch)))]
        lengths = {"longest": pairs[:, 2:].max(axis=1), "reference": pairs[:, 3], "none": np.ones(len(pairs))}
        return np.stack([pairs[nearest, 1], lengths[self.norm][nearest]], axis=1)

    def explained(self, batch: Batch) -> Explanation:
        """The cheapest edits towards the nearest reference; with transpositions, which no row of edits shows, the
        statistics only."""
        if self.transposition:
            return super().explained(batch)
        unit: Unit = "characters" if self.unit == "char" else "words"
        words, references = segment_words(batch, "chars" if self.unit == "char" else self.tok, lower=self.lower)
        costs = (self.substitution, self.insertion, self.deletion)
        found = [cheapest_edits(words, reference, *costs) for reference in references]
        best = min(range(len(found)), key=lambda k: (found[k][0], -len(references[k])))
        distance, pairs = found[best]
        reference, which = references[best], ordinal_reference(best, len(references))
        lengths = {"longest": max(len(words), len(reference)), "reference": len(reference), "none": 1}
        figures = [
            Figure("distance", distance, "cost of the edits"),
            Figure("divided by", lengths[self.norm], self.norm),
        ]
        part = Edits.of(f"Edits against {which}", words, reference, pairs, unit)
        row = [distance, lengths[self.norm]]
        return Explanation.of(self, batch, row, figures=figures, parts=[part], counted=(best + 1,))

    def score(self, totals: Array) -> Array:
        """Distance by length; where there is no length, the distance itself."""
        length = totals[..., 1]
        rate: Array = totals[..., 0] / np.where(length > 0, length, 1.0)
        return rate
