"""ΔBLEU (Galley et al. 2015): BLEU whose references have weights. Equal to its author's fork of sacreBLEU.

People judge how good each reference is, from -1 (a bad answer) to 1. A matched n-gram counts with the best weight of a
reference that has it, so that overlap with bad references alone costs; each n-gram of the output counts with the best
weight of the segment. With all weights 1 it is BLEU.

The author's program (`form=code`) takes the n-gram's best weight times its count clipped by the largest in any
reference, which may be another one; the paper (`form=paper`) takes the best product of the two. They differ
only where n-grams repeat.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.ngram import effective_reference_length
from nlgauge.metrics.base import Array, option
from nlgauge.metrics.bleu import Bleu, precisions
from nlgauge.metrics.explanation import Explanation, Ngram, Ngrams
from nlgauge.metrics.matching import covered, largest, ngrams, order_title, segment_words


@dataclass(frozen=True)
class DeltaBleu(Bleu):
    """ΔBLEU, from 0 to 100: BLEU with a weight from -1 to 1 for each reference.

    >>> deltableu = DeltaBleu()
    >>> references = [["it was a very good film", "it was a bad film"]]
    >>> round(deltableu.corpus(["it was a bad film"], references, reference_weights=[[1, -0.5]]), 2)
    24.57
    """

    form: str = option(
        "code",
        "weights and counts: as in the author's program, or as in the paper",
        choices=("code", "paper"),
    )

    name = "deltableu"
    needs = ("references", "reference_weights")
    cite = (
        "Galley, Brockett, Sordoni, Ji, Auli, Quirk, Mitchell, Gao and Dolan (2015), deltaBLEU: a discriminative "
        "metric for generation tasks with intrinsically diverse targets. ACL."
    )
    reference = "mgalley/sacreBLEU"

    def rows(self, batch: Batch) -> Array:
        weights = batch.weights()
        tokens = batch.tokens(self.tok, lower=self.lower)
        return active().deltableu_rows(tokens, weights, self.order, self.reflen, self.form, batch.jobs)

    def explained(self, batch: Batch) -> Explanation:
        """The n-grams of each order with the weight of the reference that they count with."""
        words, references = segment_words(batch, self.tok, lower=self.lower)
        (weights,) = batch.weights()
        parts = [self._weighted(words, references, weights, n) for n in range(1, self.order + 1)]
        length = effective_reference_length(len(words), [len(reference) for reference in references], self.reflen)
        matches = [sum((row.weight or 0.0) * row.matched for row in part.rows) for part in parts]
        totals = [max(weights) * part.hypothesis for part in parts]
        row = np.array([len(words), length, *matches, *totals], dtype=np.float64)
        told = ", ".join(f"{weight:g}" for weight in weights)
        return Explanation.of(
            self,
            batch,
            row,
            figures=self._figures(self._without_debts(row)),
            parts=[covered(words, parts), *parts],
            notes=[f"weights of the references: {told}; every n-gram of the output weighs {max(weights):g}"],
        )

    def _weighted(
        self, words: Sequence[str], references: Sequence[Sequence[str]], weights: Sequence[float], n: int
    ) -> Ngrams:
        mine, theirs = ngrams(words, n), [ngrams(reference, n) for reference in references]
        rows = []
        for gram in {**mine, **largest(theirs)}:
            having = [(w, counts[gram]) for w, counts in zip(weights, theirs, strict=True) if counts[gram]]
            count, most = mine[gram], max((number for _, number in having), default=0)
            weight, matched = max((w for w, _ in having), default=None), min(count, most)
            if self.form == "paper" and having:
                weight, number = max(having, key=lambda pair: pair[0] * min(count, pair[1]))
                matched = min(count, number)
            rows.append(Ngram(gram, count, most, matched, weight))
        return Ngrams(order_title(n), tuple(rows))

    def score(self, totals: Array) -> Array:
        return super().score(self._without_debts(totals))

    def precisions(self, totals: Array) -> tuple[Array, NDArray[np.bool_]]:
        """The smoothed precision of each order, and which orders the hypotheses are long enough for."""
        return precisions(self._without_debts(totals), self.order, self.smooth)

    def _without_debts(self, totals: Array) -> Array:
        """Matches of an order below 0 in sum count 0."""
        totals = np.array(totals, dtype=np.float64)
        matches = totals[..., 2 : 2 + self.order]
        np.maximum(matches, 0, out=matches)
        return totals
