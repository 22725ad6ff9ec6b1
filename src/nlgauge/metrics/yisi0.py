"""YiSi-0 (Lo 2019, "YiSi: a unified semantic MT quality evaluation and estimation metric"), equal to the author's
program.

Words are as similar as their longest common substring is long. N-grams (three words; fewer in shorter texts) are
compared word by word; each n-gram of one text is as well covered as the most similar n-gram of the other covers it,
and counts by the rarity of its words. Precision covers the hypothesis, recall the reference, each with its best
reference:

    YiSi-0 = P · R / (α · P + (1 − α) · R)

The weight of a word is log2(1 + (N + 1) / (c + 1)), where c of N references hold it in this form (or, if none does, in
lower case). As in the author's program the length of a word is that of its UTF-8 bytes; `unit=char` counts characters.
A segment's score depends on the corpus it stands in; that of the corpus is the mean.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from nlgauge.arrays import Array
from nlgauge.errors import InputError
from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.yisi import covered, similarity
from nlgauge.metrics.base import MeanMetric, Metric, option, unprepared
from nlgauge.metrics.explanation import Explanation, Figure, Link, Links, Part, ordinal_reference
from nlgauge.metrics.modelled import WordMetric
from nlgauge.metrics.soft import greedy_heat, losses, named
from nlgauge.text import tokenizers


@dataclass(frozen=True)
class Rarity:
    """In how many references each word occurs, and what that makes it weigh."""

    holders: dict[str, int]
    references: int

    def weight(self, word: str) -> float:
        """The weight of a word, looked up as it is and then in lower case (of ASCII letters, as the program does)."""
        holders = self.holders.get(word) or self.holders.get(_ascii_lower(word)) or 0
        return math.log2(1.0 + (self.references + 1.0) / (holders + 1.0))


def _ascii_lower(word: str) -> str:
    """The word with its ASCII letters lower-cased; half a surrogate pair, which Python texts may hold, is kept."""
    return word.encode(errors="surrogatepass").lower().decode(errors="surrogatepass")


@dataclass(frozen=True)
class Yisi0(MeanMetric):
    """YiSi-0, from 0 to 1: n-grams of similar words, weighted by rarity.

    >>> round(Yisi0().corpus(["the cats sat"], [["the cat sat"]]), 4)
    0.9492
    """

    order: int = option(3, "length of the n-grams", low=1, high=100)
    alpha: float = option(0.8, "weight of recall against precision", low=0.0, high=1.0)
    idf: bool = option(True, "weigh words by their rarity in the references")
    unit: str = option(
        "byte",
        "what words consist of: UTF-8 bytes (the author's program) or characters",
        choices=("byte", "char"),
    )
    tok: str = option("none", "tokeniser", check=tokenizers.check)
    lower: bool = option(False, "lower-case before tokenising")
    rarity: Rarity | None = dataclasses.field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "yisi0"
    cite: ClassVar[str] = (
        "Lo (2019), YiSi: a unified semantic MT quality evaluation and estimation metric for languages with different "
        "levels of available resources. WMT."
    )
    reference: ClassVar[str] = "the author's yisi (lexsim lcs, lexweight learn, ngram size 3)"
    at: ClassVar[str | None] = "order"

    def prepare(self, corpus: Iterable[Batch]) -> Self:
        """Count in how many references each word occurs."""
        holders: Counter[str] = Counter()
        references = 0
        for batch in corpus:
            for texts in batch.references:
                references += len(texts)
                for text in texts:
                    holders.update(set(self._split(text)))
        return dataclasses.replace(self, rarity=Rarity(dict(holders), references))

    def _split(self, text: str) -> list[str]:
        return tokenizers.tokenizer(self.tok)(text.lower() if self.lower else text)

    def rows(self, batch: Batch) -> Array:
        """The score of each segment, and 1."""
        if self.rarity is None:
            raise InputError(
                "YiSi-0 weighs words by all references of the corpus; call prepare(corpus) and take the rows of the "
                "metric it returns"
            )
        places: dict[str, int] = {}

        def numbered(text: str) -> list[int]:
            return [places.setdefault(word, len(places)) for word in self._split(text)]

        hypotheses = [numbered(text) for text in batch.hypotheses]
        references = [[numbered(text) for text in texts] for texts in batch.references]
        weights = np.array([self.rarity.weight(word) if self.idf else 1.0 for word in places], dtype=np.float64)
        coding, width = ("utf-8", 1) if self.unit == "byte" else ("utf-32-le", 4)
        vocabulary = [word.encode(coding, "surrogatepass") for word in places]
        found = active().yisi0_rows(
            vocabulary,
            width=width,
            weights=weights,
            hypotheses=hypotheses,
            references=references,
            order=self.order,
            jobs=batch.jobs,
        )
        return np.stack([self._joined(found), np.ones(len(found))], axis=1)

    def _joined(self, found: Array) -> Array:
        """The scores of (…, 2) precisions and recalls."""
        precision, recall = found[..., 0], found[..., 1]
        either = self.alpha * precision + (1.0 - self.alpha) * recall
        both = np.where((precision > 0) & (recall > 0), precision * recall, 0.0)
        return np.divide(both, either, out=np.zeros(both.shape), where=both > 0)

    def explained(self, batch: Batch) -> Explanation:
        """The most similar word of the reference for each word of the output, and how well n-grams are covered."""
        if self.rarity is None:
            raise InputError("YiSi-0 weighs words by all references of the corpus; call prepare(corpus) first")
        words, *references = (self._split(text) for text in (batch.hypotheses[0], *batch.references[0]))
        weigh = self.rarity.weight if self.idf else lambda word: 1.0
        mine = [weigh(word) for word in words]
        found, tables = [], []
        for reference in references:
            table = [[similarity(*map(self._units, (a, b))) for b in words] for a in reference]
            turned = [[row[k] for row in table] for k in range(len(words))]
            tables.append(turned)
            precision = covered(turned, mine, len(reference), self.order)
            recall = covered(table, [weigh(word) for word in reference], len(words), self.order)
            found.append((precision, recall))
        best = int(np.argmax(self._joined(np.array(found))))
        highest = np.array(found).max(axis=0)
        links = []
        for place, row in enumerate(tables[best]):
            similar = max(row, default=0.0)
            if similar > 0:
                partner = row.index(similar)
                stage = "exact" if similar == 1 else f"{similar:.2f} similar"
                links.append(Link((place, place + 1), (partner, partner + 1), stage, similar))
        which = ordinal_reference(best, len(references))
        part = Links(f"The most similar words of {which}", tuple(words), tuple(references[best]), tuple(links))
        how = f"{self.order}-grams of similar words{', weighted by rarity' if self.idf else ''}, best reference"
        figures = [Figure("precision", float(highest[0]), how), Figure("recall", float(highest[1]), how)]
        row = [float(self._joined(highest)), 1.0]
        return Explanation.of(self, batch, row, figures=figures, parts=[part])

    def _units(self, word: str) -> list[bytes]:
        """The bytes or characters of a word."""
        coding, width = ("utf-8", 1) if self.unit == "byte" else ("utf-32-le", 4)
        written = word.encode(coding, "surrogatepass")
        return [written[k : k + width] for k in range(0, len(written), width)]


def maximum_matching(weights: Sequence[Sequence[float]]) -> tuple[list[tuple[int, int]], float]:
    """Pairs of rows and columns, each used once at most, with the largest total weight; and that total.

    YiSi's forms with semantic roles align the roles of both texts in this way.

    >>> maximum_matching([[0.9, 0.7], [0.8, 0.6]])
    ([(0, 0), (1, 1)], 1.5)
    """
    from scipy.optimize import linear_sum_assignment

    table = np.array(weights, dtype=np.float64)
    if table.ndim != 2 or not np.isfinite(table).all():
        raise InputError("a matching needs a table of finite weights with rows of equal length")
    rows, columns = linear_sum_assignment(table, maximize=True)
    pairs = [(int(row), int(column)) for row, column in zip(rows, columns, strict=True)]
    return pairs, float(table[rows, columns].sum())


# How well n-grams of one text are covered by similar n-grams of another: what YiSi's forms share (Lo 2019).


@dataclass(frozen=True, eq=False)
class Covering:
    """How well n-grams of a text are covered: the score, and each word's part of it and of what is missing."""

    score: float
    gains: Array
    losses: Array
    partners: NDArray[np.int64]  # the place of each word's partner in the n-gram that covers it best; -1: none


