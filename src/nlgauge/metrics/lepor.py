"""LEPOR (Han, Wong and Chao 2012) and hLEPOR (Han et al. 2013).

Three factors: a penalty for texts shorter or longer than the reference, a penalty for words in other places than in the
reference, and the weighted harmonic mean of precision and recall of words. LEPOR is their product, hLEPOR their
weighted harmonic mean. The score of a set is the mean over its segments.

    paper   equal words are aligned once each: the nearest with a common word within `window` words, else the nearest
    nltk    NLTK 3.10's `nltk.translate.lepor`. It differs from the paper: a difference in length is rewarded (the
            factor is e to the power 1 - shorter/longer, above 1), of several places for a word the farthest is
            taken, a word of the reference may be aligned to many, and a word's place is counted among the aligned
            words only. Scores may exceed 1.

`hlepor` equals the package hLepor 0.0.4 on the same words, its slip in choosing among places included.
A text without words, which both packages refuse, scores 0.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.alignment import lepor_alignment, place_differences
from nlgauge.metrics.base import Array, MeanMetric, best_reference, option, ratio
from nlgauge.metrics.explanation import Explanation, Figure, Link, Links, ordinal_reference
from nlgauge.metrics.matching import segment_words
from nlgauge.text import tokenizers


@dataclass(frozen=True)
class _Lepor(MeanMetric):
    """What both share: rows of the score (best or average over the references) and 1."""

    multi: str = option("best", "how several references are joined", choices=("best", "average"))
    tok: str = option("13a", "tokeniser; the packages use NLTK's word_tokenize", check=tokenizers.check)

    def _joined(self, batch: Batch, form: str, window: int, lower: bool) -> Array:
        pairs = active().lepor_rows(batch.tokens(self.tok, lower=lower), form, window, batch.jobs)
        segment, scores = pairs[:, 0], self._scores(*pairs[:, 1:].T)
        if self.multi == "best":
            joined = scores[best_reference(segment, scores)]
        else:
            places = segment.astype(np.int64)
            joined = np.bincount(places, weights=scores) / np.bincount(places)
        return np.stack([joined, np.ones(len(batch))], axis=1)

    def _scores(self, aligned: Array, difference: Array, length: Array, reference: Array) -> Array:
        """The scores against each reference; 0 where a text has no words."""
        words = (length > 0) & (reference > 0)
        length, reference = np.where(words, length, 1.0), np.where(words, reference, 1.0)
        positions = np.exp(-difference / length)
        return np.where(words, self._of_pairs(aligned, positions, length, reference), 0.0)

    def _told(self, batch: Batch, form: str, window: int, lower: bool) -> Explanation:
        """The words aligned with each reference that counts, and the factors they give."""
        words, references = segment_words(batch, self.tok, lower=lower)
        found = [lepor_alignment(words, reference, form, window) for reference in references]
        counts = np.array(
            [
                [len(pairs), place_differences(pairs, words, reference, form), len(words), len(reference)]
                for pairs, reference in zip(found, references, strict=True)
            ],
            dtype=np.float64,
        )
        scores = self._scores(*counts.T)
        chosen = [int(np.argmax(scores))] if self.multi == "best" else list(range(len(references)))
        figures, parts = list[Figure](), list[Links]()
        for k in chosen:
            which = "" if len(chosen) == 1 else f", reference {k + 1}"
            aligned, difference, length, wanted = counts[k].tolist()
            figures += [
                Figure(
                    f"words aligned{which}",
                    aligned,
                    f"of {length:g} in the output, {wanted:g} in the reference",
                ),
                Figure(
                    f"places{which}",
                    float(np.exp(-difference / max(length, 1))),
                    f"e^-d: relative places differ by d = {difference / max(length, 1):.4g} in the mean",
                ),
                Figure(f"score{which}", float(scores[k])),
            ]
            links = tuple(Link((i, i + 1), (place, place + 1)) for i, place in sorted(found[k]))
            title = f"Words aligned with {ordinal_reference(k, len(references))}"
            parts.append(Links(title, tuple(words), tuple(references[k]), links))
        row = [float(scores[chosen].mean()), 1.0]
        counted = [k + 1 for k in chosen]
        return Explanation.of(self, batch, row, figures=figures, parts=parts, counted=counted)

    def _of_pairs(self, aligned: Array, positions: Array, length: Array, reference: Array) -> Array:
        raise NotImplementedError


@dataclass(frozen=True)
class Lepor(_Lepor):
    """LEPOR, from 0 to 1: the product of factors for length, places of words, and precision and recall.

    >>> lepor = Lepor()
    >>> round(lepor.corpus(["a bird is on a stone."], [["a bird behind the stone."]]), 4)
    0.5139
    """

    alpha: float = option(1.0, "weight of recall", low=0)
    beta: float = option(1.0, "weight of precision", low=0)
    window: int = option(2, "neighbours of a word that are looked at on either side (form=paper)", low=0, high=100)
    form: str = option("paper", "the paper's rules, or NLTK's (scores may exceed 1)", choices=("paper", "nltk"))
    lower: bool = option(False, "lower-case before tokenising")

    name = "lepor"
    cite = (
        "Han, Wong and Chao (2012), LEPOR: a robust evaluation metric for machine translation with augmented factors. "
        "COLING."
    )
    reference = "the paper's definition; NLTK 3.10 (sentence_lepor) with form=nltk"

    def rows(self, batch: Batch) -> Array:
        return self._joined(batch, self.form, self.window, self.lower)

    def explained(self, batch: Batch) -> Explanation:
        """The aligned words and the factors they give."""
        return self._told(batch, self.form, self.window, self.lower)

    def _of_pairs(self, aligned: Array, positions: Array, length: Array, reference: Array) -> Array:
        shorter, longer = np.minimum(length, reference), np.maximum(length, reference)
        sizes = np.exp(1 - (shorter / longer if self.form == "nltk" else longer / shorter))
        tiny = sys.float_info.epsilon if self.form == "nltk" else 0.0  # NLTK's guard against division by 0
        return sizes * positions * _harmonic(aligned / length, aligned / reference, self.alpha, self.beta, tiny)


@dataclass(frozen=True)
class Hlepor(_Lepor):
    """hLEPOR, from 0 to 1: the weighted harmonic mean of LEPOR's factors.

    >>> hlepor = Hlepor(tok="none")
    >>> reference = "It is a guide to action that ensures that the military will forever heed Party commands"
    >>> output = "It is a guide to action which ensures that the military always obeys the commands of the party"
    >>> round(hlepor.corpus([output], [[reference]]), 4)
    0.7842
    """

    alpha: float = option(9.0, "weight of recall", low=0)
    beta: float = option(1.0, "weight of precision", low=0)
    window: int = option(2, "neighbours of a word that are looked at on either side", low=0, high=100)
    length_weight: float = option(2.0, "weight of the factor for length", low=0)
    order_weight: float = option(1.0, "weight of the factor for places of words", low=0)
    word_weight: float = option(7.0, "weight of precision and recall", low=0)
    lower: bool = option(True, "lower-case before tokenising")

    name = "hlepor"
    cite = (
        "Han, Wong, Chao, He, Lu, Xing and Zeng (2013), Language-independent model for machine translation evaluation "
        "with reinforced factors. MT Summit XIV."
    )
    reference = "hLepor 0.0.4"

    def rows(self, batch: Batch) -> Array:
        return self._joined(batch, "hlepor", self.window, self.lower)

    def explained(self, batch: Batch) -> Explanation:
        """The aligned words and the factors they give."""
        return self._told(batch, "hlepor", self.window, self.lower)

    def _of_pairs(self, aligned: Array, positions: Array, length: Array, reference: Array) -> Array:
        sizes = np.exp(1 - np.maximum(length, reference) / np.minimum(length, reference))
        matches = _harmonic(aligned / length, aligned / reference, self.alpha, self.beta, 0.0)
        some = (matches > 0) & (sizes > 0)
        inverse = self.length_weight / np.where(some, sizes, 1) + self.order_weight / positions
        inverse += self.word_weight / np.where(some, matches, 1)
        return np.where(
            some,
            ratio(np.full(inverse.shape, self.length_weight + self.order_weight + self.word_weight), inverse),
            0.0,
        )


def _harmonic(precision: Array, recall: Array, alpha: float, beta: float, tiny: float) -> Array:
    """The mean of recall (weight alpha) and precision (weight beta); 0 where both are."""
    some = (precision > 0) | (tiny > 0)
    inverse = alpha / (np.where(some, recall, 1.0) + tiny) + beta / (np.where(some, precision, 1.0) + tiny)
    return np.where(some, ratio(np.full(inverse.shape, alpha + beta), inverse), 0.0)
