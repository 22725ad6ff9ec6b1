"""SIMILE (Wieting et al. 2019): the cosine of sentence embeddings times a penalty for a difference in length.

SIMILE(r, h) = LP(r, h)^alpha · SIM(r, h), LP(r, h) = exp(1 − max(|r|, |h|) / min(|r|, |h|)), alpha = 0.25 as in the
paper. Its encoder was trained on paraphrases by the authors; here any sentence encoder serves, and MiniLM, the default,
was trained on paraphrases among other pairs. |r| and |h| count words, as `tok` splits them, so that they do not hang on
the encoder's units. A cosine below 0 is multiplied all the same: the paper says nothing of it. Of several references
the best counts; an empty text scores 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, option
from nlgauge.metrics.modelled import dtype_option, model_option
from nlgauge.metrics.sim import Sim, best_rows
from nlgauge.text import tokenizers

TOK = "13a"


@dataclass(frozen=True)
class Simile(Sim):
    """Cosine of sentence embeddings, times a penalty for texts that are not equally long."""

    model: str = model_option("sentence", "minilm")
    alpha: float = option(0.25, "weight of the length penalty; 0: none", low=0.0, high=10.0)
    tok: str = option(TOK, "tokeniser for the lengths", check=tokenizers.check)
    dtype: str = dtype_option()

    name = "simile"
    column = "similarity"
    reference = "the paper's formula"

    def rows(self, batch: Batch) -> Array:
        split = tokenizers.tokenizer(self.tok)
        cosines, counts = self.cosines(batch)
        mine = np.repeat([len(split(text)) for text in batch.hypotheses], counts)
        theirs = np.array([len(split(text)) for several in batch.references for text in several])
        penalty = length_penalty(mine, theirs) ** self.alpha
        return best_rows(batch, penalty * cosines, counts)


def length_penalty(mine: Array, theirs: Array) -> Array:
    """exp(1 − longer / shorter); of a text without words 0, or 1 where both have none."""
    longer, shorter = np.maximum(mine, theirs), np.minimum(mine, theirs)
    ratio = np.divide(longer, shorter, out=np.full(len(longer), np.inf), where=shorter > 0)
    return np.exp(1.0 - np.where(longer == shorter, 1.0, ratio))
