"""MoverScore (Zhao, Peyrard, Liu, Gao, Meyer and Eger 2019): the least work that turns one text's words into the
other's, by contextual embeddings.

A unit's vector joins the p-means of its vectors of length 1 in the last layers (minimum, mean, maximum); that of an
n-gram is the idf-weighted mean of its units', of length 1; its weight is the sum of theirs. With C the distances of
n-grams and F ≥ 0 the flow whose margins are the weights, each side scaled to 1:

    MoverScore = 1 − min over F of the sum of C · F

The defaults are those of the authors' first program (the last five layers, squared Euclidean distance); their second
takes one layer and the distance itself: `moverscore(layers=1,distance=euclidean)`. As there, units that continue a word
and units of punctuation are left out, and those that delimit a text kept. A unit weighs ln((N + 1) / (n + 1)), n of the
N references having it; where no unit of a text weighs anything, all weigh alike. Of several references the best
counts; an empty text scores 0. The score of a set is the mean of its segments' scores.

Differences from the authors' programs: weights of both sides come from the references (there those of the output come
from the outputs, so that a system's score hangs on the others of its outputs); no small constants are added to
denominators, which there move scores by about 1e-6; a text longer than the model is read in overlapping windows.
"""

from __future__ import annotations

import dataclasses
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch
from nlgauge.lexicons.digests import State, file_state
from nlgauge.metrics.base import Array, option
from nlgauge.metrics.explanation import Explanation, Figure, Part, ordinal_reference
from nlgauge.metrics.modelled import Idf, UnitIdfMetric, dtype_option, encoder_option
from nlgauge.metrics.soft import best_of_references, emd, flow_heat, host, losses, unit_texts, word_texts
from nlgauge.models.interface import ContextualEncoder, Encoded, Units
from nlgauge.models.matching import unit_rows

_NONE = "none"
_PUNCTUATION = frozenset(string.punctuation)


@dataclass(frozen=True, eq=False)
class Grams:
    """The n-grams of a text: how they are written, their vectors of length 1, their weights, which add up to 1."""

    words: tuple[str, ...]
    vectors: Array
    weights: Array


def _check_stopwords(value: str) -> str | None:
    return None if value == _NONE or Path(value).suffix == ".txt" else "none, or a text file of words (.txt)"


