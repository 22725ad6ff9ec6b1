"""PARENT (Dhingra et al. 2019) in plain Python: the oracle of native/parent.cpp.

The texts of a segment are its hypothesis, its references and the values of its table, which `Tokens` holds as further
references; how many of them are references is given beside. Floats are added one by one, in the order in which
n-grams first appear, so that both kernels give the same bits.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.arrays import Array, Ints
from nlgauge.kernels import interface
from nlgauge.kernels.python.tokens import Tokens

ALMOST_NOTHING = 1e-8  # keeps F defined where precision and recall are 0

Words = list[str]
Ngram = tuple[str, ...]
Score = tuple[float, float, float]


@dataclass(frozen=True)
class Options:
    """The options of the metric; a `weight` below 0 is chosen for each reference by the heuristic."""

    order: int
    weight: float
    smooth: float
    overlap: bool


@dataclass(frozen=True)
class Text:
    """Tokens, and for each how likely the table entails it."""

    words: Words
    chances: list[float]

    def ngrams(self, order: int) -> Iterator[tuple[Ngram, list[float]]]:
        """Each n-gram with the chances of its tokens."""
        for start in range(len(self.words) - order + 1):
            yield tuple(self.words[start : start + order]), self.chances[start : start + order]


def parent_rows(
    tokens: interface.Tokens,
    references: Sequence[int] | Ints,
    chances: Array | None,
    order: int,
    weight: float,
    smooth: float,
    multi: str,
    jobs: int,
) -> Array:
    """precision, recall, F and 1 of PARENT, against references and table.

    The values of each segment's table stand behind its references in `tokens`; `references` says how many of
    the texts are references. `chances`: how likely the table entails each token of the hypothesis and of the
    references, segment after segment; None: whether it stands in a value. A `weight` below 0 is chosen for each
    reference; `multi` is `best` or `highest`.
    """
    if not isinstance(tokens, Tokens):
        raise TypeError("the batch was tokenised by another backend")
    if order < 1:
        raise ValueError("the order of PARENT must be at least 1")
    if multi not in ("best", "highest"):
        raise ValueError(f"multi must be best or highest; got {multi}")
    options = Options(order, weight, smooth, chances is None)
    given = iter(()) if chances is None else iter(np.asarray(chances, dtype=np.float64).tolist())
    rows = np.ones((len(tokens), 4))
    for row, hypothesis, texts, count in zip(rows, tokens.hypotheses, tokens.references, references, strict=True):
        values = [value for value in texts[count:] if value]
        table = {word for value in values for word in value}
        read = [
            Text(words, [float(word in table) if options.overlap else next(given) for word in words])
            for words in (hypothesis, *texts[:count])
        ]
        scores = [segment_score(read[0], reference, values, options) for reference in read[1:]]
        row[:3] = _best(scores, multi)
    return rows


def _best(scores: list[Score], multi: str) -> Score:
    if multi == "best":
        return max(scores, key=lambda score: score[2])  # the first of equals
    precision, recall, f = (max(column) for column in zip(*scores, strict=True))
    return precision, recall, f


def segment_score(hypothesis: Text, reference: Text, values: list[Words], options: Options) -> Score:
    """Precision, recall and F against one reference and the table."""
    orders = range(1, options.order + 1)
    precisions = [smoothed(precision_of(hypothesis, reference, n, options), n, options) for n in orders]
    recalls = [smoothed(recall_of(hypothesis, reference, n, options), n, options) for n in orders]
    precision = 0.0 if 0 in precisions else _geometric_mean(precisions)
    from_reference = options.smooth if 0 in recalls else _geometric_mean(recalls)
    from_table = mentioned(values, hypothesis.words) or options.smooth
    weight = table_weight(values, reference, options)
    recall = 0.0
    if from_reference and from_table:
        recall = math.exp((1 - weight) * math.log(from_reference) + weight * math.log(from_table))
    return precision, recall, 2 * precision * recall / (precision + recall + ALMOST_NOTHING)


def table_weight(values: list[Words], reference: Text, options: Options) -> float:
    """λ: given, or by the heuristic one minus what the reference mentions of the table."""
    if not values:
        return 0.0
    return options.weight if options.weight >= 0 else 1 - mentioned(values, reference.words)


def smoothed(value: float, order: int, options: Options) -> float:
    """Single tokens are not smoothed: a text that shares none with reference and table has no precision."""
    return options.smooth if order > 1 and value == 0 else value


def _geometric_mean(values: list[float]) -> float:
    logarithms = 0.0
    for value in values:
        logarithms += math.log(value)
    return math.exp(logarithms / len(values))


def entailed(chances: list[float], options: Options) -> float:
    """How likely the table entails an n-gram: the share of its tokens that stand there, or the geometric mean."""
    if options.overlap:
        return sum(chances) / len(chances)
    product = 1.0
    for chance in chances:
        product *= chance
    return math.pow(product, 1 / len(chances))


def precision_of(hypothesis: Text, reference: Text, order: int, options: Options) -> float:
    """The share of the hypothesis's n-grams that stand in the reference or else are entailed by the table."""
    mine = Counter(ngram for ngram, _ in hypothesis.ngrams(order))
    theirs = Counter(ngram for ngram, _ in reference.ngrams(order))
    supported = 0.0
    for ngram, chances in dict(hypothesis.ngrams(order)).items():
        shared = min(1.0, theirs[ngram] / mine[ngram])
        supported += mine[ngram] * (shared + (1 - shared) * entailed(chances, options))
    return supported / mine.total() if mine else 0.0


def recall_of(hypothesis: Text, reference: Text, order: int, options: Options) -> float:
    """The share of the reference's n-grams that the hypothesis has, each weighing as much as the table entails it."""
    mine = Counter(ngram for ngram, _ in hypothesis.ngrams(order))
    theirs = Counter(ngram for ngram, _ in reference.ngrams(order))
    wanted = met = 0.0
    for ngram, chances in dict(reference.ngrams(order)).items():
        weight = theirs[ngram] * entailed(chances, options)
        wanted += weight
        met += weight * min(1.0, mine[ngram] / theirs[ngram])
    return met / wanted if wanted else 1.0


def mentioned(values: list[Words], words: Words) -> float:
    """The mean share of the values' tokens that a text has in the same order."""
    total = 0.0
    for value in values:
        total += common(value, words) / len(value)
    return total / len(values) if values else 0.0


def common(value: Words, words: Words) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(value) + 1)
    for word in words:
        diagonal = 0
        for i, mine in enumerate(value):
            above = row[i + 1]
            row[i + 1] = diagonal + 1 if mine == word else max(above, row[i])
            diagonal = above
    return row[-1]
