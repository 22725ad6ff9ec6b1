"""CIDEr and CIDEr-D in plain Python, as pycocoevalcap 1.2 computes them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from nlgauge.arrays import Array
from nlgauge.kernels import interface
from nlgauge.kernels.python.tokens import plain

Ngram = tuple[str, ...]


@dataclass
class DocumentFrequencies:
    """In how many documents each n-gram occurs; a document is all references of a segment."""

    order: int
    documents: int = 0
    counts: Counter[Ngram] = field(default_factory=Counter)
    finished: bool = False

    def add(self, tokens: interface.Tokens) -> None:
        """Count the references of a batch."""
        for references in plain(tokens).references:
            self.documents += 1
            self.counts.update({ngram for words in references for ngram in _ngrams(words, self.order)})

    def finish(self) -> None:
        """No more will be added."""
        self.finished = True

    def put(self, tokens: interface.Tokens, counts: Sequence[int], documents: int) -> None:
        """Frequencies counted elsewhere: the first reference of each segment is one n-gram."""
        ngrams = [tuple(references[0]) for references in plain(tokens).references]
        self.counts.update(dict(zip(ngrams, counts, strict=True)))
        self.documents = documents
        self.finish()


def document_frequencies(order: int) -> DocumentFrequencies:
    """An empty table for n-grams up to `order`."""
    if order < 1:
        raise ValueError("order must be at least 1")
    return DocumentFrequencies(order)


def _ngrams(words: list[str], order: int) -> list[Ngram]:
    """Shorter ones first, each length in the order of the text."""
    return [tuple(words[i : i + n]) for n in range(1, order + 1) for i in range(len(words) - n + 1)]


@dataclass(frozen=True)
class Vector:
    """A text as CIDEr sees it."""

    weights: list[dict[Ngram, float]]  # tf-idf by length of the n-gram
    norms: list[float]
    bigrams: int


def cider_rows(
    tokens: interface.Tokens,
    frequencies: interface.DocumentFrequencies,
    order: int,
    sigma: float,
    clip: bool,
    jobs: int,
) -> Array:
    """score and 1; `sigma` above 0 lowers the score of texts of other lengths, `clip` is that of CIDEr-D."""
    if not isinstance(frequencies, DocumentFrequencies):
        raise TypeError("the documents were counted by another backend")
    if not 1 <= order <= frequencies.order:
        raise ValueError("the n-grams were counted to a lower order")
    if not frequencies.finished:
        raise ValueError("the document frequencies are not finished")
    if not frequencies.documents:
        raise ValueError("document frequencies need at least one document")
    batch = plain(tokens)
    rows = np.ones((len(batch), 2))
    for row, hypothesis, references in zip(rows, batch.hypotheses, batch.references, strict=True):
        mine = vector(hypothesis, frequencies, order)
        total = [0.0] * order
        for reference in references:
            theirs = vector(reference, frequencies, order)
            for n, value in enumerate(similarities(mine, theirs, sigma, clip)):
                total[n] += value
        mean = 0.0
        for value in total:
            mean += value
        row[0] = mean / order / len(references) * 10 if references else 0.0
    return rows


def idf(frequencies: DocumentFrequencies, ngram: Ngram) -> float:
    """The logarithm of documents by documents with the n-gram (at least one)."""
    return math.log(frequencies.documents) - math.log(max(1, frequencies.counts[ngram]))


def vector(words: list[str], frequencies: DocumentFrequencies, order: int) -> Vector:
    """The tf-idf weights of a text's n-grams."""
    weights: list[dict[Ngram, float]] = [{} for _ in range(order)]
    squares = [0.0] * order
    for ngram, count in Counter(_ngrams(words, order)).items():
        weight = count * idf(frequencies, ngram)
        weights[len(ngram) - 1][ngram] = weight
        squares[len(ngram) - 1] += weight * weight
    return Vector(weights, [math.sqrt(square) for square in squares], max(len(words) - 1, 0))


def similarities(mine: Vector, theirs: Vector, sigma: float, clip: bool) -> list[float]:
    """For each length the cosine of the two vectors.

    CIDEr-D gives an n-gram no more weight than the reference has of it, and lowers the similarity of texts of
    different length.
    """
    penalty = length_penalty(mine, theirs, sigma)
    found = []
    for n, weights in enumerate(mine.weights):
        value = 0.0
        for ngram, weight in weights.items():
            other = theirs.weights[n].get(ngram, 0.0)
            value += (min(weight, other) if clip else weight) * other
        norm = mine.norms[n] * theirs.norms[n]
        found.append((value / norm if norm != 0 else value) * penalty)
    return found


def products(mine: Vector, theirs: Vector, sigma: float, clip: bool) -> dict[Ngram, float]:
    """What each n-gram adds to the similarities."""
    penalty = length_penalty(mine, theirs, sigma)
    found = {}
    for n, weights in enumerate(mine.weights):
        norm = (mine.norms[n] * theirs.norms[n]) or 1.0
        for ngram, weight in weights.items():
            other = theirs.weights[n].get(ngram, 0.0)
            found[ngram] = (min(weight, other) if clip else weight) * other / norm * penalty
    return found


def length_penalty(mine: Vector, theirs: Vector, sigma: float) -> float:
    """CIDEr-D's Gaussian of the difference in length; 1 where sigma is 0."""
    longer = float(mine.bigrams - theirs.bigrams)
    return math.e ** (-(longer * longer) / (2 * sigma * sigma)) if sigma > 0 else 1.0
