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

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, Metric, option, ratio
from nlgauge.metrics.explanation import Explanation, Figure, Ngram, Ngrams, Passage
from nlgauge.metrics.matching import Gram, ngrams, order_title, segment_words
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
            f"{part}_{what}_{n}" for part in PARTS for n in orders for what in ("right", "output", "reference")
        )

    def rows(self, batch: Batch) -> Array:
        tokens = batch.with_sources().tokens(self.tok, lower=self.lower)
        if self.form in ("evaluate", "original"):
            return active().sari_rows(tokens, self.order, self.form, batch.jobs)
        return active().sari_counts(tokens, self.order, batch.jobs)

    def explained(self, batch: Batch) -> Explanation:
        """For each order the n-grams added, kept and deleted: by the output, by the references, by both."""
        words, texts = segment_words(batch.with_sources(), self.tok, lower=self.lower)
        mean = self.form in ("evaluate", "original")
        if mean:  # an empty text is one empty word to these programs
            words, texts = words or [""], [text or [""] for text in texts]
        source, *references = texts
        parts = [
            self._part(part, ngrams(words, n), ngrams(source, n), [ngrams(text, n) for text in references], n)
            for part in PARTS
            for n in range(1, self.order + 1)
        ]
        if mean:
            values = np.array([self._of_ngrams(part, what) for part, what in zip(parts, self._named(), strict=True)])
            row = [*values.reshape(3, self.order).mean(axis=1), 1.0]
            scores = row[:3]
        else:
            row = [float(v) for p in parts for v in (p.matched, p.hypothesis, p.reference)]
            scores = self._from_counts(np.array(row).reshape(3, self.order, 3)).tolist()
        hows = ("n-grams that the source lacks", "n-grams of the source", "n-grams of the source")
        figures = [Figure(name, float(v), how) for name, v, how in zip(PARTS, scores, hows, strict=True)]
        notes = []
        if len(references) > 1:
            notes.append(
                f"kept and deleted n-grams of output and source count {len(references)} times, those of the "
                f"{len(references)} references together"
            )
        return Explanation.of(self, batch, row, figures=figures, parts=[_source(source, words), *parts], notes=notes)

    def _named(self) -> list[str]:
        return [part for part in PARTS for _ in range(self.order)]

    def _part(
        self, part: str, own: Counter[Gram], before: Counter[Gram], after: Sequence[Counter[Gram]], n: int
    ) -> Ngrams:
        """What the output adds, keeps or deletes beside what the references do."""
        several, given = len(after), Counter[Gram]()
        for grams in after:
            given.update(grams)
        rows = []
        for gram in {**own, **before, **given}:
            here, there, wanted = several * own[gram], several * before[gram], given[gram]
            if part == "add":
                counts = (0, 0, 0) if there else (here > 0, wanted > 0, here > 0 and wanted > 0)
            elif part == "keep":
                counts = (min(here, there), min(there, wanted), min(here, there, wanted))
            else:
                out, meant = max(0, there - here), max(0, there - wanted)
                right = min(out, meant) if self.form.startswith("easse") else max(0, out - wanted)
                counts = (out, meant, right)
            if max(counts):
                rows.append(Ngram(gram, *map(int, counts)))
        done = {"add": "added", "keep": "kept", "delete": "deleted"}[part]
        return Ngrams(f"{order_title(n)} {done}", tuple(rows))

    def _of_ngrams(self, found: Ngrams, part: str) -> float:
        """The score of one part and order as the programs that average segments have it."""
        undefined = 1.0 if self.form == "evaluate" else 0.0
        done = [row.matched / row.hypothesis for row in found.rows if row.hypothesis]
        precision = sum(done) / len(done) if done else undefined
        if part == "delete":
            return precision
        meant = [row.matched / row.reference for row in found.rows if row.reference]
        recall = sum(meant) / len(meant) if meant else undefined
        if part == "keep" and self.form == "evaluate" and found.reference:
            recall = found.matched / found.reference
        return float(_f1(np.array(precision), np.array(recall)))

    def score(self, totals: Array) -> Array:
        totals = np.asarray(totals, dtype=np.float64)
        if self.form in ("evaluate", "original"):
            parts = ratio(totals[..., :3], np.broadcast_to(totals[..., 3:], totals[..., :3].shape))
        else:
            parts = self._from_counts(totals.reshape(*totals.shape[:-1], 3, self.order, 3))
        scores = 100 * (parts.mean(axis=-1) if self.output == "sari" else parts[..., PARTS.index(self.output)])
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


def _source(source: Sequence[str], words: Sequence[str]) -> Passage:
    """The source with the words that the output keeps."""
    left, levels = Counter(words), []
    for word in source:
        levels.append(int(left[word] > 0))
        left[word] -= 1
    legend = ("deleted by the output", "kept by the output")
    return Passage("The source", tuple(source), tuple(levels), legend)
