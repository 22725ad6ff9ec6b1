"""MEANT and MEANT 2.0: whether the output tells who did what to whom, when, where, why and how, as the reference does.

MEANT (Lo and Wu 2011; automatic since Lo, Tumuluru and Wu 2012; with word vectors since Lo and Wu 2015): both texts are
labelled with semantic frames, frames are aligned by the similarity of their predicates, fillers of equal roles are
compared, and the score is a weighted F-score (`meant_frames` has the formulas). Two phrases are as similar as their
words: each word finds the most similar one of the other phrase, by the cosine of word vectors. Roles weigh as often as
they occur in the references, which needs no training (UMEANT). A text without any frame is compared as one phrase.

MEANT 2.0 (Lo 2017): words weigh by their inverse document frequency in the references, and phrases are compared by
n-grams, so that the order of words counts. N-grams of 3 words and the weight of recall (.8) are those of the author's
next metric (YiSi), and so is the thought behind `structure`, the share of the frames beside the whole texts compared as
phrases: .2, the best on WMT16, because frames read off a dependency tree are less sure than a labeller's. `structure=1`
is the formula of the papers.

Frames come from a dependency parse (`models.frames`); the authors use a semantic role labeller, so that numbers of
theirs are not reproduced. `models.frames.Labeller` says what another labeller must be: see `labelled`.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from nlgauge import models
from nlgauge.arrays import Array
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import MeanMetric, mean_rows, option, unprepared
from nlgauge.metrics.explanation import Explanation, Figure, Graph, Triple
from nlgauge.metrics.modelled import model_option
from nlgauge.models.frames import Frame, Labeller, frames
from nlgauge.models.interface import Parse, Parser, StaticVectors

# How MEANT compares two texts: similarity of phrases, frames aligned by their predicates, and the weighted F-score.
#
# With i over aligned frames and j over roles, s how well the reference covers a predicate or role filler, w_j the
# weight of a role, |q⁰_ij| how often frame i of the output has role j, and w⁰_i the share of the output's words that
# frame i covers:
#
#     P = Σ_i w⁰_i · (w_pred s_i,pred + Σ_j w_j s_ij) / (w_pred + Σ_j w_j |q⁰_ij|) / Σ_i w⁰_i
#
# where a frame without partner adds to the lower sum only. Recall is the same seen from the reference, and the score
# is their harmonic mean (Lo and Wu 2011; Lo, Tumuluru and Wu 2012; Lo, Beloucif, Saers and Wu 2014). Fillers of two
# aligned frames are aligned by their similarity, whatever their roles, and a pair counts where the roles are the same:
# something that changed its role is an error of its own, not a free partner for the next best filler. Where the papers
# leave a choice, it is that of the program of the author's next metric (YiSi): a predicate weighs a quarter of its
# frequency, and precision takes how well a filler of the output is covered, recall how well one of the reference is.


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


@dataclass(frozen=True)
class Fitted:
    """What a corpus of references teaches."""

    roles: Mapping[str, float]
    idf: Idf


@dataclass(frozen=True)
class _MeantBase(MeanMetric):
    """What both versions share."""

    model: str = model_option("parser", "spacy-en")
    vectors: str = model_option("static", "glove")
    structure: float = option(0.2, "share of the frames; the rest is the whole text as a phrase", low=0.0, high=1.0)
    labeller: Labeller = dataclasses.field(default=frames, repr=False, compare=False)
    fitted: Fitted | None = dataclasses.field(default=None, repr=False, compare=False)

    needs = ("references", "parser", "static word vectors")

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        return (("parser", self.model), ("static", self.vectors))

    @property
    def model_fact(self) -> str:
        return f"{self.parser().info.fact()}+{self.table().info.fact()}"

    def remarks(self) -> list[str]:
        return [*self.parser().remarks(), *self.table().remarks()]

    def parser(self) -> Parser:
        """The parser, loaded once in a process."""
        return models.parser(self.model, purpose=self.name)

    def table(self) -> StaticVectors:
        """The word vectors, loaded once in a process."""
        return models.static(self.vectors, purpose=self.name)

    def labelled(self, labeller: Labeller) -> Self:
        """The metric with another labeller of semantic frames: a function from a parse to its frames."""
        return dataclasses.replace(self, labeller=labeller)

    def prepare(self, corpus: Iterable[Batch]) -> Self:
        texts = [text for batch in corpus for text in self.analyses(t for some in batch.references for t in some)]
        return dataclasses.replace(self, fitted=Fitted(role_weights(texts), Idf.of(texts)))

    def analyses(self, texts: Iterable[str]) -> list[Analysis]:
        """Words and frames of each text."""
        parses = self.parser().parse(list(texts))
        return [Analysis.of(parse, self.labeller(parse)) for parse in parses]

    def _fitted(self) -> Fitted:
        if self.fitted is None:
            raise unprepared(f"{self.name} weighs roles by all references")
        return self.fitted

    def rows(self, batch: Batch) -> Array:
        pairs = [(text, other) for text, some in zip(*_texts(batch), strict=True) for other in some]
        scores = iter(self._scores(pairs))
        best = [max(next(scores) for _ in some) for some in batch.references]
        return mean_rows(best)

    def _scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        found = dict(zip(texts, self.analyses(texts), strict=True))
        vectors = Vectors.of(self.table(), found.values())
        return [self._score(found[a], found[b], vectors) for a, b in pairs]

    def _score(self, mine: Analysis, theirs: Analysis, vectors: Vectors) -> float:
        return f_score(*self._sides(mine, theirs, self.phrases(mine, theirs, vectors)))

    def _sides(self, mine: Analysis, theirs: Analysis, phrases: Phrases) -> tuple[float, float]:
        """Precision and recall: of the frames, of the whole texts, or of both in their shares."""
        shared = self.structure if mine.frames and theirs.frames else 0.0
        found = np.zeros(2)
        if shared > 0:
            found += shared * np.array(structural(mine, theirs, phrases, self._fitted().roles))
        if shared < 1:
            found += (1 - shared) * np.array(phrases.both(range(len(mine.words)), range(len(theirs.words))))
        return float(found[0]), float(found[1])

    def phrases(self, mine: Analysis, theirs: Analysis, vectors: Vectors) -> Phrases:
        """How phrases of the two texts compare."""
        raise NotImplementedError

    def explained(self, batch: Batch) -> Explanation:
        """Precision and recall against the best reference, and the frames of both texts."""
        texts = [batch.hypotheses[0], *batch.references[0]]
        mine, *others = self.analyses(texts)
        vectors = Vectors.of(self.table(), [mine, *others])
        scores = [self._score(mine, other, vectors) for other in others]
        best = int(np.argmax(scores))
        theirs = others[best]
        phrases = self.phrases(mine, theirs, vectors)
        precision, recall = self._sides(mine, theirs, phrases)
        both = bool(mine.frames and theirs.frames)
        figures = [Figure("precision", precision), Figure("recall", recall)]
        notes = [] if both else ["one of the texts has no frame: both are compared as one phrase"]
        parts = told_frames(mine, theirs, phrases, "the reference")
        return Explanation.of(
            self, batch, [scores[best], 1.0], figures=figures, parts=parts, notes=notes, counted=[best + 1]
        )


@dataclass(frozen=True)
class Meant(_MeantBase):
    """Weighted F-score over aligned semantic frames and their role fillers, compared word by word.

    Roles weigh as often as the references of the whole set have them; resampling keeps these weights.
    """

    name = "meant"
    cite = (
        "Lo, Tumuluru and Wu (2012), Fully automatic semantic MT evaluation. WMT; "
        "Lo and Wu (2011), MEANT: an inexpensive, high-accuracy, semi-automatic metric for evaluating translation "
        "utility via semantic frames. ACL."
    )
    reference = "the papers' formulas; frames from a dependency parse"

    def phrases(self, mine: Analysis, theirs: Analysis, vectors: Vectors) -> Phrases:
        """Bags of words."""
        flat = (np.ones(len(mine.words)), np.ones(len(theirs.words)))
        return Phrases(vectors.similarity(mine.words, theirs.words), *flat, 1, 0.5)


@dataclass(frozen=True)
class Meant2(_MeantBase):
    """MEANT 2.0: phrases compared by n-grams of words that weigh by their rarity in the references.

    Roles and words weigh as the references of the whole set have them; resampling keeps these weights.
    """

    order: int = option(3, "length of the n-grams", low=1, high=100)
    alpha: float = option(0.8, "weight of recall against precision of two phrases", low=0.0, high=1.0)

    name = "meant2"
    cite = "Lo (2017), MEANT 2.0: Accurate semantic MT evaluation for any output language. WMT."
    reference = "the paper's description; frames from a dependency parse"
    at = "order"

    def phrases(self, mine: Analysis, theirs: Analysis, vectors: Vectors) -> Phrases:
        """N-grams of weighted words."""
        weigh = self._fitted().idf.weight
        weights = [np.array([weigh(word) for word in text.words]) for text in (mine, theirs)]
        similarity = vectors.similarity(mine.words, theirs.words)
        return Phrases(similarity, weights[0], weights[1], self.order, self.alpha)


@dataclass(frozen=True, eq=False)
class Vectors:
    """Unit vectors of all words of some texts."""

    places: Mapping[str, int]
    rows: Array

    @classmethod
    def of(cls, table: StaticVectors, texts: Iterable[Analysis]) -> Vectors:
        """Looked up once for each word."""
        words = list(dict.fromkeys(word for text in texts for word in text.words))
        return cls.from_rows(words, np.asarray(table.vectors(words)[0], dtype=np.float64))

    @classmethod
    def from_rows(cls, words: Sequence[str], rows: Array) -> Vectors:
        """From a row for each word; noughts for an unknown one."""
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        unit = np.divide(rows, norms, out=np.zeros(rows.shape), where=norms > 0)
        return cls({word: place for place, word in enumerate(words)}, unit)

    def similarity(self, left: Sequence[str], right: Sequence[str]) -> Array:
        """Cosines, not below 0; equal words are 1, also where the vectors do not know them."""
        if not left or not right:
            return np.zeros((len(left), len(right)))
        a, b = ([self.places[word] for word in words] for words in (left, right))
        found: Array = np.clip(self.rows[a] @ self.rows[b].T, 0.0, 1.0)
        found[np.equal.outer(a, b)] = 1.0
        return found


def _texts(batch: Batch) -> tuple[list[str], list[list[str]]]:
    return list(batch.hypotheses), [list(some) for some in batch.references]


def told_frames(mine: Analysis, theirs: Analysis, phrases: Phrases, other: str) -> list[Graph]:
    """The frames of both texts: predicates as objects, roles as relations, each with its partner."""
    pairs = {pair.left: pair for pair in aligned(mine, theirs, phrases)}
    back = {pair.right: pair for pair in pairs.values()}
    graphs = []
    for text, partner, known, turn in ((mine, theirs, pairs, False), (theirs, mine, back, True)):
        found: list[Triple] = []
        for number, frame in enumerate(text.frames):
            pair = known.get(number)
            name = _said(text, frame.predicate)
            again = sum(_said(text, other.predicate) == name for other in text.frames[:number])
            against = partner.frames[pair.left if turn else pair.right] if pair else None
            by = _partner(name, partner, against)
            name = f"{name} ({again + 1})" if again else name  # a graph knows its objects by name
            found.append(Triple((name,), pair is not None, by))
            roles = {(two if turn else one): (one if turn else two) for one, two, _ in (pair.roles if pair else ())}
            for place, (role, words) in enumerate(frame.roles):
                filler = against.roles[roles[place]][1] if against and place in roles else ()
                said, theirs_said = _said(text, words), _said(partner, filler)
                by = (theirs_said,) if theirs_said not in ("", said) else ()
                found.append(Triple((name, role, said), place in roles, by))
        graphs.append(Graph(f"Frames of {other if turn else 'the output'}", tuple(found)))
    return graphs


def _said(text: Analysis, words: Sequence[int]) -> str:
    return " ".join(text.words[number] for number in words)


def _partner(name: str, text: Analysis, frame: Frame | None) -> tuple[str, ...]:
    said = _said(text, frame.predicate) if frame else name
    return () if said == name else (said,)