@dataclass(frozen=True)
class MoverScore(UnitIdfMetric):
    """One minus the least work that turns the output's words into the reference's, by contextual embeddings.

    Scores hang on the model; those of different models cannot be compared.
    """

    model: str = encoder_option()
    order: int = option(1, "length of the n-grams", low=1, high=10)
    layers: int = option(5, "how many of the last layers are pooled", low=1, high=1000)
    pool: str = option(
        "pmeans",
        "how layers are pooled: minimum, mean and maximum joined, or the mean",
        choices=("pmeans", "mean"),
    )
    distance: str = option(
        "squared", "distance of n-grams: Euclidean squared, or itself", choices=("squared", "euclidean")
    )
    idf: bool = option(True, "weigh units by their inverse document frequency in the references")
    subwords: str = option(
        "first",
        "of a word in several units: the first, all, or the mean of all",
        choices=("first", "all", "mean"),
    )
    punctuation: bool = option(False, "keep units of punctuation")
    delimiters: bool = option(True, "keep the units that delimit a text")
    stopwords: str = option(
        _NONE, "leave out the words of this file (.txt, white space between)", check=_check_stopwords
    )
    dtype: str = dtype_option()
    frequencies: Idf | None = dataclasses.field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "moverscore"
    published_on: ClassVar[str] = "BERT tuned on MNLI"
    bounds: ClassVar[tuple[float, float]] = (-3.0, 1.0)
    cite: ClassVar[str] = (
        "Zhao, Peyrard, Liu, Gao, Meyer and Eger (2019), MoverScore: Text generation evaluating with contextualized "
        "embeddings and earth mover distance. EMNLP."
    )
    reference: ClassVar[str] = "the authors' moverscore.py and moverscore_v2.py (see the differences)"
    at: ClassVar[str | None] = "order"

    @property
    def reads_files(self) -> tuple[str, ...]:
        return () if self.stopwords == _NONE else (self.stopwords,)

    def layers_of(self, encoder: ContextualEncoder) -> tuple[int, ...]:
        """The last layers, what enters the first of all not being one."""
        above = [layer for layer in encoder.layers if layer > 0] or list(encoder.layers)
        if self.layers > len(above):
            has = f"{len(above)} layers" if len(above) > 1 else "one layer"
            raise InputError(
                f"moverscore(layers={self.layers}) pools the last {self.layers} layers, but {encoder.info.name} gives "
                f"{has}; ask for layers={len(above)} or fewer"
            )
        return tuple(above[-self.layers :])

    def rows(self, batch: Batch) -> Array:
        """The score of each segment, and 1."""
        return best_of_references(batch, self.grams, self._score)

    def _score(self, mine: Grams | None, theirs: Grams | None) -> float:
        if mine is None or theirs is None:
            return 0.0
        return 1.0 - emd(mine.weights, theirs.weights, self._distances(mine, theirs))[0]

    def _distances(self, mine: Grams, theirs: Grams) -> Array:
        squared = np.maximum(2.0 - 2.0 * np.clip(mine.vectors @ theirs.vectors.T, -1.0, 1.0), 0.0)
        return squared if self.distance == "squared" else np.sqrt(squared)

    def grams(self, texts: Sequence[str]) -> dict[str, Grams | None]:
        """The n-grams of each distinct text; None for a text without units of its own."""
        self.require_frequencies("MoverScore")
        encoder = self.loaded()
        distinct = list(dict.fromkeys(texts))
        several = encoder.encode_several(distinct, self.layers_of(encoder))
        stop = _words(self.stopwords) if self.stopwords != _NONE else frozenset()
        return {
            text: self._of_text(text, units, several, stop)
            for text, units in zip(distinct, encoder.units(distinct), strict=True)
        }

    def _of_text(self, text: str, units: Units, several: Mapping[int, Encoded], stop: frozenset[str]) -> Grams | None:
        if bool(units.special.all()):
            return None
        vectors = self._pooled(text, several)
        weights = np.ones(len(units))
        if self.frequencies is not None:
            weights = np.array([self.frequencies.weight(unit) for unit in units.ids.tolist()])
        labels: Sequence[str] = unit_texts(text, units)
        kept = self._kept(units, stop)
        if self.subwords == "mean":
            labels, vectors, weights, kept = _by_word(text, units, vectors, weights, kept)
        places: list[int] = np.flatnonzero(kept).tolist()
        if not places:
            return None
        if not weights[places].any():
            weights = np.ones(len(weights))
        return self._joined([labels[place] for place in places], vectors[places], weights[places])

    def _pooled(self, text: str, several: Mapping[int, Encoded]) -> Array:
        rows = np.stack([unit_rows(host(encoded.of(text))) for encoded in several.values()]).astype(np.float64)
        if self.pool == "mean":
            mean: Array = rows.mean(axis=0)
            return mean
        return np.concatenate([rows.min(axis=0), rows.mean(axis=0), rows.max(axis=0)], axis=-1)

    def _kept(self, units: Units, stop: frozenset[str]) -> NDArray[np.bool_]:
        """Which units count."""
        words = units.words
        continues = np.concatenate([[False], (words[1:] == words[:-1]) & (words[1:] >= 0)])
        kept = np.ones(len(units), dtype=np.bool_)
        if self.subwords == "first":
            kept &= ~continues
        if not self.delimiters:
            kept &= ~units.special
        for place, token in enumerate(units.tokens):
            plain = token.lstrip("Ġ▁")
            if (not self.punctuation and plain in _PUNCTUATION) or plain in stop:
                kept[place] = False
        return kept

    def _joined(self, labels: Sequence[str], vectors: Array, weights: Array) -> Grams:
        """n-grams of units that follow each other among those that count; those without weight have nothing to move."""
        n = min(self.order, len(labels))
        number = len(labels) - n + 1
        sums = sum((weights[k : k + number] for k in range(n)), np.zeros(number))
        made = sum(
            (weights[k : k + number, None] * vectors[k : k + number] for k in range(n)),
            np.zeros((number, vectors.shape[1])),
        )
        norms = np.linalg.norm(made, axis=1)
        unit = made / np.where(norms > 0, norms, 1.0)[:, None]
        there = np.flatnonzero(sums > 0)
        words = tuple(" ".join(labels[k : k + n]) for k in there.tolist())
        return Grams(words, unit[there], sums[there] / sums.sum())

    def explained(self, batch: Batch) -> Explanation:
        """Between which words weight moves, and what moving it costs."""
        texts = [text.strip() for text in (batch.hypotheses[0], *batch.references[0])]
        grams = self.grams(texts)
        mine, others = grams[texts[0]], [grams[text] for text in texts[1:]]
        scores = [self._score(mine, theirs) for theirs in others]
        best = int(np.argmax(scores))
        theirs = others[best]
        row = [scores[best], 1.0]
        if mine is None or theirs is None:
            return Explanation.of(self, batch, row, notes=["a text without words scores 0"], counted=[best + 1])
        which = ordinal_reference(best, len(others))
        costs = self._distances(mine, theirs)
        work, flow = emd(mine.weights, theirs.weights, costs)
        paid = flow * costs
        parts: list[Part] = [
            flow_heat(
                f"1 − distance of the words of the output and of {which}",
                (mine.words, theirs.words),
                1.0 - costs,
                flow,
            ),
            losses(
                "What words of the output cost the score",
                "1 − score",
                mine.words,
                (mine.weights - paid.sum(axis=1), paid.sum(axis=1)),
                [_goes(theirs.words, line) for line in flow],
            ),
            losses(
                f"What words of {which} cost the score",
                "1 − score",
                theirs.words,
                (theirs.weights - paid.sum(axis=0), paid.sum(axis=0)),
                [_goes(mine.words, line) for line in flow.T],
            ),
        ]
        kind = "squared distances" if self.distance == "squared" else "distances"
        figures = [Figure("work", work, f"the least sum of weights times {kind}; the score is 1 − work")]
        return Explanation.of(self, batch, row, figures=figures, parts=parts, counted=[best + 1])


