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
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from nlgauge.errors import InputError
from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.interface import NgramCounts
from nlgauge.metrics.base import Array, Metric, option
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
        with np.errstate(divide="ignore", invalid="ignore"):
            shortness = np.log(np.minimum(length / reference, 1))
            penalty = np.where(reference > length, np.exp(_BETA * shortness**2), 1.0)
        scores: Array = np.where(length > 0, penalty * per_ngram.sum(axis=-1), 0.0)
        return scores
