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
from nlgauge.metrics import modelled
from nlgauge.metrics.base import Array
from nlgauge.metrics.explanation import Explanation, Figure, Part, ordinal_reference
from nlgauge.metrics.soft import best_of_references, greedy_heat, losses, named


def _recall(table: Array) -> float:
    """The mean, over the columns, of the highest similarity to any row."""
    return float(table.max(axis=0).mean()) if table.size else 0.0


@dataclass(frozen=True)
class Bertr(modelled.WordMetric):
    """The mean, over words of the reference, of the cosine to the most similar word of the output.

    Scores hang on the model and the layer; those of different models cannot be compared.
    """

    model: str = modelled.either_option()
    layer: str = modelled.layers_option()
    unit: str = modelled.unit_option("subword")
    tok: str = modelled.tok_option()
    dtype: str = modelled.dtype_option()

    name: ClassVar[str] = "bertr"
    published_on: ClassVar[str] = "BERT"
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    column: ClassVar[str] = "recall"
    cite: ClassVar[str] = (
        "Mathur, Baldwin and Cohn (2019), Putting evaluation in context: contextual embeddings improve machine "
        "translation evaluation. ACL."
    )
    reference: ClassVar[str] = "the formula of the paper (its program is for its own data)"

    def rows(self, batch: Batch) -> Array:
        """The score of each segment, and 1."""
        source = self.source[0]
        return best_of_references(batch, source.tokens, lambda mine, theirs: _recall(source.similar(mine, theirs)))

    def explained(self, batch: Batch) -> Explanation:
        """Which word of the output each word of the reference is matched with, and what that costs."""
        source = self.source[0]
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
