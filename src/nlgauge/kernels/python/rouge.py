"""ROUGE-N, ROUGE-L and ROUGE-Lsum in plain Python, as rouge_score 0.1.2 computes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from nlgauge.arrays import Array
from nlgauge.kernels import interface
from nlgauge.kernels.python.tokens import plain

Words = list[str]
Score = tuple[float, float, float]  # precision, recall, F
RULES = ("best", "average", "pooled", "coco", "recall")


@dataclass(frozen=True)
class Overlap:
    """With one reference: matches and sizes, for ROUGE-W weighted."""

    matched: float
    hypothesis: float
    reference: float
    base: float | None = None  # what ROUGE-1.5.5 -f B divides the matches by, where it is not the reference's size


@dataclass(frozen=True)
class Rule:
    """How several references are joined."""

    multi: str
    jackknife: bool
    beta: float
    root: float = 1.0  # ROUGE-W takes precision and recall to this power
    rounded: bool = False  # ROUGE-1.5.5 -f B compares recall in five decimals for n-grams and skip-bigrams

    def __call__(self, overlaps: list[Overlap]) -> Score:
        """One score; with jackknifing the mean over the sets of references that lack one."""
        if self.multi not in RULES:
            raise ValueError(f"multi must be best, average, pooled, coco or recall; got {self.multi}")
        if not self.jackknife or len(overlaps) < 2:
            return self.joined(overlaps)
        return _mean([self.joined(overlaps[:j] + overlaps[j + 1 :]) for j in range(len(overlaps))])

    def joined(self, overlaps: list[Overlap]) -> Score:
        """One score from the overlaps with all these references."""
        if not overlaps:
            return 0.0, 0.0, 0.0
        if self.multi == "pooled":
            return self.score(
                Overlap(
                    _total(overlap.matched for overlap in overlaps),
                    _total(overlap.hypothesis for overlap in overlaps),
                    _total(overlap.reference for overlap in overlaps),
                )
            )
        scores = [self.score(overlap) for overlap in overlaps]
        if self.multi == "average":
            return _mean(scores)
        if self.multi == "coco":
            precision, recall = max(score[0] for score in scores), max(score[1] for score in scores)
            return precision, recall, self.f_measure(precision, recall)
        if self.multi == "best":
            return max(scores, key=lambda score: score[2])  # the first of equals
        merits = [self.recall_merit(overlap) for overlap in overlaps]
        return scores[merits.index(max(merits))]

    def chosen(self, overlaps: list[Overlap]) -> list[int]:
        """The references that count: one for `best` and `recall`, else all (with jackknifing, all of them in turn)."""
        if self.multi not in ("best", "recall") or (self.jackknife and len(overlaps) > 1):
            return list(range(len(overlaps)))
        judged = self.recall_merit if self.multi == "recall" else lambda overlap: self.score(overlap)[2]
        merits = [judged(overlap) for overlap in overlaps]
        return [merits.index(max(merits))]  # the first of equals

    def score(self, overlap: Overlap) -> Score:
        """Precision, recall and F with one reference."""
        precision = overlap.matched / max(overlap.hypothesis, 1)
        recall = overlap.matched / max(overlap.reference, 1)
        if self.root != 1:
            precision, recall = precision**self.root, recall**self.root
        return precision, recall, self.f_measure(precision, recall)

    def f_measure(self, precision: float, recall: float) -> float:
        """The weighted harmonic mean."""
        factor = self.beta * self.beta
        denominator = recall + factor * precision
        return (1 + factor) * precision * recall / denominator if denominator > 0 else 0.0

    def recall_merit(self, overlap: Overlap) -> float:
        """What ROUGE-1.5.5 -f B compares references by."""
        recall = overlap.matched / max(overlap.reference if overlap.base is None else overlap.base, 1)
        return round(recall * 1e5) if self.rounded else recall


def rouge_n_rows(tokens: interface.Tokens, order: int, multi: str, jackknife: bool, beta: float, jobs: int) -> Array:
    """precision, recall, F and 1.

    `jackknife`: the mean over the sets of references that lack one.
    """
    if order < 1:
        raise ValueError("the order of ROUGE-N must be at least 1")
    batch = plain(tokens)
    overlaps = (
        [_ngram_overlap(words, reference, order) for reference in references]
        for words, references in zip(batch.hypotheses, batch.references, strict=True)
    )
    return rows(overlaps, len(batch), Rule(multi, jackknife, beta, rounded=True))


def rouge_l_rows(tokens: interface.Tokens, multi: str, jackknife: bool, beta: float, jobs: int) -> Array:
    """precision, recall, F and 1 of the longest common subsequence."""
    batch = plain(tokens)
    overlaps = (
        [Overlap(lcs_table(reference, words)[-1][-1], len(words), len(reference)) for reference in references]
        for words, references in zip(batch.hypotheses, batch.references, strict=True)
    )
    return rows(overlaps, len(batch), Rule(multi, jackknife, beta))


def rouge_lsum_rows(tokens: interface.Tokens, multi: str, jackknife: bool, beta: float, jobs: int) -> Array:
    """precision, recall, F and 1 of the union longest common subsequence; needs `sentences`."""
    return sentence_rows(tokens, "ROUGE-Lsum", _union_overlap, Rule(multi, jackknife, beta))


def sentence_rows(
    tokens: interface.Tokens,
    name: str,
    overlap: Callable[[Sequence[Words], Sequence[Words]], Overlap],
    rule: Rule,
) -> Array:
    """The rows of a metric that compares texts as lists of sentences."""
    batch = plain(tokens)
    if batch.hypothesis_sentences is None or batch.reference_sentences is None:
        if len(batch):
            raise ValueError(f"{name} needs a batch tokenised with its sentences")
        return np.zeros((0, 4))
    overlaps = (
        [overlap(sentences, reference) for reference in references]
        for sentences, references in zip(batch.hypothesis_sentences, batch.reference_sentences, strict=True)
    )
    return rows(overlaps, len(batch), rule)


def _ngram_overlap(hypothesis: Words, reference: Words, order: int) -> Overlap:
    mine, theirs = _ngrams(hypothesis, order), _ngrams(reference, order)
    return Overlap((mine & theirs).total(), mine.total(), theirs.total())


def _ngrams(words: Words, order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + order]) for i in range(len(words) - order + 1))


def lcs_table(reference: Words, hypothesis: Words) -> list[list[int]]:
    """Cell i, j: the LCS length of the first i reference and the first j hypothesis tokens."""
    table = [[0] * (len(hypothesis) + 1)]
    for theirs in reference:
        above, row = table[-1], [0]
        for j, mine in enumerate(hypothesis):
            row.append(above[j] + 1 if mine == theirs else max(above[j + 1], row[j]))
        table.append(row)
    return table


def lcs_positions(reference: Words, hypothesis: Words) -> set[int]:
    """Where one LCS stands in the reference. Of several of equal length rouge_score's choice is taken."""
    table = lcs_table(reference, hypothesis)
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
    levels = union_levels(hypothesis, reference, lcs_positions)
    matched = sum(level == COUNTED for sentence in levels for level in sentence)
    return Overlap(matched, sum(map(len, hypothesis)), sum(map(len, reference)))


