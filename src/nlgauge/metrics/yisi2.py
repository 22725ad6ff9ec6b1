"""YiSi-2 (Lo 2019): YiSi-1 across languages, the source in the place of a reference.

Words of the output are matched with words of the source by the vectors of a multilingual encoder, or by word vectors of
both languages that share a space (`model` those of the output's language, `source_model` those of the source's).
Precision covers the output, recall the source. With word vectors it equals the author's program with
`lexsim-type=biw2v`: a word written alike in both texts is similar to degree 1 where either list lacks it.

Words weigh log2(1 + (N + 1) / (c + 1)): those of the source by the c of N sources that have them, those of the output
by all outputs of the set. The score of a set is the mean.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from nlgauge import models
from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, Metric, option
from nlgauge.metrics.explanation import Explanation, Figure, Part
from nlgauge.metrics.heat import greedy_heat, losses, named
from nlgauge.metrics.soft import (
    AUTO,
    UNITS,
    Contextual,
    Static,
    Tokens,
    check_either,
    check_layers,
    chunks,
    cosines,
    kind_of,
    lower,
    source_of,
)
from nlgauge.metrics.yisi0 import Rarity
from nlgauge.metrics.yisi_covering import Covering, covering, joined, rarity_of
from nlgauge.models.devices import DTYPES
from nlgauge.text import tokenizers

_NONE = "none"


def _check_source_model(value: str) -> str | None:
    return None if value == _NONE or kind_of(value) == "static" else "none, or a file of word vectors"


@dataclass(frozen=True)
class Yisi2(Metric):
    """YiSi-2, from 0 to 1: words of the output matched with words of the source; no reference is needed.

    The model must know both languages; that of the default, multilingual BERT, is got by `nlgauge models get`.
    """

    model: str = option(
        "bert-base-multilingual-cased",
        "multilingual contextual encoder, or word vectors of the output's language",
        check=check_either,
    )
    source_model: str = option(
        _NONE, "word vectors of the source's language, in the same space", check=_check_source_model
    )
    order: int = option(2, "length of the n-grams; the author's program takes 3", low=1, high=100)
    alpha: float = option(0.8, "weight of recall against precision", low=0.0, high=1.0)
    idf: bool = option(True, "weigh words by their rarity in the sources and in the outputs of the set")
    layer: str = option(
        AUTO, "layer of the encoder (auto: the best for the model), or several: 3+4+6", check=check_layers
    )
    unit: str = option("word", "what is matched where the model is an encoder", choices=UNITS)
    tok: str = option(_NONE, "tokeniser, where the model is word vectors", check=tokenizers.check)
    dtype: str = option("float32", "precision of the encoder", choices=DTYPES)
    rarities: tuple[Rarity, Rarity] | None = dataclasses.field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "yisi2"
    needs: ClassVar[tuple[str, ...]] = ("source text", "contextual encoder")
    cite: ClassVar[str] = (
        "Lo (2019), YiSi: a unified semantic MT quality evaluation and estimation metric for languages with different "
        "levels of available resources. WMT."
    )
    reference: ClassVar[str] = "the author's yisi (lexsim biw2v, lexweight learn)"
    at: ClassVar[str | None] = "order"
    learns_outputs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if (kind_of(self.model) == "static") != (self.source_model != _NONE):
            raise InputError(
                "yisi2 takes word vectors of both languages, model=… for the output's and source_model=… for the "
                "source's, or one multilingual encoder and no source_model"
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """The sum of segment scores and their number."""
        return ("score", "segments")

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        kind = kind_of(self.model)
        more = () if self.source_model == _NONE else ((kind, self.source_model),)
        return ((kind, self.model), *more)

    @property
    def model_fact(self) -> str:
        fact = self._sides[2]
        if self.source_model == _NONE:
            return fact
        return f"{fact},{models.static(self.source_model, purpose=self.name).info.fact()}"

    def remarks(self) -> list[str]:
        side = self._sides[0]
        return side.encoder.remarks() if isinstance(side, Contextual) else []

    @property
    def _sides(self) -> tuple[Contextual | Static, Contextual | Static, str]:
        """Where tokens of the output and of the source come from, and what a receipt tells."""
        mine, fact = source_of(
            self.model, layer=self.layer, unit=self.unit, tok=self.tok, dtype=self.dtype, purpose=self.name
        )
        if self.source_model == _NONE:
            return mine, mine, fact
        theirs = models.static(self.source_model, purpose=self.name)
        own = models.static(self.model, purpose=self.name)
        if own.dim != theirs.dim:
            raise InputError(
                f"yisi2 compares vectors of one space: {self.model} has {own.dim} numbers a word, {self.source_model} "
                f"{theirs.dim}; give two files made together"
            )
        return mine, Static(theirs, self.tok), fact

    @property
    def needs_prepare(self) -> bool:
        return self.idf

    def prepare(self, corpus: Iterable[Batch]) -> Self:
        """Count in how many sources, each item once, and in how many outputs words occur."""
        if not self.idf:
            return self
        mine, theirs, _ = self._sides
        outputs: list[str] = []
        sources: list[str] = []
        seen: set[str] = set()
        for batch in corpus:
            outputs += [text.strip() for text in batch.hypotheses]
            for number, source in enumerate(_sources(batch)):
                item = batch.items[number] if batch.items else None
                if item is None or item not in seen:
                    sources.append(source)
                    seen.update(() if item is None else (item,))
        rarities = rarity_of(mine.split(outputs)), rarity_of(theirs.split(sources))
        return dataclasses.replace(self, rarities=rarities)

    def _weights(self, words: Sequence[str], side: int) -> Array:
        if not self.idf:
            return np.ones(len(words))
        if self.rarities is None:
            raise InputError(
                "YiSi-2 weighs words by all sources and outputs of the corpus; call prepare(corpus) and take the rows "
                "of the metric it returns"
            )
        return np.array([self.rarities[side].weight(word) for word in words], dtype=np.float64)

    def rows(self, batch: Batch) -> Array:
        """The score of each segment, and 1."""
        mine, theirs, _ = self._sides
        found = []
        for part in chunks(batch):
            hypotheses, sources = [text.strip() for text in part.hypotheses], _sources(part)
            outputs, inputs = mine.tokens(hypotheses), theirs.tokens(sources)
            for hypothesis, source in zip(hypotheses, sources, strict=True):
                _, precision, recall = self._compared((mine, theirs), outputs[hypothesis], inputs[source])
                found.append((precision.score, recall.score))
        both = np.array(found, dtype=np.float64).reshape(-1, 2)
        return np.stack([joined(both, self.alpha), np.ones(len(both))], axis=1)

    def _compared(
        self, sides: tuple[Contextual | Static, Contextual | Static], output: Tokens, source: Tokens
    ) -> tuple[Array, Covering, Covering]:
        """Similarities of the words of output and source, and how well either is covered."""
        mine, theirs = sides
        table = cosines(output.vectors, source.vectors)
        if isinstance(mine, Static) and isinstance(theirs, Static):
            for row, word in enumerate(output.words):
                for column, other in enumerate(source.words):
                    alike = lower(word) == lower(other)
                    if alike and not (mine.knows(word) and theirs.knows(other)):
                        table[row, column] = 1.0
        table = np.maximum(table, 0.0)
        return (
            table,
            covering(table, self._weights(output.words, 0), self.order),
            covering(table.T, self._weights(source.words, 1), self.order),
        )

    def explained(self, batch: Batch) -> Explanation:
        """Which words are matched with which, and what each costs precision and recall."""
        mine, theirs, _ = self._sides
        text, (source,) = batch.hypotheses[0].strip(), _sources(batch)
        output, other = mine.tokens([text])[text], theirs.tokens([source])[source]
        table, precision, recall = self._compared((mine, theirs), output, other)
        labels = mine.labels(text, output), theirs.labels(source, other)
        title = "How similar the words of output and source are"
        parts: list[Part] = [
            greedy_heat(title, labels, table, precision.partners, recall.partners, "source"),
            losses(
                "What words of the output cost precision",
                "1 − precision",
                labels[0],
                (precision.gains, precision.losses),
                named(labels[1], precision.partners),
            ),
            losses(
                "What words of the source cost recall",
                "1 − recall",
                labels[1],
                (recall.gains, recall.losses),
                named(labels[0], recall.partners),
            ),
        ]
        both = np.array([precision.score, recall.score])
        grams = "words" if self.order == 1 else f"{self.order}-grams of words"
        how = f"similar {grams}{', weighted by rarity' if self.idf else ''}"
        figures = [Figure("precision", precision.score, how), Figure("recall", recall.score, how)]
        notes = [f"score = P · R / ({self.alpha:g} · P + {1 - self.alpha:g} · R)"]
        row = [float(joined(both, self.alpha)), 1.0]
        return Explanation.of(self, batch, row, figures=figures, parts=parts, notes=notes)

    def score(self, totals: Array) -> Array:
        """The mean over segments."""
        count = totals[..., 1]
        return np.divide(totals[..., 0], count, out=np.zeros(np.shape(count)), where=count > 0)


def _sources(batch: Batch) -> list[str]:
    """The source texts; a segment without one is refused."""
    return [texts[0].strip() for texts in batch.with_sources().references]
