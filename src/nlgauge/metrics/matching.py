"""What the explanations of several metrics are built from: words, n-grams, common subsequences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.rouge import lcs_table
from nlgauge.metrics.explanation import Ngram, Ngrams, Passage, Unit

Words = Sequence[str]
Gram = tuple[str, ...]
Pairs = list[tuple[int | None, int | None]]


def segment_words(
    batch: Batch, tok: str, *, lower: bool = False, stem: str = "none"
) -> tuple[list[str], list[list[str]]]:
    """The words of the one output of a batch and of each of its references."""
    from nlgauge.kernels import python

    split = python.tokens(
        batch.hypotheses, references=batch.references, tok=tok, lower=lower, stem=stem, sentences=False, jobs=1
    )
    return split.hypotheses[0], split.references[0]


def segment_sentences(batch: Batch, tok: str, *, stem: str) -> tuple[list[list[str]], list[list[list[str]]]]:
    """As `segment_words`, cut into the lines of each text."""
    from nlgauge.kernels import python

    split = python.tokens(
        batch.hypotheses, references=batch.references, tok=tok, lower=False, stem=stem, sentences=True, jobs=1
    )
    return (split.hypothesis_sentences or [[]])[0], (split.reference_sentences or [[]])[0]


def ngrams(words: Words, order: int) -> Counter[Gram]:
    """How often each n-gram occurs, in the order of the text."""
    return Counter(tuple(words[start : start + order]) for start in range(len(words) - order + 1))


def largest(counts: Iterable[Counter[Gram]]) -> Counter[Gram]:
    """Each n-gram with the largest of its counts."""
    union: Counter[Gram] = Counter()
    for count in counts:
        union |= count
    return union


def compared(
    title: str,
    mine: Counter[Gram],
    theirs: Counter[Gram],
    *,
    weights: Callable[[Gram], float] | None = None,
    shares: Callable[[Gram], float] | None = None,
    unit: Unit = "words",
) -> Ngrams:
    """N-grams of the output beside those of the reference: each counts as often as both have it."""
    every = [*mine, *(gram for gram in theirs if gram not in mine)]
    rows = [
        Ngram(
            gram,
            mine[gram],
            theirs[gram],
            min(mine[gram], theirs[gram]),
            weights(gram) if weights else None,
            shares(gram) if shares else None,
        )
        for gram in every
    ]
    return Ngrams(title, tuple(rows), unit)


def order_title(order: int, unit: Unit = "words") -> str:
    """`single words`, `2-grams of words`."""
    return f"single {unit}" if order == 1 else f"{order}-grams of {unit}"


def covered(words: Words, parts: Sequence[Ngrams], unit: Unit = "words") -> Passage:
    """The output with each word marked by the longest n-gram over it that counts.

    An n-gram that the output has more often than it counts is marked where it stands first.
    """
    levels = [0] * len(words)
    for part in parts:
        left = Counter({row.words: row.matched for row in part.rows})
        order = max((len(row.words) for row in part.rows), default=0)
        for start in range(len(words) - order + 1 if order else 0):
            gram = tuple(words[start : start + order])
            if left[gram] > 0:
                left[gram] -= 1
                for place in range(start, start + order):
                    levels[place] = max(levels[place], order)
    top = max(levels, default=0)
    what = "word" if unit == "words" else "character"
    legend = ("not matched", f"{what} matched", *(f"in a matched {n}-gram" for n in range(2, top + 1)))
    return Passage("The output and its longest matches", tuple(words), tuple(levels), legend, unit)


def common_subsequence(hypothesis: Words, reference: Words) -> Pairs:
    """One longest common subsequence as pairs of places, with the words outside it alone."""
    table = lcs_table(list(reference), list(hypothesis))
    pairs: Pairs = []
    i, j = len(reference), len(hypothesis)
    while i or j:
        if i and j and reference[i - 1] == hypothesis[j - 1]:
            i, j = i - 1, j - 1
            pairs.append((j, i))
        elif i and (not j or table[i - 1][j] >= table[i][j - 1]):
            i -= 1
            pairs.append((None, i))
        else:
            j -= 1
            pairs.append((j, None))
    return pairs[::-1]


def matches_in(pairs: Pairs) -> int:
    """How many pairs have both."""
    return sum(mine is not None and theirs is not None for mine, theirs in pairs)


def cheapest_edits(
    hypothesis: Words, reference: Words, substitution: float, insertion: float, deletion: float
) -> tuple[float, Pairs]:
    """The least cost of edits between two texts and one way to reach it; equal words cost nothing."""
    table = [[j * insertion for j in range(len(hypothesis) + 1)]]
    for i, theirs in enumerate(reference, start=1):
        above, row = table[-1], [i * deletion]
        for j, mine in enumerate(hypothesis, start=1):
            cost = above[j - 1] + (0 if mine == theirs else substitution)
            row.append(min(cost, above[j] + deletion, row[j - 1] + insertion))
        table.append(row)
    pairs: Pairs = []
    i, j = len(reference), len(hypothesis)
    while i or j:
        if i and j:
            step = 0 if reference[i - 1] == hypothesis[j - 1] else substitution
            if table[i][j] == table[i - 1][j - 1] + step:
                i, j = i - 1, j - 1
                pairs.append((j, i))
                continue
        if i and table[i][j] == table[i - 1][j] + deletion:
            i -= 1
            pairs.append((None, i))
        else:
            j -= 1
            pairs.append((j, None))
    return table[-1][-1], pairs[::-1]
