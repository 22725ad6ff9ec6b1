"""NIST (Doddington 2002), equal to mteval-v13a and its Python port pymteval.

The information carried by the matched n-grams, per n-gram of the output, summed over the orders, times a
penalty for short outputs. Rare n-grams inform more: the information of an n-gram is log2 of how often its
first n - 1 words occur for each occurrence of the whole, counted over all references of the corpus. A
segment's score therefore depends on the corpus it stands in.

With several references mteval clips the count of an n-gram by its largest in any of them and compares
lengths with their mean (`multi=pooled`). NLTK picks, for each order by itself, the reference with most
information, and takes the length of that one (`multi=best`).
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Self

import numpy as np

from nlgauge.errors import InputError
from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.interface import NgramCounts
from nlgauge.kernels.python.ngram import ROUNDING
from nlgauge.metrics.base import Array, Metric, option
from nlgauge.metrics.explanation import Explanation, Figure, Ngrams
from nlgauge.metrics.matching import Gram, compared, covered, largest, ngrams, order_title, segment_words
from nlgauge.text import tokenizers

# Makes the brevity penalty one half for outputs two thirds as long as their references.
_BETA = math.log(0.5) / math.log(1.5) ** 2


@dataclass(frozen=True)
class Nist(Metric):
    """NIST, from 0 upwards: n-gram matches weighted by how much they inform, with a brevity penalty.

    >>> nist = Nist()
    >>> round(nist.corpus(["the cat sat"], [["the cat sat"]]), 3)
    1.585
    """

    order: int = option(5, "longest n-grams", low=1, high=100)
    tok: str = option("13a", "tokeniser", check=tokenizers.check)
    lower: bool = option(False, "lower-case before tokenising")
    multi: str = option(
        "pooled",
        "several references: pooled (mteval: largest count, mean length) or best (NLTK: of each order)",
        choices=("pooled", "best"),
    )
    counts: NgramCounts | None = dataclasses.field(default=None, repr=False, compare=False)

    name = "nist"
    bounds = (0.0, math.inf)
    cite = (
        "Doddington (2002), Automatic evaluation of machine translation quality using n-gram co-occurrence "
        "statistics. HLT."
    )
    reference = "mteval-v13a; NLTK's corpus_nist with multi=best"
    at = "order"

    @property
    def columns(self) -> tuple[str, ...]:
        orders = range(1, self.order + 1)
        information, total = (f"information_{n}" for n in orders), (f"total_{n}" for n in orders)
        return ("hypothesis_length", "reference_length", *information, *total)

    def prepare(self, corpus: Iterable[Batch]) -> Self:
        counts = active().ngram_counts(self.order)
        for batch in corpus:
            counts.add(batch.tokens(self.tok, lower=self.lower))
        return dataclasses.replace(self, counts=counts)

    def rows(self, batch: Batch) -> Array:
        if self.counts is None:
            raise InputError(
                "NIST weighs n-grams by all references of the corpus; call prepare(corpus) and take the rows "
                "of the metric it returns"
            )
        tokens = batch.tokens(self.tok, lower=self.lower)
        return active().nist_rows(tokens, self.counts, self.order, self.multi, batch.jobs)

    def score(self, totals: Array) -> Array:
        totals = np.asarray(totals, dtype=np.float64)
        length, reference = totals[..., 0], totals[..., 1]
        information, total = totals[..., 2 : 2 + self.order], totals[..., 2 + self.order :]
        # Orders longer than every hypothesis add nothing; their total is 0.
        per_ngram = information / np.maximum(total, 1)
        penalty = _penalty(length, reference)
        scores: Array = np.where(length > 0, penalty * per_ngram.sum(axis=-1), 0.0)
        return scores

    def explained(self, batch: Batch) -> Explanation:
        """The n-grams of each order with the information each carries."""
        words, references = segment_words(batch, self.tok, lower=self.lower)
        orders = range(1, self.order + 1)
        mine = [ngrams(words, n) for n in orders]
        theirs = [[ngrams(reference, n) for reference in references] for n in orders]
        everything = chain(mine, *theirs)
        worth = self._information({gram for counts in everything for gram in counts})
        parts, lengths = [], []
        for n, own, others in zip(orders, mine, theirs, strict=True):
            if self.multi == "pooled":
                part = compared(order_title(n), own, largest(others), weights=worth.__getitem__)
            else:
                part, length = self._best(n, own, others, [len(words) for words in references], worth)
                lengths.append(length)
            parts.append(part)
        lengths = lengths or [len(reference) for reference in references]
        reference = sum(lengths) / len(lengths)
        information = [_information_of(part) for part in parts]
        row = [len(words), reference, *information, *(part.hypothesis for part in parts)]
        figures = [
            Figure(
                f"information {n}",
                found / max(part.hypothesis, 1),
                f"{found:.4f} in {part.matched} matched of {part.hypothesis}",
            )
            for n, found, part in zip(orders, information, parts, strict=True)
        ]
        penalty = float(_penalty(np.float64(len(words)), np.float64(reference))) if words else 0.0
        parts = [_shared_out(part, penalty) for part in parts]
        figures.append(Figure("brevity penalty", penalty, f"{len(words)} words against {reference:g}"))
        return Explanation.of(self, batch, row, figures=figures, parts=[covered(words, parts), *parts])

    def _best(
        self,
        n: int,
        own: Counter[Gram],
        others: list[Counter[Gram]],
        lengths: list[int],
        worth: dict[Gram, float],
    ) -> tuple[Ngrams, int]:
        """The order against the reference with most information, the longer of equals, and that one's length."""
        found = [compared(order_title(n), own, other, weights=worth.__getitem__) for other in others]
        information = [_information_of(counts) for counts in found]
        equal = [k for k, value in enumerate(information) if value >= max(information) * (1 - ROUNDING)]
        number = max(equal, key=lengths.__getitem__)
        return found[number], lengths[number]

    def _information(self, grams: set[Gram]) -> dict[Gram, float]:
        """What each n-gram is worth: the information that its match with itself carries."""
        if self.counts is None:
            raise InputError("NIST weighs n-grams by all references of the corpus; call prepare(corpus) first")
        every = sorted(grams)
        tokens = active().tokens_from_lists(every, [[gram] for gram in every])
        rows = active().nist_rows(tokens, self.counts, self.order, "pooled", 1)
        return {gram: float(rows[k, 1 + len(gram)]) for k, gram in enumerate(every)}


def _shared_out(part: Ngrams, penalty: float) -> Ngrams:
    """With what each n-gram adds to the score."""
    total = max(part.hypothesis, 1)
    rows = (dataclasses.replace(row, share=row.matched * (row.weight or 0.0) / total * penalty) for row in part.rows)
    return dataclasses.replace(part, rows=tuple(rows))


def _information_of(part: Ngrams) -> float:
    total = 0.0
    for row in part.rows:
        total += row.matched * (row.weight or 0.0)
    return total


def _penalty(length: Array | np.float64, reference: Array | np.float64) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        shortness = np.log(np.minimum(length / reference, 1))
        return np.where(reference > length, np.exp(_BETA * shortness**2), 1.0)
