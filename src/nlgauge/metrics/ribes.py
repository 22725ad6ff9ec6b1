"""RIBES (Isozaki, Hirao, Duh, Sudoh and Tsukada 2010): are the words that match in the right order?

The words of the output are placed in the reference (a word that occurs more than once by its neighbours), and the score
is the share of pairs in the right order, times precision to the power α and the brevity penalty to the power β. The
score of a set is the mean over its segments; of several references the best counts.

    nltk       NLTK 3.10: a word's right neighbours are looked at before its left ones
    nltk3.9    NLTK up to 3.9: the same, but only pairs within runs of consecutive words count, a mistake since mended
    ntt        RIBES.py 1.03 of the authors (also compare-mt): left neighbours first; a single word can match
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.alignment import pairs_in_order, pairs_in_runs, placed_words
from nlgauge.metrics.base import Array, MeanMetric, best_reference, option, ratio
from nlgauge.metrics.bleu import brevity_penalty
from nlgauge.metrics.explanation import Explanation, Figure, Link, Links, ordinal_reference
from nlgauge.metrics.matching import segment_words
from nlgauge.text import tokenizers

FORMS = ("nltk", "nltk3.9", "ntt")


@dataclass(frozen=True)
class Ribes(MeanMetric):
    """RIBES, from 0 to 1: rank correlation of matching words, with precision and brevity.

    >>> ribes = Ribes()
    >>> round(ribes.corpus(["Bob hit John yesterday"], [["John hit Bob yesterday"]]), 4)
    0.5
    """

    alpha: float = option(0.25, "power of the precision of words", low=0)
    beta: float = option(0.1, "power of the brevity penalty", low=0)
    form: str = option("nltk", "whose rules: NLTK's, NLTK's up to 3.9, or the authors' program", choices=FORMS)
    tok: str = option("none", "tokeniser; the authors expect tokenised text", check=tokenizers.check)
    lower: bool = option(False, "lower-case before tokenising, as the authors' program does")

    name = "ribes"
    cite = (
        "Isozaki, Hirao, Duh, Sudoh and Tsukada (2010), Automatic evaluation of translation quality for distant "
        "language pairs. EMNLP."
    )
    reference = "NLTK 3.10 (corpus_ribes, sentence_ribes); RIBES.py 1.03 with form=ntt"

    def rows(self, batch: Batch) -> Array:
        tokens = batch.tokens(self.tok, lower=self.lower)
        pairs = active().ribes_rows(tokens, self.form, batch.jobs)
        scores = self._of_pairs(*pairs[:, 1:].T)
        best = best_reference(pairs[:, 0], scores)
        return np.stack([scores[best], np.ones(len(batch))], axis=1)

    def explained(self, batch: Batch) -> Explanation:
        """Where the words that can be placed stand in the reference that counts."""
        words, references = segment_words(batch, self.tok, lower=self.lower)
        found = [placed_words(words, reference, self.form) for reference in references]
        ordered = pairs_in_runs if self.form == "nltk3.9" else pairs_in_order
        counts = np.array(
            [
                [len(placed), ordered([place for _, place in placed]), len(words), len(reference)]
                for placed, reference in zip(found, references, strict=True)
            ],
            dtype=np.float64,
        )
        scores = self._of_pairs(*counts.T)
        best = int(np.argmax(scores))
        placed, right, length, wanted = counts[best].tolist()
        pairs = placed * (placed - 1) / 2
        figures = [
            Figure("pairs in order", right / pairs if pairs else 0.0, f"{right:g} of {pairs:g} pairs of words"),
            Figure("precision", placed / length if length else 0.0, f"{placed:g} of {length:g} words placed"),
            Figure(
                "brevity penalty",
                float(brevity_penalty(counts[best, 2], counts[best, 3])),
                f"{length:g} words against {wanted:g}",
            ),
        ]
        part = Links(
            f"Places in {ordinal_reference(best, len(references))}",
            tuple(words),
            tuple(references[best]),
            tuple(Link((i, i + 1), (k, k + 1)) for i, k in found[best]),
        )
        note = f"the score is order · precision^{self.alpha:g} · brevity^{self.beta:g}"
        row = [float(scores[best]), 1.0]
        return Explanation.of(self, batch, row, figures=figures, parts=[part], notes=[note], counted=(best + 1,))

    def _of_pairs(self, placed: Array, ordered: Array, length: Array, reference: Array) -> Array:
        correlation = ratio(ordered, placed * (placed - 1) / 2)
        if self.form == "ntt":
            correlation = np.where((placed == 1) & (reference == 1), 1.0, correlation)
        brevity = brevity_penalty(length, reference)
        scores: Array = correlation * ratio(placed, length) ** self.alpha * brevity**self.beta
        return np.where((correlation > 0) & (length > 0), scores, 0.0)
