"""Self-BLEU (Zhu et al. 2018, Texygen): how much each output resembles the other outputs of the same system.

Each output is a hypothesis, all other outputs are its references, and the score is the mean of the sentence BLEUs, on
the scale from 0 to 1. By default that is NLTK's `sentence_bleu` with `SmoothingFunction().method1`, as Texygen has it:
an order without a match counts 0.1 of a match, and a text shorter than an order has one n-gram of it, unmatched.
`smooth=exp, effective=yes` gives sacreBLEU's `sentence_bleu` / 100.

The reference length is, as in both, that of the other output closest in length (of two, the shorter one).

An n-gram's count is clipped by its largest count in any *other* text. Number the occurrences of an n-gram within each
text (first "the", second "the", …): an occurrence is matched if and only if another text holds one with the same
number. Counting these takes time proportional to the words, not to the pairs of texts, and is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Bools, Ints
from nlgauge.kernels import active
from nlgauge.kernels.lanes import LANES, Groups, Twice, Words, packed
from nlgauge.kernels.pool import Ngrams, Pool
from nlgauge.metrics.base import Array, option
from nlgauge.metrics.bleu import bleu_score, brevity_penalty, smoothing, spelled_out
from nlgauge.metrics.sets import SetMetric, SetScorer

TEXTS = 2048  # scored at a time: with four orders some 20 MB


@dataclass(frozen=True)
class SelfBleu(SetMetric):
    """The mean BLEU of each output with all other outputs as its references, from 0 to 1: lower is more varied.

    Rises as a set grows, since the best match among more texts is better: compare systems on the same items. A
    segment's score is its BLEU against the other outputs.

    >>> round(SelfBleu(order=2).corpus(["the cat sat", "the cat ran", "a dog"]), 4)
    0.3849
    """

    order: int = option(4, "longest n-grams", low=1, high=20)
    smooth: str = smoothing("floor:0.1")
    effective: bool = option(
        False, "leave out orders that a text is too short for (sacreBLEU) instead of counting one miss (NLTK)"
    )
    reflen: str = option(
        "closest",
        "reference length for the brevity penalty, among the other outputs: closest to the text's own (the shorter "
        "of two), the shortest, or their average",
        choices=("closest", "shortest", "average"),
    )

    name: ClassVar[str] = "selfbleu"
    direction = "lower"
    cite: ClassVar[str] = (
        "Zhu, Lu, Zheng, Guo, Zhang, Wang and Yu (2018), Texygen: a benchmarking platform for text generation "
        "models. SIGIR."
    )
    reference: ClassVar[str] = "NLTK 3.10 (sentence_bleu, method1), as Texygen"
    at: ClassVar[str | None] = "order"
    size_matters = "rises"
    per_segment = "BLEU of the text against the other outputs"
    least = 2
    undefined = "it needs two outputs at least"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "smooth", spelled_out(self.smooth))

    def scorer(self, texts: Pool, known: Pool | None = None) -> SetScorer:
        return _SelfBleuScorer(texts, self)


class _SelfBleuScorer(SetScorer):
    def __init__(self, texts: Pool, metric: SelfBleu) -> None:
        super().__init__(len(texts))
        self._metric = metric
        self._lengths = texts.lengths
        totals = [np.maximum(self._lengths - n, 0) for n in range(metric.order)]
        self._totals = np.stack(totals, axis=1)
        if not metric.effective:
            self._totals = np.maximum(self._totals, 1)
        used = self._totals > 0
        self._weights = used / np.maximum(used.sum(axis=1, keepdims=True), 1)
        self._logs = _logs(metric.smooth, int(self._lengths.max(initial=0)))
        orders = [_Matches.parts(texts.ngrams(n)) for n in range(1, metric.order + 1)]
        self._matches = _Matches(orders, self.size)
        self._reference = _ReferenceLengths(self._lengths, metric.reflen)

    def scores(self, chosen: Bools) -> Array:
        sums = np.zeros(len(chosen))
        for part, scores in self._blocks(chosen):
            sums += np.where(chosen[:, part], scores, 0.0).sum(axis=1)
        number = chosen.sum(axis=1)
        # With one text there is no other to compare it with.
        return np.where(number > 1, sums / np.maximum(number, 1), np.nan)

    def segments(self) -> Array:
        everyone = np.ones((1, self.size), dtype=np.bool_)
        return np.concatenate([scores[0] for _, scores in self._blocks(everyone)])

    def _blocks(self, chosen: Bools) -> list[tuple[slice, Array]]:
        """BLEU of some texts at a time, (choices, texts), were each in every choice."""
        words = packed(chosen)
        shared = self._matches.shared(words)
        lengths = self._reference(chosen)
        found = []
        for start in range(0, self.size, TEXTS):
            part = slice(start, min(start + TEXTS, self.size))
            matches = self._matches.counts(shared, part)[: len(chosen)]
            found.append((part, self._bleu(matches, part, lengths)))
        return found

    def _bleu(self, matches: NDArray[np.int32], part: slice, reference: Array) -> Array:
        if self._logs is not None:
            return self._bleu_by_table(matches, part, reference)
        order = self._metric.order
        rows = np.empty((*matches.shape[:2], 2 + 2 * order))
        rows[..., 0] = self._lengths[part]
        rows[..., 1] = reference[:, part]
        rows[..., 2 : 2 + order] = matches
        rows[..., 2 + order :] = self._totals[part]
        return bleu_score(rows, order, self._metric.smooth, effective=self._metric.effective) / 100

    def _bleu_by_table(self, matches: NDArray[np.int32], part: slice, reference: Array) -> Array:
        """The same where smoothing looks at an order's matches only: their logarithms are looked up."""
        assert self._logs is not None
        weights, totals = self._weights[part], self._totals[part]
        logs = np.zeros(matches.shape[:2])
        for n in range(self._metric.order):
            logs += weights[:, n] * self._logs[matches[..., n]]
        logs -= (weights * np.log(np.maximum(totals, 1))).sum(axis=1)
        scores = brevity_penalty(self._lengths[part].astype(np.float64), reference[:, part]) * np.exp(logs)
        return np.where(matches[..., 0] > 0, scores, 0.0)


