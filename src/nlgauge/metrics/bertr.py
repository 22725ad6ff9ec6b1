"""BERTr (Mathur, Baldwin and Cohn 2019): recall by contextual embeddings.

Each word of the reference counts as far as the most similar word of the hypothesis reaches it, by the cosine of their
vectors; the score is the mean over the reference. Units that only delimit a text are left out; of several references
the one with the highest score counts; an empty text scores 0. The score of a set is the mean of its segments' scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, Metric, option
from nlgauge.metrics.explanation import Explanation, Figure, Part, ordinal_reference
from nlgauge.metrics.heat import greedy_heat, losses, named
from nlgauge.metrics.soft import (
    AUTO,
    UNITS,
    Contextual,
    Static,
    check_either,
    check_layers,
    chunks,
    kind_of,
    source_of,
)
from nlgauge.models.devices import DTYPES
from nlgauge.text import tokenizers


def _recall(table: Array) -> float:
    """The mean, over the columns, of the highest similarity to any row."""
    return float(table.max(axis=0).mean()) if table.size else 0.0


@dataclass(frozen=True)
class Bertr(Metric):
    """The mean, over words of the reference, of the cosine to the most similar word of the output.

    Scores hang on the model and the layer; those of different models cannot be compared.
    """

    model: str = option(
        "minilm",
        "contextual encoder or word vectors: an alias, owner/name of the Hugging Face hub, or a path",
        check=check_either,
    )
    layer: str = option(
        AUTO, "layer of the encoder (auto: the best for the model), or several: 3+4+6", check=check_layers
    )
    unit: str = option("subword", "what is matched where the model is an encoder", choices=UNITS)
    tok: str = option("none", "tokeniser, where the model is word vectors", check=tokenizers.check)
    dtype: str = option("float32", "precision of the encoder", choices=DTYPES)

    name: ClassVar[str] = "bertr"
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    needs: ClassVar[tuple[str, ...]] = ("references", "contextual encoder")
    cite: ClassVar[str] = (
        "Mathur, Baldwin and Cohn (2019), Putting evaluation in context: contextual embeddings improve machine "
        "translation evaluation. ACL."
    )
    reference: ClassVar[str] = "the formula of the paper (its program is for its own data)"

    @property
    def columns(self) -> tuple[str, ...]:
        """The sum of segment scores and their number."""
        return ("recall", "segments")

    @property
    def models(self) -> tuple[tuple[str, str], ...]:
        return ((kind_of(self.model), self.model),)

    @property
    def model_fact(self) -> str:
        return self._source[1]

    def remarks(self) -> list[str]:
        source = self._source[0]
        return source.encoder.remarks() if isinstance(source, Contextual) else []

    @property
    def _source(self) -> tuple[Contextual | Static, str]:
        return source_of(
            self.model, layer=self.layer, unit=self.unit, tok=self.tok, dtype=self.dtype, purpose=self.name
        )

    def rows(self, batch: Batch) -> Array:
        """The score of each segment, and 1."""
        source = self._source[0]
        found = []
        for part in chunks(batch):
            tokens = source.tokens(
                [text.strip() for texts in (part.hypotheses, *part.references) for text in texts]
            )
            for hypothesis, references in zip(part.hypotheses, part.references, strict=True):
                mine = tokens[hypothesis.strip()]
                found.append(max(_recall(source.similar(mine, tokens[text.strip()])) for text in references))
        return np.stack([np.array(found), np.ones(len(found))], axis=1).reshape(-1, 2)

    def explained(self, batch: Batch) -> Explanation:
        """Which word of the output each word of the reference is matched with, and what that costs."""
        source = self._source[0]
        texts = [text.strip() for text in (batch.hypotheses[0], *batch.references[0])]
        tokens = source.tokens(texts)
        tables = [source.similar(tokens[texts[0]], tokens[text]) for text in texts[1:]]
        scores = [_recall(table) for table in tables]
        best = int(np.argmax(scores))
        table = tables[best]
        output, reference = (source.labels(text, tokens[text]) for text in (texts[0], texts[best + 1]))
        which = ordinal_reference(best, len(tables))
        size = max(len(reference), 1)
        found = table.max(axis=0) if len(output) else np.zeros(len(reference))
        partners = table.argmax(axis=0) if len(output) else np.full(len(reference), -1)
        title = f"How similar the words of the output and of {which} are"
        parts: list[Part] = [
            greedy_heat(title, (output, reference), table, [-1] * len(output), partners),
            losses(
                f"What words of {which} cost the score",
                "1 − score",
                reference,
                (found / size, (1 - found) / size),
                named(output, partners),
            ),
        ]
        figures = [Figure("recall", scores[best], f"mean over {len(reference)} words of {which}")]
        row = [scores[best], 1.0]
        return Explanation.of(self, batch, row, figures=figures, parts=parts, counted=[best + 1])

    def score(self, totals: Array) -> Array:
        """The mean over segments."""
        count = totals[..., 1]
        return np.divide(totals[..., 0], count, out=np.zeros(np.shape(count)), where=count > 0)
