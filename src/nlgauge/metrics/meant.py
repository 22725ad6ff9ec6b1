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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from nlgauge import models
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, MeanMetric, mean_rows, option, unprepared
from nlgauge.metrics.explanation import Explanation, Figure, Graph, Triple
from nlgauge.metrics.meant_frames import Analysis, Idf, Phrases, aligned, f_score, role_weights, structural
from nlgauge.metrics.modelled import model_option
from nlgauge.models.frames import Frame, Labeller, frames
from nlgauge.models.interface import Parser, StaticVectors


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
