"""How MEANT compares two texts: similarity of phrases, frames aligned by their predicates, and the weighted F-score.

With i over aligned frames and j over roles, s how well the reference covers a predicate or role filler, w_j the weight
of a role, |q⁰_ij| how often frame i of the output has role j, and w⁰_i the share of the output's words that frame i
covers:

    P = Σ_i w⁰_i · (w_pred s_i,pred + Σ_j w_j s_ij) / (w_pred + Σ_j w_j |q⁰_ij|) / Σ_i w⁰_i

where a frame without partner adds to the lower sum only. Recall is the same seen from the reference, and the score is
their harmonic mean (Lo and Wu 2011; Lo, Tumuluru and Wu 2012; Lo, Beloucif, Saers and Wu 2014). Fillers of two aligned
frames are aligned by their similarity, whatever their roles, and a pair counts where the roles are the same: something
that changed its role is an error of its own, not a free partner for the next best filler. Where the papers leave a
choice, it is that of the program of the author's next metric (YiSi): a predicate weighs a quarter of its frequency, and
precision takes how well a filler of the output is covered, recall how well one of the reference is.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.arrays import Array
from nlgauge.models.frames import Frame
from nlgauge.models.interface import Parse

PREDICATE = "predicate"
_PREDICATES = 0.25  # what a predicate weighs beside a role of the same frequency


@dataclass(frozen=True)
class Analysis:
    """The words of a text, lower-cased, without punctuation, and its frames by the numbers of these words."""

    words: tuple[str, ...]
    frames: tuple[Frame, ...]

    @classmethod
    def of(cls, parse: Parse, frames: Sequence[Frame]) -> Analysis:
        """From a parse and frames by the numbers of its words."""
        kept = [number for number, word in enumerate(parse.words) if word.pos not in ("PUNCT", "SPACE")]
        place = {number: position for position, number in enumerate(kept)}

        def moved(numbers: Sequence[int]) -> tuple[int, ...]:
            return tuple(place[number] for number in numbers if number in place)

        found = []
        for frame in frames:
            roles = tuple((role, moved(words)) for role, words in frame.roles if moved(words))
            if moved(frame.predicate):
                found.append(Frame(moved(frame.predicate), roles))
        return cls(tuple(parse.words[number].text.lower() for number in kept), tuple(found))


@dataclass(frozen=True)
class Phrases:
    """Precision and recall of one phrase against another: n-grams of similar words, weighted."""

    similarity: Array  # word of the output by word of the reference
    mine: Array  # weights of words
    theirs: Array
    order: int
    alpha: float  # weight of recall in the F-score of two phrases

    def f(self, left: Sequence[int], right: Sequence[int]) -> float:
        """The F-score of two phrases, given as numbers of words."""
        precision, recall = self.both(left, right)
        return f_score(precision, recall, self.alpha)

    def both(self, left: Sequence[int], right: Sequence[int]) -> tuple[float, float]:
        """How well the second phrase covers the first, and the first the second."""
        if not left or not right:
            return 0.0, 0.0
        size = min(self.order, len(left), len(right))
        block = self.similarity[np.ix_(left, right)]
        return _covered(block, self.mine[list(left)], size), _covered(block.T, self.theirs[list(right)], size)

    def table(self, left: Sequence[Sequence[int]], right: Sequence[Sequence[int]]) -> Array:
        """`f` of each phrase with each; single words, as most predicates are, all at once."""
        found = np.zeros((len(left), len(right)))
        mine, theirs = ([place for place, words in enumerate(side) if len(words) == 1] for side in (left, right))
        found[np.ix_(mine, theirs)] = self._single([left[k][0] for k in mine], [right[k][0] for k in theirs])
        single = set(mine), set(theirs)
        for row, column in itertools.product(range(len(left)), range(len(right))):
            if row not in single[0] or column not in single[1]:
                found[row, column] = self.f(left[row], right[column])
        return found

    def _single(self, left: Sequence[int], right: Sequence[int]) -> Array:
        similar = self.similarity[np.ix_(left, right)]
        sides = self.mine[list(left)][:, None], self.theirs[list(right)][None, :]
        # weights cancel out but for rounding, and scores must not hang on how they are had
        precision, recall = (
            np.divide(similar * weights, weights, out=np.zeros(similar.shape), where=weights > 0) for weights in sides
        )
        either = self.alpha * precision + (1 - self.alpha) * recall
        there = (precision > 0) & (recall > 0)
        f: Array = np.divide(precision * recall, either, out=np.zeros(similar.shape), where=there)
        return f


def _covered(block: Array, weights: Array, size: int) -> float:
    """The mean over n-grams of the rows of their best weighted similarity to an n-gram of the columns."""
    weighted = block * weights[:, None]
    rows, columns = block.shape[0] - size + 1, block.shape[1] - size + 1
    sums = np.zeros((rows, columns))
    total = 0.0
    for k in range(size):
        sums += weighted[k : k + rows, k : k + columns]
        total += float(weights[k : k + rows].sum())
    return float(sums.max(axis=1).sum()) / total if total > 0 else 0.0


def f_score(precision: float, recall: float, alpha: float = 0.5) -> float:
    """P·R / (α·P + (1 − α)·R); 0 where either is."""
    if precision <= 0 or recall <= 0:
        return 0.0
    return precision * recall / (alpha * precision + (1 - alpha) * recall)


Sides = tuple[float, float]  # how well the output's phrase is covered, and the reference's


@dataclass(frozen=True)
class Pair:
    """Two frames that go together, with how well predicates and the fillers of equal roles cover each other."""

    left: int
    right: int
    predicates: Sides
    roles: tuple[tuple[int, int, Sides], ...]  # numbers of the roles of either frame


def aligned(mine: Analysis, theirs: Analysis, phrases: Phrases) -> list[Pair]:
    """Frames aligned for the largest sum of similarities of predicates, then their roles."""
    predicates = ([frame.predicate for frame in text.frames] for text in (mine, theirs))
    found = []
    for left, right, _ in assigned(phrases.table(*predicates)):
        a, b = mine.frames[left], theirs.frames[right]
        sides = phrases.both(a.predicate, b.predicate)
        found.append(Pair(left, right, sides, tuple(_roles(a, b, phrases))))
    return found


def _roles(a: Frame, b: Frame, phrases: Phrases) -> Iterator[tuple[int, int, Sides]]:
    """Fillers aligned for the largest sum of similarities; of these pairs the ones whose roles are the same."""
    table = [[phrases.f(one, other) for _, other in b.roles] for _, one in a.roles]
    for row, column, _ in assigned(np.array(table)):
        (role, one), (same, other) = a.roles[row], b.roles[column]
        if role == same:
            yield row, column, phrases.both(one, other)


def structural(mine: Analysis, theirs: Analysis, phrases: Phrases, weights: Mapping[str, float]) -> tuple[float, float]:
    """Precision and recall of the frames."""
    left: dict[int, float] = {}
    right: dict[int, float] = {}
    for pair in aligned(mine, theirs, phrases):
        roles = mine.frames[pair.left].roles
        found = weights[PREDICATE] * np.array(pair.predicates)
        for number, _, sides in pair.roles:
            found += weights[roles[number][0]] * np.array(sides)
        left[pair.left], right[pair.right] = float(found[0]), float(found[1])
    return _mean(mine, left, weights), _mean(theirs, right, weights)


def _mean(text: Analysis, found: Mapping[int, float], weights: Mapping[str, float]) -> float:
    """The mean over frames, by the words each covers."""
    upper = lower = 0.0
    for number, frame in enumerate(text.frames):
        covered = len({*frame.predicate, *(word for _, words in frame.roles for word in words)})
        possible = weights[PREDICATE] + sum(weights[role] for role, _ in frame.roles)
        lower += covered
        if possible > 0:
            upper += covered * found.get(number, 0.0) / possible
    return upper / lower if lower else 0.0


def assigned(similarities: Array) -> list[tuple[int, int, float]]:
    """The one-to-one alignment with the largest sum; pairs that are not similar at all are left out."""
    if similarities.size == 0:
        return []
    if 1 in similarities.shape:  # most of them: no need for an algorithm
        row, column = np.unravel_index(int(similarities.argmax()), similarities.shape)
        pairs = [(int(row), int(column))]
    else:
        from scipy.optimize import linear_sum_assignment

        rows, columns = linear_sum_assignment(similarities, maximize=True)
        pairs = list(zip(rows.tolist(), columns.tolist(), strict=True))
    return [(row, column, float(similarities[row, column])) for row, column in pairs if similarities[row, column] > 0]


def role_weights(texts: Sequence[Analysis]) -> dict[str, float]:
    """The relative frequency of each role, a quarter of it for predicates: weights without training (UMEANT)."""
    counts: Counter[str] = Counter(role for text in texts for frame in text.frames for role, _ in frame.roles)
    predicates = sum(len(text.frames) for text in texts)
    total = counts.total() + _PREDICATES * predicates
    found = defaultdict[str, float](lambda: 1.0 / (total + 1))  # a role no reference has
    found |= {name: count / total for name, count in counts.items()}
    if predicates:
        found[PREDICATE] = _PREDICATES * predicates / total
    return found


@dataclass(frozen=True)
class Idf:
    """How rare words are in the references: log2(1 + (N + 1) / (n + 1)), n of N having the word."""

    counts: Mapping[str, int]
    texts: int

    @classmethod
    def of(cls, texts: Sequence[Analysis]) -> Idf:
        """Counted over these texts."""
        counts = Counter(word for text in texts for word in set(text.words))
        return cls(dict(counts), len(texts))

    def weight(self, word: str) -> float:
        """Of one word."""
        return math.log2(1.0 + (self.texts + 1.0) / (self.counts.get(word, 0) + 1.0))