def covering(table: Array, weights: Array, order: int) -> Covering:
    """The weighted mean, over n-grams of the rows, of the similarity to the most similar n-gram of the columns.

    Where a text is shorter than `order`, n-grams are as long as it. Gains add up to the score, losses to 1 − score.
    """
    rows, columns = table.shape
    n = min(order, rows, columns)
    if n == 0:
        return Covering(0.0, np.zeros(rows), _shares(weights), np.full(rows, -1, dtype=np.int64))
    weighted = weights[:, None] * table
    along = sum(weighted[k : rows - n + 1 + k, k : columns - n + 1 + k] for k in range(n))
    best = np.asarray(along).argmax(axis=1)
    counts = np.zeros(rows)
    gains = np.zeros(rows)
    partners = np.full(rows, -1, dtype=np.int64)
    highest = np.full(rows, -1.0)
    places = np.arange(rows - n + 1)
    for k in range(n):
        similar = table[places + k, best + k]
        counts[places + k] += 1
        gains[places + k] += weights[places + k] * similar
        nearer = similar > highest[places + k]
        partners[places[nearer] + k] = best[nearer] + k
        highest[places[nearer] + k] = similar[nearer]
    whole = float((counts * weights).sum())
    gains /= whole
    return Covering(float(gains.sum()), gains, counts * weights / whole - gains, partners)


