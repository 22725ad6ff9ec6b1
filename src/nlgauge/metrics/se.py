"""SE, the string-edit score (Belz and Reiter 2006, "Comparing Automatic and Human Evaluation of NLG
Systems").

SE = 1 − d / (hypothesis length + reference length), where d is the edit distance with substitution at cost
2, insertion and deletion at cost 1: the largest distance two texts can have is the sum of their lengths, so
that SE runs from 0 (nothing in common) to 1 (the same text). Several references: the mean of the scores; a
set of texts: the mean over the texts. Two empty texts are the same text. No implementation was published;
this follows the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.errors import InputError
from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, MeanMetric, option
from nlgauge.metrics.explanation import Edits, Explanation, Figure, ordinal_reference
from nlgauge.metrics.matching import common_subsequence, matches_in, segment_words
from nlgauge.text import tokenizers


@dataclass(frozen=True)
class Se(MeanMetric):
    """String-edit score over words or characters: twice what is common, in order, by the sum of the lengths."""

    unit: str = option("word", "what is edited: words or characters", choices=("word", "char"))
    tok: str = option("none", "tokeniser for words; with unit=char it has no effect", check=tokenizers.check)
    lower: bool = option(False, "lower-case the texts first")

    name: ClassVar[str] = "se"
    cite: ClassVar[str] = "Belz and Reiter (2006), Comparing automatic and human evaluation of NLG systems. EACL."
    reference: ClassVar[str] = "the paper's definition; no implementation was published"

    def rows(self, batch: Batch) -> Array:
        """The mean over references of 1 − d / (sum of lengths), and 1."""
        tokens = batch.tokens("chars" if self.unit == "char" else self.tok, lower=self.lower)
        pairs = active().distance_rows(tokens, 2.0, 1.0, 1.0, False, batch.jobs)
        longest = pairs[:, 2] + pairs[:, 3]
        scores = 1.0 - np.divide(pairs[:, 1], longest, out=np.zeros(len(pairs)), where=longest > 0)
        segment = pairs[:, 0].astype(np.int64)
        sums = np.bincount(segment, weights=scores, minlength=len(batch))
        return np.stack([sums / np.bincount(segment, minlength=len(batch)), np.ones(len(batch))], axis=1)

    def explained(self, batch: Batch) -> Explanation:
        """What each reference and the output have in common, in order."""
        characters = self.unit == "char"
        words, references = segment_words(batch, "chars" if characters else self.tok, lower=self.lower)
        figures, parts, scores = [], [], []
        for number, reference in enumerate(references):
            pairs = common_subsequence(words, reference)
            longest, common = len(words) + len(reference), matches_in(pairs)
            # a substitution costs as much as an insertion and a deletion, so that only what is common matters
            scores.append(1.0 - (longest - 2 * common) / longest if longest else 1.0)
            which = ordinal_reference(number, len(references))
            figures.append(Figure(which, scores[-1], f"1 − {longest - 2 * common} / ({len(words)} + {len(reference)})"))
            title = f"In common with {which}"
            parts.append(Edits.of(title, words, reference, pairs, "characters" if characters else "words"))
        return Explanation.of(self, batch, [sum(scores) / len(scores), 1.0], figures=figures, parts=parts)


def edit_distance(
    a: Sequence[str],
    b: Sequence[str],
    *,
    substitution: float = 1.0,
    insertion: float = 1.0,
    deletion: float = 1.0,
    transpositions: bool = False,
) -> float:
    """The least cost of turning `a` into `b`: strings (character by character) or lists of words.

    `transpositions` allows exchanging two neighbours, between which other edits may lie, at cost 1 (NLTK's
    `edit_distance` has the same rule).

    >>> edit_distance("rain", "shine")
    3.0
    """
    if min(substitution, insertion, deletion) < 0:
        raise InputError("the costs of substitution, insertion and deletion must not be negative")
    kernels = active()
    tokens = kernels.tokens_from_lists([list(b)], [[list(a)]])
    return float(kernels.distance_rows(tokens, substitution, insertion, deletion, transpositions, 1)[0, 1])
