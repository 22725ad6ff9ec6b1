"""softmatch: how well n-grams of words are covered, times how little has to be moved; a metric of ours, of two others.

    softmatch = covered · moved

`covered` is YiSi-1 (Lo 2019) without weights of words: the F of precision and recall of n-grams of words, each matched
with the most similar n-gram of the other text. `moved` is, as in MoverScore (Zhao et al. 2019), one minus the least
work that turns the units of one text into those of the other, where the distance of two units is one minus their cosine
and a unit weighs by its rarity as a word does in YiSi-1, log2(1 + (N + 1) / (c + 1)). The first asks whether everything
is said, and in a like order; the second whether nothing is said too often. Cosines are the mean of those of several
layers; below 0 they count as 0.

Nothing is trained. Layers, length of n-grams, weights and the product (rather than a mean) were chosen on the WMT15 and
WMT16 segments (see docs/models.md); those layers are MiniLM's, so that other models want `layer`. Of several references
the best counts; an empty text scores 0. Of a text the first 2,000 words and 2,000 units are matched, since each is
compared with each. The score of a set is the mean of its segments' scores.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from nlgauge.errors import counted
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, option
from nlgauge.metrics.explanation import Explanation, Figure, Part, ordinal_reference
from nlgauge.metrics.modelled import EncoderMetric, dtype_option, encoder_option
from nlgauge.metrics.soft import (
    AUTO,
    Contextual,
    Tokens,
    best_of_references,
    check_layers,
    emd,
    flow_heat,
    losses,
    named,
)
from nlgauge.metrics.yisi0 import (
    Covering,
    Rarity,
    RarityMetric,
    covered_parts,
    covering,
    joined,
    rarity_of,
    references_of,
)
from nlgauge.models.interface import ContextualEncoder

_LAYERS = {"minilm": (3, 4, 6)}
LONGEST = 2_000  # words, and units, of a text that are matched
_Pair = tuple[Tokens, Tokens]  # the words and the units of a text


@dataclass(frozen=True, eq=False)
class _Compared:
    """One output against one reference."""

    words: Array
    precision: Covering
    recall: Covering
    covered: float
    units: Array
    flow: Array
    moved: float

    @property
    def score(self) -> float:
        return self.covered * self.moved


@dataclass(frozen=True)
class SoftMatch(RarityMetric, EncoderMetric):
    """n-grams of similar words that are covered, times the share of units that need not be moved; from 0 to 1.

    Scores hang on the model and the layers; those of different models cannot be compared.
    """

    model: str = encoder_option()
    order: int = option(3, "length of the n-grams of words", low=1, high=100)
    alpha: float = option(0.8, "weight of recall against precision", low=0.0, high=1.0)
    layer: str = option(AUTO, "layer of the encoder, or several: 3+4+6 (auto: those, of minilm)", check=check_layers)
    idf: bool = option(True, "weigh the units that are moved by their rarity in the references")
    dtype: str = dtype_option()
    rarity: Rarity | None = dataclasses.field(default=None, repr=False, compare=False)
    overlong: set[str] = dataclasses.field(default_factory=set, repr=False, compare=False)  # texts cut lately

    name: ClassVar[str] = "softmatch"
    cite: ClassVar[str] = "of nlgauge, after Lo (2019), YiSi, WMT, and Zhao et al. (2019), MoverScore, EMNLP; cite both"
    reference: ClassVar[str] = "the formula of this page"
    at: ClassVar[str | None] = "order"
    weighs: ClassVar[str] = "softmatch weighs units by all references"

    def layers_of(self, encoder: ContextualEncoder) -> tuple[int, ...]:
        """The layers asked for, or those that suit the model."""
        if self.layer == AUTO and self.model in _LAYERS:
            return _LAYERS[self.model]
        return super().layers_of(encoder)

    def prepare(self, corpus: Iterable[Batch]) -> Self:
        """Count in how many references each unit occurs."""
        if not self.idf:
            return self
        units = Contextual(self.loaded(), (), "subword")
        return dataclasses.replace(self, rarity=rarity_of(units.split(references_of(corpus))))

    def rows(self, batch: Batch) -> Array:
        """The score of each segment, and 1."""
        return best_of_references(batch, self._tokens, lambda mine, theirs: self._compared(mine, theirs).score)

    def _tokens(self, texts: list[str]) -> dict[str, _Pair]:
        encoder = self.loaded()
        layers = self.layers_of(encoder)
        words, units = (Contextual(encoder, layers, unit).tokens(texts) for unit in ("word", "subword"))
        self.overlong.update(text for text, found in units.items() if len(found) > LONGEST)
        return {text: (words[text].first(LONGEST), units[text].first(LONGEST)) for text in words}

    def remarks(self) -> list[str]:
        number = len(self.overlong)
        self.overlong.clear()
        said = f"softmatch matches the first {LONGEST:,} words and units of a text: "
        return [
            *super().remarks(),
            *([said + counted(number, "text is longer", "texts are longer")] if number else []),
        ]

    def _compared(self, mine: _Pair, theirs: _Pair) -> _Compared:
        words, units = (
            np.maximum(one.vectors @ other.vectors.T, 0.0).clip(max=1.0).astype(np.float64)
            for one, other in zip(mine, theirs, strict=True)
        )
        precision = covering(words, np.ones(words.shape[0]), self.order)
        recall = covering(words.T, np.ones(words.shape[1]), self.order)
        covered = float(joined(np.array([precision.score, recall.score]), self.alpha))
        if not units.size:
            return _Compared(
                words=words,
                precision=precision,
                recall=recall,
                covered=0.0,
                units=units,
                flow=np.zeros(units.shape),
                moved=0.0,
            )
        work, flow = emd(self.weights(mine[1].words), self.weights(theirs[1].words), 1.0 - units)
        return _Compared(
            words=words, precision=precision, recall=recall, covered=covered, units=units, flow=flow, moved=1.0 - work
        )

    def explained(self, batch: Batch) -> Explanation:
        """Both factors, with the words that each matches and what they cost it."""
        texts = [text.strip() for text in (batch.hypotheses[0], *batch.references[0])]
        tokens = self._tokens(texts)
        compared = [self._compared(tokens[texts[0]], tokens[text]) for text in texts[1:]]
        best = int(np.argmax([pair.score for pair in compared]))
        told = compared[best]
        row = [told.score, 1.0]
        if not told.units.size:
            return Explanation.of(self, batch, row, notes=["an empty text scores 0"], counted=[best + 1])
        which = ordinal_reference(best, len(compared))
        encoder = self.loaded()
        pair = texts[0], texts[best + 1]
        output, reference = (tokens[text][0].words for text in pair)
        units = Contextual(encoder, self.layers_of(encoder), "subword")
        mine, theirs = (units.labels(text, tokens[text][1]) for text in pair)
        paid = told.flow * (1.0 - told.units)
        parts: list[Part] = [
            *covered_parts((output, reference), told.words, (told.precision, told.recall), which),
            flow_heat(
                f"Between which units of the output and of {which} weight moves", (mine, theirs), told.units, told.flow
            ),
            losses(
                "What moving units of the output costs",
                "1 − moved",
                mine,
                (told.flow.sum(axis=1) - paid.sum(axis=1), paid.sum(axis=1)),
                named(theirs, told.flow.argmax(axis=1)),
            ),
        ]
        figures = [
            Figure("precision", told.precision.score, f"{self.order}-grams of words of the output"),
            Figure("recall", told.recall.score, f"{self.order}-grams of words of the reference"),
            Figure("covered", told.covered, f"P · R / ({self.alpha:g} · P + {1 - self.alpha:g} · R)"),
            Figure("moved", told.moved, "1 − the least work that turns the units of one into those of the other"),
        ]
        notes = ["score = covered · moved"]
        return Explanation.of(self, batch, row, figures=figures, parts=parts, notes=notes, counted=[best + 1])
