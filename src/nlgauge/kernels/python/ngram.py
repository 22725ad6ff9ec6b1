"""N-gram matching for BLEU and NIST."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from nlgauge.arrays import Array
from nlgauge.kernels import interface
from nlgauge.kernels.python.tokens import plain

Ngram = tuple[str, ...]
ROUNDING = 1e-12  # sums of information that differ by less, relatively, are equal


def bleu_rows(tokens: interface.Tokens, order: int, reference_length: str, jobs: int) -> Array:
    """hypothesis length, reference length, correct 1..order, total 1..order.

    `reference_length` is `closest` (ties to the shorter), `shortest` or `average`.
    """
    batch = plain(tokens)
    rows = np.zeros((len(tokens), 2 + 2 * order))
    for row, hypothesis, references in zip(rows, batch.hypotheses, batch.references, strict=True):
        row[0] = len(hypothesis)
        row[1] = _reference_length(len(hypothesis), [len(words) for words in references], reference_length)
        for n in range(1, order + 1):
            counts = _ngrams(hypothesis, n)
            row[1 + n] = (counts & _largest(references, n)).total()
            row[1 + order + n] = counts.total()
    return rows


@dataclass
class NgramCounts:
    """How often each n-gram occurs in all references."""

    order: int
    words: int = 0
    counts: Counter[Ngram] = field(default_factory=Counter, repr=False)

    def __len__(self) -> int:
        return len(self.counts)

    def add(self, tokens: interface.Tokens) -> None:
        """Count the references of a batch."""
        batch = plain(tokens)
        for references in batch.references:
            for words in references:
                self.words += len(words)
                for n in range(1, self.order + 1):
                    self.counts.update(_ngrams(words, n))

    def information(self, ngram: Ngram) -> float:
        """log2 of how often the first n - 1 words occur per occurrence of the n-gram; 0 if it never does."""
        before = self.counts[ngram[:-1]] if len(ngram) > 1 else self.words
        occurrences = self.counts[ngram]
        return math.log2(before) - math.log2(occurrences) if before and occurrences else 0.0


def ngram_counts(order: int) -> NgramCounts:
    """An empty table of n-gram counts up to `order`."""
    return NgramCounts(order)


def nist_rows(tokens: interface.Tokens, counts: interface.NgramCounts, order: int, multi: str, jobs: int) -> Array:
    """hypothesis length, reference length, matched information 1..order, total 1..order.

    `pooled` clips each count by its largest in any reference and takes the references' mean length. `best`
    picks, for each order by itself, the reference with most information (the longer of equals) and takes the
    mean length of those picked.
    """
    if not isinstance(counts, NgramCounts):
        raise TypeError("the n-grams were counted by another backend")
    batch = plain(tokens)
    rows = np.zeros((len(tokens), 2 + 2 * order))
    for row, hypothesis, references in zip(rows, batch.hypotheses, batch.references, strict=True):
        row[0] = len(hypothesis)
        lengths = [len(words) for words in references]
        picked = 0
        for n in range(1, order + 1):
            own = _ngrams(hypothesis, n)
            row[1 + order + n] = own.total()
            if multi == "pooled":
                row[1 + n] = _matched_information(own, _largest(references, n), counts)
            else:
                found = [(_matched_information(own, _ngrams(words, n), counts), len(words)) for words in references]
                row[1 + n], length = _most_informative(found)
                picked += length
        row[1] = sum(lengths) / len(lengths) if multi == "pooled" else picked / order
    return rows


def _most_informative(found: Sequence[tuple[float, int]]) -> tuple[float, int]:
    """The most information, and the length of the longest reference that has it but for rounding."""
    most, _ = max(found)
    return most, max(length for information, length in found if information >= most * (1 - ROUNDING))


def _matched_information(own: Counter[Ngram], other: Counter[Ngram], counts: NgramCounts) -> float:
    total = 0.0
    for ngram, count in own.items():
        total += min(count, other[ngram]) * counts.information(ngram)
    return total


def _ngrams(words: Sequence[str], n: int) -> Counter[Ngram]:
    return Counter(tuple(words[start : start + n]) for start in range(len(words) - n + 1))


def _largest(references: Sequence[Sequence[str]], n: int) -> Counter[Ngram]:
    """Each n-gram with the largest of its counts in one reference."""
    union: Counter[Ngram] = Counter()
    for words in references:
        union |= _ngrams(words, n)
    return union


def _reference_length(hypothesis: int, references: Sequence[int], rule: str) -> float:
    """The length the brevity penalty compares with."""
    if rule == "closest":
        return min(references, key=lambda length: (abs(length - hypothesis), length))
    if rule == "shortest":
        return min(references)
    return sum(references) / len(references)
