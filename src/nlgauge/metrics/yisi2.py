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
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from nlgauge import models
from nlgauge.errors import InputError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, mean_rows, option
from nlgauge.metrics.explanation import Explanation
from nlgauge.metrics.modelled import dtype_option, layers_option, tok_option, unit_option
from nlgauge.metrics.soft import Contextual, Static, Tokens, check_either, chunks, cosines, kind_of, lower
from nlgauge.metrics.yisi0 import Covering, Rarity, YisiMetric, covered_parts, joined, rarity_of

_NONE = "none"


def _check_source_model(value: str) -> str | None:
    return None if value == _NONE or kind_of(value) == "static" else "none, or a file of word vectors"


@dataclass(frozen=True)
class Yisi2(YisiMetric):
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
    layer: str = layers_option()
    unit: str = unit_option("word")
    tok: str = tok_option()
    dtype: str = dtype_option()
    rarity: Rarity | None = dataclasses.field(default=None, repr=False, compare=False)  # of the sources
    outputs: Rarity | None = dataclasses.field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "yisi2"
    needs: ClassVar[tuple[str, ...]] = ("source text", "contextual encoder")
    cite: ClassVar[str] = (
        "Lo (2019), YiSi: a unified semantic MT quality evaluation and estimation metric for languages with different "
        "levels of available resources. WMT."
    )
    reference: ClassVar[str] = "the author's yisi (lexsim biw2v, lexweight learn)"
    at: ClassVar[str | None] = "order"
    learns_outputs: ClassVar[bool] = True
    weighs: ClassVar[str] = "YiSi-2 weighs words by all sources and outputs"

    def __post_init__(self) -> None:
        super().__post_init__()
        if (kind_of(self.model) == "static") != (self.source_model != _NONE):
            raise InputError(
                "yisi2 takes word vectors of both languages, model=… for the output's and source_model=… for the "
                "source's, or one multilingual encoder and no source_model"
            )

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        more = () if self.source_model == _NONE else (("static", self.source_model),)
        return (*super().models, *more)

    @property
    def model_fact(self) -> str:
        fact = super().model_fact
        if self.source_model == _NONE:
            return fact
        return f"{fact},{models.static(self.source_model, purpose=self.name).info.fact()}"

    def remarks(self) -> list[str]:
        more = () if self.source_model == _NONE else models.static(self.source_model, purpose=self.name).remarks()
        return [*super().remarks(), *more]

    @property
    def _sides(self) -> tuple[Contextual | Static, Contextual | Static]:
        """Where tokens of the output and of the source come from."""
        mine = self.source[0]
        if self.source_model == _NONE:
            return mine, mine
        theirs = models.static(self.source_model, purpose=self.name)
        own = models.static(self.model, purpose=self.name)
        if own.dim != theirs.dim:
            raise InputError(
                f"yisi2 compares vectors of one space: {self.model} has {own.dim} numbers a word, {self.source_model} "
                f"{theirs.dim}; give two files made together"
            )
        return mine, Static(theirs, self.tok)

    def prepare(self, corpus: Iterable[Batch]) -> Self:
        """Count in how many sources, each item once, and in how many outputs words occur."""
        if not self.idf:
            return self
        mine, theirs = self._sides
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
        return dataclasses.replace(
            self, outputs=rarity_of(mine.split(outputs)), rarity=rarity_of(theirs.split(sources))
        )

    def rows(self, batch: Batch) -> Array:
        """The score of each segment, and 1."""
        mine, theirs = self._sides
        found = []
        for part in chunks(batch):
            hypotheses, sources = [text.strip() for text in part.hypotheses], _sources(part)
            outputs, inputs = mine.tokens(hypotheses), theirs.tokens(sources)
            for hypothesis, source in zip(hypotheses, sources, strict=True):
                _, precision, recall = self._compared((mine, theirs), outputs[hypothesis], inputs[source])
                found.append((precision.score, recall.score))
        both = np.array(found, dtype=np.float64).reshape(-1, 2)
        return mean_rows(joined(both, self.alpha))

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
        weights = self.weighed(output.words, self.outputs), self.weights(source.words)
        return table, *self.covered(table, *weights)

    def explained(self, batch: Batch) -> Explanation:
        """Which words are matched with which, and what each costs precision and recall."""
        mine, theirs = self._sides
        text, (source,) = batch.hypotheses[0].strip(), _sources(batch)
        output, other = mine.tokens([text])[text], theirs.tokens([source])[source]
        table, precision, recall = self._compared((mine, theirs), output, other)
        labels = mine.labels(text, output), theirs.labels(source, other)
        parts = covered_parts(labels, table, (precision, recall), "the source", "source")
        both = np.array([precision.score, recall.score])
        figures = self.figures(both)
        notes = [self.note()]
        row = [float(joined(both, self.alpha)), 1.0]
        return Explanation.of(self, batch, row, figures=figures, parts=parts, notes=notes)


def _sources(batch: Batch) -> list[str]:
    """The source texts; a segment without one is refused."""
    return [texts[0].strip() for texts in batch.with_sources().references]
