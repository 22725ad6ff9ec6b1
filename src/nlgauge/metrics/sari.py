"""SARI (Xu, Napoles, Pavlick, Chen and Callison-Burch 2016): n-grams added to the source, kept and deleted.

For simplification and other rewriting: an output is good if it adds what the references add to the source, keeps what
they keep and deletes what they delete. Implementations differ in more than names:

    evaluate      Hugging Face's evaluate, tensor2tensor, GEM: the mean of segment scores; undefined (0 / 0) counts 1
    original      the authors' SARI.py: the same, but undefined counts 0, and kept n-grams weigh alike in recall
    easse         EASSE's corpus_sari: counts are summed over the set; F for all three, averaged over the orders
    easse-paper   EASSE's paper version: precision and recall are averaged over the orders before F is taken

The first two score a deletion by precision only. An output `.add`, `.keep` or `.delete` gives one of the parts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, Metric, option, ratio
from nlgauge.text import tokenizers

PARTS = ("add", "keep", "delete")


@dataclass(frozen=True)
class Sari(Metric):
    """SARI, from 0 to 100: are the right words added, kept and deleted, compared with the source?

    >>> sari = Sari()
    >>> sources, outputs = ["About 95 species are currently accepted ."], ["About 95 you now get in ."]
    >>> references = [["About 95 species are currently known .", "About 95 species are now accepted ."]]
    >>> round(sari.corpus(outputs, references, sources=sources), 2)
    26.46
    """

    order: int = option(4, "longest n-grams", low=1, high=100)
    form: str = option(
        "evaluate",
        "whose rules: evaluate's, the authors' program, or EASSE's",
        choices=("evaluate", "original", "easse", "easse-paper"),
    )
    tok: str = option("13a", "tokeniser", check=tokenizers.check)
    lower: bool = option(True, "lower-case before tokenising")
    output: str = option("sari", "the score, or one of its parts", choices=("sari", *PARTS), scoring=True)

    name = "sari"
    bounds = (0.0, 100.0)
    needs = ("references", "source text")
    cite = (
        "Xu, Napoles, Pavlick, Chen and Callison-Burch (2016), Optimizing statistical machine translation for text "
        "simplification. TACL."
    )
    reference = "evaluate 0.4; EASSE's corpus_sari with form=easse"
    at = "order"

    @property
    def columns(self) -> tuple[str, ...]:
        if self.form in ("evaluate", "original"):
            return (*PARTS, "segments")
        orders = range(1, self.order + 1)
        return tuple(
            f"{part}_{what}_{n}"
            for part in PARTS
            for n in orders
            for what in ("right", "output", "reference")
        )

    def rows(self, batch: Batch) -> Array:
        tokens = batch.with_sources().tokens(self.tok, lower=self.lower)
        if self.form in ("evaluate", "original"):
            return active().sari_rows(tokens, self.order, self.form, batch.jobs)
        return active().sari_counts(tokens, self.order, batch.jobs)

    def score(self, totals: Array) -> Array:
        totals = np.asarray(totals, dtype=np.float64)
        if self.form in ("evaluate", "original"):
            parts = ratio(totals[..., :3], np.broadcast_to(totals[..., 3:], totals[..., :3].shape))
        else:
            parts = self._from_counts(totals.reshape(*totals.shape[:-1], 3, self.order, 3))
        scores = 100 * (
            parts.mean(axis=-1) if self.output == "sari" else parts[..., PARTS.index(self.output)]
        )
        return np.asarray(scores)

    def _from_counts(self, counts: Array) -> Array:
        """Add, keep and delete of counts (…, part, order, right/output/reference)."""
        precision, recall = ratio(counts[..., 0], counts[..., 1]), ratio(counts[..., 0], counts[..., 2])
        if self.form == "easse-paper":
            return _f1(precision.mean(axis=-1), recall.mean(axis=-1))
        mean: Array = _f1(precision, recall).mean(axis=-1)
        return mean


def _f1(precision: Array, recall: Array) -> Array:
    return ratio(2 * precision * recall, precision + recall)
