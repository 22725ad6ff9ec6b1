"""Word error rate and its family, as jiwer 4.0 computes them.

From one alignment of hypothesis and reference come the hits H, substitutions S, deletions D and insertions
I:

* WER = (S + D + I) / (H + S + D); CER is the same over characters
* MER, the match error rate = (S + D + I) / (H + S + D + I)
* WIP, the word information preserved = H / reference length · H / hypothesis length; WIL = 1 − WIP

(Morris, Maier and Green 2004: "From WER and RIL to MER and WIL".) Where there is no reference word at all,
WER and CER are the number of insertions, MER is 0 or 1 and WIP 1 or 0 by whether the hypothesis is empty
too, as in jiwer. With several references, the one with the lowest error rate counts (ties: the first);
jiwer takes one only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.edit import edit_pairs, error_rate
from nlgauge.metrics.base import Array, Direction, Metric, option, ratio
from nlgauge.metrics.explanation import Edits, Explanation, Figure, Unit, ordinal_reference
from nlgauge.metrics.matching import segment_words
from nlgauge.text import tokenizers


@dataclass(frozen=True)
class ErrorRate(Metric):
    """What the family shares: rows of alignment counts, or of segment scores for the mean over segments."""

    tok: str = option("jiwer", "tokeniser; jiwer's splits at blanks", check=tokenizers.check)
    lower: bool = option(False, "lower-case the texts first")
    average: str = option(
        "micro",
        "micro: one rate over all words; macro: the mean of the segments' rates",
        choices=("micro", "macro"),
    )

    direction: ClassVar[Direction] = "lower"
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    cite: ClassVar[str] = (
        "Morris, Maier and Green (2004), From WER and RIL to MER and WIL: improved evaluation measures for connected "
        "speech recognition. Interspeech."
    )
    reference: ClassVar[str] = "jiwer 4.0"

    @property
    def columns(self) -> tuple[str, ...]:
        """The counts, or the sum of segment scores and their number."""
        if self.average == "macro":
            return ("score", "segments")
        return ("hits", "substitutions", "deletions", "insertions")

    def rows(self, batch: Batch) -> Array:
        """Counts against the reference with the lowest error rate."""
        counts = active().edit_rows(batch.tokens(self.tok, lower=self.lower), batch.jobs)
        if self.average == "macro":
            return np.stack([self.rate(counts), np.ones(len(counts))], axis=1)
        return counts

    def score(self, totals: Array) -> Array:
        """The rate of summed counts, or the mean of summed rates."""
        if self.average == "macro":
            return ratio(totals[..., 0], totals[..., 1])
        return self.rate(totals)

    def rate(self, counts: Array) -> Array:
        """From (…, 4) counts to rates."""
        raise NotImplementedError

    def explained(self, batch: Batch) -> Explanation:
        """The alignment with the reference that has the lowest error rate."""
        words, references = segment_words(batch, self.tok, lower=self.lower)
        unit: Unit = "characters" if self.tok in ("char", "chars") else "words"
        found = [
            Edits.of(
                f"Edits against {ordinal_reference(k, len(references))}",
                words,
                reference,
                edit_pairs(reference, words),
                unit,
            )
            for k, reference in enumerate(references)
        ]
        counts = [(e.count("match"), e.count("substitution"), e.count("deletion"), e.count("insertion")) for e in found]
        rates = [error_rate(count) for count in counts]
        best = rates.index(min(rates))
        row = np.array(counts[best], dtype=np.float64)
        names = ("hits", "substitutions", "deletions", "insertions")
        hows = (f"{unit} both have", "replaced", "only in the reference", "only in the output")
        figures = [Figure(name, value, how) for name, value, how in zip(names, row.tolist(), hows, strict=True)]
        if self.average == "macro":
            row = np.array([float(self.rate(row)), 1.0])
        return Explanation.of(self, batch, row, figures=figures, parts=[found[best]], counted=(best + 1,))


def _word_error_rate(counts: Array) -> Array:
    errors = counts[..., 1:].sum(axis=-1)
    # No reference word: the insertions themselves, which is to say a length of 1.
    rate: Array = errors / np.maximum(counts[..., :3].sum(axis=-1), 1)
    return rate


def _information_preserved(counts: Array) -> Array:
    hits = counts[..., 0]
    reference = counts[..., :3].sum(axis=-1)
    hypothesis = counts[..., 0] + counts[..., 1] + counts[..., 3]
    preserved = ratio(hits, reference) * ratio(hits, hypothesis)
    return np.where((reference == 0) & (hypothesis == 0), 1.0, preserved)


@dataclass(frozen=True)
class Wer(ErrorRate):
    """Word error rate: edits per reference word; above 1 where the hypothesis is much longer."""

    name: ClassVar[str] = "wer"
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    def rate(self, counts: Array) -> Array:
        """(S + D + I) / (H + S + D)."""
        return _word_error_rate(counts)


@dataclass(frozen=True)
class Cer(ErrorRate):
    """Character error rate: edits per reference character, blanks included."""

    tok: str = option("chars", "tokeniser; chars makes each character a token", check=tokenizers.check)

    name: ClassVar[str] = "cer"
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    def rate(self, counts: Array) -> Array:
        """(S + D + I) / (H + S + D)."""
        return _word_error_rate(counts)


@dataclass(frozen=True)
class Mer(ErrorRate):
    """Match error rate: the share of aligned pairs that are wrong."""

    name: ClassVar[str] = "mer"

    def rate(self, counts: Array) -> Array:
        """(S + D + I) / (H + S + D + I)."""
        return ratio(counts[..., 1:].sum(axis=-1), counts.sum(axis=-1))


@dataclass(frozen=True)
class Wil(ErrorRate):
    """Word information lost: 1 − WIP."""

    name: ClassVar[str] = "wil"

    def rate(self, counts: Array) -> Array:
        """1 − H² / (reference length · hypothesis length)."""
        return 1.0 - _information_preserved(counts)


@dataclass(frozen=True)
class Wip(ErrorRate):
    """Word information preserved: H² / (reference length · hypothesis length)."""

    name: ClassVar[str] = "wip"
    direction: ClassVar[Direction] = "higher"

    def rate(self, counts: Array) -> Array:
        """H / reference length · H / hypothesis length."""
        return _information_preserved(counts)