def _logs(smooth: str, longest: int) -> Array | None:
    """log m for every number of matches m, of 0 as smoothed; None where smoothing looks at more than m."""
    method, _, value = smooth.partition(":")
    none = {"floor": float(value or 0), "none": 0.0}.get(method)
    if none is None:
        return None
    with np.errstate(divide="ignore"):
        logs: Array = np.log(np.concatenate([[none], np.arange(1.0, longest + 1)]))
    return logs


class _Matches:
    """Which n-grams of each text occur in another text of a choice as well."""

    def __init__(self, orders: list[tuple[Ints, Ints]], size: int) -> None:
        kinds, texts, cells, first = [], [], [], 0
        for number, (kind, text) in enumerate(orders):
            kinds.append(kind + first)
            texts.append(text)
            cells.append(text * len(orders) + number)
            first += int(kind.max(initial=-1)) + 1
        kind, text, cell = np.concatenate(kinds), np.concatenate(texts), np.concatenate(cells)
        self._twice = Twice(Groups.of(kind, text))
        by_cell = np.argsort(cell, kind="stable")
        self._kinds = kind[by_cell]
        self._orders = len(orders)
        # Cells are (text, order); most have occurrences, and those that have none must not be summed.
        self._starts = np.searchsorted(cell[by_cell], np.arange(size * len(orders) + 1))

    @staticmethod
    def parts(ngrams: Ngrams) -> tuple[Ints, Ints]:
        """Numbered occurrences that stand in several texts: kind and text of each."""
        size = max(len(ngrams.counts), 1)
        pairs = ngrams.kinds * size + ngrams.texts
        order = np.argsort(pairs, kind="stable")
        ordered = pairs[order]
        new = np.flatnonzero(np.diff(ordered, prepend=-1))
        number = np.arange(len(ordered)) - np.repeat(new, np.diff(new, append=len(ordered)))
        largest = int(number.max(initial=0)) + 1
        numbered = np.unique(ngrams.kinds[order] * largest + number, return_inverse=True)[1].reshape(-1)
        several = np.bincount(numbered)[numbered] > 1
        kept = np.unique(numbered[several], return_inverse=True)[1].reshape(-1)
        return kept.astype(np.int64), ngrams.texts[order][several]

    def shared(self, words: Words) -> Words:
        """For each kind the choices of which two texts or more hold it."""
        return self._twice(words)[1]

    def counts(self, shared: Words, part: slice) -> NDArray[np.int32]:
        """Matches of some texts: (64, texts, orders)."""
        starts = self._starts[part.start * self._orders : part.stop * self._orders + 1]
        found = active().lane_counts(shared, self._kinds, starts)
        return found.reshape(-1, self._orders, LANES).transpose(2, 0, 1)


class _ReferenceLengths:
    """The length that each text is compared with, among the other texts of a choice."""

    def __init__(self, lengths: Ints, rule: str) -> None:
        self._values, self._place = np.unique(lengths, return_inverse=True)
        self._place = self._place.reshape(-1)
        self._lengths, self._rule = lengths, rule

    def __call__(self, chosen: Bools) -> Array:
        """(choices, texts)"""
        if self._rule == "average":
            total = chosen.astype(np.float64) @ self._lengths.astype(np.float64)
            others = np.maximum(chosen.sum(axis=1, keepdims=True) - chosen, 1)
            averages: Array = (total[:, None] - chosen * self._lengths) / others
            return averages
        counts = np.zeros((len(chosen), len(self._values)), dtype=np.int64)
        np.add.at(counts.T, self._place, chosen.T)
        if self._rule == "shortest":
            return self._by_text(self._shortest(counts))
        return self._by_text(self._closest(counts))

    def _by_text(self, by_length: Array) -> Array:
        return by_length[:, self._place]

    def _shortest(self, counts: NDArray[np.int64]) -> Array:
        """By the text's own length: the shortest of the others."""
        there = np.where(counts > 0, self._values, np.iinfo(np.int64).max)
        first = there.min(axis=1, keepdims=True)
        later = np.where(self._values == first, np.iinfo(np.int64).max, there).min(axis=1, keepdims=True)
        alone = (self._values == first) & (counts == 1)
        shortest: Array = np.where(alone, later, first).astype(np.float64)
        return shortest

    def _closest(self, counts: NDArray[np.int64]) -> Array:
        """By the text's own length: the closest length of another text, the shorter of two."""
        far = np.iinfo(np.int64).max // 4
        there = counts > 0
        below = np.maximum.accumulate(np.where(there, self._values, -far), axis=1)
        above = np.minimum.accumulate(np.where(there, self._values, far)[:, ::-1], axis=1)[:, ::-1]
        shorter = np.concatenate([np.full((len(counts), 1), -far), below[:, :-1]], axis=1)
        longer = np.concatenate([above[:, 1:], np.full((len(counts), 1), far)], axis=1)
        near = np.where(self._values - shorter <= longer - self._values, shorter, longer)
        closest: Array = np.where(counts > 1, self._values, near).astype(np.float64)
        return closest
