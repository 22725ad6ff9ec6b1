"""Two metrics of one name. `gleu` is Google's (Wu et al. 2016), equal to NLTK 3.10; `gleu-gec` is that of grammatical
error correction (Napoles, Sakaguchi, Post and Tetreault 2015, 2016), equal to its authors' program of 2017.

Google's GLEU counts the n-grams of all lengths together and takes the smaller of precision and recall.

The GLEU of error correction is BLEU that also knows the source: n-grams which the output keeps from the source though
the reference has not kept them are taken off the matches. With several references its authors draw one for
each segment, 500 times, and average the scores; here each segment counts with the mean over its references,
which is what the sums of the draws approach. For single sentences (`level=segment`) they, and we, average the smoothed
scores against each reference.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import SpecError
from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.base import Array, Metric, option, ratio
from nlgauge.metrics.bleu import brevity_penalty
from nlgauge.metrics.explanation import Explanation, Figure, Part
from nlgauge.metrics.matching import compared, covered, ngrams, order_title, segment_words
from nlgauge.text import tokenizers


@dataclass(frozen=True)
class Gleu(Metric):
    """Google's GLEU, from 0 to 1: the smaller of precision and recall of all n-grams together.

    >>> gleu = Gleu()
    >>> round(gleu.corpus(["the the the the the the the"], [["the cat is on the mat"]]), 4)
    0.0909
    """

    order: int = option(4, "longest n-grams", low=1, high=100)
    shortest: int = option(1, "shortest n-grams", low=1, high=100)
    tok: str = option("13a", "tokeniser; NLTK's users split at white space: none", check=tokenizers.check)
    lower: bool = option(False, "lower-case before tokenising")

    name = "gleu"
    cite = (
        "Wu, Schuster, Chen et al. (2016), Google's neural machine translation system: bridging the gap between human "
        "and machine translation. arXiv:1609.08144."
    )
    reference = "NLTK 3.10 (corpus_gleu, sentence_gleu)"
    at = "order"
    columns = ("matches", "ngrams")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.shortest > self.order:
            raise SpecError(f"the field shortest of gleu must be at most the order, {self.order}; got {self.shortest}")

    def rows(self, batch: Batch) -> Array:
        tokens = batch.tokens(self.tok, lower=self.lower)
        return active().gleu_rows(tokens, self.shortest, self.order, batch.jobs)

    def explained(self, batch: Batch) -> Explanation:
        """The n-grams of each order, against the reference that counts."""
        words, references = segment_words(batch, self.tok, lower=self.lower)
        orders = range(self.shortest, self.order + 1)
        found = [
            [compared(order_title(n), ngrams(words, n), ngrams(reference, n)) for n in orders]
            for reference in references
        ]
        counts = [
            tuple(sum(getattr(part, what) for part in parts) for what in ("matched", "hypothesis", "reference"))
            for parts in found
        ]
        ratios = [matched / max(mine, theirs, 1) for matched, mine, theirs in counts]
        best = ratios.index(max(ratios))
        if not max(counts[best][1:]):  # a reference without n-grams counts only where there is no other
            best = next((k for k, (_, mine, theirs) in enumerate(counts) if mine or theirs), best)
        matched, mine, theirs = counts[best]
        figures = [
            Figure("n-grams matched", matched, f"of {self.shortest} to {self.order} words, all together"),
            Figure("n-grams of the output", mine, "precision is matched / these"),
            Figure("n-grams of the reference", theirs, "recall is matched / these; the smaller counts"),
        ]
        return Explanation.of(
            self,
            batch,
            [matched, max(mine, theirs)],
            figures=figures,
            parts=[covered(words, found[best]), *found[best]],
            counted=(best + 1,),
        )

    def score(self, totals: Array) -> Array:
        return ratio(totals[..., 0], totals[..., 1])


@dataclass(frozen=True)
class GleuGec(Metric):
    """The GLEU of grammatical error correction, from 0 to 1: BLEU, less n-grams kept from the source by mistake.

    >>> gleu = GleuGec(level="segment")
    >>> source, reference = "A simple src sentence of test .", "A simple source sentence for testing ."
    >>> round(gleu.corpus(["A simple src sentence for testing ."], [[reference]], sources=[source]), 4)
    0.3303
    """

    order: int = option(4, "longest n-grams", low=1, high=100)
    tok: str = option("none", "tokeniser; the texts of this field are tokenised already", check=tokenizers.check)
    lower: bool = option(False, "lower-case before tokenising")
    level: str = option(
        "corpus",
        "corpus: one score from all counts; segment: the mean of smoothed sentence scores",
        choices=("corpus", "segment"),
    )

    name = "gleu-gec"
    needs = ("references", "source text")
    cite = (
        "Napoles, Sakaguchi, Post and Tetreault (2015), Ground truth for grammatical error correction metrics. ACL; "
        "(2016), GLEU without tuning. arXiv:1605.02592."
    )
    reference = "cnap/gec-ranking (6 September 2017)"
    at = "order"

    @property
    def columns(self) -> tuple[str, ...]:
        if self.level == "segment":
            return ("score", "segments")
        orders = range(1, self.order + 1)
        matches, totals = (f"correct_{n}" for n in orders), (f"total_{n}" for n in orders)
        return ("hypothesis_length", "reference_length", *matches, *totals)

    def rows(self, batch: Batch) -> Array:
        tokens = batch.with_sources().tokens(self.tok, lower=self.lower)
        pairs = active().gleu_gec_rows(tokens, self.order, batch.jobs)
        return self._joined(pairs[:, 0].astype(np.int64), pairs[:, 1:], len(batch))

    def _joined(self, segment: NDArray[np.int64], counts: Array, size: int) -> Array:
        """Rows of segments from the counts against each of their references."""
        references = np.bincount(segment, minlength=size)
        if self.level == "segment":
            # the authors replace every count of 0, lengths included, by 1
            scores = self._gleu(np.where(counts > 0, counts, 1.0))
            means = np.bincount(segment, weights=scores, minlength=size) / references
            return np.stack([means, np.ones(size)], axis=1)
        sums = np.zeros((size, counts.shape[1]))
        np.add.at(sums, segment, counts)
        return sums / references[:, None]

    def explained(self, batch: Batch) -> Explanation:
        """For each reference and order, the n-grams that match, and those kept from the source by mistake."""
        words, (source, *references) = segment_words(batch.with_sources(), self.tok, lower=self.lower)
        counts, figures, parts = [], list[Figure](), list[Part]()
        for k, reference in enumerate(references):
            which = "" if len(references) == 1 else f", reference {k + 1}"
            matches, totals = [], []
            for n in range(1, self.order + 1):
                mine, theirs = ngrams(words, n), ngrams(reference, n)
                match = compared(f"{order_title(n)}{which}", mine, theirs)
                wrong = Counter({g: c for g, c in ngrams(source, n).items() if g not in theirs and g in mine})
                kept = compared(
                    f"{order_title(n)} that the source has and the reference has not{which}",
                    Counter({gram: mine[gram] for gram in wrong}),
                    wrong,
                )
                matches.append(max(0, match.matched - kept.matched))
                totals.append(match.hypothesis)
                parts += [match, kept] if kept.rows else [match]
                how = f"{match.matched} matched - {kept.matched} kept by mistake, of {match.hypothesis}"
                figures.append(Figure(f"precision {n}{which}", matches[-1] / max(totals[-1], 1), how))
            counts.append([len(words), len(reference), *matches, *totals])
            length = np.array([len(words), len(reference)], dtype=np.float64)
            brevity = float(brevity_penalty(length[0], length[1]))
            how = f"{len(words)} words against {len(reference)}"
            figures.append(Figure(f"brevity penalty{which}", brevity, how))
        row = self._joined(np.zeros(len(counts), dtype=np.int64), np.array(counts, dtype=np.float64), 1)[0]
        notes = [f"counts are the mean over the {len(references)} references"] if len(references) > 1 else []
        if self.level == "segment":
            notes = ["a count of 0 is replaced by 1"]
            notes += ["the score is the mean over the references"] if len(references) > 1 else []
        return Explanation.of(self, batch, row, figures=figures, parts=parts, notes=notes)

    def score(self, totals: Array) -> Array:
        if self.level == "segment":
            return ratio(totals[..., 0], totals[..., 1])
        return self._gleu(np.asarray(totals, dtype=np.float64))

    def _gleu(self, counts: Array) -> Array:
        """From (…, 2 + 2 * order) counts to scores; 0 where any of them is 0."""
        precision = ratio(counts[..., 2 : 2 + self.order], counts[..., 2 + self.order :])
        mean = np.exp(np.log(np.where(precision > 0, precision, 1.0)).mean(axis=-1))
        scores = mean * brevity_penalty(counts[..., 0], counts[..., 1])
        return np.where((counts > 0).all(axis=-1), scores, 0.0)
