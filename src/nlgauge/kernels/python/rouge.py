"""ROUGE-N, ROUGE-L and ROUGE-Lsum in plain Python, as rouge_score 0.1.2 computes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from nlgauge.kernels import interface
from nlgauge.kernels.python.tokens import Tokens

Words = list[str]
Overlap = tuple[int, int, int]  # matches, size of the hypothesis, size of the reference


def rouge_n_rows(tokens: interface.Tokens, order: int, multi: str, beta: float, jobs: int) -> interface.Array:
    """precision, recall, F and 1."""
    if order < 1:
        raise ValueError("the order of ROUGE-N must be at least 1")
    batch = _plain(tokens)
    overlaps = (
        [_ngram_overlap(words, reference, order) for reference in references]
        for words, references in zip(batch.hypotheses, batch.references, strict=True)
    )
    return _rows(overlaps, len(batch), multi, beta)


def rouge_l_rows(tokens: interface.Tokens, multi: str, beta: float, jobs: int) -> interface.Array:
    """precision, recall, F and 1 of the longest common subsequence."""
    batch = _plain(tokens)
    overlaps = (
        [(_lcs_table(reference, words)[-1][-1], len(words), len(reference)) for reference in references]
        for words, references in zip(batch.hypotheses, batch.references, strict=True)
    )
    return _rows(overlaps, len(batch), multi, beta)


def rouge_lsum_rows(tokens: interface.Tokens, multi: str, beta: float, jobs: int) -> interface.Array:
    """precision, recall, F and 1 of the union longest common subsequence; needs `sentences`."""
    batch = _plain(tokens)
    if batch.hypothesis_sentences is None or batch.reference_sentences is None:
        if len(batch):
            raise ValueError("ROUGE-Lsum needs a batch tokenised with its sentences")
        return np.zeros((0, 4))
    overlaps = (
        [_union_overlap(sentences, reference) for reference in references]
        for sentences, references in zip(batch.hypothesis_sentences, batch.reference_sentences, strict=True)
    )
    return _rows(overlaps, len(batch), multi, beta)


def _plain(tokens: interface.Tokens) -> Tokens:
    if not isinstance(tokens, Tokens):
        raise TypeError("the batch was tokenised by another backend")
    return tokens


def _ngram_overlap(hypothesis: Words, reference: Words, order: int) -> Overlap:
    mine, theirs = _ngrams(hypothesis, order), _ngrams(reference, order)
    return (mine & theirs).total(), mine.total(), theirs.total()


def _ngrams(words: Words, order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + order]) for i in range(len(words) - order + 1))


def _lcs_table(reference: Words, hypothesis: Words) -> list[list[int]]:
    """Cell i, j: the LCS length of the first i reference and the first j hypothesis tokens."""
    table = [[0] * (len(hypothesis) + 1)]
    for theirs in reference:
        above, row = table[-1], [0]
        for j, mine in enumerate(hypothesis):
            row.append(above[j] + 1 if mine == theirs else max(above[j + 1], row[j]))
        table.append(row)
    return table


def _lcs_positions(reference: Words, hypothesis: Words) -> set[int]:
    """Where one LCS stands in the reference. Of several of equal length rouge_score's choice is taken."""
    table = _lcs_table(reference, hypothesis)
    positions: set[int] = set()
    i, j = len(reference), len(hypothesis)
    while i and j:
        if reference[i - 1] == hypothesis[j - 1]:
            i, j = i - 1, j - 1
            positions.add(i)
        elif table[i][j - 1] > table[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return positions


def _union_overlap(hypothesis: Sequence[Words], reference: Sequence[Words]) -> Overlap:
    """Tokens of the union LCS, counted no more often than the hypothesis has them (as ROUGE-1.5.5 does)."""
    left = Counter(word for sentence in hypothesis for word in sentence)
    size, matched = left.total(), 0
    for sentence in reference:
        union: set[int] = set()
        for mine in hypothesis:
            union |= _lcs_positions(sentence, mine)
        for position in sorted(union):
            word = sentence[position]
            if left[word] > 0:
                left[word] -= 1
                matched += 1
    return matched, size, sum(len(sentence) for sentence in reference)


def _f_measure(precision: float, recall: float, beta: float) -> float:
    factor = beta * beta
    denominator = recall + factor * precision
    return (1 + factor) * precision * recall / denominator if denominator > 0 else 0.0


def _score(overlap: Overlap, beta: float) -> tuple[float, float, float]:
    matched, mine, theirs = overlap
    precision, recall = matched / max(mine, 1), matched / max(theirs, 1)
    return precision, recall, _f_measure(precision, recall, beta)


def _combined(overlaps: list[Overlap], multi: str, beta: float) -> tuple[float, float, float]:
    """One score from the overlaps with all references of a segment."""
    if not overlaps:
        return 0.0, 0.0, 0.0
    if multi == "pooled":
        matched, mine, theirs = (sum(column) for column in zip(*overlaps, strict=True))
        return _score((matched, mine, theirs), beta)
    scores = [_score(overlap, beta) for overlap in overlaps]
    if multi == "best":
        return max(scores, key=lambda score: score[2])  # the first of equals
    if multi == "average":
        precision = recall = f = 0.0
        for p, r, one in scores:  # added one by one: sum() of floats rounds differently from Python 3.12 on
            precision, recall, f = precision + p, recall + r, f + one
        return precision / len(scores), recall / len(scores), f / len(scores)
    if multi == "coco":
        precision, recall = max(score[0] for score in scores), max(score[1] for score in scores)
        return precision, recall, _f_measure(precision, recall, beta)
    raise ValueError(f"multi must be best, average, pooled or coco; got {multi}")


def _rows(overlaps: Iterable[list[Overlap]], size: int, multi: str, beta: float) -> interface.Array:
    rows = np.ones((size, 4))
    for row, segment in zip(rows, overlaps, strict=True):
        row[:3] = _combined(segment, multi, beta)
    return rows