def _by_word(
    text: str, units: Units, vectors: Array, weights: Array, kept: NDArray[np.bool_]
) -> tuple[tuple[str, ...], Array, Array, NDArray[np.bool_]]:
    """Words in the place of units, each with the mean of its vectors and weights; delimiters stand for themselves."""
    numbers = units.words.copy()
    numbers[units.special] = -2 - np.arange(int(units.special.sum()))  # each of them one of its own
    order = list(dict.fromkeys(numbers.tolist()))
    places = [np.flatnonzero(numbers == number) for number in order]
    written = iter(word_texts(text, units))
    labels = tuple(
        units.tokens[place[0]] if number <= -2 else next(written, "")
        for number, place in zip(order, places, strict=True)
    )
    return (
        labels,
        np.stack([vectors[place].mean(axis=0) for place in places]),
        np.array([weights[place].mean() for place in places]),
        np.array([bool(kept[place].all()) for place in places]),
    )


def _goes(words: Sequence[str], flow: Array) -> str:
    """The words that weight moves to, those that get most first."""
    order = [int(place) for place in np.argsort(-flow) if flow[place] > 1e-9]
    return ", ".join(words[place] for place in order[:3]) + (", …" if len(order) > 3 else "")


@lru_cache(maxsize=8)
def _read(path: str, state: State) -> frozenset[str]:
    return frozenset(Path(path).read_text(encoding="utf-8").split())


def _words(path: str) -> frozenset[str]:
    try:
        return _read(path, file_state(path))
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{path} cannot be read; expected a text file of words, in UTF-8") from None
