"""Word Mover's Distance (Kusner, Sun, Kolkin and Weinberger 2015): how far the words of the hypothesis must travel in
the space of word vectors to become those of the reference.

Each word has a mass, its share of the text's words; the distance is the least total of mass × Euclidean distance over
all ways to move the mass of one text onto that of the other, found exactly. Two lower bounds of the paper can be had
instead: `rwmd` sends each word to the nearest one of the other text, both ways, and takes the larger; `wcd` is the
distance of the mean vectors.

Words without a vector are left out, as in the authors' program and in gensim. A text of which no word is left is
twice the mean length of all vectors away from any other (2 with `norm`), which is farther than two texts commonly
are; from a text of the same words it is 0 away. Of several references the nearest counts. The distance is not turned
into a similarity: less is better (`wms` is exp(-distance)).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.transport import LANES, distances
from nlgauge.metrics.base import Array, option
from nlgauge.metrics.explanation import Explanation, Figure, Link, Links, ordinal_reference
from nlgauge.metrics.vectors import Texts, VectorMetric, Words, units
from nlgauge.text.sentences import is_content

SHOWN = 8  # moves that an explanation tells one by one
_KERNELS = {"exact": "exact", "rwmd": "relaxed", "wcd": "centroid"}


@dataclass(frozen=True)
class MoverMetric(VectorMetric):
    """Base of the metrics that move words: which words have a vector, and the vectors as the kernels want them."""

    norm: bool = option(False, "scale each vector to length 1")

    def lookup(self, words: list[str], content: bool) -> tuple[Array, Words]:
        """The vectors of the words that have one, padded for the kernels, and the row of each word; -1 without one."""
        found, known = self.loaded().vectors(words)
        if content:
            known = known & np.array([is_content(word) for word in words], dtype=np.bool_)
        dim = found.shape[1]
        padded = np.zeros((int(known.sum()), dim + -dim % LANES))
        padded[:, :dim] = found[known]
        return units(padded) if self.norm else padded, np.where(known, np.cumsum(known) - 1, -1).astype(np.int32)

    def far(self) -> float:
        """The distance of a text that has no words with vectors."""
        return 2.0 if self.norm else 2.0 * self.loaded().length()

    def settled(self, found: Array, texts: Texts) -> Array:
        """The distances, with those of texts without words with vectors decided."""
        for place in np.flatnonzero(np.isnan(found)):
            a, b = (np.sort(texts.text(number)) for number in texts.pairs[place])
            found[place] = 0.0 if np.array_equal(a, b) else self.far()
        return np.maximum(found, 0.0)


@dataclass(frozen=True)
class Wmd(MoverMetric):
    """Word Mover's Distance, from 0 up: less is better."""

    bound: str = option(
        "exact",
        "exact, or a lower bound: rwmd (each word to its nearest) or wcd (distance of the means)",
        choices=tuple(_KERNELS),
    )
    content: bool = option(False, "leave out English function words, and what is not of letters only")

    name = "wmd"
    direction = "lower"
    bounds = (0.0, float("inf"))
    cite = "Kusner, Sun, Kolkin and Weinberger (2015), From word embeddings to document distances. ICML."
    reference = "POT (ot.emd2)"

    def pairs(self, texts: Texts, jobs: int) -> Array:
        vectors, place = self.lookup(texts.words, self.content)
        words = place[texts.numbers]
        found = active().mover_distances(
            vectors,
            words=words,
            masses=None,
            text_start=texts.starts,
            pairs=texts.pairs,
            bound=_KERNELS[self.bound],
            jobs=jobs,
        )
        return self.settled(found, texts)

    def explained(self, batch: Batch) -> Explanation:
        """Which words travel, how far, and what each move adds to the distance."""
        texts = self.texts(batch)
        found = self.pairs(texts, 1)
        best = int(np.argmin(found))
        which = ordinal_reference(best, len(found))
        moves = self._moves(texts, best)
        figures = [Figure("distance", float(found[best]), f"to {which}; less is better")]
        parts, notes = [], []
        if moves is None:
            notes.append("no word of one of the texts has a vector")
        else:
            figures += moves.figures()
            parts.append(moves.links(f"Where most of each word goes, to {which}"))
        if moves is not None and self.bound != "exact":
            notes.append("the moves are those of the exact distance, of which the score is a lower bound")
        row = [float(found[best]), 1.0]
        counts = [best + 1] if len(found) > 1 else []
        return Explanation.of(self, batch, row, figures=figures, parts=parts, notes=notes, counted=counts)

    def _moves(self, texts: Texts, best: int) -> Moves | None:
        vectors, place = self.lookup(texts.words, self.content)
        sides = [[word for word in texts.text(number).tolist() if place[word] >= 0] for number in texts.pairs[best]]
        mine, theirs = (list(dict.fromkeys(words)) for words in sides)
        if not mine or not theirs:
            return None
        supply, demand = (
            np.array([words.count(word) / len(words) for word in distinct])
            for words, distinct in zip(sides, (mine, theirs), strict=True)
        )
        far = distances(vectors, place[mine].tolist(), place[theirs].tolist())
        flow = staying(mine, theirs, supply, demand, far)
        output, reference = (tuple(texts.words[word] for word in words) for words in (mine, theirs))
        return Moves(output, reference, flow, far)


@dataclass(frozen=True)
class Moves:
    """How much of each word of the output goes to each word of the reference, and how far that is."""

    output: tuple[str, ...]
    reference: tuple[str, ...]
    flow: Array
    far: Array

    def figures(self) -> list[Figure]:
        """What the dearest moves add to the distance, and all others together."""
        costs = self.flow * self.far
        order = np.argsort(-costs, axis=None, kind="stable")
        places = [(int(k) // costs.shape[1], int(k) % costs.shape[1]) for k in order if costs.flat[k] > 1e-9]
        told = [
            Figure(
                f"{self.output[i]} → {self.reference[j]}",
                float(costs[i, j]),
                f"{100 * self.flow[i, j]:.1f} % of the text, distance {self.far[i, j]:.2f}",
            )
            for i, j in places[:SHOWN]
        ]
        rest = places[SHOWN:]
        if rest:
            total = float(sum(costs[place] for place in rest))
            told.append(Figure(f"{len(rest)} more moves", total))
        return told

    def links(self, title: str) -> Links:
        """Where most of each word goes."""
        links = []
        for i, word in enumerate(self.output):
            j = int(np.argmax(self.flow[i]))
            how = "stays" if word == self.reference[j] else f"{self.far[i, j]:.2f} away"
            links.append(Link((i, i + 1), (j, j + 1), how, float(self.flow[i, j])))
        return Links(title, self.output, self.reference, tuple(links))


def staying(mine: list[int], theirs: list[int], supply: Array, demand: Array, costs: Array) -> Array:
    """The cheapest flow with the mass of a word that both texts have staying where it is."""
    stays = np.zeros(costs.shape)
    for i, word in enumerate(mine):
        if word in theirs:
            j = theirs.index(word)
            stays[i, j] = min(supply[i], demand[j])
    left, wanted = supply - stays.sum(axis=1), demand - stays.sum(axis=0)
    rows, columns = np.flatnonzero(left > 0), np.flatnonzero(wanted > 0)
    if len(rows) and len(columns):
        cells = np.ix_(rows, columns)
        stays[cells] += active().transport(costs[cells], left[rows], wanted[columns])[1]
    return stays
