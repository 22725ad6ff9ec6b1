"""GTM, the General Text Matcher (Turian, Shen and Melamed 2003).

A matching pairs equal words of output and reference, each at most once. Its runs are stretches that are matched in the
same order in both; its size is the q-th root of the sum of their lengths to the power q, so that larger exponents q
reward longer runs. Precision and recall are the size of the largest matching divided by the lengths of output and
reference, and GTM is their F.

The largest matching is found greedily, as in the original: time and again the longest run is taken that shares no word
with earlier ones (of equals the first in the output, then in the reference). For q = 1 this is exact. Over a set, sizes
and lengths are summed; of several references the one with the best F counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nlgauge.kernels import active
from nlgauge.kernels.batch import Batch
from nlgauge.kernels.python.alignment import greedy_runs
from nlgauge.metrics.base import Array, Metric, best_reference, option, ratio
from nlgauge.metrics.explanation import Explanation, Figure, Link, Links, ordinal_reference
from nlgauge.metrics.matching import segment_words
from nlgauge.text import tokenizers


@dataclass(frozen=True)
class Gtm(Metric):
    """GTM, from 0 to 1: F of the largest matching of words, longer runs rewarded by the exponent.

    >>> round(Gtm(exponent=2).corpus(["a b c d"], [["c d a b"]]), 4)
    0.7071
    """

    exponent: float = option(1.0, "q: larger values reward longer runs (the paper tries 1 to 3)", low=1, high=10)
    beta: float = option(1.0, "how many times recall counts more than precision in F", low=0)
    tok: str = option("13a", "tokeniser", check=tokenizers.check)
    lower: bool = option(False, "lower-case before tokenising")
    output: str = option("f1", "which of precision, recall and F is the score", choices=("p", "r", "f1"), scoring=True)

    name = "gtm"
    cite = "Turian, Shen and Melamed (2003), Evaluation of machine translation and its evaluation. MT Summit IX."
    reference = "the paper's definition; no implementation is at hand"
    columns = ("match", "hypothesis_length", "reference_length")

    def rows(self, batch: Batch) -> Array:
        tokens = batch.tokens(self.tok, lower=self.lower)
        pairs = active().gtm_rows(tokens, self.exponent, batch.jobs)
        pairs[:, 1] **= 1 / self.exponent
        best = best_reference(pairs[:, 0], self._f(pairs[:, 1:]))
        rows: Array = pairs[best, 1:]
        return rows

    def explained(self, batch: Batch) -> Explanation:
        """The runs of the matching with the reference that counts."""
        words, references = segment_words(batch, self.tok, lower=self.lower)
        found = [greedy_runs(words, reference) for reference in references]
        sizes = [sum(size**self.exponent for *_, size in runs) ** (1 / self.exponent) for runs in found]
        lengths = [len(reference) for reference in references]
        counts = np.array([[size, len(words), length] for size, length in zip(sizes, lengths, strict=True)])
        best = int(np.argmax(self._f(counts)))
        links = [Link((i, i + size), (k, k + size)) for i, k, size in sorted(found[best])]
        which = ordinal_reference(best, len(references))
        part = Links(f"Runs that go with {which}", tuple(words), tuple(references[best]), tuple(links))
        longest = ", ".join(str(size) for *_, size in found[best]) or "none"
        precision, recall = (float(ratio(counts[best, 0], counts[best, k])) for k in (1, 2))
        figures = [
            Figure("size of the matching", sizes[best], f"runs of {longest} words, exponent {self.exponent:g}"),
            Figure("precision", precision, f"{sizes[best]:.6g} of {len(words)}"),
            Figure("recall", recall, f"{sizes[best]:.6g} of {lengths[best]}"),
        ]
        return Explanation.of(self, batch, counts[best], figures=figures, parts=[part], counted=(best + 1,))

    def score(self, totals: Array) -> Array:
        if self.output == "f1":
            return self._f(totals)
        return ratio(totals[..., 0], totals[..., 1 if self.output == "p" else 2])

    def _f(self, counts: Array) -> Array:
        precision, recall = ratio(counts[..., 0], counts[..., 1]), ratio(counts[..., 0], counts[..., 2])
        weight = self.beta**2
        return ratio((1 + weight) * precision * recall, recall + weight * precision)