OUTSIDE, COUNTED, USED_UP = range(3)  # of a word of the reference: not in the union, counted, or no more of it left


def union_levels(
    hypothesis: Sequence[Words], reference: Sequence[Words], positions: Callable[[Words, Words], set[int]]
) -> list[list[int]]:
    """For each word of each reference sentence, whether it is in the union of subsequences and counts."""
    left = Counter(word for sentence in hypothesis for word in sentence)
    levels = []
    for sentence in reference:
        union: set[int] = set()
        for mine in hypothesis:
            union |= positions(sentence, mine)
        found = [OUTSIDE] * len(sentence)
        for position in sorted(union):
            word = sentence[position]
            found[position] = COUNTED if left[word] > 0 else USED_UP
            left[word] -= 1
        levels.append(found)
    return levels


def _total(values: Iterable[float]) -> float:
    total = 0.0
    for value in values:  # added one by one: sum() of floats rounds differently from Python 3.12 on
        total += value
    return total


def _mean(scores: list[Score]) -> Score:
    precision, recall, f = (_total(column) / len(scores) for column in zip(*scores, strict=True))
    return precision, recall, f


def rows(overlaps: Iterable[list[Overlap]], size: int, rule: Rule) -> Array:
    """precision, recall, F and 1 of each segment."""
    result = np.ones((size, 4))
    for row, segment in zip(result, overlaps, strict=True):
        row[:3] = rule(segment)
    return result


# ROUGE-W, ROUGE-S and ROUGE-SU in plain Python, as ROUGE-1.5.5 computes them.


def rouge_s_rows(
    tokens: interface.Tokens, gap: int, unigrams: str, multi: str, jackknife: bool, beta: float, jobs: int
) -> Array:
    """precision, recall, F and 1 of pairs of words in their order.

    `gap`: the most words between the two; negative: any number. `unigrams` is `none`, `but-last` or `all`.
    """
    if unigrams not in ("none", "but-last", "all"):
        raise ValueError(f"unigrams must be none, but-last or all; got {unigrams}")
    batch = plain(tokens)
    overlaps = (
        [_pair_overlap(words, reference, gap, unigrams) for reference in references]
        for words, references in zip(batch.hypotheses, batch.references, strict=True)
    )
    return rows(overlaps, len(batch), Rule(multi, jackknife, beta, rounded=True))


