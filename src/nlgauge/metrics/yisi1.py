"""YiSi-1 (Lo 2019, "YiSi: a unified semantic MT quality evaluation and estimation metric"): n-grams of words that are
similar in meaning, weighted by rarity.

Words are as similar as the cosine of their vectors, below 0 not at all; n-grams are compared word by word, and each
n-gram of one text is as well covered as the most similar n-gram of the other covers it. Precision covers the
hypothesis, recall the reference, each with its best reference:

    YiSi-1 = P · R / (α · P + (1 − α) · R)

With word vectors (`model` names a file, or glove) it equals the author's program with `lexsim-type=w2v` and n-grams of
three words: the same word, whatever its case, is similar to degree 1, and an unknown one to no other. With a contextual
encoder words are matched, their vectors the means of their units', or the units themselves. Weights are those of
YiSi-0: log2(1 + (N + 1) / (c + 1)), where c of N references have the word. The score of a set is the mean.

With `structure`, the author's beta, that share of precision and recall is how well semantic frames are covered (see
yisi_structure). Frames are read off a dependency parse, where the author's program runs a role labeller, so scores with
structure are not that program's. Where neither text has a frame the words alone count; there structure is 0 then.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from nlgauge import models
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, mean_rows, option
from nlgauge.metrics.explanation import Explanation, Figure, ordinal_reference
from nlgauge.metrics.modelled import (
    dtype_option,
    either_option,
    layers_option,
    model_option,
    tok_option,
    unit_option,
)
from nlgauge.metrics.soft import Contextual, Static, Tokens, chunks
from nlgauge.metrics.yisi0 import Rarity
from nlgauge.metrics.yisi_covering import (
    Covering,
    YisiMetric,
    covered_parts,
    joined,
    rarity_of,
    references_of,
)
from nlgauge.metrics.yisi_structure import Placed, Side, Structure, placed, role_weights
from nlgauge.models.frames import frames
from nlgauge.models.interface import Parser


@dataclass(frozen=True)
class Yisi1(YisiMetric):
    """YiSi-1, from 0 to 1: n-grams of words that are similar in meaning, weighted by rarity.

    Scores hang on the model; those of different models cannot be compared.
    """

    model: str = either_option()
    order: int = option(2, "length of the n-grams; the author's program takes 3", low=1, high=100)
    alpha: float = option(0.8, "weight of recall against precision", low=0.0, high=1.0)
    idf: bool = option(True, "weigh words by their rarity in the references")
    layer: str = layers_option()
    unit: str = unit_option("word")
    tok: str = tok_option()
    dtype: str = dtype_option()
    structure: float = option(0.0, "share of semantic frames in the score; the author takes 0.2", low=0.0, high=1.0)
    parser: str = model_option("parser", "spacy-en", "parser whose trees frames are read off")
    roles: tuple[tuple[str, float], ...] = dataclasses.field(default=(), repr=False, compare=False)
    rarity: Rarity | None = dataclasses.field(default=None, repr=False, compare=False)

    name: ClassVar[str] = "yisi1"
    published_on: ClassVar[str] = "BERT"
    cite: ClassVar[str] = (
        "Lo (2019), YiSi: a unified semantic MT quality evaluation and estimation metric for languages with different "
        "levels of available resources. WMT."
    )
    reference: ClassVar[str] = "the author's yisi (lexsim w2v, lexweight learn)"
    at: ClassVar[str | None] = "order"
    weighs: ClassVar[str] = "YiSi-1 weighs words by all references"

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        parser = (("parser", self.parser),) if self.structure else ()
        return (*super().models, *parser)

    @property
    def model_fact(self) -> str:
        fact = super().model_fact
        return f"{fact},{self._parser().info.fact()}" if self.structure else fact

    def _parser(self) -> Parser:
        return models.parser(self.parser, purpose=self.name)

    @property
    def needs_prepare(self) -> bool:
        return self.idf or self.structure > 0

    def prepare(self, corpus: Iterable[Batch]) -> Self:
        """Count in how many references each word occurs and, for structure, how many roles of each kind there are."""
        if not self.needs_prepare:
            return self
        texts = references_of(corpus)
        rarity = rarity_of(self.source[0].split(texts)) if self.idf else None
        roles: dict[str, float] = {}
        if self.structure:
            roles = role_weights(frame for parse in self._parser().parse(texts) for frame in frames(parse))
        return dataclasses.replace(self, rarity=rarity, roles=tuple(sorted(roles.items())))

    def rows(self, batch: Batch) -> Array:
        """The score of each segment, and 1."""
        source = self.source[0]
        found = []
        for part in chunks(batch):
            texts = [text.strip() for texts in (part.hypotheses, *part.references) for text in texts]
            tokens = source.tokens(texts)
            framed = self._placed(tokens)
            for hypothesis, references in zip(part.hypotheses, part.references, strict=True):
                pair = hypothesis.strip(), [text.strip() for text in references]
                compared = [self._compared(source, tokens[pair[0]], tokens[text]) for text in pair[1]]
                scores = np.array([[side.score for side in sides] for _, *sides in compared])
                found.append(self._both(pair, [table for table, *_ in compared], scores, tokens, framed)[0])
        both = np.array(found, dtype=np.float64).reshape(-1, 2)
        return mean_rows(joined(both, self.alpha))

    def _placed(self, tokens: Mapping[str, Tokens]) -> dict[str, list[Placed]]:
        """The frames of each text, by the words that are matched; none without structure."""
        if not self.structure:
            return {}
        parses = zip(tokens, self._parser().parse(list(tokens)), strict=True)
        return {text: placed(frames(parse), parse, tokens[text].spans) for text, parse in parses}

    def _both(
        self,
        pair: tuple[str, Sequence[str]],
        tables: Sequence[Array],
        scores: Array,
        tokens: Mapping[str, Tokens],
        framed: Mapping[str, list[Placed]],
    ) -> tuple[Array, Array]:
        """Precision and recall of a segment, each of the best reference, and their parts that are of structure."""
        flat: Array = scores.max(axis=0)
        if not framed or not any(framed[text] for text in (pair[0], *pair[1])):
            return flat, np.zeros(2)
        structure = Structure(dict(self.roles), self.order)
        mine, *others = (Side(framed[text], self.weights(tokens[text].words)) for text in (pair[0], *pair[1]))
        recalls = [structure.recall(mine, theirs, table) for theirs, table in zip(others, tables, strict=True)]
        shape = np.array([structure.precision(mine, list(zip(others, tables, strict=True))), max(recalls)])
        return self.structure * shape + (1 - self.structure) * flat, shape

    def _compared(self, source: Contextual | Static, mine: Tokens, theirs: Tokens) -> tuple[Array, Covering, Covering]:
        """Similarities of the words of output and reference, and how well either is covered."""
        table = np.maximum(source.similar(mine, theirs), 0.0)
        return table, *self.covered(table, self.weights(mine.words), self.weights(theirs.words))

    def explained(self, batch: Batch) -> Explanation:
        """Which words are matched with which, and what each costs precision and recall."""
        source = self.source[0]
        texts = [text.strip() for text in (batch.hypotheses[0], *batch.references[0])]
        tokens = source.tokens(texts)
        mine, *others = (tokens[text] for text in texts)
        compared = [self._compared(source, mine, theirs) for theirs in others]
        scores = np.array([[side.score for side in found[1:]] for found in compared])
        best = int(np.argmax(joined(scores, self.alpha)))
        tables = [table for table, *_ in compared]
        highest, shape = self._both((texts[0], texts[1:]), tables, scores, tokens, self._placed(tokens))
        table, precision, recall = compared[best]
        labels = [source.labels(text, one) for text, one in zip(texts, (mine, *others), strict=True)]
        output, reference = labels[0], labels[best + 1]
        which = ordinal_reference(best, len(others))
        parts = covered_parts((output, reference), table, (precision, recall), which)
        figures = self.figures(highest, ", best reference")
        notes = [self.note()]
        if self.structure:
            figures += [
                Figure("structure, precision", float(shape[0]), f"frames; {self.structure:g} of precision"),
                Figure("structure, recall", float(shape[1]), f"frames; {self.structure:g} of recall"),
            ]
            notes.append("grid and costs are of words alone: of what precision and recall have beside structure")
        if len(others) > 1 and (scores.max(axis=0) > scores[best]).any():
            notes.append(f"precision and recall are each of the best reference; the parts above are of {which}")
        row = [float(joined(highest, self.alpha)), 1.0]
        return Explanation.of(self, batch, row, figures=figures, parts=parts, notes=notes, counted=[best + 1])
