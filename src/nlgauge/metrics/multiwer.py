"""MultiWER, the word error rate against several references (Nießen, Och, Leusch and Ney 2000, "An evaluation tool for
machine translation: fast evaluation for MT research").

Each segment is compared with the reference it is nearest to: the fewest insertions, deletions and substitutions. The
sum of these is divided by a sum of reference lengths. Which length a segment with several references has is a choice
that later papers of the same group discuss (Leusch et al. 2005): that of the nearest reference (of equally near ones
the longest), the mean, the shortest, or the one closest to the hypothesis's. `wer`, by contrast, picks the
reference with the lowest *rate*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.edit import edit_counts, edit_pairs
from nlgauge.metrics.base import Array, Direction, Metric, option
from nlgauge.metrics.explanation import Edits, Explanation, Figure, ordinal_reference
from nlgauge.metrics.matching import segment_words
from nlgauge.text import tokenizers


@dataclass(frozen=True)
class MultiWer(Metric):
    """Fewest edits over the references, per reference word; 0 is best.

    >>> MultiWer().corpus(["a b c"], [["a b", "a b c d e f"]])
    0.5
    """

    tok: str = option("none", "tokeniser", check=tokenizers.check)
    lower: bool = option(False, "lower-case the texts first")
    length: str = option(
        "nearest",
        "length of a segment with several references: nearest (fewest edits), average, shortest or closest "
        "(to the hypothesis's)",
        choices=("nearest", "average", "shortest", "closest"),
    )

    name: ClassVar[str] = "multiwer"
    direction: ClassVar[Direction] = "lower"
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    cite: ClassVar[str] = (
        "Nießen, Och, Leusch and Ney (2000), An evaluation tool for machine translation: fast evaluation for MT "
        "research. LREC."
    )
    reference: ClassVar[str] = "the paper's definition; no implementation is available"
    columns: ClassVar[tuple[str, ...]] = ("edits", "reference_length")

    def rows(self, batch: Batch) -> Array:
        """The fewest edits over the references, and the length the option names."""
        tokens = batch.tokens(self.tok, lower=self.lower)
        pairs = active().distance_rows(tokens, 1.0, 1.0, 1.0, False, batch.jobs)
        if not len(pairs):
            return np.zeros((0, 2))
        first = np.searchsorted(pairs[:, 0], np.arange(len(batch)))
        edits = np.minimum.reduceat(pairs[:, 1], first)
        return np.stack([edits, self._lengths(pairs, first)], axis=1)

    def _lengths(self, pairs: Array, first: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Array:
        """The reference length of each segment; its pairs start at `first`."""
        segment, lengths = pairs[:, 0].astype(np.int64), pairs[:, 3]
        if self.length == "shortest":
            return np.asarray(np.minimum.reduceat(lengths, first))
        if self.length == "average":
            counts = np.diff(np.append(first, len(pairs)))
            return np.asarray(np.add.reduceat(lengths, first) / counts)
        if self.length == "nearest":
            order = np.lexsort((-lengths, pairs[:, 1], segment))
        else:
            order = np.lexsort((lengths, np.abs(lengths - pairs[:, 2]), segment))
        return np.asarray(lengths[order][first])

    def explained(self, batch: Batch) -> Explanation:
        """The alignment with the nearest reference, of equally near ones the longest."""
        words, references = segment_words(batch, self.tok, lower=self.lower)
        found = [edit_pairs(reference, words) for reference in references]
        edits = [sum(edit_counts(reference, words)[1:]) for reference in references]
        best = min(range(len(references)), key=lambda k: (edits[k], -len(references[k])))
        which = ordinal_reference(best, len(references))
        part = Edits.of(f"Edits against {which}", words, references[best], found[best])
        lengths = [float(len(reference)) for reference in references]
        pairs = np.array([[0.0, e, len(words), n] for e, n in zip(edits, lengths, strict=True)])
        length = float(self._lengths(pairs, np.zeros(1, dtype=np.intp))[0])
        errors = len(part.steps) - part.count("match")
        figures = [
            Figure("edits", errors, "replaced, only in the output, or only in the reference"),
            Figure("reference length", length, f"words ({self.length})"),
        ]
        return Explanation.of(self, batch, [errors, length], figures=figures, parts=[part], counted=(best + 1,))

    def score(self, totals: Array) -> Array:
        """Edits per reference word; where there is none, the edits themselves."""
        rate: Array = totals[..., 0] / np.maximum(totals[..., 1], 1)
        return rate