def _shares(weights: Array) -> Array:
    return weights / weights.sum() if len(weights) else weights


def joined(found: Array, alpha: float) -> Array:
    """The scores of (…, 2) precisions and recalls: P · R / (α · P + (1 − α) · R), and 0 where either is."""
    precision, recall = found[..., 0], found[..., 1]
    either = alpha * precision + (1.0 - alpha) * recall
    both = np.where((precision > 0) & (recall > 0), precision * recall, 0.0)
    return np.divide(both, either, out=np.zeros(both.shape), where=both > 0)


def rarity_of(documents: Iterable[Sequence[str]]) -> Rarity:
    """In how many documents each word occurs."""
    holders: Counter[str] = Counter()
    number = 0
    for words in documents:
        holders.update(set(words))
        number += 1
    return Rarity(dict(holders), number)


def references_of(corpus: Iterable[Batch]) -> list[str]:
    """Every reference of a corpus."""
    return [text.strip() for batch in corpus for texts in batch.references for text in texts]


class RarityMetric(Metric):
    """Base of the metrics that weigh words, or units, by how few references have them."""

    idf: bool
    rarity: Rarity | None

    weighs: ClassVar[str]  # what by what, for whoever asks an unprepared metric for rows

    @property
    def needs_prepare(self) -> bool:
        return self.idf

    def weights(self, words: Sequence[str]) -> Array:
        """Of each word: log2(1 + (N + 1) / (c + 1)), or 1 without idf."""
        return self.weighed(words, self.rarity)

    def weighed(self, words: Sequence[str], rarity: Rarity | None) -> Array:
        """The same by another count than that of the references."""
        if not self.idf:
            return np.ones(len(words))
        if rarity is None:
            raise unprepared(self.weighs)
        return np.array([rarity.weight(word) for word in words], dtype=np.float64)


def covered_parts(
    words: tuple[Sequence[str], Sequence[str]],
    table: Array,
    sides: tuple[Covering, Covering],
    which: str,
    other: str = "reference",
) -> list[Part]:
    """For an explanation: how similar the words of both texts are, and what each costs precision and recall."""
    (output, theirs), (precision, recall) = words, sides
    title = f"How similar the words of the output and of {which} are"
    return [
        greedy_heat(title, words, table, precision.partners, recall.partners, other),
        losses(
            "What words of the output cost precision",
            "1 − precision",
            output,
            (precision.gains, precision.losses),
            named(theirs, precision.partners),
        ),
        losses(
            f"What words of {which} cost recall",
            "1 − recall",
            theirs,
            (recall.gains, recall.losses),
            named(output, recall.partners),
        ),
    ]


class YisiMetric(RarityMetric, WordMetric):
    """Base of YiSi-1 and YiSi-2."""

    order: int
    alpha: float

    def covered(self, table: Array, mine: Array, theirs: Array) -> tuple[Covering, Covering]:
        """How well either text is covered, words weighing as told."""
        return covering(table, mine, self.order), covering(table.T, theirs, self.order)

    def figures(self, both: Array, more: str = "") -> list[Figure]:
        """For an explanation: precision and recall, and how they were counted."""
        grams = "words" if self.order == 1 else f"{self.order}-grams of words"
        how = f"similar {grams}{', weighted by rarity' if self.idf else ''}{more}"
        return [Figure("precision", float(both[0]), how), Figure("recall", float(both[1]), how)]

    def note(self) -> str:
        """For an explanation: how precision and recall make the score."""
        return f"score = P · R / ({self.alpha:g} · P + {1 - self.alpha:g} · R)"
