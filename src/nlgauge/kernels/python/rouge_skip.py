"""ROUGE-W, ROUGE-S and ROUGE-SU in plain Python, as ROUGE-1.5.5 computes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from nlgauge.arrays import Array
from nlgauge.kernels import interface
from nlgauge.kernels.python.rouge import (
    COUNTED,
    OUTSIDE,
    Overlap,
    Rule,
    Words,
    rows,
    sentence_rows,
    union_levels,
)
from nlgauge.kernels.python.tokens import plain


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
