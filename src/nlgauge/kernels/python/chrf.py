"""chrF statistics in plain Python, as sacreBLEU 2.6 counts them."""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np

from nlgauge.arrays import Array
from nlgauge.kernels.interface import References, Texts

EPS = 1e-16  # stands for a ratio without a denominator (chrF++.py, Moses and NLTK do the same)
_PUNCTUATION = frozenset(string.punctuation)
Counts = list["Counter[Hashable]"]


def chrf_rows(
    hypotheses: Texts,
    references: References,
    char_order: int,
    word_order: int,
    beta: float,
    lower: bool,
    whitespace: bool,
    eps: bool,
    jobs: int,
) -> Array:
    """Per order (characters, then words): hypothesis total, reference total, matches; of the best reference."""

    def counts(text: str) -> Counts:
        text = text.lower() if lower else text
        characters = text if whitespace else "".join(text.split())
        units = words(text) if word_order else []
        return [_ngrams(characters, n + 1) for n in range(char_order)] + [
            _ngrams(units, n + 1) for n in range(word_order)
        ]

    rows = np.zeros((len(hypotheses), 3 * (char_order + word_order)))
    for row, hypothesis, refs in zip(rows, hypotheses, references, strict=True):
        mine = counts(hypothesis)
        best = -1.0  # below zero: a segment without any match still keeps the counts of its first reference
        for reference in refs:
            statistics = _statistics(mine, counts(reference))
            score = f_score(statistics, beta, eps)
            if score > best:
                best, row[:] = score, statistics
    return rows


def _ngrams(symbols: Sequence[Hashable], order: int) -> Counter[Hashable]:
    return Counter(tuple(symbols[i : i + order]) for i in range(len(symbols) - order + 1))


def words(text: str) -> list[str]:
    """Split at white space, then one mark of punctuation off each word, from its end before its front."""
    parts: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in _PUNCTUATION:
            parts += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in _PUNCTUATION:
            parts += [word[0], word[1:]]
        else:
            parts.append(word)
    return parts


def _statistics(hypothesis: Counts, reference: Counts) -> list[int]:
    row: list[int] = []
    for mine, theirs in zip(hypothesis, reference, strict=True):
        # as sacreBLEU: what the reference could not contain does not count against the hypothesis
        row += [mine.total() if theirs else 0, theirs.total(), (mine & theirs).total()]
    return row


def f_score(row: list[int], beta: float, eps: bool) -> float:
    """The score by which references compete: over all orders, between 0 and 1."""
    factor = beta * beta
    smoothed = precision = recall = 0.0
    effective = 0
    for mine, theirs, matched in zip(row[::3], row[1::3], row[2::3], strict=True):
        p = matched / mine if mine else EPS
        r = matched / theirs if theirs else EPS
        denominator = factor * p + r
        smoothed += (1 + factor) * p * r / denominator if denominator > 0 else EPS
        if mine and theirs:
            precision += p
            recall += r
            effective += 1
    if eps:
        return smoothed / (len(row) // 3)
    if precision + recall <= 0:
        return 0.0
    precision /= effective
    recall /= effective
    return (1 + factor) * precision * recall / (factor * precision + recall)