def _pair_overlap(hypothesis: Words, reference: Words, gap: int, unigrams: str) -> Overlap:
    mine, theirs = skip_pairs(hypothesis, gap, unigrams), skip_pairs(reference, gap, unigrams)
    return Overlap((mine & theirs).total(), mine.total(), theirs.total())


def skip_pairs(words: Words, gap: int, unigrams: str) -> Counter[tuple[str, ...]]:
    """The skip-bigrams, with at most `gap` words between the two (any number if negative), and the unigrams."""
    pairs: Counter[tuple[str, ...]] = Counter()
    for i, first in enumerate(words):
        end = len(words) if gap < 0 else i + gap + 2
        pairs.update((first, second) for second in words[i + 1 : end])
    if unigrams != "none":
        pairs.update((word,) for word in (words[:-1] if unigrams == "but-last" else words))
    return pairs


def rouge_w_rows(tokens: interface.Tokens, weight: float, multi: str, jackknife: bool, beta: float, jobs: int) -> Array:
    """precision, recall, F and 1 of the weighted longest common subsequence; needs `sentences`."""
    if not weight >= 1:
        raise ValueError("the weight of ROUGE-W must be at least 1")
    rule = Rule(multi, jackknife, beta, root=1 / weight)
    return sentence_rows(tokens, "ROUGE-W", partial(_weighted_overlap, weight=weight), rule)


def _weighted_overlap(hypothesis: Sequence[Words], reference: Sequence[Words], weight: float) -> Overlap:
    """The weights of the runs of the union, no token counted more often than the hypothesis has it.

    As in ROUGE-1.5.5 a token that was used up neither ends a run nor adds to it, and a run whose last token was
    used up is lost.
    """
    levels = union_levels(hypothesis, reference, partial(weighted_positions, weight=weight))
    return weighted_overlap(sum(map(len, hypothesis)), levels, weight)


def weighted_overlap(hypothesis: int, levels: Sequence[Sequence[int]], weight: float) -> Overlap:
    """The weights of the runs in the sentences of the reference; `levels` are those of `union_levels`."""
    matched = base = 0.0
    for sentence in levels:
        base += float(len(sentence)) ** weight
        run = 0
        for position, level in enumerate(sentence):
            if level == COUNTED:
                run += 1
                if position + 1 == len(sentence) or sentence[position + 1] == OUTSIDE:
                    matched += float(run) ** weight
                    run = 0
    return Overlap(matched, float(hypothesis) ** weight, base**weight, base)


def weighted_length(reference: Words, hypothesis: Words, weight: float) -> float:
    """The weight of the weighted LCS as Lin (2004, section 4) defines it: a run follows on in both texts."""
    above: list[tuple[float, int]] = [(0.0, 0)] * (len(hypothesis) + 1)
    for theirs in reference:
        row = [(0.0, 0)]
        for place, mine in enumerate(hypothesis):
            if mine == theirs:
                value, run = above[place]
                row.append((value + (run + 1.0) ** weight - float(run) ** weight, run + 1))
            else:
                row.append((max(above[place + 1][0], row[place][0]), 0))
        above = row
    return above[-1][0]


def weighted_positions(reference: Words, hypothesis: Words, weight: float) -> set[int]:
    """Where one weighted LCS stands in the reference (Lin 2004, section 4).

    Of several of equal weight the one is taken that ROUGE-1.5.5 finds: from the end, it steps back in the
    reference unless only a step back in the hypothesis keeps the weight.
    """
    value = [[0.0] * (len(hypothesis) + 1) for _ in range(len(reference) + 1)]
    runs = [[0] * (len(hypothesis) + 1) for _ in range(len(reference) + 1)]
    for i, theirs in enumerate(reference):
        for j, mine in enumerate(hypothesis):
            if mine == theirs:
                run = runs[i][j]
                value[i + 1][j + 1] = value[i][j] + float(run + 1) ** weight - float(run) ** weight
                runs[i + 1][j + 1] = run + 1
            else:
                value[i + 1][j + 1] = max(value[i][j + 1], value[i + 1][j])
    positions: set[int] = set()
    i, j = len(reference), len(hypothesis)
    while i and j:
        if reference[i - 1] == hypothesis[j - 1]:
            i, j = i - 1, j - 1
            positions.add(i)
        elif value[i - 1][j] >= value[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return positions
